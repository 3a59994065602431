"""What makes items hard: for each knob of each task what it does to the accuracy, by a regression, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.difficulty_factors import number
from isovist.analysis.difficulty_regression import Estimate, FactorEffect
from isovist.reports.tables import as_csv, as_markdown
from isovist.stats.multiple_comparisons import holm

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class DifficultyRow:
    """One knob of one task in one run."""

    run: str
    effect: FactorEffect
    p: float
    """After Holm's correction over all knobs of all tasks of the run."""

    @property
    def sure(self) -> bool:
        return self.p < ALPHA

    @property
    def cells(self) -> tuple[str, ...]:
        """From and to which value, right there, the change in points with its interval, p, the factor of the odds with its interval."""
        effect = self.effect
        if effect.ends is None or effect.accuracies is None or effect.accuracy_change is None:
            return (f"{effect.values} values", "-", "-", "-", _p(self.p), "-", "-")
        right = " to ".join(f"{100 * share:.0f}" for share in effect.accuracies)
        points = (
            f"{100 * effect.accuracy_change.estimate:+.1f}",
            f"{100 * effect.accuracy_change.low:+.1f} to {100 * effect.accuracy_change.high:+.1f}",
        )
        return (_from_to(*effect.ends), right, *points, _p(self.p), *_odds(effect.odds_ratio))


def _from_to(first: str, last: str) -> str:
    """What both say behind their numbers is said once."""
    (head, _, unit), (end, _, other) = first.partition(" "), last.partition(" ")
    return f"{head} to {end} {unit}" if unit and unit == other and number(first) is not None else f"{first} to {last}"


def _odds(odds: Estimate | None) -> tuple[str, str]:
    return (_factor(odds.estimate), f"{_factor(odds.low)} to {_factor(odds.high)}") if odds else ("-", "-")


def _factor(value: float) -> str:
    return "> 1000" if value > 1000 else "< 0.001" if value < 0.001 else f"{value:.3g}"


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


TABLE_HEAD = ("from, to", "right there", "change", "95 % interval", "p (Holm)", "odds times", "95 % interval")


def build_rows(runs: Sequence[RunResults]) -> list[DifficultyRow]:
    """Those beyond noise first, then by the size of the change; tasks without a verdict for every item are left out."""
    all_lines: list[DifficultyRow] = []
    for run in runs:
        effects = run.effects
        corrected = holm([effect.p for effect in effects])
        run_lines = [DifficultyRow(run.name, effect, p) for effect, p in zip(effects, corrected, strict=True)]
        all_lines += sorted(
            run_lines, key=lambda line: (not line.sure, -abs(line.effect.accuracy_change.estimate) if line.effect.accuracy_change else 0.0)
        )
    return all_lines


def to_markdown(lines: Sequence[DifficultyRow]) -> str:
    """Empty without a task with knobs and enough items."""
    head = ("task", "model", "knob", "n", *(f"{name} %" if name in {"right there", "change"} else name for name in TABLE_HEAD))
    rows = [(line.effect.task, line.run, line.effect.knob, str(line.effect.n), *line.cells) for line in lines]
    return as_markdown(head, rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(lines: Sequence[DifficultyRow]) -> str:
    """One line a run, task and knob, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in lines:
        effect = line.effect
        ends, right = effect.ends or ("", ""), effect.accuracies or ("", "")
        rows.append(
            [
                line.run,
                effect.task,
                effect.knob,
                effect.n,
                effect.values,
                *ends,
                *right,
                *_three(effect.accuracy_change),
                *_three(effect.odds_ratio),
                effect.p,
                line.p,
            ]
        )
    head = ["run", "task", "knob", "n", "values", "from", "to", "right_from", "right_to", "change", "change_low", "change_high"]
    return as_csv([*head, "odds", "odds_low", "odds_high", "p", "p_holm"], rows)


def _three(estimate: Estimate | None) -> tuple[object, ...]:
    return (estimate.estimate, estimate.low, estimate.high) if estimate else ("", "", "")


CAPTION = (
    "A knob is what the generator turns from item to item, such as an angle or a size. Each task's credits are regressed on all its knobs together, with a curve that ends at chance. Change: by how many points the "
    "accuracy changes from the one value to the other, all else as it is. Odds times: the same for the odds above chance; left out for "
    "a model that may guess everywhere or be right everywhere. Right there: as it was counted, not by the regression. Knobs with more "
    "than 8 values that are no numbers are left out, and those that others tell already; so are tasks that are all right, or all wrong."
)
