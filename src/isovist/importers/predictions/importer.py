"""From the result files of another tool to a run folder: every reply is scored by our parser, and what is left out is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from isovist.core.answers import Outcome
from isovist.dataset.load import load
from isovist.dataset.manifest import Manifest
from isovist.errors import UserError
from isovist.importers.importer import aside, check_new
from isovist.importers.predictions import evalscope, lmms_eval, vlmevalkit
from isovist.importers.predictions.item_matching import Items, Known
from isovist.importers.predictions.prediction import Prediction, Tool, Unread
from isovist.models.base import GenerationConfig
from isovist.run.records import AttemptRecord, RecordWriter, hashed, outcome_of, score_as_published
from isovist.run.run_folder import RunFolder, RunMetadata, data_hash, names, now, stored, versions

TOOLS = {tool.name: tool for tool in (vlmevalkit.TOOL, lmms_eval.TOOL, evalscope.TOOL)}
LEFT_OUT = "left-out.jsonl"
"""In the run's folder: the rows that were not used, and the items without a reply."""
SECOND, MISSING = "a second reply to an item", "no reply to the item"

Progress = Callable[[], object]


@dataclass(slots=True)
class PredictionImportSummary:
    """What came of it."""

    model: str
    read: int = 0
    """Rows of the result files."""
    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    """Of the replies that were used."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Rows that were not used, by the reason."""
    missing: Counter[str] = field(default_factory=Counter[str])
    """Items without a reply, by task: of the tasks that have some."""
    untouched: tuple[str, ...] = ()
    """Tasks of the data without any reply, which are no part of the run."""

    @property
    def used(self) -> int:
        return self.outcomes.total()


def import_predictions(
    name: str, path: Path, data: Path, out: Path, *, n: int | None = None, model: str | None = None, progress: Progress = lambda: None
) -> PredictionImportSummary:
    """Reads the results of a tool in `path` about the items in `data`, and writes the run `out`, which must be new or empty.

    `n` is that of the export, if it had one. `progress` is told of each row. Raises UserError if there are no results, if they are of
    several models, or if none belongs to an item; then nothing has been written.
    """
    tool = TOOLS[name]
    check_new(out)
    results = tool.results(path)
    manifest = Manifest.read(data)
    items = Items.of(load(data, manifest.parts, n, pictures=tool.by_pictures))
    summary = PredictionImportSummary(model or results.model)
    with aside(out) as folder:
        run = RunFolder(folder)
        seen: set[str] = set()
        log = RecordWriter(run.records)
        try:
            with (folder / LEFT_OUT).open("w", encoding="utf-8") as left:

                def leave(prediction: Prediction | Unread, why: str) -> None:
                    summary.left_out[why] += 1
                    id = prediction.id if isinstance(prediction, Prediction) else ""
                    left.write(json.dumps({"file": prediction.file, "row": prediction.number, "id": id, "why": why}) + "\n")

                for answer_row in results.predictions():
                    progress()
                    summary.read += 1
                    if isinstance(answer_row, Unread):
                        leave(answer_row, answer_row.why)
                        continue
                    item = items.find(answer_row, seen)
                    if isinstance(item, str):
                        leave(answer_row, item)
                    elif item.id in seen:
                        leave(answer_row, SECOND)
                    else:
                        seen.add(item.id)
                        record = _record(item, answer_row)
                        summary.outcomes[record.outcome] += 1
                        log.append(record)
                touched = {(known.task, known.split) for known in items.by_id.values() if known.id in seen}
                for known in items.by_id.values():
                    if known.id not in seen and (known.task, known.split) in touched:
                        summary.missing[known.task] += 1
                        left.write(json.dumps({"id": known.id, "why": MISSING}) + "\n")
        finally:
            log.close()
        if not seen:
            why = "; ".join(f"{count} times: {reason}" for reason, count in summary.left_out.most_common(2)) or "they are empty"
            raise UserError(f"{path}: no reply belongs to an item of {data} ({why}).")
        if not summary.left_out and not summary.missing:
            (folder / LEFT_OUT).unlink()
        parts = [part for part in manifest.parts if (part.task, part.split) in touched]
        summary.untouched = tuple(part.task for part in manifest.parts if part not in parts and part.n)
        run.write(_info(tool, summary.model, data, out, names(parts), parts[0].style, n))
    return summary


def _info(tool: Tool, model: str, data: Path, out: Path, parts: tuple[tuple[str, str], ...], style: str, n: int | None) -> RunMetadata:
    when = now()
    return RunMetadata(
        model=model,
        source_tool=tool.title,
        style=style,
        options=GenerationConfig(),
        data=stored(data, out),
        data_hash=data_hash(data),
        parts=parts,
        n=n,
        started=when,
        finished=when,
        versions=versions(),
    )


def _record(item: Known, prediction: Prediction) -> AttemptRecord:
    outcome, value, parsed = outcome_of(prediction.reply, item.key)
    return AttemptRecord(
        item_id=item.id,
        prompt_hash=hashed(prediction.words.encode(errors="replace")),
        image_hashes=[],  # the tool may have changed the pictures
        attempt=1,
        reply=prediction.reply.text,
        reasoning=prediction.reply.reasoning,
        outcome=outcome,
        value=value,
        parsed=parsed,
        finish_reason=prediction.reply.finish_reason,
        error=prediction.reply.error,
        published=score_as_published(item.task, prediction.reply, item.key),
    )
