"""Simulated models with one deficit and correct answers otherwise: they test that a report names the deficit and nothing else.

``simulated/deficit:left-right`` confuses left and right; ``simulated/deficit:left-right,noise=0.2`` gives a random answer in one of
five responses as well. The distractor types of an item are those of its row, or otherwise come from the texts of its options.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS, Answer, Choice, JointAnswer
from isovist.core.item_ids import stated_design
from isovist.core.rng import Rng
from isovist.evaluation.models.base import ModelRequest
from isovist.evaluation.models.baselines.random_guessing import guess
from isovist.world.scenes import distractor_types

PREFIX = "simulated/deficit:"
_STREAM = "fake/deficit:"  # another name would change every response


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of a deficit."""

    noise: float = 0.0
    """Proportion of responses that are random answers."""
    size: int = 9
    """Largest problem size that is answered correctly."""
    share: float = 0.1
    """Proportion of responses that cannot be parsed."""
    seed: int = 0


Respond = Callable[[ModelRequest, Answer, Rng, Settings], str]


Choose = Callable[[Choice, Sequence[str], bool, Rng], str]
"""The label of the chosen option. The arguments: the choice, the distractor types of its options, whether its task states them, and a stream."""


def _by_choice(choose: Choose) -> Respond:
    """Responses in which each choice, also within a joint answer, is answered by `choose`, and every other answer is the key."""

    def respond(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
        del settings
        parts = answer.parts if isinstance(answer, JointAnswer) else (("", answer),)
        choices = [part for _, part in parts if isinstance(part, Choice)]
        stated = list(request.distractor_types)
        is_stated = len(stated) == sum(len(choice.options) for choice in choices)
        replies: dict[str, str] = {}
        for name, part in parts:
            if not isinstance(part, Choice):
                replies[name] = part.canonical()
                continue
            types = stated[: len(part.options)] if is_stated else distractor_types.types_by_option_text(part.options, part.truth)
            stated = stated[len(part.options) :]
            replies[name] = choose(part, types, is_stated, rng.at(name) if name else rng)
        return json.dumps(replies) if isinstance(answer, JointAnswer) else replies[""]

    return respond


def _chooses(*types: str) -> Respond:
    """An option of the first of these distractor types, or the key if the item has none.

    The other types apply if the types are derived from the texts of the options.
    """

    def choose(choice: Choice, option_types: Sequence[str], is_stated: bool, rng: Rng) -> str:
        for name in types[:1] if is_stated else types:
            if labels := _labels_of_type(name, option_types, choice):
                return rng.pick(labels)
        return choice.canonical()

    return _by_choice(choose)


def _key_or_mirrored(choice: Choice, option_types: Sequence[str], is_stated: bool, rng: Rng) -> str:
    del is_stated
    return rng.pick([choice.canonical(), *_labels_of_type(distractor_types.MIRROR, option_types, choice)])


def _up_to_size(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    level = _level(request)
    return answer.canonical() if not level.isdecimal() or int(level) <= settings.size else guess(request.item_id, answer, rng)


def _unparsed(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    del request
    return "" if rng.uniform(0, 1) < settings.share else answer.canonical()


DEFICITS: Mapping[str, tuple[str, Respond]] = {
    "left-right": ("confuses left and right", _chooses(distractor_types.LEFT_RIGHT, distractor_types.EAST_WEST)),
    "up-down": ("confuses up and down", _chooses(distractor_types.UP_DOWN, distractor_types.NORTH_SOUTH)),
    "opposite": ("names the opposite direction", _chooses(distractor_types.OPPOSITE)),
    "north-up": ("assumes that north is up on a rotated map", _chooses(distractor_types.NORTH_UP_ASSUMPTION)),
    "other-frame": (
        "answers in the viewer's frame instead of the object's, or vice versa",
        _chooses(distractor_types.OTHER_REFERENCE_FRAME),
    ),
    "egocentric": ("answers from its own side of the scene", _chooses(distractor_types.VIEWERS_SIDE)),
    "visible-cubes": ("counts too few cubes of a pile", _chooses(distractor_types.TOO_FEW)),
    "front-view": ("uses only the view from the front", _chooses(distractor_types.FRONT_ALONE)),
    "handedness": ("ignores the order of marks around a corner", _chooses(distractor_types.HANDEDNESS)),
    "mark-direction": ("ignores the direction of a mark", _chooses(distractor_types.TURNED_MARK)),
    "mirror-blind": ("does not distinguish an object from its mirror image", _by_choice(_key_or_mirrored)),
    "threshold": ("is correct up to a problem size (size=9) and random above", _up_to_size),
    "unparsed": ("gives no parseable answer in a share of its replies (share=0.1)", _unparsed),
}


def respond(name: str) -> Callable[[ModelRequest, Answer], str]:
    """The responses of the model of that name.

    Raises:
        UserError: for an unknown deficit or setting.
    """
    deficit, *parts = name.removeprefix(PREFIX).split(",")
    if deficit not in DEFICITS:
        raise UserError(f"Unknown deficit: {name}. Choose one of {', '.join(DEFICITS)}.")
    settings, (_, respond_with) = _settings(name, parts), DEFICITS[deficit]

    def text(request: ModelRequest, answer: Answer) -> str:
        rng = Rng(_STREAM, deficit, settings.seed, request.item_id, request.variant)
        if rng.at("noise").uniform(0, 1) < settings.noise:
            return f"Answer: {guess(request.item_id, answer, rng.at('guess'))}"
        chosen = respond_with(request, answer, rng.at("reply"), settings)
        return f"Answer: {chosen}" if chosen else "I would rather describe the picture, which shows several things."

    return text


def _settings(name: str, parts: Sequence[str]) -> Settings:
    values: dict[str, float] = {}
    for part in parts:
        key, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        is_share = key in ("noise", "share") and 0 <= number <= 1
        is_count = key in ("size", "seed") and number >= 0 and number.is_integer()
        if not (is_share or is_count):
            raise UserError(f"Invalid setting {part!r}: {name}. Use noise=0 to 1, share=0 to 1, size=9 or seed=0.")
        values[key] = number
    return Settings(values.get("noise", 0.0), int(values.get("size", 9)), values.get("share", 0.1), int(values.get("seed", 0)))


def _labels_of_type(name: str, option_types: Sequence[str], answer: Choice) -> list[str]:
    """The labels of the distractors of a type."""
    labelled = zip(LETTERS, option_types, strict=False)
    return [label for label, types in labelled if name in distractor_types.split_types(types) and label != answer.canonical()]


def _level(request: ModelRequest) -> str:
    try:
        return stated_design(request.item_id).level
    except ValueError:
        return ""
