"""What the best cheap rules get on each task, as measured by `tools/measure_shortcuts.py`: the line that a model's score has to pass.

Figures are of the default settings and of one version of a task, at each level with enough items and of all levels together (""). The
rule was chosen on some items and measured on others, so its figure is not too high by the choice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from isovist.core.task import ItemAddress

FILE = "measured.json"
_LOOKS_ALONE = frozenset({"size"})  # settings that change how an item looks and not what it asks


@dataclass(frozen=True, slots=True)
class Rate:
    """A rule and the share of the items that it gets, in [0, 1]. `without`: what it does without, where the task names the rule."""

    rule: str
    accuracy: float
    without: str = ""
    reason: str = ""
    """Why the task lists it, if it beats chance."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best rules at a level: `shortcut` uses none of the claimed skill, `partial` does a part of the work."""

    task: str
    version: int
    level: str
    n: int
    chance: float
    shortcut: Rate
    partial: Rate | None = None


@lru_cache(maxsize=1)
def measured() -> dict[tuple[str, str], Best]:
    """All figures, by task and level."""
    rows = json.loads(files(__name__).joinpath(FILE).read_bytes())
    entries = (
        Best(**row | {"shortcut": Rate(**row["shortcut"]), "partial": Rate(**row["partial"]) if row["partial"] else None}) for row in rows
    )
    return {(entry.task, entry.level): entry for entry in entries}


def best(task: str, level: str = "") -> Best | None:
    """Of a level, or of all; those of all where a level was not measured by itself."""
    return measured().get((task, level)) or measured().get((task, ""))


def fitting(task: str, version: int, level: str, settings: Iterable[str]) -> Best | None:
    """The figures of a level, if they are of that version and these settings, named where they are not the default, change no question."""
    entry = best(task, level)
    return entry if entry is not None and entry.version == version and _LOOKS_ALONE.issuperset(settings) else None


def of_item(id: str) -> Best | None:
    """What the rules get on items like that with this id; None for one of other settings, of another version, or imported."""
    try:
        address = ItemAddress.parse(id)
    except ValueError:
        return None
    return fitting(address.task, address.version, address.level, (name for name, _ in address.settings))


def lines(task: str, version: int) -> list[str]:
    """What to say of a task: the best shortcut and the best partial rule, over all levels and where they get most."""
    rows = [entry for (name, _), entry in measured().items() if name == task and entry.version == version]
    parts: list[str] = []
    for partial in (False, True):
        pairs = [(entry, rate) for entry in rows if (rate := entry.partial if partial else entry.shortcut)]
        whole = [(entry, rate) for entry, rate in pairs if not entry.level]
        top = max(((entry, rate) for entry, rate in pairs if entry.level), key=lambda pair: pair[1].accuracy - pair[0].chance, default=None)
        for entry, rate in whole + ([top] if top else []):
            where = f"level {entry.level}: " if entry.level else ""
            without = f", without {rate.without}" if rate.without else ""
            kind = "partial rule" if partial else "rule"
            parts.append(
                f"{where}{100 * rate.accuracy:.1f} % by the {kind} \u201c{rate.rule}\u201d{without} (chance {100 * entry.chance:.1f} %)"
            )
    return parts
