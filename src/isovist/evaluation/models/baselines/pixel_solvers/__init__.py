"""Pixel solvers: one module or package per suite answers questions from the image pixels and the prompt, never from a scene.

`SOLVERS` of each module maps a text that its questions contain to the function that answers them.
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

from isovist.common.errors import UserError
from isovist.data.dataset.pictures import as_shown
from isovist.evaluation.models.base import ModelRequest

Pixels = NDArray[np.uint8]
PixelSolver = Callable[[list[Pixels], str], str | None]
"""Takes images, shape (height, width, 3), and a prompt; returns the text after "Answer:", or None without an answer."""


def solve_from_pixels(request: ModelRequest) -> str:
    """The response of the suite's solvers. Raises UserError if the suite has none."""
    suite = request.item_id.partition("/")[0]
    if not suite.isidentifier() or find_spec(f"{__name__}.{suite}") is None:
        raise UserError(f"No pixel solver for the suite: {suite}. Choose another model.")
    if not request.images:
        return "The prompt has no image."
    return solve(suite, [decoded(image) for image in request.images], request.prompt)


def solve(suite: str, images: Sequence[Pixels], prompt: str) -> str:
    """The response to a prompt of a suite."""
    solution = next((solver(list(images), prompt) for text, solver in _solvers(suite).items() if text in prompt), None)
    return "I cannot determine the answer." if solution is None else f"Answer: {solution}"


@lru_cache(maxsize=16)
def _solvers(suite: str) -> Mapping[str, PixelSolver]:
    module = import_module(f"{__name__}.{suite}")
    inside = pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}.")
    solvers: dict[str, PixelSolver] = {}
    for part in (module, *(import_module(info.name) for info in inside)):
        solvers |= getattr(part, "SOLVERS", {})
    return solvers


def decoded(image: bytes) -> Pixels:
    """The pixels of an image, shape (height, width, 3)."""
    with Image.open(io.BytesIO(image)) as opened:
        return np.asarray(as_shown(opened))
