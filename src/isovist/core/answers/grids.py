"""A cell, a path and a set of cells of a grid. Rows and columns are counted from 1, or from 0, from the top and from the left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.extraction.normalize import is_cut_off, sentences
from isovist.core.answers.extraction.phrases import HEDGE
from isovist.core.answers.extraction.value_parser import ValueParser, first_of
from isovist.core.answers.score import Score
from isovist.core.rng import Rng

GridCell = tuple[int, int]
"""Row and column."""

_CELL = (
    r"[(\[{<]\s*(?:(?:row|r)\s*[:=]?\s*)?(\d{1,3})\s*[,;]\s*(?:(?:col(?:umn)?|c)\s*[:=]?\s*)?(\d{1,3})\s*[)\]}>]"
    r"|\b(?:row|r)\s*[:=]?\s*(\d{1,3})\s*(?:,|;|and|\s)*\s*(?:the\s+)?(?:col(?:umn)?|c)\s*[:=]?\s*(\d{1,3})\b"
    r"|\b(?:col(?:umn)?|c)\s*[:=]?\s*(\d{1,3})\s*(?:,|;|and|\s)*\s*(?:the\s+)?(?:row|r)\s*[:=]?\s*(\d{1,3})\b"
)
_ONE = re.compile(_CELL, re.IGNORECASE)
_BARE = re.compile(r"(?<![\d.])(\d{1,3})\s*,\s*(\d{1,3})(?![\d.]\d)")
_PLAIN_CELL = re.compile(r"\(([0-9]{1,3}), ([0-9]{1,3})\)")
_PLAIN_PATH = re.compile(rf"{_PLAIN_CELL.pattern}(?:, {_PLAIN_CELL.pattern})*")
_DIGIT = re.compile(r"\d")
_NAME = r"""(?:row|r|col(?:umn)?|c)?[\s"]*[:=]?[\s"]*\d"""
_CELL_FIRST = re.compile(rf"\W*{_NAME}", re.IGNORECASE)
_PATH_FIRST = re.compile(rf"\W*(?:\d{{1,3}}\s*[.):]\s+)?\W*(?:then|to|and)?\W*{_NAME}", re.IGNORECASE)
"""How a text that is a cell or a path begins: tested before the patterns that search all of it."""
_NAME_START = re.compile(r"(?:row|r|col(?:umn)?|c)(?:\d|$)")
_JOIN = re.compile(r"[\s,;.\[\](){}>|/→⇒=-]*(?:then|to|and)?[\s,;.\[\](){}>|/→⇒=-]*", re.IGNORECASE)


_AMBIGUOUS = re.compile(
    r"\b[xy]\s*[,=]|col(?:umn)?s?\s*,\s*rows?\b|\b(?:zero|0)[ -](?:based|indexed)|(?:start|count|index)\w* (?:from|at) (?:0|zero)\b|from the (?:right|bottom)"
    r"|\d\s*(?:[-–—/]|or\b|and\b|to\b)\s*\d|\.\.\.|…",
    re.IGNORECASE,
)
"""Text that indicates another axis order, another origin or index base, or a range."""


_REASON = re.compile(r",?\s+(?:because|since|as|given)\b", re.IGNORECASE)
_STATEMENT_END = re.compile(r"\W*(?:(?:in|of|on) the (?:grid|picture|image|board|table)|(?:contains|holds) the \w+)?\W*$", re.IGNORECASE)


def _cells(text: str) -> list[tuple[GridCell, int, int]]:
    if not _DIGIT.search(text) or _AMBIGUOUS.search(text):
        return []
    text = text.replace('"', " ")  # JSON
    cells: list[tuple[GridCell, int, int]] = []
    for m in _ONE.finditer(text):
        row, column = (m[6], m[5]) if m[5] else (m[1] or m[3], m[2] or m[4])
        cells.append(((int(row), int(column)), m.start(), m.end()))
    return cells


class _CellParser(ValueParser[GridCell]):
    """Parser of one cell: "(2, 3)", "row 2, column 3", "2, 3"."""

    finals = r"cell"
    givens = r"position|location|coordinates?"

    def whole(self, text: str) -> GridCell | None:
        text = re.sub(r"^(?:the\s+)?(?:cell|position|square)\s+(?:at\s+|in\s+)?", "", text.strip(), flags=re.IGNORECASE)
        if not _CELL_FIRST.match(text):
            return None
        bare = None if _AMBIGUOUS.search(text) else _BARE.fullmatch(text.strip(" .\"'()[]{}"))
        if bare:
            return int(bare[1]), int(bare[2])
        cells = _cells(text)
        inside = len(cells) == 1 and not re.search(r"\w", text[: cells[0][1]] + text[cells[0][2] :])
        return cells[0][0] if inside else None

    def plain(self, text: str) -> GridCell | None:
        cell = _PLAIN_CELL.fullmatch(text)
        return (int(cell[1]), int(cell[2])) if cell else None

    def may_begin(self, word: str) -> bool:
        return word[0].isdigit() or word in ("the", "cell", "position", "square") or _NAME_START.match(word) is not None

    def line(self, text: str) -> GridCell | None:
        return self.whole(text)

    def stated(self, text: str) -> GridCell | None:
        first = next(sentences(text), "")
        claim = _REASON.split(first, maxsplit=1)[0]
        value = self.whole(claim)
        if value is not None:
            return value
        if HEDGE.search(claim):
            return None
        cells = {cell for cell, _, _ in _cells(first)}
        return cells.pop() if len(cells) == 1 else None

    def parse_sentence(self, sentence: str) -> GridCell | None:
        cells = _cells(sentence)
        return cells[0][0] if len(cells) == 1 and _STATEMENT_END.match(sentence, cells[0][2]) else None

    def mentioned(self, text: str) -> frozenset[GridCell]:
        return frozenset(cell for cell, _, _ in _cells(text))


class _PathParser(ValueParser[tuple[GridCell, ...]]):
    """Parser of a path: cells in order, separated by commas, arrows or line breaks, or JSON."""

    block = True
    finals = r"path|route"
    givens = r"cells|sequence|way"

    def whole(self, text: str) -> tuple[GridCell, ...] | None:
        if not _PATH_FIRST.match(text):
            return None
        text = text.replace('"', " ")
        text = re.sub(r"(?m)^\s*(?:\d{1,3}\s*[.):]\s+|[-*•]\s+)(?=\(|\[|row|r\d)", "", text)
        cells = _cells(text)
        edges = [0, *(at for _, a, b in cells for at in (a, b)), len(text)]
        between = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        if not cells or is_cut_off(text) or not all(_JOIN.fullmatch(gap) for gap in between):
            return None
        if any("/" in gap or "|" in gap for gap in between[1:-1]) and any("," in gap for gap in between[1:-1]):
            return None  # two different separators: two paths
        path = tuple(cell for cell, _, _ in cells)
        not_adjacent = len(path) == 2 and abs(path[0][0] - path[1][0]) + abs(path[0][1] - path[1][1]) > 1
        # "from (1, 1) to (5, 5)" states start and end, not a path
        return None if not_adjacent and re.search(r"\bto\b", between[1], re.IGNORECASE) else path

    def plain(self, text: str) -> tuple[GridCell, ...] | None:
        if not _PLAIN_PATH.fullmatch(text):
            return None
        return tuple((int(row), int(column)) for row, column in _PLAIN_CELL.findall(text))

    def may_begin(self, word: str) -> bool:
        return word[0].isdigit() or word in ("then", "to", "and") or _NAME_START.match(word) is not None

    def line(self, text: str) -> tuple[GridCell, ...] | None:
        value = self.whole(text)
        return value if value is not None and len(value) > 1 else None

    def stated(self, text: str) -> tuple[GridCell, ...] | None:
        return first_of(text, self.whole)

    def mentioned(self, text: str) -> frozenset[tuple[GridCell, ...]]:
        parts = re.split(r"\bor\b|[.;:]", text)
        return frozenset(filter(None, (tuple(cell for cell, _, _ in _cells(part)) for part in parts)))


class _SetParser(_PathParser):
    """Parser of a set: as a path, in any order. A repeated cell, and lines of which one has several cells, are two answers."""

    finals = r"cells|set"
    givens = r"list|coordinates"

    def whole(self, text: str) -> tuple[GridCell, ...] | None:
        lines = [n for line in text.split("\n") if (n := len(_cells(line)))]
        return None if len(lines) > 1 and max(lines) > 1 else _in_order(super().whole(text))

    def plain(self, text: str) -> tuple[GridCell, ...] | None:
        return _in_order(super().plain(text))

    def line(self, text: str) -> tuple[GridCell, ...] | None:
        return self.whole(text)

    def mentioned(self, text: str) -> frozenset[tuple[GridCell, ...]]:
        return frozenset(filter(None, map(_in_order, super().mentioned(text))))


def _in_order(cells: tuple[GridCell, ...] | None) -> tuple[GridCell, ...] | None:
    return None if cells is None or len(set(cells)) < len(cells) else tuple(sorted(cells))


_CELLS, _PATHS, _SETS = _CellParser(), _PathParser(), _SetParser()


def _cells_text(cells: tuple[GridCell, ...]) -> str:
    return ", ".join(f"({row}, {column})" for row, column in cells)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a grid with `rows` x `columns` cells. Each cell of `truth` is correct; the first is the canonical key."""

    truth: tuple[GridCell, ...]
    rows: int
    columns: int
    kind: ClassVar[str] = "cell"
    first: ClassVar[int] = 1
    """The number of the top row and of the left column."""

    def __post_init__(self) -> None:
        _check_cells(self.truth, self.rows, self.columns, self.first)
        if len(set(self.truth)) < len(self.truth) or len(self.truth) == self.rows * self.columns:
            raise ValueError(f"the correct cells must be different and not all cells: {self.truth}")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return f"one cell as (row, column), counted from {self.first} at the top left"

    def canonical(self) -> str:
        return _cells_text(self.truth[:1])

    def score(self, reply: str) -> Score:
        return score_response(reply, _CELLS, self.truth.__contains__, lambda cell: _cells_text((cell,)))

    def format_response(self, text: str) -> bool:
        return _CELLS.whole(text) is not None

    def chance(self) -> float:
        return len(self.truth) / (self.rows * self.columns)

    def random_answer(self, rng: Rng) -> str:
        row, column = rng.integer(1, self.rows), rng.integer(1, self.columns)
        return _cells_text(((row - 1 + self.first, column - 1 + self.first),))

    def wrong_answers(self) -> list[str]:
        return [_cells_text((cell,)) for cell in _all_cells(self.rows, self.columns, self.first) if cell not in self.truth]

    def balance_bin(self) -> str:
        return self.canonical()


