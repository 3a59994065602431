"""From a folder of photographs to a data folder, in one go: all of it is there at the end, or nothing."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from isovist import json_lines
from isovist.dataset import external_rows
from isovist.dataset.external_rows import SPLIT, VERSION
from isovist.dataset.manifest import DataPart
from isovist.dataset.rows import ItemRow, row_metadata
from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable
from isovist.importers.importer import REJECTED, Rows, aside, check_new, finish
from isovist.importers.panoramas import labels, photo, questions
from isovist.importers.panoramas.labels import Label
from isovist.importers.panoramas.questions import SUITE, Place, QuestionType
from isovist.items import Item
from isovist.render.image_encoding import png

Progress = Callable[[str], object]

_BYTES = 64 << 20  # of pictures in memory at most, about


@dataclass(slots=True)
class PanoramaImportSummary:
    """What came of a folder."""

    photographs: int = 0
    """Those that can be used."""
    items: Counter[str] = field(default_factory=Counter[str])
    """By task."""
    rejected: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    """Photographs and labels that cannot be used, and why."""
    short: list[str] = field(default_factory=list[str])
    """Tasks and levels of which there are fewer items than were asked for."""


def import_panoramas(
    folder: Path,
    out: Path,
    *,
    labels_path: Path | None = None,
    tasks: Sequence[str] = (),
    n: int | None = None,
    seed: int = 0,
    size: int = 512,
    progress: Progress = lambda done: None,
) -> PanoramaImportSummary:
    """Writes the data folder `out` with `n` items of each task and level about the photographs in a folder, one for each
    photograph by default; pictures have `size` pixels a side. `labels_path` is a file of labels, `tasks` are names or globs of the
    tasks, with or without their suite. `progress` is told of each photograph. Raises UserError; then nothing has been written.
    """
    chosen = _chosen(tasks)
    check_new(out)
    outcome = PanoramaImportSummary()
    places = _places(folder, labels_path, size, outcome, progress)
    made: list[tuple[QuestionType, Item, Place]] = []
    for kind in chosen:
        wanted = n if n is not None else len(places)
        for level, share in _shares(kind, wanted):
            pairs = questions.items(kind, level, places, share, seed)
            made += [(kind, item, place) for item, place in pairs]
            if len(pairs) < share:
                outcome.short.append(f"{_name(kind)}, {level}: {len(pairs)} of {share}")
    if not made:
        raise UserError(f"{folder}: not one item can be made of its {len(places)} photographs ({'; '.join(outcome.short[:3])}).")
    with aside(out) as partial, tempfile.TemporaryDirectory(prefix="isovist-views-") as views:
        _cut(folder, made, size, Path(views), progress)
        by_task: dict[str, Rows] = {}
        for kind, item, place in made:
            name = _name(kind)
            rows = by_task.setdefault(name, Rows(name, partial))
            rows.add(_row(item, place, name, len(rows), seed, size, Path(views)))
            outcome.items[name] += 1
            if rows.bytes > _BYTES:
                rows.flush()
        for rows in by_task.values():
            rows.close()
        if outcome.rejected:
            (partial / REJECTED).write_text(json_lines.lines(outcome.rejected, escaped=True), encoding="utf-8")
        settings = {"source": f"{outcome.photographs} photographs of the user's own", "size": size}
        parts = [DataPart(name, VERSION, SPLIT, len(rows), seed=seed, settings={**settings}) for name, rows in sorted(by_task.items())]
        finish(partial, parts)
    return outcome


def _name(kind: QuestionType) -> str:
    return f"{SUITE}/{kind.task.name}"


def _chosen(tasks: Sequence[str]) -> list[QuestionType]:
    """The tasks that names or globs mean; all without any. Raises UserError for one that means none."""
    every = questions.kinds()
    kinds: list[QuestionType] = []
    for kind in every:
        names = (kind.task.name, kind.task.id, _name(kind))
        if not tasks or any(fnmatchcase(name, glob) for glob in tasks for name in names):
            kinds.append(kind)
    for glob in tasks:
        if not any(fnmatchcase(name, glob) for kind in every for name in (kind.task.name, kind.task.id, _name(kind))):
            raise UserError(f"--task {glob}: there are {', '.join(kind.task.name for kind in every)}.")
    return kinds


def _shares(kind: QuestionType, n: int) -> list[tuple[str, int]]:
    """The published levels, or all, with a share of `n` each."""
    preset = kind.task.published_sizes.get(SPLIT)
    levels = preset.levels if preset and preset.levels else kind.task.levels
    return [(level, n // len(levels) + (i < n % len(levels))) for i, level in enumerate(levels)]


def _places(folder: Path, labels_path: Path | None, size: int, outcome: PanoramaImportSummary, progress: Progress) -> list[Place]:
    """The photographs that can be used, with their labels. Raises UserError if there are none."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder of photographs.")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in photo.SUFFIXES and not path.name.startswith("."))
    by_file = _labels(labels_path, {path.name for path in files}, outcome) if labels_path else {}
    places: list[Place] = []
    for path in files:
        progress("check")
        try:
            read = photo.read(path, size)
        except Unusable as fault:
            outcome.rejected.append({"file": path.name, "reason": fault.reason, "detail": fault.detail})
        else:
            places.append(Place(path.name, read.digest, tuple(by_file.get(path.name, ()))))
    outcome.photographs = len(places)
    if not places:
        reasons = Counter(str(one["reason"]) for one in outcome.rejected)
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(3)) or f"there is no {', '.join(photo.SUFFIXES)}"
        raise UserError(f"{folder}: no photograph can be used ({why}).")
    return places


