"""How CDR's options are ordered, and the settings that its tasks share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.core.answers import Choice
from isovist.core.option_angles import Dial
from isovist.core.rotation import wrapped
from isovist.core.task import Plan, Setting
from isovist.scenes.compass import PAPER_SPATIAL, PAPER_WINDS, SPATIAL, WINDS
from isovist.scenes.distractor_types import in_picture, of_directions, on_compass

ORDER = Setting("shuffled", "order of the options; paper: the one fixed order of the published examples", choices=("shuffled", "paper"))


def arranged(plan: Plan, right: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """The options with the key in a balanced place and the wrong ones in random order."""
    place = plan.item_cell("place", len(wrong) + 1)
    others = plan.item.at("options").shuffled(wrong)
    return (*others[:place], right, *others[place:])


def directions(plan: Plan, answer: int, *, compass: bool) -> tuple[str, ...]:
    """The eight directions as options."""
    if plan.settings["order"] == "paper":
        return PAPER_WINDS if compass else PAPER_SPATIAL
    names = WINDS if compass else SPATIAL
    return arranged(plan, names[answer], [name for name in names if name != names[answer]])


def choice(options: tuple[str, ...], right: str) -> Choice:
    return Choice(options, options.index(right))


def renamed(move: Callable[..., int], *by: int) -> Callable[[str], str]:
    """What a symmetry does to the name of a direction, when it moves the index of a direction by `move`."""

    def rename(name: str) -> str:
        names = WINDS if name in WINDS else SPATIAL
        return names[move(names.index(name), *by)]

    return rename


def angles(answer: Choice) -> dict[str, Dial]:
    """Degrees clockwise from the top of the picture, or from north."""
    names = WINDS if answer.options[0] in WINDS else SPATIAL
    seen = "on the compass" if names is WINDS else "in the picture"
    return {"direction": Dial(tuple(wrapped(45.0 * names.index(option)) for option in answer.options), f"clockwise {seen}")}


def turned(direction: int, steps: int) -> int:
    """The direction `steps` of 45 degrees clockwise from `direction`."""
    return (direction + steps) % 8


def turn_of_the_compass(steps: int) -> dict[str, str]:
    """How far the question's north is from the top of the picture, to whichever side; `steps` of 45 degrees."""
    return {"turn of the compass": f"{45 * min(steps % 8, -steps % 8)} degrees"}


def errors(options: Sequence[str], place: int, top: int | None, more: Mapping[str, int] | None = None) -> list[str]:
    """What each option stands for. `place`: the right direction in the picture; `top`: the wind of the picture's upper side, if the
    question is about the compass; `more`: the winds to which further errors lead.
    """
    names = SPATIAL if top is None else WINDS
    truth = (place + (top or 0)) % 8
    wrong = in_picture(truth) if top is None else {**on_compass(truth, top), **(more or {})}
    return of_directions(truth, [names.index(option) for option in options], wrong)
