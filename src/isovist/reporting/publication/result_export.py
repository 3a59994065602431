"""Export of the results of a run. The output folder is either complete or absent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.importers.pipeline import Progress, atomic_folder, check_new
from isovist.evaluation.run.run_folder import RUN, RunFolder
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.collect import load_results
from isovist.reporting.submissions.model_card import ModelCard
from isovist.reporting.submissions.pack import require_no_key

Start = Callable[[int], Progress]
"""Called with the number of items; returns the function that is called for each item."""


@dataclass(frozen=True, slots=True)
class ResultRequest:
    """What a run does not state about its results."""

    model_id: str = ""
    """The model as DEVELOPER/MODEL; "" to derive it from the name in the run."""
    dataset: str = ""
    """The dataset on the Hugging Face Hub that has the items, as OWNER/NAME or OWNER/NAME@REVISION."""
    card: ModelCard | None = None


def export_results(run: Path, to: str, out: Path, request: ResultRequest, verifier: Verifier, start: Start) -> list[str]:
    """Write the results of a run to the folder `out`, which must be new or empty; returns notes for the user.

    Raises UserError for a folder that is not one finished run with a fixed design, and CheckFailed for a run that fails its verification.
    Then nothing is written.
    """
    check_new(out)
    if out.absolute().is_relative_to(run.absolute()):
        raise UserError(f"Output folder is inside the run folder: {out}. Choose an --out folder outside {run}.")
    if not (run / RUN).exists() and (runs := sorted(path.parent for path in run.glob(f"*/{RUN}"))):
        raise UserError(f"Folder of runs, not a run: {run}. Give one of its {len(runs)} runs, such as {runs[0]}.")
    if request.dataset and not re.fullmatch(r"(?a:\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?)", request.dataset):
        raise UserError(f"Not a dataset of the Hugging Face Hub: {request.dataset}. Give --dataset-id OWNER/NAME or OWNER/NAME@REVISION.")
    info = RunFolder(run).info()
    if info.adaptive:
        raise UserError(f"Run is adaptive: {run}. Its accuracy is not that of the tasks; export a run without --adaptive.")
    if any(part.ids for part in RunFolder(run).parts(info)):
        raise UserError(
            f"Run has items that were chosen by their ids: {run}. Its accuracy is not that of the tasks; export a run without --items."
        )
    if info.is_human_run:
        raise UserError(f"Run has the answers of participants: {run}. Give the run of a model.")
    try:
        has_ended = datetime.fromisoformat(info.finished).tzinfo is not None
    except ValueError:
        has_ended = False
    if not has_ended:
        raise UserError(f"Run is incomplete, its metadata have no time of the end: {run}. Run the same command again to resume it.")
    require_no_key(run, info)
    module = import_module(f"isovist.reporting.publication.{to.replace('-', '_')}")
    module.check(run, info, request)
    (result,) = load_results([run], verifier)
    if not result.n:
        raise UserError(f"Run has no scored response: {run}. Run the same command again.")
    with atomic_folder(out) as new:
        return [*result.caveats, *module.write(result, new, request, start)]
