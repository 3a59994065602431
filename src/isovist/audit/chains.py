"""Chains of thought with one word turned round, which a verifier must refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isovist.core.rng import Rng

_PAIRS = ("left right", "up down", "upper lower", "top bottom", "clockwise counterclockwise", "north south", "east west")
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair.split(), reversed(pair.split()))}
_TURNS = 8  # words of an item's chain of thought
_TURNED = re.compile(rf"\b(?:\d+|{'|'.join(_OPPOSITES)})\b", re.IGNORECASE)


def turned(text: str, id: str) -> Iterator[tuple[str, str]]:
    """A few chains in which one word says the opposite, or one more, each with what was changed; other words for every item id, since
    a long chain has hundreds of them.
    """
    for word in Rng("turned", id).shuffled(list(_TURNED.finditer(text)))[:_TURNS]:
        other = str(int(word[0]) + 1) if word[0].isdecimal() else _OPPOSITES[word[0].casefold()]
        yield f"{text[: word.start()]}{other}{text[word.end() :]}", f"{other!r} for {word[0]!r}, place {word.start()}"
