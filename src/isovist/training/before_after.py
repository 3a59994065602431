"""Comparison of runs before and after training on the same items: accuracy, unparsed responses, and Table III of the CDR paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.dataset.rows import ItemRow
from isovist.data.reference import Table, reference
from isovist.evaluation.models.local.settings import PREFIX
from isovist.evaluation.run.records import UNREAD, Name, TrialResult
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run.variants import STANDARD
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.collect import order
from isovist.reporting.reports.table import as_csv, as_markdown
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites.registry import is_named
from isovist.training.training_folder import trained_model_info

PAPER = "cdr"
TABLE = "Table III"
BASE = "7B_Base"
"""The paper's name for the model before training."""


@dataclass(frozen=True, slots=True)
class TrainingCondition:
    """A run with its name: a training condition, or the model before training."""

    name: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Cell:
    """Results of one task in one run, compared with the same items before training."""

    task: str
    """Task id, or the name of a set of tasks."""
    n: int
    n_unscored: int
    """Items that are not scored in one of the two runs."""
    accuracy: ConfidenceInterval | None
    """None if items are missing."""
    unparsed: float
    """Proportion of unparsed responses."""
    change: Difference | None
    """Difference from before training; None for the run before training, and if items are missing."""
    trained: bool | None
    """Whether the training data have examples of the task; None if unknown."""


@dataclass(frozen=True, slots=True)
class BeforeAfterComparison:
    arms: tuple[str, ...]
    """The run before training first."""
    tasks: dict[str, tuple[Cell, ...]]
    """One cell per run for each task."""
    together: dict[str, tuple[Cell, ...]]
    """The same for all tasks in the training data of at least one run, and for all other tasks."""


def arm(argument: str) -> TrainingCondition:
    """Parse ``NAME=FOLDER``, or a folder, which is then also the name. Raises UserError for an empty part."""
    name, equals, path = argument.rpartition("=")
    if not path or (equals and not name):
        raise UserError(f"Empty name or folder: {argument}. Give the folder of a run, or NAME=FOLDER.")
    return TrainingCondition(name or Path(path).resolve().name, Path(path))


def compared(arms: Sequence[TrainingCondition], verifier: Verifier | None = None) -> BeforeAfterComparison:
    """Compare runs with the first one, rescoring their responses.

    Raises CheckFailed if the records of a run are inconsistent, and UserError for runs with other items, another prompt style or
    duplicate names.
    """
    names = tuple(arm.name for arm in arms)
    if len(set(names)) < len(names):
        raise UserError(f"two of the runs are called {next(name for name in names if names.count(name) > 1)}; name them, as in all=FOLDER.")
    folders = [RunFolder(arm.folder) for arm in arms]
    infos = [folder.info() for folder in folders]
    for condition, info in zip(arms[1:], infos[1:], strict=True):
        first = infos[0]
        for name in ("style", "image_mode"):
            if getattr(info, name) != getattr(first, name):
                raise UserError(
                    f"{condition.folder}: asked with another {name.replace('_', ' ')} than {arms[0].folder}; runs to be compared ask the same items alike."
                )
    verifier = verifier or Verifier()
    verdicts = [reading.verdicts for reading in verifier.read(list(zip(folders, infos, strict=True)))]
    verifier.conclude()
    rows = [{row.id: row for row in folder.rows(info, pictures=False)} for folder, info in zip(folders, infos, strict=True)]
    for condition, arm_rows in zip(arms[1:], rows[1:], strict=True):
        if set(arm_rows) != set(rows[0]):
            raise UserError(
                f"{condition.folder}: asked other items than {arms[0].folder}; give both runs the same data folder with --data."
            )
    by_task: dict[str, list[ItemRow]] = {}
    for row in rows[0].values():
        by_task.setdefault(row.task, []).append(row)
    learnt = [_training_sources(info.model) for info in infos]
    tasks = {
        task: tuple(_cell(task, by_task[task], verdicts[0], results, known) for results, known in zip(verdicts, learnt, strict=True))
        for task in sorted(by_task, key=order)
    }
    kinds: dict[str, list[ItemRow]] = {}
    for task, cells in tasks.items():
        known = [cell.trained for cell in cells if cell.trained is not None]
        kinds.setdefault("all tasks" if not known else "all trained on" if any(known) else "all others", []).extend(by_task[task])
    several = {kind: kind_rows for kind, kind_rows in kinds.items() if len({row.task for row in kind_rows}) > 1}
    together = {
        kind: tuple(_cell(kind, kind_rows, verdicts[0], results, None) for results in verdicts) for kind, kind_rows in several.items()
    }
    return BeforeAfterComparison(names, tasks, together)


def _training_sources(model: str) -> list[str] | None:
    """Return the sources of the training examples if the model is from a training run, else None."""
    counts = trained_model_info(Path(model.removeprefix(PREFIX).partition("?")[0])) if model.startswith(PREFIX) else None
    return None if counts is None else [name.rpartition("/")[0] for name in counts]


