"""Numbers and names in the sentences of findings and reports."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 3  # tasks that a sentence names at most


def percent(share: float) -> str:
    """A share in whole per cent, or to a tenth where it is near none or all."""
    shown = 100 * share
    return f"{shown:.1f} %" if 0 < shown < 2 or 98 < shown < 100 else f"{shown:.0f} %"


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Names one after the other, such as "a, b and c"; raises IndexError for none."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def pluralize(n: int, noun: str) -> str:
    """How many of something, such as "1 item" and "2,000 items"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def in_tasks(tasks: Sequence[str]) -> str:
    """Tasks by their names, the first few of many: "in mrt-easy and mrt-hard"; nothing for none."""
    if not tasks:
        return ""
    names = [task.partition("/")[2] or task for task in tasks]
    if len(names) > _NAMED + 1:
        return f"in {', '.join(names[:_NAMED])} and {len(names) - _NAMED} other tasks"
    return f"in {join_names(names)}"
