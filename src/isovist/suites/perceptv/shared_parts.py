"""Shared parts of the domains: the sheet, the sizes, the skills of the paper's Table 1, and values of the groups of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from isovist.core import answers
from isovist.core.answers import Answer
from isovist.core.drawing2d import Drawing, Line, Shape
from isovist.core.rng import Rng
from isovist.core.task import Answers, Images, Paper, Preset, Question, SamplingContext
from isovist.suites.perceptv.published_prompt import published_prompt
from isovist.suites.perceptv.published_scorer import published
from isovist.world.scenes.grid import RULE
from isovist.world.scenes.random_placement import Field, scatter
from isovist.world.scenes.shapes2d import REACH, Mark, shape

S = TypeVar("S")
T = TypeVar("T")

SIZES = tuple(str(n) for n in range(1, 21))
WIDTH, HEIGHT = 1.5, 1.0  # of most sheets, in units
GAP = 0.02  # between objects, and to the edge: 8 pixels at the default size
SHEET: Images[Any] = Images(size_px=400, least_px=200)  # numerals and letters are then at least 8 px high, circles at least 5 px wide

SKILLS = {
    "change-colour": ("visual discrimination",),
    "circle-boxes": ("visual memory",),
    "circle-location": ("visual spatial relationships",),
    "circle-right-triangle": ("visual spatial relationships",),
    "colours-present": ("visual form constancy",),
    "comparing-size": ("visual attention", "visual discrimination", "visual spatial relationships", "visual sequential memory"),
    "count-coloured-circles": ("visual attention", "visual memory"),
    "counting-circles": ("visual attention", "visual form constancy"),
    "counting-locations": ("visual spatial relationships",),
    "counting-shapes": ("visual attention", "visual discrimination", "visual memory", "visual form constancy"),
    "cross-and-knots": ("visual spatial relationships",),
    "graph-counting": ("visual attention",),
    "grid-path": ("visual sequential memory",),
    "identifying-shapes": ("visual memory",),
    "inside-circles": ("visual spatial relationships",),
    "layered-colours": ("visual sequential memory", "visual figure ground", "visual closure"),
    "layered-shapes": ("visual sequential memory", "visual figure ground", "visual closure"),
    "list-colours": ("visual memory", "visual figure ground"),
    "list-shapes": ("visual memory", "visual figure ground"),
    "locate-circles-colour": ("visual attention", "visual discrimination", "visual figure ground"),
    "locate-circles-shape": ("visual attention", "visual discrimination", "visual figure ground"),
    "match-outline": ("visual discrimination", "visual sequential memory", "visual closure"),
    "match-shadow": ("visual discrimination", "visual sequential memory", "visual closure"),
    "maze-solving": ("visual attention", "visual spatial relationships"),
    "mirror-image": ("visual form constancy",),
    "numbered-shapes": ("visual attention", "visual memory", "visual form constancy"),
    "sort-circles": ("visual discrimination", "visual memory"),
    "sort-lines": ("visual discrimination", "visual memory"),
    "vanishing-objects": ("visual discrimination",),
    "water-image": ("visual form constancy",),
}
"""The skills of each domain by the paper's Table 1, columns as printed."""
PAPERS = {
    name: Paper(
        source="Percept-V, Table 1 and the list of domains",
        prompt=published_prompt(name),
        scorer=published,
        sizes={"test": Preset(10 * len(SIZES))},
    )
    for name in SKILLS
}
"""What the paper states about each domain, with 10 items of each size."""

_LIKE = 1.12  # largest ratio of a radius to the mean of its group
_SHRINKING, _VARYING = 0.35, 0.4  # exponents: of the number in a group, and of the ratio of the limits

SPREAD = 2
"""The largest difference between the size and the number to count, so that the size alone is not the answer."""
MOST = len(SIZES) + SPREAD
"""The largest number to count."""

COUNTING = "the number of objects is the question, and ink, connected components and file size grow with it"
SIZE_IS_CLOSE_TO_THE_ANSWER = f"the size of an item is close to its answer: {COUNTING}"


@dataclass(frozen=True, slots=True)
class Marks:
    """A sheet of marks."""

    marks: tuple[Mark, ...]


def size(plan: SamplingContext) -> int:
    """The problem size of the sample."""
    return int(plan.level)


