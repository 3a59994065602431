"""Errors that a user can fix, with a one-line message."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
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
        from isovist.common.installation import install_command

        missing = f"package {package!r}" if package else f"extra {extra!r}"
        super().__init__(f"Missing {missing} for {purpose}. Run `{install_command(extra, package=package)}`.")


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Check before any work that the modules of an extra are installed. Raises MissingDependencyError."""
    if not all(map(find_spec, modules)):
        raise MissingDependencyError(purpose, extra)


def optional_package(name: str, purpose: str) -> Any:
    """A package that no extra has, imported. Raises MissingDependencyError if it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingDependencyError(purpose, package=name) from None
