"""Results of evalscope: predictions/MODEL/general_vmcq_SUBSET.jsonl and reviews. Items are identified by the sent images and text."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from isovist.data.importers.benchmark_format import Unusable
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.models.finish_reasons import finish_reason
from isovist.evaluation.predictions.item_matching import digest
from isovist.evaluation.predictions.prediction import Prediction, Row, Tool, by_model, text_of

_NAME = re.compile(r"general_v(?:mcq|qa)_.+\.jsonl")
_DATA = re.compile(r"data:image/[\w.+-]+;base64,")


def _files(path: Path) -> dict[str, list[Path]]:
    """Return the prediction files by model; review files, which repeat them, only if there are no predictions."""
    both = by_model(path, "general_v*.jsonl", lambda file: file.parent.name if _NAME.fullmatch(file.name) else None)
    predictions: dict[str, list[Path]] = defaultdict(list)
    for model, files in both.items():
        for file in files:
            if "predictions" in file.parts[-3:-1]:
                predictions[model].append(file)
    return predictions or both


def _read(file: Path, row: Row) -> Iterator[Prediction | Unusable]:
    del file
    try:
        pictures, words = _sent(row)
        yield Prediction(_reply(row), pictures=pictures, words=words)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        yield Unusable("a line without messages and a response")


TOOL = Tool("evalscope", "predictions/MODEL/general_v*.jsonl", _files, _read, by_pictures=True)


def _reply(row: Row) -> ModelResponse:
    output = row.get("model_output")
    if output is None:  # a review file
        text = row["sample_score"]["score"]["prediction"]
        return ModelResponse(text if isinstance(text, str) else "")
    error = output.get("error")
    if error or not output.get("choices"):
        return ModelResponse(error=str(error or "no reply")[:200])
    choice = output["choices"][0]
    content = choice["message"]["content"]
    text = "" if content == [] else text_of(content)
    if text is None:
        raise ValueError(content)
    return ModelResponse(text, _reasoning(content), finish_reason(choice.get("stop_reason")))


def _reasoning(content: object) -> str:
    parts = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    return "\n".join(str(part["reasoning"]) for part in parts if part.get("type") == "reasoning" and "reasoning" in part)


def _sent(row: Row) -> tuple[tuple[str, ...], str]:
    """Return digests of the sent images, and the sent text."""
    pictures: list[str] = []
    words: list[str] = []
    for message in row["messages"]:
        if message["role"] != "user":
            continue
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "image":
                mark = _DATA.match(part["image"])
                pictures.append(_digest(part["image"][mark.end() :]) if mark else "")
            elif part["type"] == "text":
                words.append(part["text"])
    return tuple(pictures), "\n".join(words)


def _digest(text: str) -> str:
    try:
        return digest(base64.b64decode(text, validate=True))
    except binascii.Error:
        return ""
