"""Local models: weights on disk or of the Hugging Face hub, as `hf/PATH`. Heavy imports are lazy."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Protocol

from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.local.batches import Batches, BatchResult, Stop
from isovist.evaluation.models.local.settings import PREFIX, Settings, settings

OPTIONS = frozenset({"system_prompt", "top_p", "seed", "stop_seqs"})
"""The request options that local models accept."""


class Engine(Protocol):
    """Generates the responses of one batch; `stop` is set when they are no longer needed."""

    served_by: str
    longest: int
    """Token limit of a response."""

    def replies(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]: ...

    def free(self) -> None:
        """Release the memory of an interrupted batch."""
        ...


class Local:
    """A local model. Concurrent requests are batched. It never receives an answer key."""

    def __init__(self, name: str, engine: Engine, options: GenerationConfig) -> None:
        self.name = name
        self.longest = engine.longest
        self._served_by = engine.served_by
        self._batches = Batches(BatchResult(engine.replies, engine.free), options.concurrency)

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's response; an error affects its own request only."""
        start = time.perf_counter()
        reply = await self._batches.reply(request)
        return replace(reply, latency_s=time.perf_counter() - start, served_by=self._served_by)

    async def close(self) -> None:
        """Cancel open requests and release the model."""
        self._batches.close()


def local(name: str, options: GenerationConfig) -> Local:
    """The model of that name. Raises UserError if it cannot be loaded."""
    from isovist.evaluation.models.local.generation import Generation
    from isovist.evaluation.models.local.weights import load

    return Local(name, Generation(load(settings(name), options.system_prompt), options), options)


__all__ = ["OPTIONS", "PREFIX", "Local", "Settings", "local", "settings"]
