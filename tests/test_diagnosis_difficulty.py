"""What makes items hard for simulated models is found and told, and nothing is found where nothing does; curves against angles."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from simulated import Answered, table_of

from isovist.core.answers import Choice
from isovist.reporting.analysis.difficulty_factors import ITEMS_PER_COLUMN, MIN_ITEMS, difficulty_factors, number
from isovist.reporting.analysis.difficulty_regression import detect_difficulty_factors, factor_effects
from isovist.reporting.analysis.factor_curves import factor_curves
from isovist.reporting.analysis.findings import Finding, significant_findings

KEY = Choice(("a", "b", "c", "d"), 0)
TURNS = ("0 degrees", "45 degrees", "90 degrees", "135 degrees", "180 degrees")
KINDS = ("chair", "dog", "lamp")


def model(seed: int, slope: float, n: int = 160, task: str = "cdr/turned", *, level: str = "standard", base: float = 1.5) -> list[Answered]:
    """The evidence of a model for whom a turn from 0 to 180 degrees changes the odds by exp(slope); kinds and places do nothing."""
    rng = np.random.default_rng(seed)
    evidence: list[Answered] = []
    for index in range(n):
        turn, kind = int(rng.integers(5)), int(rng.integers(3))
        share = 0.25 + 0.75 / (1 + exp(-(base + slope * turn / 4)))
        right = float(rng.uniform() < share)
        attributes = {"turn of the map": TURNS[turn], "kind": KINDS[kind], "where": "outdoors" if rng.uniform() < 0.5 else "indoors"}
        evidence.append(Answered(KEY, "A" if right else "B", right, 0.25, task, level, attributes, index))
    return evidence


def found_in(*parts: list[Answered]) -> list[Finding]:
    return significant_findings(table_of([item for part in parts for item in part]).by("task"), [detect_difficulty_factors])


def test_a_knob_that_makes_items_hard_is_told_with_its_ends() -> None:
    part = model(1, -4.0)
    (finding,) = found_in(part)
    ends = [[item.credit for item in part if item.attributes["turn of the map"] == turn] for turn in (TURNS[0], TURNS[-1])]
    low, high = (100 * sum(values) / len(values) for values in ends)
    assert finding.kind == "difficulty-turn-of-the-map"
    assert finding.sentence == (f"Accuracy decreases with turn of the map in turned: {low:.0f}% at 0 degrees, {high:.0f}% at 180 degrees.")
    assert (finding.observed_rate, finding.expected_rate) == (pytest.approx(1 - high / 100), pytest.approx(1 - low / 100))
    assert finding.items_affected == pytest.approx(160 * (low / 100) - sum(item.credit for item in part))


def test_a_knob_that_makes_items_easy_is_told_the_other_way_round() -> None:
    (finding,) = found_in(model(2, 4.0, base=-2.5))
    assert finding.sentence.startswith("Accuracy increases with turn of the map in turned: ")


def test_two_values_are_told_by_their_names() -> None:
    part = [replace(item, credit=float(item.attributes["where"] == "indoors" or item.index % 3 == 0)) for item in model(3, 0.0)]
    (finding,) = found_in(part)
    assert finding.sentence.startswith("Accuracy is lower for where = 'outdoors' than for where = 'indoors' in turned: ")
    assert finding.sentence.endswith("% vs. 100%.")


def test_values_of_which_nobody_knows_the_name_are_told_in_plain_words() -> None:
    way = {"indoors": {"relation": "axis-aligned"}, "outdoors": {"relation": "diagonal"}}
    part = [
        replace(item, attributes=way[item.attributes["where"]], credit=float(item.attributes["where"] == "indoors"))
        for item in model(3, 0.0)
    ]
    (finding,) = found_in(part)
    assert finding.sentence == (
        "Accuracy is lower for diagonal relations than for horizontal or vertical relations in turned: 0% vs. 100%."
    )


def test_the_tasks_of_a_suite_are_one_candidate_and_those_of_another_their_own() -> None:
    """Each task alone tells less than all together."""
    parts = [model(seed, -2.2, 48, f"cdr/turned-{seed}") for seed in range(6)]
    alone = [min(candidate.p_adjusted for candidate in detect_difficulty_factors({part[0].task: table_of(part)})) for part in parts]
    (finding,) = found_in(*parts)
    assert finding.p_adjusted < min(alone) / 100
    assert (finding.n, len(finding.tasks)) == (6 * 48, 6)
    assert "in 6 tasks: " in finding.sentence
    (other,) = found_in(*parts, model(9, -4.0, task="dori/turned"))[:1]
    assert other.tasks in {("dori/turned",), finding.tasks}


@pytest.mark.parametrize("base", [-50.0, 0.5, 50.0])
def test_nothing_is_found_for_models_that_are_alike_everywhere(base: float) -> None:
    """A guesser, a middling one, and one who is always right: at most one of 25 by chance, which each test allows in one of 20."""
    assert sum(bool(found_in(model(seed, 0.0, base=base))) for seed in range(25)) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("base", [-50.0, 0.5])
def test_in_300_runs_nothing_is_found_as_often_as_promised(base: float) -> None:
    runs = 300
    assert sum(bool(found_in(model(seed, 0.0, base=base))) for seed in range(runs)) <= runs * 0.05 + 3 * (runs * 0.05 * 0.95) ** 0.5


def test_effects_hold_what_was_planted() -> None:
    part = model(4, -3.0, 800)
    by_knob = {effect.factor: effect for effect in factor_effects({"cdr/turned": table_of(part)})}
    assert set(by_knob) == {"kind", "turn of the map", "where"}
    turn = by_knob["turn of the map"]
    assert turn.odds_ratio is not None
    assert turn.accuracy_change is not None
    assert turn.odds_ratio.low < exp(-3.0) < turn.odds_ratio.high
    true = 0.75 / (1 + exp(1.5)) - 0.75 / (1 + exp(-1.5))
    assert turn.accuracy_change.low < true < turn.accuracy_change.high < 0
    assert turn.extreme_values == ("0 degrees", "180 degrees")
    assert turn.p < 1e-6 < min(by_knob["kind"].p, by_knob["where"].p)
    assert by_knob["kind"].extreme_values is None
    assert by_knob["where"].extreme_values == ("indoors", "outdoors")


def test_odds_are_not_told_of_who_guesses_and_nothing_of_who_is_always_right() -> None:
    """A guesser is lucky, beyond his interval, in one of forty runs."""
    runs = [factor_effects({"cdr/turned": table_of(model(seed, 0.0, base=-50))}) for seed in range(12)]
    assert all(runs)
    assert sum(all(effect.odds_ratio is None for effect in effects) for effects in runs) >= 10
    for value in (0.0, 1.0):  # a fit of what does not vary would tell of its own penalty alone
        assert factor_effects({"cdr/turned": table_of([replace(item, credit=value) for item in model(1, 0.0)])}) == []


def test_knobs_are_those_that_vary_and_that_can_be_told_apart() -> None:
    part = model(6, 0.0)
    extras = {
        item.index: {
            "constant": "yes",
            "same as kind": item.attributes["kind"].upper(),
            "id": f"id {item.index}",
            f"of {item.index % 2}": "1",
        }
        for item in part
    }
    more = [replace(item, attributes={**item.attributes, **extras[item.index]}) for item in part]
    assert (
        [knob.name for knob in difficulty_factors(table_of(more))]
        == [knob.name for knob in difficulty_factors(table_of(part))]
        == ["kind", "turn of the map", "where"]
    )
    assert difficulty_factors(table_of(part[: MIN_ITEMS - 1])) == []
    columns = sum(knob.columns.shape[1] for knob in difficulty_factors(table_of(part[:MIN_ITEMS])))
    assert 0 < columns <= MIN_ITEMS / ITEMS_PER_COLUMN - 1
    assert [knob.name for knob in difficulty_factors(table_of(part[:MIN_ITEMS]))] == [
        "turn of the map",
        "where",
    ]  # the one with most columns is left out first


@pytest.mark.parametrize(
    ("value", "expected"), [("45 degrees", 45), ("60-83 degrees", 60), ("7", 7), ("2.5", 2.5), ("yes", None), ("", None)]
)
def test_values_are_numbers_if_they_begin_with_one(value: str, expected: float | None) -> None:
    assert number(value) == expected


def test_sizes_are_a_knob_of_tasks_with_sizes() -> None:
    parts = [item for size in range(1, 21) for item in model(size, 0.0, 10, level=str(size))]
    assert difficulty_factors(table_of(parts))[0].name == "size"
    assert difficulty_factors(table_of(parts))[0].extreme_values == ("1", "20")


def test_the_half_way_angle_is_found_with_its_interval() -> None:
    base, slope = 3.0, -6.0
    (factor,) = factor_curves("cdr/turned", table_of(model(7, slope, 600, base=base)))
    assert (factor.factor, factor.unit) == ("turn of the map", "degrees")
    assert [point.value for point in factor.points] == [0, 45, 90, 135, 180]
    assert factor.low is not None
    assert factor.high is not None
    assert factor.low < 180 * base / -slope < factor.high
    assert factor.midpoint == pytest.approx(90, abs=15)
    assert factor.curve[0][1] > 0.9 > 0.4 > factor.curve[-1][1] > 0.25


def test_no_curve_is_drawn_through_noise() -> None:
    drawn = [factor_curves("cdr/turned", table_of(model(seed, 0.0)))[0].curve for seed in range(20)]
    assert sum(bool(curve) for curve in drawn) <= 4


def test_the_interval_of_the_half_way_angle_holds_it() -> None:
    """Simulated 100 times; open ends hold all beyond the angles asked."""
    held = 0
    for seed in range(100):
        (factor,) = factor_curves("cdr/turned", table_of(model(seed, -4.0, 200, base=2.0 + 0.2 * log(2))))
        true = 180 * (2.0 + 0.2 * log(2)) / 4.0
        held += (factor.low or 0) <= true <= (factor.high or 180)
    assert held >= 88


def test_where_errors_come_is_told_behind_what_goes_wrong() -> None:
    wrong = Finding("left-right-confusion", ("cdr/a",), "It takes left for right.", 40, 0.5, 0.1, 0.001, items_affected=3.0)
    where = replace(wrong, kind="difficulty-way", sentence="It does worse.", items_affected=30.0, is_locational=True)
    cheap = replace(wrong, kind="opposite", items_affected=1.0)
    assert significant_findings({}, [lambda _: [where, cheap], lambda _: [wrong]]) == [
        replace(finding, p_adjusted=finding.p_adjusted * 3) for finding in (wrong, cheap, where)
    ]
