"""Half-way sizes beside psignifit's thresholds, on simulated answers with one chance for all sizes (which psignifit needs).

    python benchmarks/thresholds.py [RUNS]     # dependency group `bench`; psignifit takes seconds a fit

psignifit gives two estimates: the peak of the joint posterior, which it prints, and the mean.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import psignifit

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated_runs import SIZES, psychometric

from isovist.stats.psychometric_function import LevelCounts, fit_threshold

PLANTED = ((6, 5, 0.0), (9, 3, 0.05), (14, 8, 0.02))


def ours(credit: np.ndarray, n: int, chance: float) -> tuple[float, ...]:
    """The estimate, and the ends of the interval."""
    estimate = fit_threshold([LevelCounts(int(size), n, float(right), chance) for size, right in zip(SIZES, credit, strict=True)])
    assert estimate is not None
    assert estimate.curve is not None
    return estimate.curve.halfway, estimate.low or 0.0, estimate.high or np.inf


def psignifits(credit: np.ndarray, n: int, chance: float) -> tuple[float, ...]:
    """The peak, the ends of the interval, and the mean. With a falling sigmoid its lambda is the floor, and its gamma the lapse."""
    data = np.column_stack([SIZES, credit, np.full(len(SIZES), n)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimate = psignifit.psignifit(data, experiment_type="yes/no", sigmoid="neg_logistic", fixed_parameters={"lambda": chance})
    low, high = estimate.confidence_intervals["threshold"]["0.95"]
    return estimate.parameter_estimate["threshold"], low, high, estimate.parameter_estimate_mean["threshold"]


def compare(planted: tuple[float, float, float], chance: float, n: int, runs: int) -> None:
    """Prints a line for each estimate. `planted`: half-way size, steepness, lapse; `n`: items of each size."""
    halfway, steepness, lapse = planted
    rng = np.random.default_rng([int(halfway), n, int(100 * chance)])
    share = psychometric(halfway, steepness, lapse, np.full(len(SIZES), chance), by_ratio=False)
    drawn = [rng.binomial(n, share) for _ in range(runs)]
    for name, fit in (("isovist", ours), ("psignifit", psignifits)):
        start = time.process_time()
        estimates = np.array([fit(credit, n, chance) for credit in drawn])
        seconds = (time.process_time() - start) / runs
        held = 100 * np.mean((estimates[:, 1] <= halfway) & (halfway <= estimates[:, 2]))
        width = np.median(estimates[:, 2] - estimates[:, 1])
        label = f"{halfway:g}, {n} a size, chance {chance:g}"
        for place, what in ((0, name), *([(3, "its mean")] if estimates.shape[1] > 3 else [])):
            middle, error = np.median(estimates[:, place]), np.mean(abs(estimates[:, place] - halfway))
            print(f"{label:<34}{what:<11}{middle:8.2f}{error:8.2f}{held:8.1f}{width:8.2f}{seconds:9.3f}", flush=True)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    print(f"{'planted':<34}{'of':<11}{'median':>8}{'error':>8}{'held %':>8}{'width':>8}{'s a fit':>9}   ({runs} runs)")
    for n in (10, 50):
        for chance in (0.25, 0.0):
            for planted in PLANTED:
                compare(planted, chance, n, runs)


if __name__ == "__main__":
    main()
