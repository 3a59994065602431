"""What a run of training tells while it goes on: a progress line, `log.csv`, and the curves as a table and a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from isovist.atomic_write import write_atomically

LOG, CURVES, PICTURE = "log.csv", "curves.csv", "curves.png"
_PANELS: Mapping[str, Mapping[str, str]] = {
    "loss": {"loss": "training", "eval_loss": "held out"},
    "share of tokens right": {"mean_token_accuracy": "training", "eval_mean_token_accuracy": "held out"},
    "reward: right answers": {"rewards/reward/mean": "training", "eval_rewards/reward/mean": "held out"},
    "reward: form of the reply": {"rewards/format_reward/mean": "training", "eval_rewards/format_reward/mean": "held out"},
    "tokens of a reply": {"completions/mean_length": "training", "eval_completions/mean_length": "held out"},
    "learning rate": {"learning_rate": "training"},
}
"""What is drawn: for each panel the trainer's names of its lines, and what they are called."""
_SHARES = ("share of", "reward:")
"""How the names of panels begin whose values lie between 0 and 1."""
_LEFT_OUT = ("epoch", "total_flos")
"""The trainer's epoch, which is one for all that a run goes through, and its rough count of operations."""

History = Sequence[Mapping[str, Any]]
"""What the trainer has logged, in order; each with its `step`."""


def log_csv(history: History) -> str:
    """One line a step that was logged, one column a number."""
    lines: dict[int, dict[str, Any]] = {}
    for entry in _of_steps(history):
        kept = {name: value for name, value in entry.items() if name not in _LEFT_OUT}
        lines.setdefault(int(entry["step"]), {}).update(kept)
    names = list(dict.fromkeys(["step", *(name for line in lines.values() for name in line)]))
    return _csv(names, [[line.get(name, "") for name in names] for line in lines.values()])


def _of_steps(history: History) -> list[Mapping[str, Any]]:
    """Without the sums of the last session alone, which the trainer logs at the end."""
    return [entry for entry in history if "train_runtime" not in entry]


def curves(history: History) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """The panels that have points: for each line its (step, value) pairs."""
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for panel, lines in _PANELS.items():
        for name, called in lines.items():
            points = [(int(entry["step"]), float(entry[name])) for entry in _of_steps(history) if name in entry]
            if points:
                curves.setdefault(panel, {})[called] = points
    return curves


def curves_csv(history: History) -> str:
    """One line a point: what is drawn, as numbers."""
    rows = [[panel, line, *point] for panel, lines in curves(history).items() for line, points in lines.items() for point in points]
    return _csv(["curve", "of", "step", "value"], rows)


def draw(history: History, path: Path) -> None:
    """The curves as small multiples in a PNG file; nothing as long as there are none."""
    panels = curves(history)
    if not panels:
        return
    figures: Any = import_module("matplotlib.figure")
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    figure = figures.Figure(figsize=(5.2 * columns, 3.1 * lines), dpi=120, layout="constrained")
    places: list[Any] = list(figure.subplots(lines, columns, squeeze=False).flat)
    for place, (panel, drawn) in zip(places, panels.items(), strict=False):
        for (called, points), colour in zip(drawn.items(), ("#0072b2", "#d55e00"), strict=False):
            steps, values = zip(*points, strict=True)
            place.plot(steps, values, color=colour, lw=1.6, marker="o" if len(points) < 30 else None, ms=3.5, label=called)
        place.set_title(panel, fontsize=10, loc="left")
        place.set_xlabel("step", fontsize=9)
        place.tick_params(labelsize=8)
        if panel.startswith(_SHARES):
            place.set_ylim(-0.03, 1.03)
        place.grid(color="#d9dee3", lw=0.6)
        place.xaxis.get_major_locator().set_params(integer=True)
        for side in ("top", "right"):
            place.spines[side].set_visible(False)
        if len(drawn) > 1:
            place.legend(frameon=False, fontsize=8)
    for place in places[len(panels) :]:
        place.axis("off")
    written = io.BytesIO()
    figure.savefig(written, format="png")
    write_atomically(path, written.getvalue())


def write(history: History, folder: Path, *, picture: bool = True) -> None:
    """The log and the curves of a run so far; their picture takes longer than a small model's step."""
    write_atomically(folder / LOG, log_csv(history))
    write_atomically(folder / CURVES, curves_csv(history))
    if picture:
        draw(history, folder / PICTURE)


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return file.getvalue()
