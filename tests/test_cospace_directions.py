"""Direction recognition: roads and fronts, the shares of the published set, and counting from 0 to 11."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from workbench import done, stored

from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Box, Ground, Light, Pose, SceneObject, Sky
from isovist.core.task import RejectSample
from isovist.data.importers.panoramas.labels import Label, roads
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.cospace import count_designs, counting, facing_directions, rederivation, road_directions, view_sets
from isovist.suites.cospace.directions import MIDDLE_MARGIN, STEP
from isovist.suites.cospace.environments import INDOORS, OUTDOORS, countable
from isovist.suites.cospace.facing_directions import FacingScene, faces
from isovist.suites.cospace.road_directions import AXES, RoadScene
from isovist.suites.cospace.target_objects import direction_of
from isovist.world.scenes.environments import streets, ways
from isovist.world.scenes.environments.environment import Environment, shot

TASK = registry.task("cospace/direction-recognition")


def some(level: str, n: int, name: str = "direction-recognition", **settings: str) -> Items:
    return Items(registry.task(f"cospace/{name}"), n, 6, "test", level, tuple(settings.items()))


@pytest.mark.parametrize(("heading", "axis"), [(0, 0), (188, 0), (40, 1), (225, 1), (95, 2), (270, 2), (135, 3), (320, 3)])
def test_a_road_toward_a_heading_runs_along_its_axis(heading: float, axis: int) -> None:
    """By hand: the strip of a label runs from the heading to the opposite one."""
    world = roads("digest", [Label("main road", heading)])
    pictures = tuple(shot(world, turn, 100) for turn in view_sets.AROUND)
    text = f"{view_sets.clockwise_preamble(100, range(4))}\nIn which direction does the main road run? "
    text += '"From north to south" also means from south to north, and so on.'
    assert road_directions.read(pictures, text) == AXES[axis]
    ((way, end),) = ways.ways(world)
    assert way.name == "the main road"
    assert wrapped(2 * (end - heading)) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("yaw", "direction"), [(0, 4), (90, 2), (180, 0), (-90, 6), (135, 1)])
def test_a_front_at_plus_z_faces_south(yaw: float, direction: int) -> None:
    """By hand: north is -Z, and a yaw of 90 degrees turns the front from +Z to +X."""
    bench = SceneObject(Box((1.0, 1.0, 0.5)), Pose((3.0, 0.0, 0.0), yaw), name="bench")
    world = Environment("street", (bench,), (0.0, 1.5, 0.0), Ground(), Light(), Sky())
    pictures = tuple(shot(world, turn, 100) for turn in view_sets.AROUND)
    assert rederivation.facing(pictures, view_sets.clockwise_preamble(100, range(4)), bench) == direction
    assert round(faces(bench) / STEP) % 8 == direction


def test_axes_and_fronts_keep_the_margin() -> None:
    for item in some("road", 8):
        assert isinstance(item.scene, RoadScene)
        off = wrapped(item.scene.end_deg - STEP * round(item.scene.end_deg / STEP))
        assert abs(off) <= STEP / 2 - MIDDLE_MARGIN + 0.11
        assert item.question.text.count(item.scene.way) == 1
    for item in some("facing", 8):
        assert isinstance(item.scene, FacingScene)
        off = wrapped(item.scene.front_deg - STEP * item.scene.direction)
        assert abs(off) <= STEP / 2 - MIDDLE_MARGIN + 0.11


def test_where_an_object_lies_does_not_tell_where_it_faces() -> None:
    turns: Counter[int] = Counter()
    for item in some("facing", 16):
        scene = item.scene
        target = scene.views.visible_object(scene.target)
        turns[(scene.direction - direction_of(target, scene.views.heading)) % 8] += 1
        assert facing_directions.toward_camera(scene) in ((), (item.answer.canonical(),)) or turns
    assert set(turns.values()) == {2}
    assert len(turns) == 8


def test_the_ways_of_a_place_have_different_names_and_are_no_objects_of_other_questions() -> None:
    for kind, places in ways.KINDS.items():
        made = 0
        for seed in range(12):
            try:
                world = streets.street(Rng("ways", kind, seed), ways=kind)
            except RejectSample:
                continue
            names = [solid.name for solid in world.objects if ways.is_way(solid)]
            assert world.place in places
            assert len(names) == {"nearest": 1, "junction": 2, "path": 3}[kind]
            assert len(set(names)) == len(names)
            made += 1
        assert made >= 6, kind
    assert not any(ways.is_way(solid) for seed in range(3) for solid in _street(seed).objects)


def test_an_item_about_a_road_shows_several() -> None:
    """The extent of a single road in each image tells how it runs."""
    for item in some("road", 12):
        assert isinstance(item.scene, RoadScene)
        ends = {way.name: end for way, end in ways.ways(item.scene.views.world())}
        assert len(ends) == {"junction": 2, "path": 3}[TASK.checks.kind(item.scene)]  # pyright: ignore[reportOptionalCall] - it has
        apart = 180 / len(ends)
        for a, b in combinations(ends.values(), 2):
            assert abs((a - b + apart / 2) % apart - apart / 2) <= 10.1
    single = [item for item in some("road", 12, design="paper") if TASK.checks.kind(item.scene) == "nearest"]  # pyright: ignore[reportOptionalCall] - it has
    assert len(single) == 4


def _street(seed: int) -> Environment:
    for attempt in range(20):
        try:
            return streets.street(Rng("plain", seed, attempt))
        except RejectSample:
            continue
    raise AssertionError


def test_the_preset_has_the_shares_of_the_paper(tmp_path: Path) -> None:
    preset = TASK.paper.sizes["test"]
    items = Items(TASK, preset.n, 0, "test", ",".join(preset.levels))
    addresses = [items.address(place) for place in range(preset.n)]
    assert Counter(address.level for address in addresses) == {"road": 190, "position": 40, "facing": 20}
    assert len(set(addresses)) == preset.n
    for level in TASK.levels:  # each level has its items from 0 on, in order
        assert [address.index for address in addresses if address.level == level] == list(
            range({"road": 190, "position": 40, "facing": 20}[level])
        )
    done("generate", TASK.id, "--preset", "paper", "--n", 7, "--image-size", 256, "--workers", 1, "--out", tmp_path / "data")
    assert [row.level for row in stored(tmp_path / "data")] == list(preset.levels[:7])
    counts = registry.task("cospace/counting").paper.sizes["test"]
    assert Counter(counts.levels) == {"1-5": 11, "0-11": 2}


def test_counts_with_equal_images() -> None:
    """A rule that knows the number of objects in each image has at most 5 of 12 counts, and 38% of all."""
    groups: dict[str, list[int]] = {}
    for where in (INDOORS, OUTDOORS):
        for kind in countable(where, 11):
            shown = [count_designs.many(kind, n) for n in range(12)]
            assert all(n <= sum(each) <= 2 * n and each == count_designs.alike(each) for n, each in enumerate(shown)), kind
            groups.setdefault(where, []).append(len(set(shown)))
    assert max(map(max, groups.values())) <= 5
    assert sum(sum(each) / len(each) / 12 for each in groups.values()) / 2 <= 0.38


def test_counts_from_0_to_11() -> None:
    items = list(some("0-11", 12, "counting"))
    assert sorted(item.answer.truth for item in items) == list(range(12))  # pyright: ignore[reportAttributeAccessIssue] - a count
    for item in items:
        scene = item.scene
        counted = [thing for thing in scene.views.objects if thing.name == scene.category]
        shown = counting.seen_by(counted, scene.views.heading, scene.views.fov)
        assert len(counted) in count_designs.counts_with(scene.category, shown)
        if not counted:
            assert scene.category not in {solid.name for solid in scene.views.world().objects}
