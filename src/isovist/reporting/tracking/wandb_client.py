"""Logging to W&B."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from isovist.reporting.tracking import PROJECT
from isovist.reporting.tracking.evaluation_log import EXAMPLES, IMAGE, EvaluationLog, LoggedTable

wandb: Any = import_module("wandb")  # optional, without types here


def log(evaluation: EvaluationLog) -> str:
    """Log one run as a W&B run; returns where it is."""
    run = wandb.init(
        project=os.environ.get("WANDB_PROJECT") or PROJECT,
        name=evaluation.name,
        group=os.environ.get("WANDB_RUN_GROUP") or evaluation.group,
        job_type="evaluation",
        config=dict(evaluation.config),
        reinit="create_new",
        settings=wandb.Settings(console="off", x_disable_stats=True),  # the command sends no request: no statistics of it
    )
    with run:
        run.summary.update(dict(evaluation.metrics))
        tables = dict(evaluation.tables) | ({EXAMPLES: evaluation.examples} if evaluation.examples.rows else {})
        run.log({name: _table(table) for name, table in tables.items()})
        artifact = wandb.Artifact(f"report-{run.id}", type="report")
        for name in evaluation.files:
            artifact.add_file(str(evaluation.folder / name), name=name)
        run.log_artifact(artifact)
        where = f"in {run.settings.sync_dir}; upload it with `wandb sync`" if run.offline else f"at {run.url}"
    return f"{evaluation.name}: logged to W&B {where}."


def _table(table: LoggedTable) -> Any:
    rows = [[wandb.Image(cell) if column == IMAGE else cell for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]
    return wandb.Table(columns=list(table.columns), data=rows, allow_mixed_types=True)
