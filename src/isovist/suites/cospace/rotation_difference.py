"""Rotation difference: which of five pictures breaks the even turn of the others (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from isovist.core.answers import Count
from isovist.core.rotation import wrapped
from isovist.core.solid import Stage
from isovist.core.task import Plan, Question, Reject, same
from isovist.kits.chains import phrasing
from isovist.suites.cospace import places, reading, reasoning_turns, views
from isovist.suites.cospace.frame import cospace, facets
from isovist.suites.cospace.places import Somewhere
from isovist.suites.cospace.views import Views

EVEN = 4
STEPS = (30, 45, 60)
FOV = 90
APART = 50.0
"""Degrees by which the odd picture looks away from each of the others, at least."""
UNEVEN = 20.0
"""Degrees by which some two turns differ, at least, whichever other picture is left out."""
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Scene:
    """`odd`: the place of the odd picture, from 0."""

    views: Views
    odd: int


def spread(turns: Sequence[float]) -> float:
    """By how many degrees the turns from each to the next differ at most, going round."""
    steps = [b - a for a, b in pairwise(turns)]
    return max(abs(wrapped(a - b)) for a in steps for b in steps)


def odd_one(turns: Sequence[float]) -> int | None:
    """The one picture without which all turns are equal; None if there is not one, or if a second one leaves them nearly equal."""
    spreads = [spread([turn for i, turn in enumerate(turns) if i != left_out]) for left_out in range(len(turns))]
    even = [i for i, value in enumerate(spreads) if value < 1e-6]
    near = [i for i, value in enumerate(spreads) if value < UNEVEN]
    return even[0] if len(even) == len(near) == 1 else None


def _sample(plan: Plan) -> Scene:
    return about(plan, places.drawn(plan))


def about(plan: Plan, place: Somewhere) -> Scene:
    """A question about a place. Raises Reject."""
    rng, odd, step = plan.item, plan.cell, STEPS[plan.item_cell("step", len(STEPS))]
    even = [float(step * i) for i in range(EVEN)]
    for _ in range(_TRIES):
        other = round(rng.uniform(0, 360), 1)
        turns = (*even[:odd], other, *even[odd:])
        if all(abs(wrapped(other - turn)) >= APART for turn in even) and odd_one(turns) == odd:
            start = round(rng.uniform(0, 360), 1) % 360
            return Scene(Views(place, places.world(place).place, start, FOV, turns), odd)
    raise Reject


def _ask(scene: Scene) -> Question:
    found = odd_one(scene.views.turns)
    assert found is not None
    text = (
        f"The {EVEN + 1} pictures were taken from one spot, and each is {FOV} degrees wide. For {EVEN} of them the camera was turned "
        f"clockwise by the same angle after each, and they stand in the order in which they were taken. One more picture looks "
        "somewhere else and was put in at some place, the first and the last included.\n"
        f"Which picture is it? Give its number, from 1 for the first to {EVEN + 1} for the last."
    )
    return Question(text, Count(found + 1, 1, EVEN + 1))


def _read(pictures: tuple[Stage, ...], words: str) -> str:
    """By the turns as complex numbers: without the odd picture all are one number."""
    del words
    fits = [
        left_out + 1
        for left_out in range(len(pictures))
        if _even(reading.quarter_steps([picture for i, picture in enumerate(pictures) if i != left_out]))
    ]
    return str(fits[0]) if len(fits) == 1 else "not one picture"


def _even(steps: Sequence[complex]) -> bool:
    return all(abs(step - steps[0]) < 0.1 for step in steps)


def _explain(scene: Scene) -> str:
    return reasoning_turns.of_odd_one(scene.views, scene.odd, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    return reasoning_turns.replay_odd_one(scene.views, _ask(scene).answer, text)


def _turned(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, views=views.turned(scene.views)), same


def _backwards(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The last picture first, and every turn the other way: the odd one is as far from the end as it was from the start."""
    turns = tuple(-turn for turn in reversed(scene.views.turns))
    moved = replace(scene, views=replace(scene.views, turns=turns), odd=EVEN - scene.odd)
    return moved, lambda told: str(EVEN + 2 - int(told))


TASK = cospace(
    "rotation-difference",
    "Find the picture that breaks the even turn of the camera.",
    _sample,
    _ask,
    _read,
    explain=_explain,
    replay=_replay,
    skills=("rotation", "rotation difference"),
    paper=200,
    chance=1 / (EVEN + 1),
    cells=EVEN + 1,
    answer_type="count",
    symmetries=(_turned, _backwards),
    facets=lambda scene: facets(scene.views) | {"step": str(_step(scene)), "odd picture": str(scene.odd + 1)},
)


def _step(scene: Scene) -> int:
    turns = [turn for i, turn in enumerate(scene.views.turns) if i != scene.odd]
    return round(turns[1] - turns[0])
