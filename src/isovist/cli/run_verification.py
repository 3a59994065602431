"""Verification of runs, for the commands that read them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.common.progress import Progress

if TYPE_CHECKING:
    from isovist.evaluation.run.verification import Verifier

verify_option = click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Score the responses again and check the data, or trust the stored scores and data.",
)


@contextmanager
def verified(runs: Sequence[Path], *, verify: bool, workers: int) -> Generator[Verifier]:
    """A verifier for these runs, with a progress bar on a terminal."""
    from isovist.evaluation.run.records import RECORDS
    from isovist.evaluation.run.verification import Verifier

    size = sum(path.stat().st_size for run in runs if (path := run / RECORDS).is_file())
    with Progress(size, unit="byte", desc="scoring the responses again", leave=False, bar=verify) as progress:
        yield Verifier(verify, progress.update, workers)
