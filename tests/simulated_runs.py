"""Simulated runs with a truth that is known: how often the intervals of reports hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import atan2, cos, degrees, radians, sin

import numpy as np
from numpy.typing import NDArray

from isovist.stats.circular import angular_bias, mean_absolute_error
from isovist.stats.clustered_means import clustered_mean, mean_of_tasks, participant_mean
from isovist.stats.effective_sample_size import FEW
from isovist.stats.medians import median
from isovist.stats.paired_differences import paired_difference
from isovist.stats.proportions import mean, mean_of, rescale_to_chance, wilson
from isovist.stats.psychometric_function import LevelCounts, fit_threshold

Array = NDArray[np.float64]
Rng = np.random.Generator
Ends = tuple[float, float]

WINDOW = 0.93, 0.97
"""In which the coverage of a 95 % interval should lie."""


@dataclass(frozen=True)
class Setting:
    """One kind of run. `draw` makes the data of one run and gives the ends of its interval."""

    statistic: str
    told: str
    truth: float
    draw: Callable[[Rng], Ends]
    apart: str = ""
    """Why its coverage need not lie in the window, if it need not."""


@dataclass(frozen=True)
class Coverage:
    """What came of some simulated runs."""

    setting: Setting
    runs: int
    held: float
    """The share of the intervals that held the truth."""
    width: float

    @property
    def error(self) -> float:
        """The standard error of `held` for an interval that holds what it promises."""
        return float((0.95 * 0.05 / self.runs) ** 0.5)

    @property
    def inside(self) -> bool:
        return WINDOW[0] <= self.held <= WINDOW[1]


def coverage(setting: Setting, runs: int, seed: int = 0) -> Coverage:
    """How often the interval of a setting holds its truth."""
    rng = np.random.default_rng([seed, *setting.told.encode()])
    ends = np.array([setting.draw(rng) for _ in range(runs)])
    held = (ends[:, 0] - 1e-12 <= setting.truth) & (setting.truth <= ends[:, 1] + 1e-12)
    return Coverage(setting, runs, float(held.mean()), float((ends[:, 1] - ends[:, 0]).mean()))


# Items in groups --------------------------------------------------------------------------------------------------

SHAPES = {
    "50 groups of 2": [2] * 50,
    "20 groups of 5": [5] * 20,
    "60 groups of 5": [5] * 60,
    "30 groups of 10": [10] * 30,
    "200 groups of 5": [5] * 200,
    "34 groups of 1 or 5": [1, 5] * 17,
    "60 groups of 1 or 9": [1, 9] * 30,
    "80 alone, 24 pairs": [1] * 80 + [2] * 24,
    "43 groups of 2, one of 15": [15] + [2] * 43,
    "6 groups of 5": [5] * 6,
    "10 groups of 3": [3] * 10,
    "one group of 90, 105 of 2": [90] + [2] * 105,
}
APART = "few groups: marked in tables"
RARE = "the rarer answer in fewer than 5 groups"
"""On average; the number of groups is that which would tell as much in equal ones."""
CAREFUL = "correlation 0, and nothing but the data says so"
LARGE = "one group holds a third of the items"
JUMPS = "few counts are possible: coverage jumps from one truth to the next"


def right(rng: Rng, share: float, sizes: Array, together: float) -> list[float]:
    """Credits of 0 and 1: each group has a share of its own (a beta distribution) so that two of its items correlate by `together`."""
    shares = np.full(len(sizes), share)
    if together:
        k = 1 / together - 1
        shares = rng.beta(share * k, (1 - share) * k, len(sizes))
    return (rng.random(int(sizes.sum())) < shares.repeat(sizes.astype(int))).astype(float).tolist()


def copied(rng: Rng, draw: Callable[[Rng, int], Array], sizes: Array, together: float) -> list[float]:
    """Values of any kind: each item is that of its group with this probability, else one of its own."""
    places = np.arange(len(sizes)).repeat(sizes.astype(int))
    individual, shared = draw(rng, len(places)), draw(rng, len(sizes))[places]
    return np.where(rng.random(len(places)) < together, shared, individual).tolist()


def names(sizes: Array) -> list[int]:
    return np.arange(len(sizes)).repeat(sizes.astype(int)).tolist()


def equal_groups(sizes: Array) -> float:
    """As many groups of one size as would tell as much."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def why(sizes: Array, together: float, rarer: float) -> str:
    """Why the coverage of such groups need not lie in the window, if it need not. `rarer`: the share of the rarer answer."""
    much = equal_groups(sizes)
    if much < FEW:
        return APART
    if sizes.max() > sizes.sum() / 4:
        return LARGE
    if much * rarer < 5:
        return RARE
    return CAREFUL if not together and sizes.sum() / much >= 3 else ""


