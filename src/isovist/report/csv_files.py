"""The tables of a report as CSV files. A file with nothing to say is not written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from isovist.report import (
    across,
    adaptive,
    angle_tables,
    by_level,
    difficulty,
    facets,
    findings,
    floors,
    geometry,
    letters,
    level_tables,
    orders,
    parts,
    profile,
    seeds,
    slope_panels,
    stages,
    tables,
    times,
    wheels,
    whole_table,
)
from isovist.report.collect import Run

EVERY: Mapping[str, Callable[[Sequence[Run]], str]] = {
    "results.csv": tables.results_csv,
    "confusion.csv": tables.confusion_csv,
    "variants.csv": tables.variants_csv,
    "floors.csv": floors.csv,
    "orders.csv": orders.csv,
    "parts.csv": parts.csv,
    "by_level.csv": by_level.csv,
    "seeds.csv": seeds.csv,
    "times.csv": times.csv,
    "across_tasks.csv": across.csv,
    "facets.csv": facets.facets_csv,
    "errors.csv": facets.errors_csv,
    "error_geometry.csv": geometry.csv,
    "findings.csv": findings.csv,
    "letters.csv": letters.csv,
    "wheels.csv": wheels.csv,
    "angles.csv": angle_tables.angles_csv,
    "angle_histogram.csv": angle_tables.histogram_csv,
    "adaptive.csv": adaptive.csv,
    "levels.csv": level_tables.levels_csv,
    "thresholds.csv": level_tables.thresholds_csv,
    "skills.csv": level_tables.skills_csv,
    "paper_table.csv": whole_table.csv,
    "stages.csv": stages.csv,
    "profile.csv": profile.csv,
    "difficulty.csv": lambda runs: difficulty.csv(difficulty.lines(runs)),
    "slopes.csv": lambda runs: slope_panels.csv(slope_panels.found(runs)),
}


def files(runs: Sequence[Run]) -> dict[str, str]:
    """Those that have a line below their head, by their names."""
    return {name: text for name, table in EVERY.items() if "\n" in (text := table(runs)).rstrip("\n")}
