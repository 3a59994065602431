"""Pictures as data to pixels, whatever kind they are."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from isovist.core.drawing import Drawing
from isovist.core.task import Item, Picture
from isovist.errors import Missing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image


def check(item: Item) -> None:
    """Raises Missing if the pictures of an item need an extra that is not installed; nothing is drawn."""
    if item.stages and not all(find_spec(name) for name in ("numba", "trimesh")):
        raise Missing("a picture of a three-dimensional scene", "scene")


def pixels(picture: Picture, size: int) -> NDArray[np.uint8]:
    """A picture as an array, shape (height, width, 3), 8-bit RGB, row 0 at the top.

    `size` is the pixels of a drawing's unit, and of the shorter side of a stage. Raises Missing for a stage without the extra
    "scene", BadInput for a mesh or texture that there is not.
    """
    if isinstance(picture, Drawing):
        from isovist.render import raster

        return raster.render(picture, size)
    from isovist.render import staged

    return staged.pixels(picture, size)


def image(picture: Picture, size: int) -> Image:
    """A picture as an RGB image; see `pixels`."""
    from PIL import Image

    return Image.fromarray(pixels(picture, size))
