"""The zip file of a submission: written deterministically, and read as untrusted input."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO

from isovist.common.atomic_write import temporary_path
from isovist.common.errors import CheckFailed, UserError
from isovist.reporting.submissions.submission import REPLIES, SUBMISSION

MEMBERS = (REPLIES, SUBMISSION)
MOST_BYTES = {REPLIES: 1 << 30, SUBMISSION: 1 << 20}
"""The largest uncompressed size of each file."""
MOST_LINE = 16 << 20
"""The longest line of `replies.jsonl`, in bytes."""
_MOST_RATIO = 500  # of the sizes before and after compression
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError, OSError)


def write(path: Path, replies: Iterator[bytes], submission: Callable[[str], bytes]) -> None:
    """Write a zip file atomically. `submission` is called with the SHA-256 hash of the replies. The same content has the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_path(path)
    digest = sha256()
    try:
        with zipfile.ZipFile(temporary, "w") as archive:
            with archive.open(_member(REPLIES), "w", force_zip64=True) as file:
                for line in replies:
                    digest.update(line)
                    file.write(line)
            archive.writestr(_member(SUBMISSION), submission(digest.hexdigest()))
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.create_system, member.external_attr, member.compress_type = 3, (stat.S_IFREG | 0o644) << 16, zipfile.ZIP_DEFLATED
    return member


class Archive:
    """The zip file of a submission, open for reading. Nothing is extracted. Its methods raise CheckFailed for damage."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.digest = ""
        """The SHA-256 hash of the replies, after they have been read."""

    def submission(self) -> bytes:
        """The content of `submission.json`."""
        with _damage(SUBMISSION), self._file.open(SUBMISSION) as file:
            return file.read(MOST_BYTES[SUBMISSION])

    def replies(self) -> Generator[bytes]:
        """The lines of `replies.jsonl`, in bounded memory."""
        digest = sha256()
        with _damage(REPLIES), self._file.open(REPLIES) as file:
            while line := file.readline(MOST_LINE):
                digest.update(line)
                if len(line) == MOST_LINE:
                    raise CheckFailed(f"{REPLIES} has a line of more than {MOST_LINE:,} bytes.")
                yield line
        self.digest = digest.hexdigest()


@contextmanager
def opened(path: Path) -> Generator[Archive]:
    """Open the zip file of a submission. Raises UserError without a file, and CheckFailed for anything but the two files in it."""
    try:
        file: IO[bytes] = path.open("rb")
    except OSError as error:
        raise UserError(f"Submission cannot be read ({error.strerror}): {path}. Correct the path.") from None
    with file:
        with _damage("zip file"):
            archive = zipfile.ZipFile(file)
            members = archive.infolist()
        with archive:
            if fault := _fault(members):
                raise CheckFailed(fault)
            yield Archive(archive)


def _fault(members: list[zipfile.ZipInfo]) -> str:
    """The reason why these are not the members of a submission; "" if they are."""
    names = sorted(member.orig_filename for member in members)
    if names != list(MEMBERS):
        return f"The zip file does not have exactly {' and '.join(MEMBERS)}: {', '.join(ascii(name[:60]) for name in names[:5]) or 'it is empty'}."
    for member in members:
        mode = member.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or member.is_dir():
            return f"{member.filename} is not a regular file."
        if member.flag_bits & 0x1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return f"{member.filename} is encrypted, or has another compression than deflate."
        if member.file_size > MOST_BYTES[member.filename]:
            return f"{member.filename} has {member.file_size:,} bytes; the most are {MOST_BYTES[member.filename]:,}."
        if member.file_size > _MOST_RATIO * max(member.compress_size, 1000):
            return f"{member.filename} is compressed by more than {_MOST_RATIO}: {member.compress_size:,} to {member.file_size:,} bytes."
    return ""


@contextmanager
def _damage(name: str) -> Generator[None]:
    """Turns the errors of a damaged zip file into CheckFailed."""
    try:
        yield
    except _DAMAGE as error:
        raise CheckFailed(f"The zip file is damaged ({name}: {str(error)[:100] or type(error).__name__}).") from None
