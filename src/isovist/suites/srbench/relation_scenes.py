"""Placement of the objects of a spatial relation by construction, so that the relation holds or fails by a margin.

Bearings are azimuths in degrees about +Y from +Z, as in `core.rotation`; the bearing of the camera is that from the targets to it. A
bearing 90 degrees larger is toward the right of the image, and 90 degrees more than the yaw of an object is its own left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_arrangements import mounted, row
from isovist.suites.srbench.relation_matching import beside, in_depth, nearness
from isovist.suites.srbench.relation_objects import FURTHER, Placed, any_of, at_bearing, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_people import carried
from isovist.suites.srbench.relation_supports import heights, pen, table, touching
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Viewpoint, aimed, extent, standing, viewpoint
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import MOST_HIDDEN, SETTINGS, TINTS, Setting, turn
from isovist.world.scenes.scene_transforms import ALONE_SHARE, CROWD_SHARE

SPREAD = 22.0
"""Maximum deviation in degrees from the centre of a 90 degree class: at least 23 from its edge."""
FRONT_SPREAD = 25.0
"""The same for a front seen by the camera."""
OFF_MIDDLE = 0.03
"""Minimum distance in image heights between an object and the centre line of the image."""
MIDDLE = 0.06
"""Maximum distance in parts of the field of view, along each axis, between an object in the middle of the image and its centre."""
_TRIES = 40
_SIDES = "to the left of it", "to the right of it"
_QUARTERS: Mapping[int, tuple[int, int]] = {0: (-1, -1), 1: (1, -1), 2: (-1, 1), 3: (1, 1)}

# One object --------------------------------------------------------------------------------------------------------


def _in_part_of_image(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object wholly in a half or a quarter of the image, or with its centre near that of the image."""
    rng = plan.image_rng
    setting: Setting = rng.pick(SETTINGS[1:])  # among other objects: the pixels of a single object would reveal its position
    share, away = (0.2, 0.3), (0.18, 0.27)
    if "corner" in kind.name:  # the size of the object has the same distribution in the middle
        share, away = (0.14, 0.22), (0.26, 0.32)
        sides: tuple[int | None, int | None] = _QUARTERS[rng.integer(0, 3)] if truth else (0, 0)
    elif len(kind.options) == 4:
        sides = _QUARTERS[truth]
    else:
        sides = (None, (-1, 1)[truth]) if "upper" in kind.name else ((-1, 1)[truth], None)
    thing = object_catalog.pick(rng, any_of(setting))
    for _ in range(_TRIES):
        view = viewpoint(rng, share, (12, 35))
        # parts of the field of view
        across, down = (
            rng.uniform(-0.2, 0.2) if side is None else side * rng.uniform(*away) if side else rng.uniform(-MIDDLE, MIDDLE)
            for side in sides
        )
        view = replace(view, across=round(view.fov * across, 1), down=round(view.fov * down, 1))
        body = standing(thing, (0.0, 0.0), turn(rng), rng.pick(TINTS))
        try:
            camera = aimed(view, [body])
        except RejectSample:
            continue
        box = extent(camera, body)
        ends = ((box.left, box.right), (box.top, box.bottom))
        if all(not side or _clear(low, high, side) for side, (low, high) in zip(sides, ends, strict=True)):
            return setting, camera, crowded(rng, setting, camera, [body], 4), 1
    raise RejectSample


def _clear(low: float, high: float, side: int) -> bool:
    """Return whether an interval is on one side of the centre line; -1 is left or up."""
    return high <= 0.5 - OFF_MIDDLE if side < 0 else low >= 0.5 + OFF_MIDDLE


_FACED = {"to the left": -90.0, "to the right": 90.0, "toward the viewer": 0.0, "away from the viewer": 180.0}
_SHOWN = {"its own left side": -90.0, "its own right side": 90.0, "its front": 0.0, "its back": 180.0}
"""Angles of the front in degrees as in `core.scene3d.facing`: an object that faces right shows its own right side to the viewer."""


