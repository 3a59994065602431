"""Built furniture for spatial relations: objects stand on, under, beside or in it. The names are those used in questions."""

from __future__ import annotations

from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector
from isovist.core.scene3d import Box, Cone, Geometry, Group, Part, Pose, SceneObject, Texture
from isovist.world.scenes.camera_framing import Body
from isovist.world.scenes.object_catalog import CatalogObject

_COLOURS = ("#8b5a2b", "#a47148", "#6d4c33", "#b58a5a", "#7a7f86", "#9aa5ad", "#c9c4b4", "#5f7a8c")
_WOODS = ("planks", "planks-dark", None)


def _built(rng: Rng, name: str, size: Vector, form: Geometry, at: tuple[float, float], yaw: float) -> Body:
    """Return a piece of furniture without a front; `size` is that of its bounding box in metres."""
    width, height, depth = (round(side, 3) for side in size)
    thing = CatalogObject(name.replace(" ", "-"), name, "Furniture", (width, height, depth), "symmetric", 180, upright=True)
    wood = rng.pick(_WOODS)
    texture = Texture(wood, 1.0) if wood else None
    return Body(
        thing,
        SceneObject(
            form, Pose((round(at[0], 3), 0.0, round(at[1], 3)), round(yaw, 1)), colour=rng.pick(_COLOURS), texture=texture, name=name
        ),
    )


def block(rng: Rng, width: float, height: float, depth: float, at: tuple[float, float], yaw: float) -> Body:
    size = round(width, 3), round(height, 3), round(depth, 3)
    return _built(rng, "block", size, Box(size), at, yaw)


def bench(rng: Rng, wide: float, under: float, yaw: float, at: tuple[float, float] = (0.0, 0.0)) -> Body:
    """Return a board on four legs, `under` metres above the ground, with `wide` metres between the legs."""
    leg, board = round(0.06 * wide, 3), round(0.05 * wide + 0.02, 3)
    side, under = round(wide + 2 * leg, 3), round(under, 3)
    away = round((side - leg) / 2, 3)
    legs = tuple(Part(Box((leg, under, leg)), Pose((x, 0.0, z))) for x in (-away, away) for z in (-away, away))
    form = Group((*legs, Part(Box((side, board, side)), Pose((0.0, under, 0.0)))))
    return _built(rng, "table", (side, round(under + board, 3), side), form, at, yaw)


def wall(rng: Rng, inside: float, height: float, yaw: float, notch: tuple[int, int]) -> Body:
    """Return a low wall around a square of `inside` metres without its quarter `notch`, given by the signs of its x and z."""
    thick, height, inside = round(0.05 * inside, 3), round(height, 3), round(inside, 3)
    side, far, (u, v) = round(inside + 2 * thick, 3), round((inside + thick) / 2, 3), notch
    half, near = round((side + thick) / 2, 3), round(side / 4 - thick / 4, 3)
    along = [(0.0, -v * far, side), (-u * near, v * far, half), (u * near, 0.0, half)]  # centre x and z, and length of the walls along x
    across = [(-u * far, 0.0, side), (u * far, -v * near, half), (0.0, v * near, half)]  # the same of the walls along z
    parts = [Part(Box((length, height, thick)), Pose((x, 0.0, z))) for x, z, length in along]
    parts += [Part(Box((thick, height, length)), Pose((x, 0.0, z))) for x, z, length in across]
    return _built(rng, "low wall", (side, height, side), Group(tuple(parts)), (0.0, 0.0), yaw)


def panel(rng: Rng, width: float, height: float, thick: float, yaw: float) -> Body:
    """Return an upright panel with its front at a yaw."""
    size = round(width, 3), round(height, 3), round(thick, 3)
    return _built(rng, "panel", size, Box(size), (0.0, 0.0), yaw)


_SKIES = ("#8fbfe8", "#f0c890", "#c8d4e0")
_LANDS = ("#5d8a4a", "#c9ae70", "#3f6f8f")


def picture(rng: Rng, yaw: float) -> Body:
    """Return a framed picture of a landscape with a mountain, 0.03 m deep, with its origin in the middle of the depth."""
    width, height = round(rng.uniform(0.6, 0.9), 3), round(rng.uniform(0.45, 0.65), 3)
    inner, horizon = width - 0.08, round(rng.uniform(0.3, 0.5) * (height - 0.08), 3)
    high = round(0.3 * height, 3)
    parts = (
        Part(Box((width, height, 0.025)), Pose((0.0, 0.0, -0.0025))),
        Part(Box((inner, height - 0.08, 0.004)), Pose((0.0, 0.04, 0.01)), colour=rng.pick(_SKIES)),
        Part(Cone(0.2, high), Pose((0.1, 0.04 + horizon, 0.011)), (1.0, 1.0, 0.015), colour="#77706a"),
        Part(Box((inner, horizon, 0.006)), Pose((0.0, 0.04, 0.012)), colour=rng.pick(_LANDS)),
    )
    thing = CatalogObject("picture", "picture", "Furniture", (width, height, 0.03), "clear", 0, upright=True)
    frame = rng.pick(("#6b4423", "#222222", "#c9a227", "#efefef"))
    return Body(thing, SceneObject(Group(parts), Pose(yaw=round(yaw, 1)), colour=frame, name="picture"))


def raised(body: Body, height: float) -> Body:
    """Return the body at a height above the ground in metres."""
    x, _, z = body.solid.pose.position
    return replace(body, solid=replace(body.solid, pose=replace(body.solid.pose, position=(x, round(height, 3), z))))
