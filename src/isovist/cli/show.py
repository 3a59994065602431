"""`isovist show`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from isovist.cli.request import parts, style_option, which_items
from isovist.errors import BadInput


@click.command()
@click.argument("name", metavar="TASK|ID")
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which item of the task.")
@click.option("--png", "folder", type=click.Path(path_type=Path, file_okay=False), default=None, help="Write its pictures to this folder.")
@click.option("--json", "as_json", is_flag=True, help="One object for programs.")
@style_option()
@which_items(n=1)
def command(
    name: str, index: int, folder: Path | None, as_json: bool, style: str | None, n: int | None, seed: int, split: str, level: str | None,
    size: int | None, told: tuple[str, ...], sizes: str | None,
) -> None:  # fmt: skip
    r"""One item: by its task and index, or by its id.

    \b
    Example: isovist show cdr/relative-compass-letter --index 3 --png out
             isovist show 'cdr/relative-compass-letter@1:test:standard:0:3'
    """
    from isovist import items, prompts
    from isovist.dataset.manifest import write_atomically
    from isovist.dataset.rows import row

    style = style or prompts.DEFAULT_STYLE
    if "@" in name:
        try:
            item = items.item(name)
        except BadInput:
            raise
        except ValueError as error:
            raise BadInput(f"{error}.") from None
    else:
        (part, *others) = parts(
            [name], default=index + 1, n=n, seed=seed, split=split, level=level, size=size, told=told, sizes=sizes, style=style
        )
        if others:
            raise BadInput(f"{name}: names {len(others) + 1} tasks; give one.")
        item = items.make(part.items().task, part.items().address(index))
    found = row(item, style)
    saved: list[str] = []
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for i, image in enumerate(found.images):
            path = folder / f"{item.task.replace('/', '-')}-{item.index}{f'-{i}' if len(found.images) > 1 else ''}.png"
            write_atomically(path, image)
            saved.append(str(path))
    if as_json:
        click.echo(
            json.dumps(
                {**found.told, "id": found.id, "prompt": found.prompt, "answer": found.answer, "images": saved},
                ensure_ascii=False,
                indent=1,
            )
        )
        return
    click.echo(f"id      {found.id}\ngroup   {found.group}\nkey     {found.answer} ({item.answer.bin()})\nchance  {found.chance:.1%}")
    for path in saved:
        click.echo(f"image   {path}")
    click.echo(f"\n{found.prompt}")
    if item.reasoning:
        click.echo(f"\nReasoning:\n{item.reasoning}")
