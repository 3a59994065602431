"""Import a folder of panoramas as a dataset folder with questions about them."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.progress import Progress, each
from isovist.data.dataset import external_rows
from isovist.data.dataset.rows import ItemRow, row_metadata
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import photo_files
from isovist.data.importers.panoramas import labels, photo, questions
from isovist.data.importers.panoramas.labels import Label
from isovist.data.importers.panoramas.questions import SUITE, Place
from isovist.data.importers.pipeline import NewDataFolder, chosen_tasks, new_data_folder
from isovist.data.item import Item
from isovist.suites.cospace.counting import plural
from isovist.world.render.image_encoding import png


@dataclass(frozen=True, slots=True)
class PanoramaImportSummary:
    """The result of an import."""

    photographs: int
    """Number of usable photographs."""
    items: Counter[str]
    """Items by task."""
    rejected: Counter[str]
    """Unusable photographs and labels by reason."""
    short: list[str]
    """Tasks and levels with fewer items than requested, some with the reason."""
    uncounted: list[str]
    """Names of objects that are not counted, because their plural is not known."""


def import_panoramas(
    folder: Path,
    out: Path,
    *,
    labels_path: Path | None = None,
    tasks: Sequence[str] = (),
    n: int | None = None,
    seed: int = 0,
    size: int = 512,
) -> PanoramaImportSummary:
    """Write the dataset folder `out` with `n` items of each task and level about the photographs in a folder.

    `n` defaults to the number of photographs. Images have `size` x `size` pixels. `labels_path` is a label file. `tasks` are names or
    globs of tasks, with or without suite. Raises UserError; then nothing is written.
    """
    kinds = {kind.task.name: kind for kind in questions.kinds()}
    chosen = chosen_tasks(tasks, {name: (kind.task.id, f"{SUITE}/{name}") for name, kind in kinds.items()})
    with new_data_folder(out) as data, tempfile.TemporaryDirectory(prefix="isovist-views-") as views:
        places = _places(folder, labels_path, size, data)
        made: list[tuple[str, Item, Place]] = []
        short: list[str] = []
        for name in chosen:
            levels, total = kinds[name].levels_of(places), n if n is not None else len(places)
            for i, level in enumerate(levels):
                share = total // len(levels) + (i < total % len(levels))
                why = questions.constant_key(kinds[name], level, places)
                pairs = [] if why else questions.items(kinds[name], level, places, share, seed)
                keys = {item.answer.balance_bin() for item, _ in pairs}
                if len(pairs) > len(keys) == 1:
                    pairs, why = [], f"each key would be {keys.pop()}"
                made += [(f"{SUITE}/{name}", item, place) for item, place in pairs]
                if len(pairs) < share:
                    short.append(f"{SUITE}/{name}, {level}: {len(pairs)} of {share}{f' ({why})' * bool(why)}")
        if not made:
            raise UserError(f"{folder}: not one item can be made of its {len(places)} photographs ({'; '.join(short[:3])}).")
        _cut(folder, made, size, Path(views))
        for task, item, place in made:
            data.add(_row(item, place, task, data.items[task], seed, size, Path(views)))
        data.finish({"source": f"{len(places)} photographs of the user's own", "size": size}, seed)
    uncounted = {label.name for place in places for label in place.labels if not label.is_road} - {
        n for each in places for n in each.plurals
    }
    return PanoramaImportSummary(len(places), data.items, data.rejections.counts, short, sorted(uncounted))


def _places(folder: Path, labels_path: Path | None, size: int, data: NewDataFolder) -> list[Place]:
    """Return the usable photographs with their labels. Raises UserError if there are none."""
    if not folder.is_dir():
        raise UserError(f"Folder does not exist: {folder}. Correct the path.")
    files = photo_files(folder, photo.SUFFIXES)
    by_file = _labels(labels_path, {file.name for file in files}, data) if labels_path else {}

    def place(file: Path) -> Place:
        return Place(file.name, photo.read(file, size).digest, tuple(by_file.get(file.name, ())))

    places = list(data.usable(each(files, len(files), "photograph", "reading the photographs"), place))
    if not places:
        reasons = data.rejections.most_common() or f"there is no {', '.join(photo.SUFFIXES)}"
        raise UserError(f"{folder}: no photograph can be used ({reasons}).")
    return places


def _labels(path: Path, files: set[str], data: NewDataFolder) -> dict[str, list[Label]]:
    """Return the labels by file. An unusable label removes all labels of its name in that file, whose set would be incomplete.
    A label without a readable name removes all labels of its file. Names that differ in case are one category, with its first spelling;
    its plural needs to be stated once.
    """
    by_file: dict[str, list[Label]] = defaultdict(list)
    spoilt: set[tuple[str, str]] = set()
    spellings: dict[str, str] = {}
    plurals: dict[str, str] = {}
    for line in labels.read(path):
        name = spellings.setdefault(line.name.casefold(), line.name)
        fault = line.fault or (None if line.file in files else Unusable("no such photograph in the folder"))
        if fault is not None:
            data.reject(fault, file=line.file, line=line.number)
            spoilt.add((line.file, name))
        elif line.label is not None:
            by_file[line.file].append(replace(line.label, name=name))
            plurals[name] = plurals.get(name) or line.label.plural
    for file, of_file in by_file.items():
        singular = {(plurals[label.name] or plural(label.name)).casefold(): label.name for label in of_file}
        for many in sorted({label.name for label in of_file if singular.get(label.name.casefold(), label.name) != label.name}):
            one = singular[many.casefold()]
            data.reject(Unusable("labels in the singular and in the plural", f"{one}, {many}"), file=file)
            spoilt |= {(file, one), (file, many)}
    return {
        file: [replace(label, plural=plurals[label.name]) for label in of_file if not {(file, label.name), (file, "")} & spoilt]
        for file, of_file in by_file.items()
    }


def _picture(place: Place, heading: float, fov: float) -> str:
    return f"{place.digest}-{heading:.3f}-{fov:g}.png"


def _cut(folder: Path, items: Sequence[tuple[str, Item, Place]], size: int, views: Path) -> None:
    """Render the views of all items, one photograph at a time, each view once."""
    by_place: dict[str, tuple[Place, set[tuple[float, float]]]] = {}
    for _, item, place in items:
        by_place.setdefault(place.name, (place, set()))[1].update(questions.cuts(item))
    with Progress(sum(len(cuts) for _, cuts in by_place.values()), "view", "cutting the views", leave=False) as bar:
        for name, (place, cuts) in by_place.items():
            opened = photo.read(folder / name, size)
            if opened.digest != place.digest:
                raise UserError(f"Photograph changed during the import: {folder / name}. Run the command again.")
            for heading, fov in sorted(cuts, key=lambda cut: (cut[1], cut[0])):
                (views / _picture(place, heading, fov)).write_bytes(png(opened.view(heading, fov, size)))
                bar.update()


def _row(item: Item, place: Place, task: str, number: int, seed: int, size: int, views: Path) -> ItemRow:
    """Return the row of an item under the imported task id. It cannot be regenerated without the photographs."""
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
