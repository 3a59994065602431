"""Private seeds: the seed of a release from a secret file, and ids that state neither seed nor address.

The environment variable `ISOVIST_SECRET` names the file, also for worker processes. Neither the secret nor the seed is ever written.
"""

from __future__ import annotations

import hmac
import os
import re
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from isovist.common.errors import UserError
from isovist.core.item_ids import RELEASE_NAME, private_group, private_id

VARIABLE = "ISOVIST_SECRET"
_SEED_BITS = 63
_TOKEN_DIGITS = 16


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """The secret of a release. It has no `repr`, so that no message shows it."""

    release: str
    key: bytes

    @property
    def commitment(self) -> str:
        """The SHA-256 hash of the 64 hexadecimal digits of the secret; to be published before the secret."""
        return sha256(self.key.hex().encode()).hexdigest()

    @property
    def seed(self) -> int:
        """The seed of the items, from 0 to 2^63-1."""
        digest = hmac.digest(self.key, self.release.encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> (64 - _SEED_BITS)

    def item_id(self, id: str) -> str:
        """The opaque id of the item with the full id `id`."""
        return private_id(id, self.release, self._token(id))

    def group_id(self, group: str) -> str:
        """The opaque id of a group; the same group of two tasks has the same one."""
        return private_group(group, self.release, self._token(group))

    def _token(self, text: str) -> str:
        return hmac.digest(self.key, text.encode(), "sha256").hex()[:_TOKEN_DIGITS]


def create(path: Path, release: str) -> Secret:
    """Write a new secret to `path`, which only its owner can read. Raises UserError for an existing file and an invalid name."""
    require_name(release)
    secret = Secret(release, bytes.fromhex(token_hex(32)))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise UserError(f"Secret file exists: {path}. Choose another file for --out; a secret is never overwritten.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'release = "{release}"\nsecret = "{secret.key.hex()}"\n')
    return secret


def require_name(release: str) -> None:
    """Raises UserError for an invalid name of a release."""
    if not re.fullmatch(RELEASE_NAME, release):
        raise UserError(f"Invalid name of a release: {release!r}. Use lower-case letters, digits, points and hyphens; begin with a letter.")


def read(path: Path) -> Secret:
    """Read a secret file. Raises UserError for a missing or malformed one; no message has its content."""
    try:
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise UserError(f"Secret file cannot be read ({error.strerror}): {path}. Correct --secret or {VARIABLE}.") from None


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> Secret:
    del changed, size
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        release, digits = content["release"], content["secret"]
        if set(content) == {"release", "secret"} and re.fullmatch(RELEASE_NAME, release) and re.fullmatch("[0-9a-f]{64}", digits):
            return Secret(release, bytes.fromhex(digits))
    except (ValueError, KeyError, TypeError):
        pass
    raise UserError(
        f"Not a secret file: {path}. It has a `release` and a `secret` of 64 lower-case hexadecimal digits; `isovist release secret` makes one."
    )


def current() -> Secret | None:
    """The secret of the file that the environment names; None if it names none. Raises UserError as `read` does."""
    path = os.environ.get(VARIABLE)
    return read(Path(path)) if path else None


def required(release: str, commitment: str = "") -> Secret:
    """The secret of a release, with this commitment if given. Raises UserError if the environment names none, or another one."""
    secret = current()
    if secret is None:
        raise UserError(f"Items of {release} have a private seed. Give the secret file with --secret, or name it in {VARIABLE}.")
    if secret.release != release:
        raise UserError(
            f"Secret of another release: {secret.release}, not {release}. Give that of {release} with --secret, or unset {VARIABLE}."
        )
    if commitment not in ("", secret.commitment):
        raise UserError(
            f"Wrong secret of {release}: its commitment is {secret.commitment[:16]}..., that of the data is {commitment[:16]}... "
            "Give the secret file of the data with --secret."
        )
    return secret


def is_available(release: str, commitment: str) -> bool:
    """Whether the environment names the secret with this commitment. Raises UserError for a malformed secret file."""
    secret = current()
    return secret is not None and (secret.release, secret.commitment) == (release, commitment)


@contextmanager
def using(path: Path | None) -> Generator[None]:
    """Name the secret file in the environment, also for worker processes; None leaves the environment as it is."""
    before = os.environ.get(VARIABLE)
    if path is not None:
        os.environ[VARIABLE] = str(path.resolve())
    try:
        yield
    finally:
        if path is not None:
            os.environ.pop(VARIABLE, None)
            if before is not None:
                os.environ[VARIABLE] = before