def _faced(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place one object with its front toward one of four sides."""
    rng, setting = plan.image_rng, setting_of(plan)
    middle = (_FACED | _SHOWN)[kind.options[truth]]
    view = viewpoint(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE, off=6.0)
    thing = object_catalog.pick(rng, any_of(setting, front=True))
    body = standing(thing, (0.0, 0.0), view.azimuth + middle + rng.uniform(-FRONT_SPREAD, FRONT_SPREAD), rng.pick(TINTS))
    camera = aimed(view, [body])
    return setting, camera, crowded(rng, setting, camera, [body]), 1


# Two objects on the ground -----------------------------------------------------------------------------------------


def _above(rng: Rng) -> Viewpoint:
    """Return a viewpoint that is higher and farther away than for one object: directions are visible, and less is occluded."""
    return replace(viewpoint(rng, (0.26, 0.38), (28.0, 50.0), off=3.0), fov=round(rng.uniform(22, 32), 1))


def _side_by_side(
    rng: Rng, setting: Setting, view: Viewpoint, things: tuple[CatalogObject, CatalogObject], bearing: float, yaws: tuple[float, float]
) -> Placed:
    """Place red at a bearing from blue, as near as possible with little mutual occlusion.

    Raises RejectSample if they would be too far apart.
    """
    red, blue = things
    far = (red.reach + blue.reach) * rng.uniform(1.1, 1.4)
    tints = rng.pick(TINTS), rng.pick(TINTS)
    for _ in range(6):
        targets = standing(red, at_bearing(bearing, far), yaws[0], tints[0]), standing(blue, (0.0, 0.0), yaws[1], tints[1])
        camera = aimed(view, targets)
        a, b = (extent(camera, target) for target in targets)
        if a.common(b) <= MOST_HIDDEN * min(a.area, b.area):
            return setting, camera, crowded(rng, setting, camera, targets), 2
        far *= FURTHER
    raise RejectSample


_FROM_CAMERA_LINE = {
    "to the left of it": -90.0,
    "to the right of it": 90.0,
    "in front of it": 0.0,
    "behind it": 180.0,
}
_FROM_FRONT = {"on the left side": 90.0, "on the right side": -90.0, "in front of it": 0.0, "behind it": 180.0}


def _around(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place red left or right of blue, in front of it or behind it. Blue has a front, so that both reference frames give an answer."""
    rng, setting = plan.image_rng, setting_of(plan)
    things = pair_of(rng, setting, fronts=(False, True))
    yaws = turn(rng), turn(rng)
    if kind.frame == "viewer" and kind.options != _SIDES:
        return in_depth(plan, kind, truth, setting, things, yaws)
    view = _above(rng)
    middle = view.azimuth + _FROM_CAMERA_LINE[kind.options[truth]] if kind.frame == "viewer" else yaws[1] + _FROM_FRONT[kind.options[truth]]
    made = _side_by_side(rng, setting, view, things, middle + rng.uniform(-SPREAD, SPREAD), yaws)
    _, camera, (red, blue, *_), _ = made
    if kind.frame == "viewer" and not beside(camera, red, blue):
        raise RejectSample
    return made


def _stances(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place two objects that face toward or away from each other, or in the same, opposite or perpendicular directions."""
    rng, setting = plan.image_rng, setting_of(plan)
    things = pair_of(rng, setting, fronts=(True, True))
    view = _above(rng)
    bearing = view.azimuth + rng.pick((90, -90)) + rng.uniform(-35, 35)  # beside each other in the image

    def near(angle: float) -> float:
        return angle + rng.uniform(-SPREAD / 2, SPREAD / 2)

    blue = turn(rng)
    match kind.options[truth]:
        case "toward it":
            yaws = near(bearing + 180), blue
        case "away from it":
            yaws = near(bearing), blue
        case "toward each other":
            yaws = near(bearing + 180), near(bearing)
        case "away from each other":
            yaws = near(bearing), near(bearing + 180)
        case "in opposite directions":
            yaws = near(blue + 180), blue
        case "parallel":
            yaws = near(blue + rng.pick((0, 180))), blue
        case "perpendicular" | "perpendicular to each other":
            yaws = near(blue + rng.pick((90, -90))), blue
        case _:  # in the same direction
            yaws = near(blue), blue
    return _side_by_side(rng, setting, view, things, bearing, yaws)


_PLACING: Mapping[str, Callable[[SamplingContext, RelationType, int], Placed]] = {
    "quarters": _in_part_of_image,
    "alone": _faced,
    "around": _around,
    "stances": _stances,
    "heights": heights,
    "table": table,
    "block": touching,
    "pen": pen,
    "held": carried,
    "held or not": carried,
    "panel": mounted,
    "nearness": nearness,
    "row": row,
}


def placed(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Return a scene in which the option with index `truth` holds. Raises RejectSample if the sample does not fit."""
    return _PLACING[kind.scenery](plan, kind, truth)
