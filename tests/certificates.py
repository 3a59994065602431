"""Certificates of the statistical conformance checks of the built-in tasks, in `golden/certificates.jsonl`.

The statistical checks of a task take most of the time of conformance, and what they say changes only with what they read. A certificate
holds the key under which they passed: a digest of the syntax trees of all modules that the task, the renderer and the checks import, of
their data files, of the versions of the libraries and of Python. Names of modules, comments and docstrings are no part of it. Of a task

- with the same key, the statistical checks are left out, and the others use few items (`VALID`);
- with another key but the same checks, what the audits see of a sample of items is compared; if it is equal, likewise, with more items
  (`EQUAL`);
- else everything runs (`FULL`). So it does for a thirtieth of the tasks, chosen by the commit, and for all with `--full`.

Tests of items marked `@pytest.mark.certified(task="...")` are left out in the same way, while the certificate of their task is valid.

    python tests/certificates.py             writes the certificates of all tasks that have no valid one
    python tests/certificates.py TASK ...    writes those of these tasks

A task is certified in a process of its own, after all its checks and the tests marked for it passed in full and after an audit hook saw
that the checks read nothing that its key does not hold.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any, Literal, get_args

import isovist
from isovist.audit.item_cache import shared
from isovist.audit.testing import conformance
from isovist.audit.testing.sampled_items import is_staged, n_in_all
from isovist.core.canonical_json import canonical_json
from isovist.core.rng import Rng
from isovist.core.task import SPLITS, Task

SRC = Path(isovist.__file__).parent
TESTS = Path(__file__).parent
PATH = TESTS / "golden" / "certificates.jsonl"
_MARK = re.compile(r"""mark\.certified\(task=["']([\w/-]+)["']\)""")
CONFORMANCE = "isovist.audit.testing.conformance"
_ITEMS = ("isovist.data.items", "isovist.world.render.rasterizer2d")  # what makes items, besides the task
_STAGES = ("isovist.world.render.scene_image", "isovist.audit.scene_features")  # for 3-D scenes; imported for those alone by
_TO_STAGES = ("isovist.world.render", "isovist.world.render.rasterizer2d", "isovist.audit.shortcuts")
_ASIDE = ("isovist.cli", "isovist.data.dataset", "isovist.data.notebook", "isovist.common.private_seeds", "isovist.world.render.cycles")
"""Modules that items and checks reach by functions which they do not call."""
_FRACTION = 30  # of the tasks, one in so many runs in full at each commit
_EACH, _OF_STAGES = 40, 40  # items compared in each split: of each level, and of a task with 3-D scenes
LIBRARIES = ("numpy", "scipy", "pillow", "aggdraw", "scikit-learn", "numba", "llvmlite", "trimesh", "zlib-ng")
_BESIDE = (
    "cffi", "charset-normalizer", "cloudpickle", "embreex", "joblib", "narwhals", "pandas", "psutil", "pyarrow", "pycparser", "python-dateutil",
    "pyyaml", "rich", "six", "threadpoolctl", "xxhash",
)  # fmt: skip
"""What the libraries import, and what does not change their results."""
STANDING = "standing"
"""The property of a test that says which task it tested, and how."""
FULL_RUN = "ISOVIST_TESTS_IN_FULL"
"""The environment variable, set by `pytest --full`, that no certificate counts."""
Standing = Literal["valid", "equal", "full"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
VALID, EQUAL, FULL = STANDINGS


@dataclass(frozen=True, slots=True)
class Certificate:
    """A line of the file. `checks` and `items`: the digests of the checks and of what they saw; `audits`: number of items, accuracy and
    limit of each leakage audit, and of the shortcut that came closest to its limit.
    """

    task: str
    key: str
    checks: str
    items: str
    audits: dict[str, tuple[int, float, float]]


# ---- what a task is made from -----------------------------------------------------------------------------------------


def _path(module: str) -> Path | None:
    path = SRC.joinpath(*module.split(".")[1:])
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


@dataclass(frozen=True, slots=True)
class _Source:
    """A module: the digest of its syntax tree without imports, comments and docstrings, and its imports of modules and of names."""

    body: str
    targets: frozenset[str]
    imports: tuple[tuple[str, str], ...]


@cache
def _source(module: str) -> _Source:
    if module == "isovist.common.errors":
        return _Source("", frozenset(), ())  # its messages change no item
    path = _path(module)
    assert path is not None
    read = _read(ast.parse(path.read_bytes()))
    # the public names of the package lead everywhere
    return replace(read, targets=frozenset(), imports=()) if module == "isovist" else read


def _read(tree: ast.Module) -> _Source:
    targets: set[str] = set()
    imports: list[tuple[str, str]] = []
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        for name, lines in ast.iter_fields(node):
            if not (isinstance(lines, list) and lines and isinstance(lines[0], ast.stmt)):
                continue
            kept: list[ast.stmt] = []
            for line in lines:
                if isinstance(line, ast.Import | ast.ImportFrom):
                    named = _modules_in(line)
                    targets.update(named)
                    imports += [(name, ast.dump(alias)) for name in named or [str(getattr(line, "module", ""))] for alias in line.names]
                elif isinstance(line, ast.If) and isinstance(line.test, ast.Name) and line.test.id == "TYPE_CHECKING":
                    pass
                elif not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)):
                    kept.append(line)
            setattr(node, name, kept)
        nodes += ast.iter_child_nodes(node)
    return _Source(_hash(ast.dump(tree)), frozenset(targets), tuple(imports))


def _modules_in(line: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules of the package that an import names: of `from package import module` both."""
    if isinstance(line, ast.Import):
        names = [alias.name for alias in line.names]
    else:
        names = [str(line.module), *(f"{line.module}.{alias.name}" for alias in line.names)]
    return [name for name in names if name.split(".")[0] == "isovist" and _path(name)]


@cache
def _imports(module: str) -> frozenset[str]:
    targets = _source(module).targets
    parents = {name.rsplit(".", k)[0] for name in targets for k in range(1, name.count(".") + 1)}
    to_stages = module in _TO_STAGES
    return frozenset(name for name in targets | parents if not _within(name, _ASIDE) and not (to_stages and name in _STAGES))


def _within(module: str, packages: Collection[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def closure(modules: Iterable[str]) -> set[str]:
    """These modules and all that they import, directly or not."""
    seen: set[str] = set()
    new = list(modules)
    while new:
        module = new.pop()
        if module not in seen:
            seen.add(module)
            new += _imports(module)
    return seen


@cache
def _digest(module: str) -> str:
    """The digest of a module; the content of the modules of the package that it imports stands in place of their names."""
    return _with_imports(_source(module))


def _with_imports(source: _Source) -> str:
    return _hash(source.body, *sorted(f"{_source(name).body if _path(name) else name} {alias}" for name, alias in source.imports))


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


@cache
def module_of(task: str) -> str:
    """The module that defines a built-in task."""
    from isovist.suites import registry

    built_in = registry.built_in_tasks()  # imports the modules of all suites
    modules = [(name, module) for name, module in sys.modules.items() if _within(name, ("isovist.suites",))]
    return next(name for name, module in sorted(modules) if any(found is built_in[task] for found in _tasks_in(module)))


def _tasks_in(module: object) -> tuple[Any, ...]:
    return (getattr(module, "TASK", None), *getattr(module, "TASKS", ()))


def modules_of(module: str, *, staged: bool) -> set[str]:
    """All modules that the items and the checks of a task are made from."""
    return closure([module, *_ITEMS, *(_STAGES if staged else ()), CONFORMANCE])


@cache
def environment() -> str:
    """The versions of Python and of the libraries that take part."""
    return " ".join((f"python={sys.version_info.major}.{sys.version_info.minor}", *(f"{name}={version(name)}" for name in LIBRARIES)))


def data_files(*, staged: bool) -> list[Path]:
    """The data files that items are made from: of 3-D scenes all assets, of drawings those that are no meshes and textures."""
    assets = SRC / "world" / "assets"
    return sorted(
        path for path in (assets.rglob("*") if staged else assets.glob("*")) if path.is_file() and path.suffix not in (".py", ".pyc")
    )


@cache
def _data(*, staged: bool) -> str:
    return _hash(*(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in data_files(staged=staged)))


@cache
def marked_tests() -> dict[str, dict[Path, _Source]]:
    """By task, the files with tests marked `certified` for it: what they hold besides tests that are not marked."""
    marked: dict[str, dict[Path, _Source]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        if tasks := set(_MARK.findall(text := path.read_text(encoding="utf-8"))):
            tree = ast.parse(text)
            tree.body = [each for each in tree.body if not _is_test(each) or _MARK.search(ast.unparse(each))]
            read = _read(tree)
            helpers = [name for name, _ in read.imports if (TESTS / f"{name}.py").is_file()]
            assert not helpers, f"{path.name} has tests marked `certified` and imports {', '.join(helpers)}, which no key holds"
            for task in tasks:
                marked.setdefault(task, {})[path] = read
    return marked


def _is_test(line: ast.stmt) -> bool:
    return isinstance(line, ast.FunctionDef | ast.ClassDef) and line.name.lower().startswith("test")


@cache
def key(task: str) -> str:
    """The digest of everything that the items of a task, its checks and the tests marked for it are made from."""
    from isovist.suites import registry

    staged = is_staged(registry.built_in_tasks()[task])
    tests = marked_tests().get(task, {}).values()
    modules = modules_of(module_of(task), staged=staged)
    for test in tests:
        modules |= closure(name for name in test.targets if not _within(name, (*_ASIDE, "isovist.suites.registry")))
    modules -= {"isovist"}  # a table of public names
    return _hash(task, environment(), _data(staged=staged), *sorted({*map(_digest, modules), *map(_with_imports, tests)}))[:24]


@cache
def checks() -> str:
    """The digest of the checks and of what they alone are made from."""
    modules = closure([CONFORMANCE]) - closure(_ITEMS) | {name for name in _STAGES if name.startswith("isovist.audit")}
    lines: list[str] = []
    for module in sorted(modules):
        lines.append(_source(module).body)
        lines += [f"{_source(name).body if name in modules else ''} {alias}" for name, alias in _source(module).imports]
    return _hash(environment(), *sorted(lines))[:24]


# ---- what the audits see ------------------------------------------------------------------------------------------------


def seen(task: Task[Any]) -> str:
    """The digest of what the audits read of a sample of items of both splits: scene, images as data, question, options, key, layout and the
    answers of the shortcuts; of some items also the pixels.
    """
    staged = is_staged(task)
    stated = (
        task.levels,
        task.answers.strata,
        task.answers.mean_chance,
        task.answers.best_constant,
        task.checks.distinct,
        task.checks.exemptions,
        task.images.family,
    )
    lines = [task.id, repr(stated), *(f"{name} {each.without} {each.partial}" for name, each in task.checks.shortcuts.items())]
    for split in SPLITS:
        for item in shared(task, split).around(_OF_STAGES if staged else n_in_all(task, _EACH)):
            answer = item.answer
            lines += [item.id, canonical_json(item.pictures), item.question.text_with_options, answer.canonical(), answer.balance_bin()]
            lines += [f"{item.chance} {item.attempts} {item.group} {canonical_json(task.sampling.layout(item.scene))}"]
            lines += [answer.random_answer(Rng("guess", item.id)), str(answer.score(answer.random_answer(Rng("guess", item.id))).credit)]
            lines += [f"{name} {sorted(each.rule(item.scene, item.question))}" for name, each in task.checks.shortcuts.items()]
            lines += [f"{name} {of(item.scene)}" for name, of in task.checks.factors.items()]
            lines += [task.checks.kind(item.scene) if task.checks.kind else ""]
            lines += [f"{name} {list(of(item.scene))}" for name, of in task.checks.features.items()]
    drawn = shared(task)
    lines += [str(drawn.look(item)) for item in drawn.around(len(task.levels) * (1 if staged else 2))]
    return _hash(*lines)[:24]


@cache
def standing(task: str) -> Standing:
    """How the conformance of a built-in task is to be tested."""
    from isovist.suites import registry

    held = stored().get(task)
    if held is None or FULL_RUN in os.environ or task in drawn_by_lot(commit()):
        return FULL
    if held.key == key(task):
        return VALID
    return EQUAL if held.checks == checks() and held.items == seen(registry.built_in_tasks()[task]) else FULL


@cache
def commit() -> str:
    """The hash of the checked-out commit; the version where there is no repository."""
    try:
        ran = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TESTS, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return version("isovist")
    return ran.stdout.strip() or version("isovist")


def drawn_by_lot(commit: str) -> frozenset[str]:
    """The thirtieth of the tasks that run in full at a commit."""
    tasks = sorted(stored(), key=lambda task: _hash(commit, task))
    return frozenset(tasks[: round(len(tasks) / _FRACTION)])


# ---- the file -----------------------------------------------------------------------------------------------------------


@cache
def stored() -> dict[str, Certificate]:
    """The certificates by task."""
    lines = PATH.read_text(encoding="utf-8").splitlines() if PATH.exists() else []
    return {held.task: held for held in (Certificate(**json.loads(line)) for line in lines)}


def write(certificates: Iterable[Certificate]) -> None:
    """Add certificates to the file, and leave out those of tasks that are gone."""
    from isovist.suites import registry

    by_task = stored() | {each.task: each for each in certificates}
    lines = [json.dumps(asdict(by_task[task])) for task in sorted(by_task) if task in registry.built_in_tasks()]
    PATH.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


# ---- certifying ---------------------------------------------------------------------------------------------------------


def certified(task: Task[Any], key: str) -> Certificate:
    """Run all checks of a task in full. Raises AssertionError for the first that fails."""
    for check in conformance.CHECKS:
        if check not in (conformance.nothing_leaks, conformance.no_shortcut_beats_chance):
            check(task)
    leaks, scores = conformance.leakage(task), conformance.shortcuts(task)
    conformance.no_leak_among(leaks)
    conformance.no_rule_above_chance_among(scores)
    audits = {f"{leak.features}, {leak.target}": (leak.n, round(leak.accuracy, 4), round(leak.limit, 4)) for leak in leaks}
    limited = [score for score in scores if not score.partial and not score.reason]
    if limited:
        closest = min(limited, key=lambda score: (score.limit - score.accuracy, score.rule, score.level))
        name = ", ".join(filter(None, (closest.rule, closest.level)))
        audits[name] = (closest.n, round(closest.accuracy, 4), round(closest.limit, 4))
    return Certificate(task.id, key, checks(), seen(task), audits)


def unknown(opened: Iterable[str], module: str, *, staged: bool) -> list[str]:
    """The modules, libraries and files that were read and that the key does not hold."""
    held = modules_of(module, staged=staged)
    found = [f"module {name}" for name in sys.modules if _within(name, ("isovist",)) and _path(name) and name not in held]
    distributions = packages_distributions()
    loaded = {name.partition(".")[0] for name in list(sys.modules)}
    found += [
        f"library {name}" for top in loaded for name in distributions.get(top, ()) if name.lower() not in (*LIBRARIES, *_BESIDE, "isovist")
    ]
    files, elsewhere = (
        set(map(str, data_files(staged=staged))),
        (*{sys.prefix, sys.base_prefix, *sys.path[1:]}, "/proc", "/sys", "/dev", "/etc", "/usr/share/zoneinfo"),
    )
    for name in opened:
        path = os.path.realpath(name)
        if path.endswith(".py") or "__pycache__" in path or path in files or path == str(PATH):
            continue
        if path.startswith(str(SRC)) or not path.startswith(tuple(map(os.path.realpath, elsewhere))):
            found.append(f"file {path}")
    return sorted(set(found))


def _certify(task: str, module: str, key: str, *, again: bool) -> None:
    """Certify a task in this process, and print the certificate as the last line."""
    opened: list[str] = []
    sys.addaudithook(
        lambda event, args: (
            opened.append(os.fsdecode(args[0])) if event == "open" and isinstance(args[0], str | bytes | os.PathLike) else None
        )
    )
    found = next(each for each in _tasks_in(import_module(module)) if each is not None and each.id == task)
    held = stored().get(task)
    if held and not again and held.checks == checks() and held.items == seen(found):
        certificate = Certificate(task, key, held.checks, held.items, held.audits)
    else:
        certificate = certified(found, key)
    if read := unknown(opened, module, staged=is_staged(found)):
        raise AssertionError(f"{task} reads what its key does not hold: {', '.join(read)}")
    print(json.dumps(asdict(certificate)))


def main(named: list[str]) -> int:
    from isovist.suites import registry

    tasks = named or [task for task in registry.built_in_tasks() if task not in stored() or stored()[task].key != key(task)]

    def certify(task: str) -> Certificate | None:
        command = [sys.executable, __file__, "--in-this-process", task, module_of(task), key(task), *(["--again"] if named else [])]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = (ran.stdout if ran.returncode == 0 else ran.stderr).strip().splitlines()
        if ran.returncode == 0:
            tests = [TESTS / "test_golden.py", *marked_tests().get(task, ())]
            command = [sys.executable, "-m", "pytest", "--full", "-p", "no:cacheprovider", *map(str, tests)]
            command += ["-m", f"certified(task={task!r}) or golden(task={task!r})"]
            ran = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
            lines += ran.stdout.strip().splitlines()[-1:] if ran.returncode else []
        print(f"{task}: {'certified' if ran.returncode == 0 else lines[-1]}", flush=True)
        return Certificate(**json.loads(lines[-1])) if ran.returncode == 0 else None

    for task in tasks:
        key(task)
    passed: list[Certificate] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for certificate in pool.map(certify, tasks):
            passed += [certificate] if certificate else []
            write(passed)
    return int(len(passed) < len(tasks))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-this-process"]:
        _certify(*sys.argv[2:5], again="--again" in sys.argv)
    else:
        sys.exit(main(sys.argv[1:]))
