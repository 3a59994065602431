"""Items per second of `isovist.stream` against plain generation: the same tasks, in this process and with two worker processes.

python benchmarks/streams.py            # about a minute on two cores
python benchmarks/streams.py --n 400
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice

import isovist
from isovist.data.dataset.training_examples import of_item
from isovist.data.items import generate

CASES = {"2-D": ("cdr/relative-compass-letter", 600), "solids": ("solids/three-views", 300), "3-D": ("dori/directional-facing", 120)}
ROUNDS = 3


def rate(make: Callable[[int], object], n: int) -> float:
    """Examples per second, after 8 that are not counted."""
    make(8)
    start = time.perf_counter()
    make(n)
    return n / (time.perf_counter() - start)


def plain(task: str) -> Callable[[int], object]:
    return lambda n: [of_item(item, style="final-line") for item in generate(task, n=n, split="train", seed=1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, help="examples of each case")
    given = parser.parse_args().n
    print("examples per second, the median of three rounds; in brackets the ratio to plain generation in one process")
    for name, (task, default) in CASES.items():
        n, rates = given or default, {0: list[float](), 1: list[float](), 2: list[float](), -1: list[float]()}
        for _ in range(ROUNDS):
            rates[-1].append(rate(plain(task), n))
            for workers in (0, 1, 2):
                stream = isovist.stream(task, seed=1, workers=workers)
                rates[workers].append(rate(lambda n, stream=stream: list(islice(stream, n)), n))
                stream.close()
        medians = {workers: sorted(values)[ROUNDS // 2] for workers, values in rates.items()}
        shown = ", ".join(
            f"{workers or 'no'} worker{'s' * (workers != 1)} {medians[workers]:.0f} ({medians[workers] / medians[-1]:.2f})"
            for workers in (0, 1, 2)
        )
        print(f"{name:7s} {task}: plain {medians[-1]:.0f}, {shown}")


if __name__ == "__main__":
    main()
