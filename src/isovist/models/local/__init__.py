"""Weights on disk or of the Hugging Face hub, asked in this process: `hf/PATH`. Everything heavy is imported on use."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Protocol

from isovist.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.models.local.batches import Batches, BatchResult, Stop
from isovist.models.local.settings import PREFIX, Settings, settings


class Engine(Protocol):
    """What answers one batch; `stop` is set when nobody waits for the replies any more."""

    served_by: str
    longest: int
    """Tokens of a reply at most."""

    def replies(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]: ...

    def free(self) -> None:
        """Gives back what memory an interrupted batch still holds."""
        ...


class Local:
    """A model in this process. Concurrent requests are answered together, in batches. It is never given an answer."""

    def __init__(self, name: str, engine: Engine, options: GenerationConfig) -> None:
        self.name = name
        self.longest = engine.longest
        self._served_by = engine.served_by
        self._batches = Batches(BatchResult(engine.replies, engine.free), options.concurrency)

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's reply; what goes wrong with a request comes back as `error`, and its neighbours are answered."""
        start = time.perf_counter()
        reply = await self._batches.reply(request)
        return replace(reply, latency_s=time.perf_counter() - start, served_by=self._served_by)

    async def close(self) -> None:
        """Ends what is under way and lets go of the model; nothing can be asked after this."""
        self._batches.close()


def local(name: str, options: GenerationConfig) -> Local:
    """The model whose weights `name` tells of. Raises UserError, in one line, for everything that keeps it from loading."""
    from isovist.models.local.generation import Generation
    from isovist.models.local.weights import load

    return Local(name, Generation(load(settings(name)), options), options)


__all__ = ["PREFIX", "Local", "Settings", "local", "settings"]
