"""Mappings: TOML files that state what the columns of a visual question answering set hold."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Literal

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.core.answers import LETTERS

FileFormat = Literal["json", "jsonl", "csv", "tsv", "parquet"]
Form = Literal["letter", "index", "text", "yes-no", "integer", "number"]
OF_OPTIONS = frozenset({"letter", "index", "text"})
"""Forms of an answer that name an option."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 40
_QUESTION, _VALUE = "{question}", "{}"


@dataclass(frozen=True, slots=True)
class QuestionColumns:
    """The question. `context`: column with text that stands before it.

    `template`: text around it, with "{question}"; without a column, the question of all records.
    """

    column: str = ""
    context: str = ""
    template: str = _QUESTION


@dataclass(frozen=True, slots=True)
class ImageColumns:
    """The images. A cell has one image or a list of them; the columns are in the order of presentation."""

    columns: tuple[str, ...]
    encoding: Literal["path", "base64"] = "path"
    """Meaning of a text. Bytes, and structs of bytes and path, need none."""
    path: str = _VALUE
    """Path of an image with "{}" for the value of the cell."""
    references: bool = False
    """Whether a text of at most 64 characters is the id of the record that has the image."""


@dataclass(frozen=True, slots=True)
class OptionColumns:
    """The options, in one of five places; none for sets without options."""

    columns: tuple[str, ...] = ()
    """One column for each option."""
    column: str = ""
    """A column with all options: a list, an object by letter, or a list as JSON or Python text."""
    labelled: str = ""
    """A column with labelled options in one text: "(a) open (b) closed"."""
    in_question: bool = False
    """Whether the question lists them with labels."""
    in_image: int = 0
    """Number of options that are drawn in the image with their letters."""
    shuffle: bool = False
    """Whether they are put in a random order that depends on the question, the options and the id."""


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """The key. The first of `forms` that fits is used: those of options if the record has options, the others if it has none."""

    column: str = ""
    constant: str = ""
    """The answer of all records in place of a column; requires shuffled options."""
    forms: tuple[Form, ...] = ()
    first: int = 0
    """Index of the first option."""
    yes: tuple[str, ...] = ("yes",)
    no: tuple[str, ...] = ("no",)
    low: float | None = None
    high: float | None = None
    """Range of integers and numbers, which states their chance level."""
    tolerance: float = 0.0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Mapping:
    """What the columns of a set hold. Columns are named as in the file."""

    name: str
    """Name of the set in task ids, in kebab case."""
    title: str
    question: QuestionColumns
    images: ImageColumns
    answer: AnswerColumn
    options: OptionColumns = field(default_factory=OptionColumns)
    home: str = ""
    files: str = ""
    """Glob of the files if PATH is a folder."""
    format: FileFormat | None = None
    """Format of the files if their suffix does not state it."""
    records: str = ""
    """Key of the list of records in a JSON object."""
    id: str = ""
    category: str = ""
    """Column that divides the set into tasks."""
    level: str = ""
    split: str = ""
    group: str = ""
    """Column of items that are clustered; by default, items with the same images are."""
    attributes: tuple[str, ...] = ()

    def required(self) -> Iterator[tuple[str, str]]:
        """Yield key and name of each column that every record has."""
        for key in ("id", "category", "level", "split", "group"):
            if name := getattr(self, key):
                yield key, name
        yield from (("attributes", name) for name in self.attributes)
        if self.question.column:
            yield "question.column", self.question.column
        yield from ((f"options.{key}", name) for key in ("column", "labelled") if (name := getattr(self.options, key)))
        if self.answer.column:
            yield "answer.column", self.answer.column

    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield key and name of each column that a table has; its cells may be empty."""
        yield from self.required()
        if self.question.context:
            yield "question.context", self.question.context
        yield from (("images.columns", name) for name in self.images.columns)
        yield from (("options.columns", name) for name in self.options.columns)


def read_mapping(path: Path) -> Mapping:
    """Read a mapping. Raises UserError, which names the key."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        content_json = json.dumps(content, allow_nan=False).encode()
    except OSError as error:
        raise UserError(f"Mapping cannot be read ({error.strerror}): {path}. Give a TOML file for --mapping.") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(f"Invalid mapping ({str(error)[:120]}): {path}. Give a TOML file.") from None
    try:
        mapping = decode(Mapping, content_json)
    except (ValueError, RecursionError) as error:
        fault = str(error)[:160].replace("Unexpected keyword argument", "unknown key")
        raise UserError(f"Invalid mapping ({fault}): {path}. Correct the file.") from None
    if fault := _fault(mapping):
        raise UserError(f"Invalid mapping ({fault}): {path}. Correct the file.")
    return mapping


