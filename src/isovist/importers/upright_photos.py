"""Canonical orientation from any folder of upright photographs: each is shown as it is, or flipped and turned as a whole.

Words, options and keys are those of `dori/canonical-orientation`. What was done to a picture is known, so the key is exact; it is
derived a second time by doing what every option says to the pixels.

A photograph is cut to its middle square. Two things a viewer cannot see, and they are not asked. Which of two mirror images of a scene is the right one, only readable words
tell: pictures without them are never mirrored from left to right alone, and the options are chosen so that only one of them puts
up to the top. And a picture that looks nearly the same after an operation is not used.
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

from isovist.core.answers import Choice
from isovist.core.rng import Rng, balanced_stratum
from isovist.core.task import Question
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.importers import label_file
from isovist.importers.benchmark_format import Unusable
from isovist.importers.file_reader import SUFFIXES
from isovist.importers.image_loader import Photo, open_photo, photo_files, photo_size
from isovist.importers.object_pose.rows import row
from isovist.importers.pipeline import Progress, new_data_folder
from isovist.render.image_encoding import png
from isovist.render.rasterizer2d import Pixels
from isovist.suites.dori.canonical_orientation import COARSE, about
from isovist.suites.dori.picture_operations import AS_IT_IS, STATES, State, restored

MOST_ALIKE = 0.85
"""Correlation of the grey levels of a picture, reduced to 48 x 48, with those of the same picture after an operation, at most.

Measured on the middle squares of 26 pictures that come with scientific libraries, for the operation that changes them least. Of the eleven
ordinary photographs of things, people and places, a flower has most: 0.76. Two chess boards, a retina and a phantom, mirrored, have 0.98 to 1;
between them lie a colour test (0.93), a blurred clock (0.89) and a round logo (0.85).
"""
LEAST_SIDE = 200
"""Pixels of the shorter side, at least: up and down have to show."""
_REDUCED = 48
_TASK = "canonical-orientation"
_CELLS = {"coarse": 2, "granular": 5}
_UPRIGHT: State = (False, 0)
_ASPECT = 2.0  # width by height, or the other way round, at most: of a longer one the middle square is too little

Options = tuple[tuple[int, int], int]
"""The turns and the flip that the options name, see `canonical_orientation.Turned`."""


@dataclass(slots=True)
class UprightImportSummary:
    """What came of a folder. `photographs`: those that can be used."""

    items: int
    photographs: int
    rejected: Counter[str]
    """Photographs that cannot be used, by the reason."""


def import_upright_photos(
    path: Path, out: Path, *, labels: Path | None = None, n: int | None = None, seed: int = 0, progress: Progress = lambda: None
) -> UprightImportSummary:
    """Writes the data folder `out` with `n` items of each level about the photographs of a folder, each photograph once a level; all by
    default. `labels` is a file that tells which photographs show words. Raises UserError; then nothing has been written.
    """
    with new_data_folder(out) as data:
        if not path.is_dir():
            raise UserError(f"{path}: no such folder of photographs.")
        files = photo_files(path)
        with_words = {str(label["file"]).strip() for _, label in label_file.rows(labels, ("file",))} if labels else set[str]()
        if unknown := sorted(with_words - {file.name for file in files}):
            raise UserError(f"{labels}: {unknown[0]} is not in {path}.")

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
    """The item of a level about a photograph. `nth`: its place in the level; `number`: in the task."""
    photo = _square(file)
    state, named = drawn(Rng("upright", level, seed), level, nth, words=words)
    question = about(level, state, *named)
    pixels = done_to(photo.pixels, state)
    if _again(question, photo.pixels, pixels) != question.answer.balance_bin():
        raise UserError(f"{file}: has changed while it was read, or the two derivations of its key differ.")
    attributes = {"setting": "photograph", "pictures": "natural", "words": "yes" if words else "no", "source": "upright"}
    scene = {"picture": file.name, "mirrored": state[0], "turn": state[1]}
    return row(_TASK, level, number, question, png(pixels), photo.digest, attributes, scene)


# What is done to a picture -----------------------------------------------------------------------------------------


def done_to(pixels: Pixels, state: State) -> Pixels:
    """An upright picture, shape (height, width, 3), after it was mirrored and turned clockwise."""
    mirrored, angle = state
    return np.ascontiguousarray(np.rot90(pixels[:, ::-1] if mirrored else pixels, -angle // 90))


def drawn(rng: Rng, level: str, nth: int, *, words: bool) -> tuple[State, Options]:
    """What is done to the picture of an item and what its options name, so that each answer but the last comes about equally often."""
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
"""Quarter turns counterclockwise."""


def _again(question: Question, upright: Pixels, seen: Pixels) -> str:
    """The option that is right, from the pixels alone."""
    answer = question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI asks choices, not {answer.kind}")
    if answer.options == COARSE:
        return COARSE[0 if np.array_equal(upright, seen) else 1]
    fitting = [option for option in answer.options[:-1] if np.array_equal(_followed(option, seen), upright)]
    return fitting[0] if len(fitting) == 1 else ""


def _followed(option: str, pixels: Pixels) -> Pixels:
    """A picture after what an option says."""
    for step in re.split(r", then ", option.lower()) if option != AS_IT_IS else ():
        if step.startswith("flip"):
            pixels = np.flip(pixels, axis=1 if "left to right" in step else 0)
        else:
            pixels = np.rot90(pixels, _TURNS[step.removeprefix("rotate it ")])
    return pixels


# Which pictures can be used ----------------------------------------------------------------------------------------


def _square(file: Path) -> Photo:
    """The middle of a photograph, as wide as high: else its shape would tell what was turned by a quarter. Raises Unusable."""
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
    """Raises Unusable for a picture that looks the same after an operation that is asked about."""
    operations = [state for state in STATES if state != _UPRIGHT and (words or state[1])]
    worst = max(operations, key=lambda state: alike(pixels, state))
    if (most := alike(pixels, worst)) > MOST_ALIKE:
        mirrored = "mirrored and " if worst[0] else ""
        raise Unusable("it looks nearly the same after an operation", f"{mirrored}turned by {worst[1]} degrees: {most:.2f}")


def alike(pixels: Pixels, state: State) -> float:
    """How much a picture resembles itself after an operation: the correlation of reduced grey levels, 1 for a picture of one colour."""
    small = Image.fromarray(pixels).convert("L").resize((_REDUCED, _REDUCED), Image.Resampling.BOX)
    grey: NDArray[np.float64] = np.asarray(small, np.float64)
    other = np.rot90(grey[:, ::-1] if state[0] else grey, -state[1] // 90)
    return float(np.corrcoef(grey.ravel(), other.ravel())[0, 1]) if np.ptp(grey) else 1.0
