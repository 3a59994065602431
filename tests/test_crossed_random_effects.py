"""Precision and power with participants and items as random effects, against simulations with planted variance components."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from isovist.stats.crossed_random_effects import MOST_PARTICIPANTS, VarianceComponents

ACCURACY, BY_PARTICIPANT, BY_ITEM = 0.7, 0.12, 0.15
PLANTED = VarianceComponents(BY_PARTICIPANT**2, BY_ITEM**2, ACCURACY * (1 - ACCURACY) - BY_PARTICIPANT**2 - BY_ITEM**2)
Array = NDArray[np.float64]


def simulated(people: int, items: int, studies: int, model: float | None = None) -> Array:
    """Credits of 0 or 1 in some studies; each participant and item is better or worse than the mean by a planted amount.

    With `model`, less those of a model with this accuracy on the same items.
    """
    rng = np.random.default_rng(people * items)
    participants = rng.choice([-BY_PARTICIPANT, BY_PARTICIPANT], (studies, people, 1))
    by_item = rng.choice([-BY_ITEM, BY_ITEM], (studies, 1, items))
    values = (rng.random((studies, people, items)) < ACCURACY + participants + by_item).astype(float)
    return values if model is None else values - (rng.random((studies, 1, items)) < model)


def intervals(values: Array) -> tuple[Array, Array]:
    """The mean of each study and the half-width of its interval, by mean squares."""
    _, people, items = values.shape
    mean, of_people, of_items = values.mean((1, 2)), values.mean(2, keepdims=True), values.mean(1, keepdims=True)
    rest = ((values - of_people - of_items + mean[:, None, None]) ** 2).sum((1, 2)) / ((people - 1) * (items - 1))
    between = items * of_people.var(1, ddof=1)[:, 0], people * of_items.var(2, ddof=1)[:, 0]
    squares = np.maximum(between[0] + between[1] - rest, 1e-9)
    freedom = squares**2 / (between[0] ** 2 / (people - 1) + between[1] ** 2 / (items - 1) + rest**2 / ((people - 1) * (items - 1)))
    return mean, t.isf(0.025, freedom) * np.sqrt(squares / (people * items))


@pytest.mark.parametrize(("people", "items"), [(10, 30), (20, 20), (30, 60)])
def test_the_interval_has_the_promised_width_and_covers(people: int, items: int) -> None:
    mean, half_width = intervals(simulated(people, items, 1500))
    number = np.array([float(people)])
    assert mean.std() == pytest.approx(PLANTED.error(number, items)[0][0], rel=0.06)
    assert half_width.mean() == pytest.approx(PLANTED.half_width(number, items)[0], rel=0.03)
    assert (abs(mean - ACCURACY) <= half_width).mean() == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(("people", "items", "difference"), [(10, 30, 0.2), (20, 20, 0.3), (30, 60, 0.2), (30, 60, 0.1)])
def test_the_power_is_that_of_simulated_studies(people: int, items: int, difference: float) -> None:
    mean, half_width = intervals(simulated(people, items, 1500, ACCURACY - difference))
    power = PLANTED.of_difference(ACCURACY - difference).power(difference, np.array([float(people)]), items)[0]
    assert (abs(mean) > half_width).mean() == pytest.approx(power, abs=0.05)


def test_planted_components_are_estimated() -> None:
    estimates = [VarianceComponents.estimated(values.tolist()) for values in simulated(20, 30, 300)]
    for name in ("participants", "items", "residual"):
        assert np.mean([getattr(estimate, name) for estimate in estimates]) == pytest.approx(getattr(PLANTED, name), rel=0.08)


def test_the_least_number_of_participants_is_enough_and_one_less_is_not() -> None:
    components = VarianceComponents.assumed(0.8)
    assert components.participants + components.items + components.residual == pytest.approx(0.16)
    number = components.participants_for(100, half_width=0.05)
    assert number is not None
    widths = components.half_width(np.array([number - 1.0, number]), 100)
    assert widths[0] > 0.05 >= widths[1]
    model = components.of_difference(0.7)
    number = model.participants_for(500, difference=0.1)
    assert number is not None
    power = model.power(0.1, np.array([number - 1.0, number]), 500)
    assert power[0] < 0.8 <= power[1]


def test_few_items_are_not_made_up_for_by_people() -> None:
    components = VarianceComponents.assumed(0.8)
    assert components.participants_for(20, half_width=0.05) is None
    assert components.half_width(np.array([float(MOST_PARTICIPANTS)]), 20)[0] > 1.96 * (components.items / 20) ** 0.5 > 0.05


@pytest.mark.parametrize("values", [[], [[1.0, 0.0]], [[1.0], [0.0]], [[1.0, 1.0], [1.0, 1.0]]])
def test_too_little_data_has_no_estimate(values: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="at least two"):
        VarianceComponents.estimated(values)
