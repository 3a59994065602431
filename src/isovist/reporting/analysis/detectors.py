"""All detectors of findings."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.reporting.analysis.angular_bias import detect_angular_bias
from isovist.reporting.analysis.chance_performance import detect_chance_performance, detect_shortcut_performance
from isovist.reporting.analysis.difficulty_regression import detect_difficulty_factors
from isovist.reporting.analysis.findings import Detector, Finding, Tasks
from isovist.reporting.analysis.response_bias import detect_constant_answers, detect_position_bias
from isovist.reporting.analysis.response_failures import detect_response_failures
from isovist.reporting.analysis.size_thresholds import detect_size_thresholds
from isovist.reporting.analysis.subtask_analysis import detect_failed_subtask
from isovist.reporting.analysis.systematic_errors import detect_systematic_errors


def _of_parsed(detector: Detector) -> Detector:
    """The detector on items with parsed responses: the others give no information about perception."""

    def detect(tasks: Tasks) -> Iterable[Finding]:
        return detector({task: rows.parsed for task, rows in tasks.items() if rows.parsed.n})

    return detect


_OF_PARSED: tuple[Detector, ...] = (
    detect_position_bias,
    detect_constant_answers,
    detect_systematic_errors,
    detect_angular_bias,
    detect_size_thresholds,
    detect_failed_subtask,
    detect_difficulty_factors,
    detect_chance_performance,
    detect_shortcut_performance,
)
DETECTORS: tuple[Detector, ...] = (detect_response_failures, *map(_of_parsed, _OF_PARSED))


def tested_deficits(*, has_unparsed: bool, has_thresholds: bool) -> list[str]:
    """What a report names as tested if it has no finding, except what it reports anyway."""
    names = [] if has_unparsed else ["unparsed responses"]
    names += ["position bias", "constant answers", "left-right confusion and other direction errors", "mirror confusion"]
    names += ["reference-frame confusion", "angular bias"]
    names += [] if has_thresholds else ["size thresholds"]
    return [*names, "failed subtasks of compass reasoning", "difficulty factors"]
