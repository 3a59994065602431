"""Chains of thought with one changed word, which a verifier must reject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isovist.core.rng import Rng

_PAIRS = ("left right", "up down", "upper lower", "top bottom", "clockwise counterclockwise", "north south", "east west")
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair.split(), reversed(pair.split()))}
_CHANGES = 8  # changed words per chain of thought
_CHANGEABLE = re.compile(rf"\b(?:\d+|{'|'.join(_OPPOSITES)})\b", re.IGNORECASE)


def turned(text: str, id: str) -> Iterator[tuple[str, str]]:
    """Yield chains in which one direction is reversed or one number is increased by 1, each with a description of the change.

    The words are sampled by item id, since a long chain has hundreds of candidates.
    """
    for word in Rng("turned", id).shuffled(list(_CHANGEABLE.finditer(text)))[:_CHANGES]:
        other = str(int(word[0]) + 1) if word[0].isdecimal() else _OPPOSITES[word[0].casefold()]
        yield f"{text[: word.start()]}{other}{text[word.end() :]}", f"{other!r} for {word[0]!r}, place {word.start()}"
