"""The built-in test model in NumPy: `embedded/tiny`, or other weights as `embedded/PATH.npz`."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.embedded.image_patches import opened
from isovist.evaluation.models.embedded.network import Network, read

PREFIX: Final = "embedded/"
_TINY: Final = Path(__file__).with_name("tiny.npz")
"""The included weights: 1.5 million parameters, trained by `experiments/cdr_finetuning/tiny.py`."""
_LONGEST: Final = 4096
"""Default token limit of a response: chains of thought have a few hundred tokens, and a repeating one never ends."""


class Embedded:
    """The built-in test model: one request at a time, in a separate thread. It never receives an answer key."""

    def __init__(self, name: str, network: Network, options: GenerationConfig) -> None:
        self.name = name
        self._network, self.longest = network, _LONGEST if options.max_tokens == AS_ALLOWED else options.max_tokens

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's response; an unreadable image is an `error`."""
        start = time.perf_counter()
        try:
            reply = await asyncio.to_thread(self._reply, request)
        except (OSError, ValueError) as fault:
            return ModelResponse(error=f"{type(fault).__name__}: {fault}", is_permanent_error=False, served_by=self.name)
        return ModelResponse(
            reply.text, finish_reason=reply.finish_reason, usage=reply.usage, latency_s=time.perf_counter() - start, served_by=self.name
        )

    def _reply(self, request: ModelRequest) -> ModelResponse:
        generated = self._network.reply(request.prompt, [opened(image) for image in request.images], self.longest)
        usage = {"input_tokens": generated.read, "output_tokens": generated.written, "total_tokens": generated.read + generated.written}
        return ModelResponse(generated.text, finish_reason="stop" if generated.ended else "max_tokens", usage=usage)

    async def close(self) -> None:
        """No resources to release."""


def embedded(name: str, options: GenerationConfig) -> Embedded:
    """The model of that name. Raises UserError for missing or invalid weights."""
    where = name.removeprefix(PREFIX)
    return Embedded(name, read(_TINY if where == "tiny" else Path(where)), options)
