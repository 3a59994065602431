"""Percept-V: what its pictures must show, over all sizes, and that the pixels alone carry every answer."""

from __future__ import annotations

from itertools import combinations
from math import hypot
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isovist.core.answers import Answer, Cell, CellPath, Count, CountTuple, WordSequence, WordSubset, YesNo
from isovist.core.drawing2d import PAPER, Circle
from isovist.core.task import Task
from isovist.data.items import Items
from isovist.evaluation.models.baselines.pixel_solvers import solve
from isovist.suites import registry
from isovist.suites.perceptv.published_scorer import published
from isovist.suites.perceptv.shared_parts import SIZES, SKILLS
from isovist.world.scenes.palette import APART, HUES

TASKS = [task for id, task in registry.tasks().items() if id.startswith("perceptv/")]
by_name = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
APART_FROM_EACH_OTHER = {
    "counting-circles", "count-coloured-circles", "counting-locations", "circle-location", "circle-boxes", "comparing-size", "sort-circles",
}  # fmt: skip
FIRST = {"circle-boxes": 2, "graph-counting": 3}
"""Sizes below have one possible answer, and are not asked."""
LEAST_GAP = 7.0  # pixels


def lab(colour: str) -> tuple[float, float, float]:
    """CIE Lab of an sRGB colour under D65, from the definitions."""
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(a * b for a, b in zip(row, linear, strict=True)) / white for row, white in zip(rows, (0.95047, 1.0, 1.08883), strict=True)]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_no_two_colours_look_alike() -> None:
    for a, b in combinations((*HUES.values(), PAPER), 2):
        assert np.linalg.norm(np.subtract(lab(a), lab(b))) >= APART, (a, b)


def test_the_skills_are_those_of_the_table() -> None:
    assert len(SKILLS) == 30
    counts = [sum(skill in skills for skills in SKILLS.values()) for skill in ("visual attention", "visual memory", "visual closure")]
    assert counts == [9, 9, 4]  # the columns of the paper's Table 1, counted by hand
    assert {task.name for task in TASKS} <= set(SKILLS)


@by_name
def test_a_domain_has_the_papers_sizes(task: Task[Any]) -> None:
    assert task.levels == SIZES[FIRST.get(task.name, 1) - 1 :]
    assert task.paper.sizes["test"].n == 10 * len(task.levels)


@by_name
def test_the_pixels_alone_give_the_answer_at_every_size(task: Task[Any]) -> None:
    right = total = 0
    for level in task.levels:
        for item in Items(task, 1, 77, "test", level):
            right += item.answer.score(solve("perceptv", [np.asarray(image) for image in item.images], item.prompt)).credit == 1
            total += 1
    assert right / total >= 0.97, f"{right} of {total}"  # 99 % on many items; this is a spot check


@by_name
def test_circles_never_touch(task: Task[Any]) -> None:
    if task.name not in APART_FROM_EACH_OTHER:
        pytest.skip("circles lie on one another here, or there are none")
    for level in (task.levels[0], "10", "20"):
        for item in Items(task, 3, 78, "test", level):
            for picture in item.drawings:
                discs = [shape for shape in picture.shapes if isinstance(shape, Circle)]
                for a, b in combinations(discs, 2):
                    gap = hypot(a.center[0] - b.center[0], a.center[1] - b.center[1]) - a.radius - b.radius
                    assert gap * task.images.size_px >= LEAST_GAP, item.id


@pytest.mark.parametrize(
    ("answer", "reply", "credit", "ours"),
    [
        (Count(3), "Answer: 3", 1, 1),
        (Count(3), "Answer: 3\n\n", 1, 1),
        (Count(3), "There are three.\nanswer:3", 1, 1),
        (Count(3), "The answer is 3.", 0, 1),  # as clear as can be, but not the format
        (Count(3), "Answer: three", 0, 1),
        (Count(3), "Answer: 3\nI hope this helps!", 0, 1),
        (Count(3), "Answer: 4", 0, 0),
        (CountTuple((1, 2), ("above", "below")), "Answer: 1,2", 1, 1),
        (CountTuple((1, 2), ("above", "below")), "Answer: above 1, below 2", 0, 1),
        (CountTuple((1, 2), ("above", "below")), "Answer: 2, 1", 0, 0),
        (WordSequence(("red", "blue"), ("red", "blue", "green")), "Answer: Red, blue", 1, 1),
        (WordSequence(("red", "blue"), ("red", "blue", "green")), "Answer: blue, red", 0, 0),
        (WordSubset(("red", "blue"), ("red", "blue", "green")), "Answer: blue, red", 1, 1),
        (WordSubset(("red", "blue"), ("red", "blue", "green")), "Answer: blue and red", 0, 1),
        (WordSubset((), ("red", "blue", "green")), "Answer: none", 1, 1),
        (Cell(((1, 2), (3, 3)), 7, 7), "Answer: (3,3)", 1, 1),
        (Cell(((1, 2), (3, 3)), 7, 7), "Answer: (3, 4)", 0, 0),
        (CellPath(((1, 2), (1, 3)), 7, 7), "Answer: (1, 2), (1, 3)", 1, 1),
        (CellPath(((1, 2), (1, 3)), 7, 7), "Answer: (1, 2)", 0, 0),
        (YesNo(True), "Answer: Yes", 1, 1),
        (YesNo(True), "Answer: Yes, it is.", 0, 1),
    ],
)
def test_the_scorer_of_the_paper_wants_the_format(answer: Answer, reply: str, credit: float, ours: float) -> None:
    assert published(reply, answer) == credit
    assert answer.score(reply).credit == ours


@given(st.text())
def test_the_scorer_of_the_paper_never_raises(reply: str) -> None:
    for answer in (Count(3), WordSubset((), ("red", "blue")), Cell(((1, 2),), 7, 7), CellPath(((1, 2), (1, 3)), 7, 7)):
        assert published(reply, answer) in (0, 1)
