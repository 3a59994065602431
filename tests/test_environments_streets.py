"""Streets: nothing stands in anything else, names are unique, what is counted is all there, and what is said to be seen is seen."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Box, Camera, Group, Pose, SceneObject
from isovist.core.task import RejectSample
from isovist.world.render import rasterizer3d, visibility
from isovist.world.scenes.environments import street_furniture, street_layouts, street_object_types, street_plan, streets
from isovist.world.scenes.environments.bounding_boxes import bounds, standing
from isovist.world.scenes.environments.environment import Environment, shot, sightings
from isovist.world.scenes.environments.footprint import Footprint, apart, covers
from isovist.world.scenes.environments.object_names import CONFUSABLE, STREET_COUNTABLE, is_confusable

FEW = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
SEEDS = st.integers(0, 10**6)
COUNTED = st.sampled_from([(kind, n) for kind, most in STREET_COUNTABLE for n in range(1, most + 1)])


@lru_cache(maxsize=64)
def made(seed: int, repeats: tuple[str, int] | None = None) -> Environment:
    """The first street of a seed that works out."""
    for attempt in range(40):
        try:
            return streets.street(Rng("streets", seed, attempt), repeats)
        except RejectSample:
            continue
    raise AssertionError(f"no street with {repeats} in 40 draws")


def pieces(solid: SceneObject) -> list[tuple[Footprint, float, float]]:
    """Of each part of a solid: its footprint, and from which height to which it reaches."""
    forms = [Group((part,)) for part in solid.geometry.parts] if isinstance(solid.geometry, Group) else [solid.geometry]
    extents: list[tuple[Footprint, float, float]] = []
    for form in forms:
        box = bounds(form)
        y = solid.pose.position[1]
        extents.append((covers(box, solid.pose.position, solid.pose.yaw), y + box[0][1], y + box[1][1]))
    return extents


def flat(solid: SceneObject) -> bool:
    return standing(solid, (0.0, 0.0, 0.0)).high[1] < 0.2 or (
        not solid.casts_shadow and bounds(solid.geometry)[1][1] < 1.3 and isinstance(solid.geometry, Group)
    )


@FEW
@given(SEEDS)
def test_nothing_named_stands_in_anything(seed: int) -> None:
    world = made(seed)
    solids = [solid for solid in world.objects if not flat(solid)]
    parts = {i: pieces(solid) for i, solid in enumerate(solids)}
    whole = {i: covers(bounds(solid.geometry), solid.pose.position, solid.pose.yaw) for i, solid in enumerate(solids)}
    named = [i for i, solid in enumerate(solids) if solid.name]
    for i in named:
        for k in range(len(solids)):
            if k == i or (solids[k].name and k < i) or apart(whole[i], whole[k]):
                continue
            for a, low, high in parts[i]:
                for b, least, most in parts[k]:
                    assert high <= least + 0.02 or most <= low + 0.02 or apart(a, b, -0.02), (
                        solids[i].name,
                        solids[k].name,
                        solids[k].geometry,
                    )


def test_the_test_of_standing_in_something_would_find_it() -> None:
    a, b = (SceneObject(Box((1.0, 1.0, 2.0)), Pose((0.0, 0.0, 0.0))), SceneObject(Box((1.0, 1.0, 2.0)), Pose((1.2, 0.0, 0.0), yaw=45.0)))
    (one, *_), (other, *_) = pieces(a), pieces(b)
    assert not apart(one[0], other[0])
    assert apart(one[0], Footprint(1.8, 0.0, 45.0, 1.0, 1.0))


@FEW
@given(SEEDS)
def test_every_name_stands_once_and_none_can_be_taken_for_another(seed: int) -> None:
    names = [solid.name for solid in made(seed).objects if solid.name]
    assert len(names) >= streets.FEWEST
    assert len(set(names)) == len(names)
    assert not any(is_confusable(name, names, "streets") for name in names)


@FEW
@given(SEEDS, COUNTED)
def test_what_is_counted_is_all_there_apart_and_well_seen(seed: int, repeats: tuple[str, int]) -> None:
    kind, count = repeats
    world = made(seed, repeats)
    seen = sightings(world)
    counted = [thing for thing in seen if thing.name == kind]
    assert len(counted) == count
    assert all(thing.visible_share >= streets.SEEN_COUNTED for thing in counted)
    for a, b in combinations(counted, 2):
        # where yaws and places are rounded, sides move a little
        assert abs(wrapped(a.bearing - b.bearing)) - (a.width + b.width) / 2 > streets._GAP - 0.5
    others = Counter(thing.name for thing in seen if thing.name != kind)
    assert set(others.values()) <= {1}
    assert not any(streets._of_kind(name, kind) for name in others)


@FEW
@given(SEEDS)
def test_the_eye_is_at_its_height_and_free(seed: int) -> None:
    world = made(seed)
    x, y, z = world.eye
    assert (x, z) == (0.0, 0.0)
    assert y in (round(street_plan.KERB + 1.6, 3), round(street_plan.KERB + 1.6 + 1.1, 3))
    for solid in world.objects:
        if flat(solid):
            continue
        for area, low, high in pieces(solid):
            if low < y + 1.0 and high > y - 1.3:
                assert area.away((0.0, 0.0)) > 1.5, (solid.name, solid.geometry)


@FEW
@given(SEEDS)
def test_named_things_are_large_and_seen_enough(seed: int) -> None:
    for thing in sightings(made(seed)):
        assert max(thing.width, thing.height) >= streets.LEAST
        assert thing.visible_share >= streets.SEEN


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_to_be_seen_is_seen(seed: int) -> None:
    """Boxes hide more than what is in them, so more may be seen than is said, but hardly less; sides are those of the box."""
    world = made(seed)
    cast = rasterizer3d.assemble(world.objects)
    focal = 128 / np.tan(np.radians(50))
    for thing in sightings(world):
        stage = shot(world, thing.bearing, 100, 256)
        whole = visibility._visible(stage, cast, 256)[0] == thing.object_index
        alone = visibility._visible(stage, cast, 256, thing.object_index)[0] == thing.object_index
        assert whole.sum() >= (thing.visible_share - 0.15) * alone.sum(), thing
        columns = np.flatnonzero(alone.any(axis=0))
        left, right = (np.degrees(np.arctan((c - 128) / focal)) for c in (columns[0], columns[-1] + 1))
        pixel = np.degrees(1 / focal)
        assert left >= -thing.width / 2 - pixel, thing
        assert right <= thing.width / 2 + pixel, thing
        assert right - left > 0.55 * thing.width - pixel, thing


def drawn(seed: int, repeats: tuple[str, int] | None) -> Environment | None:
    try:
        return streets.street(Rng("same", seed), repeats)
    except RejectSample:
        return None


@pytest.mark.parametrize("repeats", [None, ("tree", 3)])
def test_a_street_is_what_its_seed_says(repeats: tuple[str, int] | None) -> None:
    worlds = [drawn(seed, repeats) for seed in range(6)]
    assert worlds == [drawn(seed, repeats) for seed in range(6)]
    environments = [world for world in worlds if world is not None]
    assert len(environments) >= 3
    assert len({world.objects for world in environments}) == len(environments)


def test_only_what_is_low_stands_under_awnings() -> None:
    plan = street_plan.StreetPlan(street_layouts.look(Rng("look")), eye=(0.0, 50.0))
    plan.tall.append(Footprint(0.0, 0.0, 0.0, 4.0, 4.0))
    assert not plan.stand(street_furniture.PHONE_BOX, (1.0, 1.0), 0.0)
    assert plan.stand(street_furniture.POST_BOX, (1.0, 1.0), 0.0)
    assert not plan.stand(street_furniture.POST_BOX, (1.2, 1.0), 0.0)
    assert plan.stand(street_furniture.PHONE_BOX, (4.0, 1.0), 0.0)
    assert not plan.stand(street_furniture.POST_BOX, (0.0, 48.5), 0.0)  # beside the eye


def test_walls_are_not_looked_through() -> None:
    plan = street_plan.StreetPlan(street_layouts.look(Rng("look")), eye=(0.0, 0.0))
    plan.walls.append(Footprint(0.0, 10.0, 0.0, 8.0, 2.0))
    assert not plan.in_sight(Footprint(0.0, 20.0, 0.0, 1.0, 1.0))
    assert plan.in_sight(Footprint(0.0, 8.0, 0.0, 1.0, 1.0))
    assert plan.in_sight(Footprint(20.0, 20.0, 0.0, 1.0, 1.0))


def test_numbers_are_rounded() -> None:
    for solid in made(3).objects:
        numbers = (*solid.pose.position, solid.pose.yaw, *solid.pose.position)
        assert all(round(value, 3) == value for value in numbers)
        for part in solid.geometry.parts if isinstance(solid.geometry, Group) else ():
            assert all(
                round(value, 3) == value for value in (*part.pose.position, *(part.geometry.size if isinstance(part.geometry, Box) else ()))
            )


def test_every_kind_of_place_is_drawn_and_they_differ() -> None:
    places = Counter(made(seed).place for seed in range(60))
    assert set(places) == set(street_layouts.LAYOUTS)
    assert max(places.values()) < 20


def test_traffic_keeps_to_the_right() -> None:
    plan = street_plan.StreetPlan(street_layouts.look(Rng("look")))
    way = Footprint(3.0, -2.0, 90.0, 7.0, 80.0)
    street_plan.road(plan, way, Rng("road"), ((-40.0, 40.0),))
    lanes = [zone.area for zone in plan.zones if zone.use == "lane"]
    assert sorted(area.yaw for area in lanes) == [90.0, 270.0]
    for area in lanes:
        across, _ = area.local((area.x, -2.0))
        assert across == pytest.approx(1.75)  # the middle of the road is at the driver's left
    pavement = Footprint(0.0, 5.0, 180.0, 60.0, 4.0)  # its front, the kerb, is at -Z
    street_plan.pavement(plan, pavement, parking=2.2)
    (parked,) = (zone.area for zone in plan.zones if zone.use == "parking")
    assert parked.local((parked.x, 5.0))[0] < 0  # the kerb is at the right


def test_it_says_what_it_cannot_hold() -> None:
    for repeats in (("car", 7), ("car", -1), ("elephant", 1)):
        with pytest.raises(ValueError, match="no street holds"):
            streets.street(Rng("x"), repeats)


def test_names() -> None:
    assert set(street_object_types.COUNTED) == {kind for kind, _ in STREET_COUNTABLE}
    known = {kind.name for kind in street_object_types.KINDS} | set(street_object_types.COUNTED)
    assert {name for group in CONFUSABLE["streets"] for name in group} <= known
    assert is_confusable("bus", {"tram", "man"}, "streets")
    assert not is_confusable("bus", {"bus", "man"}, "streets")


def test_footprints() -> None:
    area = Footprint(1.0, 2.0, 90.0, 4.0, 2.0)  # its own left is -Z, its front +X
    assert area.at(2.0, 1.0) == pytest.approx((2.0, 0.0))
    assert area.local((2.0, 0.0)) == pytest.approx((2.0, 1.0))
    assert area.part(2.0, 1.0, 3.0, 1.0, 90.0) == Footprint(*area.at(2.0, 1.0), 180.0, 3.0, 1.0)
    assert area.away((1.9, 0.1)) == 0
    assert area.away((2.1, 0.1)) > 0
    assert area.away((5.0, 2.0)) == pytest.approx(3.0)
    lean = covers(bounds(Box((2.0, 1.0, 6.0))), (0.0, 0.0, 0.0), 45.0)
    assert apart(lean, Footprint(2.6, -2.6, 0.0, 1.0, 1.0))
    assert not apart(lean, Footprint(1.8, 1.8, 0.0, 1.0, 1.0))


def test_a_ray_meets_the_box_around_a_solid() -> None:
    # a bar 4 m long along X after its turn, its end at the pivot, so that it lies from x = 3 to 7 at z = 1
    bar = SceneObject(Box((1.0, 2.0, 4.0)), Pose((3.0, 0.0, 1.0), yaw=90.0), pivot=(0.0, 0.0, -2.0))
    box = standing(bar, (0.0, 1.0, 1.0))
    assert box.meets((1.0, 0.0, 0.0)) == pytest.approx(3.0)
    assert box.meets((-1.0, 0.0, 0.0)) is None
    assert box.meets((0.6, 0.8, 0.0)) is None
    assert box.near == pytest.approx(3.0)
    assert box.far == pytest.approx((49 + 1 + 0.25) ** 0.5)
    assert standing(bar, (4.0, 1.0, 1.0)).meets((0.0, 0.0, 1.0)) == 0.0


def test_pictures_of_a_street_are_of_one_place() -> None:
    """What stands between two headings is seen at the right of one picture and at the left of the other."""
    world = made(5)
    thing = max(sightings(world), key=lambda thing: thing.width * thing.height * (thing.width < 30))
    for off, side in ((-30.0, 1), (30.0, -1)):
        stage = shot(world, thing.bearing + off, 100, 128)
        assert isinstance(stage.camera, Camera)
        columns = np.flatnonzero((rasterizer3d.render(stage).solid == thing.object_index).any(axis=0))
        assert np.sign(columns.mean() - 64) == side
