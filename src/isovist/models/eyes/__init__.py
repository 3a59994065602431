"""The observer's eyes: one module a suite, which answers its questions from pixels and words, never from a scene."""

from __future__ import annotations

import io
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.errors import BadInput
from isovist.models.base import Request


def look(request: Request) -> str:
    """What the eyes of the item's suite reply. Raises BadInput if the suite has none."""
    suite = request.item_id.partition("/")[0]
    module = f"{__name__}.{suite}"
    if not suite.isidentifier() or find_spec(module) is None:
        raise BadInput(f"fake/observer has no eyes for the suite {suite!r}.")
    if not request.images:
        return "There is no picture to see."
    return import_module(module).look([decoded(image) for image in request.images], request.prompt)


def decoded(image: bytes) -> NDArray[np.uint8]:
    """The pixels of a picture, shape (height, width, 3)."""
    with Image.open(io.BytesIO(image)) as opened:
        return np.asarray(opened.convert("RGB"))
