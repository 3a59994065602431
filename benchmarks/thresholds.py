"""Half-way sizes beside psignifit's thresholds, on simulated answers with one chance for all sizes (which psignifit needs).

python benchmarks/thresholds.py [RUNS]     # dependency group `bench`
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

from isovist.stats.thresholds import Level, fall

PLANTED = ((6, 5, 0.0), (9, 3, 0.05), (14, 8, 0.02))


def ours(credit: np.ndarray, n: int, chance: float) -> tuple[float, float, float]:
    found = fall([Level(int(size), n, float(told), chance) for size, told in zip(SIZES, credit, strict=True)])
    assert found is not None
    assert found.curve is not None
    return found.curve.halfway, found.low or 0.0, found.high or np.inf


def psignifits(credit: np.ndarray, n: int, chance: float) -> tuple[float, float, float]:
    """With a falling sigmoid its lambda is the floor, and its gamma the lapse."""
    data = np.column_stack([SIZES, credit, np.full(len(SIZES), n)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = psignifit.psignifit(data, experiment_type="yes/no", sigmoid="neg_logistic", fixed_parameters={"lambda": chance})
    low, high = found.confidence_intervals["threshold"]["0.95"]
    return found.parameter_estimate["threshold"], low, high


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    print(f"{'planted':<34}{'of':<11}{'median':>8}{'error':>8}{'held %':>8}{'width':>8}{'s a fit':>9}   ({runs} runs)")
    for halfway, steepness, lapse in PLANTED:
        for chance in (0.0, 0.25):
            for n in (10, 50):
                rng = np.random.default_rng([halfway, n])
                share = psychometric(halfway, steepness, lapse, np.full(len(SIZES), chance), by_ratio=False)
                drawn = [rng.binomial(n, share) for _ in range(runs)]
                for name, fit in (("isovist", ours), ("psignifit", psignifits)):
                    start = time.perf_counter()
                    found = np.array([fit(credit, n, chance) for credit in drawn])
                    seconds = (time.perf_counter() - start) / runs
                    held = 100 * np.mean((found[:, 1] <= halfway) & (halfway <= found[:, 2]))
                    error, width = np.mean(abs(found[:, 0] - halfway)), np.median(found[:, 2] - found[:, 1])
                    told = f"{halfway}, {n} a size, chance {chance:g}"
                    print(f"{told:<34}{name:<11}{np.median(found[:, 0]):8.2f}{error:8.2f}{held:8.1f}{width:8.2f}{seconds:9.3f}", flush=True)


if __name__ == "__main__":
    main()
