"""Rules that use only the options of a choice, or their similarity to the image of the question.

Each rule takes an item and gives the labels among which it chooses at random; none if it does not apply. Distractors that are derived
from the key make the key similar to all of them, so the first rule is the medoid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isovist.core.answers import LETTERS, Choice, ImageOptionChoice
from isovist.core.drawing2d import Drawing, Label
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.world import render

Guess = frozenset[str]
Matrix = NDArray[np.float64]
T = TypeVar("T")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SIDE = 48  # side in pixels of a drawn option for comparison
_NEAR = 1e-9


def guesses(task: Task[Any], item: Item) -> dict[str, Guess]:
    """Return the choice of each rule that applies to an item, by rule name."""
    answer = item.answer
    if not isinstance(answer, Choice) or len(answer.options) < 3:
        return {}
    return _drawn_option_rules(item, answer) if isinstance(answer, ImageOptionChoice) else _text_rules(task, item, answer)


def _text_rules(task: Task[Any], item: Item, answer: Choice) -> dict[str, Guess]:
    options = answer.options
    by_rule = _extremes("text", [float(len(option)) for option in options])
    grams = [{option[k : k + 3] for k in range(max(1, len(option) - 2))} for option in options]
    by_rule |= _central("text", _distance_matrix(grams, lambda a, b: 1 - len(a & b) / len(a | b)))
    question_words = set(item.question.text.lower().split())
    by_rule |= _most("words shared with the question", [float(len(set(option.lower().split()) & question_words)) for option in options])
    numbers = [_NUMBER.search(option) for option in options]
    if all(numbers):
        values = [float(match.group()) for match in numbers if match]
        by_rule |= _extremes("number", values) | _central("number", _distance_matrix(values, lambda a, b: abs(a - b)))
    angles_by_name = task.reported.option_angles(answer) if task.reported.option_angles else dict[str, OptionAngles]()
    return by_rule | {rule: guess for name, angles in angles_by_name.items() for rule, guess in _angle_rules(name, angles).items()}


def _angle_rules(name: str, option_angles: OptionAngles) -> dict[str, Guess]:
    """Return the rules on option angles; at least three options must have one."""
    lettered = [(LETTERS[place], angle) for place, angle in enumerate(option_angles.angles_deg) if angle is not None]
    if len(lettered) < 3:
        return {}
    distances = _distance_matrix([angle for _, angle in lettered], lambda a, b: abs(wrapped(a - b) if option_angles.is_circular else a - b))
    letters = {LETTERS[k]: letter for k, (letter, _) in enumerate(lettered)}
    return {rule: frozenset(letters[letter] for letter in guess) for rule, guess in _central(f"{name}, angle", distances).items()}


def _drawn_option_rules(item: Item, answer: ImageOptionChoice) -> dict[str, Guess]:
    """Return the rules for options that are drawn in a row, each above its label."""
    (picture,) = item.drawings or (None,)
    panels, stem_pixels = _panels(picture, len(answer.options)) if picture else ([], None)
    if stem_pixels is None:
        return {}
    masks = [_centred(panel) for panel in panels]
    grey = [panel.mean(axis=2) for panel in panels]
    by_rule = _extremes("ink", [float(_ink(panel).mean()) for panel in panels])
    by_rule |= _central("silhouette", _distance_matrix(masks, lambda a, b: 1 - (a & b).sum() / max(1, (a | b).sum())))
    by_rule |= _central("pixels", _distance_matrix(grey, lambda a, b: float(np.abs(a - b).mean())))
    return by_rule | _most("like the question's image", [_likeness(panel, stem_pixels) for panel in panels], least=True)


def _panels(picture: Drawing, n: int) -> tuple[list[NDArray[np.uint8]], NDArray[np.uint8] | None]:
    """Return the pixels of each option (the square above its label, as wide as the distance between labels), and those above all options."""
    places = {shape.text: shape.position for shape in (*picture.backdrop, *picture.shapes) if isinstance(shape, Label)}
    if not all(letter in places for letter in LETTERS[:n]):
        return [], None
    label_positions = [places[letter] for letter in LETTERS[:n]]
    side = label_positions[1][0] - label_positions[0][0]
    unit = round(_SIDE / side)
    pixels = render.pixels(picture, unit)
    low = max(y for _, y in label_positions) + 0.04  # above the labels
    rows = slice(max(0, round((picture.height - low - side) * unit)), round((picture.height - low) * unit))
    panels = [pixels[rows, max(0, round((x - side / 2) * unit)) :][:, : _SIDE - 1] for x, _ in label_positions]
    width = min(panel.shape[1] for panel in panels)
    return [panel[:, :width] for panel in panels], pixels[: rows.start]


def _ink(panel: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (np.abs(panel.astype(np.int16) - np.median(panel.reshape(-1, 3), axis=0)) > 48).any(axis=2)


def _centred(panel: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the ink with its bounding box centred."""
    ink = _ink(panel)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return ink
    shift = [(n - 1 - int(indices[0]) - int(indices[-1])) // 2 for n, indices in zip(ink.shape, (rows, columns), strict=True)]
    return np.roll(ink, shift, (0, 1))


def _likeness(panel: NDArray[np.uint8], stem_pixels: NDArray[np.uint8]) -> float:
    """Return the maximum correlation of the panel's ink with the ink above, over all shifts."""
    a, b = _ink(panel).astype(float), _ink(stem_pixels).astype(float)
    shape = [m + n for m, n in zip(a.shape, b.shape, strict=True)]
    product = np.fft.irfft2(np.conj(np.fft.rfft2(a - a.mean(), shape)) * np.fft.rfft2(b, shape), shape)
    return float(product.max() / max(_NEAR, np.linalg.norm(a - a.mean())))


def _distance_matrix(values: Sequence[T], distance: Callable[[T, T], float]) -> Matrix:
    return np.array([[distance(a, b) for b in values] for a in values], float)


def _central(feature: str, distances: Matrix) -> dict[str, Guess]:
    """Return two rules: the option with the smallest distance to the others, and the one with the largest."""
    mean = distances.sum(axis=1)
    return {
        f"most like the other options ({feature})": _labels_with_value(mean, mean.min()),
        f"least like the other options ({feature})": _labels_with_value(mean, mean.max()),
    }


def _extremes(feature: str, values: Sequence[float]) -> dict[str, Guess]:
    array = np.array(values)
    return {f"most ({feature})": _labels_with_value(array, array.max()), f"least ({feature})": _labels_with_value(array, array.min())}


def _most(feature: str, values: Sequence[float], *, least: bool = False) -> dict[str, Guess]:
    array = np.array(values)
    by_rule = {f"most {feature}": _labels_with_value(array, array.max())}
    return by_rule | ({f"least {feature}": _labels_with_value(array, array.min())} if least else {})


def _labels_with_value(values: Matrix, value: float) -> Guess:
    """Return the labels of the options with this value; none if all have it."""
    letters = frozenset(LETTERS[k] for k in np.flatnonzero(np.abs(values - value) < _NEAR))
    return letters if len(letters) < len(values) else frozenset()
