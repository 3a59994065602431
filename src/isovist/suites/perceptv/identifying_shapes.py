"""Identifying Shapes: name the shape in each row.

The authors' release draws five kinds of shapes. Here there are eight, in every colour and at any position in their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import WordSequence
from isovist.core.drawing2d import Circle, Drawing, Polygon
from isovist.core.task import Answers, Checks, Exemption, SamplingContext, Task
from isovist.suites.perceptv.raised_drawings import BAND, RAISED
from isovist.suites.perceptv.shared_parts import (
    PAPERS,
    SHEET,
    SIZES,
    SKILLS,
    asking,
    chance_of_sequences,
    first,
    reversed_answer,
    sheet,
    size,
)
from isovist.world.scenes.palette import HUES, NAMES
from isovist.world.scenes.shape_outlines import KINDS, REACH, kind_of, outline
from isovist.world.scenes.shapes2d import Mark, upside_down

_WIDTH = 1.0
_ROW = 0.15  # the least height of a row: 60 pixels
_LEAST = 0.6  # of the sheet
_RADII = (0.042, 0.052)
_SIDE = 0.1  # from a figure's centre to the sheet's sides, at least
ROW_HUES = tuple(hue for hue in HUES if hue != "grey")


@dataclass(frozen=True, slots=True)
class Rows:
    """One figure in each row, from top to bottom."""

    height: float
    figures: tuple[Mark, ...]


def _sample(plan: SamplingContext) -> Rows:
    n, rng = size(plan), plan.image_rng
    height = max(_LEAST, n * _ROW)
    kinds = [KINDS[plan.stratum], *(rng.pick(KINDS) for _ in range(n - 1))]
    figures: list[Mark] = []
    for i, kind in enumerate(kinds):
        at = (round(rng.uniform(_SIDE, _WIDTH - _SIDE), 4), round(height - (i + 0.5) * height / n, 4))
        figures.append(Mark(kind, at, round(rng.uniform(*_RADII), 4), rng.pick(ROW_HUES)))
    return plan.check_split(Rows(round(height, 4), tuple(figures)))


def _draw(scene: Rows) -> tuple[Drawing, ...]:
    step = scene.height / len(scene.figures)
    bands = (
        Polygon(((0, y), (_WIDTH, y), (_WIDTH, y + step), (0, y + step)), BAND)
        for y in (scene.height - (i + 1) * step for i in range(1, len(scene.figures), 2))
    )
    figures = (outline(mark.shape, mark.center, round(mark.radius * REACH[mark.shape], 4), HUES[mark.colour]) for mark in scene.figures)
    return (sheet((*bands, *figures), _WIDTH, scene.height),)


def _read(picture: Drawing) -> str:
    by_height: list[tuple[float, str]] = []
    for shape in picture.shapes:
        if isinstance(shape, Circle) and shape.fill in NAMES:
            by_height.append((shape.center[1], "circle"))
        elif isinstance(shape, Polygon) and shape.fill in NAMES:
            by_height.append((max(y for _, y in shape.points), kind_of(shape)))
    return ", ".join(kind for _, kind in sorted(by_height, reverse=True))


def _flip(scene: Rows) -> tuple[Rows, Callable[[str], str]]:
    """Reverse the order of the rows."""
    return Rows(scene.height, upside_down(reversed(scene.figures), scene.height)), reversed_answer


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/identifying-shapes",
        version=2,
        summary="Name the shape in each row.",
        sample=_sample,
        draw=_draw,
        ask=asking(
            "The image shows rows with one shape in each row.",
            "Name the shape in each row, from the top row to the bottom row.",
            lambda scene: WordSequence(tuple(mark.shape for mark in scene.figures), KINDS),
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=Answers(type="sequence", strata=len(KINDS), balance=first, best_constant=chance_of_sequences(len(KINDS))),
        skills=SKILLS["identifying-shapes"],
        levels=SIZES,
        images=replace(SHEET, raised=RAISED["identifying-shapes"]),
        paper=PAPERS["identifying-shapes"],
        checks=Checks(
            symmetries=(_flip,),
            exemptions={"pixels": Exemption("shape is the question: an image with one row shows no other", 1.0, {"": 0.05})},
        ),
    ),
)
