"""Pictures as data to pixels, whatever kind they are."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from isovist.core.drawing2d import Drawing
from isovist.core.scene3d import Scene3D
from isovist.core.task import Picture
from isovist.errors import MissingDependencyError, UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image


RASTER = "raster"
"""The renderer that draws everything, the same pixels everywhere."""
CYCLES = "cycles"
"""The one that draws stages alone; with Blender's version behind it, ``cycles-4.5.15``, it draws them again."""


def check(task_id: str, pictures: Sequence[Picture], renderer: str = RASTER) -> None:
    """Raises MissingDependencyError if pictures of a task need an extra that is not installed, UserError if this renderer cannot draw them;
    nothing is drawn.
    """
    has_scenes3d = any(isinstance(picture, Scene3D) for picture in pictures)
    if has_scenes3d and not all(find_spec(name) for name in ("numba", "trimesh")):
        raise MissingDependencyError("3-D scenes", "scene")
    if renderer != RASTER:
        if not has_scenes3d:
            raise UserError(f"{task_id}: its pictures are flat drawings, which only {RASTER!r} draws; leave the renderer out for it.")
        full(renderer)


def full(renderer: str) -> str:
    """A renderer with the version that draws the same pixels again. Raises UserError if it, or that version, is not there."""
    if renderer == RASTER:
        return renderer
    kind, _, wanted = renderer.partition("-")
    if kind != CYCLES:
        raise UserError(f"no renderer is called {renderer!r}; there are {RASTER} and {CYCLES}.")
    from isovist.render import cycles

    version = cycles.version()
    if wanted not in ("", version):
        raise UserError(f"the pictures were drawn by Blender {wanted}, and this one is {version}: its pixels may differ.")
    return f"{CYCLES}-{version}"


def pixels(picture: Picture, size: int, renderer: str = RASTER) -> NDArray[np.uint8]:
    """A picture as an array, shape (height, width, 3), 8-bit RGB, row 0 at the top.

    `size` is the pixels of a drawing's unit, and of the shorter side of a stage. Raises MissingDependencyError for a stage without the extra
    "scene", UserError for a mesh or texture that there is not and for a renderer that cannot be used.
    """
    if isinstance(picture, Drawing):
        from isovist.render import rasterizer2d

        return rasterizer2d.render(picture, size)
    if renderer != RASTER:
        full(renderer)
        from isovist.render import cycles

        return cycles.pixels(picture, size)
    from isovist.render import scene_image

    return scene_image.pixels(picture, size)


def image(picture: Picture, size: int) -> Image:
    """A picture as an RGB image; see `pixels`."""
    from PIL import Image

    return Image.fromarray(pixels(picture, size))
