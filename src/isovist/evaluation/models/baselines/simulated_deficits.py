"""Simulated models with one deficit and correct answers otherwise: they test that a report names the deficit and nothing else.

``simulated/deficit:left-right`` confuses left and right; ``simulated/deficit:left-right,noise=0.2`` gives a random answer in one of
five responses as well. The distractor types of an item come from its task, or otherwise from the texts of its options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS, Answer, Choice
from isovist.core.item_ids import stated_design
from isovist.core.rng import Rng
from isovist.data.item import item as regenerate
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


def _chooses(*types: str) -> Respond:
    """A function that chooses an option of the first of these distractor types, or the key if the item has none.

    The other types apply if the types are derived from the texts of the options.
    """

    def respond(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
        del settings
        option_types, from_task = _option_types(request, answer)
        for name in types[:1] if from_task else types:
            if labels := _labels_of_type(name, option_types, answer):
                return rng.pick(labels)
        return answer.canonical()

    return respond


def _mirror_blind(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    del settings
    option_types, _ = _option_types(request, answer)
    return rng.pick([answer.canonical(), *_labels_of_type(distractor_types.MIRROR, option_types, answer)])


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
    "mirror-blind": ("does not distinguish an object from its mirror image", _mirror_blind),
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


def _labels_of_type(name: str, option_types: Sequence[str], answer: Answer) -> list[str]:
    """The labels of the distractors of a type."""
    labelled = zip(LETTERS, option_types, strict=False)
    return [label for label, types in labelled if name in distractor_types.split_types(types) and label != answer.canonical()]


def _option_types(request: ModelRequest, answer: Answer) -> tuple[Sequence[str], bool]:
    """The distractor type of each option, and whether the task specifies it; else it is derived from the options' texts."""
    if not isinstance(answer, Choice):
        return (), False
    types = _types_by_task(request.item_id)
    return (distractor_types.types_by_option_text(answer.options, answer.truth), False) if types is None else (types, True)


@lru_cache(maxsize=4096)  # an item is presented in several variants, and sampling its scene is slow
def _types_by_task(item_id: str) -> tuple[str, ...] | None:
    """The distractor types that a task gives its options; None for an imported item, and for one with a private seed."""
    try:
        item = regenerate(item_id)
    except ValueError:
        return None
    task, answer = item.task, item.answer
    if task.reported.distractor_types:
        return tuple(task.reported.distractor_types(item.scene))
    if task.reported.option_angles and isinstance(answer, Choice):
        return tuple(distractor_types.types_by_option_angles(task.reported.option_angles(answer), answer.truth))
    return ()


def _level(request: ModelRequest) -> str:
    try:
        return stated_design(request.item_id).level
    except ValueError:
        return ""
