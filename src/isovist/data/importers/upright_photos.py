"""Canonical-orientation items from a folder of upright photographs, each shown unchanged or flipped and rotated.

Texts, options and keys are those of `dori/canonical-orientation`. The operation on the image is known, so the key is exact. It is
rederived by applying the operation of every option to the pixels.

A photograph is cropped to its central square. Two ambiguous cases are avoided. Only readable text reveals a left-right mirrored scene:
photographs without text are never mirrored from left to right alone, and only one option restores the top of the image.
Photographs that look nearly the same after an operation are not used.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.common.errors import UserError
from isovist.core.answers import Choice
from isovist.core.rng import Rng, balanced_stratum
from isovist.core.task import Question
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.file_reader import SUFFIXES
from isovist.data.importers.image_loader import Photo, open_photo, photo_files, photo_size
from isovist.data.importers.object_pose.rows import row
from isovist.data.importers.pipeline import Progress, new_data_folder
from isovist.suites.dori.canonical_orientation import COARSE, about
from isovist.suites.dori.picture_operations import AS_IT_IS, STATES, State, restored
from isovist.world.render.image_encoding import png
from isovist.world.render.rasterizer2d import Pixels

MOST_ALIKE = 0.85
"""Maximum correlation between the grey levels of an image, reduced to 48 x 48, and those after an operation.

