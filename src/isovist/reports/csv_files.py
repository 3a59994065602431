"""The tables of a report as CSV files. A file with nothing to say is not written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.analysis.collect import RunResults
from isovist.reports import tables
from isovist.reports.figures import error_wheel, factor_curves
from isovist.reports.sections import (
    across_tasks,
    adaptive,
    angular_errors,
    attributes,
    by_level,
    conditional_accuracy,
    constant_baseline,
    difficulty,
    error_types,
    findings,
    image_orders,
    paper_table,
    position_bias,
    response_times,
    seeds,
    size_thresholds,
    skill_profile,
    subtasks,
)

EVERY: Mapping[str, Callable[[Sequence[RunResults]], str]] = {
    "results.csv": tables.results_csv,
    "confusion.csv": tables.confusion_csv,
    "variants.csv": tables.variants_csv,
    "floors.csv": constant_baseline.to_csv,
    "orders.csv": image_orders.to_csv,
    "parts.csv": conditional_accuracy.to_csv,
    "by_level.csv": by_level.to_csv,
    "seeds.csv": seeds.to_csv,
    "times.csv": response_times.to_csv,
    "across_tasks.csv": across_tasks.to_csv,
    "facets.csv": attributes.facets_csv,
    "errors.csv": attributes.errors_csv,
    "error_geometry.csv": error_types.to_csv,
    "findings.csv": findings.to_csv,
    "letters.csv": position_bias.to_csv,
    "wheels.csv": error_wheel.to_csv,
    "angles.csv": angular_errors.angles_csv,
    "angle_histogram.csv": angular_errors.histogram_csv,
    "adaptive.csv": adaptive.to_csv,
    "levels.csv": size_thresholds.levels_csv,
    "thresholds.csv": size_thresholds.thresholds_csv,
    "skills.csv": size_thresholds.skills_csv,
    "paper_table.csv": paper_table.to_csv,
    "stages.csv": subtasks.to_csv,
    "profile.csv": skill_profile.to_csv,
    "difficulty.csv": lambda runs: difficulty.to_csv(difficulty.build_rows(runs)),
    "slopes.csv": lambda runs: factor_curves.to_csv(factor_curves.all_curves(runs)),
}


def files(runs: Sequence[RunResults]) -> dict[str, str]:
    """Those that have a line below their head, by their names."""
    return {name: text for name, table in EVERY.items() if "\n" in (text := table(runs)).rstrip("\n")}
