"""The names of renderings of images: other pixels for the same scene or drawing (`isovist.world.render.renderings`)."""

from __future__ import annotations

SKETCH, FLAT, NOISY, CYCLES, HALF, DOUBLE, RAISED = RENDERINGS = ("sketch", "flat", "noisy", "cycles", "half", "double", "3d")
OF_SCENES = (SKETCH, FLAT, NOISY, CYCLES)
"""The renderings of 3-D scenes."""
FACTORS = {HALF: 0.5, DOUBLE: 2.0}
"""The renderings of every picture: the factor of width and height in pixels."""
SUMMARIES = {
    SKETCH: "3-D scenes as line drawings",
    FLAT: "3-D scenes without textures and shadows",
    NOISY: "3-D scenes in half the light, with sensor noise",
    CYCLES: "3-D scenes path-traced with Blender",
    HALF: "half the width and height in pixels",
    DOUBLE: "twice the width and height in pixels",
    RAISED: "2-D drawings of separate shapes as 3-D scenes",
}
