"""Folders that are filled file by file: what is finished waits in a hidden folder, with the request, until all is there.

The manifest is written last. A command that was killed goes on where it stopped if it is asked for the same again. One command at
a time writes into a folder.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from isovist.atomic_write import write_atomically
from isovist.dataset.json_documents import PARTIAL
from isovist.errors import UserError

REQUEST = "request.json"
LOCK = ".isovist-lock"
"""The file inside a folder that the command at work in it holds; it goes when the command ends."""


def check_output_folder(out: Path, noun: str) -> None:
    """Raises UserError for a file, and for a folder that is neither empty nor half filled by us. `noun`: what it has to hold ("a mix")."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"{out}: a file; give a folder for --out.")
    strangers = sorted(path.name for path in out.iterdir() if path.name not in (PARTIAL, LOCK))
    if strangers and not (out / PARTIAL / REQUEST).exists():
        raise UserError(f"{out}: not empty and not {noun} (it holds {strangers[0]}); give an empty or a new folder.")


def begin_partial_output(partial: Path, request: object, noun: str) -> None:
    """Makes the folder for finished files, or takes up the one of the same request.

    `noun`: what is unfinished, in words ("mix"). Raises UserError for another request, OSError where nothing can be written.
    """
    serialized = json.dumps(request, sort_keys=True)
    path = partial / REQUEST
    if path.exists():
        if path.read_text(encoding="utf-8") != serialized:
            raise UserError(f"{partial.parent}: holds an unfinished {noun} of another request; finish that one, or delete {partial}.")
        return
    created = not partial.exists()
    try:
        partial.mkdir(exist_ok=True)
        write_atomically(path, serialized)
    except OSError:
        if created:
            remove_empty([partial])
        raise


@contextmanager
def locked(folder: Path, out: Path | None = None) -> Generator[None]:
    """Holds `folder`, which is made if it is not there, against a second command. A folder that was made and stays empty goes again.

    `out`: what the user calls it, where that is another name. Raises UserError if another command holds it; then nothing has changed.
    """
    created = [made for made in (folder, *folder.parents) if not made.exists()]
    path = folder / LOCK
    try:
        lock = _opened(path, out or folder)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # before it is let go: whoever opened it meanwhile sees that it is gone, and opens it again
            os.close(lock)
    finally:
        remove_empty(created)


def _opened(path: Path, out: Path) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue  # the command before has moved or removed the folder
        try:
            if _held(lock) and _same(lock, path):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise UserError(f"{out}: another isovist command is writing here; wait until it ends, or give another folder.") from None
        os.close(lock)


def _held(lock: int) -> bool:
    """Locks the file. True as well where the system, or the file system, knows no locks. Raises BlockingIOError if it is locked."""
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EBADF):
            raise BlockingIOError from error
    return True


def _same(lock: int, path: Path) -> bool:
    """Whether the file that is open still has this name."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False


def remove_empty(folders: Sequence[Path]) -> None:
    """Nothing is left behind where nothing can be written."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
