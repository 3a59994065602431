"""All that is looked for in a run."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.analysis.angular_bias import detect_angular_bias
from isovist.analysis.chance_performance import detect_chance_performance, no_better_than_a_rule
from isovist.analysis.difficulty_regression import detect_difficulty_factors
from isovist.analysis.findings import Detector, Finding, Tasks
from isovist.analysis.response_bias import detect_constant_answers, detect_position_bias
from isovist.analysis.response_failures import detect_response_failures
from isovist.analysis.size_thresholds import detect_size_thresholds
from isovist.analysis.subtask_analysis import detect_failed_subtask
from isovist.analysis.systematic_errors import detect_systematic_errors
from isovist.run.records import UNREAD


def _of_readable(finder: Detector) -> Detector:
    """A finder that is shown readable replies alone: the others say nothing of what a model sees, however they are spread over the items."""

    def detected(tasks: Tasks) -> Iterable[Finding]:
        readable = {task: [item for item in evidence if item.outcome not in UNREAD] for task, evidence in tasks.items()}
        return finder({task: evidence for task, evidence in readable.items() if evidence})

    return detected


_OF_READABLE: tuple[Detector, ...] = (
    detect_position_bias,
    detect_constant_answers,
    detect_systematic_errors,
    detect_angular_bias,
    detect_size_thresholds,
    detect_failed_subtask,
    detect_difficulty_factors,
    detect_chance_performance,
    no_better_than_a_rule,
)
DETECTORS: tuple[Detector, ...] = (detect_response_failures, *map(_of_readable, _OF_READABLE))

BEYOND_A_SIZE = "a size beyond which it fails"
NO_ANSWER = "replies without an answer"
DETECTABLE_DEFICITS = (
    f"{NO_ANSWER}, an option that is preferred, one answer to everything, left for right and other errors of direction, "
    f"mirror images, the wrong frame of reference, angles that lean to one side, {BEYOND_A_SIZE}, a lost step of compass "
    "reasoning, and what makes items harder"
)
"""The errors among them in words; guessing, which is told of every run, is none."""
