"""Shortcuts for paper folding, mental rotation and mazes: rules that omit the skill that a task claims to test, or a part of it.

Each rule returns the option labels or answers among which it chooses at random; an empty result is no preference. Rules read the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from isovist.core.answers import Choice
from isovist.core.summation import sum_in_order
from isovist.core.task import Question, Shortcut
from isovist.suites.srbench.maze_common import headings, turn_counts
from isovist.world.scenes import compass, polycube
from isovist.world.scenes.answer_options import letters_of, letters_where
from isovist.world.scenes.folded_paper import Fold, Spot, moved
from isovist.world.scenes.maze import count_corners
from isovist.world.scenes.polycube_view import Picture, view

_SAME_FACE = 0.3  # cube edges: faces at a smaller distance count as the same


def _best(scores: Sequence[float]) -> tuple[str, ...]:
    """Return the labels of the options with the highest score."""
    return letters_of(index for index, score in enumerate(scores) if score == max(scores))


# Paper folding ------------------------------------------------------------------------------------------------------


def _n_shared_holes(scene: Any, crease: Fold | None = None) -> list[float]:
    """Count the holes of the folded paper that each option contains; or their mirror images in a crease, if one is given."""
    holes = [moved(crease.mirror, hole) if crease else hole for hole in scene.folding.holes]
    return [sum(hole in option for hole in holes) for option in scene.options]


def _symmetric(option: Collection[Spot], crease: Fold) -> bool:
    return {moved(crease.mirror, hole) for hole in option} == set(option)


def fits_the_first_crease(scene: Any, _question: Question) -> Collection[str]:
    """Choose the options that contain the holes of the folded paper and are symmetric about the first of several creases."""
    if len(scene.folding.folds) == 1:
        return ()
    return _best(
        [
            2 * n_shared + _symmetric(option, scene.folding.folds[0])
            for n_shared, option in zip(_n_shared_holes(scene), scene.options, strict=True)
        ]
    )


def shares_most(scene: Any, _question: Question) -> Collection[str]:
    """Choose the option with the most holes in common with the others."""
    return _best([sum(len(set(option) & set(other)) for other in scene.options) for option in scene.options])


def _of_one_fold(scene: Any, fits: Callable[[Collection[Spot], Fold], bool]) -> Collection[str]:
    """Return the labels of the options that fit the crease of a single fold; empty for several folds."""
    crease, *later = scene.folding.folds
    return () if later else _best([fits(option, crease) for option in scene.options])


def _symmetric_about_a_parallel(option: Collection[Spot], crease: Fold) -> bool:
    """Return whether an option is symmetric about the line through its centre that is parallel to the crease."""
    ahead, behind = max(map(crease.beyond, option)), min(map(crease.beyond, option))
    return _symmetric(option, replace(crease, position=crease.position + crease.side * (ahead + behind) // 2))


def _opens(scene: Any, number: int) -> Collection[str]:
    folds = scene.folding.folds
    return () if len(folds) < 2 or number == len(folds) - 1 else _best(_n_shared_holes(scene, folds[number]))


FOLDING: dict[str, Shortcut[Any]] = {
    "has the holes of the folded paper": Shortcut(
        lambda scene, _: () if len(scene.folding.folds) == 1 else _best(_n_shared_holes(scene)), "unfolding"
    ),
    "one fold: has the holes of the folded paper": Shortcut(
        lambda scene, _: _of_one_fold(scene, lambda option, _crease: set(scene.folding.holes) <= set(option)),
        "unfolding",
        partial=True,
        bound=2 / 3,
    ),
    "one fold: is symmetric about the crease": Shortcut(
        lambda scene, _: _of_one_fold(scene, _symmetric), "the holes of the folded paper", partial=True, bound=2 / 3
    ),
    "one fold: is symmetric about a parallel of the crease": Shortcut(
        lambda scene, _: _of_one_fold(scene, _symmetric_about_a_parallel), "the holes of the folded paper and the position of the crease"
    ),
    "has these holes and is symmetric about the first crease": Shortcut(fits_the_first_crease, "opening later folds"),
    "has most holes in common with the other sheets": Shortcut(shares_most, "the top row"),
    "unfolds only the last of several folds": Shortcut(lambda scene, _: _opens(scene, -1), "opening the other folds", partial=True),
    "opens the second of three folds alone": Shortcut(lambda scene, _: _opens(scene, 1), "opening the other folds", partial=True),
}

# Mental rotation ----------------------------------------------------------------------------------------------------


def _likeness(scene: Any) -> list[float]:
    """Return the share of faces that each option has in common with the other options, superimposed."""
    pictures = [Picture(view(option.angles), option.cells) for option in scene.options]
    return [sum_in_order(picture.alike(other, _SAME_FACE) for other in pictures if other is not picture) for picture in pictures]


def equal_arms(scene: Any, _question: Question) -> Collection[str]:
    """Choose, of the options with the arm lengths of the original, the one most similar to the others."""
    arms = polycube.arms(scene.original)
    return _best(
        [9 * (polycube.arms(option.cells) == arms) + likeness for option, likeness in zip(scene.options, _likeness(scene), strict=True)]
    )


def equal_box(scene: Any, _question: Question) -> Collection[str]:
    """Choose the options with the same three box sides as the original, in any order."""
    sides = polycube.sides(scene.original)
    return _best([polycube.sides(option.cells) == sides for option in scene.options])


ROTATION: dict[str, Shortcut[Any]] = {
    "looks most like the other options": Shortcut(lambda scene, _: _best(_likeness(scene)), "the original"),
    "looks least like the other options": Shortcut(lambda scene, _: _best([-likeness for likeness in _likeness(scene)]), "the original"),
    "has the original's lengths of arms, and looks most like the others": Shortcut(equal_arms, "rotation"),
    "has the three side lengths of the original": Shortcut(equal_box, "rotation", partial=True),
}

# Mazes --------------------------------------------------------------------------------------------------------------


def even_or_odd(scene: Any, question: Question) -> Collection[str]:
    """Choose the numbers of turns that are consistent with the first and the last heading."""
    first, *_, last = headings(scene.sheet.maze)
    return letters_where(question, lambda turns: (int(turns) - last + first) % 2 == 0)


def turns_and_ends(scene: Any, question: Question) -> Collection[str]:
    """Choose the numbers of right turns that are consistent with the number of all turns and the first and last heading."""
    (first, *_, last), turns = headings(scene.sheet.maze), turn_counts(scene.sheet.maze)[1]
    consistent = [rights for rights in range(turns + 1) if (2 * rights - turns - last + first) % 4 == 0]
    return letters_where(question, lambda option: int(option) in consistent)


def half_of_the_turns(scene: Any, question: Question) -> Collection[str]:
    """Choose the number of right turns that is nearest to half of all turns."""
    _, turns = turn_counts(scene.sheet.maze)
    assert isinstance(question.answer, Choice)
    nearest = min(abs(2 * int(option) - turns) for option in question.answer.options)
    return letters_where(question, lambda option: abs(2 * int(option) - turns) == nearest)


def _along(scene: Any, axis: int) -> Collection[str]:
    start, end = scene.sheet.maze.path[0][axis], scene.sheet.maze.path[-1][axis]
    return ("yes" if compass.STEPS[scene.asked_direction][axis] == (end > start) - (end < start) else "no",)


def aligned(scene: Any, _question: Question) -> Collection[str]:
    """Answer yes if start and exit are aligned in a row or column exactly as in the question."""
    start, end, asked = scene.sheet.maze.path[0], scene.sheet.maze.path[-1], compass.STEPS[int(scene.asked_direction)]
    return ("yes" if all((start[axis] == end[axis]) == (asked[axis] == 0) for axis in (0, 1)) else "no",)


def profile(scene: Any) -> list[int]:
    """Return the number of blocks of the path in each row and column, sorted, and the length of the path."""
    maze = scene.sheet.maze
    lines = [sorted(sum(block[axis] == place for block in maze.path) for place in range(maze.side)) for axis in (0, 1)]
    fewer, more = sorted(lines)
    return [len(maze.path), *fewer, *more]


def outline(scene: Any) -> list[int]:
    """Return the size of the maze, the number of corners of its free blocks, and their sorted numbers in each row and column."""
    maze = scene.sheet.maze
    lines = [sorted(sum(block[axis] == place for block in maze.free_cells) for place in range(maze.side)) for axis in (0, 1)]
    return [maze.side, count_corners(maze.free_cells), *lines[0], *lines[1]]


PROFILES = {"the row and column profile of the path": profile, "the outline of the free blocks": outline}
TURNS: dict[str, Shortcut[Any]] = {"fits the headings at both ends": Shortcut(even_or_odd, "counting")}
RIGHT_TURNS: dict[str, Shortcut[Any]] = {
    "all turns and the headings at both ends": Shortcut(turns_and_ends, "telling left from right", partial=True),
    "half of all turns": Shortcut(half_of_the_turns, "telling left from right", partial=True),
}
POSITION: dict[str, Shortcut[Any]] = {
    "whether the ends are in one row or column": Shortcut(aligned, "direction"),
    "the vertical direction alone": Shortcut(lambda scene, _: _along(scene, 0), "left and right", partial=True),
    "the horizontal direction alone": Shortcut(lambda scene, _: _along(scene, 1), "above and below", partial=True),
}
