"""Errors that a user can fix, with a one-line message."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class UserError(ValueError):
    """Invalid input. The message states the problem, the input and the remedy; the command exits with 2."""


class CheckFailed(Exception):
    """A check failed, with one line for each difference; the command exits with 1."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class MissingDependencyError(UserError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str = "", *, package: str = "") -> None:
        """`extra`: the extra that has it; else `package`."""
        missing, installed = (f"package {package!r}", package) if package else (f"extra {extra!r}", f"'isovist[{extra}]'")
        super().__init__(f"Missing {missing} for {purpose}. Run `pip install {installed}`.")


def optional_package(name: str, purpose: str) -> Any:
    """A package that no extra has, imported. Raises MissingDependencyError if it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingDependencyError(purpose, package=name) from None
