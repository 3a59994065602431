"""`isovist audit`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isovist.cli import echo
from isovist.cli.completion import tasks as task_names
from isovist.cli.generation_options import shard_option
from isovist.cli.options import Count, option
from isovist.common.errors import UserError, require_extra
from isovist.common.progress import each
from isovist.data.item_options import ItemOptions

if TYPE_CHECKING:
    from isovist.audit.shortcuts import Measured
    from isovist.common.shards import Shard
    from isovist.core.task import Task

_PICTURES = 40  # items of each task with --pictures
_LEGIBILITY = 100  # items of each task with --legibility
_MAX_PRINTED = 10  # incorrect keys or illegible objects of a task that are listed


@click.command()
@click.argument("tasks", nargs=-1, required=True, shell_complete=task_names)
@option(ItemOptions, "n", help="Items of each task, over all levels [default: 320; with --shortcuts 320 per level].", least=40)
@click.option(
    "--check-keys",
    "keys",
    type=Count(min=1),
    default=None,
    metavar="N",
    help="Instead, derive the keys of N items of each task a second time.",
)
@click.option(
    "--shortcuts", is_flag=True, help="Instead, test rules that do not use the skill, trained on train items and tested on test items."
)
@click.option("--attack", is_flag=True, help="Like --shortcuts, with four times the items and all pairs of rules.")
@click.option(
    "--pictures", is_flag=True, help="Instead, print statistics of natural images for the images of N items (docs/photographs.md)."
)
@click.option(
    "--legibility",
    is_flag=True,
    help="Instead, measure in the images how visible the objects in question are: pixels, contrast, change with the heading.",
)
@click.option(
    "--photos",
    type=click.Path(path_type=Path),
    default=None,
    metavar="DIR",
    help="With --pictures: compare with the photographs in this folder.",
)
@shard_option("With --check-keys: check only the items of shard I of N, from 0.")
@option(ItemOptions, "seed")
@echo.json_option
def command(
    tasks: tuple[str, ...],
    n: int | None,
    keys: int | None,
    shortcuts: bool,
    attack: bool,
    pictures: bool,
    legibility: bool,
    photos: Path | None,
    shard: Shard | None,
    seed: int,
    as_json: bool,
) -> None:
    r"""Test tasks for answer leakage: a random forest on the question text and one on low-level image features (ink, blobs, colours,
    file size) must not exceed chance. --check-keys derives every key a second time from the drawn shapes and the text; --shortcuts
    tests simple rules against chance (docs/validity.md). Exit code 1 if a test fails.

    \b
    Example: isovist audit 'cdr/*'
             isovist audit srbench/paper-folding --check-keys 100000
             isovist audit srbench/paper-folding --shortcuts
             isovist audit 'dori/*' --pictures --photos photos
             isovist audit 'dori/*' --legibility
    """
    from isovist.data.items import Items
    from isovist.suites import registry
    from isovist.world import render

    if keys is not None and (shortcuts or attack):
        raise UserError("Conflicting options: --check-keys with --shortcuts or --attack. Use one of them.")
    if shard and keys is None:
        raise UserError("Option without effect: --shard (the other tests need all items). Use it with --check-keys.")
    if pictures and (keys is not None or shortcuts or attack):
        raise UserError("Conflicting options: --pictures with --check-keys, --shortcuts or --attack. Use one of them.")
    if legibility and (keys is not None or shortcuts or attack or pictures):
        raise UserError("Conflicting options: --legibility with --check-keys, --shortcuts, --attack or --pictures. Use one of them.")
    if photos and not pictures:
        raise UserError("Option without effect: --photos. Use it with --pictures.")
    selected = registry.matching(tasks)
    if keys is None and not pictures and not legibility:
        require_extra("audit", "an audit", "sklearn")
    if keys is None:  # keys are derived from the images as data
        for task in selected:
            render.check(task.id, Items(task, 1, seed)[0].pictures)
    if keys is not None:
        checks, noun = _check_keys(selected, keys, seed, shard), "incorrect keys"
    elif pictures:
        checks, noun = _pictures(selected, n or _PICTURES, seed, photos), "errors"
    elif legibility:
        checks, noun = _legibility(selected, n or _LEGIBILITY, seed), "illegible objects"
    elif shortcuts or attack:
        checks, noun = _shortcuts(selected, n, seed, attack=attack), "shortcuts"
    else:
        checks, noun = _leaks(selected, n, seed), "leaks"
    failed, records = 0, list[Mapping[str, object]]()
    for check in checks:
        for line in check.lines:
            click.echo(line, err=as_json)
        failed += check.n_failed
        records += check.records
    if as_json:
        echo.as_json(records)
    if failed:
        click.echo(f"{failed} {noun}", err=as_json)
        sys.exit(1)


@dataclass(frozen=True, slots=True)
class _Check:
    """What a check of a task printed, how many of its tests failed, and its results as JSON objects."""

    lines: Sequence[str]
    n_failed: int
    records: Sequence[Mapping[str, object]]


def _leaks(tasks: Sequence[Task[Any]], n: int | None, seed: int) -> Iterator[_Check]:
    from isovist.audit.answer_leakage import ITEMS, audit

    for task in each(tasks, len(tasks), "task"):
        for finding in audit(task, n or ITEMS, seed):
            verdict = "LEAKS" if not finding.passed else f"excused: {finding.reason}" if finding.leaks else "ok"
            figures = f"{finding.accuracy:6.1%} of {finding.target}s (floor {finding.baseline:.1%}, limit {finding.limit:.1%})"
            line = f"{task.id}: {finding.features:<6} {figures}  {verdict}"
            yield _Check([line], not finding.passed, [asdict(finding) | {"passed": finding.passed}])


def _shortcuts(tasks: Sequence[Task[Any]], n: int | None, seed: int, *, attack: bool) -> Iterator[_Check]:
    """The best shortcut and the best partial rule of each level, every other rule above its limit, and values of factors without an answer."""
    from isovist.audit.factor_gaps import gaps
    from isovist.audit.shortcuts import ITEMS, audit, best, count, uncovered
    from isovist.data.items import Items

    for task in each(tasks, len(tasks), "task"):
        number = n or count(task, 4 * ITEMS if attack else ITEMS)
        scores = audit(task, number, seed, attack=attack)
        missing = gaps(task, Items(task, number, seed))
        shown: list[Measured] = []
        for level in dict.fromkeys(score.level for score in scores):
            shown += [rule for rule in (best(scores, level), best(scores, level, partial=True)) if rule]
            shown += sorted((score for score in scores if score.level == level and not score.passed), key=lambda score: -score.accuracy)
        records = [asdict(score) | {"limit": score.limit, "passed": score.passed} for score in scores]
        records += [{"task": task.id, "gap": line} for line in missing]
        lines = [
            *map(_line, dict.fromkeys(shown)),
            *missing,
            *(f"{where}: not covered by its own rules" for where in uncovered(task, scores)),
        ]
        yield _Check(lines, sum(not score.passed for score in scores) + len(missing), records)


def _line(score: Measured) -> str:
    passed = "partial" if score.partial else "ok"
    verdict = "SHORTCUT" if not score.passed else f"excused: {score.reason}" if score.beats_chance and score.reason else passed
    where = score.where if score.level else f"{score.task}, all levels"
    return f"{where}: {score.accuracy:6.1%} of {score.n} by {score.rule!r} (chance {score.chance:.1%}, limit {score.limit:.1%})  {verdict}"


def _check_keys(tasks: Sequence[Task[Any]], n: int, seed: int, shard: Shard | None) -> Iterator[_Check]:
    from isovist.audit.answer_key_check import faults

    count = n if shard is None else len(shard.of(range(n)))
    for task in tasks:
        incorrect = [fault for fault in each(faults(task, n, seed, shard), count, desc=task.id) if fault]
        lines = [*incorrect[:_MAX_PRINTED], f"{task.id}: {count} keys checked, {len(incorrect)} incorrect"]
        yield _Check(lines, len(incorrect), [{"task": task.id, "keys": count, "incorrect": incorrect}])


def _pictures(tasks: Sequence[Task[Any]], n: int, seed: int, photos: Path | None) -> Iterator[_Check]:
    """Statistics of the images of each task, then those of the photographs at the size of the last task's images."""
    from isovist.audit.image_statistics import PUBLISHED, ImageStatistics, measure, spreads
    from isovist.data.importers.image_loader import photo_files
    from isovist.data.items import Items

    heading = [f"published {name.replace('_', ' ')}: {text}" for name, text in PUBLISHED.items()]
    files = photo_files(photos) if photos and photos.is_dir() else []
    if photos and not files:
        raise UserError(f"No photographs: {photos}. Give a folder with JPEG, PNG or WebP files.")
    of_photos: dict[int, Mapping[str, Any]] = {}  # by the side of the images
    for task in each(tasks, len(tasks), "task"):
        levels = task.levels
        items = [Items(task, 1 + (n - 1 - i) // len(levels), seed, level=level) for i, level in enumerate(levels[:n])]
        images = [pixels for of_level in items for item in of_level for pixels in item.pixels()]
        side = min(min(image.shape[:2]) for image in images)
        of_items = spreads([measure(image) for image in images])
        if files and side not in of_photos:
            of_photos[side] = spreads([measure(image) for image in _photographs(files, side)])
        lines = [f"{task.id}: {len(images)} images of {side} pixels"]
        record: dict[str, object] = {"task": task.id, "images": len(images), "side": side}
        for name in ImageStatistics.__slots__:
            spread = of_items[name]
            line = f"  {name.replace('_', ' '):<18} {spread.mean:7.2f}" + (f" (SD {spread.deviation:.2f})" if spread.deviation else "")
            record[name] = asdict(spread)
            if side in of_photos:
                other = of_photos[side][name]
                distance = spread.distance(other)
                line += f"; photographs {other.mean:.2f}" + (f" (SD {other.deviation:.2f})" if other.deviation else "")
                line += f", {distance:+.1f} SD" if distance is not None else ""
                record[f"{name}_of_photos"] = asdict(other)
            lines.append(line)
        yield _Check([*heading, *lines], 0, [record])
        heading = []


def _legibility(tasks: Sequence[Task[Any]], n: int, seed: int) -> Iterator[_Check]:
    """Percentiles of three measures of the objects in question, and the objects below a margin."""
    from isovist.audit.legibility import LEAST_CHANGE, LEAST_CONTRAST, LEAST_PIXELS, measured, percentiles
    from isovist.data.items import Items

    margins = {"pixels": LEAST_PIXELS, "contrast": LEAST_CONTRAST, "change": LEAST_CHANGE}
    for task in tasks:
        levels = task.levels
        items = [item for i, level in enumerate(levels[:n]) for item in Items(task, 1 + (n - 1 - i) // len(levels), seed, level=level)]
        objects = [one for item in each(items, len(items), desc=task.id) for one in measured(item)]
        if not objects:
            yield _Check([f"{task.id}: no image with an object in question"], 0, [{"task": task.id, "objects": 0}])
            continue
        faults = [one for one in objects if one.faults]
        lines = [f"{task.id}: {len(objects)} objects in {len(items)} items, {len(faults)} illegible"]
        record: dict[str, object] = {"task": task.id, "objects": len(objects), "items": len(items)}
        for name, margin in margins.items():
            values = [float(value) for one in objects if (value := getattr(one, name)) is not None]
            if values:
                record[name] = {"margin": margin, **percentiles(values)}
                digits = {"pixels": 0, "contrast": 1, "change": 2}[name]
                figures = ", ".join(f"{at} {value:.{digits}f}" for at, value in percentiles(values).items())
                lines.append(f"  {name:<9} {figures} (margin {margin})")
        lines += [f"  {one.item}: {', '.join(one.faults)}" for one in faults[:_MAX_PRINTED]]
        record["illegible"] = [{"item": one.item, "faults": list(one.faults)} for one in faults]
        yield _Check(lines, len(faults), [record])


def _photographs(files: Sequence[Path], side: int) -> Iterator[Any]:
    """The photographs, scaled so that the shorter side has `side` pixels."""
    import numpy as np
    from PIL import Image

    from isovist.data.importers.benchmark_format import Unusable
    from isovist.data.importers.image_loader import open_photo

    for file in files:
        try:
            image = Image.fromarray(open_photo(file, upright=True).pixels)
        except Unusable as error:
            raise UserError(f"{file}: {error}. Remove it from the folder.") from None
        scale = side / min(image.size)
        if scale > 1:
            raise UserError(f"{file}: {image.width} x {image.height} pixels, below the images of the items ({side}). Remove it.")
        yield np.asarray(
            image.resize((max(side, round(image.width * scale)), max(side, round(image.height * scale))), Image.Resampling.LANCZOS)
        )
