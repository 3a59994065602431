"""Counting Circles, Count Coloured Circles, Counting Shapes, Counting Locations.

The authors' release asks for the red circles only where the paper says all four colours, and its circles above and below
the plank are always as many; here all counts are asked, and they vary. Its Counting Circles shows as many circles as the size
says, so that the size is the answer; here it is up to two more or fewer, each number equally often. Its objects are all of one size;
here those of each colour, kind or side have a size of their own, so that ink does not stand for their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from isovist.core.answers import Answer, Count, CountTuple
from isovist.core.drawing2d import Circle, Drawing, Line
from isovist.core.rng import Rng
from isovist.core.task import Question, SamplingContext, Task, identity
from isovist.scenes.palette import NAMES
from isovist.scenes.random_placement import Field
from isovist.scenes.shapes2d import KINDS, Mark, kind_of, mirrored, shape
from isovist.suites.perceptv import cot_counting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.task_factory import (
    COUNTING,
    HEIGHT,
    MOST,
    SIZE_IS_NEAR_THE_ANSWER,
    SIZES,
    WIDTH,
    Marks,
    backwards,
    by_size,
    domain,
    draw_marks,
    near,
    of_groups,
    question,
    sheet,
    size,
    spread,
)

COLOURS = ("red", "green", "blue", "yellow")
SHAPE_HUES = ("blue", "orange", "green", "purple")
PLANK_HUES = ("red", "green", "blue", "orange", "purple")
SHAPES = tuple(f"{kind}s" for kind in KINDS)
_MOST = len(SIZES)
_RADII = (0.028, 0.056)
_THICK = 0.02  # of the plank
PLANK = "#6b5b4b"


def _sample_circles(plan: SamplingContext) -> Marks:
    n = near(size(plan))[plan.stratum]
    radii = [round(plan.image_rng.uniform(0.025, 0.075), 4) for _ in range(n)]
    return plan.check_split(Marks(spread(plan, ["circle"] * n, ["black"] * n, radii)))


def _ask_circles(scene: Marks) -> Question:
    return question(
        "The picture shows black circles of different sizes.",
        "Count every circle, large or small.",
        Count(len(scene.marks), 1, MOST),
    )


def _read_circles(pictures: tuple[Drawing, ...], _words: str) -> str:
    return str(sum(isinstance(shape, Circle) for shape in pictures[0].shapes))


def led(rng: Rng, n: int, k: int, leader: int) -> list[int]:
    """A split of `n` objects into `k` kinds in which one kind, the leader, has more than every other; each split is equally likely."""
    while True:
        bars = sorted(rng.sample(range(n + k - 1), k - 1))  # between objects in a row, which stand for the splits one to one
        parts = [b - a - 1 for a, b in zip([-1, *bars], [*bars, n + k - 1], strict=True)]
        top = max(parts)
        if parts.count(top) == 1:
            i = parts.index(top)
            parts[i], parts[leader] = parts[leader], parts[i]
            return parts


def splits(n: int, k: int) -> int:
    """How many splits `led` chooses from, over all leaders."""
    return k * sum(_splits_below(n - most, k - 1, most) for most in range(1, n + 1))


@cache
def _splits_below(n: int, k: int, limit: int) -> int:
    """How many ways there are to part `n` objects into `k` kinds that each have fewer than `limit`."""
    return sum(_splits_below(n - share, k - 1, limit) for share in range(min(n, limit - 1) + 1)) if k else int(n == 0)


def _leader(answer: Answer) -> str:
    assert isinstance(answer, CountTuple)
    return answer.labels[answer.truth.index(max(answer.truth))]


def _sample_coloured(plan: SamplingContext) -> Marks:
    n = size(plan)
    counts = led(plan.image_rng, n, len(COLOURS), plan.stratum)
    hues = plan.image_rng.shuffled([hue for hue, count in zip(COLOURS, counts, strict=True) for _ in range(count)])
    radii = of_groups(plan.image_rng, hues, *_RADII)
    return plan.check_split(Marks(spread(plan, ["circle"] * n, hues, radii)))


def _ask_coloured(scene: Marks) -> Question:
    seen = Counter(mark.hue for mark in scene.marks)
    return question(
        f"The picture shows circles in these colours: {', '.join(COLOURS)}. A colour may be missing.",
        "Count the circles of each colour.",
        CountTuple(tuple(seen[hue] for hue in COLOURS), COLOURS, 0, _MOST),
    )


def _read_coloured(pictures: tuple[Drawing, ...], _words: str) -> str:
    fills = [NAMES[shape.fill] for shape in pictures[0].shapes if isinstance(shape, Circle) and shape.fill]
    return ", ".join(str(fills.count(hue)) for hue in COLOURS)


def _sample_shapes(plan: SamplingContext) -> Marks:
    n = size(plan)
    counts = led(plan.image_rng, n, len(KINDS), plan.stratum)
    kinds = plan.image_rng.shuffled([kind for kind, count in zip(KINDS, counts, strict=True) for _ in range(count)])
    hues = [plan.image_rng.pick(SHAPE_HUES) for _ in range(n)]
    radii = of_groups(plan.image_rng, kinds, *_RADII)
    return plan.check_split(Marks(spread(plan, kinds, hues, radii)))


def _ask_shapes(scene: Marks) -> Question:
    seen = Counter(mark.kind for mark in scene.marks)
    return question(
        "The picture shows circles, triangles and squares in several colours. A shape may be missing.",
        "Count the circles, the triangles and the squares, whatever their colour.",
        CountTuple(tuple(seen[kind] for kind in KINDS), SHAPES, 0, _MOST),
    )


def _read_shapes(pictures: tuple[Drawing, ...], _words: str) -> str:
    kinds = [kind_of(shape) for shape in pictures[0].shapes]
    return ", ".join(str(kinds.count(kind)) for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Plank:
    """Circles on both sides of a plank."""

    height: float
    marks: tuple[Mark, ...]


def _sample_plank(plan: SamplingContext) -> Plank:
    n, above = size(plan), plan.stratum
    y = round(plan.image_rng.uniform(0.42, 0.58), 4)
    upper, lower = Field(0, y + _THICK / 2, WIDTH, HEIGHT), Field(0, 0, WIDTH, y - _THICK / 2)
    hues = [plan.image_rng.pick(PLANK_HUES) for _ in range(n)]
    fields = [upper] * above + [lower] * (n - above)
    radii = of_groups(plan.image_rng, [i < above for i in range(n)], *_RADII)
    return plan.check_split(Plank(y, spread(plan, ["circle"] * n, hues, radii, fields)))


def _draw_plank(scene: Plank) -> tuple[Drawing, ...]:
    plank = Line(((0.05, scene.height), (WIDTH - 0.05, scene.height)), _THICK, PLANK)
    return (sheet((plank, *(shape(mark) for mark in scene.marks))),)


def _ask_plank(scene: Plank) -> Question:
    above = sum(mark.at[1] > scene.height for mark in scene.marks)
    return question(
        "The picture shows a horizontal plank and some coloured circles.",
        "Count the circles above the plank and the circles below it.",
        CountTuple((above, len(scene.marks) - above), ("above", "below"), 0, _MOST),
    )


def _read_plank(pictures: tuple[Drawing, ...], _words: str) -> str:
    (plank,) = [shape for shape in pictures[0].shapes if isinstance(shape, Line)]
    discs = [shape for shape in pictures[0].shapes if isinstance(shape, Circle)]
    above = [circle for circle in discs if circle.center[1] - circle.radius > plank.points[0][1]]
    return f"{len(above)}, {len(discs) - len(above)}"


def _flip(scene: Marks) -> tuple[Marks, Callable[[str], str]]:
    return Marks(mirrored(scene.marks, WIDTH)), identity


def _turn(scene: Plank) -> tuple[Plank, Callable[[str], str]]:
    """Upside down: above becomes below."""
    flipped = Plank(
        round(HEIGHT - scene.height, 4), tuple(Mark(m.kind, (m.at[0], round(HEIGHT - m.at[1], 4)), m.radius, m.hue) for m in scene.marks)
    )
    return flipped, backwards


TASKS: tuple[Task[Any], ...] = (
    domain(
        "counting-circles",
        "Count black circles of different sizes.",
        _sample_circles,
        draw_marks,
        _ask_circles,
        _read_circles,
        strata=by_size(lambda n: len(near(n))),
        chance=by_size(lambda n: 1 / len(near(n))),
        answer_type="count",
        version=2,
        reasoning=reasoning.CIRCLES,
        symmetries=(_flip,),
        audit_exemptions={"pixels": SIZE_IS_NEAR_THE_ANSWER},
    ),
    domain(
        "count-coloured-circles",
        "Count the circles of each of four colours.",
        _sample_coloured,
        draw_marks,
        _ask_coloured,
        _read_coloured,
        strata=len(COLOURS),
        balance=_leader,
        chance=by_size(lambda n: 1 / splits(n, len(COLOURS))),
        answer_type="counts",
        colour_vision="normal",
        version=2,
        reasoning=reasoning.coloured(COLOURS),
        shortcuts=shortcuts.by_ink(COLOURS, lambda _, mark: mark.hue),
        symmetries=(_flip,),
        audit_exemptions={"pixels": COUNTING},
    ),
    domain(
        "counting-shapes",
        "Count circles, triangles and squares.",
        _sample_shapes,
        draw_marks,
        _ask_shapes,
        _read_shapes,
        strata=len(KINDS),
        balance=_leader,
        chance=by_size(lambda n: 1 / splits(n, len(KINDS))),
        answer_type="counts",
        version=2,
        reasoning=reasoning.shapes(KINDS),
        shortcuts=shortcuts.by_ink(KINDS, lambda _, mark: mark.kind),
        symmetries=(_flip,),
        audit_exemptions={"pixels": COUNTING},
    ),
    domain(
        "counting-locations",
        "Count the circles above and below a plank.",
        _sample_plank,
        _draw_plank,
        _ask_plank,
        _read_plank,
        strata=by_size(lambda n: n + 1),
        chance=by_size(lambda n: 1 / (n + 1)),
        answer_type="counts",
        version=2,
        reasoning=reasoning.BY_PLANK,
        shortcuts=shortcuts.by_ink((True, False), lambda scene, mark: mark.at[1] > scene.height),
        symmetries=(_turn,),
        audit_exemptions={"pixels": COUNTING},
    ),
)
