"""Folders that are filled file by file: what is finished waits in a hidden folder, with the request, until all is there.

The manifest is written last. A command that was killed goes on where it stopped if it is asked for the same again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from isovist.dataset.documents import PARTIAL
from isovist.dataset.manifest import write_atomically
from isovist.errors import BadInput

REQUEST = "request.json"


def usable(out: Path, what: str) -> None:
    """Raises BadInput for a file, and for a folder that is neither empty nor half filled by us. `what`: what it has to hold ("a mix")."""
    if not out.exists():
        return
    if not out.is_dir():
        raise BadInput(f"{out}: a file; give a folder for --out.")
    strangers = sorted(path.name for path in out.iterdir() if path.name != PARTIAL)
    if strangers and not (out / PARTIAL / REQUEST).exists():
        raise BadInput(f"{out}: not empty and not {what} (it holds {strangers[0]}); give an empty or a new folder.")


def claim(partial: Path, request: object, what: str) -> list[Path]:
    """Makes the folder for finished files, or takes up the one of the same request; the folders that were made, the innermost first.

    `what`: what is unfinished, in words ("mix"). Raises BadInput for another request, OSError where nothing can be written.
    """
    told = json.dumps(request, sort_keys=True)
    path = partial / REQUEST
    if path.exists():
        if path.read_text(encoding="utf-8") != told:
            raise BadInput(f"{partial.parent}: holds an unfinished {what} of another request; finish that one, or delete {partial}.")
        return []
    created = [folder for folder in (partial, *partial.parents) if not folder.exists()]
    try:
        partial.mkdir(parents=True, exist_ok=True)
        write_atomically(path, told)
    except OSError:
        remove_empty(created)
        raise
    return created


def remove_empty(folders: Sequence[Path]) -> None:
    """Nothing is left behind where nothing can be written."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
