"""The names of runs in a report: their models, and the ends of their folders where two runs have the same model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from isovist.errors import UserError
from isovist.run.run_folder import RunFolder, RunMetadata


def run_names(runs: Sequence[tuple[RunFolder, RunMetadata]]) -> list[str]:
    """The models of some runs; runs of one model have the ends of their folders as well. Raises UserError for a repeated run."""
    for path, count in Counter(folder.path.resolve() for folder, _ in runs).items():
        if count > 1:
            repeated = next(folder.path for folder, _ in runs if folder.path.resolve() == path)
            raise UserError(f"The same run is given {count} times: {repeated}. Give it once.")
    models = Counter(info.model for _, info in runs)
    folder_ends = _folder_ends([folder.path for folder, _ in runs])
    return [info.model if models[info.model] == 1 else f"{info.model} ({end})" for (_, info), end in zip(runs, folder_ends, strict=True)]


def _folder_ends(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that differ."""
    paths = [folder.resolve().parts for folder in folders]
    ends = [""]
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(parts[-length:]) for parts in paths]
        if len(set(ends)) == len(set(paths)):
            break
    return ends
