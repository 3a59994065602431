"""Responses as JSON Lines, for tools without a format of their own: one object for each response, with `id` and `response`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from isovist.data.importers.benchmark_format import Unusable
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.models.finish_reasons import finish_reason
from isovist.evaluation.predictions.prediction import Prediction, Row, Tool, by_model


def _files(path: Path) -> dict[str, list[Path]]:
    """Return the files by model, which is the name of their folder."""
    return by_model(path, "*.jsonl", lambda file: file.resolve().parent.name)


def _read(file: Path, row: Row) -> Iterator[Prediction | Unusable]:
    del file
    id, response, error = row.get("id"), row.get("response"), row.get("error") or ""
    if not isinstance(id, str) or not id:
        yield Unusable("a line without an id")
    elif error:
        yield Prediction(ModelResponse(error=str(error)[:200]), id)
    elif not isinstance(response, str):
        yield Unusable("a line without a response")
    else:
        reasoning = row.get("reasoning") or ""
        yield Prediction(ModelResponse(response, str(reasoning), finish_reason(row.get("finish_reason", row.get("stop_reason")))), id)


TOOL = Tool("JSON Lines", "*.jsonl with id and response", _files, _read)
