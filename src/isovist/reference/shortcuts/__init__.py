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
    told = json.loads(files(__name__).joinpath(FILE).read_bytes())
    found = (
        Best(**row | {"shortcut": Rate(**row["shortcut"]), "partial": Rate(**row["partial"]) if row["partial"] else None}) for row in told
    )
    return {(it.task, it.level): it for it in found}


def best(task: str, level: str = "") -> Best | None:
    """Of a level, or of all; those of all where a level was not measured by itself."""
    return measured().get((task, level)) or measured().get((task, ""))


def fitting(task: str, version: int, level: str, settings: Iterable[str]) -> Best | None:
    """The figures of a level, if they are of that version and these settings, named where they are not the default, change no question."""
    found = best(task, level)
    return found if found is not None and found.version == version and _LOOKS_ALONE.issuperset(settings) else None


def of_item(id: str) -> Best | None:
    """What the rules get on items like that with this id; None for one of other settings, of another version, or imported."""
    try:
        address = ItemAddress.parse(id)
    except ValueError:
        return None
    return fitting(address.task, address.version, address.level, (name for name, _ in address.settings))


def lines(task: str, version: int) -> list[str]:
    """What to say of a task: the best shortcut and the best partial rule, over all levels and where they get most."""
    rows = [it for (name, _), it in measured().items() if name == task and it.version == version]
    told: list[str] = []
    for partial in (False, True):
        found = [(it, rate) for it in rows if (rate := it.partial if partial else it.shortcut)]
        whole = [(it, rate) for it, rate in found if not it.level]
        top = max(((it, rate) for it, rate in found if it.level), key=lambda of: of[1].accuracy - of[0].chance, default=None)
        for it, rate in whole + ([top] if top else []):
            where = f"level {it.level}: " if it.level else ""
            without = f", without {rate.without}" if rate.without else ""
            kind = "partial rule" if partial else "rule"
            told.append(
                f"{where}{100 * rate.accuracy:.1f} % by the {kind} \u201c{rate.rule}\u201d{without} (chance {100 * it.chance:.1f} %)"
            )
    return told
