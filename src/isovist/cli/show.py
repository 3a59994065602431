"""`isovist show`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.completion import one_task
from isovist.cli.generation_options import parts
from isovist.cli.options import Count, option, options, values
from isovist.common.errors import UserError
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RunSpec
from isovist.world.rendering_names import RENDERINGS

if TYPE_CHECKING:
    from isovist.data.dataset.rows import ItemRow


@click.command()
@click.argument("name", metavar="TASK|ID|FILE.py", shell_complete=one_task)
@click.option("--index", type=Count(min=0), default=0, show_default=True, help="Index of the item.")
@click.option(
    "--image-dir", "folder", type=click.Path(path_type=Path, file_okay=False), default=None, help="Write the images to this folder."
)
@click.option("--rendering", type=click.Choice(RENDERINGS), default=None, help="With --image-dir: write another rendering of the images.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), default=None, metavar="DIR",
    help="Read the item from this dataset folder (required for imported items).",
)  # fmt: skip
@option(RunSpec, "prompt_style")
@options(ItemOptions, n={"help": "Items of each task [default: 1]."})
@click.pass_context
def command(
    ctx: click.Context, name: str, index: int, folder: Path | None, rendering: str | None, as_json: bool, data: Path | None,
    prompt_style: str | None, **_: object,
) -> None:  # fmt: skip
    r"""Show one item, given its task and index, its id, or a Python file that defines a task: images, prompt and key.

    \b
    Example: isovist show cdr/relative-compass-letter --index 3 --image-dir out
             isovist show 'cdr/relative-compass-letter@2:test:standard:0:3'
             isovist show my_task.py --index 3
             isovist show dori/view-parallelism --rendering sketch --image-dir out
             isovist show dori-photos/view-parallelism --data data/kitti --index 3 --image-dir out
    """
    from isovist.data import prompts
    from isovist.data.dataset.load import stored
    from isovist.data.dataset.rows import item_to_row
    from isovist.data.item import item as regenerate
    from isovist.data.item import make_item

    if rendering and not folder:
        raise UserError("Option without --image-dir: --rendering. Name a folder for the images.")
    given = values(ctx, ItemOptions)
    style = prompt_style
    if data is not None:
        if any(value for name, value in given.items() if name != "split"):
            raise UserError("Option without effect on stored items. With --data, use only --index, --split and --prompt-style.")
        row = stored(data, name, index, given.get("split", "test"))
        prompt = row.prompt_in_style(style)
    else:
        style = style or prompts.DEFAULT_STYLE
        if "@" in name:
            if name.partition("@")[2].startswith("0:"):
                raise UserError(f"Item of version 0, which cannot be regenerated: {name}. Name its dataset folder with --data.")
            try:
                item = regenerate(name)
            except UserError:
                raise
            except ValueError as error:
                raise UserError(f"{error}.") from None
        else:
            if index >= given.get("n", index + 1):
                raise UserError(f"No item at --index {index} of {given['n']} items. Give an index from 0 to {given['n'] - 1}.")
            part, *others = parts([name], ItemOptions(**given), default=index + 1, style=style)
            if others:
                raise UserError(f"Pattern matches {len(others) + 1} tasks: {name}. Name one task.")
            item = make_item(part.items().task, part.items().address(index))
        row = item_to_row(item, style)
        prompt = row.prompt
    saved = _write_images(_in_rendering(row, rendering) if rendering else row, folder, rendering or "") if folder else []
    if as_json:
        content = {**json.loads(row.metadata_json), "id": row.id, "prompt": prompt, "answer": row.answer, "images": saved}
        click.echo(json.dumps(content, ensure_ascii=False, indent=1))
        return
    click.echo(f"id      {row.id}\ngroup   {row.group}\nkey     {row.answer} ({row.key.balance_bin()})\nchance  {row.chance:.1%}")
    for path in saved:
        click.echo(f"image   {path}")
    if style == prompts.PUBLISHED and not row.metadata.published_prompt:
        published = prompts.published_prompt(row.task)
        click.echo(f"format  {published.source}. {published.differences}")
    click.echo(f"\n{prompt}")
    if reasoning := row.metadata.reasoning:
        click.echo(f"\nReasoning:\n{reasoning}")


def _in_rendering(row: ItemRow, rendering: str) -> ItemRow:
    """The row with its images in another rendering. Raises UserError if it has none."""
    from isovist.evaluation.run.renderings import excluded, of_task, rendered

    possible = [name for name in of_task(row.task) if name not in excluded(row)]
    if rendering not in possible:
        raise UserError(f"Item has no rendering {rendering}: {row.id}. Choose from {', '.join(possible)}.")
    return replace(row, images=rendered(row, rendering))


def _write_images(row: ItemRow, folder: Path, rendering: str) -> list[str]:
    """Write the images of an item; returns their paths."""
    from isovist.common.atomic_write import write_atomically
    from isovist.world.render.image_encoding import media_type

    folder.mkdir(parents=True, exist_ok=True)
    stem = "-".join(filter(None, (row.task.replace("/", "-"), str(row.index), rendering)))
    paths: list[Path] = []
    for number, image in enumerate(row.images):
        suffix = "jpg" if media_type(image) == "image/jpeg" else "png"
        paths.append(folder / f"{stem}{f'-{number}' if len(row.images) > 1 else ''}.{suffix}")
        write_atomically(paths[-1], image)
    return list(map(str, paths))
