"""What the commands that read runs back share: whether they verify them, and a bar while they do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.progress import Progress

if TYPE_CHECKING:
    from isovist.run.verification import Verifier

verify_option = click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Score the replies again and check the data, or take stored verdicts and data as they stand.",
)


@contextmanager
def verified(runs: Sequence[Path], *, verify: bool, workers: int) -> Generator[Verifier]:
    """A verifier for these runs, with a bar at a terminal."""
    from isovist.run.records import RECORDS
    from isovist.run.verification import Verifier

    size = sum(path.stat().st_size for run in runs if (path := run / RECORDS).is_file())
    with Progress(size, unit="byte", desc="scoring the replies again", leave=False, bar=verify) as progress:
        yield Verifier(verify, progress.update, workers)