def groups() -> Iterator[Setting]:
    """Accuracies of items in groups."""
    for shape, listed in SHAPES.items():
        sizes = np.array(listed, float)
        group_ids = names(sizes)
        for share in (0.1, 0.5, 0.8, 0.98):
            for together in (0.0, 0.2, 0.5, 0.8):

                def draw(rng: Rng, sizes: Array = sizes, told: list[int] = group_ids, share: float = share, r: float = together) -> Ends:
                    interval = clustered_mean(right(rng, share, sizes, r), told)
                    return interval.low, interval.high

                apart = why(sizes, together, min(share, 1 - share))
                yield Setting("accuracy, groups", f"{shape}, {share:g} right, correlation {together:g}", share, draw, apart)


# Items alone ------------------------------------------------------------------------------------------------------


def alone() -> Iterator[Setting]:
    """Accuracies of independent items."""
    for n in (30, 100, 1000):
        for share in (0.125, 0.5, 0.9, 0.98):

            def draw(rng: Rng, n: int = n, share: float = share) -> Ends:
                interval = wilson(int(rng.binomial(n, share)), n)
                return interval.low, interval.high

            apart = JUMPS if n * min(share, 1 - share) < 15 else ""
            yield Setting("accuracy", f"{n} items, {share:g} right", share, draw, apart)


def anywhere(runs: int, n: int, seed: int = 0) -> float:
    """Wilson's interval with a truth drawn anew each time, evenly from 0.02 to 0.98: the mean over its ups and downs."""
    rng = np.random.default_rng([seed, n])
    shares = rng.uniform(0.02, 0.98, runs)
    intervals = [(share, wilson(int(rng.binomial(n, share)), n)) for share in shares]
    return sum(interval.low <= share <= interval.high for share, interval in intervals) / runs


def _choice(values: Iterable[float], weights: Iterable[float]) -> tuple[Callable[[Rng, int], Array], float]:
    choices, how = np.array(list(values)), np.array(list(weights))
    return (lambda rng, n: rng.choice(choices, n, p=how)), float(choices @ how)


CREDITS: dict[str, tuple[Callable[[Rng, int], Array], float]] = {
    "0, half or 1": _choice((0, 0.5, 1), (0.2, 0.3, 0.5)),
    "half or 1, mostly 1": _choice((0.5, 1), (0.1, 0.9)),
    "four parts": (lambda rng, n: rng.binomial(4, 0.9, n) / 4, 0.9),
    "even from 0 to 1": (lambda rng, n: rng.random(n), 0.5),
    "1, or even from 0 to 1": (lambda rng, n: np.where(rng.random(n) < 0.8, 1.0, rng.random(n)), 0.9),
}


