"""How cost grows with the number of items: processor time and peak memory of each command, and the computed cost of more items.

    python benchmarks/growth.py                              # 1,000, 10,000 and 100,000 items
    python benchmarks/growth.py --n 1000 10000 100000 1000000
    python benchmarks/growth.py --task perceptv/counting-circles

Each command is a process of its own: `generate`, `verify`, `run` with simulated/random on the stored items, `rescore` and `report`. The
figures are its processor time with that of its children, and the largest resident memory of one process. The last columns are those of
one more item, from the two largest numbers, and what 10^9 items cost at that price: divided over N cores, the hours are a N-th.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MANY = 1e9


@dataclass(frozen=True)
class Cost:
    cpu_s: float
    peak_mb: float


def cost(command: Sequence[str | Path]) -> Cost:
    process = subprocess.Popen([sys.executable, "-m", "isovist", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(complaint.decode(errors="replace"))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))


def commands(task: str, n: int, home: Path) -> dict[str, list[str | Path]]:
    data, run = home / "data", home / "run"
    return {
        "generate": ["generate", task, "--n", str(n), "--workers", "1", "--out", data],
        "verify": ["verify", data, "--workers", "1"],
        "run": ["run", "--data", data, "--model", "simulated/random", "--out", run],
        "rescore": ["rescore", run],
        "report": ["report", run, "--out", home / "report"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--task", default="cdr/relative-compass-letter")
    args = parser.parse_args()
    costs: dict[str, dict[int, Cost]] = {}
    for n in sorted(args.n):
        home = Path(tempfile.mkdtemp())
        try:
            for name, command in commands(args.task, n, home).items():
                costs.setdefault(name, {})[n] = cost(command)
        finally:
            shutil.rmtree(home)
    sizes = sorted(args.n)
    print(f"{args.task}; load {os.getloadavg()[0]:.1f} at the end\n")
    header = [f"{n:,} items" for n in sizes]
    print("| command | " + " | ".join([*header, "one more item", "10^9 items"]) + " |")
    print("|---" * (len(sizes) + 3) + "|")
    for name, of in costs.items():
        small, large = (of[n] for n in sizes[-2:])
        step = sizes[-1] - sizes[-2]
        each_s, each_kb = (large.cpu_s - small.cpu_s) / step, (large.peak_mb - small.peak_mb) * 1e3 / step
        cells = [f"{each.cpu_s:.1f} s, {each.peak_mb:.0f} MB" for each in of.values()]
        print(
            f"| `{name}` | "
            + " | ".join([*cells, f"{1e3 * each_s:.2f} ms, {each_kb:.2f} kB", f"{each_s * MANY / 3600:,.0f} core-hours"])
            + " |"
        )


if __name__ == "__main__":
    main()
