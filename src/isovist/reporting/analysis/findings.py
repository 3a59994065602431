"""Findings: significant systematic errors of a model, each with its test.

A detector tests all tasks of one run for one kind of error and yields its candidates, each with a p-value. `significant_findings` adjusts
the p-values of all candidates (Holm) and returns those below `ALPHA`. A model without systematic errors gets a finding in at most 5 of
100 runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from isovist.reporting.analysis.rows import Rows
from isovist.stats.multiple_comparisons import holm

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Finding:
    """One systematic error, or one candidate for it."""

    kind: str
    """Its name in kebab case, such as "left-right-confusion"."""
    tasks: tuple[str, ...]
    """Where it occurs, in the order of the tasks."""
    sentence: str
    """Its name, its numbers and the tasks, for the first screen of a report."""
    n: int
    """Items of the test."""
    observed_rate: float
    """Among these items, in [0, 1]."""
    expected_rate: float
    """Without the error, in [0, 1]."""
    p_adjusted: float
    """Of its test; adjusted for all tests by `significant_findings`."""
    items_affected: float = 0.0
    """The estimated number of items that are incorrect because of it; findings are sorted by it, descending."""
    items: tuple[str, ...] = ()
    """The ids of the items that it counts; by default all incorrect ones of its tasks."""
    is_locational: bool = False
    """Whether it reports which items are incorrect, not how: it often follows from other findings, so it comes after them."""


Tasks = Mapping[str, Rows]
"""The scored items of one run in the standard condition by task, in the order of a report. A constant answer counts as chance level."""

Detector = Callable[[Tasks], Iterable[Finding]]


def significant_findings(tasks: Tasks, detectors: Sequence[Detector], alpha: float = ALPHA) -> list[Finding]:
    """The candidates of all detectors that are significant, by number of items affected; locational ones last."""
    candidates = [candidate for detector in detectors for candidate in detector(tasks)]
    corrected = [
        replace(finding, p_adjusted=p) for finding, p in zip(candidates, holm([finding.p_adjusted for finding in candidates]), strict=True)
    ]
    return sorted(
        (replace(finding, items=finding.items or _incorrect(tasks, finding)) for finding in corrected if finding.p_adjusted < alpha),
        key=lambda finding: (finding.is_locational, -finding.items_affected, finding.kind),
    )


def _incorrect(tasks: Tasks, finding: Finding) -> tuple[str, ...]:
    """The items of its tasks with a parsed response without full credit."""
    parsed = [rows.parsed for task, rows in tasks.items() if task in finding.tasks]
    return tuple(id for rows in parsed for id, credit in zip(rows.texts("item_id"), rows.credits, strict=True) if credit < 1)
