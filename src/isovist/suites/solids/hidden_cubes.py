"""Hidden cubes: how many cubes a pile has, those out of sight included.

No column is higher than the one behind it, so the top of each is in sight and the number is determined. Options are numbers of piles with the
same outlines from the front and from the right, and therefore as many visible faces, and as many visible cubes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from isovist.core.answers import Choice
from isovist.core.drawing2d import CubeGroup, Drawing, Polygon, Raised, Shape
from isovist.core.reasoning.templates import Step, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rng import Rng
from isovist.core.task import (
    Answers,
    Checks,
    Images,
    Question,
    Reasoning,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Shortcut,
    Task,
    identity,
)
from isovist.suites.solids import cot, pile_pictures
from isovist.world.scenes import pile
from isovist.world.scenes.answer_options import letters_of, with_key_at
from isovist.world.scenes.distractor_types import TOO_FEW, TOO_MANY
from isovist.world.scenes.pile import Heights

SIZES = {"5x5x4": (5, 5, 4), "5x5x5": (5, 5, 5), "6x5x5": (6, 5, 5)}
"""Columns along both sides of the floor, and the largest height."""
_SKEWS = (0.35, 0.5, 0.75)
"""Exponents of the heights of the outlines: from high piles, which hide most cubes, to low ones."""
_MOVES = 1000
_WIDEST = 8  # between the smallest and the largest option
_OPTIONS = 4
_MARGIN = 0.05

_FRAME = (
    "The drawing shows a pile of equal cubes. Every cube rests on the floor or on another cube, and there are no gaps. From "
    "back to front, columns never get higher."
)
_WORDINGS = (
    "How many cubes are there, hidden ones included?",
    "Count all cubes, also those that you cannot see. How many are there?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`heights` fall toward the eye; `options`: numbers of cubes."""

    level: str
    wording: int
    heights: Heights
    options: tuple[int, ...]


def _sample(plan: SamplingContext) -> Scene:
    a, b, c = SIZES[plan.level]
    rng = plan.image_rng
    pools = _pools(rng, a, b, c, _SKEWS[plan.image_stratum("skew", len(_SKEWS))])
    choices = [
        (pool, totals[k : k + _OPTIONS])
        for pool in pools
        for totals in [sorted(pool)]
        for k in range(len(totals) - _OPTIONS + 1)
        if totals[k + _OPTIONS - 1] - totals[k] <= _WIDEST
    ]
    if not choices:
        raise RejectSample
    pool, numbers = rng.pick(choices)
    key = rng.pick(numbers)
    heights = rng.pick(pool[key])
    if rng.chance(0.5):
        heights = tuple(zip(*heights, strict=True))
    options = with_key_at(plan.stratum, key, [n for n in numbers if n != key], plan.item_rng)
    plan.check_split(pile.canonical(heights))
    return Scene(plan.level, plan.item_stratum("wording", len(_WORDINGS)), heights, options)


def _pools(rng: Rng, a: int, b: int, c: int, skew: float) -> list[dict[int, list[Heights]]]:
    """Piles with random outlines, by number of visible cubes, then by number of cubes.

    A random walk changes one column at a time, none of the two outermost rows behind, which determine both outlines.
    """
    rows, columns = (sorted((1 + int(c * rng.random() ** skew) for _ in range(n)), reverse=True) for n in (a, b))
    rows[0] = columns[0] = max(rows[0], columns[0])
    h = [[min(high, other) for other in columns] for high in rows]
    pools: dict[int, dict[int, dict[Heights, None]]] = {}
    for _ in range(_MOVES):
        i, j, changed = rng.integer(1, a - 1), rng.integer(1, b - 1), rng.pick((-1, 1))
        low = max(h[i + 1][j] if i + 1 < a else 1, h[i][j + 1] if j + 1 < b else 1)
        if low <= h[i][j] + changed <= min(h[i - 1][j], h[i][j - 1]):
            h[i][j] += changed
            heights = tuple(map(tuple, h))
            count = pile.total(heights)
            pools.setdefault(count - n_hidden(heights), {}).setdefault(count, {})[heights] = None
    return [{count: list(piles) for count, piles in pool.items()} for pool in pools.values()]


def n_hidden(heights: Heights) -> int:
    """The number of cubes without a visible face, if no column is higher than the one behind it."""
    return sum(
        min(ahead, beside, high - 1) for row, after in pairwise(heights) for high, ahead, beside in zip(row, after, row[1:], strict=False)
    )


