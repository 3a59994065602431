"""`isovist meshes`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from isovist.cli.command_groups import SuggestingGroup


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Check meshes of your own for scenes: a folder of GLB or OBJ files with a manifest.

    \b
    Example: isovist meshes check my-meshes --out sheets
    """


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=None, help="Where the contact sheets go, as PNG files.")
def check(folder: Path, out: Path | None) -> None:
    """Check that the files are what the manifest says, and draw every mesh from its front, its side and its back.

    No program knows where a front is: look at the sheets. Exit code 1 if a file does not fit its entry.
    """
    from isovist.atomic_write import write_atomically
    from isovist.render import mesh_packs, mesh_sheet, meshes
    from isovist.render.image_encoding import png

    pack = mesh_packs.use_folder("checked", folder)
    wrong = [f"{entry.id}: {fault}" for entry in pack.entries.values() for fault in mesh_sheet.faults(pack, entry)]
    for line in wrong:
        click.echo(line)
    if out is not None:
        sheets = [png(sheet) for sheet in mesh_sheet.sheets(pack, "checked")]
        out.mkdir(parents=True, exist_ok=True)
        for number, sheet in enumerate(sheets):
            write_atomically(out / f"meshes-{number:02}.png", sheet)
        click.echo(f"{len(sheets)} contact sheets in {out}: is +Z the front of every mesh?")
    categories = {entry.category for entry in pack.entries.values()}
    click.echo(f"{len(pack.entries)} meshes of {len(categories)} categories, {len(wrong)} faults; content {meshes.digest(folder)[:12]}")
    if wrong:
        sys.exit(1)
