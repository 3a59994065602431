"""The JSON documents by which a folder is known: the manifest of data or of a mix, the settings of a run or of a training."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from isovist.errors import UserError
from isovist.json_decoding import decode

T = TypeVar("T")

PARTIAL = ".isovist-partial"
"""The folder inside a folder that is being filled: it holds finished files until all are."""


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """What every format of a document tells."""

    format: int | None = None
    isovist: str = "unknown"


def document(kind: type[T], path: Path, format: int, *, content: str, missing: str, remedy: str = "") -> T:  # noqa: A002 - as the field
    """What the document at a path says of its folder. `content` names what the folder holds ("a mix"), `missing` tells what to do without a
    document, `remedy` how to make a new one.

    Raises UserError if there is none, or one that this version cannot read.
    """
    try:
        text = path.read_bytes()
        head = decode(DocumentHeader, text, extra="ignore")
        if head.format != format:
            hint = f" {remedy[:1].upper()}{remedy[1:]}, or install the Isovist that made it ({head.isovist})." if remedy else ""
            raise UserError(f"{path.parent}: {content} of format {head.format!r}; this Isovist reads format {format}.{hint}")
        return decode(kind, text)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path.parent}: {missing}.") from None
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"{path}: cannot be read ({error}){f'; {remedy}' if remedy else ''}.") from None


def missing_folder_message(folder: Path, name: str, *, noun: str, kind: str, command: str) -> str:
    """Why a folder has no document of that name, and what to do. `noun` is missing, in words ("data set"); the `kind` of folder ("data")
    is made by a `command`.
    """
    if not folder.is_dir():
        return f"a file; give the {kind} folder that holds {name}" if folder.exists() else "no such folder"
    if (folder / PARTIAL).is_dir():
        return f"an unfinished `isovist {command}`; run it again to finish it"
    return f"no {noun} ({name} is missing)"