def _fault(mapping: Mapping) -> str:
    """What is wrong with a mapping; "" if nothing is."""
    if not _NAME.fullmatch(mapping.name) or len(mapping.name) > _LONGEST_NAME:
        return f"name: give lower-case letters, digits and hyphens, at most {_LONGEST_NAME}"
    if not mapping.title.strip() or not mapping.title.isprintable():
        return "title: give the name of the set on one line"
    if not mapping.home.isprintable():
        return "home: give the address of a web page on one line"
    if any(not name for _, name in mapping.columns()):
        return f"{next(key for key, name in mapping.columns() if not name)}: give the name of a column"
    if mapping.question.template.count(_QUESTION) != bool(mapping.question.column) or not mapping.question.template.strip():
        return f"question: give column, and a template with {_QUESTION} once; or a template without {_QUESTION} alone"
    if mapping.options.in_question and not mapping.question.column:
        return "options.in_question: requires question.column"
    return _image_fault(mapping) or _option_fault(mapping.options) or _answer_fault(mapping)


def _image_fault(mapping: Mapping) -> str:
    images = mapping.images
    if not images.columns or len(set(images.columns)) < len(images.columns):
        return "images.columns: give each column once, at least one"
    if images.path.count(_VALUE) != 1 or (images.path != _VALUE and images.encoding != "path"):
        return 'images.path: give a path with {} once, and encoding = "path"'
    if images.references and (images.encoding != "base64" or len(images.columns) > 1 or not mapping.id):
        return 'images.references: requires encoding = "base64", one column, and id'
    return ""


def _option_fault(options: OptionColumns) -> str:
    places = [bool(options.columns), bool(options.column), bool(options.labelled), options.in_question, bool(options.in_image)]
    if sum(places) > 1:
        return "options: give one of columns, column, labelled, in_question and in_image"
    if options.columns and (len(set(options.columns)) < len(options.columns) or not 2 <= len(options.columns) <= len(LETTERS)):
        return f"options.columns: give 2 to {len(LETTERS)} columns, each once"
    if options.in_image and not 2 <= options.in_image <= len(LETTERS):
        return f"options.in_image: give a number from 2 to {len(LETTERS)}"
    if options.shuffle and (not any(places) or options.in_image):
        return "options.shuffle: requires options in columns or in the question"
    return ""


def _answer_fault(mapping: Mapping) -> str:
    answer, options = mapping.answer, mapping.options
    if bool(answer.column) == bool(answer.constant):
        return "answer: give column or constant"
    if answer.constant and not options.shuffle:
        return "answer.constant: requires options.shuffle, or the correct option has the same letter in all items"
    if not answer.forms or len(set(answer.forms)) < len(answer.forms):
        return "answer.forms: give each form once, at least one"
    has_options = options != OptionColumns()
    if not has_options and OF_OPTIONS.intersection(answer.forms):
        return "answer.forms: letter, index and text require options"
    if has_options and not OF_OPTIONS.intersection(answer.forms):
        return "answer.forms: options require letter, index or text"
    if answer.first not in (0, 1):
        return "answer.first: give 0 or 1"
    yes, no = ({text.strip().casefold() for text in texts} for texts in (answer.yes, answer.no))
    if not yes or not no or yes & no or "" in yes | no:
        return "answer.yes, answer.no: give different texts, at least one each"
    if not {"integer", "number"}.intersection(answer.forms):
        return ""
    if answer.low is None or answer.high is None or not isfinite(answer.low) or not isfinite(answer.high) or answer.low >= answer.high:
        return "answer.low, answer.high: integer and number require a range"
    if "integer" in answer.forms and not (answer.low.is_integer() and answer.high.is_integer() and answer.low >= 0):
        return "answer.low, answer.high: integer requires whole numbers from 0"
    if not (isfinite(answer.tolerance) and answer.tolerance >= 0):
        return "answer.tolerance: give a number from 0"
    return ""
