"""What a session prints on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import click

from isovist.common.progress import Progress


@dataclass(frozen=True, slots=True)
class Console:
    """Prints notices and progress on stderr, or nothing. `confirm` is asked before requests that may cost money."""

    shown: bool = True
    is_quiet: bool = False
    """Whether notes are omitted; warnings are printed."""
    is_asking: bool = False
    """Whether `confirm` asks a person, who needs the estimate."""
    confirm: Callable[[], bool] = lambda: True

    def note(self, text: str) -> None:
        """Print a line that is not a warning."""
        if not self.is_quiet:
            self.say(text)

    def say(self, text: str, bar: Progress | None = None) -> None:
        """Print a line, above the progress bar if there is one."""
        if self.shown and bar:
            bar.write(text, sys.stderr)
        elif self.shown:
            click.echo(text, err=True)

    def agrees(self, estimate: str, *, is_asked: bool) -> bool:
        """Print the estimate and, if `is_asked`, ask for confirmation."""
        if is_asked and self.is_asking:
            self.say(estimate)
        else:
            self.note(estimate)
        return not is_asked or self.confirm()

    def bar(self, total: int | None = None, desc: str = "", *, leave: bool = True) -> Progress:
        """A progress bar; its lines in a log have the name of the command, or `desc`."""
        return Progress(total, desc=desc, leave=leave) if self.shown else Progress(total, bar=False, interval=0)
