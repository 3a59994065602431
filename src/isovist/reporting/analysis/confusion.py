"""Confusion matrices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confusion:
    """The count of each answer for each key, both as option texts. `unparsed`: unparsed responses by key."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    unparsed: tuple[int, ...]
