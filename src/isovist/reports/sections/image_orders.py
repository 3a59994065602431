"""Items asked in several orders of their pictures: how many prompts are answered right, and how many items in every order.

CoSpace calls the first ACC_q and the second ACC_p; it has one other order, a rotated first view, so that the prompts come in pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from isovist.analysis.collect import RunResults
from isovist.analysis.variants import Pairs, words
from isovist.reports.tables import as_csv, as_markdown, percents
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference
from isovist.stats.proportions import ConfidenceInterval


@dataclass(frozen=True, slots=True)
class ImageOrderRow:
    """One task in one kind of order, in one run; the numbers are None while a verdict is missing."""

    run: str
    task: str
    name: str
    """As variants are named: "order:start"."""
    n: int
    missing: int
    prompts: str
    """How often each item was asked, as it is included: "2", or "3 to 4" where items differ."""
    acc_q: ConfidenceInterval | None
    """ACC_q: the mean credit over all prompts of an item, then over the items."""
    by_item: ConfidenceInterval | None
    """ACC_p: the share of items with full credit in every prompt."""
    gap: Difference | None
    """The first minus the second, item by item."""

    @property
    def asked(self) -> str:
        return words(self.name)


def build_rows(runs: Sequence[RunResults]) -> list[ImageOrderRow]:
    """A line for each kind of order that a task was asked in."""
    return [
        _line(run.name, task.task, pairs)
        for run in runs
        for task in run.tasks
        for name, pairs in task.variant_results.items()
        if name.startswith("order:")
    ]


def _line(run: str, task: str, pairs: Pairs) -> ImageOrderRow:
    each = [(plain + varied * (k - 1)) / k for plain, varied, k in zip(pairs.plain, pairs.varied, pairs.askings, strict=True)]
    often = sorted(set(pairs.askings))
    head = (run, task, pairs.name, len(each), pairs.missing, " to ".join(map(str, dict.fromkeys((often[0], often[-1])))) if often else "-")
    if pairs.missing or not each:
        return ImageOrderRow(*head, None, None, None)
    gaps = [mean - every for mean, every in zip(each, pairs.every, strict=True)]
    return ImageOrderRow(
        *head,
        clustered_mean(each, pairs.groups),
        clustered_mean(pairs.every, pairs.groups),
        _from_zero(paired_difference(gaps, pairs.groups)),
    )


def _from_zero(gap: Difference) -> Difference:
    """No gap is below 0: who is right in every prompt is right in each."""
    return replace(gap, low=max(0.0, gap.low))


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without items in several orders."""
    head = ("task", "model", "asked with", "n", "prompts an item", "by prompt (ACC_q) %", "95 % interval", "in every prompt (ACC_p) %")
    head = (*head, "95 % interval", "gap", "95 % interval")
    rows: list[tuple[str, ...]] = []
    for line in build_rows(runs):
        start = (line.task, line.run, line.asked)
        if line.acc_q is None or line.by_item is None or line.gap is None:
            rows.append((*start, f"withheld ({line.missing} without a verdict)", *["-"] * 7))
            continue
        numbers = [text for interval in (line.acc_q, line.by_item, line.gap) for text in percents(interval)]
        rows.append((*start, str(line.n), line.prompts, *numbers))
    return as_markdown(head, rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and kind of order, numbers as shares of 1."""
    head = ["run", "task", "order", "n", "missing", "prompts"]
    head += [f"{name}{end}" for name in ("acc_q", "acc_p", "gap") for end in ("", "_low", "_high")]
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        numbers = [end for interval in (line.acc_q, line.by_item, line.gap) for end in _ends(interval)]
        rows.append([line.run, line.task, line.name.partition(":")[2], line.n, line.missing, line.prompts, *numbers])
    return as_csv(head, rows)


def _ends(interval: ConfidenceInterval | Difference | None) -> list[object]:
    return [interval.estimate, interval.low, interval.high] if interval else ["", "", ""]


CAPTION = (
    "By prompt (ACC_q): the mean credit over an item's prompts, one an order. In every prompt (ACC_p): the share of items with full "
    "credit in all of them; the more orders, the harder that is. The gap is what an inconsistent model loses. Intervals take items "
    "of one scene together."
)
