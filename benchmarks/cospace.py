"""How fast CoSpace's items are made, and where their time goes: places, geometry, drawing, encoding.

    python benchmarks/cospace.py [--n 8] [--workers 2]

First one process, CPU seconds: making an item (its place, what is seen there, the question), what its pictures share (triangles in
the world and the shadow map), drawing the rest of them at 512 pixels, and encoding them as PNG. Then the whole of it by several
processes, by the clock. The last line is what the paper's sizes of all tasks would take at that pace.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.render import rasterizer3d
from isovist.world.render.image_encoding import png

SUITE = "cospace/*"


@dataclass(frozen=True)
class Cost:
    """Seconds of an item, and its pictures."""

    made: float
    shared: float
    drawn: float
    encoded: float
    pictures: int


def cost(name: str, index: int) -> Cost:
    """CPU seconds of one item."""
    start = time.process_time()
    item = Items(registry.task(name), index + 1, 1)[index]
    made = time.process_time()
    stage = item.scenes3d[0]
    rasterizer3d.render(stage, 16)  # next to no pixels: triangles, shadows and one view of all triangles
    shared = time.process_time()
    pictures = item.pixels()
    drawn = time.process_time()
    for picture in pictures:
        png(picture)
    return Cost(made - start, shared - made, drawn - shared, time.process_time() - drawn, len(pictures))


def whole(address: tuple[str, int]) -> int:
    """Makes, draws and encodes one item; tells its pictures."""
    name, index = address
    pictures = Items(registry.task(name), index + 1, 1)[index].pixels()
    return sum(1 for picture in pictures if png(picture))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=8, help="items of each task")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    tasks = registry.matching([SUITE])
    sizes = {task.id: task.paper.sizes["test"].n for task in tasks}
    print(f"{'CPU ms':32} {'item':>7} {'shared':>7} {'drawn':>7} {'PNG':>6}   pictures/s of one process")
    per_item: dict[str, float] = {}
    for task in tasks:
        cost(task.id, 0)  # compiled and loaded
        costs = [cost(task.id, index) for index in range(1, args.n + 1)]
        sums = [sum(getattr(c, part) for c in costs) for part in ("made", "shared", "drawn", "encoded")]
        pictures = sum(c.pictures for c in costs)
        per_item[task.id] = sum(sums) / args.n
        a, b, c, d = (1000 * value / args.n for value in sums)
        print(f"{task.id:32} {a:7.0f} {b:7.0f} {c:7.0f} {d:6.0f}   {pictures / sum(sums):.1f}")
    with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(whole, [(task.id, 0) for task in tasks for _ in range(args.workers)]))
        todo = [(task.id, index) for task in tasks for index in range(1, args.n + 1)]
        start = time.perf_counter()
        pictures = sum(pool.map(whole, todo, chunksize=2))
        took = time.perf_counter() - start
    print(f"{args.workers} processes: {pictures / took:.1f} pictures/s, {len(todo) / took:.2f} items/s")
    cpu = sum(per_item[name] * n for name, n in sizes.items())
    print(f"paper sizes: {sum(sizes.values())} items, {cpu:.0f} s of CPU, {cpu / args.workers:.0f} s with {args.workers} free cores")


if __name__ == "__main__":
    main()
