"""How fast paper-folding items are made, beside matplotlib drawing the same pictures.

    python benchmarks/paper_folding.py [--n 90] [--rounds 5]

In one process and interleaved, so that a change of the machine's speed hits both: the whole of an item (scene, drawing,
pixels, PNG), and matplotlib from the finished drawing to a PNG of the same size. Medians over the rounds. The peer is
given the drawing for nothing and keeps its figure, which is how one would use it for speed.
"""

from __future__ import annotations

import argparse
import statistics
import time

import matplotlib as mpl
from peers import Matplotlib

from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.render.image_encoding import png


def main(n: int, rounds: int) -> None:
    task = registry.task("srbench/paper-folding")
    items = Items(task, n * (rounds + 1), 9)
    peer = Matplotlib(task.images.size_px)

    def whole(place: int) -> int:
        return sum(len(png(picture)) for picture in items[place].pixels())

    for place in range(n):  # warm: backdrops and letters are drawn once
        whole(place)
    peer.png(items[0].pictures[0])
    ours: list[float] = []
    theirs: list[float] = []
    scenes: list[float] = []
    for turn in range(1, rounds + 1):
        places = range(n * turn, n * (turn + 1))
        start = time.perf_counter()
        for place in places:
            whole(place)
        ours.append((time.perf_counter() - start) / n)
        start = time.perf_counter()
        drawings = [items[place].pictures[0] for place in places]
        scenes.append((time.perf_counter() - start) / n)
        start = time.perf_counter()
        for drawing in drawings:
            peer.png(drawing)
        theirs.append((time.perf_counter() - start) / n)
    a, b, c = (1000 * statistics.median(times) for times in (ours, theirs, scenes))
    print(f"{n * rounds} items round all levels, one core")
    print(f"isovist, scene to PNG      {a:8.2f} ms an item  {1000 / a:6.0f} items/s  (scene and drawing {c:.2f} ms)")
    print(f"matplotlib {mpl.__version__:<8}to PNG {b:8.2f} ms an item  {1000 / b:6.0f} items/s  (from the finished drawing)")
    print(f"ratio {b / a:.1f}; the authors' generator takes about 6 ms an item (Pillow), {6 / a:.1f} times ours")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=90)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    main(given.n, given.rounds)
