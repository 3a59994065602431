"""Path-traced pictures of the same stages: Cycles, the path tracer of Blender, in a process of its own.

The shapes, poses, camera, colours and textures are those that the rasteriser draws; light bounces, shadows are soft. Frames,
mirroring and turning are done as there. The same stage gives the same pixels again on one machine with one Blender, not on every one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Scene3D
from isovist.render import rasterizer3d, scene_image
from isovist.render.cycles.client import blender
from isovist.render.shading import KNEE
from isovist.render.zbuffer import SKY

__all__ = ["pixels", "version"]


def version() -> str:
    """Blender's, such as "4.5.15". Raises UserError, with what to do, if it cannot be used."""
    return blender().version


def pixels(stage: Scene3D, size: int) -> NDArray[np.uint8]:
    """As `staged.pixels`; what is seen at which pixel, for the frames, is asked of the rasteriser. Raises UserError without Blender."""
    seen = rasterizer3d.render(stage, size)
    light = blender().light(stage, size)
    over = np.maximum(light - KNEE, 0) / (1 - KNEE)
    # bright surfaces are rolled off as by the rasteriser; the sky is not
    rolled = np.where((seen.solid != SKY)[:, :, None] & (light > KNEE), KNEE + (1 - KNEE) * over / (1 + over), light)
    return scene_image.finished(stage, rasterizer3d.encoded(rolled.astype(np.float32)), seen.solid, size)