def partial() -> Iterator[Setting]:
    """Mean credits of items with partial credit, alone and in groups."""
    for name, (values, truth) in CREDITS.items():
        for n in (30, 100, 300):

            def draw(rng: Rng, values: Callable[[Rng, int], Array] = values, n: int = n) -> Ends:
                interval = mean(values(rng, n).tolist())
                return interval.low, interval.high

            apart = "30 items, hardly any without full credit" if n == 30 and truth >= 0.9 else ""
            yield Setting("partial credit", f"{n} items, {name}", truth, draw, apart)
        for shape in ("60 groups of 5", "34 groups of 1 or 5"):
            sizes = np.array(SHAPES[shape], float)
            group_ids = names(sizes)
            for together in (0.0, 0.5):

                def grouped(
                    rng: Rng,
                    values: Callable[[Rng, int], Array] = values,
                    sizes: Array = sizes,
                    told: list[int] = group_ids,
                    r: float = together,
                ) -> Ends:
                    interval = clustered_mean(copied(rng, values, sizes, r), told)
                    return interval.low, interval.high

                told_apart = why(sizes, together, 1 - truth)
                yield Setting("partial credit, groups", f"{shape}, {name}, copied {together:g}", truth, grouped, told_apart)


# Differences ------------------------------------------------------------------------------------------------------

CHANGES = {
    "as many up as down": ((-1, 0, 1), (0.15, 0.7, 0.15)),
    "up": ((-1, 0, 1), (0.05, 0.6, 0.35)),
    "nearly all up": ((-1, 0, 1), (0.05, 0.2, 0.75)),
    "quarters": ((-0.75, -0.25, 0, 0.25, 0.75), (0.1, 0.2, 0.4, 0.2, 0.1)),
    "hardly any": ((-1, 0, 1), (0.01, 0.96, 0.03)),
}


def differences() -> Iterator[Setting]:
    """Paired differences: of two models, of two ways to ask."""
    shapes = {"100 alone": [1] * 100, "300 alone": [1] * 300} | {
        shape: SHAPES[shape]
        for shape in ("60 groups of 5", "200 groups of 5", "60 groups of 1 or 9", "one group of 90, 105 of 2", "6 groups of 5")
    }
    for name, change in CHANGES.items():
        values, truth = _choice(*change)
        for shape, listed in shapes.items():
            sizes = np.array(listed, float)
            grouped = names(sizes)
            for together in (0.0, 0.5) if len(sizes) < sizes.sum() else (0.0,):

                def draw(
                    rng: Rng,
                    values: Callable[[Rng, int], Array] = values,
                    sizes: Array = sizes,
                    grouped: list[int] = grouped,
                    r: float = together,
                ) -> Ends:
                    difference = paired_difference(copied(rng, values, sizes, r), grouped)
                    return difference.low, difference.high

                apart = "hardly any item differs" if name == "hardly any" else why(sizes, together, 0.5)
                yield Setting("difference", f"{shape}, {name}, copied {together:g}", truth, draw, apart)


# Made of others ---------------------------------------------------------------------------------------------------


def means_of_tasks() -> Iterator[Setting]:
    """Means over tasks, each with the same weight."""
    for shares in ((0.5, 0.5), (0.2, 0.5, 0.9, 0.98), (0.9,) * 8):
        for n in (30, 100):

            def draw(rng: Rng, shares: tuple[float, ...] = shares, n: int = n) -> Ends:
                interval = mean_of([wilson(int(rng.binomial(n, share)), n) for share in shares])
                return interval.low, interval.high

            yield Setting(
                "mean of tasks", f"{n} items each, {', '.join(f'{share:g}' for share in shares)} right", sum(shares) / len(shares), draw
            )


def means_of_a_family() -> Iterator[Setting]:
    """Means over tasks that show the same pictures."""
    for tasks, pictures, items in ((2, 100, 1), (4, 100, 1), (4, 30, 2)):
        for share in (0.5, 0.85):
            for together in (0.0, 0.2, 0.5):
                sizes = np.full(pictures, float(tasks * items))
                task, picture = np.tile(np.arange(tasks).repeat(items), pictures), np.array(names(sizes))

                def draw(
                    rng: Rng,
                    tasks: int = tasks,
                    sizes: Array = sizes,
                    task: NDArray[np.int64] = task,
                    picture: NDArray[np.int64] = picture,
                    share: float = share,
                    r: float = together,
                ) -> Ends:
                    values = np.array(right(rng, share, sizes, r))
                    interval = mean_of_tasks([(values[task == t].tolist(), picture[task == t].tolist()) for t in range(tasks)])
                    return interval.low, interval.high

                label = f"{tasks} tasks, {pictures} pictures with {items} items each, {share:g} right, correlation {together:g}"
                yield Setting("mean of a family", label, share, draw, why(sizes, together, 1 - share))


