"""`isovist meshes`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from isovist.cli import SuggestingGroup
from isovist.reporting.analysis.text_format import pluralize


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Check custom meshes for 3-D scenes: a folder of GLB or OBJ files with a manifest.

    \b
    Example: isovist meshes check my-meshes --out sheets
    """


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=None, help="Folder for contact sheets (PNG).")
def check(folder: Path, out: Path | None) -> None:
    """Check that every mesh matches its manifest entry, and draw it from the front, the side and the back.

    The front of a mesh cannot be checked automatically: inspect the contact sheets. Exit code 1 if a file does not match its entry.
    """
    from isovist.common.atomic_write import write_atomically
    from isovist.world.render import mesh_packs, mesh_sheet, meshes
    from isovist.world.render.image_encoding import png

    pack = mesh_packs.use_folder("checked", folder)
    faults = [f"{entry.id}: {fault}" for entry in pack.entries.values() for fault in mesh_sheet.faults(pack, entry)]
    for fault in faults:
        click.echo(fault)
    if out is not None:
        sheets = [png(sheet) for sheet in mesh_sheet.sheets(pack, "checked")]
        out.mkdir(parents=True, exist_ok=True)
        for number, sheet in enumerate(sheets):
            write_atomically(out / f"meshes-{number:02}.png", sheet)
        click.echo(f"{len(sheets)} contact sheets in {out}. Check that +Z is the front of every mesh.")
    categories = {entry.category for entry in pack.entries.values()}
    size = f"{pluralize(len(pack.entries), 'mesh', 'meshes')} of {pluralize(len(categories), 'category', 'categories')}"
    click.echo(f"{size}, {pluralize(len(faults), 'error')}, content hash {meshes.digest(folder)[:12]}")
    if faults:
        sys.exit(1)
