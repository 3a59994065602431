"""Writing a file so that a reader sees the old one or the whole new one."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, text: str | bytes) -> None:
    """Writes a file so that a reader sees the old one or the whole new one. An OSError names the file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode() if isinstance(text, str) else text)
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
