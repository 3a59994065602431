"""evalscope: predictions/MODEL/general_vmcq_SUBSET.jsonl and reviews of the same names. An item is found by the pictures and words that were sent."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from isovist.importers.predictions.item_matching import digest
from isovist.importers.predictions.prediction import Prediction, Results, Tool, Unread, below, files_of, lines, one_model, text_of
from isovist.models.base import ModelResponse

_NAME = re.compile(r"general_v(?:mcq|qa)_.+\.jsonl")
_DATA = re.compile(r"data:image/[\w.+-]+;base64,")
_FINISH = {"max_tokens": "max_tokens", "model_length": "model_length", "content_filter": "content_filter"}


def results(path: Path) -> Results:
    """Raises UserError if there are none."""
    general_files = [file for file in below(path, "general_v*.jsonl") if _NAME.fullmatch(file.name)]
    first = [file for file in general_files if "predictions" in file.parts[-3:-1]] or general_files  # reviews tell the same once more
    model, files = one_model(path, files_of(first, lambda file: file.parent.name), "evalscope", "predictions/MODEL/general_v*.jsonl")
    return Results(model, files, lambda: (one for file in files for one in _read(file)))


TOOL = Tool("evalscope", "evalscope", by_pictures=True, results=results)


def _read(file: Path) -> Iterator[Prediction | Unread]:
    for number, row in lines(file):
        if isinstance(row, Unread):
            yield row
            continue
        try:
            reply, (pictures, words) = _reply(row), _sent(row)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            yield Unread(file.name, number, "a line without messages and a reply")
            continue
        yield Prediction(file.name, number, reply, pictures=pictures, words=words)


def _reply(row: dict[str, Any]) -> ModelResponse:
    output = row.get("model_output")
    if output is None:  # a review
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
    return ModelResponse(text, _reasoning(content), _FINISH.get(choice.get("stop_reason"), "stop"))


def _reasoning(content: object) -> str:
    parts = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    return "\n".join(str(part["reasoning"]) for part in parts if part.get("type") == "reasoning" and "reasoning" in part)


def _sent(row: dict[str, Any]) -> tuple[tuple[str, ...], str]:
    """Digests of the pictures that were sent, and the words."""
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
