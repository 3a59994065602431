"""Results of lmms-eval: the files of `--log_samples`, TIME_samples_isovist_TASK.jsonl.

The exported scorer stores the item id in each row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from isovist.data.importers.benchmark_format import Unusable
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.predictions.prediction import Prediction, Row, Tool, by_model, text_of

_NAME = re.compile(r"(.*)_?samples_isovist_.+\.jsonl")


def _files(path: Path) -> dict[str, list[Path]]:
    return by_model(path, "*samples_isovist_*.jsonl", lambda file: _model(file) if _NAME.fullmatch(file.name) else None)


def _model(file: Path) -> str:
    """Return the model name from the results file beside the samples, else the folder name."""
    for beside in sorted(file.parent.glob("*results.json"), reverse=True):
        try:
            data: dict[str, Any] = json.loads(beside.read_bytes())
        except (ValueError, OSError):
            continue
        if name := data.get("model_name") or data.get("model_source"):
            return str(name)
    return file.parent.name


def _read(file: Path, sample: Row) -> Iterator[Prediction | Unusable]:
    del file
    judged = sample.get("isovist_credit")
    id = cast("dict[str, object]", judged).get("id") if isinstance(judged, dict) else None
    # `resps` exists if it differs: `filtered_resps` may lack the text in <think>
    replies = sample.get("resps", sample.get("filtered_resps"))
    words = sample.get("input")
    if not isinstance(id, str):
        yield Unusable("a sample without an item id (not of a task from `isovist export`)")
        return
    for reply in cast("list[object]", replies) if isinstance(replies, list) else [replies]:
        text = text_of(reply)
        if text is None:
            yield Unusable("a sample without a response")
        else:
            yield Prediction(ModelResponse(text), id, words=words if isinstance(words, str) else "")


TOOL = Tool("lmms-eval", "*_samples_isovist_*.jsonl, written with --log_samples", _files, _read)
