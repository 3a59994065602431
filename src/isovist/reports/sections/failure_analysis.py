"""The sections of a report on why a model fails: the steps of compass reasoning, the skills, and what makes items hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from isovist.analysis.collect import RunResults
from isovist.analysis.skill_taxonomies import TAXONOMIES
from isovist.reports.figures import factor_curves
from isovist.reports.figures.figure import Figure
from isovist.reports.sections import difficulty, skill_profile, subtasks


def context(runs: Sequence[RunResults]) -> dict[str, Any]:
    """What `failure_analysis.html.j2` is told."""
    profiled = skill_profile.build_rows(runs)
    return {
        "stages": subtasks.build_rows(runs),
        "stages_note": subtasks.CAPTION,
        "difficulty": difficulty.build_rows(runs),
        "difficulty_head": difficulty.TABLE_HEAD,
        "difficulty_note": difficulty.CAPTION,
        "against": list(dict.fromkeys((slope.task, slope.knob) for _, slope in factor_curves.all_curves(runs))),
        "against_note": factor_curves.CAPTION,
        "profile": profiled,
        "profile_note": skill_profile.CAPTION,
        "profile_cells": skill_profile.format_cells,
        "profile_sources": [
            f"{taxonomy.name}: {taxonomy.source}" for taxonomy in TAXONOMIES if any(line.taxonomy == taxonomy for line in profiled)
        ],
    }


def figures(runs: Sequence[RunResults]) -> Iterator[Figure]:
    yield Figure("How far above guessing, step by step", "stages", subtasks.figure(runs), "stages.csv", of=("stages",))
    yield Figure("How far above guessing, by skill", "profile", skill_profile.figure(runs), "profile.csv", of=("profile",))
    for panel in factor_curves.panels(factor_curves.all_curves(runs), [run.name for run in runs]):
        name = "-".join(f"{panel.task} {panel.knob}".replace("/", " ").split())
        figure_key = ("slope", panel.task, panel.knob)
        yield Figure(f"Accuracy against {panel.knob}: {panel.task}", f"slope-{name}", panel.svg, "slopes.csv", of=figure_key)
