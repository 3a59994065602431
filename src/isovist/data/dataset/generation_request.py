"""Conversion of a generation request to dataset parts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.regular_files import read_regular
from isovist.data.dataset.manifest import DataPart
from isovist.data.item import item
from isovist.data.item_options import ItemOptions
from isovist.data.prompts import DEFAULT_STYLE, PUBLISHED, STYLES, NoPublishedPrompt, published_prompt
from isovist.suites import registry
from isovist.world.render import RASTER, full


def requested(
    tasks: Iterable[str], items: ItemOptions, *, default: int, style: str = DEFAULT_STYLE, renderer: str = RASTER
) -> tuple[list[DataPart], list[str]]:
    """The parts for all tasks that match ids or glob patterns, and the tasks skipped because their paper has no such split.

    `default` is the number of items of a task without `items.n`. With a preset, the published counts, levels and settings are the
    defaults. Raises UserError for an unknown task, setting or prompt style, and if no part remains.
    """
    if style not in STYLES:
        raise UserError(f"Unknown prompt style: {style}. Choose one of {', '.join(STYLES)}.")
    chosen = registry.matching(list(tasks))
    split = items.split or "test"
    skipped = [task.id for task in chosen if items.preset is not None and split not in task.paper.sizes]
    chosen = [task for task in chosen if task.id not in skipped]
    require_published_prompts([task.id for task in chosen] if style == PUBLISHED else [])
    task_settings = registry.require_setting_support(chosen, items.settings())
    parts: list[DataPart] = []
    for task, given in zip(chosen, task_settings, strict=True):
        count, levels, part_settings = (default if items.n is None else items.n), items.level, given
        if items.preset is not None:
            preset = task.paper.sizes[split]
            count, part_settings = (preset.n if items.n is None else items.n), {**preset.settings, **given}
            levels = items.level if items.level is not None else ",".join(preset.levels) or None
        package = registry.package_of(task.id)
        part = DataPart(task.id, task.version, split, count, items.seed, levels, part_settings, style, full(renderer), package=package)
        try:
            part.items()
        except ValueError as error:
            raise UserError(f"{error}.") from None
        parts.append(part)
    if not parts:
        raise UserError(f"The paper has no {split} split: {', '.join(skipped)}. Give the number of items instead of the published sizes.")
    return parts, skipped


def listed(path: Path, style: str = DEFAULT_STYLE) -> list[DataPart]:
    """The parts for the items of a file of ids, one a line; each part has its ids in the order of the file.

    Every item is made. Raises UserError for an unreadable file and one without ids, and with the number of the line for an id that is given
    twice or has no item.
    """
    try:
        lines = read_regular(path).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"Unreadable file of ids ({error}): {path}. Give a text file with one item id a line.") from None
    ids: dict[tuple[str, str], dict[str, None]] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            made = item(text.strip())
        except (ValueError, UserError, RuntimeError) as error:
            raise UserError(f"Invalid id in line {number} of {path} ({str(error)[:300]}). Correct the line.") from None
        of_part = ids.setdefault((made.task.id, made.address.split), {})
        if made.id in of_part:
            raise UserError(f"Repeated id in line {number} of {path}: {made.id}. Give each item once.")
        of_part[made.id] = None
    if not ids:
        raise UserError(f"No item ids: {path}. Write one item id a line.")
    require_published_prompts([task for task, _ in ids] if style == PUBLISHED else [])
    return [
        DataPart(task, registry.task(task).version, split, len(those), style=style, ids=tuple(those), package=registry.package_of(task))
        for (task, split), those in ids.items()
    ]


def require_published_prompts(tasks: Iterable[str]) -> None:
    """Raises UserError for the first task without a published prompt."""
    for task in tasks:
        try:
            published_prompt(task)
        except NoPublishedPrompt as error:
            raise UserError(f"{error}.") from None
