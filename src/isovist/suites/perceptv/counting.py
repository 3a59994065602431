"""Counting Circles, Count Coloured Circles, Counting Shapes, Counting Locations.

The authors' release asks for the red circles only, whereas the paper says all four colours, and it always has as many circles above the
plank as below. Here all counts are asked for, and they vary. In the release's Counting Circles the size is the answer; here the number of
circles differs from the size by at most two, uniformly. In the release all objects have the same size; here each colour, kind or side has
its own mean size, so that the amount of ink does not give the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from isovist.core.answers import Answer, Count, CountTuple
from isovist.core.drawing2d import Circle, Drawing, Line
from isovist.core.rng import Rng
from isovist.core.task import Answers, Checks, Exemption, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_counting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import (
    COUNTING,
    HEIGHT,
    MOST,
    PAPERS,
    SHEET,
    SIZE_IS_CLOSE_TO_THE_ANSWER,
    SIZES,
    SKILLS,
    WIDTH,
    Marks,
    asking,
    by_size,
    counts_at_size,
    draw_marks,
    equally_likely,
    n_counts_at_size,
    place_marks,
    radii_by_group,
    radii_by_number,
    reversed_answer,
    sheet,
    size,
)
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.random_placement import Field
from isovist.world.scenes.shapes2d import KINDS, Mark, kind_of, mirrored, shape, upside_down

COLOURS = ("red", "green", "blue", "yellow")
SHAPE_HUES = ("blue", "orange", "green", "purple")
PLANK_HUES = ("red", "green", "blue", "orange", "purple")
SHAPES = tuple(f"{kind}s" for kind in KINDS)
_MOST = len(SIZES)
_RADII = (0.028, 0.056)
_CIRCLE_RADII = (0.022, 0.075)
_THICK = 0.02  # thickness of the plank
PLANK = "#6b5b4b"


def _sample_circles(plan: SamplingContext) -> Marks:
    n = counts_at_size(size(plan))[plan.stratum]
    radii = radii_by_number(plan.image_rng, [0] * n, *_CIRCLE_RADII, size(plan))
    return plan.check_split(Marks(place_marks(plan, ["circle"] * n, ["black"] * n, radii)))


def _read_circles(picture: Drawing) -> str:
    return str(sum(isinstance(shape, Circle) for shape in picture.shapes))


def split_with_leader(rng: Rng, n: int, k: int, leader: int) -> list[int]:
    """Sample a split of `n` objects into `k` kinds in which kind `leader` has more than every other. All such splits are equally likely."""
    while True:
        bars = sorted(rng.sample(range(n + k - 1), k - 1))  # bars between objects in a row correspond one to one to splits
        parts = [b - a - 1 for a, b in zip([-1, *bars], [*bars, n + k - 1], strict=True)]
        top = max(parts)
        if parts.count(top) == 1:
            i = parts.index(top)
            parts[i], parts[leader] = parts[leader], parts[i]
            return parts


def splits(n: int, k: int) -> int:
    """The number of splits that `split_with_leader` chooses from, over all leaders."""
    return k * sum(_splits_below(n - most, k - 1, most) for most in range(1, n + 1))


@cache
def _splits_below(n: int, k: int, limit: int) -> int:
    """The number of ways to divide `n` objects into `k` kinds with fewer than `limit` objects each."""
    return sum(_splits_below(n - share, k - 1, limit) for share in range(min(n, limit - 1) + 1)) if k else int(n == 0)


def _leader_name(answer: Answer) -> str:
    assert isinstance(answer, CountTuple)
    return answer.labels[answer.truth.index(max(answer.truth))]


def _sample_names(plan: SamplingContext, names: tuple[str, ...]) -> list[str]:
    """As many names as the size, in random order. The most frequent name is given by the stratum."""
    counts = split_with_leader(plan.image_rng, size(plan), len(names), plan.stratum)
    return plan.image_rng.shuffled([name for name, count in zip(names, counts, strict=True) for _ in range(count)])


def _sample_coloured(plan: SamplingContext) -> Marks:
    hues = _sample_names(plan, COLOURS)
    radii = radii_by_group(plan.image_rng, hues, *_RADII)
    return plan.check_split(Marks(place_marks(plan, ["circle"] * len(hues), hues, radii)))


def _key_coloured(scene: Marks) -> CountTuple:
    counts = Counter(mark.colour for mark in scene.marks)
    return CountTuple(tuple(counts[hue] for hue in COLOURS), COLOURS, 0, _MOST)


def _read_coloured(picture: Drawing) -> str:
    fills = [NAMES[shape.fill] for shape in picture.shapes if isinstance(shape, Circle) and shape.fill]
    return ", ".join(str(fills.count(hue)) for hue in COLOURS)


def _sample_shapes(plan: SamplingContext) -> Marks:
    kinds = _sample_names(plan, KINDS)
    hues = [plan.image_rng.pick(SHAPE_HUES) for _ in kinds]
    radii = radii_by_group(plan.image_rng, kinds, *_RADII)
    return plan.check_split(Marks(place_marks(plan, kinds, hues, radii)))


def _key_shapes(scene: Marks) -> CountTuple:
    counts = Counter(mark.shape for mark in scene.marks)
    return CountTuple(tuple(counts[kind] for kind in KINDS), SHAPES, 0, _MOST)


def _read_shapes(picture: Drawing) -> str:
    kinds = [kind_of(shape) for shape in picture.shapes]
    return ", ".join(str(kinds.count(kind)) for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Plank:
    """Circles above and below a plank."""

    height: float
    marks: tuple[Mark, ...]


def _sample_plank(plan: SamplingContext) -> Plank:
    n, above = size(plan), plan.stratum
    y = round(plan.image_rng.uniform(0.42, 0.58), 4)
    upper, lower = Field(0, y + _THICK / 2, WIDTH, HEIGHT), Field(0, 0, WIDTH, y - _THICK / 2)
    hues = [plan.image_rng.pick(PLANK_HUES) for _ in range(n)]
    fields = [upper] * above + [lower] * (n - above)
    radii = radii_by_group(plan.image_rng, [i < above for i in range(n)], *_RADII)
    return plan.check_split(Plank(y, place_marks(plan, ["circle"] * n, hues, radii, fields)))


def _draw_plank(scene: Plank) -> tuple[Drawing, ...]:
    plank = Line(((0.05, scene.height), (WIDTH - 0.05, scene.height)), _THICK, PLANK)
    return (sheet((plank, *(shape(mark) for mark in scene.marks))),)


def _key_plank(scene: Plank) -> CountTuple:
    above = sum(mark.center[1] > scene.height for mark in scene.marks)
    return CountTuple((above, len(scene.marks) - above), ("above", "below"), 0, _MOST)


def _read_plank(picture: Drawing) -> str:
    (plank,) = [shape for shape in picture.shapes if isinstance(shape, Line)]
    discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
    above = [circle for circle in discs if circle.center[1] - circle.radius > plank.points[0][1]]
    return f"{len(above)}, {len(discs) - len(above)}"


def _flip(scene: Marks) -> tuple[Marks, Callable[[str], str]]:
    return Marks(mirrored(scene.marks, WIDTH)), identity


def _flip_rows(scene: Plank) -> tuple[Plank, Callable[[str], str]]:
    """Reverse top and bottom: above becomes below."""
    return Plank(round(HEIGHT - scene.height, 4), upside_down(scene.marks, HEIGHT)), reversed_answer


def _key_circles(scene: Marks) -> Count:
    return Count(len(scene.marks), 1, MOST)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/counting-circles",
        version=4,
        summary="Count black circles of different sizes.",
        sample=_sample_circles,
        draw=draw_marks,
        ask=asking(
            "The image shows black circles of different sizes.",
            "Count all circles, regardless of size.",
            _key_circles,
        ),
        rederive=lambda drawings, _: _read_circles(*drawings),
        answers=equally_likely("count", n_counts_at_size),
        skills=SKILLS["counting-circles"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["counting-circles"]),
        paper=PAPERS["counting-circles"],
        checks=Checks(
            symmetries=(_flip,),
            exemptions={
                "pixels": Exemption(SIZE_IS_CLOSE_TO_THE_ANSWER, 1.0, {"": 0.85}),
                "coarse image features (learned)": Exemption(COUNTING, 1.0, {"": 0.3}),
                "attributes": Exemption(COUNTING, 1.0, {"": 0.3}),
            },
        ),
        reasoning=reasoning.CIRCLES.of(draw_marks, _key_circles),
    ),
    Task(
        id="perceptv/count-coloured-circles",
        version=3,
        summary="Count the circles of each of four colours.",
        sample=_sample_coloured,
        draw=draw_marks,
        ask=asking(
            f"The image shows circles in some or all of these colours: {', '.join(COLOURS)}.",
            "Count the circles of each colour.",
            _key_coloured,
        ),
        rederive=lambda drawings, _: _read_coloured(*drawings),
        answers=Answers(
            type="counts", strata=len(COLOURS), balance=_leader_name, best_constant=by_size(lambda n: 1 / splits(n, len(COLOURS)))
        ),
        skills=SKILLS["count-coloured-circles"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="normal", raised=RAISED["count-coloured-circles"]),
        paper=PAPERS["count-coloured-circles"],
        checks=Checks(
            symmetries=(_flip,),
            shortcuts=shortcuts.by_ink(COLOURS, lambda _, mark: mark.colour),
            exemptions={"pixels": Exemption(COUNTING, 1.0, {"": 0.12}), "attributes": Exemption(COUNTING, 1.0, {"": 0.13})},
        ),
        reasoning=reasoning.coloured(COLOURS).of(draw_marks, _key_coloured),
    ),
    Task(
        id="perceptv/counting-shapes",
        version=3,
        summary="Count circles, triangles and squares.",
        sample=_sample_shapes,
        draw=draw_marks,
        ask=asking(
            "The image shows coloured shapes. Each shape is a circle, a triangle or a square.",
            "Count the circles, the triangles and the squares, regardless of colour.",
            _key_shapes,
        ),
        rederive=lambda drawings, _: _read_shapes(*drawings),
        answers=Answers(type="counts", strata=len(KINDS), balance=_leader_name, best_constant=by_size(lambda n: 1 / splits(n, len(KINDS)))),
        skills=SKILLS["counting-shapes"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["counting-shapes"]),
        paper=PAPERS["counting-shapes"],
        checks=Checks(
            symmetries=(_flip,),
            shortcuts=shortcuts.by_ink(KINDS, lambda _, mark: mark.shape),
            exemptions={"pixels": Exemption(COUNTING, 1.0, {"": 0.16}), "attributes": Exemption(COUNTING, 1.0, {"": 0.16})},
        ),
        reasoning=reasoning.shapes(KINDS).of(draw_marks, _key_shapes),
    ),
    Task(
        id="perceptv/counting-locations",
        version=3,
        summary="Count the circles above and below a plank.",
        sample=_sample_plank,
        draw=_draw_plank,
        ask=asking(
            "The image shows a horizontal plank and one or more coloured circles.",
            "Count the circles above the plank and the circles below the plank.",
            _key_plank,
        ),
        rederive=lambda drawings, _: _read_plank(*drawings),
        answers=equally_likely("counts", lambda n: n + 1),
        skills=SKILLS["counting-locations"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["counting-locations"]),
        paper=PAPERS["counting-locations"],
        checks=Checks(
            symmetries=(_flip_rows,),
            shortcuts=shortcuts.by_ink((True, False), lambda scene, mark: mark.center[1] > scene.height),
            exemptions={"pixels": Exemption(COUNTING, 1.0, {"": 0.15}), "attributes": Exemption(COUNTING, 1.0, {"": 0.24})},
        ),
        reasoning=reasoning.BY_PLANK.of(_draw_plank, _key_plank),
    ),
)
