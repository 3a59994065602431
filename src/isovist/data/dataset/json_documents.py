"""JSON documents that identify a folder: the manifest of a dataset or a training mixture, the settings of an evaluation or training run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode

T = TypeVar("T")

PARTIAL = ".isovist-partial"
"""Hidden subfolder of an incomplete folder, for completed files."""


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """The common fields of all documents: the format version and the version of Isovist."""

    format: int | None = None
    isovist: str = "unknown"


def document(kind: type[T], path: Path, format: int, *, content: str, missing: str, remedy: str = "") -> T:  # noqa: A002 - as the field
    """Parse the document at `path` as `kind`.

    `content`: the content of the folder as a noun phrase ("a mix"). `missing`: the message if there is no document. `remedy`: how to make
    a new document. Raises UserError if there is no document, or if this version cannot read it.
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
    """The message for a folder without the document `name`: the reason and what to do.

    `noun`: the missing content ("data set"); `kind`: the type of folder ("data"); `command`: the subcommand that makes it.
    """
    if not folder.is_dir():
        return f"a file; give the {kind} folder that holds {name}" if folder.exists() else "no such folder"
    if (folder / PARTIAL).is_dir():
        return f"an unfinished `isovist {command}`; run it again to finish it"
    return f"no {noun} ({name} is missing)"
