"""The tables of a report, in Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.unparsed_responses import MARK, MARK_WORDS
from isovist.analysis.variants import words
from isovist.core.answers import OUTCOMES
from isovist.stats.effective_sample_size import FEW
from isovist.stats.paired_differences import Difference
from isovist.stats.proportions import ConfidenceInterval

FEW_MARK = "†"
"""Behind an interval that rests on too few groups of items."""
FEW_WORDS = (
    f"fewer than {FEW:g} groups of items that share a picture (or a few that hold most of the items): this interval rests on what is "
    "assumed of them more than on data"
)

_HEAD = (
    "task",
    "model",
    "n",
    "accuracy %",
    "95 % interval",
    "chance %",
    "best shortcut %",
    "above chance %",
    "bounds %",
    "readable only %",
    "outcomes",
    "paper's scorer %",
    "published %",
)


def _cells(result: TaskResult) -> Iterator[str]:
    accuracy = result.accuracy
    yield result.task
    yield result.run
    yield str(result.n)
    mark = f" {MARK}" if result.unreadable.many else ""
    yield f"{100 * accuracy.estimate:.1f}{mark}" if accuracy else f"withheld ({result.withheld})"
    yield percents(accuracy)[1]
    yield f"{100 * result.chance:.1f}"
    yield _share(result.shortcut)
    above, ends = percents(result.above)
    yield f"{above} ({ends})" if accuracy else "-"
    low, high = result.bounds
    yield "-" if result.is_adaptive else f"{100 * low:.1f} to {100 * high:.1f}"
    yield readable_words(result)
    yield ", ".join(f"{result.outcome_counts[outcome]} {outcome}" for outcome in OUTCOMES if result.outcome_counts[outcome])
    by_paper = result.accuracy_as_published
    yield f"{100 * by_paper.estimate:.1f}" if by_paper else "-"
    yield "; ".join(f"{model} {value:g}" for model, value in result.published.items()) or "-"


def readable_words(result: TaskResult) -> str:
    """The accuracy of the replies that could be read, where some could not."""
    interval = result.readable
    if interval is None:
        return "none" if result.accuracy and result.unreadable.total else "-"
    accuracy, ends = percents(interval)
    return f"{accuracy} ({ends}), n = {result.n - result.unreadable.total:,}"


def _rows(runs: Sequence[RunResults]) -> Iterator[tuple[str, ...]]:
    return (tuple(_cells(result)) for run in runs for result in run.tasks)


def to_markdown(runs: Sequence[RunResults]) -> str:
    return as_markdown(_HEAD, list(_rows(runs))) + "\n" + CAPTION + "\n"


def varied(runs: Sequence[RunResults]) -> str:
    """The comparisons with the variants; empty without any."""
    head = (
        "task",
        "model",
        "asked",
        "n",
        "as it is %",
        "otherwise %",
        "difference",
        "95 % interval",
        "same answer %",
        "right every time %",
    )
    rows: list[tuple[str, ...]] = []
    for run in runs:
        for task in run.tasks:
            for c in task.comparisons:
                start = (task.task, run.name, words(c.name))
                if c.missing:
                    rows.append((*start, f"withheld ({c.missing} without a verdict)", *["-"] * 6))
                    continue
                points = [f"{100 * share:.1f}" for share in (c.plain, c.varied.estimate)]
                change = changes(c.difference)
                rows.append((*start, str(c.n), *points, *change, f"{100 * c.same:.1f}", _share(c.correct_in_all)))
    if not rows:
        return ""
    return as_markdown(head, rows) + "\n" + VARIANTS_NOTE + "\n"


def as_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells; a bar in a cell is none between cells."""
    lines = [" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in (head, ["---"] * len(head), *rows)]
    return "".join(f"| {line} |\n" for line in lines)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def variants_csv(runs: Sequence[RunResults]) -> str:
    """One line a task, run and family of variants, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for run in runs:
        for task in run.tasks:
            for c in task.comparisons:
                change = (c.difference.estimate, c.difference.low, c.difference.high)
                all_right = "" if c.correct_in_all is None else c.correct_in_all
                rows.append(
                    [
                        run.name,
                        task.task,
                        c.name,
                        c.n,
                        c.missing,
                        c.plain,
                        c.varied.estimate,
                        *change,
                        c.same,
                        all_right,
                        int(c.difference.too_few_clusters),
                    ]
                )
    head = [
        "run",
        "task",
        "variant",
        "n",
        "missing",
        "as_it_is",
        "varied",
        "difference",
        "low",
        "high",
        "same",
        "right_every_time",
        "few_groups",
    ]
    return as_csv(head, rows)


def latex(runs: Sequence[RunResults]) -> str:
    """A table for `booktabs`: task, model, n, accuracy with its interval, chance, what is above chance."""
    lines = ["% needs \\usepackage{booktabs}", "\\begin{tabular}{llrlrr}", "\\toprule"]
    lines += ["Task & Model & $n$ & Accuracy (95\\,\\% interval) & Chance & Above chance \\\\", "\\midrule"]
    for run in runs:
        for result in run.tasks:
            task, model, n, accuracy, interval, chance, _, above, *_ = _cells(result)
            cell = f"{accuracy} ({interval})" if result.accuracy else "withheld"
            ends = (
                text.replace(" to ", "--").replace(FEW_MARK, "$^\\dagger$").replace(f" {MARK}", "$^\\ddagger$") for text in (cell, above)
            )
            lines.append(" & ".join((_tex(task), _tex(model), n, next(ends), chance, next(ends))) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def _tex(text: str) -> str:
    special = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def results_csv(runs: Sequence[RunResults]) -> str:
    """One line a task and run, numbers as shares of 1."""
    head = ["run", "model", "task", "n", "accuracy", "low", "high", "chance", "best_shortcut"]
    head += ["above_chance", "above_chance_low", "above_chance_high", "bound_low", "bound_high", "pictures"]
    head += ["readable", "readable_accuracy", "readable_low", "readable_high"]
    rows: list[Sequence[object]] = []
    for run in runs:
        for r in run.tasks:
            estimates = shares(r.accuracy)
            counts = [r.outcome_counts[outcome] for outcome in OUTCOMES]
            by_paper = r.accuracy_as_published.estimate if r.accuracy_as_published else ""
            bounds = ("", "") if r.is_adaptive else r.bounds
            shortcut = "" if r.shortcut is None else r.shortcut
            cells = [r.run, run.info.model, r.task, r.n, *estimates, r.chance, shortcut, *shares(r.above), *bounds, len(r.groups)]
            cells += [r.n - r.unreadable.total, *shares(r.readable)]
            few = "" if r.accuracy is None else int(r.accuracy.too_few_clusters)
            rows.append([*cells, *counts, r.missing, by_paper, few])
    return as_csv([*head, *OUTCOMES, "missing", "accuracy_by_published_scorer", "few_groups"], rows)


def confusion_csv(runs: Sequence[RunResults]) -> str:
    """How often each answer was given for each key; the answer "(unread)" counts replies without one."""
    rows: list[Sequence[object]] = []
    for run in runs:
        for r in run.tasks:
            rows += [[r.run, r.task, key, answer, count] for (key, answer), count in sorted(r.pairs.items())]
            rows += [[r.run, r.task, key, "(unread)", count] for key, count in sorted(r.unparsed.items())]
    return as_csv(["run", "task", "key", "answer", "count"], rows)


def shares(interval: ConfidenceInterval | None) -> list[object]:
    """An estimate with the ends of its interval, for a line of CSV; empty cells where it is withheld."""
    return [interval.estimate, interval.low, interval.high] if interval else ["", "", ""]


def percents(interval: ConfidenceInterval | Difference | None) -> tuple[str, str]:
    """The same for a line of Markdown."""
    if interval is None:
        return "withheld", "-"
    return (
        f"{100 * interval.estimate:.1f}",
        f"{100 * interval.low:.1f} to {100 * interval.high:.1f}{FEW_MARK if interval.too_few_clusters else ''}",
    )


def changes(difference: Difference) -> tuple[str, str]:
    """The same of a difference, with its signs."""
    return (
        f"{100 * difference.estimate:+.1f}",
        f"{100 * difference.low:+.1f} to {100 * difference.high:+.1f}{FEW_MARK if difference.too_few_clusters else ''}",
    )


def as_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_safe(f"{c:.6g}" if isinstance(c, float) else c) for c in row] for row in rows)
    return out.getvalue()


def _safe(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "@", "\t", "\r")) else cell


CAPTION = (
    "Accuracy counts every reply without a readable answer as wrong; the bounds say where it would lie if all of those were wrong or "
    "all right, and beside them stands the accuracy of the readable replies alone, which may be the easier items. "
    f"{MARK}: {MARK_WORDS}; whether it guesses, curves and what makes items hard are not told of such tasks. "
    "The paper's scorer follows the suite's paper where it tells how it scores: replies that are not in the format asked "
    "for are wrong there, however clear. The interval is Wilson's, and with items that share a picture one over such groups. "
    f"{FEW_MARK}: {FEW_WORDS}. "
    "Best shortcut is what the best of many cheap rules gets that leave out the skill (docs/validity.md). "
    "Above chance is 0 at chance and 100 for a perfect model, each item with its own chance; its interval is that of the accuracy. "
    "Machine faults are no verdict on a model: as long as there are any, the accuracy is withheld. Published figures are those of the "
    "suite's paper, on its own items, without error bars."
)

VARIANTS_NOTE = (
    "Each item is compared with itself asked otherwise; a difference below 0 says that it did worse so. The interval takes items of "
    "one picture together. With the options turned, and once more, each item counts with the mean of its askings. "
    f"The same answer is the same option, whatever its letter. {FEW_MARK}: {FEW_WORDS}."
)