def counts_at_size(n: int) -> range:
    """The possible counts at size `n`, all equally likely, where the size sets the count."""
    return range(max(1, n - SPREAD), n + SPREAD + 1)


def n_counts_at_size(n: int) -> int:
    """The number of possible counts at size `n`."""
    return len(counts_at_size(n))


def by_size(number: Callable[[int], T], sizes: tuple[str, ...] = SIZES) -> tuple[T, ...]:
    """A value for each size, such as its chance level."""
    return tuple(number(int(size)) for size in sizes)


def place_marks(
    plan: SamplingContext, kinds: list[str], hues: list[str], radii: list[float], fields: list[Field] | None = None
) -> tuple[Mark, ...]:
    """Place marks at random positions on the sheet, or each in its own field."""
    whole = Field(0, 0, WIDTH, HEIGHT)
    reach = [radius * REACH[kind] for kind, radius in zip(kinds, radii, strict=True)]
    places = scatter(plan.image_rng, fields or [whole] * len(radii), reach, GAP)
    return tuple(Mark(*mark) for mark in zip(kinds, places, radii, hues, strict=True))


def radii_by_group(rng: Rng, groups: Sequence[object], low: float, high: float) -> list[float]:
    """Sample a radius between `low` and `high` for each object; objects of one group have similar radii, and groups differ.

    The amount of ink of a group therefore does not give its number.
    """
    means = {group: low * _LIKE * (high / low / _LIKE**2) ** rng.random() for group in dict.fromkeys(groups)}
    return [round(means[group] * _LIKE ** rng.uniform(-1, 1), 4) for group in groups]


def radii_by_number(rng: Rng, groups: Sequence[object], low: float, high: float, typical: float) -> list[float]:
    """Sample a radius between `low` and `high` for each object; objects of a group with more than `typical` objects are smaller.

    Neither the ink of a group nor the size of its objects gives its number: the one grows, the other shrinks, and both vary more.
    """
    sizes: dict[object, float] = {}
    for group in dict.fromkeys(groups):
        mean = (low * high) ** 0.5 * (typical / groups.count(group)) ** _SHRINKING * (high / low) ** rng.uniform(-_VARYING, _VARYING)
        sizes[group] = min(high / _LIKE, max(low * _LIKE, mean))
    return [round(sizes[group] * _LIKE ** rng.uniform(-1, 1), 4) for group in groups]


def sheet(shapes: tuple[Shape, ...], width: float = WIDTH, height: float = HEIGHT, ground: tuple[Shape, ...] = ()) -> Drawing:
    """A drawing with a thin frame, so that an empty image is recognizable; `ground` is drawn below everything."""
    inset = 0.003
    corners = ((inset, inset), (width - inset, inset), (width - inset, height - inset), (inset, height - inset), (inset, inset))
    return Drawing(shapes, (*ground, Line(corners, 2 * inset, RULE)), width, height)


def draw_marks(scene: Marks) -> tuple[Drawing, ...]:
    return (sheet(tuple(shape(mark) for mark in scene.marks)),)


def first(answer: Answer) -> str:
    """The first word of a list, which is balanced where there are too many lists."""
    assert isinstance(answer, answers.WordSequence)
    return answer.truth[0]


def chance_of_sequences(words: int) -> tuple[float, ...]:
    """For each size, the chance level of a list of that length over this number of words, all lists being equally likely."""
    return by_size(lambda n: float(words) ** -n)


def reversed_answer(answer: str) -> str:
    """Reverse the order of the words of an answer."""
    return ", ".join(reversed(answer.split(", ")))


def asking(shown: str, rules: str, key: Callable[[S], Answer]) -> Callable[[S], Question]:
    """The question of a domain: what the image shows, and the rules, as in the paper. The reply format follows from the prompt style."""
    return lambda scene: Question(f"{shown}\n{rules}", key(scene))


def equally_likely(answer_type: str, strata: int | Callable[[int], int], sizes: tuple[str, ...] = SIZES) -> Answers:
    """Answers with one stratum for each possible answer; `strata`: one number, or a number for each size."""
    cells = by_size((lambda _: strata) if isinstance(strata, int) else strata, sizes)
    return Answers(type=answer_type, strata=strata if isinstance(strata, int) else cells, best_constant=tuple(1 / n for n in cells))
