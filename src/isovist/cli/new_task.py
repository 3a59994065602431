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

from isovist.errors import UserError

_OUTSIDE = "from MODULE import TASK\n\nfrom isovist import registry\nfrom isovist.testing import conformance\n"
_INSIDE = "\nfrom isovist import registry\nfrom isovist.testing import conformance\n\nfrom .MODULE import TASK\n"


@click.command("new-task")
@click.argument("name", metavar="SUITE/TASK")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Where to write it [default: here]."
)
def command(name: str, folder: Path) -> None:
    r"""Create a task of your own: a file that works, to be changed step by step, and its test.

    In Isovist itself the file belongs into src/isovist/suites/SUITE; in a package of your own, name it in the entry point
    group "isovist.tasks".

    \b
    Example: isovist new-task mysuite/nearest-dot --dir src/mypackage
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise UserError(f"{name}: a task is called suite/task in kebab case, such as mysuite/nearest-dot.")
    from isovist import registry
    from isovist.atomic_write import write_atomically

    if name in registry.tasks():
        raise UserError(f"{name}: a task has this name already; choose another one, or start from `isovist show {name}`.")
    module = name.partition("/")[2].replace("-", "_")
    written = {folder / f"{module}.py": "task.py.txt", folder / f"test_{module}.py": "test_task.py.txt"}
    for path in written:
        if path.exists():
            raise UserError(f"{path}: is there already; nothing has been written.")
    inits = _inits(folder.resolve())
    package = _package(folder.resolve(), inits)
    inside = bool(package) and package[-1].isidentifier()  # pytest takes another folder for none of a package
    _importable(name, module, inside=inside)
    folder.mkdir(parents=True, exist_ok=True)
    for init in inits:
        write_atomically(init, "")
        click.echo(str(folder / "__init__.py" if init.parent == folder.resolve() else init))
    for path, template in written.items():
        text = files("isovist.cli").joinpath("templates", template).read_text(encoding="utf-8")
        if inside:  # imports of a package's own come last
            text = text.replace(_OUTSIDE, _INSIDE)
        write_atomically(path, text.replace("SUITE/TASK", name).replace("MODULE", module))
        click.echo(str(path))
    mode = [] if inside else ["--import-mode=prepend"]  # the task is beside its test, whatever the folder's settings of pytest are
    click.echo(f"test it with: {shlex.join([_python(), '-m', 'pytest', *mode, str(folder / f'test_{module}.py')])}")
    if find_spec("pytest") is None:
        click.echo(f"which needs pytest: {shlex.join([_python(), '-m', 'pip', 'install', 'pytest'])}")
    place = ".".join((*package, module))
    written_as = place if package and all(map(str.isidentifier, package)) else f"yourpackage.{module}"
    if place.startswith("isovist.suites."):
        click.echo(f"Isovist finds it there: isovist show {name}")
    else:
        click.echo(
            f'let Isovist find it, in pyproject.toml:\n  [project.entry-points."{registry.ENTRY_POINT}"]\n  {module} = "{written_as}"'
        )


def _inits(folder: Path) -> list[Path]:
    """The files that make a folder part of the package in which it stands, or will stand; none outside of packages."""
    missing: list[Path] = []
    while not (folder / "__init__.py").exists():
        missing.insert(0, folder / "__init__.py")
        if folder == folder.parent or (folder.exists() and not (folder.parent / "__init__.py").exists()):
            return []
        folder = folder.parent
    return missing


def _package(folder: Path, inits: Collection[Path]) -> tuple[str, ...]:
    """The names of the package that a folder is; empty outside of packages."""
    names: list[str] = []
    while folder / "__init__.py" in inits or (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return tuple(names)


def _importable(name: str, module: str, *, inside: bool) -> None:
    """Raises UserError for a module that no test could import: another one has its name."""
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module == "isovist":
        raise UserError(f"{name}: Python has a {module!r} of its own; call the task something else.")
    if not inside and module in packages_distributions():
        raise UserError(f"{name}: a package called {module!r} is installed; call the task something else.")


def _python() -> str:
    """The path of this interpreter as a shell can call it: the first one on the PATH may be another."""
    python = Path(sys.executable)
    return str(python.relative_to(Path.cwd())) if python.is_relative_to(Path.cwd()) else str(python)