def above_chance() -> Iterator[Setting]:
    """What is above chance, for one who knows some items and guesses at the others, each with its own chance."""
    for n in (30, 100, 300):
        for knows in (0.0, 0.3, 0.8):

            def draw(rng: Rng, n: int = n, knows: float = knows) -> Ends:
                chances = rng.choice([1 / 2, 1 / 4, 1 / 8], n)
                values = (rng.random(n) < knows + (1 - knows) * chances).astype(float).tolist()
                interval = rescale_to_chance(mean(values), chances.tolist())
                return interval.low, interval.high

            yield Setting("above chance", f"{n} items of 2, 4 or 8 options, knows {knows:g}", knows, draw)


# Angles -----------------------------------------------------------------------------------------------------------

EIGHT = np.array([-135.0, -90.0, -45.0, 0.0, 45.0, 90.0, 135.0, 180.0])
LEANS = {
    "to one side": [0.05, 0.05, 0.05, 0.4, 0.25, 0.1, 0.05, 0.05],
    "mostly right": [0.01, 0.02, 0.05, 0.8, 0.08, 0.02, 0.01, 0.01],
}


def angles() -> Iterator[Setting]:
    """The mean size of signed errors, and their direction."""
    for name, weights in LEANS.items():
        how = np.array(weights)
        size = float(how @ abs(EIGHT))
        way = degrees(atan2(*(sum(w * turn(radians(e)) for e, w in zip(EIGHT, weights, strict=True)) for turn in (sin, cos))))
        for shape, together in (("100 alone", 0.0), ("60 groups of 5", 0.0), ("60 groups of 5", 0.5), ("60 groups of 1 or 9", 0.5)):
            sizes = np.array(SHAPES.get(shape, [1] * 100), float)
            group_ids = names(sizes)

            def errors(rng: Rng, how: Array = how, sizes: Array = sizes, r: float = together) -> list[float]:
                return copied(rng, lambda rng, n: rng.choice(EIGHT, n, p=how), sizes, r)

            def of_size(rng: Rng, errors: Callable[[Rng], list[float]] = errors, told: list[int] = group_ids) -> Ends:
                interval = mean_absolute_error(errors(rng), told)
                return interval.low, interval.high

            def of_direction(rng: Rng, errors: Callable[[Rng], list[float]] = errors, told: list[int] = group_ids) -> Ends:
                direction = angular_bias(errors(rng), told).direction
                return (direction.low, direction.high) if direction else (-180.0, 180.0)

            apart = why(sizes, together, 0.5)
            yield Setting("mean error", f"{shape}, {name}, copied {together:g}", size, of_size, apart)
            apart = "hardly any error to either side" if name == "mostly right" else apart
            yield Setting("direction", f"{shape}, {name}, copied {together:g}", way, of_direction, apart)


# People -----------------------------------------------------------------------------------------------------------

UNLIKE = "two or three people: rather too wide"


def people() -> Iterator[Setting]:
    """Means over people who differ, each with some items."""
    for right_in, alike in ((0.5, 4), (0.8, 10), (0.8, 100), (0.95, 20)):
        for many in (2, 3, 5, 10, 20):
            for items in (12, 30):

                def draw(rng: Rng, p: float = right_in, k: float = alike, many: int = many, items: int = items) -> Ends:
                    each = rng.binomial(items, rng.beta(p * k, (1 - p) * k, many)) / items
                    interval = participant_mean(each.tolist(), items)
                    return interval.low, interval.high

                rare = "hardly anybody errs" if many * items * (1 - right_in) < 10 else ""
                label = f"{many} people, {items} items each, {right_in:g} right, alike {alike}"
                yield Setting("mean over people", label, right_in, draw, UNLIKE if many < 5 else rare)


