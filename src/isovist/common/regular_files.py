"""Reading of files in folders from others: a named pipe, a device or a socket in place of a file never ends or has side effects."""

from __future__ import annotations

import stat
from pathlib import Path

from isovist.common.errors import UserError

MOST_BYTES = 64 << 20
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def require_regular(path: Path) -> int:
    """The size of a file in bytes. Raises UserError for a folder, a pipe, a socket and a device, OSError for a missing file."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"Not a file but {_KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}: {path}. Restore the file.")
    return status.st_size


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file of at most `most` bytes. Raises UserError for a larger one, else as `require_regular`."""
    if (size := require_regular(path)) > most:
        raise UserError(f"File has {size:,} bytes, at most {most:,} are allowed: {path}. Restore the file.")
    return path.read_bytes()
