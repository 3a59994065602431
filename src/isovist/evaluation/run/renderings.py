"""Variants of the images of an item: the same scene or drawing in another rendering (`isovist.world.render.renderings`).

The images of generated items are rendered from the scene, which follows from the item id; those of imported items are resampled. They are
made on use, and kept in the folder `renderings` of a run. Like the standard images, those of the test split carry the canary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.common import canary
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.regular_files import read_regular
from isovist.core.answers import to_json
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.parallel import prepare, run_parallel
from isovist.data.dataset.pictures import MOST_PIXELS, as_shown, opened
from isovist.data.dataset.rows import ItemRow, regenerated_item
from isovist.data.item import Item, make_item
from isovist.evaluation.run.item_selection import Selection
from isovist.suites import registry
from isovist.world import render
from isovist.world.render import renderings
from isovist.world.render.image_encoding import png
from isovist.world.rendering_names import CYCLES, FACTORS, HALF, OF_SCENES, RAISED, RENDERINGS, SKETCH
from isovist.world.scenes.environments.street_object_types import PAINTS

FOLDER = "renderings"
_BLOCK = 16  # rows of a job
_MOST_BYTES = 1 << 30  # of an image
_OF_PAINT = re.compile(rf"\b({'|'.join(PAINTS)}) (?!frame)")
"""A colour that distinguishes objects, which a line drawing does not show. Frames keep their colour."""

RenderedImages = Callable[[ItemRow, str], tuple[bytes, ...]]
"""The images of an item in a rendering."""


def of_task(name: str) -> tuple[str, ...]:
    """The renderings of the items of a task, unless an item excludes them: those of its kind of picture. Of an unknown task, the resolutions."""
    return tuple(FACTORS) if registry.find(name) is None else _of_registered_task(name)


@lru_cache(maxsize=1024)
def _of_registered_task(name: str) -> tuple[str, ...]:
    task = registry.task(name)
    item = make_item(task, task.address("test", task.levels[0], 0, 0, {}))
    others = OF_SCENES if item.scenes3d else (RAISED,) if task.images.raised else ()
    return tuple(name for name in RENDERINGS if name in FACTORS or name in others)


def excluded(row: ItemRow) -> tuple[str, ...]:
    """The renderings in which an item would have no clear answer.

    `sketch`, if its text names a colour that distinguishes objects; `half`, if the images would be smaller than the task allows.
    """
    task = registry.find(row.task)
    text = "\n".join((row.metadata.question, *row.choices))
    names = (SKETCH,) if _OF_PAINT.search(text) else ()
    if task is not None and int(row.metadata.settings.get("size", task.images.size_px)) * FACTORS[HALF] < task.images.least_px:
        names += (HALF,)
    return names


def rendered(row: ItemRow, rendering: str) -> tuple[bytes, ...]:
    """The images of an item in a rendering that it can have, as PNG files.

    Raises UserError if the item cannot be regenerated, or differs from the regenerated one, and for an unavailable renderer.
    """
    if row.version == 0:
        images = tuple(_resampled(row, image, FACTORS[rendering]) for image in row.images)
        return tuple(canary.marked(new) if canary.unmarked(old) != old else new for new, old in zip(images, row.images, strict=True))
    item = _item(row)
    images = tuple(
        png(renderings.pixels(picture, item.size, rendering, renderer=row.metadata.renderer, raised=item.task.images.raised))
        for picture in item.pictures
    )
    return tuple(map(canary.marked, images)) if canary.is_test(row.split) else images


@dataclass(frozen=True, slots=True)
class StoredRenderings:
    """The renderings of the items of a run; each is made once, and kept in a folder."""

    folder: Path

    def __call__(self, row: ItemRow, rendering: str) -> tuple[bytes, ...]:
        """The images. Raises UserError as `rendered` does."""
        paths = self._paths(row, rendering)
        if not all(path.exists() for path in paths):
            self.folder.joinpath(rendering).mkdir(parents=True, exist_ok=True)
            for path, image in zip(paths, rendered(row, rendering), strict=True):
                write_atomically(path, image)
        return tuple(read_regular(path, _MOST_BYTES) for path in paths)

    def _paths(self, row: ItemRow, rendering: str) -> list[Path]:
        name = sha256(row.id.encode()).hexdigest()[:20]
        return [self.folder / rendering / f"{name}-{place}.png" for place in range(len(row.images))]


def prepare_renderings(
    folder: Path, data: Path, parts: Sequence[DataPart], rows: Selection, names: Iterable[str], workers: int, progress: Callable[[int], object]
) -> None:  # fmt: skip
    """Make the renderings `names` of rows in several processes. `progress` is called with numbers of rows. Raises UserError as `rendered`."""
    wanted = set(names)
    chosen = [(part, selected) for part, selected in zip(parts, rows, strict=True) if wanted.intersection(of_task(part.task))]
    jobs: list[tuple[object, ...]] = []
    for part, selected in chosen:
        places = np.flatnonzero(selected)
        for first in range(0, len(places), _BLOCK):
            block = np.zeros(len(selected), bool)
            block[places[first : first + _BLOCK]] = True
            jobs.append((folder, data, part, block, tuple(wanted)))
    if len(jobs) > 1 and workers > 1:
        prepare(part for part, _ in chosen if not (part.imported or part.is_private))
    for count in run_parallel(_render_block, jobs, workers):
        progress(count)


def _render_block(folder: Path, data: Path, part: DataPart, block: NDArray[np.bool_], names: Sequence[str]) -> int:
    stored, count = StoredRenderings(folder), 0
    for row in load(data, [part], len(block), wanted=[block]):
        for name in set(names).intersection(of_task(row.task)).difference(excluded(row)):
            stored(row, name)
        count += 1
    return count


def check_renderings(names: Sequence[str], parts: Iterable[DataPart]) -> None:
    """Raises UserError, before anything is written, for a rendering that no item has or that cannot be made."""
    listed = list(parts)
    for name in names:
        having = [part for part in listed if name in of_task(part.task)]
        if not having:
            raise no_effect(name)
        for part in having:
            if not part.imported and not part.can_be_regenerated:
                part.secret()  # its error is more precise
                raise UserError(
                    f"Items cannot be regenerated for --rendering {name}: {part.task} version {part.version}. Install the Isovist that made "
                    "them, generate the data again, or remove the option."
                )
            if name == CYCLES and part.renderer != render.RASTER:
                raise UserError(f"The images are by Cycles already: {part.task}. Remove --rendering {CYCLES}.")
        if name not in FACTORS:
            render.require_scene_packages()
        if name == CYCLES:
            render.full(CYCLES)


def no_effect(name: str) -> UserError:
    """The error for a rendering that no item of a run has."""
    if name == RAISED:
        tasks = ", ".join(task.id for task in registry.tasks().values() if task.images.raised)
        return UserError(f"Option without effect: --rendering {RAISED} (for {tasks}). Remove it.")
    why = {HALF: "all images would be too small", SKETCH: "no item is a 3-D scene without colours in its text"}.get(
        name, "no item is a 3-D scene"
    )
    return UserError(f"Option without effect: --rendering {name} ({why}). Remove it.")


@lru_cache(maxsize=4)  # the renderings of an item follow each other
def _item(row: ItemRow) -> Item:
    try:
        item = regenerated_item(row)
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"Item cannot be regenerated ({error}): {row.id}. Generate the data again, or remove --rendering.") from None
    has_same_text = (item.question.text, to_json(item.answer)) == (row.metadata.question, row.metadata.answer)
    if not has_same_text or not row.metadata_json.endswith(f'"scene": {item.scene_json}}}'):
        raise UserError(f"Item differs from the regenerated one: {row.id}. Generate the data again, or remove --rendering.")
    return item


def _resampled(row: ItemRow, image: bytes, factor: float) -> bytes:
    """An image with width and height multiplied by a factor. Raises UserError for one that becomes too large."""
    with opened(image) as picture:
        upright = as_shown(picture)
    width, height = (max(1, round(side * factor)) for side in upright.size)
    if width * height > MOST_PIXELS:
        raise UserError(f"Image too large for --rendering double ({width} x {height} pixels): {row.id}. Remove the option.")
    return png(np.asarray(upright.resize((width, height), Image.Resampling.LANCZOS)))
