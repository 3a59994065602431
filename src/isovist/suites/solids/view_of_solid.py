"""View of a solid: which of four flat views an eye at one side of a pile sees.

The options are the views from all four sides. The side of the eye is drawn by lot at last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.drawing2d import Circle, CubeGroup, Drawing, Line, Point, Polygon, Raised, Shape
from isovist.core.reasoning.templates import phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.task import (
    Answers,
    Checks,
    Images,
    Question,
    Reasoning,
    Reported,
    Sampling,
    SamplingContext,
    Task,
    identity,
)
from isovist.suites.solids import cot, pile_pictures, pile_squares
from isovist.suites.solids.pile_pictures import MARK
from isovist.suites.solids.pile_shortcuts import OF_VIEW_OF_SOLID
from isovist.world.scenes import option_page, pile
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.distractor_types import MIRROR, OTHER_SIDE
from isovist.world.scenes.pile import SIDES, Heights
from isovist.world.scenes.solid_view import box_of, on_page

NOUN = "view"
_SIZES = {"4x4x4": (4, 4), "5x5x3": (5, 3), "5x5x4": (5, 4)}
"""Columns along each side of the floor, and the largest height. The floor is a square: else the width of a view tells two sides from two."""
_FLAT_EDGE = 0.08
TALL = 1.6
"""Height of the place of the solid, in places of options."""
HEIGHT = option_page.HEIGHT + (TALL - 1) * option_page.PANEL
_EYE = 0.06
"""Half the width of the eye, in units."""
_REACH = 0.33
"""Largest height of the eye above or below the middle of the frame."""
_FRAME = (
    "The frame shows a solid made of equal cubes. Cubes rest on the floor or on other cubes. The eye looks at the solid from its side, straight "
    "on, as the arrow points. Below are four flat views."
)
_WORDINGS = ("What does the eye see?", "Which of the views is that of the eye?")


@dataclass(frozen=True, slots=True)
class Scene:
    """`side`: the side of the eye; `options`: the sides of the views in the order of their letters."""

    level: str
    wording: int
    heights: Heights
    side: str
    options: tuple[str, ...]


def _sample(plan: SamplingContext) -> Scene:
    heights = pile_squares.balanced(plan.image_rng, *_SIZES[plan.level])
    plan.check_split(pile_squares.orbit(heights))
    side = SIDES[plan.image_stratum("side", len(SIDES))]
    options = with_key_at(plan.stratum, side, [other for other in SIDES if other != side], plan.item_rng)
    return Scene(plan.level, plan.item_stratum("wording", len(_WORDINGS)), heights, side, options)


# Picture and question -------------------------------------------------------------------------------------------------


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    below, middle = option_page.places(len(scene.options), TALL)
    scale = scale_of(len(scene.heights))
    solid = pile_pictures.painted(scene.heights, scale, middle)
    views = [
        shape
        for side, at in zip(scene.options, below, strict=True)
        for shape in pile_pictures.flat(pile.seen_from(scene.heights, side), _FLAT_EDGE, at)
    ]
    shapes = (
        *solid,
        *_eye(scene, scale, middle, box_of(polygon.points for polygon in solid)),
        *views,
        *option_page.letters(len(scene.options)),
    )
    return (Drawing(shapes, (option_page.frame(len(scene.options), 3, TALL),), len(scene.options) * option_page.PANEL, HEIGHT),)


def scale_of(n: int) -> float:
    """The length of an edge, in units, on a floor of `n` times `n` columns."""
    return round(TALL * pile_pictures.option_scale(n, n), 5)


def _eye(scene: Scene, scale: float, middle: Point, box: tuple[float, float, float, float]) -> list[Shape]:
    """An eye at a side of the solid, beside its bounding rectangle, and an arrow in the direction in which it looks."""
    dx, dy = pile_pictures.ahead(scene.side)
    at_x, at_y = pile_pictures.beside(scene.heights, scene.side, scale, middle, 0.0)
    x = box[0] - 4 * _EYE if dx > 0 else box[2] + 4 * _EYE
    y = at_y + dy / dx * (x - at_x)
    y = min(max(y, middle[1] - _REACH), middle[1] + _REACH)
    outline = on_page(((-1, 0), (-0.5, 0.42), (0, 0.56), (0.5, 0.42), (1, 0), (0.5, -0.42), (0, -0.56), (-0.5, -0.42)), _EYE, (x, y))
    iris = Circle((round(x + dx * _EYE * 0.3, 5), round(y + dy * _EYE * 0.3, 5)), _EYE * 0.36, MARK)
    tail, tip = ((x + dx * reach, y + dy * reach) for reach in (1.4 * _EYE, 3.4 * _EYE))
    return [Polygon(outline, pile_pictures.FLOOR, MARK, 0.007), iris, *pile_pictures.arrow(tail, tip)]


def _ask(scene: Scene) -> Question:
    key = scene.options.index(scene.side)
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", ImageOptionChoice.of(NOUN, len(scene.options), key))


def _cubes(drawing: Drawing) -> tuple[Sequence[CubeGroup], Sequence[Shape]]:
    solid = _solid(drawing)
    return [pile_pictures.cubes(solid)], [shape for shape in (*drawing.backdrop, *drawing.shapes) if shape not in solid]


# What the drawing shows -------------------------------------------------------------------------------------------------


def _solid(drawing: Drawing) -> list[Polygon]:
    return [polygon for polygon in pile_pictures.by_letter(drawing)[1] if polygon.stroke != MARK]


def _drawn(drawing: Drawing) -> tuple[Heights, str, dict[str, pile.Profile]]:
    """The pile, the side of the eye, and the flat views by letter."""
    below, _ = pile_pictures.by_letter(drawing)
    shaft = next(shape for shape in drawing.shapes if isinstance(shape, Line))
    (ax, ay), (bx, by) = shaft.points
    side = max(SIDES, key=lambda side: (bx - ax) * pile_pictures.ahead(side)[0] + (by - ay) * pile_pictures.ahead(side)[1])
    return pile_pictures.shown(_solid(drawing)), side, {letter: pile_pictures.columns_of(polygons) for letter, polygons in below.items()}


def _read(pictures: tuple[Drawing, ...], _text: str) -> str:
    """The view that equals the drawn pile, flattened in the direction of the arrow. Raises ValueError unless it is unique."""
    heights, side, views = _drawn(pictures[0])
    (key,) = [letter for letter, columns in views.items() if columns == pile.seen_from(heights, side)]
    return f"{NOUN} {key}"


# Errors, chains, task ---------------------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    opposite = SIDES[SIDES.index(scene.side) - 2]
    return ["" if side == scene.side else MIRROR if side == opposite else OTHER_SIDE for side in scene.options]


def _attributes(scene: Scene) -> dict[str, str]:
    return {"side": scene.side, "wording": str(scene.wording + 1)}


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Front and right exchanged, back and left exchanged; all views are mirrored."""
    other: dict[str, str] = dict(zip(SIDES, ("right", "front", "left", "back"), strict=True))
    heights = tuple(zip(*scene.heights, strict=True))
    return replace(scene, heights=heights, side=other[scene.side], options=tuple(other[side] for side in scene.options)), identity


def _reversed(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    names = [f"{NOUN} {letter}" for letter in LETTERS[: len(scene.options)]]
    return replace(scene, options=scene.options[::-1]), lambda answer: names[-1 - names.index(answer)]


def _write(scene: Scene) -> str:
    views = {letter: pile.seen_from(scene.heights, side) for letter, side in zip(LETTERS, scene.options, strict=False)}
    return write_chain(cot.eye_steps(scene.heights, scene.side, views), _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    drawing = _draw(scene)
    return step_errors(text, cot.eye_steps(*_drawn(drawing[0])), _read(drawing, ""), _ask(scene).answer)


TASK = Task(
    id="solids/view-of-solid",
    version=1,
    summary="Find the flat view that an eye at one side of a solid sees.",
    sample=_sample,
    draw=_draw,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=len(SIDES)),
    skills=("solids from drawings",),
    levels=tuple(_SIZES),
    images=Images(size_px=440, least_px=240, raised=Raised("the heights of columns", cubes=_cubes)),
    sampling=Sampling(layout=lambda scene: pile_squares.orbit(scene.heights)),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_in_a_mirror, _reversed), shortcuts=OF_VIEW_OF_SOLID),
    reasoning=Reasoning(write=_write, verify=_verify),
)
