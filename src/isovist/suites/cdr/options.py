"""The options of CDR's questions, the names of directions among them, and the setting of their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped
from isovist.core.task import SamplingContext, Setting
from isovist.scenes.answer_options import with_key_at
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, PAPER_SPATIAL, PAPER_WINDS
from isovist.scenes.distractor_types import compass_errors, direction_types, mirrored_directions

ORDER = Setting("shuffled", "order of the options; paper: the one fixed order of the published examples", choices=("shuffled", "paper"))


def arranged(plan: SamplingContext, key: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """The options with the key in a balanced place and the wrong ones in random order."""
    return with_key_at(plan.item_stratum("place", len(wrong) + 1), key, wrong, plan.item_rng.at("options"))


def directions(plan: SamplingContext, answer: int, *, compass: bool) -> tuple[str, ...]:
    """The eight directions as options."""
    if plan.settings["order"] == "paper":
        return PAPER_WINDS if compass else PAPER_SPATIAL
    names = COMPASS_DIRECTIONS if compass else IMAGE_DIRECTIONS
    return arranged(plan, names[answer], [name for name in names if name != names[answer]])


def choice(options: tuple[str, ...], key: str) -> Choice:
    return Choice(options, options.index(key))


def direction_name(place: int, up: int | None) -> str:
    """A direction of the picture; by its wind where the picture's upper side is the wind `up`."""
    return IMAGE_DIRECTIONS[place] if up is None else COMPASS_DIRECTIONS[(up + place) % 8]


def renamed(move: Callable[..., int], *by: int) -> Callable[[str], str]:
    """What a symmetry does to the name of a direction, when it moves the index of a direction by `move`."""

    def rename(name: str) -> str:
        names = COMPASS_DIRECTIONS if name in COMPASS_DIRECTIONS else IMAGE_DIRECTIONS
        return names[move(names.index(name), *by)]

    return rename


def angles(answer: Choice) -> dict[str, OptionAngles]:
    """Degrees clockwise from the top of the picture, or from north."""
    names = COMPASS_DIRECTIONS if answer.options[0] in COMPASS_DIRECTIONS else IMAGE_DIRECTIONS
    seen = "on the compass" if names is COMPASS_DIRECTIONS else "in the picture"
    return {"direction": OptionAngles(tuple(wrapped(45.0 * names.index(option)) for option in answer.options), f"clockwise {seen}")}


def turned(direction: int, steps: int) -> int:
    """The direction `steps` of 45 degrees clockwise from `direction`."""
    return (direction + steps) % 8


def turn_of_the_compass(up: int | None) -> dict[str, str]:
    """How far the question's north is from the top of the picture, to whichever side; nothing for a question without a compass."""
    return {} if up is None else {"turn of the compass": f"{45 * min(up % 8, -up % 8)} degrees"}


def errors(options: Sequence[str], place: int, top: int | None, more: Mapping[str, int] | None = None) -> list[str]:
    """What each option stands for. `place`: the right direction in the picture; `top`: the wind of the picture's upper side, if the
    question is about the compass; `more`: the winds to which further errors lead.
    """
    names = IMAGE_DIRECTIONS if top is None else COMPASS_DIRECTIONS
    truth = (place + (top or 0)) % 8
    wrong = mirrored_directions(truth) if top is None else {**compass_errors(truth, top), **(more or {})}
    return direction_types(truth, [names.index(option) for option in options], wrong)
