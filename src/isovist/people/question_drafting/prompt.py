"""The prompt for question drafting, with the parts of CoSpace's prompts (supplement, section A) in other words.

Role and task, response format, description of the images, an example with its images, and the images to write about. It is one message,
because not all providers support a system prompt.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from isovist.common.errors import UserError
from isovist.data.prompts import IMAGE
from isovist.world.render.image_encoding import media_type

Kind = Literal["direction", "counting", "planning"]
KINDS: tuple[Kind, ...] = ("direction", "counting", "planning")
VIEWS = 4

_FORMS: dict[Kind, str] = {
    "direction": '[{"question": "...", "choices": ["...", "...", "...", "..."], "answer": "..."}]',
    "counting": '[{"question": "...", "answer": 3}]',
    "planning": '[{"object": "...", "position": {"question": "...", "choices": ["...", "...", "...", "..."], "answer": "..."}, '
    '"actions": {"question": "...", "choices": ["...", "...", "...", "..."], "answer": "..."}}]',
}
_RULES: dict[Kind, str] = {
    "direction": "Ask where something lies, what lies in a direction, or how a road, path, river or wall runs. Directions are north, "
    "northeast, east, southeast, south, southwest, west and northwest. What runs has the four choices from north to south, from northeast to "
    "southwest, from east to west and from northwest to southeast. Give four choices, one of them right.",
    "counting": "Ask how many things of one kind there are all around. The same thing may be seen in two pictures: it counts once.",
    "planning": "Each element has two questions about the same object, which you name. The first asks where it is as seen from the camera: "
    "front, front right, right, back right, back, back left, left or front left. The second asks what to do to reach it or to use it; its "
    "choices are made of these actions only: go ahead, turn left, turn right, turn back, such as "
    '"turn right, then go ahead". Give four choices to each, one of them right.',
}


@dataclass(frozen=True, slots=True)
class Example:
    """Four images in clockwise order, and a good draft about them."""

    pictures: tuple[bytes, ...]
    draft: object


def example(path: Path) -> Example:
    """An example from a JSON file: `views`, four image files in its folder, and `draft`. Raises UserError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        names, draft = cast("list[str]", data["views"]), cast("object", data["draft"])
        pictures = tuple((path.parent / name).read_bytes() for name in names)
    except FileNotFoundError as error:
        raise UserError(f"File does not exist: {error.filename}. Correct the path.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"Invalid example ({type(error).__name__}: {error}): {path}. Give a JSON object with views and draft.") from None
    if len(pictures) != VIEWS or not all(map(media_type, pictures)):
        raise UserError(f"Invalid views: {path}. Give {VIEWS} images, PNG or JPEG.")
    return Example(pictures, draft)


def words(kind: Kind, given: Example, most: int) -> str:
    """The prompt, with a placeholder for each of the eight images: the example, then the images to write about."""
    images = "\n".join([IMAGE] * VIEWS)
    facing = "The first looks north, which is the front; the second east, to the right; the third south, to the back; the fourth west, to the left."
    return "\n\n".join(
        (
            (
                "You write questions for a test of spatial perception. You see a set of pictures and write questions with their answers about it, "
                "after the pattern of an example. A question is about the whole place: who sees one picture alone cannot answer it. It has one right "
                "answer, which the pictures show beyond doubt, and names things as anybody would."
            ),
            _RULES[kind],
            f"Reply with a JSON list of 1 to {most} elements of this form, and nothing else:\n{_FORMS[kind]}",
            (
                f"Each set has {VIEWS} pictures, taken from one spot, a quarter turn clockwise from each to the next. {facing} "
                "Neighbouring pictures may share what lies at their edges."
            ),
            f"The example's pictures:\n{images}\nA good reply to them:\n{json.dumps([given.draft], ensure_ascii=False)}",
            f"The pictures to write about:\n{images}",
        )
    )
