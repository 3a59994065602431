"""Atomic replacement of files."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write a file atomically: a reader sees the old or the complete new content. An OSError has the file name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode() if isinstance(text, str) else text)
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
