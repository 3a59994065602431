"""The names of runs in a report: their models, and the ends of their folders where two runs have the same model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from isovist.common.errors import UserError
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata

_PARTICIPANT = "human/"
"""Before the code of a participant, which names no provider."""


def run_names(runs: Sequence[Sequence[tuple[RunFolder, RunMetadata]]]) -> list[str]:
    """The models of some runs, each of one or several folders; runs of one model have the ends of their first folders as well.

    Raises UserError for a repeated folder.
    """
    folders = [folder.path for run in runs for folder, _ in run]
    for path, count in Counter(folder.resolve() for folder in folders).items():
        if count > 1:
            repeated = next(folder for folder in folders if folder.resolve() == path)
            raise UserError(f"The same run is given {count} times: {repeated}. Give it once.")
    firsts = [run[0] for run in runs]
    models = Counter(info.model for _, info in firsts)
    folder_ends = _folder_ends([folder.path for folder, _ in firsts])
    return [info.model if models[info.model] == 1 else f"{info.model} ({end})" for (_, info), end in zip(firsts, folder_ends, strict=True)]


def short_names(names: Sequence[str]) -> list[str]:
    """What distinguishes runs in the narrow columns of a table: their names without providers, or the names where these would be equal."""
    parts = [name.partition(" (") for name in names]
    short = [f"{model if model.startswith(_PARTICIPANT) else model.rpartition('/')[2]}{space}{folder}" for model, space, folder in parts]
    return short if len(set(short)) == len(short) else list(names)


def _folder_ends(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that differ."""
    paths = [folder.resolve().parts for folder in folders]
    ends = [""]
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(parts[-length:]) for parts in paths]
        if len(set(ends)) == len(set(paths)):
            break
    return ends
