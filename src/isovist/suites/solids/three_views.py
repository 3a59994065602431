"""Three views: which of four piles has the drawn views from the front, from the right and from above.

The piles are one pile with two rows, two columns, or both exchanged; the views are those of one that is drawn by lot at last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.drawing2d import CubeGroup, Drawing, Label, Polygon, Raised, Shape
from isovist.core.reasoning.templates import Step, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.task import Answers, Checks, Images, Question, Reasoning, Reported, Sampling, SamplingContext, Task, identity
from isovist.suites.solids import cot, pile_pictures, pile_squares
from isovist.suites.solids.pile_shortcuts import OF_THREE_VIEWS
from isovist.world.scenes import option_page, pile
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.distractor_types import FRONT_ALONE, NEITHER_VIEW, RIGHT_ALONE
from isovist.world.scenes.pile import Heights

NOUN = "solid"
_SIZES = {"4x4x3": (4, 4, 3), "4x4x4": (4, 4, 4), "5x4x4": (5, 4, 4)}
"""Columns along both sides of the floor, and the largest height."""
_OPTIONS = 4
_VIEWS = ("front", "right", "above")
_FRAME = (
    "The frame shows a solid made of equal cubes from the front, from the right and from above, there with the front below. "
    "Cubes rest on the floor or on other cubes. "
    "Below are four solids. Arrows mark the front and the right side of each."
)
_WORDINGS = ("Which solid has these three views?", "Which of the four solids do the three views show?")


@dataclass(frozen=True, slots=True)
class Scene:
    """`options`: the piles in the order of their letters; `key`: the index of that of the views."""

    level: str
    wording: int
    options: tuple[Heights, ...]
    key: int

    @property
    def heights(self) -> Heights:
        return self.options[self.key]


def _sample(plan: SamplingContext) -> Scene:
    a, b, c = _SIZES[plan.level]
    if plan.image_stratum("side", 2):
        a, b = b, a
    piles = pile_squares.square(plan.image_rng, a, b, c)
    plan.check_split(pile_squares.orbit(piles[0]))
    key = plan.image_rng.pick(piles)
    options = with_key_at(plan.stratum, key, [other for other in piles if other != key], plan.item_rng)
    return Scene(plan.level, plan.item_stratum("wording", len(_WORDINGS)), options, plan.stratum)


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    k = len(scene.options)
    below, (x, y) = option_page.places(k)
    views = [(x + (place - 1) * option_page.PANEL, y) for place in range(len(_VIEWS))]
    edge = 0.35 / max(pile_pictures.HIGHEST, *pile.width(scene.heights))
    shapes = [
        *pile_pictures.flat(pile.front(scene.heights), edge, views[0]),
        *pile_pictures.flat(pile.right(scene.heights), edge, views[1]),
        *pile_pictures.plan(scene.heights, edge, views[2]),
    ]
    scale = pile_pictures.option_scale(*pile.width(scene.heights))
    solids = [shape for heights, at in zip(scene.options, below, strict=True) for shape in pile_pictures.painted(heights, scale, at)]
    captions = [pile_pictures.caption(name, (vx, vy - 0.215)) for name, (vx, vy) in zip(_VIEWS, views, strict=True)]
    marks = [shape for heights, at in zip(scene.options, below, strict=True) for shape in pile_pictures.side_arrows(heights, scale, at)]
    ground = (option_page.frame(k, len(_VIEWS)), *captions)
    return (Drawing((*shapes, *solids, *marks, *option_page.letters(k)), ground, k * option_page.PANEL, option_page.HEIGHT),)


def _ask(scene: Scene) -> Question:
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", ImageOptionChoice.of(NOUN, len(scene.options), scene.key))


def _cubes(drawing: Drawing) -> tuple[Sequence[CubeGroup], Sequence[Shape]]:
    below, _ = pile_pictures.by_letter(drawing)
    solids = [polygon for polygons in below.values() for polygon in polygons]
    return [pile_pictures.cubes(polygons) for polygons in below.values()], [
        shape for shape in (*drawing.backdrop, *drawing.shapes) if shape not in solids
    ]


# What the drawing shows -------------------------------------------------------------------------------------------------


def _drawn(drawing: Drawing) -> tuple[dict[str, Heights], list[pile.Profile], list[tuple[bool, ...]]]:
    """The piles by letter, the flat views from the front and from the right, and the rows of the view from above, empty or not."""
    below, above = pile_pictures.by_letter(drawing)
    labels = [shape for shape in drawing.backdrop if isinstance(shape, Label)]
    names = sorted(labels, key=lambda label: -label.position[1])[: len(_VIEWS)]
    near: dict[str, list[Polygon]] = {name: [] for name in _VIEWS}
    for polygon in above:
        near[min(names, key=lambda label: abs(label.position[0] - polygon.points[0][0] - 0.04)).text].append(polygon)
    seen = [pile_pictures.columns_of(near[name]) for name in _VIEWS[:2]]
    rows: dict[float, list[tuple[float, bool]]] = {}
    for polygon in near[_VIEWS[2]]:
        x, y = polygon.points[0]
        rows.setdefault(-round(y, 3), []).append((x, polygon.fill == pile_pictures.FLAT))
    plan = [tuple(has_cubes for _, has_cubes in sorted(row)) for _, row in sorted(rows.items())]
    return {letter: pile_pictures.shown(polygons) for letter, polygons in below.items()}, seen, plan


def _read(pictures: tuple[Drawing, ...], _text: str) -> str:
    """The pile whose columns, flattened along each direction, are the drawn views. Raises ValueError unless it is unique."""
    solids, (front, right), plan = _drawn(pictures[0])
    (key,) = [
        letter
        for letter, heights in solids.items()
        if pile.front(heights) == front and pile.right(heights) == right and [tuple(high > 0 for high in row) for row in heights] == plan
    ]
    return f"{NOUN} {key}"


# Errors, chains, task ---------------------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    front, right = pile.front(scene.heights), pile.right(scene.heights)
    types: list[str] = []
    for heights in scene.options:
        agrees = (pile.front(heights) == front, pile.right(heights) == right)
        types.append({(True, True): "", (True, False): FRONT_ALONE, (False, True): RIGHT_ALONE, (False, False): NEITHER_VIEW}[agrees])
    return types


def _attributes(scene: Scene) -> dict[str, str]:
    return {"cubes": str(10 * round(pile.total(scene.heights) / 10)), "wording": str(scene.wording + 1)}


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """All solids and views mirrored: front and right are exchanged, and left and right of both views."""
    mirrored = tuple(tuple(zip(*heights, strict=True)) for heights in scene.options)
    return replace(scene, options=mirrored), identity


def _reversed(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    names = [f"{NOUN} {letter}" for letter in LETTERS[: len(scene.options)]]
    changed = replace(scene, options=scene.options[::-1], key=len(scene.options) - 1 - scene.key)
    return changed, lambda answer: names[-1 - names.index(answer)]


def _steps(solids: dict[str, Heights], front: pile.Profile, right: pile.Profile) -> list[Step]:
    return cot.view_steps(solids, front, right)


def _write(scene: Scene) -> str:
    solids = dict(zip(LETTERS, scene.options, strict=False))
    return write_chain(_steps(solids, pile.front(scene.heights), pile.right(scene.heights)), _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    drawing = _draw(scene)
    solids, (front, right), _ = _drawn(drawing[0])
    return step_errors(text, _steps(solids, front, right), _read(drawing, ""), _ask(scene).answer)


TASK = Task(
    id="solids/three-views",
    version=1,
    summary="Find the solid, of four, that has the drawn views from the front, from the right and from above.",
    sample=_sample,
    draw=_draw,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=_OPTIONS),
    skills=("solids from drawings",),
    levels=tuple(_SIZES),
    images=Images(size_px=440, least_px=300, raised=Raised("the heights of columns", cubes=_cubes)),
    sampling=Sampling(layout=lambda scene: pile_squares.orbit(scene.options[0])),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_in_a_mirror, _reversed), shortcuts=OF_THREE_VIEWS),
    reasoning=Reasoning(write=_write, verify=_verify),
)
