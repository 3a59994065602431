"""The 95 % intervals of reports hold the truth as often as they say, in simulated runs of many kinds."""

from __future__ import annotations

import pytest
from simulated_runs import FAMILIES, WINDOW, Setting, anywhere, coverage

EVERY = [setting for name, family in FAMILIES.items() if name != "thresholds" for setting in family()]
USUAL = [setting for setting in EVERY if not setting.apart]
APART = [setting for setting in EVERY if setting.apart]
RUNS = 150
SPREAD = 4 * (0.05 * 0.95 / RUNS) ** 0.5
"""Of the share of so few runs, beyond which no sound interval goes in any of the settings."""


def id_of(setting: Setting) -> str:
    return f"{setting.statistic}: {setting.told}"


@pytest.mark.parametrize("setting", USUAL[::6], ids=id_of)
def test_intervals_hold_the_truth(setting: Setting) -> None:
    """Every sixth setting, in few runs; all of them in many below."""
    outcome = coverage(setting, RUNS)
    assert outcome.held >= 0.95 - SPREAD, outcome


def test_together_they_hold_it_in_95_of_100_runs() -> None:
    """An interval that is always too wide would pass the test above."""
    outcomes = [coverage(setting, 40) for setting in USUAL[::2]]
    held = sum(outcome.held for outcome in outcomes) / len(outcomes)
    assert held == pytest.approx(0.955, abs=0.015)


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_wilsons_interval_is_right_on_average_over_its_ups_and_downs(n: int) -> None:
    assert anywhere(20_000, n) == pytest.approx(0.951, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("setting", USUAL, ids=id_of)
def test_each_interval_holds_the_truth_in_93_to_97_of_100_runs(setting: Setting) -> None:
    """As far as so many runs can tell: by a standard error more or less."""
    outcome = coverage(setting, 2000)
    assert WINDOW[0] - outcome.error <= outcome.held <= WINDOW[1] + outcome.error, outcome


@pytest.mark.slow
@pytest.mark.parametrize("setting", APART, ids=id_of)
def test_where_data_tell_too_little_intervals_are_rather_too_wide(setting: Setting) -> None:
    assert coverage(setting, 2000).held >= 0.86


@pytest.mark.slow
@pytest.mark.parametrize("setting", list(FAMILIES["thresholds"]()), ids=id_of)
def test_half_way_sizes_lie_in_their_intervals(setting: Setting) -> None:
    outcome = coverage(setting, 400)
    assert WINDOW[0] - 2 * outcome.error <= outcome.held <= WINDOW[1] + 2 * outcome.error, outcome
