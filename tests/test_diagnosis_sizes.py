"""The size up to which a model is right, told of runs that ask all sizes alike and of runs that choose."""

from __future__ import annotations

import re

from simulated import Answered, table_of

from isovist.core.answers import Count
from isovist.reporting.analysis.size_thresholds import detect_size_thresholds

TASK = "perceptv/counting-circles"


def _told(asked: dict[int, tuple[int, int]]) -> str:
    """What is said of a model that answered so many of so many items of each size rightly."""
    evidence = [
        Answered(Count(k % 7), str(k % 7 if k < right else k % 7 + 1), float(k < right), 0.05, TASK, str(size))
        for size, (right, n) in asked.items()
        for k in range(n)
    ]
    (finding,) = detect_size_thresholds({TASK: table_of(evidence)})
    return finding.sentence


def _shares(words: str) -> tuple[str, ...]:
    match = re.search(r"(\d+%) up to this size and (\d+%) above it", words)
    assert match, words
    return match.groups()


def test_sizes_that_are_asked_more_often_count_no_more() -> None:
    alike = {size: (20, 20) if size <= 5 else (2, 20) for size in range(1, 11)}
    chosen = {size: (right * (3 if size in (5, 6) else 1), n * (3 if size in (5, 6) else 1)) for size, (right, n) in alike.items()}
    chosen[3] = (10, 20)  # half right, and one of five sizes up to there, whatever the number of items
    assert _shares(_told(alike)) == ("100%", "10%")
    assert _shares(_told(chosen)) == ("90%", "10%")
