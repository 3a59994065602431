"""List Colours, List Shapes, Colours Present.

The backgrounds are waves in pale tones that differ from all named colours, without any closed shape. The number of distinct colours or
shapes is uniform over its possible values at each size, so many objects do not imply that all names are present. Colours Present offers 24
names, four more than the largest size shows, so that every size has several possible answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from isovist.core.answers import Answer, WordSubset
from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.task import Answers, Checks, SamplingContext, Task, identity
from isovist.suites.perceptv.raised_drawings import RAISED
from isovist.suites.perceptv.shared_parts import GAP, HEIGHT, PAPERS, SHEET, SIZES, SKILLS, WIDTH, asking, by_size, sheet, size
from isovist.world.scenes.palette import HUES, NAMES
from isovist.world.scenes.random_placement import Field, scatter
from isovist.world.scenes.shape_outlines import KINDS, REACH, kind_of, outline
from isovist.world.scenes.shapes2d import Mark, upside_down

OVER_HUES = tuple(hue for hue in HUES if hue != "grey")
DARK_HUES = tuple(hue for hue in OVER_HUES if hue not in ("yellow", "pink", "cyan"))
"""Colours for shapes in tasks where colour is irrelevant: darker than every background, so visible with any colour vision."""
_MOST_WORDS = 1  # names that are always absent, so that the largest sizes have several answers
_RADII = (0.042, 0.062)

TONES = (
    ("#f4eee2", "#ece3d2", "#e2d7c3", "#d8cbb4"),  # sand
    ("#eef1f2", "#e2e7e9", "#d5dcdf", "#c8d1d5"),  # mist
    ("#eef1e8", "#e2e8d9", "#d6decb", "#cad3bd"),  # sage
    ("#f3edef", "#e9e0e3", "#ded3d7", "#d3c6cb"),  # dusk
)
"""Background tones: light and nearly grey, distinct from every drawn colour."""

_KNOTS = 7  # of a wave
_BANDS = 4


@dataclass(frozen=True, slots=True)
class Ground:
    """A background: waves from top to bottom, filled downward or drawn as lines, given by the heights of their knots."""

    tones: int
    filled: bool
    waves: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Pasted:
    """Figures on a background."""

    background: Ground
    figures: tuple[Mark, ...]


def _sample_ground(rng: Rng) -> Ground:
    filled = rng.chance(0.5)
    waves = _BANDS - 1 if filled else 2 * _BANDS
    step = HEIGHT / (waves + 1)
    heights = (tuple(round(HEIGHT - step * (i + 1) + rng.uniform(-0.45, 0.45) * step, 4) for _ in range(_KNOTS)) for i in range(waves))
    return Ground(rng.integer(0, len(TONES) - 1), filled, tuple(heights))


def wave(knots: tuple[float, ...]) -> tuple[Point, ...]:
    """A smooth line across the sheet: parabolas between the midpoints of neighbouring knots."""
    step = WIDTH / (len(knots) - 2)
    xs = [(i - 0.5) * step for i in range(len(knots))]
    points: list[Point] = []
    for i in range(1, len(knots) - 1):
        (ax, ay), (bx, by), (cx, cy) = ((xs[k], knots[k]) for k in (i - 1, i, i + 1))
        for t in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)[0 if i == 1 else 1 :]:
            u, v, w = (1 - t) ** 2 / 2, t * (1 - t) + 0.5, t * t / 2
            points.append((round(u * ax + v * bx + w * cx, 4), round(u * ay + v * by + w * cy, 4)))
    return tuple(points)


def _ground(scene: Ground) -> list[Shape]:
    top, *lower = TONES[scene.tones]
    shapes: list[Shape] = [Polygon(((0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)), top)]
    for i, knots in enumerate(scene.waves):
        line = wave(knots)
        shapes.append(Polygon(((0, 0), *line, (WIDTH, 0)), lower[i]) if scene.filled else Line(line, 0.012, lower[i % len(lower)]))
    return shapes


def _sample_words(rng: Rng, words: tuple[str, ...], kinds: int, n: int) -> list[str]:
    """Sample `n` words, `kinds` of them distinct, in random order."""
    chosen = rng.sample(words, kinds)
    return rng.shuffled([*chosen, *(rng.pick(chosen) for _ in range(n - kinds))])


def _figures(rng: Rng, kinds: list[str], hues: list[str]) -> tuple[Mark, ...]:
    radii = [round(rng.uniform(*_RADII), 4) for _ in kinds]
    reach = [radius * REACH[kind] for kind, radius in zip(kinds, radii, strict=True)]
    places = scatter(rng, [Field(0, 0, WIDTH, HEIGHT)] * len(kinds), reach, GAP)
    return tuple(Mark(*fields) for fields in zip(kinds, places, radii, hues, strict=True))


def _drawn(figures: tuple[Mark, ...], hues: dict[str, str]) -> list[Shape]:
    return [outline(mark.shape, mark.center, round(mark.radius * REACH[mark.shape], 4), hues[mark.colour]) for mark in figures]


def _sample_colours(plan: SamplingContext) -> Pasted:
    n, rng = size(plan), plan.image_rng
    hues = _sample_words(rng, OVER_HUES, plan.stratum + 1, n)
    return plan.check_split(Pasted(_sample_ground(rng), _figures(rng, [rng.pick(KINDS) for _ in range(n)], hues)))


def _sample_shapes(plan: SamplingContext) -> Pasted:
    n, rng = size(plan), plan.image_rng
    kinds = _sample_words(rng, KINDS, plan.stratum + 1, n)
    return plan.check_split(Pasted(_sample_ground(rng), _figures(rng, kinds, [rng.pick(DARK_HUES) for _ in range(n)])))


def _draw(scene: Pasted) -> tuple[Drawing, ...]:
    return (sheet((*_ground(scene.background), *_drawn(scene.figures, HUES))),)


def _set(present: set[str], words: tuple[str, ...]) -> WordSubset:
    return WordSubset(tuple(word for word in words if word in present), words)


def _listed(present: set[str], words: tuple[str, ...]) -> str:
    return ", ".join(word for word in words if word in present)


def _coloured_shapes(picture: Drawing, hues: dict[str, str]) -> list[tuple[Circle | Polygon, str]]:
    """The drawn shapes whose colour has a name, with that name."""
    return [(shape, hues[shape.fill]) for shape in picture.shapes if isinstance(shape, (Circle, Polygon)) and shape.fill in hues]


def _move(scene: Pasted) -> tuple[Pasted, Callable[[str], str]]:
    """Move the figures. The colours and shapes do not change."""
    return Pasted(scene.background, upside_down(scene.figures, HEIGHT)), identity


MANY: dict[str, str] = {
    "red": "#e6212b",
    "maroon": "#7a0f26",
    "pink": "#ff9ec4",
    "magenta": "#e91ec9",
    "purple": "#8a2fc0",
    "lavender": "#c3b1f2",
    "navy": "#14206e",
    "blue": "#2458e6",
    "light blue": "#8fcaf5",
    "cyan": "#17dbe3",
    "teal": "#0b7d84",
    "dark green": "#115c2a",
    "green": "#2aa63d",
    "mint": "#a4f2c4",
    "lime": "#a0e81a",
    "olive": "#82801c",
    "yellow": "#ffe100",
    "cream": "#fff2a8",
    "orange": "#ff8410",
    "peach": "#ffbf94",
    "brown": "#8b5024",
    "light grey": "#c8c8c8",
    "dark grey": "#525252",
    "black": "#101010",
}
"""Any two colours are at least 25 apart in CIE Lab (Euclidean distance, D65), and at least 19 from white paper."""
MANY_NAMES = {colour: name for name, colour in MANY.items()}
COLOUR_NAMES = tuple(MANY)


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures on a white background."""

    figures: tuple[Mark, ...]


