"""Rotation difference: which of five pictures breaks the even turn of the others (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from isovist.core.answers import Count
from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, RejectSample, SamplingContext
from isovist.reasoning.templates import phrasing
from isovist.suites.cospace import cot_camera_rotation, rederivation, shortcuts
from isovist.suites.cospace import environments as places
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.task_factory import cospace, facets, in_drawn_place
from isovist.suites.cospace.view_sets import Views, some_fov, varied

EVEN = 4
STEPS = (30, 45, 60)
FOVS = (95, 105)
OFF = (20.0, 25.0)
"""Degrees by which the odd picture looks to the left or right of where it should: no more than neighbours are apart, so that it is
within the sweep of the others and looks like one of them.
"""
UNEVEN = 9.0
"""Degrees by which some two turns differ, at least, whichever other picture is left out."""
PAPER_FOV, APART, PAPER_UNEVEN = 90, 50.0, 20.0
"""In the paper's design, where the odd picture is put in between the others: the same, and the degrees by which it looks away from each."""
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Scene:
    """`odd_view`: the place of the odd picture, from 0; `inserted`: whether it was put in between the others, which are even without it."""

    views: Views
    odd_view: int
    inserted: bool


def spread(turns: Sequence[float], left_out: int, *, inserted: bool) -> float:
    """By how many degrees the turns from each to the next differ at most without one of them, going round; its place stays empty unless
    it was put in.
    """
    left = [place for place in range(len(turns)) if place != left_out]
    steps = [(turns[b] - turns[a]) / (1 if inserted else b - a) for a, b in pairwise(left)]
    return max(abs(wrapped(a - b)) for a in steps for b in steps)


def odd_one(turns: Sequence[float], *, inserted: bool) -> int | None:
    """The one picture without which all turns are equal; None if there is not one, or if a second one leaves them nearly equal."""
    spreads = [spread(turns, left_out, inserted=inserted) for left_out in range(len(turns))]
    even = [i for i, value in enumerate(spreads) if value < 1e-6]
    near = [i for i, value in enumerate(spreads) if value < (PAPER_UNEVEN if inserted else UNEVEN)]
    return even[0] if len(even) == len(near) == 1 else None


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """A question about a place. Raises RejectSample."""
    rng, odd, step, inserted = plan.item_rng, plan.stratum, STEPS[plan.item_stratum("step", len(STEPS))], places.as_published(plan)
    for _ in range(_TRIES):
        turns = (_with_another if inserted else _with_one_off)(rng, odd, step)
        if odd_one(turns, inserted=inserted) == odd:
            start, fov = round(rng.uniform(0, 360), 1) % 360, PAPER_FOV if inserted else some_fov(rng, *FOVS)
            looked = Views(place, places.world(place).place, start, fov, turns)
            return Scene(looked if inserted else replace(looked, lights=varied(rng, len(turns))), odd, inserted)
    raise RejectSample


def _with_one_off(rng: Rng, odd: int, step: int) -> tuple[float, ...]:
    """Even turns, but for one picture that looks too far to the left or right."""
    turns = [float(step * i) for i in range(EVEN + 1)]
    turns[odd] += round(rng.uniform(*OFF), 1) * rng.pick((-1, 1))
    return tuple(turn - turns[0] for turn in turns)


def _with_another(rng: Rng, odd: int, step: int) -> tuple[float, ...]:
    """Even turns, and one more picture that looks somewhere else. Raises RejectSample."""
    even = [float(step * i) for i in range(EVEN)]
    other = round(rng.uniform(0, 360), 1)
    if any(abs(wrapped(other - turn)) < APART for turn in even):
        return _with_another(rng, odd, step)
    return (*even[:odd], other, *even[odd:])


_PUT_IN = "was put in at some place"


def _ask(scene: Scene) -> Question:
    odd = odd_one(scene.views.rotations_deg, inserted=scene.inserted)
    assert odd is not None
    fov, light = scene.views.fov, "The light changed a little between them. " if scene.views.lights else ""
    opening = (
        f"The {EVEN + 1} pictures were taken from one spot, and each is {fov} degrees wide. For {EVEN} of them the camera was turned "
        f"clockwise by the same angle after each, and they stand in the order in which they were taken. One more picture looks "
        f"somewhere else and {_PUT_IN}, the first and the last included."
        if scene.inserted
        else f"The {EVEN + 1} pictures were taken one after the other from one spot, and each is {fov} degrees wide. {light}After each "
        "picture the camera should have been turned clockwise by the same angle. But one picture looks 20 to 25 degrees to the left or "
        f"to the right of where it should; the other {EVEN} look where they should."
    )
    return Question(
        f"{opening}\nWhich picture is it? Give its number, from 1 for the first to {EVEN + 1} for the last.", Count(odd + 1, 1, EVEN + 1)
    )


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By where the cameras look, as complex numbers: without the odd picture all turns are one number, that over its place its square."""
    inserted, places = _PUT_IN in words, range(len(pictures))
    fits = [left_out + 1 for left_out in places if _even(pictures, [i for i in places if i != left_out], inserted=inserted)]
    return str(fits[0]) if len(fits) == 1 else "not one picture"


def _even(pictures: Sequence[Scene3D], left: Sequence[int], *, inserted: bool) -> bool:
    steps = rederivation.quarter_steps([pictures[i] for i in left])
    over = [1 if inserted else b - a for a, b in pairwise(left)]
    (one, *_) = (step for step, places in zip(steps, over, strict=True) if places == 1)
    return all(abs(step - one**places) < 0.05 for step, places in zip(steps, over, strict=True))


def _explain(scene: Scene) -> str:
    return cot_camera_rotation.of_odd_one(scene.views, scene.odd_view, _ask(scene).answer, phrasing(scene), inserted=scene.inserted)


def _replay(scene: Scene, text: str) -> list[str]:
    return cot_camera_rotation.replay_odd_one(scene.views, _ask(scene).answer, text, inserted=scene.inserted)


def _backwards(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The last picture first, and every turn the other way: the odd one is as far from the end as it was from the start."""
    looked = scene.views
    moved = replace(looked, rotations_deg=tuple(-turn for turn in reversed(looked.rotations_deg)), lights=looked.lights[::-1])
    return replace(scene, views=moved, odd_view=EVEN - scene.odd_view), lambda answer: str(EVEN + 2 - int(answer))


TASK = cospace(
    "rotation-difference",
    "Identify the view that breaks a uniform camera rotation.",
    in_drawn_place(about),
    _ask,
    _read,
    _backwards,
    chain_of_thought=_explain,
    verify_chain=_replay,
    skills=("rotation", "rotation difference"),
    paper=200,
    chance=1 / (EVEN + 1),
    strata=EVEN + 1,
    answer_type="count",
    shortcuts=shortcuts.ODD_ONES,
    attributes=lambda scene: facets(scene.views) | {"step": str(_step(scene)), "odd picture": str(scene.odd_view + 1)},
)


def _step(scene: Scene) -> int:
    left = [place for place in range(EVEN + 1) if place != scene.odd_view]
    one, two = next((a, b) for a, b in pairwise(left) if scene.inserted or b - a == 1)
    return round(scene.views.rotations_deg[two] - scene.views.rotations_deg[one])
