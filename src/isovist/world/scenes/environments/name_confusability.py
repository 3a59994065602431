"""Confusable object names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_confusable(name: str, others: Iterable[str], confusable: Sequence[frozenset[str]]) -> bool:
    """Whether a name is confusable with one of `others`: one of the sets in `confusable` contains both."""
    rest = set(others) - {name}
    return any(name in names and not names.isdisjoint(rest) for names in confusable)