def _cell(
    task: str, rows: Sequence[ItemRow], before: Mapping[Name, TrialResult], after: Mapping[Name, TrialResult], learnt: list[str] | None
) -> Cell:
    pairs = [(before.get((row.id, STANDARD)), after.get((row.id, STANDARD)), row.group) for row in rows]
    both = [(one, two, group) for one, two, group in pairs if one and two and "request_error" not in (one.outcome, two.outcome)]
    missing = len(pairs) - len(both)
    groups = [group for _, _, group in both]
    whole = bool(both) and not missing
    change = paired_difference([two.credit - one.credit for one, two, _ in both], groups) if whole and before is not after else None
    return Cell(
        task,
        len(both),
        missing,
        clustered_mean([two.credit for _, two, _ in both], groups) if whole else None,
        sum(two.outcome in UNREAD for _, two, _ in both) / len(both) if both else float("nan"),
        change,
        None if learnt is None else any(is_named(task, source) for source in learnt),
    )


def published() -> Table:
    """Return Table III of the CDR paper."""
    return reference(PAPER).table(TABLE)


def markdown(comparison: BeforeAfterComparison) -> str:
    """Return the table of the paper with the runs added, and the change in each task, as Markdown."""
    return "\n".join(part for part in (_paper_table(comparison), _changes(comparison)) if part)


def _paper_table(comparison: BeforeAfterComparison) -> str:
    """Return one line for the paper and one for the runs, with one column per training set; "" if its task was not evaluated."""
    table = published()
    (row,) = table.rows
    cells = next((cells for task, cells in comparison.tasks.items() if row.covers(task)), None)
    if cells is None:
        return ""
    ours = {_column(name, first=not i): cell for i, (name, cell) in enumerate(zip(comparison.arms, cells, strict=True))}
    columns = [*table.columns, *(name for name in ours if name not in table.columns)]
    theirs = dict(zip(table.columns, row.values, strict=True))
    lines = [
        [f"LLaVA-7B, {table.name} of the paper", *(f"{theirs[name]:.2f}" if theirs.get(name) is not None else "-" for name in columns)],
        ["here", *(_accuracy(ours[name]) if name in ours else "-" for name in columns)],
        ["95 % interval", *(_interval(ours[name].accuracy) if name in ours else "-" for name in columns)],
    ]
    note = "The paper's text gives 11.90 for All, its table 10.69; it tells neither the number of items nor an interval.\n"
    return f"{row.label}, % of questions\n\n{as_markdown(('fine-tuning data', *columns), lines)}\n{note}"


def _column(name: str, *, first: bool) -> str:
    """Return the column of the paper for a run, else a new column. The first run is the model before training."""
    if first:
        return BASE
    return next((column for column in published().columns if column.lower() == name.lower()), name)


def _changes(comparison: BeforeAfterComparison) -> str:
    head = ("task", "trained on", "run", "n", "before %", "after %", "change", "95% CI", "unparsed before %", "unparsed after %")
    rows = [
        (
            cell.task,
            {True: "yes", False: "no", None: "-"}[cell.trained],
            name,
            str(cell.n),
            _accuracy(first),
            _accuracy(cell),
            f"{100 * cell.change.estimate:+.1f}" if cell.change else "-",
            f"{100 * cell.change.low:+.1f} to {100 * cell.change.high:+.1f}" if cell.change else "-",
            f"{100 * first.unparsed:.1f}",
            f"{100 * cell.unparsed:.1f}",
        )
        for name, first, cell in _pairs(comparison)
    ]
    return as_markdown(head, rows) + "\n" + _NOTE


_NOTE = (
    "Each change is the difference on the same items, with the interval for paired differences (Bonett and Price), clustered by image. "
    "Unparsed responses have no credit.\n"
)


def _pairs(comparison: BeforeAfterComparison) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield for each run after training its name and, by task, its cell and the cell of the run before."""
    for cells in (*comparison.tasks.values(), *comparison.together.values()):
        for name, cell in zip(comparison.arms[1:], cells[1:], strict=True):
            yield name, cells[0], cell


def _accuracy(cell: Cell) -> str:
    return f"{100 * cell.accuracy.estimate:.1f}" if cell.accuracy else f"not reported ({cell.n_unscored} not scored)"


def _interval(interval: ConfidenceInterval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else "-"


def csv(comparison: BeforeAfterComparison) -> str:
    """Return one line per task and run after training; rates are proportions, 0 to 1."""
    head = [
        "task",
        "trained",
        "run",
        "n",
        "n_unscored",
        "before",
        "after",
        "change",
        "ci_low",
        "ci_high",
        "unparsed_before",
        "unparsed_after",
    ]
    rows: list[Sequence[object]] = []
    for name, first, cell in _pairs(comparison):
        change = (cell.change.estimate, cell.change.low, cell.change.high) if cell.change else ("", "", "")
        points = [measured.accuracy.estimate if measured.accuracy else "" for measured in (first, cell)]
        trained = "" if cell.trained is None else int(cell.trained)
        rows.append([cell.task, trained, name, cell.n, cell.n_unscored, *points, *change, first.unparsed, cell.unparsed])
    return as_csv(head, rows)
