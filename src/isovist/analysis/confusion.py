"""Which answers were given for which keys."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each answer was given for each key, both by what the options say. The last column counts the unread."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    unread: tuple[int, ...]
