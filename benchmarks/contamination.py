"""What `isovist contamination` detects, and what anchor items would change between releases: simulations.

    python benchmarks/contamination.py [--runs 1000]

Power: a model has memorised each public item with probability p, and answers the others with the accuracy of their level. The share of
runs in which the one-sided test over all tasks is significant at 5% is the power, for p = 0 the rate of false positives.

Releases: models answer items of two releases of the same task versions. The error of the difference between model A on release 1 and
model B on release 2, without linking, with chained mean linking by anchor items that both releases share, and with both models on one
release. Items and models follow a Rasch model with an interaction of model and item.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from isovist.stats.independent_differences import Stratum, independent_difference

Array = NDArray[np.float64]
ACCURACIES = {"50%": (0.5, 0.5, 0.5), "mixed": (0.9, 0.6, 0.3), "90%": (0.9, 0.9, 0.9), "98%": (0.98, 0.98, 0.98)}
"""The accuracy of the model at each level, by the name of the row."""
TASKS = 10


def outcomes(rng: np.random.Generator, accuracy: float, n: int, memorised: float) -> list[float]:
    answered = rng.random(n) < accuracy
    return (answered | (rng.random(n) < memorised)).astype(float).tolist()


def power(runs: int, per_task: int, memorised: float, levels: tuple[float, ...]) -> tuple[float, float, float]:
    """The share of significant runs, that of intervals with the true difference, and the mean detectable difference."""
    rng = np.random.default_rng(0)
    n = per_task // len(levels)
    truth = memorised * float(np.mean([1 - accuracy for accuracy in levels]))
    significant = held = detectable = 0.0
    for _ in range(runs):
        strata = [
            Stratum(
                1.0,
                outcomes(rng, accuracy, n, memorised),
                [f"public {task} {level} {i}" for i in range(n)],
                outcomes(rng, accuracy, n, 0.0),
                [f"private {task} {level} {i}" for i in range(n)],
            )
            for task in range(TASKS)
            for level, accuracy in enumerate(levels)
        ]
        found = independent_difference(strata)
        significant += found.p_greater < 0.05
        held += found.difference.low <= truth <= found.difference.high
        detectable += found.detectable
    return significant / runs, held / runs, detectable / runs


def answers(rng: np.random.Generator, abilities: Array, difficulties: Array) -> Array:
    """Credits, shape (models, items)."""
    interaction = rng.normal(0, 1, (len(abilities), len(difficulties)))
    return (rng.random(interaction.shape) < 1 / (1 + np.exp(-(abilities[:, None] - difficulties + interaction)))).astype(float)


def releases(runs: int, models: int, anchors: int, memorised: float, n: int = 600) -> tuple[dict[str, tuple[float, float]], float]:
    """For each method the bias and the root mean square error of A - B in points; and the coverage of the interval without linking.

    Each release has `models` models, all items of a release are new without linking, and `anchors` of the `n` items are shared with it.
    Models of the second release have memorised each anchor item with probability `memorised`. A and B are equal.
    """
    rng = np.random.default_rng(1)
    abilities = np.linspace(-1, 1, models) if models > 1 else np.zeros(1)
    errors: dict[str, list[float]] = {"no linking": [], "anchors": [], "one release": []}
    held = 0
    for _ in range(runs):
        first, second, shared = (rng.normal(0, 1.5, size) for size in (n, n, anchors))
        x, y = answers(rng, abilities, first), answers(rng, abilities, second)
        errors["no linking"].append(x[0].mean() - y[0].mean())
        errors["one release"].append(x[0].mean() - answers(rng, abilities[:1], first).mean())
        places = range(n)
        stratum = Stratum(1.0, x[0].tolist(), [f"1 {i}" for i in places], y[0].tolist(), [f"2 {i}" for i in places])
        found = independent_difference([stratum])
        held += found.difference.low <= 0 <= found.difference.high
        anchor_x, anchor_y = answers(rng, abilities, shared), answers(rng, abilities, shared)
        anchor_y = np.maximum(anchor_y, rng.random(anchor_y.shape) < memorised)
        x, y = np.hstack([x[:, anchors:], anchor_x]), np.hstack([y[:, anchors:], anchor_y])
        form = (x.mean() - y.mean()) - (anchor_x.mean() - anchor_y.mean())
        errors["anchors"].append(x[0].mean() - y[0].mean() - form)
    return {name: (100 * float(np.mean(each)), 100 * float(np.mean(np.square(each)) ** 0.5)) for name, each in errors.items()}, held / runs


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=1000)
    runs = arguments.parse_args().runs
    print(f"{'accuracy':<10}{'items a task':>13}{'memorised':>11}{'significant':>13}{'coverage':>10}{'detectable':>12}")
    for name, levels in ACCURACIES.items():
        for per_task in (30, 99):
            for memorised in (0.0, 0.05, 0.1, 0.2, 0.5):
                share, held, detectable = power(runs, per_task, memorised, levels)
                print(f"{name:<10}{per_task:>13}{memorised:>11.0%}{share:>13.1%}{held:>10.1%}{100 * detectable:>12.1f}", flush=True)
    print(f"\n{'models':>7}{'anchors':>9}{'memorised':>11}  bias and root mean square error (points)")
    for models in (1, 5, 20):
        for anchors, memorised in ((60, 0.0), (60, 0.2), (200, 0.0)):
            methods, held = releases(runs, models, anchors, memorised)
            texts = ", ".join(f"{name} {bias:+.2f} {rmse:.2f}" for name, (bias, rmse) in methods.items())
            print(f"{models:>7}{anchors:>9}{memorised:>11.0%}  {texts}; coverage without linking {held:.1%}", flush=True)


if __name__ == "__main__":
    main()
