"""A fake whose accuracy falls with size along a known curve: what an analysis of sizes should find is known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, isfinite, log

from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.core.task import ItemAddress
from isovist.errors import UserError
from isovist.models.base import ModelRequest
from isovist.models.baselines.random_guessing import guess

PREFIX = "fake/psychometric:"
_DEFAULTS = {"threshold": 9.0, "slope": 4.0, "lapse": 0.02}


def words(name: str) -> Callable[[ModelRequest, Answer], str]:
    """What the fake of that name says, such as ``fake/psychometric:threshold=9,slope=4,lapse=0.02``.

    It knows the key in a share (1 - lapse) / (1 + (size / threshold)^slope) of the items, and guesses in the others; always the same
    for the same item. Where the level is no size, it knows the key but for lapses. Raises UserError for another form.
    """
    settings = dict(_DEFAULTS)
    for part in filter(None, name.removeprefix(PREFIX).split(",")):
        setting, _, value = part.partition("=")
        try:
            settings[setting] = float(value) if setting in settings else float("nan")
        except ValueError:
            settings[setting] = float("nan")
    fits = set(settings) == set(_DEFAULTS) and all(map(isfinite, settings.values()))
    if not (fits and settings["threshold"] > 0 and settings["slope"] > 0 and 0 <= settings["lapse"] <= 1):
        raise UserError(f"{name}: write numbers as in {PREFIX}threshold=9,slope=4,lapse=0.02 (above 0; the lapse from 0 to 1).")
    return lambda request, answer: _said(request, answer, **settings)


def _said(request: ModelRequest, answer: Answer, *, threshold: float, slope: float, lapse: float) -> str:
    level = ItemAddress.parse(request.item_id).level
    rng = Rng("fake/psychometric", request.item_id, request.variant)
    known = 1 - lapse
    if level.isdecimal():
        known /= 1 + exp(min(500.0, slope * log(int(level) / threshold)))
    return f"Answer: {answer.canonical() if rng.chance(known) else guess(request.item_id, answer, rng)}"
