"""Accuracy of the best shortcuts on each task, measured by `tools/measure_shortcuts.py`: a reference for the accuracy of models.

Values are for the default settings and one version of a task, at each level with enough items and at all levels together (""). A rule
was chosen on some items and measured on others, so the choice does not bias its accuracy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

FILE = "measured.json"
_LOOKS_ALONE = frozenset({"size"})  # settings that change the appearance of an item but not the question


@dataclass(frozen=True, slots=True)
class Rate:
    """A rule and its accuracy, in [0, 1]. `without`: the part of the work that a partial rule of the task omits."""

    rule: str
    accuracy: float
    without: str = ""
    reason: str = ""
    """The reason of the exemption, if the rule exceeds chance."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best rules at a level, or on one kind of its items: `shortcut` uses none of the claimed skill, `partial` is a partial rule."""

    task: str
    version: int
    level: str
    n: int
    chance: float
    shortcut: Rate
    partial: Rate | None = None
    kind: str = ""

    @property
    def most(self) -> Rate:
        """The more accurate of the two, without a partial rule that is exempt: what an accuracy is set beside."""
        rates = [self.shortcut, *([self.partial] if self.partial and not self.partial.reason else [])]
        return max(rates, key=lambda rate: rate.accuracy)


@lru_cache(maxsize=1)
def measured() -> dict[tuple[str, str, str], Best]:
    """Return all values by task, level and kind."""
    rows = json.loads(files(__name__).joinpath(FILE).read_bytes())
    entries = (
        Best(**row | {"shortcut": Rate(**row["shortcut"]), "partial": Rate(**row["partial"]) if row["partial"] else None}) for row in rows
    )
    return {(entry.task, entry.level, entry.kind): entry for entry in entries}


def best(task: str, level: str = "") -> Best | None:
    """Return the values of a level, or of all levels together if the level was not measured separately."""
    return measured().get((task, level, "")) or measured().get((task, "", ""))


def fitting(task: str, version: int, level: str, settings: Iterable[str]) -> Best | None:
    """Return the values of a level if the version matches and the non-default settings do not change the question."""
    entry = best(task, level)
    return entry if entry is not None and entry.version == version and _LOOKS_ALONE.issuperset(settings) else None


def lines(task: str, version: int) -> list[str]:
    """Return lines about a task: the best shortcut and the best partial rule, over all levels and at the level or kind with the most accuracy
    above chance.
    """
    rows = [entry for entry in measured().values() if entry.task == task and entry.version == version]
    parts: list[str] = []
    for partial in (False, True):
        pairs = [(entry, rate) for entry in rows if (rate := entry.partial if partial else entry.shortcut)]
        whole = [(entry, rate) for entry, rate in pairs if not entry.level and not entry.kind]
        top = max(
            ((entry, rate) for entry, rate in pairs if entry.level or entry.kind),
            key=lambda pair: pair[1].accuracy - pair[0].chance,
            default=None,
        )
        for entry, rate in whole + ([top] if top else []):
            kind_of_items = f", kind {entry.kind}" if entry.kind else ""
            where = f"level {entry.level}{kind_of_items}: " if entry.level else f"kind {entry.kind}: " if entry.kind else ""
            without = f", without {rate.without}" if rate.without else ""
            kind = "partial rule" if partial else "rule"
            parts.append(
                f"{where}{100 * rate.accuracy:.1f} % by the {kind} \u201c{rate.rule}\u201d{without} (chance {100 * entry.chance:.1f} %)"
            )
    return parts
