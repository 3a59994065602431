"""Credit and format of responses during training, equal to those of the evaluation, for the response types of all trainers.

The parser extracts the answer without the key, so a response has the credit of its one final answer or none. A policy cannot gain
reward by hedging between answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.answers import KINDS, Answer, from_json, read_key
from isovist.core.answers.extraction.normalize import normalize_response
from isovist.data.prompts import DEFAULT_STYLE, PUBLISHED, STYLES

_TYPES = tuple(KINDS.values())

_LAST = re.compile(r"Answer:\s*(\S.*)")
_ANNOUNCED = re.compile(
    r"^\W*(?:(?:so|therefore|thus|hence),?\s+)?(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)*answers?\s*(?:[:=]|(?:is|are)\b)"
    r"|\bboxed\s*\{|</?answer>",
    re.IGNORECASE | re.MULTILINE,
)
"""Another announcement of an answer."""

_CHUNK = 500
"""Responses that a process scores at a time: enough that their transfer takes little of the time."""


def words(reply: object) -> str:
    """The text of a response: a string, bytes, a message, or the last message of a conversation if it is the model's.

    Empty for anything else; never raises.
    """
    if isinstance(reply, (list, tuple)):
        messages = cast("Sequence[object]", reply)
        reply = messages[-1] if messages else ""
    if isinstance(reply, Mapping):
        message = cast("Mapping[str, object]", reply)
        reply = message.get("content") if message.get("role", "assistant") == "assistant" else ""
        if isinstance(reply, (list, tuple)):  # parts of a message
            return "\n".join(map(_part, cast("Sequence[object]", reply)))
    return _text(reply)


def _part(part: object) -> str:
    """The text of a string or of a part of a message; "" for reasoning."""
    if not isinstance(part, Mapping):
        return _text(part)
    named = cast("Mapping[str, object]", part)
    is_thought = named.get("thought") is True or any(mark in _text(named.get("type")) for mark in ("reasoning", "thinking"))
    return "" if is_thought else _text(named.get("text"))


def _text(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def key_of(ground_truth: object) -> Answer | None:
    """The typed key in a ground-truth column, from its JSON text or object; None for an empty value.

    Raises UserError for any other value.
    """
    if isinstance(ground_truth, _TYPES):
        return ground_truth
    if ground_truth is None or ground_truth == "":
        return None
    try:
        if isinstance(ground_truth, str):
            return _read(ground_truth)
        if isinstance(ground_truth, Mapping):
            row = cast("Mapping[str, Any]", ground_truth)  # a table with several types of keys adds null columns
            return from_json({name: value for name, value in row.items() if value is not None})
    except ValueError as error:
        raise UserError(f"ground_truth: {ground_truth!r:.80} is not a key ({error}). {_WANTED}.") from None
    raise UserError(f"ground_truth: a value of type {type(ground_truth).__name__} is not a key. {_WANTED}.")


_WANTED = "Give the JSON text that `isovist export` writes"
_read = lru_cache(maxsize=1 << 14)(read_key)  # each key scores a group of responses


def reward_credit(reply: object, ground_truth: object, *, truncated: bool = False) -> float | None:
    """The credit of a response in [0, 1], as in the evaluation; None without a key. A truncated response earns 0.

    Raises UserError for an invalid key, never for a response.
    """
    key = key_of(ground_truth)
    if key is None:
        return None
    return 0.0 if truncated else key.score(words(reply)).credit


def has_valid_format(text: str, key: Answer, style: str = DEFAULT_STYLE) -> bool:
    """Whether a response has the format of its prompt style: only its last line has "Answer:" and one value; in the style "direct"
    the whole response is one value, in the style "published" it has one readable answer.

    Text marked as thinking is ignored. Raises UserError for an unknown style.
    """
    if style not in STYLES:
        raise UserError(f"style {style!r}: there are {', '.join(STYLES)}.")
    visible = normalize_response(text)
    if style == PUBLISHED:
        return key.score(text).parsed_answer is not None
    if style == "direct":
        return key.format_response(visible) and not _ANNOUNCED.search(visible)
    before, _, last = visible.rpartition("\n")
    match = _LAST.fullmatch(last)
    if match is None or not key.format_response(match[1]) or any(_ANNOUNCED.search(part) for part in (before, match[1])):
        return False
    return key.score(text).parsed_answer is not None


def reward_credits(replies: Sequence[object], ground_truths: Sequence[object], *, workers: int = 1) -> list[float | None]:
    """The credit of each response, as `reward_credit` gives it, in the order of the responses.

    With `workers` above 1, batches of more than 500 responses are scored in that many processes, which are started once and kept: the
    first such call takes about a second longer. A script that uses them needs `if __name__ == "__main__":`. Raises UserError for invalid
    keys.
    """
    if len(replies) != len(ground_truths):
        raise UserError(f"ground_truths: {len(ground_truths)} values for {len(replies)} responses. Give one value for each response.")
    starts = range(0, len(replies), _CHUNK)
    chunks = (([words(reply) for reply in replies[at : at + _CHUNK]], list(ground_truths[at : at + _CHUNK])) for at in starts)
    if workers <= 1 or len(starts) <= 1:
        return [credit for chunk in chunks for credit in _credits(chunk)]
    return [credit for credits_of_chunk in _processes(workers).map(_credits, chunks) for credit in credits_of_chunk]


def _credits(chunk: tuple[list[str], list[object]]) -> list[float | None]:
    return [reward_credit(reply, key) for reply, key in zip(*chunk, strict=True)]


@lru_cache(maxsize=1)
def _processes(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))  # a fork would copy the threads of a trainer
