"""Atomic replacement of files."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from secrets import token_hex


def temporary_path(path: Path) -> Path:
    """A new path beside `path`. No other process has it, also not on another machine that writes to the same folder."""
    host = re.sub(r"[^A-Za-z0-9-]", "", platform.node())[:32]
    return path.with_name(f".{host}-{os.getpid()}-{token_hex(4)}.tmp")


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write a file atomically: a reader sees the old or the complete new content. An OSError has the file name."""
    temporary = temporary_path(path)
    try:
        temporary.write_bytes(text.encode() if isinstance(text, str) else text)
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
