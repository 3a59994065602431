"""Import the result files of another tool as a run: every response is scored by the parser of Isovist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.answers import Outcome
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.pipeline import Progress, ReasonLog, atomic_folder
from isovist.data.releases.definition import release_of
from isovist.evaluation.models.base import GenerationConfig
from isovist.evaluation.models.finish_reasons import end_of
from isovist.evaluation.predictions import evalscope, lmms_eval, response_lines, vlmevalkit
from isovist.evaluation.predictions.item_matching import Items, Known
from isovist.evaluation.predictions.prediction import Prediction, Tool
from isovist.evaluation.run.records import AttemptRecord, RecordWriter, hashed, outcome_of, score_as_published
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata, data_hash, names, now, stored, versions

TOOLS = {"vlmevalkit": vlmevalkit.TOOL, "lmms-eval": lmms_eval.TOOL, "evalscope": evalscope.TOOL, "jsonl": response_lines.TOOL}
SKIPPED = "skipped.jsonl"
"""In the run folder: the unused rows and the items without a response, each with its reason."""
SECOND, MISSING = "second response to an item", "no response to the item"


@dataclass(slots=True)
class PredictionImportSummary:
    """The result of an import."""

    model: str
    read: int = 0
    """Rows of the result files."""
    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    """Of the imported responses."""
    unknown_ends: Counter[str] = field(default_factory=Counter[str])
    """Finish reasons that no table has, whose responses are truncated."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Unused rows by reason."""
    without_response: Counter[str] = field(default_factory=Counter[str])
    """Items without a response by task, for tasks with at least one response."""
    tasks_without_response: tuple[str, ...] = ()
    """Tasks of the data without any response. They are not in the run."""

    @property
    def n_used(self) -> int:
        return self.outcomes.total()


def import_predictions(
    name: str, path: Path, data: Path, out: Path, *, n: int | None = None, model: str | None = None, progress: Progress = lambda: None
) -> PredictionImportSummary:
    """Import the results of a tool in `path` on the items in `data` as the run `out`, a new or empty folder.

    `n`: the `--limit` of the export. `progress` is called for each row. Raises UserError without results, for results of several models,
    and if no response belongs to an item; then nothing is written.
    """
    tool = TOOLS[name]
    with atomic_folder(out) as folder:
        found_model, files = tool.of_one_model(path)
        manifest = Manifest.read(data)
        items = Items.of(load(data, manifest.parts, n, pictures=tool.by_pictures))
        summary = PredictionImportSummary(model or found_model)
        skipped = ReasonLog(folder / SKIPPED)
        used = _record_responses(tool, files, items, RunFolder(folder), skipped, summary, progress)
        if not used:
            why = "; ".join(f"{count} rows: {reason}" for reason, count in skipped.counts.most_common(2)) or "the files are empty"
            raise UserError(f"No response belongs to an item of {data} ({why}): {path}. Check --data and --limit.")
        summary.skipped = skipped.counts.copy()
        touched = {(items.by_id[id].task, items.by_id[id].split) for id in used}
        for item in items.by_id.values():
            if item.id not in used and (item.task, item.split) in touched:
                summary.without_response[item.task] += 1
                skipped.add(MISSING, {"id": item.id, "reason": MISSING})
        parts = [part for part in manifest.parts if (part.task, part.split) in touched]
        summary.tasks_without_response = tuple(part.task for part in manifest.parts if part not in parts and part.n)
        is_whole = n is None and not summary.without_response
        release, commitment = release_of(data, parts) if is_whole else ("", "")
        when = now()
        metadata = RunMetadata(
            model=summary.model,
            source_tool=tool.title,
            style=parts[0].style,
            options=GenerationConfig(),
            data=stored(data, out),
            data_hash=data_hash(data),
            parts=names(parts),
            n=n,
            started=when,
            finished=when,
            versions=versions(),
            release=release,
            commitment=commitment,
        )
        RunFolder(folder).write(metadata)
    return summary


def _record_responses(
    tool: Tool,
    files: Sequence[Path],
    items: Items,
    run: RunFolder,
    skipped: ReasonLog,
    summary: PredictionImportSummary,
    progress: Progress,
) -> set[str]:
    """Write the records of all responses that belong to items; returns the ids of these items."""
    used: set[str] = set()
    with closing(RecordWriter(run.records)) as records:
        for file, number, prediction in _predictions(tool, files):
            progress()
            summary.read += 1
            try:
                if isinstance(prediction, Unusable):
                    raise prediction
                item = items.find(prediction, used)
                if item.id in used:
                    raise Unusable(SECOND)
            except Unusable as fault:
                id = "" if isinstance(prediction, Unusable) else prediction.id
                skipped.add(fault.reason, {"file": file.name, "row": number, "id": id, "reason": fault.reason})
                continue
            used.add(item.id)
            record = _record(item, prediction)
            summary.outcomes[record.outcome] += 1
            if end_of(record.finish_reason) == "unknown":
                summary.unknown_ends[record.finish_reason] += 1
            records.append(record)
    return used


def _predictions(tool: Tool, files: Sequence[Path]) -> Iterator[tuple[Path, int, Prediction | Unusable]]:
    for file in files:
        for number, row in tool.rows(file):
            for prediction in [row] if isinstance(row, Unusable) else tool.read(file, row):
                yield file, number, prediction


def _record(item: Known, prediction: Prediction) -> AttemptRecord:
    outcome, value, parsed = outcome_of(prediction.reply, item.key)
    return AttemptRecord(
        item_id=item.id,
        prompt_hash=hashed(prediction.words.encode(errors="replace")),
        image_hashes=[],  # the tool may have changed the images
        attempt=1,
        response=prediction.reply.text,
        reasoning=prediction.reply.reasoning,
        outcome=outcome,
        credit=value,
        parsed_answer=parsed,
        finish_reason=prediction.reply.finish_reason,
        error=prediction.reply.error,
        published_credit=score_as_published(item.task, prediction.reply, item.key),
    )
