"""The relations that `srbench/spatial-relations` asks about: words, options, frame of reference.

Left and right are those of the viewer or those of an object that has a front, and every question that could mean either says which:
"as you see the picture", or "from the own point of view of" the object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["one-object-2", "one-object-4", "two-objects-2", "two-objects-4"]
LEVELS: tuple[Level, ...] = ("one-object-2", "one-object-4", "two-objects-2", "two-objects-4")
Frame = Literal["viewer", "own", "neither"]
Scenery = Literal["quarters", "alone", "around", "stances", "heights", "table", "block", "pen"]
"""How the objects are placed, see `relation_scenes`."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """One relation. `text` names the objects {red} and {blue}; a relation of one object names the first alone. `options` stand in an
    order that truths are told by. `swapped`: what each answer becomes when both objects exchange their frames; `turned`: when one of
    them (`turns`, 0 for red) is turned by half a turn. Empty where that is another question.
    """

    name: str
    level: Level
    frame: Frame
    scenery: Scenery
    text: str
    options: tuple[str, ...]
    swapped: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    turns: int = 0
    two: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "two", self.level.startswith("two"))


_AS_SEEN = "as you see the picture"
_SIDES = ("to the left of it", "to the right of it")
_DEPTHS = ("in front of it", "behind it")
_NEARNESS = ("nearer", "farther away")
DEPTHS = (_DEPTHS, _NEARNESS)
"""The options of relations of depth alone."""
_OWN_SIDES = ("to its own left", "to its own right")
_FACED = ("to the left", "to the right", "towards the viewer", "away from the viewer")
_SHOWN = ("its own left side", "its own right side", "its front", "its back")
_SAME, _OTHER, _OTHERS = (0, 1), (1, 0), (1, 0, 3, 2)  # the first two change places, and so do the last two

ALL: tuple[RelationType, ...] = (
    # one object, two options
    RelationType("half, left or right", "one-object-2", "viewer", "quarters",
         f"In which half of the picture is {{red}}, the left or the right one, {_AS_SEEN}?", ("in the left half", "in the right half")),
    RelationType("half, upper or lower", "one-object-2", "viewer", "quarters",
         "In which half of the picture is {red}, the upper or the lower one?", ("in the upper half", "in the lower half")),
    RelationType("faces left or right", "one-object-2", "viewer", "alone",
         f"Does {{red}} face to the left or to the right, {_AS_SEEN}?", _FACED[:2], turned=_OTHER),
    RelationType("faces towards or away", "one-object-2", "viewer", "alone",
         "Does {red} face towards the viewer or away from the viewer?", _FACED[2:], turned=_OTHER),
    RelationType("own side shown", "one-object-2", "own", "alone",
         "Which of its two sides does {red} turn to the viewer? Left and right are meant from its own point of view.", _SHOWN[:2], turned=_OTHER),
    # one object, four options
    RelationType("quarter", "one-object-4", "viewer", "quarters", f"In which quarter of the picture is {{red}}, {_AS_SEEN}?",
         ("at the upper left", "at the upper right", "at the lower left", "at the lower right")),
    RelationType("faces which of four ways", "one-object-4", "viewer", "alone",
         f"In which of four directions does {{red}} face, {_AS_SEEN}?", _FACED, turned=_OTHERS),
    RelationType("own side shown, of four", "one-object-4", "own", "alone",
         "Which of its four sides does {red} turn to the viewer most? Left and right are meant from its own point of view.", _SHOWN, turned=_OTHERS),
    # two objects, two options
    RelationType("left or right of", "two-objects-2", "viewer", "around", f"On which side of {{blue}} is {{red}}, {_AS_SEEN}?", _SIDES, swapped=_OTHER),
    RelationType("in front or behind", "two-objects-2", "viewer", "around",
         f"Is {{red}} in front of {{blue}} or behind it, {_AS_SEEN}? In front of it means on the viewer's side of it.", _DEPTHS, swapped=_OTHER),
    RelationType("nearer or farther", "two-objects-2", "viewer", "around",
         "Is {red} nearer to the viewer than {blue}, or farther away?", _NEARNESS, swapped=_OTHER),
    RelationType("own left or right of", "two-objects-2", "own", "around",
         "On which side of {blue} is {red}, left and right being meant from the own point of view of {blue}?", _OWN_SIDES, turned=_OTHER, turns=1),
    RelationType("own front or back of", "two-objects-2", "own", "around",
         "Is {red} in front of {blue} or behind it, front and back being those of {blue} itself?", _DEPTHS, turned=_OTHER, turns=1),
    RelationType("faces towards or away from", "two-objects-2", "own", "stances",
         "Does {red} face towards {blue} or away from it?", ("towards it", "away from it"), turned=_OTHER),
    RelationType("same or opposite way", "two-objects-2", "neither", "stances",
         "Do {red} and {blue} face in the same direction or in opposite directions?", ("in the same direction", "in opposite directions"), _SAME, _OTHER),
    RelationType("parallel or at right angles", "two-objects-2", "neither", "stances",
         "Are the directions in which {red} and {blue} face parallel, be it the same or the opposite way, or at right angles?",
         ("parallel", "at right angles"), _SAME, _SAME),
    RelationType("higher or lower", "two-objects-2", "neither", "heights", "Does {red} stand higher than {blue}, or lower?", ("higher", "lower"), swapped=_OTHER),
    RelationType("on or under", "two-objects-2", "neither", "table", "Is {red} on top of {blue}, or under it?", ("on top of it", "under it")),
    RelationType("touching or apart", "two-objects-2", "neither", "block",
         "Does {red} touch {blue}, or is there a gap between them?", ("they touch", "there is a gap")),
    RelationType("inside or outside", "two-objects-2", "neither", "pen", "Is {red} inside {blue}, or outside?", ("inside", "outside")),
    # two objects, four options
    RelationType("left, right, in front, behind", "two-objects-4", "viewer", "around",
         f"Where is {{red}} in relation to {{blue}}, {_AS_SEEN}? In front of it means on the viewer's side of it.", (*_SIDES, *_DEPTHS), swapped=_OTHERS),
    RelationType("own left, right, front, back", "two-objects-4", "own", "around",
         "Where is {red} in relation to {blue}, left, right, front and back being those of {blue} itself?", (*_OWN_SIDES, *_DEPTHS), turned=_OTHERS, turns=1),
    RelationType("on, under, left, right", "two-objects-4", "viewer", "table",
         f"Is {{red}} on {{blue}}, under it or beside it, {_AS_SEEN}?", ("on top of it", "under it", *_SIDES)),
    RelationType("how both face", "two-objects-4", "neither", "stances", "How do {red} and {blue} face in relation to each other?",
         ("towards each other", "away from each other", "both in the same direction", "at right angles to each other"), (0, 1, 2, 3)),
)  # fmt: skip
KINDS: Mapping[str, RelationType] = {kind.name: kind for kind in ALL}


def at(level: str) -> tuple[RelationType, ...]:
    """The relations of a level."""
    return tuple(kind for kind in ALL if kind.level == level)


def _pattern(kind: RelationType) -> re.Pattern[str]:
    return re.compile(
        re.escape(kind.text)
        .replace(r"\{red\}", "(?P<red>[^,.?]+?)", 1)
        .replace(r"\{red\}", "(?P=red)")
        .replace(r"\{blue\}", "(?P<blue>[^,.?]+?)", 1)
        .replace(r"\{blue\}", "(?P=blue)")
        + "$",
        re.MULTILINE,
    )


_PATTERNS = tuple((kind, _pattern(kind)) for kind in ALL)


def parse_question(words: str) -> tuple[RelationType, tuple[str, ...]]:
    """The relation that a question asks about, and the names of its objects, by its words. Raises ValueError for another question."""
    matches = [(kind, match) for kind, pattern in _PATTERNS if (match := pattern.search(words))]
    if len(matches) != 1:
        raise ValueError(f"{len(matches)} relations fit these words: {words}")
    kind, match = matches[0]
    named = match.groupdict()
    return kind, tuple(named[colour].removeprefix("the ") for colour in ("red", "blue") if colour in named)


def mirrored(option: str) -> str:
    """What an option becomes in a mirror: left for right."""
    return " ".join({"left": "right", "right": "left"}.get(word, word) for word in option.split(" ")) if "angles" not in option else option
