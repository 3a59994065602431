"""The default token limit of a response: that of the server or of Inspect AI's table of models, else 32,768 tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from isovist.evaluation.models.base import LONGEST
from isovist.evaluation.models.connections import endpoint_path, get

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_WAIT_S = 10.0
_OUTPUT = ("max_completion_tokens", "max_output_tokens", "output_tokens")
_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_INSIDE = ("top_provider", "limits", "meta")  # fields with limits on some servers
ModelList = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens, where known."""

    output: int | None = None
    """Limit of one response."""
    context: int | None = None
    """Limit of a prompt with its response."""

    @staticmethod
    def of(entry: dict[str, Any]) -> Limits:
        """The limits in an entry of a model list."""
        inside = [entry, *(cast("dict[str, Any]", entry[part]) for part in _INSIDE if isinstance(entry.get(part), dict))]
        output = next((count for part in inside for field in _OUTPUT if (count := _count(part.get(field)))), None)
        context = next((count for part in inside for field in _CONTEXT if (count := _count(part.get(field)))), None)
        return Limits(output, context)

    @property
    def longest(self) -> int:
        """The token limit of requests. If only the context is known, half of it is reserved for the prompt."""
        if self.output is not None:
            return self.output if self.context is None else max(1, min(self.output, self.context // 2))
        return LONGEST if self.context is None else max(1, min(LONGEST, self.context // 2))


def limits(model: inspect.Model, wait_s: float = _WAIT_S) -> Limits:
    """The limits of a model: from the model list of an OpenAI-compatible server, else from Inspect AI's table of models."""
    from inspect_ai.model import get_model_info

    api: Any = model.api
    url, called = getattr(api, "base_url", None), getattr(api, "service_model_name", None)
    listed = served(str(url), str(getattr(api, "api_key", None) or "none"), str(called()), wait_s) if url and called else Limits()
    if listed != Limits():
        return listed
    info = get_model_info(model)
    return Limits(_count(info.output_tokens), _count(info.context_length)) if info else Limits()


def served(url: str, key: str, name: str, wait_s: float = _WAIT_S) -> Limits:
    """The limits of a model in the model list of its server; empty if not listed."""
    return next((Limits.of(entry) for entry in model_list(url, key, wait_s) or () if entry.get("id") == name), Limits())


def model_list(url: str, key: str, wait_s: float = _WAIT_S) -> ModelList | None:
    """The model list of a server; None without one."""
    try:
        response: Any = json.loads(get(endpoint_path(url, "models"), key, min(_WAIT_S, wait_s)))
    except Exception:  # noqa: BLE001 - optional: many servers have no such list
        return None
    listed: Any = cast("dict[str, Any]", response).get("data") if isinstance(response, dict) else None
    if not isinstance(listed, list):
        return None
    return [cast("dict[str, Any]", entry) for entry in cast("list[Any]", listed) if isinstance(entry, dict)]


def _count(value: Any) -> int | None:
    return value if type(value) is int and 1 <= value <= 100_000_000 else None
