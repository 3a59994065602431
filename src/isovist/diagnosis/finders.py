"""All that is looked for in a run."""

from __future__ import annotations

from isovist.diagnosis.answers import constant_answers, preferred_options
from isovist.diagnosis.deficits import systematic_errors
from isovist.diagnosis.difficulty import harder_items
from isovist.diagnosis.findings import Finder
from isovist.diagnosis.guessing import guessing
from isovist.diagnosis.replies import format_failures
from isovist.diagnosis.sides import leaning_angles
from isovist.diagnosis.sizes import size_thresholds
from isovist.diagnosis.stages import lost_steps

FINDERS: tuple[Finder, ...] = (
    format_failures,
    preferred_options,
    constant_answers,
    systematic_errors,
    leaning_angles,
    size_thresholds,
    lost_steps,
    harder_items,
    guessing,
)

BEYOND_A_SIZE = "a size beyond which it fails"
LOOKED_FOR = (
    "replies without an answer, an option that is preferred, one answer to everything, left for right and other errors of direction, "
    f"mirror images, the wrong frame of reference, angles that lean to one side, {BEYOND_A_SIZE}, a lost step of compass "
    "reasoning, and what makes items harder"
)
"""The errors among them in words; guessing, which is told of every run, is none."""
