"""The last questions: `isovist run` asks the finished models items of the split `test`, through `embedded/PATH.npz`."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cdr_finetuning.arms import ARMS, Arm
from cdr_finetuning.settings import BESIDE, TARGET, Settings
from isovist.stats.proportions import wilson

_START = "start"


def final(settings: Settings, folder: Path) -> Path:
    """Runs what has not been run, and writes `tests.csv`: a row for each model, way to ask and task."""
    rows: list[dict[str, object]] = []
    for name, seed, style, weights in _models(settings, folder):
        out = folder / "runs" / f"{name}-{seed}-{style}"
        asked = [
            "--model",
            f"embedded/{weights}",
            "--prompt-style",
            style,
            "--n",
            str(settings.tested),
            "--max-tokens",
            str(settings.reply),
        ]
        if not (out / "done").exists():
            command = [
                sys.executable,
                "-m",
                "isovist",
                "run",
                TARGET,
                *BESIDE,
                *asked,
                "--max-connections",
                "1",
                "--no-confirm",
                "--out",
                str(out),
            ]
            subprocess.run(command, check=True)
            (out / "done").touch()
        rows += [{"model": name, "seed": seed, "style": style, **row} for row in _rows(out)]
    path = folder / "tests.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _models(settings: Settings, folder: Path) -> Iterable[tuple[str, int, str, Path]]:
    start = folder / "stages" / "start.npz"
    yield _START, 0, "direct", start
    yield _START, 0, "step-by-step", start
    for arm in ARMS:
        for seed in settings.seeds:
            yield arm.name, seed, arm.style, place(folder, arm, seed) / "weights.npz"


def place(folder: Path, arm: Arm, seed: int) -> Path:
    """The folder of an arm with a seed."""
    return folder / "arms" / f"{arm.name}-{seed}"


def _rows(run: Path) -> Iterable[dict[str, object]]:
    last: dict[str, str] = {}  # a later attempt takes the place of one before
    with (run / "records.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            last[record["item_id"]] = record["outcome"]
    for task in (TARGET, *BESIDE):
        outcomes = Counter(outcome for id, outcome in last.items() if id.startswith(f"{task}@"))
        n = outcomes.total()
        share = wilson(outcomes["correct"], n)
        found = {"accuracy": round(share.estimate, 4), "low": round(share.low, 4), "high": round(share.high, 4)}
        yield {"task": task, "n": n, **found, "unparsed": outcomes["unparsed"] + outcomes["truncated"]}
