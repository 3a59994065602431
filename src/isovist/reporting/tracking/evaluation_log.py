"""What is logged of one run, for any tracker: settings, numbers, tables, example items and the files of the report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

from PIL import Image

from isovist.data.dataset.pictures import as_shown, opened
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports import item_browser
from isovist.reporting.reports.report_folder import LIST, ReportFolder
from isovist.reporting.reports.samples import ids_by_kind, sample_rows

TABLES = {"overall": "overall", "results": "tasks", "findings": "findings", "variants": "variants"}
"""The logged tables of a report by the names of their CSV files, with their names in the log."""
EXAMPLES = "examples"
IMAGE = "image"
"""The column of the examples that holds an image."""
_ALL = "all"
_GAP = 8  # pixels between the images of an item

Cell = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class LoggedTable:
    """A table with named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class EvaluationLog:
    """One run of a report."""

    name: str
    group: str
    """The name of the report folder: the runs of one report belong together."""
    config: Mapping[str, Any]
    """The content of `run.json`, without usage."""
    metrics: Mapping[str, float]
    tables: Mapping[str, LoggedTable]
    examples: LoggedTable
    """Example items; the column `image` holds the images of an item side by side. Empty without any."""
    folder: Path
    """The report folder."""
    files: tuple[str, ...]
    """The files of the report, relative to its folder, without the item browser."""


def evaluation_logs(results: Sequence[RunResults], folder: ReportFolder, n_examples: int) -> Iterator[EvaluationLog]:
    """The runs of a report that is written."""
    listed: list[str] = json.loads((folder.path / LIST).read_text(encoding="utf-8"))["files"]
    files = tuple(name for name in listed if name != item_browser.PAGE and not name.startswith(f"{item_browser.FOLDER}/"))
    for run in results:
        tables = {
            name: table
            for file, name in TABLES.items()
            if (table := _table(cast("list[dict[str, Any]]", folder.tables.get(file, [])), run.name)).rows
        }
        yield EvaluationLog(
            name=run.name,
            group=folder.path.resolve().name,
            config=_config(run),
            metrics=dict(_metrics(run, folder)),
            tables=tables,
            examples=_examples(run, n_examples),
            folder=folder.path,
            files=files,
        )


def _config(run: RunResults) -> dict[str, Any]:
    settings = {name: value for name, value in json.loads(json.dumps(asdict(run.info))).items() if name not in ("usage", "format")}
    return settings | {"run_folders": [str(part.folder.path) for part in run.run.parts]}


def _metrics(run: RunResults, folder: ReportFolder) -> Iterator[tuple[str, float]]:
    """The numbers of a run: overall, by suite and task, outcomes, tokens and cost. Values that are not reported are missing."""
    overall = _of_run(cast("list[dict[str, Any]]", folder.tables.get("overall", [])), run.name)
    for row in overall:
        prefix = "" if row["suite"] == _ALL else f"suite/{row['suite']}/"
        yield from ((f"{prefix}{name}", value) for name, value in _numbers(row, ("n", "accuracy", "chance_corrected", "unparsed")))
    for row in _of_run(cast("list[dict[str, Any]]", folder.tables.get("results", [])), run.name):
        yield from ((f"task/{row['task']}/{name}", value) for name, value in _numbers(row, ("n", "accuracy", "chance", "chance_corrected")))
    outcomes = sum((task.outcome_counts for task in run.tasks), Counter[Any]())
    yield from ((f"outcome/{outcome}", float(count)) for outcome, count in outcomes.items())
    yield "n_unscored", float(run.n_unscored)
    totals = run.totals
    yield from (("requests", totals.attempts), ("input_tokens", totals.input_tokens), ("output_tokens", totals.output_tokens))
    yield "seconds", totals.seconds
    costs = [part.info.usage.cost_usd for part in run.run.parts if part.info.usage and part.info.usage.cost_usd is not None]
    if len(costs) == len(run.run.parts):
        yield "cost_usd", sum(costs)


def _numbers(row: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, float]]:
    for name in names:
        yield from ((column, float(value)) for column, value in _cells(name, row.get(name)) if isinstance(value, int | float))


def _cells(name: str, value: object) -> list[tuple[str, Cell]]:
    """The columns of a value: an interval is an estimate with its ends."""
    if isinstance(value, Mapping):
        ends = cast("Mapping[str, Cell]", value)
        return [(name, ends["estimate"]), (f"{name}_low", ends["low"]), (f"{name}_high", ends["high"])]
    return [(name, cast("Cell", value))]


def _of_run(rows: Sequence[Mapping[str, Any]], run: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row.get("run", run) == run]


def _table(rows: Sequence[Mapping[str, Any]], run: str) -> LoggedTable:
    """The rows of one run. A column with an interval in any row is three columns."""
    flat = [dict(cell for name, value in row.items() for cell in _cells(name, value)) for row in _of_run(rows, run)]
    columns = tuple(dict.fromkeys(name for row in flat for name in row))
    return LoggedTable(columns, tuple(tuple(row.get(name) for name in columns) for row in flat))


def _examples(run: RunResults, n: int) -> LoggedTable:
    columns = ("item", "task", "level", IMAGE, "prompt", "response", "parsed_answer", "key", "outcome", "credit")
    ids = _chosen(run, n)
    entries = {id: entry for part in run.run.parts for id, entry in sample_rows(part, set(ids)).items()}
    rows = [
        (
            *(row.id, row.task, row.level, _side_by_side(row.images), row.prompt_in_style(run.info.prompt_style)),
            *(record.response, record.parsed_answer or "", row.answer, record.outcome, float(record.credit)),
        )
        for row, record, _ in (entries[id] for id in ids if id in entries)
    ]
    return LoggedTable(columns, tuple(rows))


def _chosen(run: RunResults, n: int) -> list[str]:
    """The ids of at most `n` items: those of each task in turn, and of a task incorrect, unparsed and correct ones in turn."""
    tasks = [_in_turn(list(ids_by_kind(task).values())) for task in run.tasks]
    return _in_turn(tasks)[:n]


def _in_turn(lists: Sequence[Sequence[str]]) -> list[str]:
    return [id for turn in zip_longest(*lists) for id in turn if id is not None]


def _side_by_side(images: Sequence[bytes]) -> Image.Image:
    """The images of an item in one image, from the left to the right; one white pixel without any."""
    if not images:
        return Image.new("RGB", (1, 1), "white")
    pictures: list[Image.Image] = []
    for image in images:
        with opened(image) as picture:
            pictures.append(as_shown(picture))
    width = sum(picture.width for picture in pictures) + _GAP * (len(pictures) - 1)
    row = Image.new("RGB", (width, max(picture.height for picture in pictures)), "white")
    left = 0
    for picture in pictures:
        row.paste(picture, (left, 0))
        left += picture.width + _GAP
    return row
