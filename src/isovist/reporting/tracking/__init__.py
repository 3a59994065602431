"""Logging of a report to an experiment tracker: W&B or MLflow, each by its own client.

The client decides where the log goes, by its own environment variables (`WANDB_PROJECT`, `WANDB_MODE`, `MLFLOW_TRACKING_URI`, ...).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from isovist.common.errors import UserError, require_extra
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.tracking.evaluation_log import EvaluationLog, evaluation_logs

TRACKERS = ("wandb", "mlflow")
PROJECT = "isovist"
"""The W&B project and the MLflow experiment, unless the environment names one."""


def require(tracker: str) -> None:
    """Raises MissingDependencyError if the client of a tracker is not installed."""
    require_extra(tracker, f"--log {tracker}", tracker)


def log_report(tracker: str, results: Sequence[RunResults], folder: ReportFolder, n_examples: int) -> list[str]:
    """Log each run of a report that is written.

    Args:
        tracker: One of `TRACKERS`.
        results: The runs of the report.
        folder: The report folder.
        n_examples: Maximum number of items of each run that are logged with image, response and key.

    Returns:
        A sentence on each logged run: where it is.

    Raises:
        MissingDependencyError: The client is not installed.
        UserError: The client cannot log, for example without a key or a connection.
    """
    require(tracker)
    log: Callable[[EvaluationLog], str] = import_module(f"isovist.reporting.tracking.{tracker}_client").log
    try:
        return [log(evaluation) for evaluation in evaluation_logs(results, folder, n_examples)]
    except UserError:
        raise
    except Exception as error:  # any exception of a client; the report itself is written
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise UserError(f"Cannot log the report ({reason}): --log {tracker}. Fix the cause and run the command again.") from error
