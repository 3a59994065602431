"""Doors with free floor in front of them, and windows with curtains, a blind or neither."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.scene3d import Pose, SceneObject
from isovist.world.scenes.environments import fixtures
from isovist.world.scenes.environments.floor_plan import Rect, Wall
from isovist.world.scenes.environments.object_placement import ObjectPlacer, Piece, Spot
from isovist.world.scenes.environments.room_shell import Opening
from isovist.world.scenes.environments.style import Style
from isovist.world.scenes.furniture_meshes import built

_SWING = 0.9  # metres of free floor in front of a door


def door(
    site: ObjectPlacer, piece: Piece, walls: Sequence[Wall] | None = None, along: float | None = None, *, counted: bool = False
) -> Spot | None:
    """A door at a random position, or with its centre at `along`, with free floor in front of it."""
    for wall in site.rng.shuffled(site.plan.walls if walls is None else walls):
        half = fixtures.DOOR[0] / 2
        if wall.length < 2 * half + 0.5:
            continue
        for _ in range(8 if along is None else 1):
            s = along if along is not None else round(site.rng.uniform(half + 0.25, wall.length - half - 0.25), 3)
            zone = wall.rect(s - half, s + half, 0.01, _SWING)
            if not site.inside(zone) or not site.empty(zone):
                continue
            spot = site.hang(piece, 0.0, walls=[wall], along=s, counted=counted, out=0.001)
            if spot is not None:
                site.keep(zone)
                site.doors.append(spot)
                return spot
    return None


def door_piece(site: ObjectPlacer, st: Style) -> Piece:
    leaf = site.rng.pick(("#f2efe8", "#f2efe8", st.wood, "#8a6a44", st.front))
    styles = ("plain", "two-panels", "six-panels", *(() if site.only == "window" else ("glazed",)))
    return Piece(built(f"door-{site.rng.pick(styles)}", leaf=leaf, frame=site.rng.pick((leaf, "#f2efe8"))), "door")


def doors(site: ObjectPlacer, st: Style, n: int) -> None:
    piece = door_piece(site, st)
    for _ in range(n):
        door(site, piece)


def window_piece(site: ObjectPlacer, st: Style) -> tuple[Piece, float, float]:
    """A window piece with its width and height."""
    rng = site.rng
    width, height = round(rng.uniform(0.9, 1.9), 2), round(rng.uniform(1.0, 1.4) if rng.chance(0.7) else rng.uniform(1.6, 1.9), 2)
    colour = rng.pick(("#f7f5f0", "#f7f5f0", st.wood, "#4a4c50"))
    form = fixtures.window(width, height, colour, 1 if width < 1.1 else 2 if width < 1.6 else 3, rng.pick((0, 0, 1, 2)))
    return Piece(form, "window"), width, height


def window(
    site: ObjectPlacer, st: Style, made: tuple[Piece, float, float], dressing: str, walls: Sequence[Wall] | None = None, along: float | None = None,
    *, counted: bool = False,
) -> Opening | None:  # fmt: skip
    """A window in an outer wall with curtains or a blind."""
    piece, width, height = made
    foot = round(min(0.95, 2.25 - height), 3)
    fitting = [wall for wall in (site.plan.walls if walls is None else walls) if wall.outer and wall.length > width + 1.0]
    spot = site.hang(piece, foot - 0.03, walls=fitting, along=along, counted=counted, out=-0.075)
    if spot is None or spot.wall is None:
        return None
    wall, s = spot.wall, spot.along
    site.windows.append((wall, s))
    top = foot + height
    wide = round(0.2 + 0.12 * width, 3)
    edges = [(s + side * (width / 2 + 0.16), s + side * (width / 2 + wide - 0.06)) for side in (-1, 1)]
    if dressing == "curtains" and not all(site.bare(wall, Rect(min(edge), 0.04, max(edge), top)) for edge in edges):
        dressing = "blind"
    if dressing == "curtains":
        long = round(top + 0.05 - (0.04 if site.rng.chance(0.6) else foot - 0.15), 3)
        low = round(top + 0.05 - long, 3)
        for side in (-1, 1):
            middle = s + side * (width / 2 + wide / 2 - 0.08)
            cloth = built("curtain", width=wide, height=long, cloth=st.cover)
            site.fix(SceneObject(cloth, Pose(wall.at(middle, 0.13, low), wall.facing), casts_shadow=False))
            site.occupy(wall, Rect(middle - wide / 2 - 0.02, low, middle + wide / 2 + 0.02, top))
        long = round(width + 2 * wide - 0.2, 3)
        rail = fixtures.curtain_rod(long, st.metal)
        site.occupy(wall, Rect(s - long / 2 - 0.04, top, s + long / 2 + 0.04, top + 0.1))
        site.fix(SceneObject(rail, Pose(wall.at(s, 0.13, round(top + 0.05, 3)), wall.facing), casts_shadow=False))
    elif dressing == "blind":
        long = round(height * site.rng.uniform(0.2, 0.5), 3)
        form = fixtures.blind(round(width - 0.04, 3), long, st.cover)
        site.fix(SceneObject(form, Pose(wall.at(s, 0.03, round(top - long, 3)), wall.facing), casts_shadow=False))
    return Opening(wall, round(s - width / 2, 4), round(s + width / 2, 4), foot, round(top, 4))


def windows(site: ObjectPlacer, st: Style, n: int) -> list[Opening]:
    """Place up to `n` equal windows. Counted windows that were placed before also have openings."""
    made, dressing = window_piece(site, st), site.rng.pick(("curtains", "curtains", "blind", "none"))
    return [one for one in (window(site, st, made, dressing) for _ in range(n)) if one is not None]
