"""Rotation difference: which of five images breaks the uniform rotation of the others (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from isovist.core.answers import Count
from isovist.core.reasoning.templates import phrasing
from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Preset, Question, Reasoning, RejectSample, Reported, SamplingContext, Task
from isovist.suites.cospace import cot_camera_rotation, rederivation, shortcuts
from isovist.suites.cospace import environments as places
from isovist.suites.cospace.environments import SETTINGS, Somewhere
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, attributes, in_drawn_place, turned_world
from isovist.suites.cospace.view_sets import Views, some_fov, varied

EVEN = 4
STEPS = (30, 45, 60)
FOVS = (95, 105)
OFF = (20.0, 25.0)
"""Degrees between the heading of the odd image and its correct heading, to the left or right. The offset is less than the rotation between
neighbours, so the odd image stays within the range of the others and resembles them.
"""
UNEVEN = 9.0
"""Degrees: without any image other than the odd one, at least two rotations differ by this much."""
PAPER_FOV, APART, PAPER_UNEVEN = 90, 50.0, 20.0
"""Values of the paper's design, where the odd image is inserted: field of view, the least difference in heading from every other image, and
the least difference of two rotations as above, in degrees.
"""
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Scene:
    """`odd_view`: index of the odd image, from 0; `inserted`: whether it was inserted into a uniform sequence of the others."""

    views: Views
    odd_view: int
    inserted: bool


def spread(turns: Sequence[float], left_out: int, *, inserted: bool) -> float:
    """The largest difference in degrees between two rotations if one image is left out. The rotation across the gap counts as two steps,
    unless the image was inserted.
    """
    remaining = [index for index in range(len(turns)) if index != left_out]
    steps = [(turns[b] - turns[a]) / (1 if inserted else b - a) for a, b in pairwise(remaining)]
    return max(abs(wrapped(a - b)) for a in steps for b in steps)


def odd_one(turns: Sequence[float], *, inserted: bool) -> int | None:
    """The index of the only image without which all rotations are equal; None without one, or if a second image leaves them nearly equal."""
    spreads = [spread(turns, left_out, inserted=inserted) for left_out in range(len(turns))]
    even = [i for i, value in enumerate(spreads) if value < 1e-6]
    near = [i for i, value in enumerate(spreads) if value < (PAPER_UNEVEN if inserted else UNEVEN)]
    return even[0] if len(even) == len(near) == 1 else None


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """Sample the scene of a question about a place. Raises RejectSample."""
    rng, odd, step, inserted = plan.item_rng, plan.stratum, STEPS[plan.item_stratum("step", len(STEPS))], places.as_published(plan)
    for _ in range(_TRIES):
        turns = (_with_another if inserted else _with_one_off)(rng, odd, step)
        if odd_one(turns, inserted=inserted) == odd:
            start, fov = round(rng.uniform(0, 360), 1) % 360, PAPER_FOV if inserted else some_fov(rng, *FOVS)
            views = Views(place, places.world(place).place, start, fov, turns)
            return Scene(views if inserted else replace(views, lights=varied(rng, len(turns))), odd, inserted)
    raise RejectSample


def _with_one_off(rng: Rng, odd: int, step: int) -> tuple[float, ...]:
    """Uniform rotations, except for one image whose heading is too far to the left or right."""
    turns = [float(step * i) for i in range(EVEN + 1)]
    turns[odd] += round(rng.uniform(*OFF), 1) * rng.pick((-1, 1))
    return tuple(turn - turns[0] for turn in turns)


def _with_another(rng: Rng, odd: int, step: int) -> tuple[float, ...]:
    """Uniform rotations and one additional image with a different heading."""
    even = [float(step * i) for i in range(EVEN)]
    other = round(rng.uniform(0, 360), 1)
    if any(abs(wrapped(other - turn)) < APART for turn in even):
        return _with_another(rng, odd, step)
    return (*even[:odd], other, *even[odd:])


_INSERTED = "was inserted into this sequence"


def _ask(scene: Scene) -> Question:
    odd = odd_one(scene.views.rotations_deg, inserted=scene.inserted)
    assert odd is not None
    fov, light = scene.views.fov, "The lighting differs slightly between the images. " if scene.views.lights else ""
    preamble = (
        f"The five images were taken from the same position. Each image has a horizontal field of view of {fov} degrees. Four of the "
        "images form a sequence: after each of them, the camera was rotated clockwise (seen from above) by the same angle. They are in "
        f"the order in which they were taken. The other image has a different heading. It {_INSERTED} at an arbitrary place, possibly "
        "first or last."
        if scene.inserted
        else f"The five images were taken one after another from the same position. Each image has a horizontal field of view of {fov} "
        f"degrees. {light}After each image, the camera should have been rotated clockwise (seen from above) by the same angle. One image "
        "is misaligned: its heading is 20 to 25 degrees to the left or to the right of the correct heading. The other four images have "
        "the correct headings."
    )
    question = f"Which image {'was inserted' if scene.inserted else 'is misaligned'}?"
    return Question(
        f"{preamble}\n{question} Give its number, from 1 for the first image to {EVEN + 1} for the last image.",
        Count(odd + 1, 1, EVEN + 1),
    )


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """By the rotations as complex numbers. Without the odd image all are equal; the rotation across its place is the square."""
    inserted, indices = _INSERTED in text, range(len(pictures))
    matching = [left_out + 1 for left_out in indices if _even(pictures, [i for i in indices if i != left_out], inserted=inserted)]
    return str(matching[0]) if len(matching) == 1 else "not one image"


def _even(pictures: Sequence[Scene3D], remaining: Sequence[int], *, inserted: bool) -> bool:
    """Whether the rotations between the remaining images are uniform."""
    steps = rederivation.rotation_steps([pictures[i] for i in remaining])
    n_intervals = [1 if inserted else b - a for a, b in pairwise(remaining)]
    (single_step, *_) = (step for step, n in zip(steps, n_intervals, strict=True) if n == 1)
    return all(abs(step - single_step**n) < 0.05 for step, n in zip(steps, n_intervals, strict=True))


def _explain(scene: Scene) -> str:
    return cot_camera_rotation.of_odd_one(scene.views, scene.odd_view, _ask(scene).answer, phrasing(scene), inserted=scene.inserted)


def _replay(scene: Scene, text: str) -> list[str]:
    return cot_camera_rotation.replay_odd_one(scene.views, _ask(scene).answer, text, inserted=scene.inserted)


def _backwards(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Reverse the order of the images and the sense of every rotation. The odd image counts from the other end."""
    views = scene.views
    reversed_views = replace(views, rotations_deg=tuple(-turn for turn in reversed(views.rotations_deg)), lights=views.lights[::-1])
    return replace(scene, views=reversed_views, odd_view=EVEN - scene.odd_view), lambda answer: str(EVEN + 2 - int(answer))


TASK = Task(
    id="cospace/rotation-difference",
    version=6,
    summary="Identify the view that breaks a uniform camera rotation.",
    sample=in_drawn_place(about),
    draw=lambda scene: scene.views.stages(),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="count", strata=EVEN + 1),
    skills=("rotation", "rotation difference"),
    settings=SETTINGS,
    images=SQUARE,
    sampling=BY_PLACE,
    paper=replace(PAPER, sizes={"test": Preset(200)}),
    reported=Reported(
        attributes=lambda scene: attributes(scene.views) | {"rotation step": str(_step(scene)), "odd image": str(scene.odd_view + 1)}
    ),
    checks=Checks(symmetries=(turned_world, _backwards), shortcuts=shortcuts.ODD_ONES),
    reasoning=Reasoning(_explain, _replay),
)


def _step(scene: Scene) -> int:
    """The uniform rotation in degrees."""
    remaining = [index for index in range(EVEN + 1) if index != scene.odd_view]
    first, second = next((a, b) for a, b in pairwise(remaining) if scene.inserted or b - a == 1)
    return round(scene.views.rotations_deg[second] - scene.views.rotations_deg[first])
