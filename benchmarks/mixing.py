"""How fast training mixes are made and read.

    python benchmarks/mixing.py [--n 1600] [--tasks 'cdr/*'] [--mix-sizes 2000 20000]

For each task that has a chain of thought, in one process and interleaved so that a change of the machine's speed hits both: rows a
second of CPU with bare answers and with reasoning, made from the same items, and the ratio of their times (the aim is at most 1.2). Then
`isovist mix` with one worker for mixes of two sizes, each in a process of its own with its peak memory, and how fast a training loader
reads the larger one on one core: Parquet and decoded pictures, first with this package and then with `datasets`.
"""

from __future__ import annotations

import argparse
import io
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from PIL import Image

from isovist.data.dataset.mixture import Mix, read_examples
from isovist.data.dataset.training_examples import Kind, of_item, table
from isovist.data.items import Items
from isovist.suites import registry

ROUNDS = 40
KINDS: tuple[Kind, ...] = ("answer", "reasoning")


def per_task(names: list[str], n: int) -> None:
    """Medians of some rounds of a few items each; either kind is the first of a round as often as the other."""
    print(f"{'task':<34}{'answer rows/s':>15}{'reasoning rows/s':>18}{'ratio':>7}")
    few = max(1, n // ROUNDS)
    for task in registry.matching(names):
        if task.reasoning is None:
            continue
        items = Items(task, few * (ROUNDS + 1), split="train")
        table(of_item(items[i], "reasoning") for i in range(few))  # warm: sprites are drawn once and then pasted
        taken: dict[Kind, list[float]] = {kind: [] for kind in KINDS}
        for turn in range(1, ROUNDS + 1):
            for kind in KINDS if turn % 2 else reversed(KINDS):
                start = time.process_time()
                table(of_item(items[i], kind) for i in range(few * turn, few * (turn + 1)))
                taken[kind].append((time.process_time() - start) / few)
        a, b = (statistics.median(taken[kind]) for kind in KINDS)
        print(f"{task.id:<34}{1 / a:>15.0f}{1 / b:>18.0f}{b / a:>7.2f}")


RECIPE = """
[[parts]]
tasks = ["cdr/relative-compass-icon"]
n = {n}
reasoning = 0.5
"""

MIXED = """
import resource, sys, time
from pathlib import Path
from isovist.training.mixture_builder import mix
from isovist.training.recipe import read
start = time.perf_counter()
mix(read(sys.argv[1]), Path(sys.argv[2]))
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def mixes(sizes: list[int], folder: Path) -> None:
    print("\nisovist mix, one worker, half of cdr/relative-compass-icon step by step")
    scale = 1 if sys.platform == "darwin" else 1024
    for n in sizes:
        (folder / "recipe.toml").write_text(RECIPE.format(n=n))
        args = [sys.executable, "-c", MIXED, str(folder / "recipe.toml"), str(folder / str(n))]
        seconds, peak = subprocess.run(args, capture_output=True, text=True, check=True).stdout.split()
        size = sum((folder / str(n) / name).stat().st_size for name in Mix.read(folder / str(n)).files)
        usage = f"peak memory {float(peak) * scale / 1e6:.0f} MB, {size / 1e6:.0f} MB on disk"
        print(f"{n:>8} rows: {n / float(seconds):7.0f} rows/s, {usage}")


def loader(folder: Path, n: int) -> None:
    print("\na training loader on one core: rows read and their pictures decoded")
    start = time.perf_counter()
    for example in islice(read_examples(folder), n):
        for image in example.images:
            with Image.open(io.BytesIO(image)) as opened:
                opened.convert("RGB").load()
    print(f"this package: {n / (time.perf_counter() - start):7.0f} rows/s")
    try:
        import datasets
    except ImportError:
        print("datasets is not installed")
        return
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache:
        rows = datasets.load_dataset(str(folder), split="train", streaming=True, cache_dir=cache)
        start = time.perf_counter()
        for row in islice(rows, n):
            for image in row["images"]:
                image.convert("RGB").load()
        print(f"datasets, streaming: {n / (time.perf_counter() - start):7.0f} rows/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=1600)
    parser.add_argument("--tasks", nargs="+", default=["cdr/*"])
    parser.add_argument("--mix-sizes", nargs="+", type=int, default=[2000, 20_000])
    given = parser.parse_args()
    per_task(given.tasks, given.n)
    with tempfile.TemporaryDirectory() as folder:
        mixes(given.mix_sizes, Path(folder))
        loader(Path(folder) / str(given.mix_sizes[-1]), min(5000, given.mix_sizes[-1]))
