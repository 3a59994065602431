"""Placement of objects that a person holds, carries on the head, or has beside them: see `relation_scenes`.

The grips were checked by eye on contact sheets. Only people whose arms hang down on both sides are used, so that both hands can hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot

from isovist.core.rng import Rng
from isovist.core.rotation import Vector
from isovist.core.scene3d import Camera, Pose, SceneObject, place
from isovist.core.task import RejectSample, SamplingContext
from isovist.suites.srbench.relation_objects import Placed, at_bearing, crowded, setting_of
from isovist.suites.srbench.relation_pieces import block, raised
from isovist.suites.srbench.relation_supports import shown
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import LEAST_OFF_EDGE, Body, aimed, extent, standing, viewpoint
from isovist.world.scenes.scene_builder import TINTS, turn


@dataclass(frozen=True, slots=True)
class Person:
    """The centre of the left hand and the top of the head in the frame of the mesh, in metres; the right hand is its mirror image."""

    hand: Vector
    crown: Vector


@dataclass(frozen=True, slots=True)
class Carried:
    """How an object is carried.

    Attributes:
        grip: The point at the centre of the hand, in the frame of the mesh before scaling, in metres.
        yaw, pitch: Rotation of a held object relative to the person, in degrees.
        scale: Factor on the size of the mesh.
        on_head: Offset of the origin from the top of the head, downward and to the front, in metres after scaling; None if it is not
            carried on the head.
    """

    grip: Vector
    yaw: float = 0.0
    pitch: float = 0.0
    scale: float = 1.0
    on_head: tuple[float, float] | None = None


PEOPLE: Mapping[str, Person] = {
    "man-plain": Person((0.318, 0.82, 0.0), (0.0, 1.884, 0.0)),
    "woman-plain": Person((0.258, 0.755, -0.05), (0.0, 1.75, -0.015)),
}
CARRIED: Mapping[str, Carried] = {
    "basket": Carried((0.0, 0.59, 0.0), yaw=90, scale=0.7, on_head=(0.02, 0.0)),
    "bottle-wine": Carried((0.0, 0.25, 0.0), scale=1.3),
    "cap": Carried((0.0, 0.03, 0.14), pitch=-90, scale=1.1, on_head=(0.15, 0.06)),
    "fire-extinguisher": Carried((0.0, 0.6, 0.0), yaw=90, scale=0.8),
    "handbag": Carried((0.0, 0.18, 0.0), yaw=90, scale=1.4),
    "helmet": Carried((0.0, 0.28, 0.0), on_head=(0.28, 0.01)),
    "jug": Carried((-0.11, 0.14, 0.0), yaw=-90, scale=1.3, on_head=(0.01, 0.0)),
    "spray-bottle": Carried((0.0, 0.24, 0.0), scale=1.3),
    "suitcase": Carried((0.0, 0.71, 0.0), yaw=90, scale=0.7, on_head=(0.01, 0.0)),
    "teddy-bear": Carried((0.0, 0.29, 0.0), scale=1.2, on_head=(0.01, 0.0)),
}
_TURNED = 35.0
"""Maximum angle in degrees between the front or the back of a person and the camera: both hands are visible."""
_BEFORE_HAND = 0.45, 0.7
"""Distance in metres along the ground by which an object on a block is nearer to the camera than the hand."""
_LEAST_SHOWN = 0.8, 0.7
"""Minimum share of the box of the object and of the person that no block hides."""


def _held(thing: str, person: Body, side: int) -> Body:
    """Return an object in the left (1) or the right (-1) hand of a person."""
    carried, (x, y, z) = CARRIED[thing], PEOPLE[person.thing.id].hand
    yaw = round(person.solid.pose.yaw + carried.yaw, 1)
    entry = object_catalog.known()[thing]
    solid = SceneObject(entry.form, Pose((0.0, 0.0, 0.0), yaw, carried.pitch), carried.scale)
    return _moved(Body(entry, solid), place(person.solid, (side * x, y, z)), place(solid, carried.grip))


def _moved(body: Body, to: Vector, origin: Vector = (0.0, 0.0, 0.0)) -> Body:
    x, y, z = (round(a - b, 3) for a, b in zip(to, origin, strict=True))
    pose = body.solid.pose
    return Body(body.thing, SceneObject(body.solid.geometry, Pose((x, y, z), pose.yaw, pose.pitch), body.solid.scale, body.solid.colour))


def _on_head(thing: str, person: Body) -> Body:
    """Return an object on the head of a person."""
    carried, (x, y, z) = CARRIED[thing], PEOPLE[person.thing.id].crown
    assert carried.on_head is not None
    down, ahead = carried.on_head
    entry = object_catalog.known()[thing]
    solid = SceneObject(entry.form, Pose(yaw=person.solid.pose.yaw), carried.scale)
    return _moved(Body(entry, solid), place(person.solid, (x, y - down, z + ahead)))


def _alone(rng: Rng, thing: str, at: tuple[float, float]) -> Body:
    """Return an object that stands by itself on the ground."""
    entry = object_catalog.known()[thing]
    solid = SceneObject(entry.form, Pose((0.0, 0.0, 0.0), turn(rng)), CARRIED[thing].scale)
    return _moved(Body(entry, solid), (at[0], 0.0, at[1]))


def carried(plan: SamplingContext, kind: RelationType, truth: int) -> Placed:
    """Place an object in a hand of a person, on the head, on the ground beside, or on a block. In half of the scenes, the person is seen
    from behind. The scenes with the other answers must fit too, so that sizes and viewpoints have the same distribution for all answers.
    """
    rng = plan.image_rng
    setting = setting_of(plan)
    behind = plan.image_stratum(f"from behind {kind.name}", 2) == 1
    free = kind.scenery == "held or not"
    view = viewpoint(rng, (0.32, 0.42) if free else (0.36, 0.48), (5, 20), off=3.0)
    # an object that is held at another pitch than it stands would have another rectangle
    things = sorted(
        thing for thing, row in CARRIED.items() if (not row.pitch if free else "on the head" not in kind.options or row.on_head)
    )
    thing, who = rng.pick(things), object_catalog.known()[rng.pick(sorted(PEOPLE))]
    person = standing(who, (0.0, 0.0), view.azimuth + 180 * behind + rng.uniform(-_TURNED, _TURNED), rng.pick(TINTS))
    camera = aimed(view, [person])
    if free:
        scenes = _with_and_without_hold(rng, camera, thing, person)
    else:
        at = at_bearing(view.azimuth + rng.uniform(15, 110) * rng.pick((-1, 1)), rng.uniform(0.6, 0.9))
        bodies = {
            "in the left hand": _held(thing, person, 1),
            "in the right hand": _held(thing, person, -1),
            "on the ground": _alone(rng, thing, at),
        }
        if "on the head" in kind.options:
            bodies["on the head"] = _on_head(thing, person)
        scenes = tuple((bodies[option], person) for option in kind.options)
    if not all(_fits(camera, scene) for scene in scenes):
        raise RejectSample
    return setting, camera, crowded(rng, setting, camera, scenes[truth]), 2


def _with_and_without_hold(rng: Rng, camera: Camera, thing: str, person: Body) -> tuple[tuple[Body, ...], tuple[Body, ...]]:
    """Return an object in a hand, and the object on a block before this hand: the object, the person, the block.

    Both objects have the same image rectangle. The other block is before the other hand, so the block alone does not show the answer.
    """
    looks, distance = rng.at("block"), rng.uniform(*_BEFORE_HAND)

    def before(side: int) -> tuple[Body, Body, Body]:
        held = _held(thing, person, side)
        (x, y, z), (u, v, w) = held.solid.pose.position, camera.eye
        nearer = distance / hypot(u - x, w - z)
        alone = replace(held, solid=replace(held.solid, scale=round(held.solid.scale * (1 - nearer), 3)))
        at = x + nearer * (u - x), z + nearer * (w - z)
        alone = _moved(alone, (at[0], 0.0, at[1]))
        wide = 2.1 * alone.thing.reach * alone.solid.scale
        base = block(looks.at(), wide, y + nearer * (v - y), wide, at, held.solid.pose.yaw)
        return held, raised(alone, base.thing.size[1]), base

    side = rng.pick((-1, 1))
    (held, alone, base), (*_, elsewhere) = before(side), before(-side)
    return (held, person, elsewhere), (alone, person, base)


def _fits(camera: Camera, bodies: Sequence[Body]) -> bool:
    """Return whether all bodies are completely in the image, and a block hides little of the object and of the person."""
    for body in bodies:
        box = extent(camera, body)
        if min(box.left, box.top) < LEAST_OFF_EDGE or max(box.right, box.bottom) > 1 - LEAST_OFF_EDGE:
            return False
    thing, person, *blocks = bodies
    if not blocks:
        return True
    if thing.solid.pose.position[1] != blocks[0].thing.size[1] and extent(camera, thing).common(extent(camera, blocks[0])):
        return False
    return shown(camera, thing, blocks) >= _LEAST_SHOWN[0] and shown(camera, person, blocks) >= _LEAST_SHOWN[1]
