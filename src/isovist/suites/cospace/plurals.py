"""The plural of what a thing is called."""

from __future__ import annotations

_ODD = {"man": "men", "woman": "women", "person": "people", "child": "children", "shelf": "shelves", "bookshelf": "bookshelves"}
_HISSING = ("s", "x", "z", "ch", "sh")


def plural(name: str) -> str:
    """Of a name whose last word is its noun, or of one such as "pair of boots", whose first is."""
    head, separator, rest = name.partition(" of ")
    if separator:
        return f"{plural(head)} of {rest}"
    before, _, noun = name.rpartition(" ")
    if noun in _ODD:
        many = _ODD[noun]
    elif noun.endswith(_HISSING):
        many = f"{noun}es"
    elif noun.endswith("y") and noun[-2:-1] not in "aeiou":
        many = f"{noun[:-1]}ies"
    else:
        many = f"{noun}s"
    return f"{before} {many}".strip()
