"""Render pictures (2-D drawings and 3-D scenes) to pixels."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from isovist.common.errors import MissingDependencyError, UserError
from isovist.core.drawing2d import Drawing
from isovist.core.scene3d import Scene3D
from isovist.core.task import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image


RASTER = "raster"
"""The default renderer, which draws all pictures with the same pixels on every machine."""
CYCLES = "cycles"
"""The path tracer for 3-D scenes. With a version of Blender, as in ``cycles-4.5.15``, renders are reproducible."""


def check(task_id: str, pictures: Sequence[Picture], renderer: str = RASTER) -> None:
    """Check that pictures of a task can be rendered, without rendering them.

    Raises MissingDependencyError if an extra is not installed, UserError if this renderer does not support them.
    """
    has_scenes3d = any(isinstance(picture, Scene3D) for picture in pictures)
    if has_scenes3d:
        require_scene_packages()
    if renderer != RASTER:
        if not has_scenes3d:
            raise UserError(f"2-D drawings require the renderer {RASTER!r}: {task_id}. Omit the renderer option for this task.")
        full(renderer)


def require_scene_packages() -> None:
    """Raises MissingDependencyError without the extra "scene"."""
    if not all(find_spec(name) for name in ("numba", "trimesh")):
        raise MissingDependencyError("3-D scenes", "scene")


def full(renderer: str) -> str:
    """Return a renderer name with the version that reproduces the pixels. Raises UserError if the renderer or version is unavailable."""
    if renderer == RASTER:
        return renderer
    kind, _, wanted = renderer.partition("-")
    if kind != CYCLES:
        raise UserError(f"Unknown renderer: {renderer!r}. Choose {RASTER} or {CYCLES}.")
    from isovist.world.render import cycles

    version = cycles.version()
    if wanted not in ("", version):
        raise UserError(
            f"Rendered with another version of Blender: {wanted}, installed {version}. Install that version; other pixels may differ."
        )
    return f"{CYCLES}-{version}"


def pixels(picture: Picture, size: int, renderer: str = RASTER) -> NDArray[np.uint8]:
    """Render a picture to an array, shape (height, width, 3), 8-bit RGB, row 0 at the top.

    `size`: pixels per unit of a drawing, or of the shorter side of a 3-D scene. Raises MissingDependencyError for a 3-D scene without the
    extra "scene", UserError for an unknown mesh or texture and for an unavailable renderer.
    """
    if isinstance(picture, Drawing):
        from isovist.world.render import rasterizer2d

        return rasterizer2d.render(picture, size)
    if renderer != RASTER:
        full(renderer)
        from isovist.world.render import cycles

        return cycles.pixels(picture, size)
    from isovist.world.render import scene_image

    return scene_image.pixels(picture, size)


def image(picture: Picture, size: int) -> Image:
    """Render a picture to an RGB image; see `pixels`."""
    from PIL import Image

    return Image.fromarray(pixels(picture, size))