def _sample_present(plan: SamplingContext) -> Figures:
    """Use each colour at least once, and up to half as many extra objects, so that object counts do not give the answer."""
    n, rng = size(plan), plan.image_rng
    extra = rng.integer(0, (n + 1) // 2)
    hues = _sample_words(rng, COLOUR_NAMES, n, n + extra)
    return plan.check_split(Figures(_figures(rng, [rng.pick(KINDS) for _ in hues], hues)))


def _move_present(scene: Figures) -> tuple[Figures, Callable[[str], str]]:
    """Move the figures. The colours do not change."""
    return Figures(upside_down(scene.figures, HEIGHT)), identity


def _set_size(answer: Answer) -> str:
    assert isinstance(answer, WordSubset)
    return str(len(answer.truth))


def _numbers(words: tuple[str, ...]) -> Callable[[int], int]:
    """The largest possible number of distinct names at each size."""
    return lambda n: min(n, len(words) - _MOST_WORDS)


def _most_likely_set(words: tuple[str, ...]) -> tuple[float, ...]:
    """The probability of the most likely set at each size. The number of names is uniform, so sets of a size with few sets are most likely."""
    return tuple(max(1 / comb(len(words), k) for k in range(1, most + 1)) / most for most in by_size(_numbers(words)))


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/list-colours",
        version=3,
        summary="List the colours of shapes drawn over a background.",
        sample=_sample_colours,
        draw=_draw,
        ask=asking(
            "The image shows coloured shapes on a pale background.",
            "List every colour of the shapes. Name each colour once. Ignore the background.",
            lambda scene: _set({mark.colour for mark in scene.figures}, OVER_HUES),
        ),
        rederive=lambda drawings, _: _listed({hue for _, hue in _coloured_shapes(drawings[0], NAMES)}, OVER_HUES),
        answers=Answers(type="subset", strata=by_size(_numbers(OVER_HUES)), balance=_set_size, best_constant=_most_likely_set(OVER_HUES)),
        skills=SKILLS["list-colours"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="normal"),
        paper=PAPERS["list-colours"],
        checks=Checks(symmetries=(_move,)),
    ),
    Task(
        id="perceptv/list-shapes",
        version=3,
        summary="List the kinds of shapes drawn over a background.",
        sample=_sample_shapes,
        draw=_draw,
        ask=asking(
            "The image shows shapes on a pale background.",
            "List every kind of shape in the image. Name each kind once. Ignore the background and the colours.",
            lambda scene: _set({mark.shape for mark in scene.figures}, KINDS),
        ),
        rederive=lambda drawings, _: _listed({kind_of(shape) for shape, _ in _coloured_shapes(drawings[0], NAMES)}, KINDS),
        answers=Answers(type="subset", strata=by_size(_numbers(KINDS)), balance=_set_size, best_constant=_most_likely_set(KINDS)),
        skills=SKILLS["list-shapes"],
        levels=SIZES,
        images=SHEET,
        paper=PAPERS["list-shapes"],
        checks=Checks(symmetries=(_move,)),
    ),
    Task(
        id="perceptv/colours-present",
        version=3,
        summary="List which of 24 colours are present.",
        sample=_sample_present,
        draw=lambda scene: (sheet(tuple(_drawn(scene.figures, MANY))),),
        ask=asking(
            "The image shows different shapes in different colours on a white background.",
            f"Check each of the {len(COLOUR_NAMES)} colours below. List the colours that at least one shape has.",
            lambda scene: _set({mark.colour for mark in scene.figures}, COLOUR_NAMES),
        ),
        rederive=lambda drawings, _: _listed({hue for _, hue in _coloured_shapes(drawings[0], MANY_NAMES)}, COLOUR_NAMES),
        answers=Answers(type="subset", strata=1, balance=_set_size, best_constant=by_size(lambda n: 1 / comb(len(COLOUR_NAMES), n))),
        skills=SKILLS["colours-present"],
        levels=SIZES,
        images=replace(SHEET, colour_vision="normal", raised=RAISED["colours-present"]),
        paper=PAPERS["colours-present"],
        checks=Checks(symmetries=(_move_present,)),
    ),
)
