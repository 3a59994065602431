"""Levels that are problem sizes."""

from __future__ import annotations

import re

_SIZE = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def size(level: str) -> int | None:
    """The size of a level, a whole number from 1; None for a named level."""
    return int(level) if _SIZE.fullmatch(level) else None
