"""Inspect AI's mock model, offline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspect_ai.model import Model, ModelOutput, ModelUsage


def without_token_count(model: Model) -> None:
    """State the usage of the outputs of `mockllm/model` as unknown: Inspect AI would download a table to count their tokens."""
    api: Any = model.api
    if str(model).startswith("mockllm/") and not callable(api.outputs):
        api.outputs = _with_usage(api.outputs)


def _with_usage(outputs: Iterator[ModelOutput]) -> Iterator[ModelOutput]:
    for output in outputs:
        if output.usage is None:
            output.usage = ModelUsage()
        yield output