@dataclass(frozen=True, slots=True)
class ZeroBasedCell(Cell):
    """One cell of a grid whose rows and columns are counted from 0, as the image or the question states."""

    kind: ClassVar[str] = "cell-from-0"
    first: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class CellPath:
    """Cells in order from start to end; only this path is correct."""

    truth: tuple[GridCell, ...]
    rows: int
    columns: int
    kind: ClassVar[str] = "path"

    def __post_init__(self) -> None:
        _check_cells(self.truth, self.rows, self.columns)

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return "the cells in order as (row, column), (row, column), ..., counted from 1 at the top left"

    def canonical(self) -> str:
        return _cells_text(self.truth)

    def score(self, reply: str) -> Score:
        return score_response(reply, _PATHS, self.truth.__eq__, _cells_text)

    def format_response(self, text: str) -> bool:
        return _PATHS.whole(text) is not None

    def chance(self) -> float:
        """The chance level of random cells in a path of the correct length."""
        return float(self.rows * self.columns) ** -len(self.truth)

    def random_answer(self, rng: Rng) -> str:
        return _cells_text(tuple((rng.integer(1, self.rows), rng.integer(1, self.columns)) for _ in self.truth))

    def wrong_answers(self) -> list[str]:
        wrong = [tuple(reversed(self.truth)), (*self.truth, self.truth[0]), self.truth[:-1], self.truth[1:]]
        return [_cells_text(path) for path in dict.fromkeys(wrong) if path and path != self.truth]

    def balance_bin(self) -> str:
        return self.canonical()


