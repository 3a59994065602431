"""The sections of a report on why a model fails: the steps of compass reasoning, the skills, and what makes items hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from isovist.diagnosis.taxonomies import TAXONOMIES
from isovist.report import difficulty, profile, slope_panels, stages
from isovist.report.collect import Run
from isovist.report.figure import Figure


def context(runs: Sequence[Run]) -> dict[str, Any]:
    """What `why.html.j2` is told."""
    profiled = profile.lines(runs)
    return {
        "stages": stages.lines(runs),
        "stages_note": stages.NOTE,
        "difficulty": difficulty.lines(runs),
        "difficulty_head": difficulty.HEAD,
        "difficulty_note": difficulty.NOTE,
        "against": list(dict.fromkeys((slope.task, slope.knob) for _, slope in slope_panels.found(runs))),
        "against_note": slope_panels.NOTE,
        "profile": profiled,
        "profile_note": profile.NOTE,
        "profile_cells": profile.cells,
        "profile_sources": [f"{it.name}: {it.source}" for it in TAXONOMIES if any(line.taxonomy == it for line in profiled)],
    }


def figures(runs: Sequence[Run]) -> Iterator[Figure]:
    yield Figure("How far above guessing, step by step", "stages", stages.figure(runs), "stages.csv", of=("stages",))
    yield Figure("How far above guessing, by skill", "profile", profile.figure(runs), "profile.csv", of=("profile",))
    for panel in slope_panels.panels(slope_panels.found(runs), [run.name for run in runs]):
        name = "-".join(f"{panel.task} {panel.knob}".replace("/", " ").split())
        of = ("slope", panel.task, panel.knob)
        yield Figure(f"Accuracy against {panel.knob}: {panel.task}", f"slope-{name}", panel.svg, "slopes.csv", of=of)
