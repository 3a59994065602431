"""The sections of a report on why a model fails: the steps of compass reasoning, the skills, and what makes items hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isovist.diagnosis.taxonomies import TAXONOMIES
from isovist.report import profile, stages
from isovist.report.collect import Run

PARTS = (stages, profile)
"""Each with `markdown` and `csv`."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure of these sections, and the table of its numbers."""

    label: str
    name: str
    svg: str
    table: str


def context(runs: Sequence[Run]) -> dict[str, Any]:
    """What `why.html.j2` is told."""
    profiled = profile.lines(runs)
    return {
        "stages": stages.lines(runs),
        "stages_figure": stages.figure(runs),
        "stages_note": stages.NOTE,
        "profile": profiled,
        "profile_figure": profile.figure(runs),
        "profile_note": profile.NOTE,
        "profile_cells": profile.cells,
        "profile_sources": [f"{it.name}: {it.source}" for it in TAXONOMIES if any(line.taxonomy == it for line in profiled)],
    }


def files(runs: Sequence[Run]) -> dict[str, str]:
    """The tables by their names."""
    return {"stages.csv": stages.csv(runs), "profile.csv": profile.csv(runs)}


def figures(runs: Sequence[Run]) -> Iterator[Drawn]:
    yield Drawn("How far above guessing, step by step", "stages", stages.figure(runs), "stages.csv")
    yield Drawn("How far above guessing, by skill", "profile", profile.figure(runs), "profile.csv")
