"""The prompt for image descriptions, with the parts of SRBench's prompt (appendix, table 3) in other words.

Role and aim, task, criteria, examples and the list of objects. Unlike in the paper, each line of the list has a facing direction, so that
all eight are requested equally often.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.rng import Rng, balanced_stratum
from isovist.people.text_to_image.facing_directions import NAMES, SEEN

MOST = 10
"""Maximum descriptions per request."""

OBJECTS = (
    "bicycle", "motorcycle", "scooter", "car", "truck", "bus", "train", "airplane",
    "helicopter", "boat", "ship", "dog", "cat", "bird", "fish", "rabbit",
)  # fmt: skip
"""The objects of the paper."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a description."""

    object: str
    setting: str
    facing: str
    description: str


EXAMPLES = (
    Example(
        "tractor", "a ploughed field", "left",
        "A photograph of a green tractor in a ploughed field at noon, seen from the side, its front pointing to the left, with the whole tractor in the image.",
    ),
    Example(
        "horse", "a paddock", "towards",
        "A sharp photograph of a brown horse that stands in a sunlit paddock and faces the camera, from its ears down to its hooves.",
    ),
    Example(
        "armchair", "a library", "towards-right",
        "A realistic photograph of a leather armchair in a quiet library, rotated so that its seat opens toward the camera and to the right.",
    ),
    Example(
        "excavator", "a quarry", "right",
        "A wide photograph of a yellow excavator on the floor of a quarry, seen from its side, its cab and its arm pointing to the right.",
    ),
    Example(
        "duck", "a pond", "away",
        "A close photograph of a duck that swims away from the camera across a still pond, its tail nearest to the viewer.",
    ),
)  # fmt: skip


_TASK = (
    "You write descriptions from which a text-to-image model generates images that look like photographs. Each image shows one object in a "
    "setting, facing a given direction. Below are examples of descriptions, and a list of objects with the direction in which the front of "
    "each must point. Write one new description for every line of the list."
)
_CRITERIA = """Criteria of a good description:
1. Style: It is one sentence with the structure and wording of the examples.
2. Object: It is about the object of its line, or a synonym, and not about an object of the examples. The object occurs once, is complete \
and is clearly visible.
3. Setting: No example and no other description has the same setting.
4. Direction: It states unambiguously in which direction the front of the object points, from the perspective of the viewer of the image.
5. Plausibility: Such a photograph could exist."""
_FIELDS = "`name` is the word for the object in the description, and `setting` is the place in a few words:"


@dataclass(frozen=True, slots=True)
class DescriptionRequest:
    """Object and facing direction of a requested description."""

    object: str
    facing: int


def batch(number: int, objects: Sequence[str], size: int) -> list[DescriptionRequest]:
    """The descriptions of a request: shuffled passes through the objects, with balanced facing directions."""
    names: list[str] = []
    for place in range(number * size, (number + 1) * size):
        turn, at = divmod(place, len(objects))
        names.append(Rng("paint", "objects", turn).shuffled(list(objects))[at])
    return [DescriptionRequest(name, balanced_stratum(Rng("paint", "facings"), 8, number * size + i)) for i, name in enumerate(names)]


def words(wanted: Sequence[DescriptionRequest], examples: Sequence[Example]) -> str:
    """The prompt for the descriptions `wanted`."""
    lines = [f"{i}. {one.object}, its front pointing {SEEN[one.facing]}" for i, one in enumerate(wanted, 1)]
    form = '[{"number": 1, "name": "...", "setting": "...", "description": "..."}]'
    shown = [{"number": i, "name": one.object, "setting": one.setting, "description": one.description} for i, one in enumerate(examples, 1)]
    parts = (
        _TASK,
        _CRITERIA,
        f"Reply with a JSON list of {len(wanted)} elements of this form, and nothing else. {_FIELDS}\n{form}",
        f"Examples:\n{json.dumps(shown, ensure_ascii=False, indent=1)}",
        "The list:\n" + "\n".join(lines),
    )
    return "\n\n".join(parts)


def examples(path: Path) -> tuple[Example, ...]:
    """Examples from a JSON file: a list of objects with `object`, `setting`, `facing` and `description`. Raises UserError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"File does not exist: {path}. Correct the path.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"Invalid JSON ({type(error).__name__}): {path}. Correct the file.") from None
    names = ("object", "setting", "facing", "description")
    examples: list[Example] = []
    for number, one in enumerate(cast("list[Any]", data) if isinstance(data, list) else [], 1):
        fields = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        texts = [fields.get(name) for name in names]
        if any(not isinstance(text, str) or not text.strip() for text in texts):
            raise UserError(f"Missing field in example {number}: {path}. Give {', '.join(names)}.")
        if fields["facing"] not in NAMES:
            raise UserError(f"Unknown facing {str(fields['facing'])[:40]!r} in example {number}: {path}. Choose one of {', '.join(NAMES)}.")
        examples.append(Example(**{name: " ".join(fields[name].split()) for name in names}))
    if not examples:
        raise UserError(f"No examples: {path}. Give a JSON list of objects with {', '.join(names)}.")
    return tuple(examples)


def objects(path: Path, few_shot: Sequence[Example]) -> tuple[str, ...]:
    """The objects of a text file, one per line. Raises UserError, also for the object of an example."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"Cannot read file ({type(error).__name__}): {path}. Correct the path.") from None
    objects = tuple(dict.fromkeys(" ".join(line.split()) for line in lines if line.strip()))
    if not objects:
        raise UserError(f"No objects: {path}. Write one object per line.")
    shown = {one.object.casefold() for one in few_shot}
    for name in objects:
        if name.casefold() in shown:
            raise UserError(f"Object of an example: {name!r} in {path}. Remove it from the list.")
    return objects
