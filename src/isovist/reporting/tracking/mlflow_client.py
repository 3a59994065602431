"""Logging to MLflow."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from isovist.reporting.tracking import PROJECT
from isovist.reporting.tracking.evaluation_log import EXAMPLES, IMAGE, EvaluationLog, LoggedTable

mlflow: Any = import_module("mlflow")  # optional, without types here

_LONGEST = 500  # characters of a parameter, the limit of some servers
_REPORT = "report"


def log(evaluation: EvaluationLog) -> str:
    """Log one run as an MLflow run; returns where it is."""
    if not (os.environ.get("MLFLOW_EXPERIMENT_NAME") or os.environ.get("MLFLOW_EXPERIMENT_ID")):
        mlflow.set_experiment(PROJECT)
    with mlflow.start_run(run_name=evaluation.name, tags={"isovist.report": evaluation.group}) as run:
        mlflow.log_params({name: str(value)[:_LONGEST] for name, value in _flat(evaluation.config)})
        mlflow.log_dict(dict(evaluation.config), "config.json")
        mlflow.log_metrics(dict(evaluation.metrics))
        tables = dict(evaluation.tables) | ({EXAMPLES: evaluation.examples} if evaluation.examples.rows else {})
        for name, table in tables.items():
            mlflow.log_table(_columns(table), f"{name}.json")
        for name in evaluation.files:
            mlflow.log_artifact(str(evaluation.folder / name), str(PurePosixPath(_REPORT) / PurePosixPath(name).parent))
    return f"{evaluation.name}: logged to MLflow, run {run.info.run_id} at {mlflow.get_tracking_uri()}."


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings by their names with dots; a list is JSON text."""
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")  # pyright: ignore[reportUnknownArgumentType] - JSON
        elif value is not None:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, list) else value


def _columns(table: LoggedTable) -> dict[str, list[Any]]:
    return {
        column: [mlflow.Image(row[place]) if column == IMAGE else row[place] for row in table.rows]
        for place, column in enumerate(table.columns)
    }
