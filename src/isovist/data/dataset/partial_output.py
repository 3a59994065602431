"""Output folders that are written file by file: completed files are kept in a hidden folder, with the request, until all are complete.

The manifest is written last. An interrupted command resumes if the request is the same. Only one command at a time writes to a folder.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from isovist.common.atomic_write import temporary_path
from isovist.common.errors import UserError
from isovist.common.regular_files import read_regular
from isovist.data.dataset.json_documents import PARTIAL

REQUEST = "request.json"
_ATTEMPTS = 20
LOCK = ".isovist-lock"
"""Lock file of a folder; it exists while a command writes to the folder."""


def check_output_folder(out: Path, noun: str) -> None:
    """Raise UserError if `out` is a file, or a folder that is neither empty nor an incomplete output. `noun`: its content ("a mix")."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"Output folder is a file: {out}. Choose a folder for --out.")
    unexpected = sorted(path.name for path in out.iterdir() if path.name not in (PARTIAL, LOCK))
    if unexpected and not (out / PARTIAL / REQUEST).exists():
        raise UserError(
            f"Output folder is not empty and not {noun}: {out} (unexpected file: {unexpected[0]}). Choose a new or empty folder."
        )


def begin_partial_output(partial: Path, request: object, noun: str) -> None:
    """Create the hidden folder for completed files, or reuse that of the same request.

    `noun`: the incomplete output ("mix"). Raises UserError if another request is incomplete, OSError if the folder cannot be written.
    """
    serialized = json.dumps(request, sort_keys=True)
    created = not partial.exists()
    try:
        partial.mkdir(exist_ok=True)
        stored = create_or_read(partial / REQUEST, serialized)
    except OSError:
        if created:
            remove_empty([partial])
        raise
    if stored != serialized:
        raise UserError(f"Output folder has an incomplete {noun} of another request: {partial.parent}. Complete it, or delete {partial}.")


def create_or_read(path: Path, text: str) -> str:
    """Create a file with this text unless the file exists; return its text.

    Of several processes that call this at once, on any machines, one creates the file, and all return its text.
    """
    if not path.exists():
        temporary = temporary_path(path)
        try:
            temporary.write_text(text, encoding="utf-8")
            _link(temporary, path, text)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        finally:
            temporary.unlink(missing_ok=True)
    for _ in range(_ATTEMPTS):
        if stored := read_regular(path).decode():
            return stored
        time.sleep(0.1)  # another process has created the file and not yet written it, see `_link`
    return ""


def _link(temporary: Path, path: Path, text: str) -> None:
    """Give a file a second name, unless that exists: it then appears with all of its text."""
    with suppress(FileExistsError):
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            raise
        except OSError:  # this file system has no second names
            with path.open("x", encoding="utf-8") as file:
                file.write(text)


@contextmanager
def locked(folder: Path, out: Path | None = None, *, shared: bool = False) -> Generator[None]:
    """Lock `folder` against other commands; create it if necessary, and remove it again if it was created and is empty.

    `out`: the name of the folder in messages, if different. Shared locks exclude the others but not each other; they leave the lock file,
    which the next other command removes. Raises UserError, without any change, if another command has the lock.
    """
    created = [made for made in (folder, *folder.parents) if not made.exists()]
    path = folder / LOCK
    try:
        lock = _open_lock(path, out or folder, shared=shared)
        try:
            yield
        finally:
            if not shared:  # before the lock is released: a process that opened the file meanwhile notices this and reopens it
                path.unlink(missing_ok=True)
            os.close(lock)
    finally:
        remove_empty(created)


def _open_lock(path: Path, out: Path, *, shared: bool) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue  # the previous command has moved or removed the folder
        try:
            if _try_lock(lock, shared=shared) and _is_same_file(lock, path):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise UserError(
                f"Output folder is in use by another isovist command: {out}. Wait until it ends, or choose another folder."
            ) from None
        os.close(lock)


def _try_lock(lock: int, *, shared: bool) -> bool:
    """Lock the file; also True if the system or file system has no locks. Raises BlockingIOError if it is locked."""
    try:
        import fcntl

        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EBADF):
            raise BlockingIOError from error
    return True


def _is_same_file(lock: int, path: Path) -> bool:
    """Whether the open file still has this path."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove those folders that are empty."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
