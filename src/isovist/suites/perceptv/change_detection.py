"""Change Colour and Vanishing Objects: the same circles in two images.

In the authors' release the number of circles is twice the size and half of them change, so the number of circles in one image gives the
answer. Here Change Colour shows 22 to 30 circles at every size, and the number of changes differs from the size by at most two, uniformly,
so the size is not the answer either. In Vanishing Objects the number of missing circles is uniform from 0 to the size. Both images show as
many circles, with the same colours and sizes: for each missing circle there is one at a new place, and some of the others exchange colours
and sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from isovist.core.answers import Count
from isovist.core.drawing2d import Circle, Drawing, Point
from isovist.core.rng import Rng
from isovist.core.task import Checks, Exemption, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_image_pairs as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import (
    MOST,
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    WIDTH,
    asking,
    counts_at_size,
    equally_likely,
    n_counts_at_size,
    place_marks,
    sheet,
    size,
)
from isovist.world.scenes.palette import RED_GREEN_SAFE
from isovist.world.scenes.shapes2d import Mark, mirrored, shape

CHANGED_HUES = RED_GREEN_SAFE
VANISHED_HUES = ("red", "green", "blue", "orange", "purple", "cyan")
_VANISHED_RADII = (0.03, 0.05)
_SHOWN = (22, 30)  # number of circles, independent of the number of changes


@dataclass(frozen=True, slots=True)
class Twice:
    """The circles of the first image and those of the second image."""

    first: tuple[Mark, ...]
    second: tuple[Mark, ...]


def _draw(scene: Twice) -> tuple[Drawing, ...]:
    return tuple(sheet(tuple(shape(mark) for mark in marks)) for marks in (scene.first, scene.second))


def _flip(scene: Twice) -> tuple[Twice, Callable[[str], str]]:
    """Mirror left and right. The number of differences does not change."""
    return Twice(mirrored(scene.first, WIDTH), mirrored(scene.second, WIDTH)), identity


def _swap(scene: Twice) -> tuple[Twice, Callable[[str], str]]:
    """Swap the two images. The number of differences does not change."""
    return Twice(scene.second, scene.first), identity


def _circle_colours(drawing: Drawing) -> dict[Point, str | None]:
    return {shape.center: shape.fill for shape in drawing.shapes if isinstance(shape, Circle)}


def _colour_chain(rng: Rng, n: int) -> list[str]:
    """Sample `n` + 1 colours: each differs from the previous one, and the last differs from the first."""
    chain = [rng.pick(CHANGED_HUES)]
    for i in range(n):
        excluded = {chain[-1], chain[0]} if i == n - 1 else {chain[-1]}
        chain.append(rng.pick([hue for hue in CHANGED_HUES if hue not in excluded]))
    return chain


def _sample_changes(plan: SamplingContext) -> Twice:
    """Sample circles of which some change colour. Each changed circle takes the colour of the next one in a chain.

    At every size the second image has one circle less of one colour and one more of another. The mean colours of the images therefore do not
    depend on the number of changes.
    """
    rng, n = plan.image_rng, counts_at_size(size(plan))[plan.stratum]
    chain = _colour_chain(rng, n)
    unchanged = [rng.pick(CHANGED_HUES) for _ in range(rng.integer(*_SHOWN) - n)]
    hues = rng.shuffled([*pairwise(chain), *zip(unchanged, unchanged, strict=True)])
    radius = round(rng.uniform(0.036, 0.052), 4)
    first = place_marks(plan, ["circle"] * len(hues), [hue for hue, _ in hues], [radius] * len(hues))
    second = tuple(Mark(mark.shape, mark.center, mark.radius, hue) for mark, (_, hue) in zip(first, hues, strict=True))
    return plan.check_split(Twice(first, second))


def _key_changes(scene: Twice) -> Count:
    changed = sum(a.colour != b.colour for a, b in zip(scene.first, scene.second, strict=True))
    return Count(changed, 1, MOST)


def _read_changes(*pictures: Drawing) -> str:
    first, second = map(_circle_colours, pictures)
    if first.keys() != second.keys():
        raise ValueError("a circle has moved")
    return str(len(first.items() - second.items()))


def _sample_vanishing(plan: SamplingContext) -> Twice:
    """Sample circles and `n_removed` new places, and deal the colours and sizes of some circles anew.

    Neither the number of circles nor ink and colours depend on the answer.
    """
    rng, n, n_removed = plan.image_rng, size(plan), plan.stratum
    shown = [(rng.pick(VANISHED_HUES), round(rng.uniform(*_VANISHED_RADII), 4)) for _ in range(n)]
    in_all = n + n_removed
    places = [mark.center for mark in place_marks(plan, ["circle"] * in_all, ["red"] * in_all, [_VANISHED_RADII[1]] * in_all)]
    changed = rng.sample(range(n), n_removed + rng.integer(0, n - n_removed))
    dealt = dict(zip(changed, rng.shuffled(changed), strict=True))
    moved = dict(zip(changed[:n_removed], places[n:], strict=True))
    first = tuple(Mark("circle", places[i], radius, hue) for i, (hue, radius) in enumerate(shown))
    looks = [shown[dealt.get(i, i)] for i in range(n)]
    second = tuple(Mark("circle", moved.get(i, places[i]), radius, hue) for i, (hue, radius) in enumerate(looks))
    return plan.check_split(Twice(first, tuple(rng.shuffled(second))))


def _read_vanishing(*pictures: Drawing) -> str:
    first, second = (_circle_colours(picture).keys() for picture in pictures)
    return str(len(first - second))


def _key_vanishing(scene: Twice) -> Count:
    places = [mark.center for mark in scene.second]
    return Count(sum(mark.center not in places for mark in scene.first), 0, len(scene.first))


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/change-colour",
        version=3,
        summary="Count the circles whose colour differs between two images.",
        sample=_sample_changes,
        draw=_draw,
        ask=asking(
            "Two images show circles at the same positions. Some circles have a different colour in the second image.",
            "Count the circles whose colour differs between the two images.",
            _key_changes,
        ),
        rederive=lambda drawings, _: _read_changes(*drawings),
        answers=equally_likely("count", n_counts_at_size),
        skills=SKILLS["change-colour"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="partial", raised=RAISED["change-colour"]),
        paper=PAPERS["change-colour"],
        checks=Checks(symmetries=(_flip, _swap)),
        reasoning=reasoning.CHANGED.of(_draw, _key_changes),
    ),
    Task(
        id="perceptv/vanishing-objects",
        version=4,
        summary="Count the circles that are missing from the second image.",
        sample=_sample_vanishing,
        draw=_draw,
        ask=asking(
            "The first image shows circles. In the second image, circles may be missing, may have another colour or size, or may be new.",
            (
                "Count the circles of the first image that are missing from the second image. A circle is missing if no circle is at its "
                "place in the second image. New circles at other places do not count."
            ),
            _key_vanishing,
        ),
        rederive=lambda drawings, _: _read_vanishing(*drawings),
        answers=equally_likely("count", lambda n: n + 1),
        skills=SKILLS["vanishing-objects"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["vanishing-objects"]),
        paper=PAPERS["vanishing-objects"],
        checks=Checks(
            symmetries=(_flip, _swap),
            shortcuts=shortcuts.VANISHED,
            exemptions={
                "coarse image features (learned)": Exemption(
                    "new circles are in other quadrants than the missing ones, so the change of ink by quadrant grows with their number",
                    0.5,
                    {"": 0.25},
                )
            },
        ),
        reasoning=reasoning.VANISHED.of(_draw, _key_vanishing),
    ),
)
