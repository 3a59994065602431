"""Models with one planted deficit, otherwise as good as can be: they show that a diagnosis names what is wrong, and nothing else.

``fake/deficit:left-right`` takes left for right; ``fake/deficit:left-right,noise=0.2`` does so too, but guesses in one of five
replies. What an option of an item stands for is told by the item, made anew from its id, or else by its options' words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from isovist import items
from isovist.core.answers import LETTERS, Answer, Choice
from isovist.core.rng import Rng
from isovist.core.task import ItemAddress
from isovist.errors import UserError
from isovist.models.base import ModelRequest
from isovist.models.baselines.random_guessing import guess
from isovist.scenes import distractor_types

PREFIX = "fake/deficit:"


@dataclass(frozen=True, slots=True)
class Settings:
    """`noise`: the share of replies that are guesses; `size`: the largest one that is seen; `share`: of replies that cannot be read;
    `seed`: of all that is random.
    """

    noise: float = 0.0
    size: int = 9
    share: float = 0.1
    seed: int = 0


Words = Callable[[ModelRequest, Answer, Rng, Settings], str]


def _chooses(*names: str) -> Words:
    """One who chooses the option that stands for an error; the key where there is none, or the error leads nowhere else. The other
    names are for items that are known by their options' words alone.
    """

    def words(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
        del settings
        errors, made_here = _errors(request, answer)
        for name in names[:1] if made_here else names:
            if choices := _standing_for(name, errors, answer):
                return rng.pick(choices)
        return answer.canonical()

    return words


def _mirror_blind(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    """To whom a thing and its mirror images are one."""
    del settings
    errors, _ = _errors(request, answer)
    return rng.pick([answer.canonical(), *_standing_for(distractor_types.MIRROR, errors, answer)])


def _up_to_size(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    level = _level(request)
    return answer.canonical() if not level.isdecimal() or int(level) <= settings.size else guess(request.item_id, answer, rng)


def _unreadable(request: ModelRequest, answer: Answer, rng: Rng, settings: Settings) -> str:
    del request
    return "" if rng.uniform(0, 1) < settings.share else answer.canonical()


DEFICITS: Mapping[str, tuple[str, Words]] = {
    "left-right": ("takes left for right", _chooses(distractor_types.LEFT_RIGHT, distractor_types.EAST_WEST)),
    "up-down": ("takes up for down", _chooses(distractor_types.UP_DOWN, distractor_types.NORTH_SOUTH)),
    "opposite": ("names the opposite direction", _chooses(distractor_types.OPPOSITE)),
    "picture-frame": ("takes north for up although the map is turned", _chooses(distractor_types.IMAGE_FRAME)),
    "other-frame": ("takes the viewer's left for an object's own", _chooses(distractor_types.OTHER_FRAME)),
    "mirror-blind": ("cannot tell a thing from its mirror image", _mirror_blind),
    "threshold": ("is right up to a size (size=9), and guesses beyond", _up_to_size),
    "unreadable": ("gives no readable answer in a share of its replies (share=0.1)", _unreadable),
}


def words(name: str) -> Callable[[ModelRequest, Answer], str]:
    """What the model of that name says. Raises UserError for an unknown deficit or setting."""
    deficit, *parts = name.removeprefix(PREFIX).split(",")
    if deficit not in DEFICITS:
        raise UserError(f"no fake model has the deficit {deficit!r}; there are {', '.join(DEFICITS)}.")
    settings, (_, reply) = _settings(name, parts), DEFICITS[deficit]

    def format_answer(request: ModelRequest, answer: Answer) -> str:
        rng = Rng(PREFIX, deficit, settings.seed, request.item_id, request.variant)
        if rng.at("noise").uniform(0, 1) < settings.noise:
            return f"Answer: {guess(request.item_id, answer, rng.at('guess'))}"
        text = reply(request, answer, rng.at("reply"), settings)
        return f"Answer: {text}" if text else "I would rather describe the picture, which shows several things."

    return format_answer


def _settings(name: str, parts: Sequence[str]) -> Settings:
    values: dict[str, float] = {}
    for part in parts:
        key, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        fits = (key in ("noise", "share") and 0 <= number <= 1) or (key in ("size", "seed") and number >= 0 and number.is_integer())
        if not fits:
            raise UserError(f"{name}: {part!r} is no setting; there are noise=0 to 1, share=0 to 1, size=9 and seed=0.")
        values[key] = number
    return Settings(values.get("noise", 0.0), int(values.get("size", 9)), values.get("share", 0.1), int(values.get("seed", 0)))


def _standing_for(name: str, errors: Sequence[str], answer: Answer) -> list[str]:
    """The letters of the wrong options that stand for an error."""
    named = zip(LETTERS, errors, strict=False)
    return [letter for letter, error in named if name in distractor_types.split_types(error) and letter != answer.canonical()]


def _errors(request: ModelRequest, answer: Answer) -> tuple[Sequence[str], bool]:
    """What each option stands for, and whether the item is known; else it is by the options' words alone."""
    if not isinstance(answer, Choice):
        return (), False
    error_types = _told(request.item_id)
    return (distractor_types.of_words(answer.options, answer.truth), False) if error_types is None else (error_types, True)


@lru_cache(maxsize=4096)  # items are asked more than once, and scenes take long to make
def _told(item_id: str) -> tuple[str, ...] | None:
    """What an item tells of its options; None if it was not made here."""
    try:
        item = items.item(item_id)
    except ValueError:
        return None
    task, answer = item.task, item.answer
    if task.distractor_types:
        return tuple(task.distractor_types(item.scene))
    return (
        tuple(distractor_types.of_dials(task.option_angles(answer), answer.truth))
        if task.option_angles and isinstance(answer, Choice)
        else ()
    )


def _level(request: ModelRequest) -> str:
    try:
        return ItemAddress.parse(request.item_id).level
    except ValueError:
        return ""
