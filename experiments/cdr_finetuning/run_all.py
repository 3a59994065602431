"""The experiment from its first picture to its table. Killed at any moment, the same command goes on.

python experiments/cdr_finetuning/run_all.py --out out/cdr_finetuning [--settings cpu|gpu] [--device cpu] [--threads 1] [--until stages]
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from cdr_finetuning.arms import ARMS, arm, food
from cdr_finetuning.final import final, place
from cdr_finetuning.results import results
from cdr_finetuning.schooling import ground, stages
from cdr_finetuning.settings import SETTINGS
from cdr_finetuning.steps import steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--settings", choices=SETTINGS, default="cpu")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="of the network (default: 1)")
    parser.add_argument("--workers", type=int, default=1, help="processes that make items (default: 1)")
    parser.add_argument("--until", choices=("stages", "arms", "tests"), default="tests", help="where to stop (default: tests, the end)")
    parser.add_argument("--seeds", type=int, nargs="*", help="only these, and no tests: for a second process beside the first")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    settings, device = SETTINGS[given.settings], torch.device(given.device)
    folder: Path = given.out
    folder.mkdir(parents=True, exist_ok=True)
    told = folder / "settings.json"
    wanted = json.dumps(asdict(settings), indent=1)
    if told.exists() and told.read_text() != wanted:
        print(f"{told}: these are other settings than {given.settings}; give another --out, or remove the folder.", file=sys.stderr)
        return 2
    told.write_text(wanted)
    floor = ground(settings, folder / "shelves", given.workers)
    if not stages(settings, floor, folder / "stages", device):
        results(settings, folder)
        print("The gate is not passed, so the arms do not start.", file=sys.stderr)
        return 1
    if given.until != "stages":
        shown = food(settings, floor, folder / "shelves", given.workers)
        start = folder / "stages" / "checkpoint.pt"
        for seed in given.seeds or settings.seeds:  # seed by seed, so that a run cut short has every arm
            for which in reversed(ARMS):  # the longest first
                arm(settings, start, shown, floor.held_out, which, seed, place(folder, which, seed), device)
                if which.reasons:
                    steps(settings, shown, floor.held_out, which, place(folder, which, seed), device)
                results(settings, folder)
    if given.until == "tests" and not given.seeds:
        final(settings, folder)
    results(settings, folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
