"""Errors that a user can fix, with a one-line message."""

from __future__ import annotations


class UserError(ValueError):
    """Invalid input. The message states the problem, the input and the remedy; the command exits with 2."""


class CheckFailed(Exception):
    """A check failed, with one line for each difference; the command exits with 1."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class MissingDependencyError(UserError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"Missing extra {extra!r} for {purpose}. Run `pip install 'isovist[{extra}]'`.")
