"""Measures the packages of Isovist: the folders and loose files below `src/isovist`.

    python tools/house.py [lines | imports | tasks | options | fragments]

`lines`: files, lines and statements of each package. Docstrings are counted apart.
`imports`: pairs of modules in different packages of which one imports the other; those that point upward in the layers of `pyproject.toml`;
and circles of packages and of modules. Imports for types and inside functions count.
`tasks`: number of fields of `Task` and of its groups, and of the arguments that the tasks of the suites state.
`options`: the options of `isovist run`, where commands declare an option of the same name with another meaning, and the modules that read them.
`fragments`: small files, and private functions that their module uses once. Without a name: all.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

import grimp  # comes with import-linter

from isovist.common.options import declared
from isovist.evaluation.run_spec import RunSpec

ROOT = Path(__file__).parent.parent
PACKAGE = "isovist"
SOURCE = ROOT / "src" / PACKAGE

SMALL = 60  # lines

Import = tuple[str, str]
"""The importing module and the imported one."""


@dataclass(frozen=True)
class Module:
    package: str
    n_lines: int
    n_statements: int
    """Without docstrings."""
    n_docstrings: int


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its name."""
    found: dict[str, Module] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        n_docstrings = sum(map(is_docstring, statements))
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join((PACKAGE, *parts)).removesuffix(".__init__")
        found[name] = Module(parts[0], len(text.splitlines()), len(statements) - n_docstrings, n_docstrings)
    return found


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a string alone: the docstring of a module, class, function or attribute."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


# Lines ------------------------------------------------------------------------------------------------------------


def print_lines() -> None:
    """One row for each package, the largest last."""
    counts: dict[str, Counter[str]] = {}
    for module in modules().values():
        of_module = {"files": 1, "lines": module.n_lines, "statements": module.n_statements, "docstrings": module.n_docstrings}
        for name in (module.package, "total"):
            counts.setdefault(name, Counter()).update(of_module)
    titles = ("files", "lines", "statements", "docstrings")
    print(f"{'package':<20}", *(f"{title:>10}" for title in titles))
    for name, of_package in sorted(counts.items(), key=lambda entry: entry[1]["statements"]):
        print(f"{name:<20}", *(f"{of_package[title]:>10,}" for title in titles))


# Imports ----------------------------------------------------------------------------------------------------------


@cache
def all_imports() -> frozenset[Import]:
    """All pairs of modules of which the first imports the second, as import-linter sees them."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    return frozenset((module, imported) for module in graph.modules for imported in graph.find_modules_directly_imported_by(module))


def package(module: str) -> str:
    return modules()[module].package


@cache
def layers() -> dict[str, int]:
    """The layer of each package in the import contract of `pyproject.toml`; 0 is the highest."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (contract for contract in contracts if contract.get("containers") == [PACKAGE])
    return {name: number for number, layer in enumerate(contract["layers"]) for name in re.split(r"\s*[|:]\s*", layer)}


def upward_imports() -> list[str]:
    """The imports of a module in a higher package, as text."""
    layer = layers()
    between = (
        (importing, imported) for importing, imported in sorted(all_imports()) if {package(importing), package(imported)} <= layer.keys()
    )
    return [f"{importing} -> {imported}" for importing, imported in between if layer[package(importing)] > layer[package(imported)]]


def circles(pairs: Iterable[Import]) -> list[list[str]]:
    """The largest groups of names from each of which every other can be reached, largest group first."""
    following: dict[str, set[str]] = {}
    for start, end in pairs:
        following.setdefault(start, set()).add(end)
    reached = {start: reachable(start, following) for start in following}
    groups = {frozenset(end for end in reached[start] if start in reached.get(end, ())) for start in following if start in reached[start]}
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def reachable(start: str, following: Mapping[str, set[str]]) -> set[str]:
    """The names that can be reached by one or more pairs."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = following.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def print_imports() -> None:
    between = {(importing, imported) for importing, imported in all_imports() if package(importing) != package(imported)}
    package_pairs = {(package(importing), package(imported)) for importing, imported in between}
    print(f"{len(between):,} pairs of modules in different packages, {len(package_pairs)} pairs of packages")
    sections = {
        "upward in the layers": upward_imports(),
        "circles of packages": [" <-> ".join(group) for group in circles(package_pairs)],
        "circles of modules": [" <-> ".join(group) for group in circles(all_imports())],
    }
    for title, found in sections.items():
        print(f"{len(found)} {title}", *found, sep="\n    ")


# Tasks ------------------------------------------------------------------------------------------------------------


def stated_arguments() -> dict[str, list[str]]:
    """The arguments of each `Task(...)` in the suites, by the id of the task."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((SOURCE / "suites").rglob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Task"]
    return {ast.literal_eval(call.keywords[0].value): [keyword.arg or "**" for keyword in call.keywords] for call in calls}


def print_tasks() -> None:
    for module in ("task", "task_groups"):
        for node in ast.parse((SOURCE / "core" / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and (node.name == "Task" or module == "task_groups"):
                print(f"{node.name:<20}{sum(isinstance(statement, ast.AnnAssign) for statement in node.body):>10} fields")
    counts = {task: len(arguments) for task, arguments in stated_arguments().items()}
    most = max(counts, key=lambda task: counts[task])
    print(f"{len(counts)} tasks state {min(counts.values())} to {counts[most]} arguments ({most}), median {median(counts.values()):g}")


# Options and fragments --------------------------------------------------------------------------------------------


def print_options() -> None:
    options = {flag: name for name, each in declared(RunSpec).items() if not each.option.is_argument for flag in each.flags}
    print(
        f"{len(set(options.values()))} options of isovist run, {len(declared(RunSpec)) - len(set(options.values()))} arguments of Python alone"
    )
    elsewhere: dict[str, list[str]] = {}
    for path in sorted((SOURCE / "cli").glob("*.py")):
        for call in (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)):
            for flag in (argument.value for argument in call.args if isinstance(argument, ast.Constant) and argument.value in options):
                if ast.unparse(call.func) == "click.option":
                    elsewhere.setdefault(str(flag), []).append(path.stem)
    for flag, commands in sorted(elsewhere.items()):
        print(f"    {flag} of their own: {', '.join(dict.fromkeys(commands))}")
    readers = sorted(importing for importing, imported in all_imports() if imported == RunSpec.__module__ and package(importing) != "cli")
    print(f"read by {len(readers)} modules besides the commands", *readers, sep="\n    ")


def print_fragments() -> None:
    n_small = sum(module.n_lines < SMALL for module in modules().values())
    once = 0
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = Counter(
            node.id if isinstance(node, ast.Name) else node.attr for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)
        )
        private = [
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] == "_" != node.name[1]
        ]
        once += sum(names[name] == 1 for name in private)
    print(f"{n_small} files under {SMALL} lines, {once} private functions that their module uses once")


REPORTS: dict[str, Callable[[], None]] = {
    "lines": print_lines,
    "imports": print_imports,
    "tasks": print_tasks,
    "options": print_options,
    "fragments": print_fragments,
}


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(REPORTS)
    if unknown := [name for name in chosen if name not in REPORTS]:
        sys.exit(f"Unknown: {', '.join(unknown)}. Choose from {', '.join(REPORTS)}.")
    for name in chosen:
        REPORTS[name]()
