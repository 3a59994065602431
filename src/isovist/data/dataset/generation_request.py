"""Conversion of a generation request to dataset parts."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.common.errors import UserError
from isovist.data.dataset.manifest import DataPart
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


def require_published_prompts(tasks: Iterable[str]) -> None:
    """Raises UserError for the first task without a published prompt."""
    for task in tasks:
        try:
            published_prompt(task)
        except NoPublishedPrompt as error:
            raise UserError(f"{error}.") from None
