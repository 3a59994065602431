"""A simulated model whose accuracy follows a given psychometric function of size: a known truth for tests of size thresholds."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, isfinite, log

from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.core.item_ids import stated_design
from isovist.core.rng import Rng
from isovist.evaluation.models.base import ModelRequest
from isovist.evaluation.models.baselines.random_guessing import guess

PREFIX = "simulated/psychometric:"
_DEFAULTS = {"threshold": 9.0, "slope": 4.0, "lapse": 0.02}


def respond(name: str) -> Callable[[ModelRequest, Answer], str]:
    """The responses of a model such as ``simulated/psychometric:threshold=9,slope=4,lapse=0.02``.

    The model returns the key with probability (1 - lapse) / (1 + (size / threshold)^slope) and else a random answer; the same item
    always gets the same response. If the level is not a size, the probability is 1 - lapse.

    Raises:
        UserError: for an unknown setting or a value out of range.
    """
    settings = dict(_DEFAULTS)
    for part in filter(None, name.removeprefix(PREFIX).split(",")):
        setting, _, value = part.partition("=")
        try:
            settings[setting] = float(value) if setting in settings else float("nan")
        except ValueError:
            settings[setting] = float("nan")
    threshold, slope, lapse = (settings[setting] for setting in _DEFAULTS)
    is_valid = set(settings) == set(_DEFAULTS) and all(map(isfinite, settings.values()))
    if not (is_valid and threshold > 0 and slope > 0 and 0 <= lapse <= 1):
        raise UserError(
            f"Invalid settings: {name}. Write {PREFIX}threshold=9,slope=4,lapse=0.02 with threshold and slope above 0 and a lapse of 0 to 1."
        )

    def text(request: ModelRequest, answer: Answer) -> str:
        level = stated_design(request.item_id).level
        rng = Rng("fake/psychometric", request.item_id, request.variant)
        probability = 1 - lapse
        if level.isdecimal():
            probability /= 1 + exp(min(500.0, slope * log(int(level) / threshold)))
        return f"Answer: {answer.canonical() if rng.chance(probability) else guess(request.item_id, answer, rng)}"

    return text
