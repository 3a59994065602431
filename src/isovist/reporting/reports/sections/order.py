"""All sections of a report in the order of the page, in Markdown, and as CSV files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.figures import error_wheel
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import (
    abilities,
    accuracy,
    across_tasks,
    adaptive,
    angular_errors,
    attributes,
    by_level,
    conditional_accuracy,
    constant_baseline,
    cost,
    difficulty,
    error_types,
    image_orders,
    paper_table,
    participants,
    photographs,
    position_bias,
    published_results,
    repeated_epochs,
    response_times,
    second_reading,
    seeds,
    settings,
    size_thresholds,
    skill_profile,
    subtasks,
    variants,
    verdict,
)

OVERALL, TASKS, PUBLISHED, METHODS = "Overall results", "Tasks", "Published results", "Methods"
"""The first part stands on the first screen; the others have a heading each."""

_PARTS: Mapping[str, tuple[Callable[[Sequence[RunResults]], list[Section]], ...]] = {
    OVERALL: (verdict.sections, abilities.sections),
    TASKS: (
        accuracy.sections,
        second_reading.sections,
        by_level.sections,
        subtasks.sections,
        conditional_accuracy.sections,
        skill_profile.sections,
        seeds.sections,
        attributes.sections,
        across_tasks.sections,
    ),
    "Errors": (
        error_types.sections,
        angular_errors.sections,
        error_wheel.sections,
        position_bias.sections,
        constant_baseline.sections,
    ),
    "Difficulty and size": (size_thresholds.sections, adaptive.sections, difficulty.sections),
    "Robustness": (repeated_epochs.sections, variants.sections, image_orders.sections, photographs.sections),
    "Cost and time": (cost.sections, response_times.sections),
    PUBLISHED: (published_results.sections, paper_table.sections, published_results.figures),
    METHODS: (settings.sections, participants.sections),
}


def build_sections(runs: Sequence[RunResults]) -> list[Section]:
    """Every section, also those without content."""
    return [replace(section, part=part) for part, builders in _PARTS.items() for build in builders for section in build(runs)]
