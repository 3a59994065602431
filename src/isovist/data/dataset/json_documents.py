"""JSON documents that identify a folder: the manifest of a dataset or a training mixture, the settings of an evaluation or training run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.common.regular_files import read_regular

T = TypeVar("T")

PARTIAL = ".isovist-partial"
"""Hidden subfolder of an incomplete folder, for completed files."""


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """The common fields of all documents: the format version and the version of Isovist."""

    format: int | None = None
    isovist: str = "unknown"


def document(
    kind: type[T], path: Path, format: int, *, content: str, missing: str, remedy: str = "",  # noqa: A002 - as the field
    check: Callable[[T], str] = lambda read: "",
) -> T:  # fmt: skip
    """Parse the document at `path` as `kind`.

    `content`: the content of the folder as a noun phrase ("a mix"). `missing`: the message if there is no document. `remedy`: how to make
    a new document. `check`: what is wrong with a document; "" if nothing is. Raises UserError if there is no document, if it is no regular
    file of at most 64 MB, if this version cannot read it, and if the check names a fault.
    """
    try:
        text = read_regular(path)
        head = decode(DocumentHeader, text, extra="ignore")
        if head.format != format:
            hint = f" {remedy[:1].upper()}{remedy[1:]}, or install the Isovist that made it ({head.isovist[:40]})." if remedy else ""
            raise UserError(f"{path.parent}: {content} of format {head.format!r}; this Isovist reads format {format}.{hint}")
        read = decode(kind, text)
        if fault := check(read):
            raise ValueError(fault)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path.parent}: {missing}.") from None
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"{path}: cannot be read ({error}){f'; {remedy}' if remedy else ''}.") from None
    return read


def missing_folder_message(folder: Path, name: str, *, noun: str, kind: str, command: str) -> str:
    """The message for a folder without the document `name`: the reason and what to do.

    `noun`: the missing content ("data set"); `kind`: the type of folder ("data"); `command`: the subcommand that makes it.
    """
    if not folder.is_dir():
        return f"a file; give the {kind} folder that holds {name}" if folder.exists() else "no such folder"
    if (folder / PARTIAL).is_dir():
        return f"an unfinished `isovist {command}`; run it again to finish it"
    return f"no {noun} ({name} is missing)"
