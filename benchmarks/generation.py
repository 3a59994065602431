"""How fast items are made, beside the physical limit: compressing their finished pixels.

    python benchmarks/generation.py [--n 2000] [--tasks 'cdr/*']
    python benchmarks/generation.py --peer --n 60 --tasks 'perceptv/*'

For each task, in one process and interleaved so that a change of the machine's speed hits both: items per second of CPU
time, which other processes affect less than elapsed time, of the whole pipeline (sample, draw, ask, render, encode, reason,
into Arrow) and of PNG encoding alone on the same pixels, and the ratio of the two. `--peer` draws the same finished drawings with matplotlib as well (drawing and encoding, no scene
and no words). Then `isovist generate` with one and with two workers."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from isovist.data.dataset.generate import generate
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.rows import item_to_row, table
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.render.image_encoding import png

ROUNDS = 5
PEER = 20  # items a round for the slower peer; as many as there are sizes


def per_task(names: list[str], n: int, *, peer: bool) -> None:
    """Items that go round the levels; medians of some rounds."""
    print(f"{'task':<34}{'items/s':>9}{'encode/s':>10}{'of limit':>10}{'matplotlib/s':>14}{'ratio':>7}")
    for task in registry.matching(names):
        items = Items(task, n * (ROUNDS + 1))
        pixels = [item.pixels() for item in items[: min(n, 200)]]
        table(item_to_row(items[i]) for i in range(n))  # warm: sprites are drawn once and then pasted
        whole, encode, drawn = [], [], []
        for turn in range(ROUNDS):
            start = time.process_time()
            table(item_to_row(items[i]) for i in range(n * (turn + 1), n * (turn + 2)))
            whole.append((time.process_time() - start) / n)
            start = time.process_time()
            for i in range(n):
                for picture in pixels[i % len(pixels)]:
                    png(picture)
            encode.append((time.process_time() - start) / n)
            if peer:
                drawn.append(_by_matplotlib(items[n * turn : n * turn + min(n, PEER)]))
        a, b = statistics.median(whole), statistics.median(encode)
        comparison = f"{1 / statistics.median(drawn):>14.0f}{statistics.median(drawn) / a:>7.1f}" if peer else ""
        print(f"{task.id:<34}{1 / a:>9.0f}{1 / b:>10.0f}{b / a:>10.0%}{comparison}")


def _by_matplotlib(items: list[Item]) -> float:
    """Seconds an item that matplotlib takes to draw and encode the same drawings."""
    from peers import Matplotlib

    peer = Matplotlib(items[0].size)
    start = time.process_time()
    for item in items:
        for drawing in item.drawings:
            peer.png(drawing)
    return (time.process_time() - start) / len(items)


def workers(names: list[str], n: int) -> None:
    print(f"\nisovist generate, {n} items of each task, process start and disk included")
    times = {}
    for count in (1, 2):
        parts = [DataPart(task.id, task.version, "test", n) for task in registry.matching(names)]
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            generate(parts, Path(folder) / "data", workers=count)
            times[count] = time.perf_counter() - start
        total = n * len(parts)
        print(f"{count} worker{'s' if count > 1 else ' '}: {total / times[count]:7.0f} items/s")
    print(f"speed-up with two workers: {times[1] / times[2]:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--tasks", nargs="+", default=["cdr/*"])
    parser.add_argument("--peer", action="store_true")
    given = parser.parse_args()
    per_task(given.tasks, given.n, peer=given.peer)
    workers(given.tasks, given.n)
