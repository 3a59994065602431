"""Results for the Hugging Face Hub: `.eval_results/NAME.yaml` of the repository of a model.

The fields are those of https://huggingface.co/docs/hub/eval-results. `eval.yaml` of `isovist generate` has the same task ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.dataset.data_card import config
from isovist.data.dataset.hub_benchmark import OVERALL, benchmark_parts
from isovist.data.dataset.manifest import Manifest
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.overall_performance import overall
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.publication.result_export import ResultRequest, Start


def check(run: Path, info: RunMetadata, request: ResultRequest) -> None:
    """Raises UserError without a dataset, and for a run of other items than whole parts of a public benchmark."""
    if not request.dataset:
        raise UserError("Dataset on the Hugging Face Hub is missing. Give --dataset-id OWNER/NAME, the benchmark that has the items.")
    parts = RunFolder(run).parts(info)
    public = [part for part in benchmark_parts(parts) if info.n is None or info.n >= part.n]
    if other := next((part for part in parts if part not in public), None):
        why = (
            "private seed"
            if other.is_private
            else "imported"
            if other.imported
            else f"split {other.split}"
            if other.split != "test"
            else "--n"
        )
        raise UserError(
            f"Run does not have a whole public test set of {other.task} ({why}): {run}. Export a run of all generated test items."
        )


def write(result: RunResults, new: Path, request: ResultRequest, start: Start) -> list[str]:
    """Write the file; returns notes. Raises UserError for items without a score, which a leaderboard cannot show."""
    del start
    folder = result.run.parts[0].folder
    if result.n_unscored:
        raise UserError(f"Run has items without a score ({result.n_unscored}): {folder.path}. Run the same command again.")
    tested = {part.task for part in benchmark_parts(Manifest.read(folder.data(result.info)).parts)}
    is_whole = tested == {task.task for task in result.tasks}
    entries = [_entry(config(task.task), [task], result.info, request) for task in result.tasks]
    if is_whole and len(entries) > 1:
        entries.insert(0, _entry(OVERALL, result.tasks, result.info, request))
    path = new / ".eval_results" / f"{request.dataset.partition('@')[0].partition('/')[2]}.yaml"
    path.parent.mkdir()
    path.write_text("".join(entries), encoding="utf-8")
    return (
        [] if is_whole else [f"No result for {OVERALL}: the run has {len(result.tasks)} of the {len(tested)} tasks of its dataset folder."]
    )


def _entry(name: str, tasks: Sequence[TaskResult], info: RunMetadata, request: ResultRequest) -> str:
    """One entry as YAML: the mean accuracy of some tasks. JSON texts are YAML texts."""
    means = overall([task.counted.scores for task in tasks])
    estimate, low, high, chance = (
        100 * share for share in (means.accuracy.estimate, means.accuracy.low, means.accuracy.high, means.chance)
    )
    notes = f"accuracy in percent, {sum(task.n for task in tasks)} items, 95% CI {low:.1f} to {high:.1f}, chance {chance:.1f}"
    notes += f"; prompt style {info.style}, image mode {info.image_mode}; isovist {info.versions.get('isovist', 'unknown')}"
    repository, _, revision = request.dataset.partition("@")
    source = {"url": request.card.link, "name": request.card.who} if request.card and request.card.link else {}
    dataset = {"id": repository, "task_id": name} | ({"revision": revision} if revision else {})
    values = {"dataset": dataset, "value": round(estimate, 2), "date": info.finished, "source": source, "notes": notes}
    return "- " + "  ".join(f"{field}: {json.dumps(value, ensure_ascii=False)}\n" for field, value in values.items() if value != {})
