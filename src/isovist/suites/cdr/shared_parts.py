"""Shared parts of the CDR tasks: values of the groups of a task that several modules take, and the item attribute of the wording."""

from __future__ import annotations

from typing import Any

from isovist.core.task import Answers, Paper, Reported, Sampling
from isovist.suites.cdr.options import angles, option_types
from isovist.suites.cdr.published_prompt import PUBLISHED_PROMPT

OF_FOUR = 4
"""Number of options of a question that does not ask for one of eight directions."""
DIRECTIONS = Answers(type="choice", strata=8)
"""Each of eight directions is the key equally often."""
BY_LAYOUT: Sampling[Any] = Sampling(layout=lambda scene: scene.layout)
PAPER = Paper(prompt=PUBLISHED_PROMPT)
DIRECTIONS_REPORTED: Reported[Any] = Reported(
    distractor_types=lambda scene: option_types(scene.options, scene.place, scene.up_direction), option_angles=angles
)
"""A scene has the image direction of the key as `place` and the compass direction of the image top as `up_direction`."""


def wording(scene: Any) -> dict[str, str]:
    """The item attribute of every task: the number of the question template, from 1; a scene has its index as `phrasing`."""
    return {"wording": str(scene.phrasing + 1)}
