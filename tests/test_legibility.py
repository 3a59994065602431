"""Habitats, and the legibility of objects: predicted while sampling, and measured in pixels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isovist.core.rng import Rng
from isovist.core.scene3d import Camera, Ground, Light, MeshRef, ObjectMarker, Pose, Scene3D, SceneObject, Sky, Sphere
from isovist.core.task import RejectSample
from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.scenes import habitats, legibility, object_catalog
from isovist.world.scenes.camera_framing import STEEPEST, aimed, at_height, photograph, standing
from isovist.world.scenes.habitats import HABITATS, Surface
from isovist.world.scenes.legibility import MESHES, TEXTURES

KNOWN = object_catalog.known()


def test_every_mesh_and_surface_is_measured() -> None:
    """If not: run tools/measure_legibility.py."""
    assert list(MESHES) == sorted(thing.id for thing in object_catalog.THINGS)
    used = {surface.texture for habitat in HABITATS for surface in (*habitat.grounds, *habitat.walls)}
    assert used <= set(TEXTURES)
    for name, measured in MESHES.items():
        assert (min(measured["changes"]) >= 0) == (KNOWN[name].front == "clear"), name


def test_habitats_fit() -> None:
    for thing in object_catalog.THINGS:
        for place in ("indoors", "outdoors"):
            assert all(habitat.place == place for habitat in habitats.of(thing, place))
    named = {thing.id: {habitat.name for habitat in habitats.of(thing)} for thing in object_catalog.THINGS}
    assert named["sailing-boat"] == named["ship-container"] == {"water"}
    assert named["toilet-modern"] == {"bathroom"}
    assert named["zebra"] == {"savanna"}
    assert named["camera"] == {"table", "workbench"}
    assert "bathroom" not in named["sofa-beige"]
    for habitat in HABITATS:
        for things in habitats.residents(habitat, ("clear", "symmetric", "none"), sure=False):
            assert all(habitat in habitats.of(thing, habitat.place) for thing in things)


def test_only_boats_are_in_water() -> None:
    assert habitats.draught(KNOWN["car-suv"]) == 0
    assert 0 < habitats.draught(KNOWN["sailing-boat"]) < 1


def test_cameras_are_held_by_a_person() -> None:
    """At the height of an eye, or lower before a low object; never steeper than the limit; of flat objects from above."""
    heights: list[float] = []
    for i in range(200):
        rng = Rng("eye", i)
        thing = KNOWN[rng.pick(("sofa-beige", "car-suv", "rabbit"))]
        habitat = habitats.draw(rng, thing)
        view = at_height(photograph(rng, (0.4, 0.5)), habitats.eye_height(rng, thing, habitat), thing)
        try:
            camera = aimed(view, [standing(thing, (0.0, 0.0), rng.uniform(-180, 180))])
        except RejectSample:  # not completely in the image
            continue
        away = (camera.eye[0] ** 2 + camera.eye[2] ** 2) ** 0.5
        assert (camera.eye[1] - thing.size[1] / 2) / away < 0.63  # tangent of 32 degrees
        if view.height_m is not None:
            heights.append(camera.eye[1])
    assert min(heights) > 0.3
    assert max(heights) < 2.0
    flat = at_height(photograph(Rng("flat"), (0.4, 0.5)), 1.0, KNOWN["arrow"])
    assert flat.height_m is None
    assert 18 <= flat.elevation <= STEEPEST


def test_contrast_by_hand() -> None:
    """CIELAB of white, black and a middle grey: L is 100, 0 and 53.6."""
    white, black = Surface("", 1.0, "#ffffff"), Surface("", 1.0, "#000000")
    of = {name: measured["colour"] for name, measured in MESHES.items()}
    legible = legibility.contrast("sofa-beige", Surface("", 1.0, of["sofa-beige"]))
    assert legible == pytest.approx(0, abs=1e-9)
    both = legibility.contrast("sheep", white), legibility.contrast("sheep", black)
    assert 80 < sum(both) < 130
    assert legibility.contrast("my:mesh", white) == 100


def test_surfaces_are_drawn_by_contrast() -> None:
    same = Surface("", 1.0, MESHES["cow"]["colour"])
    other = Surface("", 1.0, "#203080")
    picked = {legibility.pick_surface(Rng("surface", i), (same, other), [("cow", None)]) for i in range(20)}
    assert picked == {other}
    assert legibility.pick_surface(Rng("only"), (same,), [("cow", None)]) == same


def test_headings_of_a_box_do_not_tell() -> None:
    assert not legibility.tells("wardrobe-white", 180)
    assert legibility.tells("stove", 0)
    assert not legibility.tells("shed", 90)
    assert legibility.always_tells("chair-red")
    assert legibility.tells("my:mesh", 10)


# By pixels ---------------------------------------------------------------------------------------------------------


CAMERA = Camera((0.0, 1.2, 4.0), (0.0, 0.5, 0.0), 40.0)


def test_asked_objects() -> None:
    from isovist.audit.legibility import asked

    man, wall = SceneObject(MeshRef("man-plain")), SceneObject(Sphere(1.0), name="post box")
    assert asked(Scene3D((wall, man), CAMERA), "Where?") == (1,)
    assert asked(Scene3D((wall, man), CAMERA), "Where is the post box?") == (0,)
    assert asked(Scene3D((man, man), CAMERA), "Where?") == ()
    assert asked(Scene3D((man, man), CAMERA, markers=(ObjectMarker(1),)), "Where?") == (1,)


def test_an_object_like_its_ground_is_illegible() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.audit import legibility as measured
    from isovist.world.render import rasterizer3d

    even = Light((0.0, 1.0, 0.01), 0.0, 1.0, shadows=False)
    values: list[float] = []
    for colour in ("#808080", "#e01008"):
        ball = SceneObject(Sphere(0.4), colour=colour)
        picture = Scene3D((ball,), CAMERA, Ground("#808080", None, 0.0), even, Sky("#808080", "#808080"))
        buffers = rasterizer3d.render(picture, 192)
        contrast = measured.contrast(buffers.colour, buffers.solid == 0)
        assert contrast is not None
        values.append(contrast)
    assert values[0] < 12 < 30 < values[1]
    one = measured.Legibility("item", measured.LEAST_PIXELS - 1, measured.LEAST_CONTRAST - 1, measured.LEAST_CHANGE / 2)
    assert len(one.faults) == 3
    assert not replace(one, pixels=5000, contrast=None, change=None).faults


def test_a_turn_changes_a_chair_more_than_a_wardrobe() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.audit.legibility import changes

    chair, wardrobe = (
        changes(SceneObject(MeshRef(name), Pose(yaw=20)), Camera((0, 1.5, 6), (0, 0.7, 0), 30)) for name in ("chair-red", "wardrobe-white")
    )
    assert chair.shape == (8, 7)
    assert chair.min() > 4 * wardrobe.min()


def test_least_sizes_of_scenes_are_half_of_their_sizes() -> None:
    """At a quarter of its pixels an object is still seen; see docs/validity.md for the figures."""
    scenes = {
        id: task.images
        for id, task in registry.built_in_tasks().items()
        if id.startswith(("dori/", "cospace/", "srbench/orientation", "srbench/spatial"))
    }
    assert len(scenes) == 18
    assert all(images.least_px == images.size_px / 2 for images in scenes.values())


def test_items_are_legible() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.audit.legibility import measured

    for name in ("dori/directional-facing", "srbench/orientation"):
        for item in Items(registry.task(name), 4, 5):
            (one,) = measured(item)
            assert not one.faults, (item.id, one.faults)
