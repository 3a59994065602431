"""Plurals of the names of objects."""

from __future__ import annotations

_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "snowman": "snowmen",
    "child": "children",
    "person": "people",
    "bookshelf": "bookshelves",
    "loaf": "loaves",
    "shelf": "shelves",
    **dict.fromkeys(("deer", "headphones", "sheep", "sunglasses"), ""),
}
"""The plural of a noun; "" if it is the noun."""
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def plural(name: str) -> str:
    """The plural of a name. The noun is the last word, or the word before "of" as in "pair of boots"."""
    head, separator, rest = name.partition(" of ")
    if separator:
        return f"{plural(head)} of {rest}"
    before, _, noun = name.rpartition(" ")
    if noun in _IRREGULAR:
        many = _IRREGULAR[noun] or noun
    elif noun.endswith(_SIBILANTS):
        many = f"{noun}es"
    elif noun.endswith("y") and noun[-2:-1] not in "aeiou":
        many = f"{noun[:-1]}ies"
    else:
        many = f"{noun}s"
    return f"{before} {many}".strip()
