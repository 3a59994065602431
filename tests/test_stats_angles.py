"""The statistics of signed angles, against SciPy, limits and simulations with a fixed seed."""

from __future__ import annotations

import random
from math import atan2, cos, degrees, hypot, isnan, radians, sin

import numpy as np
import pytest
from scipy import stats

from isovist.stats.circular import angular_bias, mean_absolute_error
from isovist.stats.proportions import wilson

EIGHT = [-135.0, -90.0, -45.0, 0.0, 45.0, 90.0, 135.0, 180.0]
TO_ONE_SIDE = [0.05, 0.05, 0.05, 0.4, 0.25, 0.1, 0.05, 0.05]


def drawn(weights: list[float], n: int, seed: int) -> list[float]:
    return random.Random(seed).choices(EIGHT, weights, k=n)


def test_the_mean_size_of_many_single_items_has_students_interval() -> None:
    errors = drawn(TO_ONE_SIDE, 3000, 1)
    interval = mean_absolute_error(errors, range(3000))
    sizes = [abs(error) for error in errors]
    low, high = stats.t.interval(0.95, 2999, np.mean(sizes), stats.sem(sizes))
    assert (interval.estimate, interval.low, interval.high) == pytest.approx((np.mean(sizes), low, high), abs=0.05)


def test_items_of_one_scene_count_together() -> None:
    errors = drawn(TO_ONE_SIDE, 400, 2)
    once, twice = mean_absolute_error(errors, range(400)), mean_absolute_error([*errors, *errors], [*range(400), *range(400)])
    assert (once.estimate, once.low, once.high) == pytest.approx((twice.estimate, twice.low, twice.high), rel=5e-3)
    one, two = angular_bias(errors, range(400)), angular_bias([*errors, *errors], [*range(400), *range(400)])
    assert one.direction is not None
    assert two.direction is not None
    assert two.length == pytest.approx(one.length)
    assert (two.direction.low, two.direction.high) == pytest.approx((one.direction.low, one.direction.high), rel=0.02)
    apart = mean_absolute_error([*errors, *errors], range(800))
    assert apart.high - apart.low < 0.8 * (once.high - once.low)


@pytest.mark.parametrize("error", [0.0, 45.0, 180.0])
def test_errors_that_are_all_the_same_have_an_interval_with_a_width(error: float) -> None:
    size, bias = mean_absolute_error([error] * 12, range(12)), angular_bias([error] * 12, range(12))
    assert size.estimate == pytest.approx(error)
    assert size.low <= size.estimate <= size.high
    assert size.high - size.low > 20
    if error == 0:
        assert size.high == pytest.approx(180 * wilson(0, 12).high)
    assert bias.length == pytest.approx(1)
    assert bias.direction is not None
    assert bias.direction.estimate == pytest.approx(error)
    assert bias.direction.high - bias.direction.low > 10


def test_the_mean_direction_is_that_of_scipy() -> None:
    for seed in range(5):
        errors = drawn(TO_ONE_SIDE, 80, seed)
        other = stats.directional_stats(np.array([[cos(radians(e)), sin(radians(e))] for e in errors]))
        bias = angular_bias(errors, range(80))
        x, y = other.mean_direction
        assert bias.direction is not None
        assert bias.direction.estimate == pytest.approx(degrees(atan2(y, x)))
        assert bias.length == pytest.approx(float(other.mean_resultant_length))


def test_without_errors_or_a_direction_nothing_is_claimed() -> None:
    assert isnan(mean_absolute_error([], []).estimate)
    assert mean_absolute_error([], []).high == 180
    assert angular_bias([], []).direction is None
    assert isnan(angular_bias([], []).length)
    even = angular_bias(EIGHT, range(8))
    assert even.direction is None
    assert even.length == pytest.approx(0, abs=1e-9)
    assert angular_bias([10.0, 20.0], range(2)).direction is None  # two tell nothing
    with pytest.raises(ValueError):
        mean_absolute_error([1.0], [])
    with pytest.raises(ValueError):
        angular_bias([1.0], [])


def test_a_guesser_seldom_has_a_direction() -> None:
    """Of 1,000 simulated guessers of 100 items, alone or four to a scene, about one in twenty has one."""
    for each in (1, 4):
        n_directed = 0
        for seed in range(1000):
            rng = random.Random(seed)
            errors, groups = [], []
            for scene in range(100 // each):
                first = rng.choice(EIGHT)
                for _ in range(each):  # items of a scene go together half of the time
                    errors.append(first if rng.random() < 0.5 else rng.choice(EIGHT))
                    groups.append(scene)
            n_directed += angular_bias(errors, groups).direction is not None
        assert 25 <= n_directed <= 75, (each, n_directed)


def test_the_intervals_hold_what_was_planted() -> None:
    x = sum(w * cos(radians(e)) for e, w in zip(EIGHT, TO_ONE_SIDE, strict=True))
    y = sum(w * sin(radians(e)) for e, w in zip(EIGHT, TO_ONE_SIDE, strict=True))
    planted, size = degrees(atan2(y, x)), sum(w * abs(e) for e, w in zip(EIGHT, TO_ONE_SIDE, strict=True))
    assert hypot(x, y) > 0.4
    held, held_size, n_directed = 0, 0, 0
    for seed in range(500):
        errors = drawn(TO_ONE_SIDE, 120, seed)
        bias, mean = angular_bias(errors, range(120)), mean_absolute_error(errors, range(120))
        held_size += mean.low <= size <= mean.high
        if bias.direction is not None:
            n_directed += 1
            held += bias.direction.low <= planted <= bias.direction.high
    assert n_directed == 500
    assert 0.93 <= held / 500 <= 0.985, held
    assert 0.925 <= held_size / 500 <= 0.98, held_size
