"""How many items an adaptive search needs for the half-way size that all sizes with ten items each give, on simulated models.

    python benchmarks/adaptive.py                 # 504 simulated models
    python benchmarks/adaptive.py --drawn 252     # others, drawn at random, with lapses to 25 %
    python benchmarks/adaptive.py --stopping --every 6    # with those that stop by themselves, which take longer

Every model is asked in several ways: all sizes with ten items each (200, as in the Percept-V paper); the adaptive search, looked at
after 40, 60, 80 and more items; a plain staircase with 80 (a size up after a right answer, down after a wrong one; its items are
fitted like all others); all sizes with four each; and the search until the interval has a half-width of one size, with 80 or 200 items
at most. Simulated models differ in half-way size, steepness, shape, lapse and chance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from isovist.stats.adaptive_testing import BayesianAdaptiveSearch
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold

SIZES = tuple(range(1, 21))
HALFWAYS = (2.0, 4.0, 6.5, 9.0, 12.0, 15.0, 18.0)
CURVES = ((True, 3.0, 0.05), (True, 5.0, 0.0), (True, 8.0, 0.02), (False, 4.0, 0.02), (False, 7.0, 0.05), (False, 12.0, 0.0))
"""By ratio or by step, steepness, lapse."""
LOOKS = (40, 60, 80, 100, 120, 160, 200)
"""Items after which a search is looked at."""

Array = NDArray[np.float64]


def floors() -> dict[str, tuple[float, ...]]:
    """Chance at each size, as in domains of Percept-V."""
    return {
        "0 (open answers)": (0.0,) * 20,
        "1/20 (counting)": (0.05,) * 20,
        "1/4 (quadrants)": (0.25,) * 20,
        "1/2 (yes or no)": (0.5,) * 20,
        "1/2 to the size (rows)": tuple(0.5**size for size in SIZES),
        ".85 to .06 (a free cell)": tuple(np.geomspace(0.85, 0.06, 20).tolist()),
    }


@dataclass(frozen=True)
class Simulated:
    """A model whose half-way size is known."""

    floor: str
    halfway: float
    by_ratio: bool
    steepness: float
    lapse: float

    @property
    def chances(self) -> tuple[float, ...]:
        return floors()[self.floor]

    @property
    def shares(self) -> Array:
        """Of right answers at each size."""
        ratio = np.asarray(SIZES) / self.halfway
        way = np.log(ratio) if self.by_ratio else ratio - 1
        chances = np.asarray(self.chances)
        return chances + np.maximum(0, 1 - self.lapse - chances) / (1 + np.exp(np.minimum(500, self.steepness * way)))


def models() -> Iterator[Simulated]:
    return (Simulated(floor, halfway, *curve) for floor in floors() for halfway in HALFWAYS for curve in CURVES)


def drawn(n: int, seed: int) -> Iterator[Simulated]:
    """Models drawn at random, as many of each kind of chance; steeper and flatter ones than those above, and with larger lapses."""
    rng = np.random.default_rng(seed)
    for floor in floors():
        for _ in range(n // len(floors())):
            halfway, steepness, lapse = rng.uniform(1.5, 19), np.exp(rng.uniform(np.log(2), np.log(20))), rng.uniform(0, 0.25)
            yield Simulated(floor, float(halfway), bool(rng.random() < 0.5), float(steepness), float(lapse))


@dataclass
class Asked:
    """Items and right answers at each size so far."""

    model: Simulated
    rng: np.random.Generator
    n: Array
    right: Array

    @staticmethod
    def of(model: Simulated, seed: int) -> Asked:
        return Asked(model, np.random.default_rng([seed, crc32(repr(model).encode())]), np.zeros(20), np.zeros(20))

    def ask(self, size: int) -> bool:
        is_right = bool(self.rng.random() < self.model.shares[size - 1])
        self.n[size - 1] += 1
        self.right[size - 1] += is_right
        return is_right

    @property
    def items(self) -> int:
        return int(self.n.sum())

    @property
    def levels(self) -> list[LevelCounts]:
        rows = zip(SIZES, self.n, self.right, self.model.chances, strict=True)
        return [LevelCounts(size, int(n), float(right), chance) for size, n, right, chance in rows if n]

    @property
    def fall(self) -> ThresholdEstimate:
        fit = fit_threshold(self.levels)
        assert fit is not None
        return fit


@lru_cache(maxsize=8)
def search(floor: str) -> BayesianAdaptiveSearch:
    return BayesianAdaptiveSearch(SIZES, floors()[floor])


def full(model: Simulated, seed: int, each: int = 10) -> Asked:
    asked = Asked.of(model, seed)
    for size in SIZES * each:
        asked.ask(size)
    return asked


def looked_at(model: Simulated, seed: int) -> dict[int, Asked]:
    """One adaptive search after these numbers of items."""
    asked, chooser, snapshots = Asked.of(model, seed), search(model.floor), dict[int, Asked]()
    while asked.items < LOOKS[-1]:
        asked.ask(chooser.next(asked.levels))
        if asked.items in LOOKS:
            snapshots[asked.items] = replace(asked, n=asked.n.copy(), right=asked.right.copy())
    return snapshots


def adaptive(model: Simulated, seed: int, most: int = 80, precision: float = 0.0) -> Asked:
    asked, chooser = Asked.of(model, seed), search(model.floor)
    while asked.items < most:
        asked.ask(chooser.next(asked.levels))
        if precision and chooser.precise(asked.levels, precision):
            break
    return asked


def staircase(model: Simulated, seed: int, most: int = 80) -> Asked:
    """A size up after a right answer, a size down after a wrong one, from the middle; the first steps are of four and two sizes."""
    asked, size, step, before = Asked.of(model, seed), 10, 4, None
    while asked.items < most:
        right = asked.ask(size)
        step = max(1, step // 2) if before is not None and before != right else step
        size, before = min(20, max(1, size + (step if right else -step))), right
    return asked


def estimate(fit: ThresholdEstimate) -> float:
    """The half-way size; the end where it lies beyond, and the middle where nothing can be told."""
    beyond = {"above": 20.0, "below": 1.0, "unknown": 10.5, "within": 0.0}
    return beyond[fit.range_status] if fit.threshold is None else fit.threshold


ADAPTIVE = "adaptive, 80 items"
WAYS: dict[str, Callable[[Simulated, int], Asked]] = {
    "full design": full,
    ADAPTIVE: adaptive,
    "staircase, 80 items": staircase,
    "all sizes, 80 items": lambda model, seed: full(model, seed, 4),
}

STOPPING: dict[str, Callable[[Simulated, int], Asked]] = {
    "adaptive to 1.0, at most 80": lambda model, seed: adaptive(model, seed, 80, 1.0),
    "adaptive to 1.0, at most 200": lambda model, seed: adaptive(model, seed, 200, 1.0),
}


@dataclass(frozen=True)
class Result:
    """One way to ask one model."""

    model: Simulated
    items: int
    error: float
    """Of the half-way size, in sizes."""
    half_width: float
    held: bool


def result(model: Simulated, asked: Asked) -> Result:
    fit = asked.fall
    return Result(model, asked.items, estimate(fit) - model.halfway, fit.half_width, fit.meets_precision(model.halfway))


def line(name: str, results: Sequence[Result], beside: Sequence[Result]) -> str:
    errors = np.array([outcome.error for outcome in results])
    apart = np.abs(errors - np.array([outcome.error for outcome in beside]))
    items = np.array([outcome.items for outcome in results])
    held = 100 * np.mean([outcome.held for outcome in results])
    return (
        f"{name:30} {items.mean():6.1f} {np.abs(errors).mean():6.2f} {np.median(np.abs(errors)):6.2f} {100 * np.mean(np.abs(errors) <= 1):6.1f}"
        f" {100 * np.mean(apart <= 1):6.1f} {errors.mean():+6.2f} {np.median([outcome.half_width for outcome in results]):6.2f} {held:6.1f}"
    )


HEAD = f"{'':30} {'items':>6} {'error':>6} {'median':>6} {'in 1':>6} {'alike':>6} {'bias':>6} {'width':>6} {'held':>6}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2, help="of each of the 252 curves")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the curves")
    parser.add_argument("--drawn", type=int, default=0, help="so many curves drawn at random instead")
    parser.add_argument("--seed", type=int, default=0, help="of the answers")
    parser.add_argument("--stopping", action="store_true", help="also searches that stop at a precision")
    args = parser.parse_args()
    ways = {name: way for name, way in (WAYS | STOPPING if args.stopping else WAYS).items() if name != ADAPTIVE}
    searches = [f"adaptive, {items} items" for items in LOOKS]
    order = ["full design", *searches, *(name for name in ways if name != "full design")]
    results: dict[str, list[Result]] = {name: [] for name in order}
    curves = [*(drawn(args.drawn, args.seed) if args.drawn else models())][:: args.every]
    for model in tqdm(curves, disable=None):
        for seed in range(args.seed, args.seed + args.runs):
            for name, way in ways.items():
                results[name].append(result(model, way(model, seed)))
            for name, asked in zip(searches, looked_at(model, seed).values(), strict=True):
                results[name].append(result(model, asked))
    print("error: mean and median distance from the planted half-way size; in 1: % within one size of it; alike: % within one size of")
    print("what the full design found; width: median half-width of the 95 % interval; held: % of intervals that hold the planted size")
    print(f"{len(results['full design'])} models\n")
    print(HEAD)
    for name in order:
        print(line(name, results[name], results["full design"]))
    for floor in floors():
        print(f"\nchance {floor}")
        places = [place for place, outcome in enumerate(results["full design"]) if outcome.model.floor == floor]
        for name in order:
            print(line(name, [results[name][i] for i in places], [results["full design"][i] for i in places]))


if __name__ == "__main__":
    main()
