"""What no choice of items can beat without a prior: the information bound of the half-way size, for the curves of `benchmarks/adaptive.py`.

    python benchmarks/adaptive_bound.py

Of each curve the Fisher information about half-way size, steepness and lapse is summed over the items; the half-way size's part of the
inverse bounds the variance of any unbiased estimate (Cramer and Rao), the shape being known. The best design is the one of all shares
of items over the 20 sizes with the least bound; it can only be found by one who knows the curve. Errors are taken for normal. The lapse is
taken for 2 % at least, since the bound is of no use at the edge of what is possible. With a prior, or where estimates are cut off at the
ends of the sizes, errors can be smaller.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from adaptive import SIZES, Array, Simulated, floors, models
from scipy.optimize import minimize
from scipy.stats import norm

STEP = 1e-4


def slopes(model: Simulated) -> Array:
    """By how much the share of right answers at each size changes with half-way size, steepness and lapse, in standard deviations of
    one answer; shape (20, 3).
    """
    columns: list[Array] = []
    for name in ("halfway", "steepness", "lapse"):
        at = getattr(model, name)
        up, down = (replace(model, **{name: at + way * STEP}).shares for way in (1, -1))
        columns.append((up - down) / (2 * STEP))
    share = np.clip(model.shares, 1e-9, 1 - 1e-9)
    return np.stack(columns, axis=1) / np.sqrt(share * (1 - share))[:, None]


def variance(weights: Array, gradients: Array) -> float:
    """The bound for one item, spread over the sizes by these weights."""
    information = gradients.T @ (weights[:, None] * gradients)
    return float(np.linalg.inv(information + 1e-9 * np.eye(gradients.shape[1]))[0, 0])


def best(gradients: Array) -> Array:
    """The weights with the least bound, from several starts."""

    def share(free: Array) -> Array:
        e = np.exp(free - free.max())
        return e / e.sum()

    starts = [np.zeros(len(SIZES)), -np.linspace(0, 3, len(SIZES)), -np.linspace(3, 0, len(SIZES))]
    fits = [minimize(lambda free: np.log(variance(share(free), gradients)), start, method="L-BFGS-B") for start in starts]
    return share(min(fits, key=lambda fit: fit.fun).x)


def main() -> None:
    print("share of estimates within one size, and mean distance: bounds for 200 items evenly, and for 80 placed as well as can be,")
    print("with steepness and lapse unknown, and known\n")
    print(f"{'chance':26}{'200 even':>16}{'80 best':>16}{'200 even, known':>18}{'80 best, known':>18}{'items as good':>16}")
    for floor in floors():
        errors: dict[str, list[float]] = {"even": [], "best": [], "even, known": [], "best, known": []}
        for model in models():
            if model.floor == floor:
                gradients = slopes(replace(model, lapse=max(0.02, model.lapse)))
                even = np.full(len(SIZES), 1 / len(SIZES))
                errors["even"].append(variance(even, gradients))
                errors["best"].append(variance(best(gradients), gradients))
                errors["even, known"].append(variance(even, gradients[:, :1]))
                errors["best, known"].append(1 / float((gradients[:, 0] ** 2).max()))
        cells = ""
        for name, items, width in (("even", 200, 16), ("best", 80, 16), ("even, known", 200, 18), ("best, known", 80, 18)):
            sd = np.sqrt(np.array(errors[name]) / items)
            within, far = float(np.mean(2 * norm.cdf(1 / sd) - 1)), float(np.mean(sd) * np.sqrt(2 / np.pi))
            cells += f"{f'{100 * within:.1f} %  {far:.2f}':>{width}}"
        ratio = 200 * float(np.median(np.array(errors["best"]) / np.array(errors["even"])))
        print(f"{floor:26}{cells}{ratio:16.0f}", flush=True)


if __name__ == "__main__":
    main()
