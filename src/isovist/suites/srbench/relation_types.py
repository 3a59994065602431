"""The relations of `srbench/spatial-relations`: question templates, options, reference frames.

Left and right are those of the viewer or those of an object that has a front. Every question that could mean either one states it:
"From the viewer's point of view", or "from the point of view of" the object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["one-object-2", "one-object-4", "two-objects-2", "two-objects-4"]
LEVELS: tuple[Level, ...] = ("one-object-2", "one-object-4", "two-objects-2", "two-objects-4")
Frame = Literal["viewer", "own", "neither"]
Scenery = Literal[
    "quarters", "alone", "around", "stances", "heights", "table", "block", "pen", "held", "held or not", "panel", "nearness", "row"
]
"""How the objects are placed: see `relation_scenes`."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """One relation with its question template.

    `text` contains the names of the objects as {red}, {blue} and {green}; a relation of one object contains {red} alone. A key is an index in
    `options`. `swapped[i]` is the key after the two objects exchange their roles in the question, where it was `i` before.
    `reversed[i]` is the key after the target `reversed_target` (0 is red) rotates by 180 degrees. Both are empty where the change leads
    to another question.
    """

    name: str
    level: Level
    frame: Frame
    scenery: Scenery
    text: str
    options: tuple[str, ...]
    swapped: tuple[int, ...] = ()
    reversed: tuple[int, ...] = ()
    reversed_target: int = 0
    two: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "two", self.level.startswith("two"))


_VIEWER = "From the viewer's point of view"
_OWN_SIDES_RULE = "Left and right are defined from the point of view of"
_IN_FRONT_RULE = '"In front of it" means on the viewer\'s side of it.'
_FAR_RULE = '"Far" means that the gap between them is wider than both together.'
_SIDES = ("to the left of it", "to the right of it")
_DEPTHS = ("in front of it", "behind it")
_NEARNESS = ("nearer", "farther away")
DEPTHS = (_DEPTHS, _NEARNESS)
"""The options of relations of depth alone."""
_OWN_SIDES = ("on the left side", "on the right side")
_HANDS = ("in the left hand", "in the right hand")
_FACING = ("to the left", "to the right", "toward the viewer", "away from the viewer")
_SHOWN_SIDES = ("its own left side", "its own right side", "its front", "its back")
_SAME, _SWAPPED, _BOTH_SWAPPED = (0, 1), (1, 0), (1, 0, 3, 2)  # the first two options change places, and so do the last two

ALL: tuple[RelationType, ...] = (
    # one object, two options
    RelationType("half, left or right", "one-object-2", "viewer", "quarters",
         f"{_VIEWER}, is {{red}} in the left half or in the right half of the image?", ("in the left half", "in the right half")),
    RelationType("half, upper or lower", "one-object-2", "viewer", "quarters",
         "Is {red} in the upper half or in the lower half of the image?", ("in the upper half", "in the lower half")),
    RelationType("faces left or right", "one-object-2", "viewer", "alone",
         f"{_VIEWER}, does {{red}} face to the left or to the right?", _FACING[:2], reversed=_SWAPPED),
    RelationType("faces toward or away", "one-object-2", "viewer", "alone",
         "Does {red} face toward the viewer or away from the viewer?", _FACING[2:], reversed=_SWAPPED),
    RelationType("own side shown", "one-object-2", "own", "alone",
         f"Which side of {{red}} is turned toward the viewer, its left side or its right side? {_OWN_SIDES_RULE} {{red}}.",
         _SHOWN_SIDES[:2], reversed=_SWAPPED),
    RelationType("middle or corner", "one-object-2", "viewer", "quarters",
         "Is {red} in the middle of the image or in one of its corners?", ("in the middle", "in a corner")),
    RelationType("on a block or on the ground", "one-object-2", "neither", "heights",
         "Does {red} stand on a block or on the ground?", ("on a block", "on the ground")),
    # one object, four options
    RelationType("quarter", "one-object-4", "viewer", "quarters", f"{_VIEWER}, in which quarter of the image is {{red}}?",
         ("in the upper left quarter", "in the upper right quarter", "in the lower left quarter", "in the lower right quarter")),
    RelationType("facing direction, of four", "one-object-4", "viewer", "alone",
         f"{_VIEWER}, in which of four directions does {{red}} face?", _FACING, reversed=_BOTH_SWAPPED),
    RelationType("own side shown, of four", "one-object-4", "own", "alone",
         f"Which side of {{red}} is turned most directly toward the viewer: its front, its back, its left side or its right side? {_OWN_SIDES_RULE} {{red}}.",
         _SHOWN_SIDES, reversed=_BOTH_SWAPPED),
    # two objects, two options
    RelationType("left or right of", "two-objects-2", "viewer", "around",
         f"{_VIEWER}, is {{red}} to the left or to the right of {{blue}}?", _SIDES, swapped=_SWAPPED),
    RelationType("in front or behind", "two-objects-2", "viewer", "around",
         f"{_VIEWER}, is {{red}} in front of {{blue}} or behind it? {_IN_FRONT_RULE}", _DEPTHS, swapped=_SWAPPED),
    RelationType("nearer or farther", "two-objects-2", "viewer", "around",
         "Is {red} nearer to the viewer than {blue}, or farther away?", _NEARNESS, swapped=_SWAPPED),
    RelationType("own left or right of", "two-objects-2", "own", "around",
         f"On which side of {{blue}} is {{red}}? {_OWN_SIDES_RULE} {{blue}}.", _OWN_SIDES, reversed=_SWAPPED, reversed_target=1),
    RelationType("own front or back of", "two-objects-2", "own", "around",
         "Is {red} in front of {blue} or behind it? Front and back are defined from the point of view of {blue}.", _DEPTHS,
         reversed=_SWAPPED, reversed_target=1),
    RelationType("faces toward or away from", "two-objects-2", "own", "stances",
         "Does {red} face toward {blue} or away from it?", ("toward it", "away from it"), reversed=_SWAPPED),
    RelationType("same or opposite direction", "two-objects-2", "neither", "stances",
         "Do {red} and {blue} face in the same direction or in opposite directions?", ("in the same direction", "in opposite directions"), _SAME, _SWAPPED),
    RelationType("toward or away from each other", "two-objects-2", "neither", "stances",
         "Do {red} and {blue} face toward each other or away from each other?", ("toward each other", "away from each other"), _SAME),
    RelationType("parallel or perpendicular", "two-objects-2", "neither", "stances",
         "Are the facing directions of {red} and {blue} parallel or perpendicular? Opposite directions count as parallel.",
         ("parallel", "perpendicular"), _SAME, _SAME),
    RelationType("higher or lower", "two-objects-2", "neither", "heights",
         "Does {red} stand higher above the ground than {blue}, or lower?", ("higher", "lower"), swapped=_SWAPPED),
    RelationType("on or under", "two-objects-2", "neither", "table", "Is {red} on top of {blue} or under it?", ("on top of it", "under it")),
    RelationType("touching or apart", "two-objects-2", "neither", "block",
         "Does {red} touch {blue}, or is there a gap between them?", ("they touch", "there is a gap")),
    RelationType("inside or outside", "two-objects-2", "neither", "pen",
         "Is {red} inside or outside the area enclosed by {blue}?", ("inside", "outside")),
    RelationType("next to or far from", "two-objects-2", "neither", "nearness",
         f"Is {{red}} next to {{blue}} or far from it? {_FAR_RULE}", ("next to it", "far from it"), _SAME),
    RelationType("middle or end of a row", "two-objects-2", "neither", "row",
         "In the row of {red}, {blue} and {green}, is {red} in the middle or at an end?", ("in the middle", "at an end")),
    RelationType("attached or in front", "two-objects-2", "neither", "panel",
         "Is {red} attached to {blue}, or does it stand on a block in front of it?", ("attached to it", "on a block in front of it")),
    RelationType("held or not", "two-objects-2", "neither", "held or not",
         "Does {blue} hold {red}, or does {red} stand on a block?", ("held", "on a block")),
    RelationType("left or right hand", "two-objects-2", "own", "held",
         f"In which hand does {{blue}} hold {{red}}? {_OWN_SIDES_RULE} {{blue}}.", _HANDS, reversed=_SWAPPED, reversed_target=1),
    # two objects, four options
    RelationType("left, right, in front, behind", "two-objects-4", "viewer", "around",
         f"{_VIEWER}, where is {{red}} relative to {{blue}}? {_IN_FRONT_RULE}", (*_SIDES, *_DEPTHS), swapped=_BOTH_SWAPPED),
    RelationType("own left, right, front, back", "two-objects-4", "own", "around",
         "Where is {red} relative to {blue}? Left, right, front and back are defined from the point of view of {blue}.",
         (*_OWN_SIDES, *_DEPTHS), reversed=_BOTH_SWAPPED, reversed_target=1),
    RelationType("on, under, left, right", "two-objects-4", "viewer", "table",
         f"{_VIEWER}, is {{red}} on top of {{blue}}, under it, to the left of it or to the right of it?", ("on top of it", "under it", *_SIDES)),
    RelationType("relative facing direction", "two-objects-4", "neither", "stances",
         "In which directions do {red} and {blue} face relative to each other?",
         ("toward each other", "away from each other", "in the same direction", "perpendicular to each other"), (0, 1, 2, 3)),
    RelationType("on the head, in a hand, on the ground", "two-objects-4", "own", "held",
         f"Where is {{red}}: on the head of {{blue}}, in the left hand, in the right hand, or on the ground? {_OWN_SIDES_RULE} {{blue}}.",
         (*_HANDS, "on the head", "on the ground"), reversed=(1, 0, 2, 3), reversed_target=1),
)  # fmt: skip
KINDS: Mapping[str, RelationType] = {kind.name: kind for kind in ALL}


def relations_of_level(level: str) -> tuple[RelationType, ...]:
    """Return the relations of a level."""
    return tuple(kind for kind in ALL if kind.level == level)


COLOURS = "red", "blue", "green"
"""The names of the objects in question templates, in the order of the targets."""


def _pattern(kind: RelationType) -> re.Pattern[str]:
    text = re.escape(kind.text)
    for colour in COLOURS:
        text = text.replace(rf"\{{{colour}\}}", f"(?P<{colour}>[^,.?]+?)", 1).replace(rf"\{{{colour}\}}", f"(?P={colour})")
    return re.compile(f"^{text}$", re.MULTILINE)


_PATTERNS = tuple((kind, _pattern(kind)) for kind in ALL)


def parse_question(text: str) -> tuple[RelationType, tuple[str, ...]]:
    """Return the relation of a question and the names of its objects. Raises ValueError unless exactly one template matches."""
    matches = [(kind, match) for kind, pattern in _PATTERNS if (match := pattern.search(text))]
    if len(matches) != 1:
        raise ValueError(f"{len(matches)} relations match this question: {text}")
    kind, match = matches[0]
    names = match.groupdict()
    return kind, tuple(names[colour].removeprefix("the ") for colour in COLOURS if colour in names)


def mirrored(option: str) -> str:
    """Return the option that corresponds to `option` in the mirrored scene: left and right change places."""
    return " ".join({"left": "right", "right": "left"}.get(word, word) for word in option.split(" "))
