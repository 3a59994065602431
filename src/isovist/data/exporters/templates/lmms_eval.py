"""Prompts and scorer of Isovist items for lmms-eval; responses are parsed by Isovist.

lmms-eval calls these functions by the names in the YAML files of this folder. The package `isovist` must be installed.
"""

from __future__ import annotations

import json
from typing import Any

from isovist.core.answers import from_json
from isovist.data.dataset.pictures import as_shown
from isovist.data.exporters.file_writers import pieces
from isovist.data.prompts import unplaced


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """Return the images of an item in order."""
    return [as_shown(picture) for picture in doc["images"]]


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> str:
    """Return the prompt as text only, for models to which lmms-eval presents all images first."""
    del lmms_eval_specific_kwargs
    return unplaced(doc["prompt"])


def doc_to_messages(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return one message with every image at its position in the text."""
    del lmms_eval_specific_kwargs
    shown = iter(doc_to_visual(doc))
    content = [
        {"type": "image", "url": next(shown)} if piece is None else {"type": "text", "text": piece} for piece in pieces(doc["prompt"])
    ]
    return [{"role": "user", "content": content}]


def process_results(doc: dict[str, Any], results: list[Any]) -> dict[str, Any]:
    """Return credit and outcome of a response, with the item id, which identifies the sample on import."""
    score = from_json(json.loads(doc["key"])).score(str(results[0]))
    score_row = {"id": doc["id"], "credit": score.credit, "outcome": score.outcome, "parsed_answer": score.parsed_answer}
    return {"isovist_credit": score_row, "isovist_unparsed": float(score.parsed_answer is None)}


def mean_credit(results: list[dict[str, Any]]) -> float:
    """Return the mean credit of items."""
    return sum(score_row["credit"] for score_row in results) / len(results) if results else 0.0
