"""Change Colour and Vanishing Objects: the same circles before and after.

In the authors' release there are always twice as many circles as the size, and half of them change: whoever counts the
circles of one picture knows the answer. Here 22 to 30 circles are shown at every size of Change Colour, and as many change as
the size says or up to two more or fewer, each number equally often, so that the size is not the answer either. In Vanishing
Objects none, some or all of the circles vanish, each number equally often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from isovist.core.answers import Count
from isovist.core.drawing2d import Circle, Drawing, Point
from isovist.core.rng import Rng
from isovist.core.task import SamplingContext, Task, identity
from isovist.scenes.palette import RED_GREEN_SAFE
from isovist.scenes.shapes2d import Mark, mirrored, shape
from isovist.suites.perceptv import cot_image_pairs as reasoning
from isovist.suites.perceptv.task_factory import COUNTING, MOST, WIDTH, domain, near, numbers_near, sheet, size, spread

CHANGED_HUES = RED_GREEN_SAFE
VANISHED_HUES = ("red", "green", "blue", "orange", "purple", "cyan")
_SHOWN = (22, 30)  # circles, however many of them change: their number tells nothing


@dataclass(frozen=True, slots=True)
class Twice:
    """The circles of the first picture and those of the second."""

    first: tuple[Mark, ...]
    second: tuple[Mark, ...]


def _draw(scene: Twice) -> tuple[Drawing, ...]:
    return tuple(sheet(tuple(shape(mark) for mark in marks)) for marks in (scene.first, scene.second))


def _flip(scene: Twice) -> tuple[Twice, Callable[[str], str]]:
    """Left to right: as many differences."""
    return Twice(mirrored(scene.first, WIDTH), mirrored(scene.second, WIDTH)), identity


def _swap(scene: Twice) -> tuple[Twice, Callable[[str], str]]:
    """The second picture first: as many differences."""
    return Twice(scene.second, scene.first), identity


def _discs(drawing: Drawing) -> dict[Point, str | None]:
    return {shape.center: shape.fill for shape in drawing.shapes if isinstance(shape, Circle)}


def _chain(rng: Rng, n: int) -> list[str]:
    """`n` + 1 colours, each other than the one before, and the last other than the first."""
    chain = [rng.pick(CHANGED_HUES)]
    for i in range(n):
        excluded = {chain[-1], chain[0]} if i == n - 1 else {chain[-1]}
        chain.append(rng.pick([hue for hue in CHANGED_HUES if hue not in excluded]))
    return chain


def _sample_changes(plan: SamplingContext) -> Twice:
    """Each circle that changes takes over the colour of the next one in a chain.

    So at every size the second picture has one circle less of one colour and one more of another, and the mean colours
    of the pictures do not tell how many have changed.
    """
    rng, n = plan.image_rng, near(size(plan))[plan.stratum]
    chain = _chain(rng, n)
    stay = [rng.pick(CHANGED_HUES) for _ in range(rng.integer(*_SHOWN) - n)]
    hues = rng.shuffled([*pairwise(chain), *zip(stay, stay, strict=True)])
    radius = round(rng.uniform(0.036, 0.052), 4)
    first = spread(plan, ["circle"] * len(hues), [hue for hue, _ in hues], [radius] * len(hues))
    second = tuple(Mark(mark.shape, mark.center, mark.radius, hue) for mark, (_, hue) in zip(first, hues, strict=True))
    return plan.check_split(Twice(first, second))


def _key_changes(scene: Twice) -> Count:
    changed = sum(a.colour != b.colour for a, b in zip(scene.first, scene.second, strict=True))
    return Count(changed, 1, MOST)


def _read_changes(*pictures: Drawing) -> str:
    first, second = map(_discs, pictures)
    if first.keys() != second.keys():
        raise ValueError("a circle has moved")
    return str(len(first.items() - second.items()))


def _sample_vanishing(plan: SamplingContext) -> Twice:
    rng, n, gone = plan.image_rng, size(plan), plan.stratum
    radii = [round(rng.uniform(0.035, 0.07), 4) for _ in range(n)]
    first = spread(plan, ["circle"] * n, [rng.pick(VANISHED_HUES) for _ in range(n)], radii)
    lost = set(rng.sample(range(n), gone))
    return plan.check_split(Twice(first, tuple(mark for i, mark in enumerate(first) if i not in lost)))


def _read_vanishing(*pictures: Drawing) -> str:
    first, second = (set(_discs(picture).items()) for picture in pictures)
    if second - first:
        raise ValueError("a circle has come, moved or changed")
    return str(len(first - second))


TASKS: tuple[Task[Any], ...] = (
    domain(
        "change-colour",
        "Count the circles whose colour differs between two images.",
        _sample_changes,
        _draw,
        _read_changes,
        shown="Two images show circles at the same positions. Some circles have a different colour in the second image.",
        rules="Count the circles whose colour differs between the two images.",
        key=_key_changes,
        strata=numbers_near,
        answer_type="count",
        colour_vision="partial",
        reasoning=reasoning.CHANGED,
        symmetries=(_flip, _swap),
    ),
    domain(
        "vanishing-objects",
        "Count the circles that are missing from the second image.",
        _sample_vanishing,
        _draw,
        _read_vanishing,
        shown="The first image shows circles. The second image shows the same circles, but none, some or all of them are missing.",
        rules="Count the circles of the first image that are missing from the second image.",
        key=lambda scene: Count(len(scene.first) - len(scene.second), 0, len(scene.first)),
        strata=lambda n: n + 1,
        answer_type="count",
        reasoning=reasoning.VANISHED,
        symmetries=(_flip,),
        audit_exemptions={"pixels": f"the difference in content between the images is the question: {COUNTING}"},
    ),
)
