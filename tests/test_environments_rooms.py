"""Rooms: nothing stands in anything else, names are clear, what is counted is there and seen, the viewer stands free, light is good."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import atan, degrees, hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, wrapped
from isovist.core.scene3d import SceneObject
from isovist.core.task import RejectSample
from isovist.world.scenes.environments import room_kinds
from isovist.world.scenes.environments.bounding_boxes import bounds, standing, standing_corners
from isovist.world.scenes.environments.environment import Environment, outline, panorama, shot, sightings
from isovist.world.scenes.environments.floor_plan import plan
from isovist.world.scenes.environments.object_names import LOOK_ALIKE, SEVERAL, is_confusable
from isovist.world.scenes.environments.object_placement import CLEAR
from isovist.world.scenes.environments.rooms import LEAST_APART, LEAST_NAMED, LEAST_SEEN, ROOM_COUNTABLE, room

TOUCH = 0.002
"""Metres by which boxes may reach into each other: coordinates are rounded."""
COUNTS = [(kind, n) for kind, most in ROOM_COUNTABLE for n in range(1, most + 1)]
seeds = st.integers(0, 2**32)


def made(*path: str | int, repeats: tuple[str, int] | None = None) -> Environment:
    """The first room of a stream that works out."""
    for attempt in range(40):
        try:
            return room(Rng("test rooms", *path, attempt), repeats)
        except RejectSample:
            continue
    raise AssertionError(f"no room for {path} {repeats} in 40 draws")


def moved_in(world: Environment) -> list[SceneObject]:
    """All that is no wall, floor, ceiling, skirting, beam or curtain, nor flat on the floor."""
    return [solid for solid in world.objects if (solid.casts_shadow or solid.name) and solid.name != "rug"]


def overlap(a: SceneObject, b: SceneObject) -> float:
    """How deep the boxes of two upright solids reach into each other, in metres; not above 0 if they do not."""
    p, q = standing_corners(a), standing_corners(b)
    depth = min(max(y for _, y, _ in p), max(y for _, y, _ in q)) - max(min(y for _, y, _ in p), min(y for _, y, _ in q))
    for corners in (p, q):
        for other in (1, 4):  # the sides along the box's own z and x
            x, z = corners[other][0] - corners[0][0], corners[other][2] - corners[0][2]
            long = hypot(x, z)
            one, two = ([(c[0] * x + c[2] * z) / long for c in points] for points in (p, q))
            depth = min(depth, min(max(one), max(two)) - max(min(one), min(two)))
    return depth


def test_overlap_is_that_of_turned_boxes() -> None:
    from isovist.core.scene3d import Box, Pose

    here = SceneObject(Box((2.0, 1.0, 2.0)), Pose((0.0, 0.0, 0.0), 45.0))
    assert overlap(here, SceneObject(Box((2.0, 1.0, 2.0)), Pose((2.0, 0.0, 2.0)))) < 0  # the corners of both upright rectangles meet
    assert overlap(here, SceneObject(Box((2.0, 1.0, 2.0)), Pose((2.3, 0.0, 0.0)))) == pytest.approx(2**0.5 + 1 - 2.3)
    assert overlap(here, SceneObject(Box((2.0, 1.0, 2.0)), Pose((0.0, 1.1, 0.0)))) == pytest.approx(-0.1)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_nothing_stands_in_anything_else(seed: int) -> None:
    world = made(seed)
    things = moved_in(world)
    for a, b in combinations(things, 2):
        assert overlap(a, b) <= TOUCH, (world.place, a.name or a, b.name or b)
    fixed = [solid for solid in world.objects if solid not in things and solid.name != "rug"]
    for a in things:
        if a.name in ("window", "door"):
            continue  # they are in the wall, and curtains hang before them
        for b in fixed:
            if a.casts_shadow or not b.casts_shadow:
                assert overlap(a, b) <= TOUCH, (world.place, a.name or a, b)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_names_are_clear(seed: int) -> None:
    world = made(seed)
    names = Counter(solid.name for solid in world.objects if solid.name)
    assert len(names) >= LEAST_NAMED
    assert {name for name, n in names.items() if n > 1} <= SEVERAL
    for a, b in combinations(names, 2):
        assert not is_confusable(a, {b}, "rooms")


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(COUNTS), seeds)
def test_what_is_counted_is_there_apart_and_seen(repeats: tuple[str, int], seed: int) -> None:
    kind, n = repeats
    world = made(kind, n, seed, repeats=repeats)
    seen = [one for one in sightings(world) if one.name == kind]
    assert len(seen) == n
    assert all(one.visible_share >= LEAST_SEEN for one in seen)
    for a, b in combinations(seen, 2):
        assert abs(wrapped(a.bearing - b.bearing)) >= LEAST_APART
    others = {solid.name for solid in world.objects} - {kind, ""}
    assert not is_confusable(kind, others, "rooms")
    assert not others.intersection(LOOK_ALIKE.get(kind, ()))


@pytest.mark.parametrize(("kind", "most"), ROOM_COUNTABLE)
def test_the_most_that_can_be_counted_works_out(kind: str, most: int) -> None:
    world = made("most", repeats=(kind, most))
    assert sum(solid.name == kind for solid in world.objects) == most


def test_only_kinds_that_are_listed_are_counted() -> None:
    for wrong in (("sofa", 2), ("chair", -1), ("chair", 12)):
        with pytest.raises(ValueError, match=wrong[0]):
            room(Rng("x"), wrong)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_viewer_stands_free(seed: int) -> None:
    world = made(seed)
    assert 1.4 <= world.eye[1] <= 1.6
    for solid in moved_in(world):
        if solid.pose.position[1] < 2.2:
            least = CLEAR if solid.casts_shadow else 0.9  # pictures and cupboards hang on walls, which are further away
            assert _away(solid, world.eye) >= least - 1e-3, solid.name
    for solid in world.objects:
        assert standing(solid, world.eye).meets((0.0, 0.0, -1.0)) != 0, "the viewer stands in something"


def _away(solid: SceneObject, eye: Vector) -> float:
    """Metres along the floor between a point and the upright rectangle around a solid."""
    corners = standing_corners(solid)
    xs, zs = [c[0] for c in corners], [c[2] for c in corners]
    return hypot(max(min(xs) - eye[0], eye[0] - max(xs), 0.0), max(min(zs) - eye[2], eye[2] - max(zs), 0.0))


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_a_door_can_be_reached(seed: int) -> None:
    """Nothing stands in the first 80 cm before a door, where it is as wide as its leaf."""
    from dataclasses import replace

    world = made(seed)
    doors = [solid for solid in world.objects if solid.name == "door"]
    assert doors
    for door in doors:
        x, _, z = door.pose.position
        dx, dz = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}[round(door.pose.yaw)]
        before = replace(door, pose=replace(door.pose, position=(x + 0.4 * dx, 0.1, z + 0.4 * dz)))
        for other in moved_in(world):
            if other.name not in ("door", "window") and other.casts_shadow:
                assert overlap(before, other) <= TOUCH, other.name


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_a_room_is_the_same_anywhere(seed: int) -> None:
    world = made(seed)
    assert made(seed) == world
    for solid in world.objects:
        assert solid.pose.position == tuple(round(v, 4) for v in solid.pose.position)
        for size in bounds(solid.geometry):
            assert all(abs(v) < 12 for v in size)
    assert world.eye == tuple(round(v, 3) for v in world.eye)


@pytest.mark.parametrize("kind", room_kinds.KINDS, ids=lambda kind: kind.place)
def test_every_kind_of_room_works_out_and_holds_what_it_is_for(kind: room_kinds.RoomKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_kinds, "KINDS", (kind,))
    good = 0
    for seed in range(30):
        try:
            world = room(Rng("kinds", seed))
        except RejectSample:
            continue
        good += 1
        names = {solid.name for solid in world.objects}
        assert world.place == kind.place
        assert all(names.intersection(group) for group in kind.must)
    assert good >= 12


def test_something_is_seen_in_every_direction() -> None:
    widest: list[float] = []
    for seed in range(30):
        world = made("around", seed)
        spans = [outline(world.eye, s)[1:3] for s in moved_in(world) if s.pose.position[1] < 2.2]
        lit = [any((turn - low) % 360 <= high - low for low, high in spans) for turn in range(360)]
        run = best = 0
        for value in lit * 2:
            run = 0 if value else run + 1
            best = max(best, run)
        widest.append(best)
    assert sum(gap <= 60 for gap in widest) >= 28
    assert max(widest) < 120


def test_walls_go_around_the_floor() -> None:
    for seed in range(60):
        floor = plan(Rng("walls", seed), (4.0, 6.0), (4.0, 6.0))
        for wall, following in zip(floor.walls, floor.walls[1:] + floor.walls[:1], strict=True):
            end, start = wall.at(wall.length), following.at(0.0)
            assert hypot(end[0] - start[0], end[2] - start[2]) < 1e-3
            x, _, z = wall.at(wall.length / 2, 0.05)  # just before it is the floor, just behind it is none
            u, _, v = wall.at(wall.length / 2, -0.05)
            b = floor.bounds
            inside = [
                b.x0 < p < b.x1 and b.z0 < q < b.z1 and all(notch.distance(p, q) > 0 for notch in floor.notches)
                for p, q in ((x, z), (u, v))
            ]
            assert inside == [True, False]
        for turn in range(0, 360, 45):
            hit = floor.ahead(0.0, 0.0, turn)
            assert hit is None or 0 <= hit[1] <= hit[0].length + 1e-6


# Pixels ---------------------------------------------------------------------------------------------------------------

pixels_needed = pytest.mark.usefixtures("scene_extra")


@pytest.fixture
def scene_extra() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")


@pixels_needed
def test_sightings_are_where_the_pixels_are() -> None:
    """Of things that no picture's edge cuts: the bearing of the middle within 3 degrees, and no pixel further than half a degree
    outside the sides that are told. What boxes leave in sight is in sight: at most a third less of the pixels.
    """
    from isovist.world.render.visibility import sights

    side, n_checked, hidden = 256, 0, 0
    for seed in range(3):
        world = made("pixels", seed)
        seen = sightings(world)
        for heading in range(0, 360, 45):
            shown = sights(shot(world, heading, 90.0, side))
            for one in seen:
                sight = shown[one.object_index]
                if sight.box_alone is None or sight.cut or sight.alone < 100:
                    continue
                left, right = (heading + degrees(atan(2 * end / side - 1)) for end in (sight.box_alone[0], sight.box_alone[2]))
                assert abs(wrapped((left + right) / 2 - one.bearing)) <= 3, one.name
                assert wrapped(left - one.left) >= -0.5, one.name
                assert wrapped(one.right - right) >= -0.5, one.name
                n_checked += 1
                if one.name != "window":  # a blind hides little of its box and much of its frame
                    hidden += sight.share < one.visible_share - 1 / 3
    assert n_checked > 40
    assert hidden == 0


@pixels_needed
def test_rooms_are_well_lit_and_unlike_each_other() -> None:
    """Means between 105 and 205 of 255, next to no black, and no two rooms alike however one of them is turned."""
    import numpy as np

    from isovist.world.render import pixels

    small: list[np.ndarray] = []
    for seed in range(8):
        world = made("light", seed)
        for heading in (0, 90, 180, 270):
            seen = pixels(shot(world, heading, 90.0, 96), 96).astype(float)
            assert 105 < seen.mean() < 205
            assert (seen.max(axis=2) < 15).mean() < 0.1
        around = pixels(panorama(world, 0.0, 256), 128).astype(float)
        small.append(around.reshape(16, 8, 32, 8, 3).mean(axis=(1, 3)))
    for a, b in combinations(small, 2):
        assert min(np.abs(a - np.roll(b, turn, axis=1)).mean() for turn in range(32)) > 8


@pixels_needed
def test_rooms_are_light_work() -> None:
    from isovist.world.render import rasterizer3d

    counts = [len(rasterizer3d.assemble(made("triangles", seed).objects).world) for seed in range(12)]
    assert sum(counts) / len(counts) < 45_000
    assert max(counts) < 110_000
