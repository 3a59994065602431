"""What the tasks of CDR share: a choice with one key, re-derived by one function from the drawn shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isovist.core.drawing2d import Drawing
from isovist.core.task import Question, SamplingContext, Setting, Task
from isovist.suites.cdr.options import ORDER, angles, errors
from isovist.suites.cdr.rederivation import read

OF_FOUR = 4
"""How many options a question has that is not about one of eight directions."""


def classification(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], Any],
    draw: Callable[[Any], tuple[Drawing, ...]],
    ask: Callable[[Any], Question],
    *,
    options: int = OF_FOUR,
    **more: Any,
) -> Task[Any]:
    """A task of the suite; `draw` is given the scene's layout."""
    return Task(
        id=f"cdr/{name}",
        summary=summary,
        sample=sample,
        draw=lambda scene: draw(scene.layout),
        ask=ask,
        rederive=read,
        chance=1 / options,
        answer_type="choice",
        layout=lambda scene: scene.layout,
        **more,
    )


def _distractor_types(scene: Any) -> list[str]:
    return errors(scene.options, scene.place, scene.up_direction)


def direction(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], Any],
    draw: Callable[[Any], tuple[Drawing, ...]],
    ask: Callable[[Any], Question],
    *,
    settings: dict[str, Setting] | None = None,
    **more: Any,
) -> Task[Any]:
    """A task that asks for one of the eight directions; a scene tells the right one in the picture as `place`, and the wind at the
    picture's top as `up`.
    """
    of_eight: dict[str, Any] = {
        "strata": 8,
        "option_angles": angles,
        "distractor_types": _distractor_types,
        "settings": {"order": ORDER, **(settings or {})},
    }
    return classification(name, summary, sample, draw, ask, options=8, **of_eight | more)
