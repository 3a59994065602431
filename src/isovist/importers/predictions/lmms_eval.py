"""lmms-eval: the samples that `--log_samples` writes, TIME_samples_isovist_TASK.jsonl; our scorer has put the item's id into each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from isovist.importers.predictions.prediction import Prediction, Results, Tool, Unread, below, files_of, lines, one_model, text_of
from isovist.models.base import ModelResponse

_NAME = re.compile(r"(.*)_?samples_isovist_.+\.jsonl")


def results(path: Path) -> Results:
    """Raises UserError if there are none."""
    models = files_of(below(path, "*samples_isovist_*.jsonl"), lambda file: _model(file) if _NAME.fullmatch(file.name) else None)
    model, files = one_model(path, models, "lmms-eval", "*_samples_isovist_*.jsonl, written with --log_samples")
    return Results(model, files, lambda: (one for file in files for one in _read(file)))


TOOL = Tool("lmms-eval", "lmms-eval", by_pictures=False, results=results)


def _model(file: Path) -> str:
    """The model, from the results that stand beside the samples; else the folder's name."""
    for beside in sorted(file.parent.glob("*results.json"), reverse=True):
        try:
            data: dict[str, Any] = json.loads(beside.read_bytes())
        except (ValueError, OSError):
            continue
        if name := data.get("model_name") or data.get("model_source"):
            return str(name)
    return file.parent.name


def _read(file: Path) -> Iterator[Prediction | Unread]:
    for number, sample in lines(file):
        if isinstance(sample, Unread):
            yield sample
            continue
        judged = sample.get("isovist_credit")
        id = cast("dict[str, object]", judged).get("id") if isinstance(judged, dict) else None
        # `resps` is there where it differs: `filtered_resps` may have lost what stood in <think>
        replies = sample.get("resps", sample.get("filtered_resps"))
        words = sample.get("input")
        if not isinstance(id, str):
            yield Unread(file.name, number, "a sample without an item's id: not of a task that `isovist export` wrote")
            continue
        several = cast("list[object]", replies) if isinstance(replies, list) else [replies]
        for one in several:
            text = text_of(one)
            if text is None:
                yield Unread(file.name, number, "a sample without a reply")
            else:
                yield Prediction(file.name, number, ModelResponse(text), id, words=words if isinstance(words, str) else "")
