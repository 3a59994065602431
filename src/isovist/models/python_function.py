"""A model that is a Python function, or an object with a method `generate`, of this process."""

from __future__ import annotations

import asyncio
import inspect
import io
import time
from collections.abc import Callable
from typing import Any, Final, cast

from PIL import Image

from isovist.errors import UserError
from isovist.models.base import LONGEST, ModelRequest, ModelResponse

Function = Callable[[list[Image.Image], str], Any]
"""Takes the images of an item in order, and the prompt with one `<image>` for each. Returns the response, or a coroutine that does."""
PREFIX: Final = "python/"


class FunctionModel:
    """A Python function as a model. A synchronous one runs in threads, as many as there are concurrent requests."""

    longest = LONGEST

    def __init__(self, name: str, function: Function) -> None:
        self.name = name
        self._function = function

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The response. An exception of the function is a request error with its text, so that the run continues."""
        start = time.perf_counter()
        try:
            images = [_decoded(image) for image in request.images]
            if inspect.iscoroutinefunction(self._function):
                text = await self._function(images, request.prompt)
            else:
                text = await asyncio.to_thread(self._function, images, request.prompt)
                text = await text if inspect.isawaitable(text) else text
        except Exception as error:  # noqa: BLE001 - any exception of a user's function
            return ModelResponse(error=f"{type(error).__name__}: {error}", served_by=self.name)
        if not isinstance(text, str):
            return ModelResponse(error=f"TypeError: the function returned {type(text).__name__}, expected str", served_by=self.name)
        return ModelResponse(text, latency_s=time.perf_counter() - start, served_by=self.name)

    async def close(self) -> None:
        """No resources to release."""


def _decoded(image: bytes) -> Image.Image:
    with Image.open(io.BytesIO(image)) as picture:
        return picture.convert("RGB")


def function_model(model: object, name: str = "") -> FunctionModel:
    """A callable, or an object with a method `generate`, as a model.

    Args:
        model: `f(images, prompt)` or an object with `generate(images, prompt)`, synchronous or not.
        name: The name in run folders and reports; the default is that of the function or of the class.

    Raises:
        UserError: It is neither.
    """
    function = cast("Function", getattr(model, "generate", model))
    if not callable(function):
        raise UserError(f"Not a model: {model!r}. Give a name, a function f(images, prompt), or an object with generate(images, prompt).")
    default = getattr(model, "__name__", "") or type(model).__name__
    return FunctionModel(name or PREFIX + default.strip("<>"), function)
