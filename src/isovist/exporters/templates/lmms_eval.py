"""How lmms-eval asks the items of Isovist, and how it scores the replies: with Isovist's own parser.

lmms-eval calls these functions by the names in the YAML files beside this one. It needs the package `isovist`.
"""

from __future__ import annotations

import json
from typing import Any

from isovist.core.answers import from_json
from isovist.exporters.file_writers import pieces
from isovist.prompts import unplaced


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The pictures of an item, in order."""
    return [picture.convert("RGB") for picture in doc["images"]]


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> str:
    """The words alone, for models to which lmms-eval shows all pictures first."""
    del lmms_eval_specific_kwargs
    return unplaced(doc["prompt"])


def doc_to_messages(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """One message with every picture where the words place it."""
    del lmms_eval_specific_kwargs
    shown = iter(doc_to_visual(doc))
    content = [
        {"type": "image", "url": next(shown)} if piece is None else {"type": "text", "text": piece} for piece in pieces(doc["prompt"])
    ]
    return [{"role": "user", "content": content}]


def process_results(doc: dict[str, Any], results: list[Any]) -> dict[str, Any]:
    """Credit and outcome of a reply, with the item's id, by which the samples find their items again."""
    score = from_json(json.loads(doc["key"])).score(str(results[0]))
    score_row = {"id": doc["id"], "credit": score.credit, "outcome": score.outcome, "parsed_answer": score.parsed_answer}
    return {"isovist_credit": score_row, "isovist_unparsed": float(score.parsed_answer is None)}


def mean_credit(results: list[dict[str, Any]]) -> float:
    """The mean credit of some items."""
    return sum(score_row["credit"] for score_row in results) / len(results) if results else 0.0
