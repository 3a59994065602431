"""Path tracing of 3-D scenes with Cycles, the path tracer of Blender, in a separate process.

Shapes, poses, camera, colours and textures are those of the rasterizer; indirect light and soft shadows are added. Frames, mirroring and
image rotation are applied as for the rasterizer. Pixels are reproducible on one machine with one version of Blender only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Scene3D
from isovist.world.render import rasterizer3d, scene_image, tone_curve
from isovist.world.render.cycles.client import blender
from isovist.world.render.zbuffer import SKY

__all__ = ["pixels", "version"]


def version() -> str:
    """Return the version of Blender, such as "4.5.15". Raises UserError with instructions if it cannot be used."""
    return blender().version


def pixels(stage: Scene3D, size: int) -> NDArray[np.uint8]:
    """Render as `scene_image.pixels`. The object at each pixel, for frames, comes from the rasterizer. Raises UserError without Blender."""
    objects = rasterizer3d.render(stage, size)
    light = blender().light(stage, size)
    if stage.sky.image is not None:  # it shows what a camera made of the light
        place = objects.solid == SKY
        shown = np.ascontiguousarray(light[place])
        tone_curve.lights_of(shown.reshape(-1), shown.reshape(-1))
        light[place] = shown
    return scene_image.finished(stage, tone_curve.developed(light, stage.capture), objects.solid, size)
