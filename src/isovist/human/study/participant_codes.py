"""Codes that people go by instead of names: the first four characters are told in tables and exports, the rest is theirs alone."""

from __future__ import annotations

import secrets
from hashlib import sha256

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which are read as each other."""

_GROUP = 4
_LENGTH = 3 * _GROUP


def fresh(handle: str = "") -> str:
    """A new code, such as "K7QM-4D2P-9XWF": 20 bits that name a person and 40 more that nobody guesses. With `handle`, another code
    of the person who is called so.
    """
    drawn = handle + "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH - len(handle)))
    return "-".join(drawn[i : i + _GROUP] for i in range(0, _LENGTH, _GROUP))


def handle(code: str) -> str:
    """The part of a code by which a person is called; nobody goes on by it alone."""
    return plain(code)[:_GROUP]


def plain(code: str) -> str:
    """A code as it was typed, without what stands between its groups; "" if it is none."""
    characters = "".join(character for character in code.upper() if character.isalnum())
    return characters if len(characters) == _LENGTH and set(characters) <= set(ALPHABET) else ""


def fingerprint(code: str) -> str:
    """By what a code is known again: the file of a study holds no code."""
    return sha256(f"isovist study {plain(code)}".encode()).hexdigest()
