"""Difficulty factors: the effect of each level and item attribute on accuracy, and curves of the numeric ones."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.difficulty_factors import number
from isovist.reporting.analysis.difficulty_regression import Estimate, FactorEffect
from isovist.reporting.reports.figures import factor_curves
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import RUN, TASK, Column, N, Table
from isovist.stats.multiple_comparisons import holm

ALPHA = 0.05
CAPTION = (
    "A difficulty factor is a level or attribute that the generator varies, such as an angle or a size. Each task's credits are regressed on "
    "all its factors by a logistic regression with the chance level as guess rate. Change: the predicted change of accuracy between the two "
    "values, other factors held constant (percentage points). Odds ratio: the same for the odds above chance; missing where accuracy is not "
    "significantly different from chance or from 100%. Accuracy: as observed, not predicted. Not included: text factors with more than 8 values, "
    "factors that are determined by others, and tasks with all items correct or all incorrect."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    significant: list[tuple[object, ...]] = []
    others: list[tuple[object, ...]] = []
    tested: list[tuple[str, bool]] = []
    for run in runs:
        effects = run.factor_effects
        corrected = zip(effects, holm([effect.p for effect in effects]), strict=True)
        for effect, p in sorted(corrected, key=lambda pair: (pair[1] >= ALPHA, -_change(pair[0]))):
            (significant if p < ALPHA else others).append(_row(run.name, effect, p))
            tested.append((run.name, p < ALPHA))
    effects = Section(
        "Difficulty factors",
        Table(_COLUMNS, significant),
        CAPTION,
        takeaways.counts(runs, tested, "difficulty factor", "significant", f"Holm-adjusted p < {ALPHA:g}"),
        folded=((f"{len(others)} factors that are not significant", Table(_COLUMNS, others)),) if others else (),
        files={"difficulty.csv": Table(_COLUMNS, significant + others)},
    )
    panels = dict.fromkeys((curve.task, curve.factor) for run in runs for curve in run.factor_curves)
    curves = Section(
        "Accuracy by factor value",
        note=factor_curves.CAPTION,
        takeaway=takeaways.counts(
            runs,
            ((run.name, bool(curve.curve)) for run in runs for curve in run.factor_curves),
            "numeric factor",
            "significantly related to accuracy",
            f"score test without the other factors, p < {ALPHA:g}, not adjusted",
        ),
        figures=tuple(("factor", *panel) for panel in panels),
        panels=True,
        files={"factor_curves.csv": factor_curves.table(runs)},
    )
    return [effects, curves]


_COLUMNS = (
    *(TASK, RUN, Column("factor", "Factor"), N, Column("n_values"), Column("", "From, to"), Column("", "Accuracy (%)", "number")),
    *(Column("from"), Column("to"), Column("accuracy_from"), Column("accuracy_to"), Column("change", "Change", "change")),
    *(Column("odds_ratio", kind="units"), Column("", "Odds ratio [95% CI]", "number")),
    *(Column("p"), Column("p_adjusted", "p (Holm)", "p")),
)


def _change(effect: FactorEffect) -> float:
    return abs(effect.accuracy_change.estimate) if effect.accuracy_change else 0.0


def _row(run: str, effect: FactorEffect, p: float) -> tuple[object, ...]:
    start, end = (effect.task, run, effect.factor, effect.n, effect.n_values), (effect.p, p)
    if effect.extreme_values is None or effect.accuracies is None:
        return (*start, f"{effect.n_values} values", *[None] * 5, effect.accuracy_change, effect.odds_ratio, None, *end)
    accuracies = " to ".join(f"{100 * share:.0f}" for share in effect.accuracies)
    values = (_from_to(*effect.extreme_values), accuracies, *effect.extreme_values, *effect.accuracies)
    return (*start, *values, effect.accuracy_change, effect.odds_ratio, _odds_text(effect.odds_ratio), *end)


def _from_to(first: str, last: str) -> str:
    """Two values; a unit that both have is printed once."""
    (head, _, unit), (end, _, other) = first.partition(" "), last.partition(" ")
    return f"{head} to {end} {unit}" if unit and unit == other and number(first) is not None else f"{first} to {last}"


def _odds_text(odds: Estimate | None) -> str | None:
    if odds is None:
        return None
    estimate, low, high = (
        "> 1000" if value > 1000 else "< 0.001" if value < 0.001 else f"{value:.3g}" for value in (odds.estimate, odds.low, odds.high)
    )
    return f"{estimate} [{low}, {high}]"
