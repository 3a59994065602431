"""What a user can mend, said in one line."""

from __future__ import annotations


class UserError(ValueError):
    """Input that cannot be used: the message names it, says what is wrong and what to do. The command exits with 2."""


class CheckFailed(Exception):
    """What was looked at is not what it says it is: a line for each thing that differs. The command exits with 1."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class MissingDependencyError(UserError):
    """An optional part is not installed."""

    def __init__(self, command: str, extra: str) -> None:
        super().__init__(f"{command} needs the extra {extra!r}: install it with `pip install 'isovist[{extra}]'`.")