# Medians ----------------------------------------------------------------------------------------------------------

SECONDS: dict[str, tuple[Callable[[Rng, int], Array], float]] = {
    "log-normal": (lambda rng, n: np.exp(1 + 0.6 * rng.standard_normal(n)), float(np.e)),
    "with pauses": (lambda rng, n: np.where(rng.random(n) < 0.1, 60.0, 1.0) + rng.exponential(3, n), 1 - 3 * float(np.log(1 - 0.5 / 0.9))),
}
"""Response times, and their medians."""


def medians() -> Iterator[Setting]:
    """Medians of response times, of items alone and in groups."""
    shapes = {f"{n} alone": [1] * n for n in (6, 12, 30, 100)} | {
        shape: SHAPES[shape] for shape in ("50 groups of 2", "20 groups of 5", "60 groups of 5", "34 groups of 1 or 5", "10 groups of 3")
    }
    for name, (seconds, truth) in SECONDS.items():
        for shape, listed in shapes.items():
            sizes = np.array(listed, float)
            group_ids = names(sizes)
            for together in (0.0, 0.5) if len(sizes) < sizes.sum() else (0.0,):

                def draw(
                    rng: Rng,
                    seconds: Callable[[Rng, int], Array] = seconds,
                    sizes: Array = sizes,
                    told: list[int] = group_ids,
                    r: float = together,
                ) -> Ends:
                    estimate = median(copied(rng, seconds, sizes, r), told, samples=500)
                    assert estimate.low is not None
                    assert estimate.high is not None
                    return estimate.low, estimate.high

                apart = JUMPS if len(sizes) < FEW else ""
                yield Setting("median", f"{shape}, {name}, copied {together:g}", truth, draw, apart)


# Half-way sizes ---------------------------------------------------------------------------------------------------

SIZES = np.arange(1.0, 21.0)


def psychometric(halfway: float, steepness: float, lapse: float, chance: Array, *, by_ratio: bool) -> Array:
    """The share that is right at each of `SIZES`."""
    way = np.log(SIZES / halfway) if by_ratio else SIZES / halfway - 1
    return chance + (1 - lapse - chance) / (1 + np.exp(steepness * way))


def thresholds() -> Iterator[Setting]:
    """Half-way sizes of planted curves."""
    for halfway, steepness, lapse in ((6, 5, 0.0), (9, 3, 0.05), (14, 8, 0.02)):
        for chance in (0.0, 0.25):
            for n in (10, 50):
                for by_ratio in (True, False):
                    chances = np.full(20, chance)
                    share = psychometric(halfway, steepness, lapse, chances, by_ratio=by_ratio)

                    def draw(rng: Rng, n: int = n, share: Array = share, chances: Array = chances) -> Ends:
                        credit = rng.binomial(n, share)
                        estimate = fit_threshold(
                            [LevelCounts(int(s), n, float(c), float(g)) for s, c, g in zip(SIZES, credit, chances, strict=True)]
                        )
                        assert estimate is not None
                        return estimate.low or 0.0, estimate.high or 100.0

                    shape = "by ratio" if by_ratio else "by step"
                    yield Setting("half-way size", f"{halfway} of 20, {n} a size, chance {chance:g}, {shape}", halfway, draw)


FAMILIES: dict[str, Callable[[], Iterator[Setting]]] = {
    "alone": alone,
    "groups": groups,
    "partial": partial,
    "differences": differences,
    "means": means_of_tasks,
    "families": means_of_a_family,
    "chance": above_chance,
    "angles": angles,
    "people": people,
    "medians": medians,
    "thresholds": thresholds,
}
