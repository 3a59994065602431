"""Numbers and names in the sentences of findings."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 3  # tasks that a sentence names at most


def percent(share: float) -> str:
    """A share in whole per cent, or to a tenth where it is near none or all."""
    shown = 100 * share
    return f"{shown:.1f} %" if 0 < shown < 2 or 98 < shown < 100 else f"{shown:.0f} %"


def of(tasks: Sequence[str]) -> str:
    """Tasks by their names, the first few of many: "in mrt-easy and mrt-hard"; nothing for none."""
    if not tasks:
        return ""
    names = [task.partition("/")[2] or task for task in tasks]
    if len(names) > _NAMED + 1:
        return f"in {', '.join(names[:_NAMED])} and {len(names) - _NAMED} other tasks"
    return "in " + " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
