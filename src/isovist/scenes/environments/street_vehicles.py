"""Cars in any colour, built of plain forms: the pack's own keep their paint. Fronts at +Z, metres."""

from __future__ import annotations

from isovist.core.scene3d import Box, Cylinder, Group, Part, Pose, Wedge

GLASS, TYRE, RIM, TRIM = "#26313b", "#1c1c1e", "#b9bcc0", "#2b2c2f"
_LAMP, _REAR, _PLATE = "#f4f2e4", "#b01818", "#f2f2ea"


def _box(width: float, height: float, depth: float, x: float, y: float, z: float, colour: str | None = None) -> Part:
    return Part(Box((width, height, depth)), Pose((x, y, z)), colour=colour)


def _wheels(track: float, front: float, back: float, radius: float) -> list[Part]:
    parts: list[Part] = []
    for side in (-1, 1):
        for z in (front, back):
            inner = side * (track / 2 - 0.2)
            parts.append(Part(Cylinder(radius, 0.2, 20), Pose((inner, radius, z), roll=-90.0 * side), colour=TYRE))
            parts.append(Part(Cylinder(round(0.6 * radius, 3), 0.215, 14), Pose((inner, radius, z), roll=-90.0 * side), colour=RIM))
    return parts


def car(boot: float = 0.9, bonnet: float = 1.15, cabin: float = 2.3, rise: float = 1.46) -> Group:
    """A passenger car; the parts without a colour take that of the solid. `boot`, `bonnet` and `cabin`: lengths along it; `rise`:
    its height. Without a boot it is a hatchback.
    """
    length, wide, belt, low = round(boot + bonnet + cabin, 3), 1.74, 0.86, 0.24
    middle = round((boot - bonnet) / 2, 3)  # of the cabin
    glass = round(rise - belt, 3)
    slope_front, slope_back = round(0.3 * cabin, 3), round((0.24 if boot > 0.3 else 0.12) * cabin, 3)
    flat = round(cabin - slope_front - slope_back, 3)
    roof = round(middle + (slope_back - slope_front) / 2, 3)
    front, back = round(length / 2, 3), round(-length / 2, 3)
    nose, tail = round(middle + cabin / 2, 3), round(middle - cabin / 2, 3)
    parts = [
        _box(wide, round(belt - low - 0.1, 3), length, 0.0, low, 0.0),
        _box(round(wide - 0.06, 3), 0.1, round(length - 0.16, 3), 0.0, round(belt - 0.1, 3), 0.0),
        # the cabin: roof and pillars over glass, a slope at either end
        _box(1.44, glass, flat, 0.0, belt, roof),
        Part(Wedge((1.44, glass, slope_front)), Pose((0.0, belt, round(nose - slope_front / 2, 3)))),
        Part(Wedge((1.44, glass, slope_back)), Pose((0.0, belt, round(tail + slope_back / 2, 3)), yaw=180.0)),
        # side windows, two a side, and the panes of the slopes a little above them
        *(
            _box(0.03, round(glass - 0.14, 3), round(flat / 2 - 0.08, 3), side * 0.715, round(belt + 0.04, 3), z, GLASS)
            for side in (-1, 1)
            for z in (round(roof + flat / 4, 3), round(roof - flat / 4, 3))
        ),
        Part(Wedge((1.28, round(glass - 0.05, 3), slope_front)), Pose((0.0, round(belt + 0.03, 3), round(nose - slope_front / 2 + 0.03, 3))), colour=GLASS),
        Part(Wedge((1.28, round(glass - 0.05, 3), slope_back)), Pose((0.0, round(belt + 0.03, 3), round(tail + slope_back / 2 - 0.03, 3)), yaw=180.0), colour=GLASS),
        # bumpers, grille, lamps, plates
        _box(round(wide + 0.02, 3), 0.16, 0.16, 0.0, low, front, TRIM),
        _box(round(wide + 0.02, 3), 0.16, 0.16, 0.0, low, back, TRIM),
        _box(0.7, 0.14, 0.06, 0.0, 0.55, front, TRIM),
        *(_box(0.3, 0.15, 0.06, side * 0.66, 0.58, front, _LAMP) for side in (-1, 1)),
        *(_box(0.26, 0.18, 0.06, side * 0.7, 0.58, back, _REAR) for side in (-1, 1)),
        _box(0.5, 0.12, 0.19, 0.0, 0.3, back, _PLATE),
        _box(0.5, 0.1, 0.19, 0.0, 0.28, front, _PLATE),
        *(_box(0.16, 0.12, 0.1, side * 0.93, 0.9, round(nose - 0.35, 3)) for side in (-1, 1)),
        *_wheels(1.78, round(front - 0.78, 3), round(back + 0.8, 3), 0.32),
    ]  # fmt: skip
    return Group(tuple(parts))


SALOON = car()
HATCHBACK = car(boot=0.12, bonnet=0.95, cabin=2.75, rise=1.52)
ESTATE = car(boot=0.1, bonnet=1.15, cabin=3.3, rise=1.5)
COMPACT = car(boot=0.1, bonnet=0.7, cabin=2.4, rise=1.58)
