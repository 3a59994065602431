"""Participant codes: the first four characters identify a participant in tables and exports, the rest is secret."""

from __future__ import annotations

import secrets
from hashlib import sha256

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which are easily confused."""

_GROUP = 4
_LENGTH = 3 * _GROUP


def fresh(handle: str = "") -> str:
    """A new code, such as "K7QM-4D2P-9XWF": a handle of 20 bits and a secret of 40 bits. With `handle`, a new code of that participant."""
    characters = handle + "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH - len(handle)))
    return "-".join(characters[i : i + _GROUP] for i in range(0, _LENGTH, _GROUP))


def handle(code: str) -> str:
    """The public part of a code."""
    return plain(code)[:_GROUP]


def plain(code: str) -> str:
    """A typed code without separators; "" if invalid."""
    characters = "".join(character for character in code.upper() if character.isalnum())
    return characters if len(characters) == _LENGTH and set(characters) <= set(ALPHABET) else ""


def fingerprint(code: str) -> str:
    """A hash of a code; a study stores no codes."""
    return sha256(f"isovist study {plain(code)}".encode()).hexdigest()
