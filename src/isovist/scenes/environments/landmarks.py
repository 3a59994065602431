"""Buildings and large structures that stand alone and have a name. Metres, on the ground, fronts at +Z."""

from __future__ import annotations

from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Cylinder, Part, Pose, Texture
from isovist.scenes.environments.primitives import block, group, post, ramp, rod, taper

_STONE = Texture("concrete", 2.4)
_WALL, _SLATE, _GLASS = "#cfc4ac", "#4a525c", "#39505e"

CHURCH = group(
    block((9.0, 7.0, 15.0), (0.0, 0.0, -4.0), _WALL, _STONE),
    ramp((15.4, 4.6, 4.7), (2.35, 7.0, -4.0), _SLATE, yaw=90.0),
    ramp((15.4, 4.6, 4.7), (-2.35, 7.0, -4.0), _SLATE, yaw=-90.0),
    block((5.0, 14.0, 5.0), (0.0, 0.0, 4.0), _WALL, _STONE),
    block((5.4, 0.4, 5.4), (0.0, 13.8, 4.0), "#b8ad96"),
    Part(taper(3.5, 0.02, 9.0, sides=4).form, Pose((0.0, 14.2, 4.0)), colour=_SLATE),
    block((0.16, 1.7, 0.16), (0.0, 23.0, 4.0), "#d8b040"),
    block((0.9, 0.16, 0.16), (0.0, 23.9, 4.0), "#d8b040"),
    block((1.9, 3.0, 0.2), (0.0, 0.0, 6.5), "#5a3420"),
    Part(Cylinder(0.95, 0.2, 24), Pose((0.0, 3.0, 6.42), pitch=90.0), colour="#5a3420"),
    Part(Cylinder(1.05, 0.16, 28), Pose((0.0, 11.4, 6.45), pitch=90.0), colour="#f4f0e0"),
    block((0.1, 0.8, 0.06), (0.0, 11.4, 6.62), "#202020"),
    block((0.6, 0.1, 0.06), (0.25, 11.36, 6.62), "#202020"),
    *(block((1.1, 2.6, 0.12), (0.0, 6.6, z), _GLASS) for z in (6.5,)),
    *(block((0.14, 3.6, 1.2), (x, 2.0, z), _GLASS) for x in (-4.5, 4.5) for z in (-9.6, -6.4, -3.2, 0.0)),
    *(block((1.0, 3.2, 0.14), (x, 2.0, 3.5), _GLASS) for x in (-3.5, 3.5)),
)

WATER_TOWER = group(
    *(post(0.28, 11.0, (2.4 * sine(a), 0.0, 2.4 * cosine(a)), "#8b9399") for a in (45, 135, 225, 315)),
    post(0.4, 11.0, (0.0, 0.0, 0.0), "#7b8389"),
    taper(1.2, 4.0, 2.0, (0.0, 10.4, 0.0), "#c7ced2", 28),
    post(4.0, 4.2, (0.0, 12.4, 0.0), "#d4dade", 28),
    taper(4.1, 0.3, 1.8, (0.0, 16.6, 0.0), "#a84a3a", 28),
    post(4.04, 0.5, (0.0, 14.2, 0.0), "#3a6ea8", 28),
    *(rod(0.08, 3.4, (1.7 * sine(a) - 1.2 * cosine(a) * 1.4, y, 1.7 * cosine(a) + 1.2 * sine(a) * 1.4), a + 90.0, "#8b9399") for a in (0, 90, 180, 270) for y in (3.6, 7.2)),
)  # fmt: skip

PETROL_STATION = group(
    *(block((0.4, 4.4, 0.4), (x, 0.0, z), "#e8e8e4") for x in (-4.2, 4.2) for z in (1.6, 5.6)),
    block((12.0, 0.9, 8.0), (0.0, 4.4, 3.6), "#f0f0ec"),
    block((12.1, 0.4, 8.1), (0.0, 4.65, 3.6), "#d02a20"),
    *(
        part
        for x in (-3.0, 3.0)
        for part in (
            block((1.3, 0.18, 3.6), (x, 0.0, 3.6), "#a8a49a"),
            block((0.8, 1.7, 0.5), (x, 0.18, 3.6), "#d02a20"),
            block((0.6, 0.5, 0.54), (x, 1.15, 3.6), "#e8ece8"),
        )
    ),
    block((12.0, 3.4, 5.0), (0.0, 0.0, -3.6), "#e4e2da"),
    block((10.6, 2.2, 0.1), (0.0, 0.5, -1.1), "#3f5866"),
    *(block((0.12, 2.3, 0.14), (x, 0.45, -1.08), "#e4e2da") for x in (-3.5, -1.2, 1.2, 3.5)),
    block((12.0, 0.6, 0.2), (0.0, 2.9, -1.06), "#d02a20"),
)
