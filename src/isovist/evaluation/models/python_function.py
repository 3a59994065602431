"""A model that is a Python function, or an object with a method `generate`, of this process."""

from __future__ import annotations

import asyncio
import inspect
import io
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, cast

from PIL import Image

from isovist.common.errors import UserError
from isovist.data.dataset.pictures import as_shown
from isovist.evaluation.models.base import LONGEST, ModelRequest, ModelResponse
from isovist.evaluation.models.local.batches import Batches, BatchResult, Stop, one_line

Function = Callable[..., Any]
"""`f(images, prompt)`, or `f(requests)` if batched. Returns the response or the responses, or a coroutine that does."""
PREFIX: Final = "python/"


@dataclass(frozen=True)
class Request:
    """One prompt of a batch, as a batched function receives it."""

    prompt: str
    """The text, with one `<image>` for each image."""
    _images: tuple[bytes, ...]

    @cached_property
    def images(self) -> list[Image.Image]:
        """The images in order, as PIL images, RGB."""
        return [_decoded(image) for image in self._images]


class FunctionModel:
    """A Python function as a model. A synchronous one runs in threads, as many as there are concurrent requests."""

    longest = LONGEST

    def __init__(self, name: str, function: Function, concurrency: int, *, is_batched: bool = False) -> None:
        self.name = name
        self._function = function
        self._threads = ThreadPoolExecutor(concurrency, "isovist-function")
        self._batches = Batches(BatchResult(self._batch, lambda: None), concurrency) if is_batched else None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The response. An exception of the function is a request error with its text, so that the run continues."""
        start = time.perf_counter()
        self._loop = asyncio.get_running_loop()
        if self._batches:
            response = await self._batches.reply(request)
        else:
            response = await self._single(request)
        return replace(response, latency_s=0.0 if response.error else time.perf_counter() - start, served_by=self.name)

    async def _single(self, request: ModelRequest) -> ModelResponse:
        try:
            images = [_decoded(image) for image in request.images]
            if inspect.iscoroutinefunction(self._function):
                text = await self._function(images, request.prompt)
            else:
                text = await asyncio.get_running_loop().run_in_executor(self._threads, self._function, images, request.prompt)
                text = await text if inspect.isawaitable(text) else text
        except Exception as error:  # noqa: BLE001 - any exception of a user's function
            return ModelResponse(error=one_line(error))
        return _response(text)

    def _batch(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]:
        """The responses of a batch, in a thread. Raises what the function raises."""
        if stop.is_set() or self._loop is None:
            return [ModelResponse(error="interrupted")] * len(requests)
        texts = self._function([Request(request.prompt, request.images) for request in requests])
        if inspect.iscoroutine(texts):
            texts = asyncio.run_coroutine_threadsafe(texts, self._loop).result()
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            return [_wrong_type(texts, "a list of str")] * len(requests)
        replies = cast("Sequence[object]", texts)
        if len(replies) != len(requests):
            message = f"ValueError: the function returned {len(replies)} responses to {len(requests)} requests"
            return [ModelResponse(error=message)] * len(requests)
        return list(map(_response, replies))

    async def close(self) -> None:
        """Drop calls that have not started. A call that has started runs to its end in its thread, and its response is not used."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._batches:
            self._batches.close()


def _response(text: object) -> ModelResponse:
    return ModelResponse(text) if isinstance(text, str) else _wrong_type(text, "str")


def _wrong_type(returned: object, expected: str) -> ModelResponse:
    return ModelResponse(error=f"TypeError: the function returned {type(returned).__name__}, expected {expected}")


def _decoded(image: bytes) -> Image.Image:
    with Image.open(io.BytesIO(image)) as picture:
        return as_shown(picture)


def function_model(model: object, name: str = "", concurrency: int = 1, *, is_batched: bool = False) -> FunctionModel:
    """A callable, or an object with a method `generate`, as a model.

    Args:
        model: `f(images, prompt)` or an object with `generate(images, prompt)`, synchronous or not.
        name: The name in run folders and reports; the default is that of the function or of the class.
        concurrency: Threads of a synchronous function, or the largest batch.
        is_batched: The function takes a list of `Request` and returns a list of responses.

    Raises:
        UserError: It is neither.
    """
    function = cast("Function", getattr(model, "generate", model))
    if not callable(function):
        raise UserError(f"Not a model: {model!r}. Give a name, a function f(images, prompt), or an object with generate(images, prompt).")
    default = getattr(model, "__name__", "") or type(model).__name__
    return FunctionModel(name or PREFIX + default.strip("<>"), function, concurrency, is_batched=is_batched)