# Picture and question --------------------------------------------------------------------------------------------------


def scale(a: int, b: int) -> float:
    """The length of an edge, in units, on a floor of `a` times `b` columns."""
    return round((1 - 2 * _MARGIN) / max(pile_pictures.size(a, b, pile_pictures.MOST)), 5)


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    return (Drawing(tuple(pile_pictures.painted(scene.heights, scale(*pile.width(scene.heights)), (0.5, 0.5)))),)


def _ask(scene: Scene) -> Question:
    options = tuple(map(str, scene.options))
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", Choice(options, scene.options.index(pile.total(scene.heights))))


def _cubes(picture: Drawing) -> tuple[Sequence[CubeGroup], Sequence[Shape]]:
    return [pile_pictures.cubes([shape for shape in picture.shapes if isinstance(shape, Polygon)])], ()


def _drawn(picture: Drawing) -> Heights:
    return pile_pictures.shown([shape for shape in picture.shapes if isinstance(shape, Polygon)])


def _read(pictures: tuple[Drawing, ...], _text: str) -> str:
    """The sum of the heights of the drawn tops."""
    return str(pile.total(_drawn(pictures[0])))


# Errors, shortcuts, chains ----------------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    key = pile.total(scene.heights)
    return ["" if n == key else TOO_FEW if n < key else TOO_MANY for n in scene.options]


def _attributes(scene: Scene) -> dict[str, str]:
    share = n_hidden(scene.heights) / pile.total(scene.heights)
    return {"hidden cubes (%)": str(10 * round(10 * share)), "wording": str(scene.wording + 1)}


def _nearest(number: Callable[[Heights], float]) -> Callable[[Scene, Question], Collection[str]]:
    """The options nearest to a number."""

    def rule(scene: Scene, _question: Question) -> Collection[str]:
        away = [abs(option - number(scene.heights)) for option in scene.options]
        return letters_of(place for place, distance in enumerate(away) if distance == min(away))

    return rule


def _n_faces(heights: Heights) -> int:
    return sum(pile.front(heights)) + sum(pile.right(heights)) + len(heights) * len(heights[0])


def _in_outlines(heights: Heights) -> int:
    """The number of cubes of the largest pile with the same outlines from the front and from the right."""
    return sum(min(row[0], high) for row in heights for high in heights[0])


_HIDDEN, _HEIGHTS = "the hidden cubes", "the heights of the columns"
_SHORTCUTS: dict[str, Shortcut[Scene]] = {
    "smallest number": Shortcut(_nearest(lambda _: 0), "the drawing"),
    "largest number": Shortcut(_nearest(lambda _: 1000), "the drawing"),
    "visible cubes": Shortcut(_nearest(lambda heights: pile.total(heights) - n_hidden(heights)), _HIDDEN),
    "visible cubes and two thirds more": Shortcut(_nearest(lambda heights: (pile.total(heights) - n_hidden(heights)) * 5 / 3), _HIDDEN),
    "visible faces": Shortcut(_nearest(_n_faces), _HIDDEN),
    "half the box": Shortcut(_nearest(lambda heights: heights[0][0] * len(heights) * len(heights[0]) / 2), _HEIGHTS),
    "largest pile with these outlines": Shortcut(_nearest(_in_outlines), _HEIGHTS),
}


def _mirrored(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return Scene(scene.level, scene.wording, tuple(zip(*scene.heights, strict=True)), scene.options), identity


def _steps(heights: Heights) -> list[Step]:
    return cot.count_steps(heights)


def _write(scene: Scene) -> str:
    return write_chain(_steps(scene.heights), _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    heights = _drawn(_draw(scene)[0])
    return step_errors(text, _steps(heights), str(pile.total(heights)), _ask(scene).answer)


TASK = Task(
    id="solids/hidden-cubes",
    version=1,
    summary="Count the cubes of a pile, hidden ones included.",
    sample=_sample,
    draw=_draw,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=_OPTIONS, balance=lambda answer: answer.canonical()),
    skills=("solids from drawings",),
    levels=tuple(SIZES),
    images=Images(size_px=400, least_px=200, raised=Raised("the number of cubes", cubes=_cubes)),
    sampling=Sampling(layout=lambda scene: pile.canonical(scene.heights)),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(_mirrored,), shortcuts=_SHORTCUTS),
    reasoning=Reasoning(write=_write, verify=_verify),
)
