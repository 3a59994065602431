"""Other renderings of a picture with the same content, which leave the answer of an item as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

from isovist.core.drawing2d import Drawing, Raised
from isovist.core.scene3d import Capture, Scene3D
from isovist.core.task import Picture
from isovist.world import render
from isovist.world.rendering_names import CYCLES, FACTORS, FLAT, NOISY, RAISED, SKETCH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DARKER, _NOISE = -1.0, 6.0
"""Of `noisy`: the exposure in stops, and the standard deviation of the noise in 8-bit levels, as of a telephone in dim light."""


def pixels(
    picture: Picture, size: int, rendering: str, *, renderer: str = render.RASTER, raised: Raised | None = None
) -> NDArray[np.uint8]:
    """Render a picture in one of `rendering_names.RENDERINGS`, shape (height, width, 3).

    Args:
        picture: A drawing or a scene.
        size: Pixels of a drawing's unit, or of the shorter side of a scene, in the standard condition.
        rendering: One that the picture can have.
        renderer: That of the standard condition, which `half` and `double` share.
        raised: For `3d`, how the task's drawings are shown.

    Raises:
        ValueError: A rendering that the picture cannot have, and the errors of `render.pixels`.
    """
    if factor := FACTORS.get(rendering):
        return render.pixels(picture, round(size * factor), renderer)
    if isinstance(picture, Drawing) and rendering == RAISED and raised:
        from isovist.world.render import raised_drawing, solid_stage

        if raised.cubes:
            return solid_stage.pixels(picture, *raised.cubes(picture), size)
        return raised_drawing.pixels(picture, size, raised.printed)
    if isinstance(picture, Scene3D) and rendering == CYCLES:
        return render.pixels(picture, size, CYCLES)
    if isinstance(picture, Scene3D) and rendering == NOISY:
        seed = crc32(repr((picture.camera, picture.light)).encode())  # other noise in each image of an item
        return render.pixels(replace(picture, capture=Capture(_DARKER, _NOISE, seed)), size, renderer)
    if isinstance(picture, Scene3D) and rendering in (FLAT, SKETCH):
        from isovist.world.render import scene_styles

        return scene_styles.flat(picture, size) if rendering == FLAT else scene_styles.sketch(picture, size)
    raise ValueError(f"no rendering {rendering!r} of a {type(picture).__name__}")
