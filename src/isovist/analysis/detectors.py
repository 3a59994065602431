"""All that is looked for in a run."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.analysis.angular_bias import leaning_angles
from isovist.analysis.chance_performance import guessing, no_better_than_a_rule
from isovist.analysis.difficulty_regression import harder_items
from isovist.analysis.findings import Finder, Finding, Tasks
from isovist.analysis.response_bias import constant_answers, preferred_options
from isovist.analysis.response_failures import format_failures
from isovist.analysis.size_thresholds import size_thresholds
from isovist.analysis.subtask_analysis import lost_steps
from isovist.analysis.systematic_errors import systematic_errors
from isovist.run.records import UNREAD


def _of_readable(finder: Finder) -> Finder:
    """A finder that is shown readable replies alone: the others say nothing of what a model sees, however they are spread over the items."""

    def found(tasks: Tasks) -> Iterable[Finding]:
        readable = {task: [it for it in evidence if it.outcome not in UNREAD] for task, evidence in tasks.items()}
        return finder({task: evidence for task, evidence in readable.items() if evidence})

    return found


_OF_READABLE: tuple[Finder, ...] = (
    preferred_options,
    constant_answers,
    systematic_errors,
    leaning_angles,
    size_thresholds,
    lost_steps,
    harder_items,
    guessing,
    no_better_than_a_rule,
)
FINDERS: tuple[Finder, ...] = (format_failures, *map(_of_readable, _OF_READABLE))

BEYOND_A_SIZE = "a size beyond which it fails"
NO_ANSWER = "replies without an answer"
LOOKED_FOR = (
    f"{NO_ANSWER}, an option that is preferred, one answer to everything, left for right and other errors of direction, "
    f"mirror images, the wrong frame of reference, angles that lean to one side, {BEYOND_A_SIZE}, a lost step of compass "
    "reasoning, and what makes items harder"
)
"""The errors among them in words; guessing, which is told of every run, is none."""
