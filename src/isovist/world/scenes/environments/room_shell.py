"""Walls with openings, floor, ceiling and skirting of a floor plan, as objects without names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.scene3d import Box, Group, Part, Pose, SceneObject, Texture
from isovist.world.scenes.environments.floor_plan import FloorPlan, Wall

THICK = 0.12


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening in a wall: from `low` to `high` along the wall and from `foot` to `top` in height, in metres."""

    wall: Wall
    low: float
    high: float
    foot: float
    top: float


@dataclass(frozen=True, slots=True)
class Look:
    """Colours and textures of a shell. A feature wall has its own colour and texture."""

    wall: str
    wall_texture: Texture | None
    floor: str
    floor_texture: Texture | None
    ceiling: str
    skirting: str
    low: float = 0.08
    """Height of the skirting in metres. At table height it is panelling."""
    skirting_texture: Texture | None = None
    beams: str | None = None
    """Colour of the ceiling beams; None without beams."""
    feature: Wall | None = None
    feature_colour: str = "#ffffff"
    feature_texture: Texture | None = None


def shell(
    plan: FloorPlan, height: float, look: Look, openings: Sequence[Opening], doors: Sequence[tuple[Wall, float, float]]
) -> tuple[SceneObject, ...]:
    """The objects that enclose the room. The skirting has gaps at the `doors`: start and end along their walls in metres."""
    r = plan.bounds
    middle, size = ((r.x0 + r.x1) / 2, (r.z0 + r.z1) / 2), (r.x1 - r.x0 + 2 * THICK, r.z1 - r.z0 + 2 * THICK)
    at = round(middle[0], 4), round(middle[1], 4)
    slab = Box((round(size[0], 4), 0.1, round(size[1], 4)))
    out = [
        SceneObject(slab, Pose((at[0], -0.1, at[1])), colour=look.floor, texture=look.floor_texture, casts_shadow=False),
        SceneObject(slab, Pose((at[0], height, at[1])), colour=look.ceiling, casts_shadow=False),
    ]
    if look.beams:
        n = max(2, round((r.x1 - r.x0) / 0.9))
        beam = Box((0.16, 0.16, round(r.z1 - r.z0, 4)))
        places = [r.x0 + (k + 0.5) * (r.x1 - r.x0) / n for k in range(n)]
        out += [
            SceneObject(beam, Pose((round(x, 4), round(height - 0.16, 4), at[1])), colour=look.beams, casts_shadow=False) for x in places
        ]
    for wall in plan.walls:
        featured = wall == look.feature
        colour = look.feature_colour if featured else look.wall
        texture = look.feature_texture if featured else look.wall_texture
        out.append(_wall(wall, height, colour, texture, [o for o in openings if o.wall == wall]))
        out += _skirting(wall, look, sorted((a, b) for w, a, b in doors if w == wall))
    return tuple(out)


def _piece(wall: Wall, low: float, high: float, foot: float, top: float) -> Part:
    """A part of a wall in the coordinates of the wall's centre."""
    size = (round(high - low, 4), round(top - foot, 4), THICK)
    return Part(Box(size), Pose((round((low + high) / 2 - wall.length / 2, 4), round(foot, 4), -THICK / 2)))


def _wall(wall: Wall, height: float, colour: str, texture: Texture | None, holes: Sequence[Opening]) -> SceneObject:
    start, end = (-THICK if wall.ends[0] else 0.0), wall.length + (THICK if wall.ends[1] else 0.0)
    parts: list[Part] = []
    at = start
    for hole in sorted(holes, key=lambda hole: hole.low):
        parts.append(_piece(wall, at, hole.low, 0.0, height))
        parts.append(_piece(wall, hole.low, hole.high, 0.0, hole.foot))
        parts.append(_piece(wall, hole.low, hole.high, hole.top, height))
        at = hole.high
    parts.append(_piece(wall, at, end, 0.0, height))
    pose = Pose(wall.at(wall.length / 2), wall.facing)
    return SceneObject(Group(tuple(parts)), pose, colour=colour, texture=texture, casts_shadow=False)


def _skirting(wall: Wall, look: Look, doors: Sequence[tuple[float, float]]) -> list[SceneObject]:
    out: list[SceneObject] = []
    at = 0.0
    for low, high in (*doors, (wall.length, wall.length)):
        if low - at > 0.05:
            form = Box((round(low - at, 4), look.low, 0.015))
            out.append(
                SceneObject(
                    form,
                    Pose(wall.at((at + low) / 2, 0.0075), wall.facing),
                    colour=look.skirting,
                    texture=look.skirting_texture,
                    casts_shadow=False,
                )
            )
        at = high
    return out
