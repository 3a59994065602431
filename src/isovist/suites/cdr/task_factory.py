"""Factory of CDR tasks: a choice with one key, re-derived by one function from the drawn shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isovist.core.drawing2d import Drawing
from isovist.core.published_prompt import PublishedPrompt
from isovist.core.task import Question, SamplingContext, Setting, Task
from isovist.suites.cdr.options import ORDER, angles, option_types
from isovist.suites.cdr.published_prompt import PUBLISHED_PROMPT
from isovist.suites.cdr.rederivation import rederive

OF_FOUR = 4
"""Number of options of a question that does not ask for one of eight directions."""


def classification(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], Any],
    draw: Callable[[Any], tuple[Drawing, ...]],
    ask: Callable[[Any], Question],
    *,
    options: int = OF_FOUR,
    attributes: Callable[[Any], dict[str, str]] = lambda _: {},
    published_prompt: PublishedPrompt | str = PUBLISHED_PROMPT,
    **more: Any,
) -> Task[Any]:
    """Return a task of the suite; `draw` takes the layout of a scene, which has the index of its question template as `phrasing`."""
    return Task(
        id=f"cdr/{name}",
        summary=summary,
        sample=sample,
        draw=lambda scene: draw(scene.layout),
        ask=ask,
        rederive=rederive,
        chance=1 / options,
        answer_type="choice",
        layout=lambda scene: scene.layout,
        attributes=lambda scene: attributes(scene) | {"wording": str(scene.phrasing + 1)},
        published_prompt=published_prompt,
        **more,
    )


def _distractor_types(scene: Any) -> list[str]:
    return option_types(scene.options, scene.place, scene.up_direction)


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
    """Return a task that asks for one of eight directions.

    A scene has the image direction of the key as `place` and the compass direction of the image top as `up_direction`.
    """
    of_eight: dict[str, Any] = {
        "strata": 8,
        "option_angles": angles,
        "distractor_types": _distractor_types,
        "settings": {"order": ORDER, **(settings or {})},
    }
    return classification(name, summary, sample, draw, ask, options=8, **of_eight | more)
