"""The log of a training run as `log.csv`, and its learning curves as a table and an image."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from isovist.common.atomic_write import write_atomically

LOG, CURVES, PICTURE = "log.csv", "curves.csv", "curves.png"
_PANELS: Mapping[str, Mapping[str, str]] = {
    "loss": {"loss": "training", "eval_loss": "held out"},
    "share of tokens right": {"mean_token_accuracy": "training", "eval_mean_token_accuracy": "held out"},
    "reward: right answers": {"rewards/reward/mean": "training", "eval_rewards/reward/mean": "held out"},
    "reward: form of the reply": {"rewards/format_reward/mean": "training", "eval_rewards/format_reward/mean": "held out"},
    "tokens of a reply": {"completions/mean_length": "training", "eval_completions/mean_length": "held out"},
    "learning rate": {"learning_rate": "training"},
}
"""The panels: for each the metric names of the trainer and their labels."""
_COLOURS = {"training": "#0072b2", "held out": "#d55e00"}

History = Sequence[Mapping[str, Any]]
"""The log entries of the trainer in order, each with its `step`."""


def log_table(history: History) -> Any:
    """Return a `pandas.DataFrame` with a row per logged step and a column per metric, without the final summary and the epoch."""
    entries = [entry for entry in history if "train_runtime" not in entry]
    table: Any = import_module("pandas").DataFrame(entries or {"step": []})
    return table.drop(columns="epoch", errors="ignore").groupby("step").first()


def _panels(table: Any) -> Iterator[tuple[str, Any]]:
    """Yield the panels with data: title, and a table with one column per line."""
    for title, names in _PANELS.items():
        lines = table[[name for name in names if name in table]].rename(columns=names)
        if len(lines.columns):
            yield title, lines


def curves_csv(table: Any) -> str:
    """Return the plotted points as CSV, one line per point."""
    points = [
        (title, label, step, value)
        for title, lines in _panels(table)
        for label, column in lines.items()
        for step, value in column.dropna().items()
    ]
    return import_module("pandas").DataFrame(points, columns=["curve", "of", "step", "value"]).to_csv(index=False, lineterminator="\n")


def draw(table: Any, path: Path) -> None:
    """Draw the learning curves as small multiples to a PNG file; no file without data."""
    panels = list(_panels(table))
    if not panels:
        return
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure: Any = import_module("matplotlib.figure").Figure(figsize=(5.2 * columns, 3.1 * rows), dpi=120, layout="constrained")
    for axes, panel in zip_longest(figure.subplots(rows, columns, squeeze=False).flat, panels):
        if panel:
            _draw_panel(axes, *panel)
        else:
            axes.axis("off")
    image = io.BytesIO()
    figure.savefig(image, format="png")
    write_atomically(path, image.getvalue())


def _draw_panel(axes: Any, title: str, lines: Any) -> None:
    for label, column in lines.items():
        points = column.dropna()
        marker = "o" if len(points) < 30 else None
        axes.plot(points.index, points, color=_COLOURS[label], lw=1.6, marker=marker, ms=3.5, label=label)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel("step", fontsize=9)
    axes.tick_params(labelsize=8)
    if title.startswith(("share of", "reward:")):
        axes.set_ylim(-0.03, 1.03)
    axes.grid(color="#d9dee3", lw=0.6)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    if len(lines.columns) > 1:
        axes.legend(frameon=False, fontsize=8)


def write(history: History, folder: Path, *, picture: bool = True) -> None:
    """Write the log and the curves of a run so far. Drawing takes longer than a training step of a small model."""
    table = log_table(history)
    write_atomically(folder / LOG, table.to_csv(lineterminator="\n"))
    write_atomically(folder / CURVES, curves_csv(table))
    if picture:
        draw(table, folder / PICTURE)
