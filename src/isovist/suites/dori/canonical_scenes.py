"""Upright 3-D scenes for canonical orientation: with a visible upward direction, and without one.

Ground, walls, sky, objects that stand on the ground and are seen from one side, and objects in the air with one orientation show which
direction is up. A view from directly above, or objects in the air with different orientations, do not. A signboard is in the scenes with
text, and in half of the others. It is rotated by a multiple of 90 degrees in its plane, so that its text does not show which direction
is up. No other object has letters.
"""

from __future__ import annotations

from dataclasses import replace
from math import dist, sqrt
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import after, cosine, sine, tangent, turn
from isovist.core.scene3d import Box, Camera, Group, Light, Pose, Scene3D, SceneObject, Sky, Texture, posed
from isovist.core.task import SamplingContext
from isovist.suites.dori.signboard import COLOURS, ORNAMENTS, WORDS, signboard
from isovist.world.scenes import habitats, object_catalog
from isovist.world.scenes.camera_framing import Body, Extent, aimed, extent, standing, viewpoint
from isovist.world.scenes.habitats import Habitat
from isovist.world.scenes.object_catalog import CatalogObject, Place
from isovist.world.scenes.scene_builder import TINTS, companions, stage

View = Literal["level", "steep", "air", "above", "thrown"]
TELLING: tuple[View, ...] = ("level", "level", "steep", "steep", "steep", "air", "air", "air", "air", "air")
SILENT: tuple[View, ...] = ("above", "thrown")
"""Views that show which direction is up, repeated by frequency, and views that do not. Half of both have objects in the air."""
_ELEVATIONS = {"level": (7.0, 20.0), "steep": (27.0, 42.0), "above": (89.0, 89.0)}
"""Downward angle of the camera in degrees: small, so that walls, houses, land and sky are visible, or too large for a horizon."""
BOARD = "board"
"""The name of a board in a 3-D scene; houses and trees are groups of parts too."""
MOST_ASIDE = 20.0
"""Maximum angle between the direction of the board and the camera direction, in degrees."""
_FOVS, _SHARE, _SHARE_ALONE = (34.0, 40.0), (0.36, 0.44), (0.4, 0.5)
_PLACES: tuple[Place, ...] = ("indoors", "outdoors")
_WHOLE = Extent(0.0, 0.0, 1.0, 1.0)
_MOST_COVERED = 0.1
"""Maximum share of the box of the board or of the object beside it that the box of another object covers."""
_MOST_LARGE, _TRIES = 0.45, 40
_LEAN = (5.0, 20.0)  # degrees: the lean is smaller than the downward angle of the camera by this
_OFF = 3.0  # maximum angle of the targets from the image centre, in degrees
_ORNAMENTED = 0.5
"""Share of the scenes without text that have a board with an ornament."""
_HANGING, _RING, _AIR_FOV = 4, 0.82, 30.0
"""Number of objects in the air, each with a diagonal of 1 metre, and their distance from the centre in metres."""
_WALLS = ("concrete", "plaster", "sand", None)
"""Textures behind objects in the air, without an orientation."""
_AMBIGUOUS = frozenset({"arrow", "airliner", "ship"})  # also seen in other orientations, or too flat


def upright(plan: SamplingContext, view: View, *, word: bool) -> tuple[Scene3D, CatalogObject]:
    """An upright 3-D scene, and its main object."""
    rng = plan.image_rng
    sign = rng.pick(WORDS) if word else rng.pick(ORNAMENTS) if rng.chance(_ORNAMENTED) else ""
    return _hanging(rng, sign, view) if view in ("air", "thrown") else _standing(rng, sign, view)


def _standing(rng: Rng, sign: str, view: View) -> tuple[Scene3D, CatalogObject]:
    """An object beside a board, with other objects, on the ground."""
    where = rng.pick(_PLACES)
    thing = object_catalog.pick(rng, object_catalog.without_letters(object_catalog.chosen(("clear",), where)))
    habitat = habitats.draw(rng, thing, where)
    off = 0.0 if view == "above" else _OFF
    view_direction = replace(
        viewpoint(rng, _SHARE if sign else _SHARE_ALONE, _ELEVATIONS[view], off),
        fov=round(rng.uniform(*_FOVS), 1),
    )
    targets: list[Body] = []
    at, reach = (0.0, 0.0), thing.reach
    if sign:
        targets.append(_board(rng, sign, round(thing.span * rng.uniform(0.7, 0.95), 2), view_direction.azimuth, view_direction.elevation))
        aside = view_direction.azimuth + rng.pick((-90, 90)) + rng.uniform(-35, 35)
        far = (targets[0].thing.span / 2 + reach) * rng.uniform(1.02, 1.12)
        at = far * sine(aside), far * cosine(aside)
    targets.append(standing(thing, at, rng.uniform(-180, 180), rng.pick(TINTS)))
    camera = aimed(view_direction, targets)
    return stage(rng, where, camera, _around(rng, camera, habitat, targets), habitat, bare=view != "level"), thing


def _board(rng: Rng, sign: str, width: float, azimuth: float, elevation: float) -> Body:
    """A board that leans back by at most the downward angle of the camera; on any of its four edges."""
    measures, form = signboard(sign, rng.pick(COLOURS), width)
    lean = 90.0 if elevation > 80 else max(0.0, elevation - rng.uniform(*_LEAN))
    aside = rng.uniform(-180, 180) if elevation > 80 else rng.uniform(-MOST_ASIDE, MOST_ASIDE)
    quarter = rng.integer(0, 3)
    across, high, deep = measures.size
    half = (across if quarter % 2 else high) / 2
    pose = Pose(
        (0.0, round(half * cosine(lean) + deep / 2 * sine(lean), 4), 0.0), round(azimuth + aside, 1), -round(lean, 1), 90.0 * quarter
    )
    return Body(measures, SceneObject(form, pose, pivot=(0.0, high / 2, 0.0), name=BOARD))


