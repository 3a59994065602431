"""Which names of things people might take for each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_confusable(name: str, others: Iterable[str], confusable: Sequence[frozenset[str]]) -> bool:
    """Whether a thing of this name might be taken for another one of `others`: one of the sets `confusable` has both names."""
    rest = set(others) - {name}
    return any(name in names and not names.isdisjoint(rest) for names in confusable)
