"""`isovist show`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from isovist.cli.completion import one_task
from isovist.cli.item_options import Count, parts, style_option, which_items
from isovist.errors import UserError


@click.command()
@click.argument("name", metavar="TASK|ID|FILE.py", shell_complete=one_task)
@click.option("--index", type=Count(min=0), default=0, show_default=True, help="Which item of the task.")
@click.option(
    "--image-dir", "folder", type=click.Path(path_type=Path, file_okay=False), default=None, help="Write its pictures to this folder."
)
@click.option("--json", "as_json", is_flag=True, help="One object for programs.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), default=None, metavar="DIR",
    help="Take it from this data folder; items that were imported, written or painted are only there.",
)  # fmt: skip
@style_option()
@which_items(n=1)
def command(
    name: str, index: int, folder: Path | None, as_json: bool, data: Path | None, style: str | None, n: int | None, seed: int, split: str,
    level: str | None, size: int | None, task_options: tuple[str, ...], sizes: str | None,
) -> None:  # fmt: skip
    r"""Show one item, by its task and index or by its id: pictures, prompt and key. A Python file that defines a task does as well.

    \b
    Example: isovist show cdr/relative-compass-letter --index 3 --image-dir out
             isovist show 'cdr/relative-compass-letter@1:test:standard:0:3'
             isovist show my_task.py --index 3
             isovist show dori-photos/view-parallelism --data data/kitti --index 3 --image-dir out
    """
    from isovist import items, prompts
    from isovist.atomic_write import write_atomically
    from isovist.dataset.load import stored
    from isovist.dataset.rows import item_to_row
    from isovist.render.image_encoding import media_type

    if data is not None:
        if any(given is not None for given in (n, level, size, sizes)) or seed or task_options:
            raise UserError("--data: shows items as they are stored; only --index, --split and --prompt-style choose among them.")
        row = stored(data, name, index, split)
        prompt = row.prompt_in_style(style)
    else:
        style = style or prompts.DEFAULT_STYLE
        if "@" in name:
            if name.partition("@")[2].startswith("0:"):
                raise UserError(f"{name}: an item of version 0 is in its data folder alone; name that folder with --data.")
            try:
                item = items.item(name)
            except UserError:
                raise
            except ValueError as error:
                raise UserError(f"{error}.") from None
        else:
            (part, *others) = parts(
                [name],
                default=index + 1,
                n=n,
                seed=seed,
                split=split,
                level=level,
                size=size,
                settings=task_options,
                sizes=sizes,
                style=style,
            )
            if others:
                raise UserError(f"{name}: names {len(others) + 1} tasks; give one.")
            item = items.make_item(part.items().task, part.items().address(index))
        row = item_to_row(item, style)
        prompt = row.prompt
    saved: list[str] = []
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for i, image in enumerate(row.images):
            suffix = "jpg" if media_type(image) == "image/jpeg" else "png"
            path = folder / f"{row.task.replace('/', '-')}-{row.index}{f'-{i}' if len(row.images) > 1 else ''}.{suffix}"
            write_atomically(path, image)
            saved.append(str(path))
    if as_json:
        click.echo(
            json.dumps(
                {**json.loads(row.metadata_json), "id": row.id, "prompt": prompt, "answer": row.answer, "images": saved},
                ensure_ascii=False,
                indent=1,
            )
        )
        return
    click.echo(f"id      {row.id}\ngroup   {row.group}\nkey     {row.answer} ({row.key.balance_bin()})\nchance  {row.chance:.1%}")
    for path in saved:
        click.echo(f"image   {path}")
    click.echo(f"\n{prompt}")
    if reasoning := row.metadata.reasoning:
        click.echo(f"\nReasoning:\n{reasoning}")
