"""How fast examples reach a trainer: read from the cache of `datasets` in training order, pictures decoded, one process, one core.

python benchmarks/training.py             # 2,000 rows of two tasks, about a minute
python benchmarks/training.py --n 10000   # 20,000 rows
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from isovist.data.dataset.generate import generate
from isovist.data.dataset.generation_request import requested
from isovist.training.chat_collator import messages
from isovist.training.example_dataset import open_examples
from isovist.training.settings import Data

TASKS = ("cdr/relative-compass-icon", "cdr/relative-compass-letter")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000, help="items of each task")
    n: int = parser.parse_args().n
    with tempfile.TemporaryDirectory() as base:
        parts, _ = requested(
            TASKS, default=n, n=n, seed=0, split="train", level=None, settings={}, sizes=None, style="final-line", renderer="raster"
        )
        generate(parts, Path(base) / "data", workers=2)
        size = sum(path.stat().st_size for path in Path(base).rglob("*.parquet"))
        start = time.perf_counter()
        dataset = open_examples(Data(f"{base}/data", kind="reasoning"), train=True, keyed=False)
        dataset = dataset.ordered(len(dataset), seed=0)
        print(f"{len(dataset):,} rows of {size / len(dataset) / 1e3:.1f} kB: copied and ordered in {time.perf_counter() - start:.2f} s")
        for what, use in (("read", lambda example: example), ("read and decoded", messages)):
            start, cpu = time.perf_counter(), time.process_time()
            for example in dataset:
                use(example)
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            print(f"{what:<17} {len(dataset) / cpu:8,.0f} rows a second of CPU ({len(dataset) / wall:,.0f} by the clock)")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
