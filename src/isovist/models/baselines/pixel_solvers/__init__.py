"""The observer's eyes: one module or package a suite, which answers its questions from pixels and words, never from a scene.

Each of its modules has `EYES`: words that stand in the questions it knows, and what answers them from pictures and prompt.
"""

from __future__ import annotations

import io
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.errors import UserError
from isovist.models.base import ModelRequest

Pixels = NDArray[np.uint8]
PixelSolver = Callable[[list[Pixels], str], str | None]
"""From pictures and prompt to what stands behind "Answer:"; None if nothing can be told."""


def solve_from_pixels(request: ModelRequest) -> str:
    """What the eyes of the item's suite reply. Raises UserError if the suite has none."""
    suite = request.item_id.partition("/")[0]
    if not suite.isidentifier() or find_spec(f"{__name__}.{suite}") is None:
        raise UserError(f"simulated/pixel-solver has no eyes for the suite {suite!r}.")
    if not request.images:
        return "There is no picture to see."
    return seen(suite, [decoded(image) for image in request.images], request.prompt)


def seen(suite: str, images: Sequence[Pixels], prompt: str) -> str:
    """The reply to a prompt of a suite."""
    solution = next((eye(list(images), prompt) for words, eye in _eyes(suite).items() if words in prompt), None)
    return "I cannot tell." if solution is None else f"Answer: {solution}"


@lru_cache(maxsize=16)
def _eyes(suite: str) -> Mapping[str, PixelSolver]:
    module = import_module(f"{__name__}.{suite}")
    inside = pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}.")
    solvers: dict[str, PixelSolver] = {}
    for part in (module, *(import_module(info.name) for info in inside)):
        solvers |= getattr(part, "EYES", {})
    return solvers


def decoded(image: bytes) -> Pixels:
    """The pixels of a picture, shape (height, width, 3)."""
    with Image.open(io.BytesIO(image)) as opened:
        return np.asarray(opened.convert("RGB"))
