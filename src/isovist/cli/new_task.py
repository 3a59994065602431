"""`isovist new-task`."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path

import click

from isovist.errors import BadInput


@click.command("new-task")
@click.argument("name", metavar="SUITE/TASK")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Where to write it [default: here]."
)
def command(name: str, folder: Path) -> None:
    r"""Start a task of your own: a file that works, to be changed step by step, and the test that tests it.

    In Isovist itself the file belongs into src/isovist/suites/SUITE; in a package of your own, name it in the entry point
    group "isovist.tasks".

    \b
    Example: isovist new-task mysuite/nearest-dot --dir src/mypackage
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise BadInput(f"{name}: a task is called suite/task in kebab case, such as mysuite/nearest-dot.")
    from isovist.dataset.manifest import write_atomically

    module = name.partition("/")[2].replace("-", "_")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module == "isovist":
        raise BadInput(f"{name}: Python has a {module!r} of its own; call the task something else.")
    written = {folder / f"{module}.py": "task.py.txt", folder / f"test_{module}.py": "test_task.py.txt"}
    for path in written:
        if path.exists():
            raise BadInput(f"{path}: is there already; nothing has been written.")
    folder.mkdir(parents=True, exist_ok=True)
    init = folder / "__init__.py"
    if not init.exists() and (folder.resolve().parent / "__init__.py").exists():
        init.write_text("", encoding="utf-8")  # a new suite inside a package
        click.echo(str(init))
    for path, template in written.items():
        text = files("isovist.cli").joinpath("templates", template).read_text(encoding="utf-8")
        write_atomically(path, text.replace("SUITE/TASK", name).replace("MODULE", module))
        click.echo(str(path))
    click.echo(f"test it with: python -m pytest {folder / f'test_{module}.py'}")
    click.echo(f'let Isovist find it, in pyproject.toml:\n  [project.entry-points."isovist.tasks"]\n  {module} = "yourpackage.{module}"')