def _labels(path: Path, files: set[str], outcome: PanoramaImportSummary) -> dict[str, list[Label]]:
    """The labels by file. Where a label cannot be used, all of its name go, in that file: what is told of them is not whole. One
    whose name cannot be read takes all of the file along.
    """
    by_file: dict[str, list[Label]] = defaultdict(list)
    spoilt: set[tuple[str, str]] = set()
    for line in labels.read(path):
        fault = line.fault
        if fault is None and line.file not in files:
            fault = Unusable("no such photograph in the folder")
        if fault is not None:
            outcome.rejected.append({"file": line.file, "line": line.number, "reason": fault.reason, "detail": fault.detail})
            spoilt.add((line.file, line.name))
        elif line.label is not None:
            by_file[line.file].append(line.label)
    return {
        file: [label for label in file_labels if not {(file, label.name), (file, "")} & spoilt] for file, file_labels in by_file.items()
    }


def _picture(place: Place, heading: float, fov: float) -> str:
    return f"{place.digest}-{heading:.3f}-{fov:g}.png"


def _cut(folder: Path, made: Sequence[tuple[QuestionType, Item, Place]], size: int, views: Path, progress: Progress) -> None:
    """Cuts the pictures of all items, photograph by photograph, each picture once."""
    by_place: dict[str, tuple[Place, set[tuple[float, float]]]] = {}
    for _, item, place in made:
        by_place.setdefault(place.name, (place, set()))[1].update(questions.cuts(item))
    for name, (place, wanted) in by_place.items():
        progress("cut")
        opened = photo.read(folder / name, size)
        if opened.digest != place.digest:
            raise UserError(f"{folder / name}: has changed while it was read; run the command again.")
        for heading, fov in sorted(wanted, key=lambda cut: (cut[1], cut[0])):
            (views / _picture(place, heading, fov)).write_bytes(png(opened.view(heading, fov, size)))


def _row(item: Item, place: Place, task: str, number: int, seed: int, size: int, views: Path) -> ItemRow:
    """The row of an item under its own task, which nothing can make again without the photographs."""
    images = tuple((views / _picture(place, heading, fov)).read_bytes() for heading, fov in questions.cuts(item))
    photograph = {"file": place.name, "digest": place.digest}
    return external_rows.row(
        task,
        number,
        item.question.text,
        item.answer,
        images,
        row_metadata(item) | {"size": size, "settings": {}, "scene": json.loads(item.scene_json), "photograph": photograph},
        shown=[external_rows.digest(image) for image in images],
        group=f"{SUITE}:{place.digest}",
        level=item.level,
        seed=seed,
        skills=item.task.skills,
    )