Measured on the central squares of 26 images from scientific libraries, for the operation that changes them least. Of the eleven
ordinary photographs of objects, people and places, a flower has the highest value: 0.76. Two chess boards, a retina and a phantom,
mirrored, have 0.98 to 1. Between them are a colour test (0.93), a blurred clock (0.89) and a round logo (0.85).
"""
LEAST_SIDE = 200
"""Minimum length of the shorter side in pixels."""
_REDUCED = 48
_TASK = "canonical-orientation"
_CELLS = {"coarse": 2, "granular": 5}
_UPRIGHT: State = (False, 0)
_ASPECT = 2.0  # maximum ratio of the longer to the shorter side; beyond it the central square shows too little

Options = tuple[tuple[int, int], int]
"""The rotations and the flip named by the options, see `canonical_orientation.Turned`."""


@dataclass(slots=True)
class UprightImportSummary:
    """The result of an import. `photographs`: number of usable photographs."""

    items: int
    photographs: int
    rejected: Counter[str]
    """Unusable photographs by reason."""


def import_upright_photos(
    path: Path, out: Path, *, labels: Path | None = None, n: int | None = None, seed: int = 0, progress: Progress = lambda: None
) -> UprightImportSummary:
    """Write the dataset folder `out` with `n` items of each level, each photograph once per level.

    `n` defaults to all photographs. `labels` is a file that lists the photographs with readable text. Raises UserError; then nothing
    is written.
    """
    with new_data_folder(out) as data:
        if not path.is_dir():
            raise UserError(f"Folder does not exist: {path}. Correct the path.")
        files = photo_files(path)
        with_words = {str(label["file"]).strip() for _, label in file_reader.label_rows(labels, ("file",))} if labels else set[str]()
        if unknown := sorted(with_words - {file.name for file in files}):
            raise UserError(f"Label of a missing photograph ({unknown[0]}): {labels}. Add the photograph to {path} or remove the line.")

        def check_photo(file: Path) -> Path:
            check(_square(file).pixels, words=file.name in with_words)
            return file

        usable = list(data.usable(files, check_photo, progress))
        if not usable:
            reasons = data.rejections.most_common() or f"there is no {', '.join(SUFFIXES)}"
            raise UserError(f"{path}: no photograph can be used ({reasons}).")
        for level in _CELLS:
            order = Rng("upright", level, seed, "order").shuffled(range(len(usable)))[: n or len(usable)]
            for nth, place in enumerate(order):
                file = usable[place]
                data.add(_row(file, level, nth, seed, data.items.total(), words=file.name in with_words))
        data.finish({"source": f"{len(usable)} photographs of the user's own"}, seed)
    return UprightImportSummary(data.items.total(), len(usable), data.rejections.counts)


def _row(file: Path, level: str, nth: int, seed: int, number: int, *, words: bool) -> ItemRow:
    """Return the row of an item about a photograph. `nth`: index in the level; `number`: index in the task."""
    photo = _square(file)
    state, named = drawn(Rng("upright", level, seed), level, nth, words=words)
    question = about(level, state, *named)
    pixels = done_to(photo.pixels, state)
    if _rederived(question, photo.pixels, pixels) != question.answer.balance_bin():
        raise UserError(f"{file}: has changed while it was read, or the two derivations of its key differ.")
    attributes = {"setting": "photograph", "pictures": "natural", "words": "yes" if words else "no", "source": "upright"}
    scene = {"picture": file.name, "mirrored": state[0], "turn": state[1]}
    return row(_TASK, level, number, question, png(pixels), photo.digest, attributes, scene)


# Operations on images ----------------------------------------------------------------------------------------------


def done_to(pixels: Pixels, state: State) -> Pixels:
    """Return an upright image, shape (height, width, 3), after mirroring and clockwise rotation."""
    mirrored, angle = state
    return np.ascontiguousarray(np.rot90(pixels[:, ::-1] if mirrored else pixels, -angle // 90))


def drawn(rng: Rng, level: str, nth: int, *, words: bool) -> tuple[State, Options]:
    """Sample the operation on the image of an item and the options. All keys but the last are about equally frequent."""
    cell = balanced_stratum(rng.at("answer"), _CELLS[level], nth)
    item_rng = rng.at("item", nth)
    if level == "coarse":
        states = [state for state in STATES if state != _UPRIGHT and (words or state[1])]
        return (item_rng.pick(states) if cell else _UPRIGHT), ((90, 90), 0)
    candidates: list[tuple[State, Options]] = []
    for alone, beside, flip in product((90, 180, 270), (90, 270), (0, 1)):
        named: Options = ((alone, beside), flip)
        (state,) = (s for s in STATES if restored(s, *named)[cell] == _UPRIGHT)
        if words or sum(angle == 0 for _, angle in restored(state, *named)) == 1:
            candidates.append((state, named))
    return item_rng.pick(candidates)


_TURNS = {"90 degrees clockwise": 3, "180 degrees": 2, "90 degrees counterclockwise": 1}
"""Counterclockwise quarter turns."""


def _rederived(question: Question, upright: Pixels, rotated: Pixels) -> str:
    """Rederive the correct option from the pixels."""
    answer = question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI questions are choices, not {answer.kind}")
    if answer.options == COARSE:
        return COARSE[0 if np.array_equal(upright, rotated) else 1]
    fitting = [option for option in answer.options[:-1] if np.array_equal(_after_option(option, rotated), upright)]
    return fitting[0] if len(fitting) == 1 else ""


def _after_option(option: str, pixels: Pixels) -> Pixels:
    """Return an image after the operation of an option."""
    for step in re.split(r", then ", option.lower()) if option != AS_IT_IS else ():
        if step.startswith("flip"):
            pixels = np.flip(pixels, axis=1 if "left to right" in step else 0)
        else:
            pixels = np.rot90(pixels, _TURNS[step.removeprefix("rotate it ")])
    return pixels


# Usable photographs ------------------------------------------------------------------------------------------------


def _square(file: Path) -> Photo:
    """Return the central square of a photograph; another shape would reveal a rotation by 90 degrees. Raises Unusable."""
    width, height = photo_size(file, upright=True)
    if min(height, width) < LEAST_SIDE:
        raise Unusable("too small", f"{width} x {height} pixels")
    if max(height, width) > _ASPECT * min(height, width):
        raise Unusable("too long", f"{width} x {height} pixels")
    photo = open_photo(file, upright=True)
    height, width = photo.pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return replace(photo, pixels=np.ascontiguousarray(photo.pixels[top : top + side, left : left + side]))


def check(pixels: Pixels, *, words: bool) -> None:
    """Raises Unusable for an image that looks the same after an operation among the options."""
    operations = [state for state in STATES if state != _UPRIGHT and (words or state[1])]
    worst = max(operations, key=lambda state: alike(pixels, state))
    if (most := alike(pixels, worst)) > MOST_ALIKE:
        mirrored = "mirrored and " if worst[0] else ""
        raise Unusable("it looks nearly the same after an operation", f"{mirrored}turned by {worst[1]} degrees: {most:.2f}")


def alike(pixels: Pixels, state: State) -> float:
    """Return the self-similarity after an operation: the correlation of reduced grey levels, 1 for an image of one colour."""
    small = Image.fromarray(pixels).convert("L").resize((_REDUCED, _REDUCED), Image.Resampling.BOX)
    grey: NDArray[np.float64] = np.asarray(small, np.float64)
    other = np.rot90(grey[:, ::-1] if state[0] else grey, -state[1] // 90)
    return float(np.corrcoef(grey.ravel(), other.ravel())[0, 1]) if np.ptp(grey) else 1.0
