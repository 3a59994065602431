"""Placement of objects next to or far from each other, in a row, and on or in front of a panel: see `relation_scenes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine, tangent, wrapped
from isovist.core.scene3d import Camera, SceneObject, project
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_objects import Placed, any_of, at_bearing, confused, crowded, pair_of, setting_of
from isovist.suites.srbench.relation_pieces import block, panel, picture, raised
from isovist.suites.srbench.relation_supports import shown
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Body, aimed, extent, standing, viewpoint
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import MOST_HIDDEN, TINTS, Setting, turn

_LEAST_SIZE = 0.1
"""Minimum square root of the image box of a target, in image heights."""
_LEAST_SHOWN = 0.75


def _clear(camera: Camera, bodies: Sequence[Body]) -> None:
    """Raise RejectSample if one body hides much of another, or is small."""
    boxes = [extent(camera, body) for body in bodies]
    if min(box.area for box in boxes) < _LEAST_SIZE**2:
        raise RejectSample
    for i, a in enumerate(boxes):
        if any(a.common(b) > MOST_HIDDEN * min(a.area, b.area) for b in boxes[:i]):
            raise RejectSample


def _three(rng: Rng, setting: Setting) -> tuple[CatalogObject, ...]:
    """Return three objects of similar size that cannot be confused."""
    red, blue = pair_of(rng, setting, fronts=(False, False))
    groups = tuple(
        things for things in any_of(setting, blue.span) if not any(confused(things[0].category, other.category) for other in (red, blue))
    )
    if not groups:
        raise RejectSample
    return red, blue, object_catalog.pick(rng, groups)


def row(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place three objects in a row that runs across the image at any angle of at most 50 degrees to it. Red is its middle or an end."""
    rng, setting = plan.image_rng, setting_of(plan)
    in_middle = kind.options[truth] == "in the middle"
    things = _three(rng, setting)
    view = replace(viewpoint(rng, (0.16, 0.24), (16, 38), off=3.0), fov=round(rng.uniform(28, 38), 1))
    bearing = view.azimuth + 90 + rng.uniform(-50, 50) + rng.pick((0, 180))
    order: tuple[int, ...] = (1, 0, 2) if in_middle else (0, *rng.shuffled((1, 2)))  # the indices of the objects along the row
    ends = things[order[0]].reach, things[order[1]].reach, things[order[2]].reach
    gaps = [(ends[i] + ends[i + 1]) * rng.uniform(1.05, 1.5) for i in (0, 1)]
    along = dict(zip(order, (-gaps[0], 0.0, gaps[1]), strict=True))
    targets = tuple(standing(thing, at_bearing(bearing, along[i]), turn(rng), rng.pick(TINTS)) for i, thing in enumerate(things))
    camera = aimed(view, targets)
    _clear(camera, targets)
    return setting, camera, crowded(rng, setting, camera, targets), 3


_MOUNTED: Mapping[str, float] = {"clock": 5.0, "fire-extinguisher": 1.0, "picture": 1.0, "tv-large": 0.9}
"""Objects with a flat back that hang on walls, and the factor on their size."""


def mounted(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Attach an object to an upright panel behind a block; or place it on the block with a gap between it and the panel. The position in
    the image has about the same distribution for both answers.
    """
    rng, setting = plan.image_rng, setting_of(plan)
    name = rng.pick(sorted(_MOUNTED))
    view = viewpoint(rng, (0.3, 0.4), (10, 24), off=3.0)
    yaw = round(view.azimuth + rng.pick((-1, 1)) * rng.uniform(22, 50), 1)
    if name == "picture":
        thing = picture(rng, yaw)
    else:
        entry = object_catalog.known()[name]
        thing = Body(entry, SceneObject(entry.form, replace(standing(entry, (0.0, 0.0), yaw).solid.pose), _MOUNTED[name]))
    wide, high, deep = (side * thing.solid.scale for side in thing.thing.size)
    size = max(wide, high)
    gap = size * rng.uniform(0.6, 0.9)
    board = panel(rng, 3.4 * size, 2.2 * size + high, 0.06 * size, yaw)
    front, deepest = board.thing.size[2] / 2, max(1.15 * deep, 0.3 * size)
    turned = wrapped(view.azimuth - yaw)

    def at(aside: float, ahead: float) -> tuple[float, float]:
        return aside * cosine(yaw) + ahead * sine(yaw), ahead * cosine(yaw) - aside * sine(yaw)

    def placed(aside: float, ahead: float, height: float, scale: float) -> Body:
        x, z = at(aside, ahead)
        pose = replace(thing.solid.pose, position=(round(x, 3), round(height, 3), round(z, 3)))
        return replace(thing, solid=replace(thing.solid, pose=pose, scale=scale))

    ahead = front + gap + deep / 2
    looks = rng.at("block")

    def on_block_and_on_panel(aside: float, under: float) -> tuple[Body, Body, Body]:
        """Return a block, the object on it, and the attached object where that one hides the panel, as large in the image."""
        base = block(looks.at(), 1.1 * wide, under, deepest, at(aside, ahead), yaw)
        stands = raised(placed(aside, ahead, 0.0, thing.solid.scale), base.thing.size[1])
        seen = aimed(view, (stands, board))
        place = aside - gap * tangent(turned), under - gap * tangent(view.elevation) / cosine(turned)
        hung = placed(place[0], front + deep / 2, place[1], thing.solid.scale)
        larger = round(thing.solid.scale * project(seen, hung.middle)[2] / project(seen, stands.middle)[2], 3)
        lower = (larger / thing.solid.scale - 1) * high / 2
        hung = placed(place[0], front + deep * larger / thing.solid.scale / 2, place[1] - lower, larger)
        if abs(place[0]) + wide / 2 > 1.6 * size or hung.solid.pose.position[1] < 0.15 * size:
            raise RejectSample
        return base, stands, hung

    # two blocks that can change places: the block alone does not show the answer
    both = [on_block_and_on_panel(size * rng.uniform(-1.0, 1.0), size * rng.uniform(0.5, 1.3)) for _ in range(2)]
    (base, stands, _), (_, also, _) = both
    camera = aimed(view, (stands, board, also, board))  # the same for both blocks, and as far away as for one
    if base.solid.colour == board.solid.colour or (base.solid.texture and board.solid.texture):
        raise RejectSample  # the block would merge with the panel
    scenes: list[tuple[Body, ...]] = []
    for (base, stands, hung), (other, *_) in zip(both, both[::-1], strict=True):
        scenes += (hung, board, other), (stands, board, base)
        if any(shown(camera, bodies[0], bodies[1:]) < _LEAST_SHOWN for bodies in scenes[-2:]):
            raise RejectSample
    return setting, camera, crowded(rng, setting, camera, scenes[truth]), 1 + kind.two
