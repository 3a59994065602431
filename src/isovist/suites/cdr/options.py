"""The options of CDR's questions, the names of directions among them, and the setting of their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped
from isovist.core.task import SamplingContext, Setting
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, PAPER_COMPASS, PAPER_SPATIAL
from isovist.world.scenes.distractor_types import compass_errors, direction_types, mirrored_directions

ORDER = Setting("shuffled", "order of the options; paper: the one fixed order of the published examples", choices=("shuffled", "paper"))


def arranged(plan: SamplingContext, key: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """Return the options: the key at a balanced position, the distractors in random order."""
    return with_key_at(plan.item_stratum("place", len(wrong) + 1), key, wrong, plan.item_rng.at("options"))


def directions(plan: SamplingContext, answer: int, *, compass: bool) -> tuple[str, ...]:
    """The eight directions as options."""
    if plan.settings["order"] == "paper":
        return PAPER_COMPASS if compass else PAPER_SPATIAL
    names = COMPASS_DIRECTIONS if compass else IMAGE_DIRECTIONS
    return arranged(plan, names[answer], [name for name in names if name != names[answer]])


def choice(options: tuple[str, ...], key: str) -> Choice:
    return Choice(options, options.index(key))


def direction_name(place: int, up: int | None) -> str:
    """Return the name of an image direction, or of its compass direction if the image top faces `up`."""
    return IMAGE_DIRECTIONS[place] if up is None else COMPASS_DIRECTIONS[(up + place) % 8]


def renamed(move: Callable[..., int], *by: int) -> Callable[[str], str]:
    """Return the change of a direction's name if a symmetry changes its index by `move`."""

    def rename(name: str) -> str:
        names = COMPASS_DIRECTIONS if name in COMPASS_DIRECTIONS else IMAGE_DIRECTIONS
        return names[move(names.index(name), *by)]

    return rename


def angles(answer: Choice) -> dict[str, OptionAngles]:
    """Return degrees clockwise from the image top, or from north."""
    names = COMPASS_DIRECTIONS if answer.options[0] in COMPASS_DIRECTIONS else IMAGE_DIRECTIONS
    frame = "on the compass" if names is COMPASS_DIRECTIONS else "in the image"
    return {"direction": OptionAngles(tuple(wrapped(45.0 * names.index(option)) for option in answer.options), f"clockwise {frame}")}


def rotated(direction: int, steps: int) -> int:
    """Return the direction `steps` of 45 degrees clockwise from `direction`."""
    return (direction + steps) % 8


def compass_rotation(up: int | None) -> dict[str, str]:
    """Return the unsigned angle between north and the image top as an attribute; empty for a question without a compass."""
    return {} if up is None else {"compass rotation": f"{45 * min(up % 8, -up % 8)} degrees"}


def option_types(options: Sequence[str], place: int, top: int | None, more: Mapping[str, int] | None = None) -> list[str]:
    """Return the distractor types of each option.

    `place`: the image direction of the key. `top`: the compass direction of the image top, for compass questions. `more`: the compass
    directions to which further errors lead.
    """
    names = IMAGE_DIRECTIONS if top is None else COMPASS_DIRECTIONS
    key = (place + (top or 0)) % 8
    wrong = mirrored_directions(key) if top is None else {**compass_errors(key, top), **(more or {})}
    return direction_types(key, [names.index(option) for option in options], wrong)
