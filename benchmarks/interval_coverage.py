"""How often the 95 % intervals of reports hold the truth, in simulated runs whose truth is known.

python benchmarks/interval_coverage.py [RUNS] [FAMILY ...]     # 2,000 runs of each setting, of all families
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated_runs import FAMILIES, WINDOW, Coverage, anywhere, coverage

SLOW = {"thresholds": 5}
"""So many times fewer runs where each takes long."""


def line(outcome: Coverage) -> str:
    mark = " " if outcome.inside else "." if outcome.setting.apart else "*"
    ends = f"{100 * outcome.held:6.1f} +- {100 * outcome.error:.1f} {mark} {outcome.width:9.4g}"
    return f"{outcome.setting.statistic:<24}{outcome.setting.told:<64}{ends}  {outcome.setting.apart}"


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    chosen = sys.argv[2:] or list(FAMILIES)
    print(f"{'statistic':<24}{'setting':<64}{'held %':>6}          {'width':>9}")
    for name in chosen:
        outcomes: list[Coverage] = []
        for setting in FAMILIES[name]():
            outcomes.append(coverage(setting, max(1, runs // SLOW.get(name, 1))))
            print(line(outcomes[-1]), flush=True)
        usual = [outcome for outcome in outcomes if not outcome.setting.apart]
        inside = sum(outcome.inside for outcome in usual)
        held = [outcome.held for outcome in usual]
        print(
            f"{name}: {inside} of {len(usual)} settings hold the truth in {WINDOW[0]:.0%} to {WINDOW[1]:.0%} of the runs, the others in "
            f"{100 * min(held):.1f} to {100 * max(held):.1f} %; mean {100 * sum(held) / len(held):.1f} %"
        )
        rest = [outcome.held for outcome in outcomes if outcome.setting.apart]
        if rest:
            print(
                f"{name}: {len(rest)} settings apart hold it in {100 * min(rest):.1f} to {100 * max(rest):.1f} %, mean {100 * sum(rest) / len(rest):.1f} %"
            )
        if name == "alone":
            for n in (30, 100, 1000):
                print(f"alone: {n} items, right anywhere from 2 to 98 %: {100 * anywhere(10 * runs, n):.1f} %")
    print("*: outside, and should not be; .: outside, for the reason that stands beside it")


if __name__ == "__main__":
    main()
