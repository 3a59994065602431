"""`isovist new-task`."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from collections.abc import Collection
from importlib.metadata import packages_distributions
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import click

from isovist.common.errors import UserError

_OUTSIDE = "from MODULE import TASK\n\nfrom isovist.audit.testing import conformance\nfrom isovist.suites import registry\n"
_INSIDE = "\nfrom isovist.audit.testing import conformance\nfrom isovist.suites import registry\n\nfrom .MODULE import TASK\n"


@click.command("new-task")
@click.argument("name", metavar="SUITE/TASK")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the new files [default: current folder].",
)
def command(name: str, folder: Path) -> None:
    r"""Create a task and its test from a working template.

    In Isovist itself, the file belongs in src/isovist/suites/SUITE. In another package, add it to the entry point group
    "isovist.tasks".

    \b
    Example: isovist new-task mysuite/nearest-dot --dir src/mypackage
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise UserError(f"Invalid task name: {name}. Use suite/task in kebab case, such as mysuite/nearest-dot.")
    from isovist.common.atomic_write import write_atomically
    from isovist.suites import registry

    if registry.find(name):
        raise UserError(f"Task already exists: {name}. Choose another name.")
    module = name.partition("/")[2].replace("-", "_")
    templates = {folder / f"{module}.py": "task.py.txt", folder / f"test_{module}.py": "test_task.py.txt"}
    for path in templates:
        if path.exists():
            raise UserError(f"File already exists: {path}. Choose another name or --dir. Nothing was written.")
    inits = _inits(folder.resolve())
    package = _package(folder.resolve(), inits)
    inside = bool(package) and package[-1].isidentifier()  # pytest imports from packages with such names alone
    _check_importable(name, module, inside=inside)
    folder.mkdir(parents=True, exist_ok=True)
    for init in inits:
        write_atomically(init, "")
        click.echo(str(folder / "__init__.py" if init.parent == folder.resolve() else init))
    for path, template in templates.items():
        text = files("isovist.cli").joinpath("templates", template).read_text(encoding="utf-8")
        if inside:  # relative imports are sorted last
            text = text.replace(_OUTSIDE, _INSIDE)
        write_atomically(path, text.replace("SUITE/TASK", name).replace("MODULE", module))
        click.echo(str(path))
    mode = [] if inside else ["--import-mode=prepend"]  # lets the test import its task under any pytest settings
    click.echo(f"Next: {shlex.join([_python(), '-m', 'pytest', *mode, str(folder / f'test_{module}.py')])}")
    if find_spec("pytest") is None:
        click.echo(f"Install pytest first: {shlex.join([_python(), '-m', 'pip', 'install', 'pytest'])}")
    dotted_name = ".".join((*package, module))
    import_path = dotted_name if package and all(map(str.isidentifier, package)) else f"yourpackage.{module}"
    if dotted_name.startswith("isovist.suites."):
        click.echo(f"The task is registered: isovist show {name}")
    else:
        click.echo(f'Register the task in pyproject.toml:\n  [project.entry-points."{registry.ENTRY_POINT}"]\n  {module} = "{import_path}"')


def _inits(folder: Path) -> list[Path]:
    """The missing `__init__.py` files that make a folder part of the package around it; none outside a package."""
    missing: list[Path] = []
    while not (folder / "__init__.py").exists():
        missing.insert(0, folder / "__init__.py")
        if folder == folder.parent or (folder.exists() and not (folder.parent / "__init__.py").exists()):
            return []
        folder = folder.parent
    return missing


def _package(folder: Path, inits: Collection[Path]) -> tuple[str, ...]:
    """The dotted name of a folder's package, in parts; empty outside a package."""
    names: list[str] = []
    while folder / "__init__.py" in inits or (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return tuple(names)


def _check_importable(name: str, module: str, *, inside: bool) -> None:
    """Raises UserError for a module name that another module hides."""
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module == "isovist":
        raise UserError(f"Module name is taken by Python: {name}. Choose another task name.")
    if not inside and module in packages_distributions():
        raise UserError(f"Module name is taken by an installed package: {name}. Choose another task name.")


def _python() -> str:
    """The path of this interpreter for a shell: the PATH may name another one."""
    python = Path(sys.executable)
    return str(python.relative_to(Path.cwd())) if python.is_relative_to(Path.cwd()) else str(python)
