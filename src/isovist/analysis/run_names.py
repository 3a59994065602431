"""What runs are called beside each other: their models, and where two have one, the ends of their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from isovist.errors import UserError
from isovist.run.run_folder import RunFolder, RunMetadata


def run_names(runs: Sequence[tuple[RunFolder, RunMetadata]]) -> list[str]:
    """The models of some runs; runs of one model are told apart by their folders. Raises UserError for a run that is given twice."""
    for path, given in Counter(folder.path.resolve() for folder, _ in runs).items():
        if given > 1:
            twice = next(folder.path for folder, _ in runs if folder.path.resolve() == path)
            raise UserError(f"{twice}: given {given} times; a run beside itself tells nothing, so name it once.")
    models = Counter(info.model for _, info in runs)
    places = _places([folder.path for folder, _ in runs])
    return [info.model if models[info.model] == 1 else f"{info.model} ({place})" for (_, info), place in zip(runs, places, strict=True)]


def _places(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the folders' paths that tell them apart."""
    paths = [folder.resolve().parts for folder in folders]
    ends = [""]
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(parts[-length:]) for parts in paths]
        if len(set(ends)) == len(set(paths)):
            break
    return ends
