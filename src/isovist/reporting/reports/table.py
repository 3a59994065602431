"""Tables, declared once: the page, Markdown and CSV show the same columns and rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal, Protocol
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from isovist.common.errors import optional_package
from isovist.data.notebook import table_html
from isovist.reporting.analysis.unparsed_responses import MARK, MARK_NOTE
from isovist.stats.effective_sample_size import FEW

FEW_MARK = "†"
"""Follows a confidence interval that rests on too few clusters."""
FEW_NOTE = (
    f"fewer than {FEW:g} independent items (items that share an image count as one), or a few images with most of the items: the interval "
    "depends more on the assumed correlation between items that share an image than on the data"
)

Kind = Literal["text", "task", "run", "number", "count", "percent", "p", "interval", "points", "change", "units"]
"""What a column holds. `number`: a formatted number; `percent`: a share of 1. The last four are an estimate with its 95% CI: `interval`,
`points` and `change` as shares of 1, `points` without a percent sign and `change` in percentage points with the sign of the number; `units` in degrees,
seconds or sizes.
"""
_INTERVALS = ("interval", "points", "change", "units")


@dataclass(frozen=True, slots=True)
class OpenInterval:
    """An estimate with its 95% CI, of which each may be missing."""

    estimate: float | None
    low: float | None = None
    high: float | None = None


class Interval(Protocol):
    """An estimate with the ends of its 95% CI; None for an open end."""

    @property
    def estimate(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; an interval takes two columns of a page and three of a CSV file."""

    name: str
    """The column of the CSV file; empty for a column of the page alone."""
    head: str = ""
    """The heading on the page and in Markdown; empty for a column of the CSV file alone."""
    kind: Kind = "text"

    @property
    def heads(self) -> tuple[str, ...]:
        unit = {"percent": " (%)", "interval": " (%)", "change": " (pp)"}.get(self.kind, "")
        head = f"{self.head}{unit}"
        return (head, "95% CI") if self.kind in _INTERVALS else (head,)

    def texts(self, value: object) -> tuple[str, ...]:
        """The cells of a value on the page and in Markdown. A text in a column of numbers is the reason for its absence."""
        if self.kind in _INTERVALS:
            if value is None or isinstance(value, str):
                return (f"not reported ({value})" if value else "-", "-")
            return _interval_texts(value, self.kind)  # pyright: ignore[reportArgumentType]
        if value is None or value == "":
            return ("-",)
        if self.kind == "percent" and isinstance(value, float):
            return (percent(value),)
        if self.kind == "count" and isinstance(value, int):
            return (f"{value:,}",)
        return (p_text(value) if self.kind == "p" and isinstance(value, float) else str(value),)

    def csv_values(self, value: object) -> list[object]:
        if self.kind in _INTERVALS:
            ends: Sequence[object] = [None] * 3 if value is None or isinstance(value, str) else _ends(value)  # pyright: ignore[reportArgumentType]
            return ["" if end is None else end for end in ends]
        missing = value is None or (self.kind in ("count", "percent", "p") and isinstance(value, str))
        return ["" if missing else int(value) if isinstance(value, bool) else value]

    def json_value(self, value: object) -> object:
        if self.kind in _INTERVALS:
            if value is None or isinstance(value, str):
                return None
            return dict(zip(("estimate", "low", "high"), map(_rounded, _ends(value)), strict=True))  # pyright: ignore[reportArgumentType]
        is_reason = self.kind in ("count", "percent", "p") and isinstance(value, str)
        return None if is_reason or value == "" else _rounded(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, one for each column. None stands for a value that does not exist."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    marked: Collection[int] = ()
    """Rows whose first interval is marked, as many responses are unparsed."""

    def csv(self) -> str:
        """Shares are of 1. The first interval is `ci_low` and `ci_high`; the ends of any other one carry its name."""
        written = [(place, column) for place, column in enumerate(self.columns) if column.name]
        head: list[str] = []
        for _, column in written:
            prefix = column.name if "ci_low" in head else "ci"
            head += [column.name, f"{prefix}_low", f"{prefix}_high"] if column.kind in _INTERVALS else [column.name]
        return as_csv(head, [[cell for place, column in written for cell in column.csv_values(row[place])] for row in self.rows])

    def records(self) -> list[dict[str, object]]:
        """The rows of the CSV file as JSON objects; an interval is an object of its estimate and its ends, None where it is not reported."""
        written = [(place, column) for place, column in enumerate(self.columns) if column.name]
        return [{column.name: column.json_value(row[place]) for place, column in written} for row in self.rows]

    def to_pandas(self) -> Any:
        """The rows of the CSV file as a pandas data frame. Raises MissingDependencyError if pandas is not installed."""
        return optional_package("pandas", "a data frame").read_csv(io.StringIO(self.csv()), keep_default_na=False, na_values=[""])

    def _repr_html_(self) -> str:
        """For notebooks, which lack the style of the page."""
        return table_html(self.heads, self.texts)

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(head for column in self.columns if column.head for head in column.heads)

    @property
    def texts(self) -> list[list[str]]:
        """The cells of the page by row."""
        shown = [(place, column) for place, column in enumerate(self.columns) if column.head]
        return [[text for _, _, text in self._cells(shown, number)] for number in range(len(self.rows))]

    def _cells(self, columns: Sequence[tuple[int, Column]], number: int) -> Iterator[tuple[Column, int, str]]:
        """The cells of a row with their columns; an interval has two cells."""
        mark = f" {MARK}" if number in self.marked else ""
        for place, column in columns:
            for nth, text in enumerate(column.texts(self.rows[number][place])):
                is_estimate = column.kind in _INTERVALS and not nth
                yield column, nth, text + mark if is_estimate and not isinstance(self.rows[number][place], str) else text
                mark = "" if is_estimate else mark

    def markdown(self) -> str:
        return as_markdown(self.heads, self.texts)

    def _items(self, number: int) -> str:
        """The address of the items of a row in the item browser; empty for a row without a task."""
        address: dict[str, str] = {}
        for column, value in zip(self.columns, self.rows[number], strict=True):
            name = column.kind if column.kind in ("task", "run") else column.name
            if name in ("task", "run", "level") and value:
                address[name] = str(value)
        return f"items.html#{urlencode(address, quote_via=quote)}" if "task" in address else ""

    def latex(self) -> str:
        """A table for LaTeX with `booktabs`; an interval is one column."""
        shown = [(place, column) for place, column in enumerate(self.columns) if column.head]
        rows: list[list[str]] = []
        for number in range(len(self.rows)):
            cells: list[str] = []
            for _, nth, text in self._cells(shown, number):
                if nth:
                    cells[-1] += f" {text}" if text != "-" else ""
                else:
                    cells.append(text)
            rows.append(cells)
        heads = [" ".join((column.heads[0], *(f"[{head}]" for head in column.heads[1:]))) for _, column in shown]
        align = "".join("r" if _css_class(column) == "num" else "l" for _, column in shown)
        lines = [" & ".join(map(_tex, cells)) + " \\\\" for cells in (heads, *rows)]
        return "\n".join(
            [f"\\begin{{tabular}}{{{align}}}", "\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule", "\\end{tabular}"]
        )

    def _page_order(self, runs: int) -> list[int]:
        """The numbers of the rows; for several runs, the rows of a task together."""
        task = next((place for place, column in enumerate(self.columns) if column.kind == "task"), None)
        if task is None or runs == 1:
            return list(range(len(self.rows)))
        first: dict[object, int] = {}
        return sorted(range(len(self.rows)), key=lambda number: first.setdefault(self.rows[number][task], number))

    def html(self, name: str = "", *, runs: int = 2, items: bool = False) -> Markup:
        """The table of a page; for a single run without the names of runs.

        `name`: of the table in the address of the page. `items`: whether numbers of items link to the item browser.
        """
        shown = [(place, column) for place, column in enumerate(self.columns) if column.head and (runs > 1 or column.kind != "run")]
        heads = (
            Markup('<th scope="col" class="{}">{}</th>').format(_css_class(column), head) for _, column in shown for head in column.heads
        )
        links = [self._items(number) if items else "" for number in range(len(self.rows))]
        rows = (
            "".join(
                f'<td class="{_css_class(column)}">{_content(column, nth, text, links[number])}</td>'
                for column, nth, text in self._cells(shown, number)
            )
            for number in self._page_order(runs)
        )
        body = Markup("\n".join(f"<tr>{row}</tr>" for row in rows))  # noqa: S704 - `_content` escapes each cell
        return Markup(
            '<div class="scroll"><table class="data" data-name="{}">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody></table></div>'
        ).format(anchor(name).casefold(), Markup().join(heads), body)


def _rounded(value: object) -> object:
    """Numbers with the digits of the CSV files; None for NaN, which JSON does not have."""
    if isinstance(value, float):
        return None if isnan(value) else float(f"{value:.6g}")
    return value


def _css_class(column: Column) -> str:
    return {"text": "wrap", "task": "name", "run": "name"}.get(column.kind, "num")


def _content(column: Column, nth: int, text: str, items: str = "") -> Markup:
    # a narrow column of names breaks after a slash, not inside a word
    content = Markup("/<wbr>").join(text.split("/")) if column.kind in ("task", "run") else escape(text)
    if items and column.name == "n":
        return Markup('<a href="{}" title="These items">{}</a>').format(items, content)
    for mark, note in ((FEW_MARK, FEW_NOTE), (MARK, MARK_NOTE)):
        if text.endswith(mark):
            content = Markup('{}<abbr title="{}">{}</abbr>').format(text.removesuffix(mark).replace(" ", "\u00a0"), note, mark)
    if column.kind == "task" and "/" in text:  # not the mean of several tasks
        return Markup('<a href="#{}">{}</a>').format(anchor(text), content)
    return Markup("<b>{}</b>").format(content) if column.kind in _INTERVALS and not nth else content


TASK, RUN, N = Column("task", "Task", "task"), Column("run", "Model", "run"), Column("n", "n", "count")
ACCURACY, CHANCE = Column("accuracy", "Accuracy", "interval"), Column("chance", "Chance", "percent")
N_UNSCORED = Column("n_unscored")


def anchor(text: str) -> str:
    """The name of a place in a page."""
    return "-".join("".join(letter if letter.isalnum() or letter in "_.-" else " " for letter in text).split())


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def p_text(p: float) -> str:
    """A p-value with three decimals."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_sentence(p: float) -> str:
    """A p-value for a sentence: "p = 0.013" or "p < 0.001"."""
    return f"p {p_text(p)}" if p < 0.001 else f"p = {p_text(p)}"


def ci_text(interval: Interval, *, kind: Kind = "interval") -> str:
    """An estimate with its 95% CI, such as "87.5 [82.1, 91.3]"."""
    return " ".join(_interval_texts(interval, kind))


def _interval_texts(interval: Interval, kind: Kind) -> tuple[str, str]:
    factor, sign = (1 if kind == "units" else 100), ("+" if kind == "change" else "")
    # + 0.0: no negative zero
    estimate, low, high = ("..." if end is None else f"{round(factor * end, 1) + 0.0:{sign}.1f}" for end in _ends(interval))
    return estimate, f"[{low}, {high}]{FEW_MARK if getattr(interval, 'too_few_clusters', False) else ''}"


def _ends(interval: Interval) -> tuple[float | None, ...]:
    return interval.estimate, interval.low, interval.high


def as_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in (head, ["---"] * len(head), *rows)]
    return "".join(f"| {line} |\n" for line in lines)


_TEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\u00a0": "~",
    "°": "$^\\circ$",
    "<": "$<$",
    ">": "$>$",
    FEW_MARK: "$^\\dagger$",
    MARK: "$^\\ddagger$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)


def as_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A CSV file with six significant digits; text that a spreadsheet would read as a formula starts with a quote."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_safe(f"{cell:.6g}" if isinstance(cell, float) else cell) for cell in row] for row in rows)
    return out.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "@", "\t", "\r")) else cell