@dataclass(frozen=True, slots=True)
class CellSet(CellPath):
    """One or more cells in any order; only the complete set is correct."""

    kind: ClassVar[str] = "cell-set"

    def __post_init__(self) -> None:
        CellPath.__post_init__(self)
        if len(set(self.truth)) < len(self.truth):
            raise ValueError(f"the cells of a set must be different: {self.truth}")

    def format_instruction(self) -> str:
        return "the cells in any order as (row, column), (row, column), ..., counted from 1 at the top left"

    def canonical(self) -> str:
        return _cells_text(tuple(sorted(self.truth)))

    def score(self, reply: str) -> Score:
        return score_response(reply, _SETS, tuple(sorted(self.truth)).__eq__, _cells_text)

    def format_response(self, text: str) -> bool:
        return _SETS.whole(text) is not None

    def chance(self) -> float:
        """The chance level of a random set of one or more cells."""
        return 1 / (2 ** (self.rows * self.columns) - 1)

    def random_answer(self, rng: Rng) -> str:
        while True:
            if cells := tuple(cell for cell in _all_cells(self.rows, self.columns) if rng.chance(0.5)):
                return _cells_text(cells)

    def wrong_answers(self) -> list[str]:
        """Every set that differs from the key by one cell."""
        cells = _all_cells(self.rows, self.columns)
        sets = (tuple(cell for cell in cells if (cell in self.truth) != (cell == odd)) for odd in cells)
        return [_cells_text(each) for each in sets if each]


def _all_cells(rows: int, columns: int, first: int = 1) -> list[GridCell]:
    return [(row, column) for row in range(first, rows + first) for column in range(first, columns + first)]


def _check_cells(cells: tuple[GridCell, ...], rows: int, columns: int, first: int = 1) -> None:
    if not cells or not all(first <= row < rows + first and first <= column < columns + first for row, column in cells):
        raise ValueError(f"cells {cells} do not lie in a grid of {rows} rows and {columns} columns counted from {first}")