def _around(rng: Rng, camera: Camera, habitat: Habitat, targets: list[Body]) -> list[Body]:
    """The targets and a few visible objects around them that occlude little of them."""
    bodies = list(targets)
    groups = object_catalog.without_letters(companions(habitat, targets[-1].thing.span))
    boxes = [extent(camera, target) for target in targets]
    widest = max(target.thing.span for target in targets)
    wanted = len(targets) + rng.integer(1, 4)
    for _ in range(_TRIES):
        if len(bodies) == wanted:
            break
        thing = object_catalog.pick(rng, groups)
        bearing, far = rng.uniform(-180, 180), widest * rng.uniform(0.6, 2.2)
        body = standing(thing, (far * sine(bearing), far * cosine(bearing)), rng.uniform(-180, 180), rng.pick(TINTS))
        if any(dist(body.solid.pose.position, other.solid.pose.position) < 1.05 * (thing.reach + other.thing.span / 2) for other in bodies):
            continue
        try:
            box = extent(camera, body)
        except ValueError:  # behind the camera
            continue
        inside = box.common(_WHOLE) > 0.6 * box.area and sqrt(box.area) < _MOST_LARGE
        if inside and all(box.common(target_box) <= _MOST_COVERED * target_box.area for target_box in boxes):
            bodies.append(body)
    return bodies


def _hanging(rng: Rng, sign: str, view: View) -> tuple[Scene3D, CatalogObject]:
    """Objects in the air in front of a wall: all upright, or each in another of four orientations in the image plane.

    The light comes from the camera, so that shading does not show which direction is up.
    """
    plain = object_catalog.without_letters(object_catalog.plain(object_catalog.chosen(("clear",))))
    groups = [things for things in plain if things[0].category not in _AMBIGUOUS]
    things = [rng.pick(group) for group in rng.sample(groups, _HANGING)]
    quarters = rng.shuffled(range(_HANGING)) if view == "thrown" else [0] * _HANGING
    spots = rng.shuffled(range(_HANGING + bool(sign)))
    phase, elevation = rng.uniform(0, 360), rng.uniform(0, 8)
    solids: list[SceneObject] = []
    for nth, (thing, quarter) in enumerate(zip(things, quarters, strict=True)):
        matrix = after(turn("y", round(rng.uniform(-180, 180))), turn("z", 90 * quarter))
        at, tint = _spot(rng, spots[nth], len(spots), phase), thing.tinted(rng.pick(TINTS))
        solids.append(SceneObject(thing.form, posed(matrix, at), round(1 / thing.span, 6), tint, pivot=(0.0, thing.size[1] / 2, 0.0)))
    if sign:
        measures, form = signboard(sign, rng.pick(COLOURS), round(rng.uniform(0.75, 0.9), 2))
        pose = Pose(_spot(rng, spots[-1], len(spots), phase), round(rng.uniform(-MOST_ASIDE, MOST_ASIDE), 1), 0.0, 90.0 * rng.integer(0, 3))
        solids.append(SceneObject(form, pose, pivot=(0.0, measures.size[1] / 2, 0.0), name=BOARD))
    far = (_RING + 0.5) / tangent(_AIR_FOV / 2) * rng.uniform(1.0, 1.12)
    back = (0.0, sine(elevation), cosine(elevation))
    target = round(rng.uniform(-0.08, 0.08), 4), round(rng.uniform(-0.08, 0.08), 4)
    eye = target[0], round(target[1] + far * back[1], 4), round(far * back[2], 4)
    grey = rng.integer(188, 244)
    tone = "#" + "".join(f"{grey + rng.integer(-10, 10):02x}" for _ in range(3))
    if name := rng.pick(_WALLS):
        texture = Texture(name, round(rng.uniform(0.5, 1.6), 2))
        at = 0.0, -9.0, -round(rng.uniform(1.6, 2.6), 2)
        solids.append(SceneObject(Box((18.0, 18.0, 0.1)), Pose(at), colour=tone, texture=texture, casts_shadow=False))
    sun = tuple(round(part + rng.uniform(-0.25, 0.25), 3) for part in back)
    light = Light((sun[0], sun[1], sun[2]), round(rng.uniform(0.7, 1.1), 2), round(rng.uniform(1.0, 1.3), 2), shadows=False)
    return Scene3D(tuple(solids), Camera(eye, (*target, 0.0), _AIR_FOV), None, light, Sky(tone, tone)), things[0]


def _spot(rng: Rng, nth: int, count: int, phase: float) -> tuple[float, float, float]:
    """One of `count` positions around the centre of the image."""
    angle = phase + 360 * nth / count
    x, y = (_RING * part + rng.uniform(-0.04, 0.04) for part in (cosine(angle), sine(angle)))
    return round(x, 3), round(y, 3), round(rng.uniform(-0.2, 0.2), 3)


def board_of(picture: Scene3D) -> Group | None:
    """The geometry of the board in a 3-D scene; None without a board."""
    forms = [solid.geometry for solid in picture.objects if solid.name == BOARD]
    return forms[0] if forms and isinstance(forms[0], Group) else None
