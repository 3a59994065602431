"""All that is looked for in a run."""

from __future__ import annotations

from isovist.diagnosis.answers import constants, positions
from isovist.diagnosis.deficits import wrong_options
from isovist.diagnosis.findings import Finder
from isovist.diagnosis.guessing import guessing
from isovist.diagnosis.replies import format_failures
from isovist.diagnosis.sides import leaning
from isovist.diagnosis.sizes import thresholds
from isovist.diagnosis.stages import lost_stage

FINDERS: tuple[Finder, ...] = (format_failures, positions, constants, wrong_options, leaning, thresholds, lost_stage, guessing)
