"""All sections of a report in the order of the page, in Markdown, and as CSV files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.analysis.collect import RunResults
from isovist.reports.figures import error_wheel
from isovist.reports.section import Section
from isovist.reports.sections import (
    accuracy,
    across_tasks,
    adaptive,
    angular_errors,
    attributes,
    by_level,
    conditional_accuracy,
    constant_baseline,
    difficulty,
    error_types,
    image_orders,
    paper_table,
    position_bias,
    published_results,
    response_times,
    seeds,
    size_thresholds,
    skill_profile,
    subtasks,
    variants,
)

_BUILDERS: tuple[Callable[[Sequence[RunResults]], list[Section]], ...] = (
    accuracy.sections,
    subtasks.sections,
    skill_profile.sections,
    difficulty.sections,
    constant_baseline.sections,
    image_orders.sections,
    conditional_accuracy.sections,
    by_level.sections,
    adaptive.sections,
    size_thresholds.sections,
    seeds.sections,
    response_times.sections,
    error_types.sections,
    angular_errors.sections,
    position_bias.sections,
    error_wheel.sections,
    across_tasks.sections,
    attributes.sections,
    variants.sections,
    published_results.sections,
    paper_table.sections,
    published_results.figures,
)


def build_sections(runs: Sequence[RunResults]) -> list[Section]:
    """Every section, also those without content."""
    return [section for build in _BUILDERS for section in build(runs)]
