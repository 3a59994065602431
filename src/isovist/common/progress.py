"""Progress of long commands: a bar on a terminal and in a notebook, one line every 30 seconds in a log."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar

import click

if TYPE_CHECKING:
    from tqdm import tqdm

T = TypeVar("T")

SECONDS = "ISOVIST_PROGRESS_SECONDS"
"""Environment variable: seconds between two lines; 0 disables them."""
QUIET = "isovist.quiet"
"""Key in the `meta` of the command's click context: whether progress is hidden (`--quiet`)."""
_INTERVAL = 30.0
_SHORT = 5.0  # seconds; a shorter command writes no line
_WINDOW = 10  # lines of the moving average of the rate: a resumed command counts finished work at once


class Progress:
    """Progress of a command; as a context manager it closes the bar.

    `total` may be unknown at first. With `bar=False`, a terminal shows no bar; a log still gets its lines.
    """

    def __init__(
        self,
        total: int | None = None,
        unit: str = "item",
        desc: str = "",
        *,
        leave: bool = True,
        bar: bool = True,
        clock: Callable[[], float] = time.monotonic,
        interval: float | None = None,
    ) -> None:
        self.done = 0
        self._errors = self._connections = 0
        self._total, self._unit, self._note = total, unit, ""
        self._clock, self._started = clock, clock()
        self._marks = deque([(self._started, 0)], maxlen=_WINDOW)
        self._interval = _seconds() if interval is None else interval
        self._bar: tqdm[Any] | None = None
        self._ended, self._beat = threading.Event(), None
        context = click.get_current_context(silent=True)
        self._name = desc or (context.info_name if context else "") or "isovist"
        if context and context.meta.get(QUIET):
            return
        if getattr(sys.stderr, "isatty", bool)() or _is_notebook():  # None if the shell closed it
            if bar:
                from tqdm import tqdm

                self._bar = tqdm(total=total, unit=unit, desc=desc or None, leave=leave)
        elif self._interval > 0:
            self._beat = threading.Thread(target=self._write_lines, daemon=True)
            self._beat.start()

    @property
    def total(self) -> int | None:
        return self._total

    @total.setter
    def total(self, total: int | None) -> None:
        self._total = total
        if self._bar is not None:
            self._bar.total = total
            self._bar.refresh()

    def update(self, n: int = 1, *, failed: bool = False, cost_usd: float | None = None) -> None:
        """Count `n` more units as done, or as failed; `cost_usd` is the cost of all units so far, if known."""
        self.done += n
        self._errors += n * failed
        if cost_usd is not None:
            self._note = f"{cost_usd:,.2f} USD"
        if self._bar is not None:
            if failed or cost_usd is not None:
                self._bar.set_postfix_str(", ".join(self._notes()), refresh=False)
            self._bar.update(n)

    def _notes(self) -> Iterator[str]:
        if self._errors:
            yield f"{self._errors:,} {'error' if self._errors == 1 else 'errors'}"
        if self._connections:
            yield f"{self._connections:,} connections"
        if self._note:
            yield self._note

    def note(self, text: str) -> None:
        """Show a short text next to the numbers."""
        self._note = text
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(self._notes()))

    def note_connections(self, n: int) -> None:
        """Show the number of concurrent requests next to the numbers."""
        self._connections = n
        self.note(self._note)

    def write(self, text: str, file: IO[str]) -> None:
        """Print a permanent line above the bar."""
        if self._bar is not None:
            self._bar.write(text, file=file)
        else:
            click.echo(text, file=file)

    def line(self) -> str:
        """The state as one line of text."""
        now = self._clock()
        then, before = self._marks[0]
        rate = (self.done - before) / (now - then) if now > then else 0.0
        elapsed = now - self._started
        parts: list[str] = []
        if self._total:
            parts.append(f"{self.done:,} of {self._total:,} {self._unit}s ({100 * self.done // self._total}%)")
        elif self.done:
            parts.append(f"{self.done:,} {self._unit}s")
        if rate:
            parts.append(f"{rate:,.1f} {self._unit}s/s" if rate >= 1 else f"{1 / rate:,.1f} s per {self._unit}")
        parts += self._notes()
        parts.append(f"{_time(elapsed)} elapsed")
        if self._total and rate and self.done < self._total:
            parts.append(f"{_time((self._total - self.done) / rate)} left")
        return f"{self._name}: {', '.join(parts)}"

    def _write_lines(self) -> None:
        quiet = min(_SHORT, self._interval)
        if self._ended.wait(quiet):
            return
        self._marks[0] = self._clock(), self.done  # work finished before this session has no rate
        wait = self._interval - quiet
        while not self._ended.wait(wait):
            self._print()
            self._marks.append((self._clock(), self.done))
            wait = self._interval
        self._marks = deque([(self._started, 0)])  # the last line shows the overall rate
        self._print()

    def _print(self) -> None:
        try:
            click.echo(self.line(), err=True)
        except (OSError, ValueError):  # the reader of the log has ended; the command continues
            self._ended.set()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._ended.set()
        if self._beat is not None:
            self._beat.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def stage(text: str) -> Progress:
    """A step without a count: a log gets a line, a terminal shows nothing."""
    return Progress(desc=text, bar=False)


def each(values: Iterable[T], total: int | None = None, unit: str = "item", desc: str = "") -> Iterator[T]:
    """Iterate and show progress."""
    with Progress(total, unit, desc, leave=False) as progress:
        for value in values:
            yield value
            progress.update()


def _is_notebook() -> bool:
    """Whether this process is the kernel of a notebook, whose cells show a bar although stderr is not a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    return bool(shell) and "IPKernelApp" in shell.config


def _seconds() -> float:
    try:
        seconds = float(os.environ.get(SECONDS, ""))
    except ValueError:
        return _INTERVAL
    return seconds if isfinite(seconds) else _INTERVAL


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
