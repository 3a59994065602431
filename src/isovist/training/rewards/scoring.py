"""The credit of a response during training, equal to that of the evaluation, for the response types of all trainers.

The parser extracts the answer without the key, so a response has the credit of its one final answer or none. A policy cannot gain
reward by hedging between answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.answers import KINDS, Answer, from_json, read_key

_TYPES = tuple(KINDS.values())


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
        if isinstance(reply, (list, tuple)):  # parts of a message; only text parts have text
            return "\n".join(map(_part, cast("Sequence[object]", reply)))
    return _text(reply)


def _part(part: object) -> str:
    return _text(cast("Mapping[str, object]", part).get("text") if isinstance(part, Mapping) else part)


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
            return from_json(_without_nulls(cast("Mapping[str, Any]", ground_truth)))
    except ValueError as error:
        raise UserError(f"ground_truth: {ground_truth!r:.80} is not a key ({error}). {_WANTED}.") from None
    raise UserError(f"ground_truth: a value of type {type(ground_truth).__name__} is not a key. {_WANTED}.")


_WANTED = "Give the JSON text that `isovist export` writes"
_read = lru_cache(maxsize=1 << 14)(read_key)  # each key scores a group of responses


def _without_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    """The object without null columns, which a table with several types of keys adds."""
    return {name: value for name, value in row.items() if value is not None}


def reward_credit(reply: object, ground_truth: object, *, truncated: bool = False) -> float | None:
    """The credit of a response in [0, 1], as in the evaluation; None without a key. A truncated response earns 0.

    Raises UserError for an invalid key, never for a response.
    """
    key = key_of(ground_truth)
    if key is None:
        return None
    return 0.0 if truncated else key.score(words(reply)).credit
