"""Stages to pixels: what is seen where, against projections, areas by hand and ray casts; light; the same pixels everywhere."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scenes3d_examples
import trimesh
from numpy.typing import NDArray
from PIL import Image
from trimesh.ray.ray_pyembree import RayMeshIntersector

from isovist.core.rotation import tangent
from isovist.core.scene3d import (  # fmt: skip
    Box,
    Camera,
    Cylinder,
    Ground,
    Light,
    ObjectMarker,
    Panorama,
    Pose,
    Scene3D,
    SceneObject,
    Sky,
    Sphere,
    Texture,
    Wedge,
    place,
    project,
    view,
)
from isovist.world.render import asset_pool, image, jit, pixels, rasterizer3d
from isovist.world.render.assembly import assemble
from isovist.world.render.visibility import box, sights

Pixels = NDArray[np.uint8]
WHITE = Sky("#ffffff", "#ffffff")


def hue(picture: Pixels, name: str) -> NDArray[np.bool_]:
    """Where one of red, green and blue is more than twice each of the others."""
    i = ("red", "green", "blue").index(name)
    c = picture.astype(int)
    a, b = (c[..., k] for k in range(3) if k != i)
    return (c[..., i] > 2 * np.maximum(a, b)) & (c[..., i] > 60)


def centre(mask: NDArray[np.bool_]) -> tuple[float, float]:
    rows, columns = np.nonzero(mask)
    return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5


# ---- where things are -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "pose"), scenes3d_examples.POSES.items())
def test_the_knobs_of_the_block_are_where_the_convention_says(name: str, pose: Pose) -> None:
    stage = scenes3d_examples.axes(pose)
    picture = pixels(stage, scenes3d_examples.SIDE)
    for colour, point in (("red", scenes3d_examples.NOSE), ("green", scenes3d_examples.GREEN_KNOB), ("blue", scenes3d_examples.BLUE_KNOB)):
        x, y, _ = project(stage.camera, place(stage.objects[0], point))
        seen = hue(picture, colour)
        if colour == "blue" and pose.yaw == 90:  # behind the block
            assert seen.sum() < 200
            continue
        assert seen.sum() > 300
        assert centre(seen) == pytest.approx((x, y), abs=14 if colour == "red" else 4), (name, colour)


def test_the_words_of_the_convention_in_the_picture() -> None:
    """What anyone can check in docs/images/stage-axes.png."""
    half = scenes3d_examples.SIDE / 2
    seen = {
        name: {c: centre(hue(pixels(scenes3d_examples.axes(pose), scenes3d_examples.SIDE), c)) for c in ("red", "green", "blue")}
        for name, pose in scenes3d_examples.POSES.items()
    }
    assert seen["yaw 0"]["blue"][0] > half + 50  # its own left at the right of the picture
    assert seen["yaw 0"]["green"][1] < half - 50
    assert seen["yaw 90"]["red"][0] > half + 50  # the front to +X
    assert seen["pitch 30"]["red"][1] > seen["yaw 0"]["red"][1] + 30  # down
    assert seen["roll 30"]["green"][0] < seen["yaw 0"]["green"][0] - 20  # counterclockwise seen from the front
    assert seen["roll 30"]["blue"][1] < seen["yaw 0"]["blue"][1] - 20
    with Image.open(scenes3d_examples.AXES) as picture:
        drawn = np.asarray(picture).astype(int)
    assert np.abs(drawn - scenes3d_examples.sheet()).mean() < 1


@pytest.mark.parametrize("size", [(1.0, 0.5, 0.3), (0.4, 1.2, 2.0)])
def test_an_orthographic_box_has_the_areas_of_its_faces(size: tuple[float, float, float]) -> None:
    camera = Camera((3.0, 0.0, 4.0), span=3.0, width=300, height=300)  # 3, 4, 5: the sides' shares of the view are 3/5 and 4/5
    w, h, d = size
    stage = Scene3D((SceneObject(Box(size), Pose((0, -h / 2, 0)), colour="#808080"),), camera, ground=None, sky=WHITE)
    seen = rasterizer3d.render(stage)
    metre = 100.0
    sides = (seen.triangle[seen.solid == 0] // 2, (w * h * 0.8, h * d * 0.6))  # two triangles a side: front, back, right, ...
    assert (sides[0] == 0).sum() / metre**2 == pytest.approx(sides[1][0], rel=0.01)
    assert (sides[0] == 2).sum() / metre**2 == pytest.approx(sides[1][1], rel=0.01)
    assert set(np.unique(sides[0])) == {0, 2}
    assert box(seen.solid == 0) == pytest.approx(
        (150 - 50 * (0.8 * w + 0.6 * d), 150 - 50 * h, 150 + 50 * (0.8 * w + 0.6 * d), 150 + 50 * h), abs=1
    )


def test_a_flat_form_is_told_so() -> None:
    with pytest.raises(ValueError, match="without width, height or depth"):
        rasterizer3d.render(Scene3D((SceneObject(Box((1.0, 0.0, 1.0))),), Camera((0, 0, 5)), ground=None))


def test_a_ball_is_a_disc_of_its_size() -> None:
    camera = Camera((0, 0, 5), fov=40, width=400, height=400)
    seen = rasterizer3d.render(Scene3D((SceneObject(Sphere(1.0), pivot=(0, 1, 0)),), camera, ground=None))
    radius = 200 / tangent(20) * math.tan(math.asin(1 / 5))
    assert (seen.solid == 0).sum() == pytest.approx(math.pi * radius**2, rel=0.01)


def test_the_ground_begins_at_the_horizon_and_things_stand_on_it() -> None:
    camera = Camera((0, 1, 4), (0, 1, 0), fov=60, width=200, height=200)
    seen = rasterizer3d.render(Scene3D((SceneObject(Cylinder(0.3, 1.0)),), camera))
    assert (seen.solid[:100, 50] == -1).all()
    assert (seen.solid[101:, 50] == -2).all()
    foot = project(camera, (0.0, 0.0, 0.3))[1]
    assert np.nonzero(seen.solid[:, 100] == 0)[0].max() == pytest.approx(foot, abs=1)


def test_what_is_behind_the_camera_or_passes_it_is_cut_off() -> None:
    camera = Camera((0, 1, 0), (0, 1, -1), fov=90, width=200, height=100)
    wall = SceneObject(Box((0.2, 3, 40)), Pose((1.1, -1, 0)))  # along the view, on the right, from far behind to far ahead
    behind = SceneObject(Box((5, 5, 1)), Pose((0, 0, 3)))
    seen = rasterizer3d.render(Scene3D((wall, behind), camera, ground=None))
    assert (seen.solid == 1).sum() == 0
    assert (seen.solid[:, :99] == -1).all()
    assert (seen.solid[:, 153:] == 0).all()  # one metre to the right of an eye whose picture is one metre wide each way, one ahead
    assert (seen.solid[50, 105:] == 0).all()


# ---- a second opinion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_embree_sees_the_same_solids_at_every_sample(seed: int) -> None:
    stage = replace(scenes3d_examples.crowd(seed), ground=None)
    assert isinstance(stage.camera, Camera)
    cast = assemble(stage.objects)
    eye = rasterizer3d.camera_eye(stage.camera, None)
    ours = rasterizer3d.look(stage, cast, eye).triangle
    owners = np.append(cast.owner, -1)
    mesh = trimesh.Trimesh(cast.world.reshape(-1, 3), np.arange(3 * len(cast.world)).reshape(-1, 3), process=False)
    rows, columns = np.indices(ours.shape)
    x = (columns + 0.5 + np.where(rows % 2 == 0, 0.25, -0.25) - eye.columns / 2) / eye.scale
    y = (eye.rows / 2 - rows - 0.5 + np.where(columns % 2 == 0, 0.25, -0.25)) / eye.scale
    right, up, back = map(np.array, view(stage.camera))
    across = x[..., None] * right + y[..., None] * up
    flat = stage.camera.span is not None
    origins = np.array(eye.at) + (across if flat else np.zeros_like(across))
    ahead = np.broadcast_to(-back, across.shape) if flat else across - back
    hit = RayMeshIntersector(mesh).intersects_first(origins.reshape(-1, 3), ahead.reshape(-1, 3)).reshape(ours.shape)
    theirs = owners[hit]
    assert len(np.unique(theirs)) > 4
    assert (owners[ours] != theirs).mean() < 0.001
    assert ((ours >= 0) != (hit >= 0)).mean() < 0.001


@pytest.mark.parametrize("heading", [0.0, 130.0])
def test_a_panorama_shows_every_ball_where_it_is_projected(heading: float) -> None:
    places = [(3, 0.5, 0.5), (-2, 1, -2), (0.2, 3, 0.4), (0.5, -2, -0.7), (-1, 1.5, 3), (1, 0, -3)]
    solids = tuple(SceneObject(Sphere(0.25), Pose(at), pivot=(0, 0.25, 0)) for at in places)
    around = Panorama((0.1, 0.6, 0.0), heading, width=720)
    seen = rasterizer3d.render(Scene3D(solids, around, ground=None))
    assert seen.colour.shape == (360, 720, 3)
    for i, at in enumerate(places):
        x, y, distance = project(around, at)
        mask = seen.solid == i
        if 40 < x < 680 and 60 < y < 300:
            assert centre(mask) == pytest.approx((x, y), abs=1.5)
        # the solid angle that it fills
        share = (mask * np.cos((0.5 - (np.arange(360) + 0.5) / 360) * math.pi)[:, None]).sum() * (2 * math.pi / 720) ** 2
        assert share == pytest.approx(2 * math.pi * (1 - math.sqrt(1 - (0.25 / distance) ** 2)), rel=0.03)


# ---- what is hidden -------------------------------------------------------------------------------------------------


def test_half_of_a_box_behind_another_is_half_seen() -> None:
    camera = Camera((0, 0.5, 6), (0, 0.5, 0), span=2.0, width=200, height=200)
    target, screen = SceneObject(Box((1, 1, 1))), SceneObject(Box((1, 1, 0.1)), Pose((0.5, 0, 2)))
    away = SceneObject(Box((1, 1, 1)), Pose((0.75, 0, -3)))
    far = SceneObject(Box((1, 1, 1)), Pose((9, 0, 0)))
    visible = sights(Scene3D((target, screen, away, far), camera))
    assert visible[0].share == pytest.approx(0.5, abs=0.01)
    assert (visible[0].box, visible[0].box_alone) == ((50, 50, 100, 150), (50, 50, 150, 150))
    assert visible[1].share == 1
    assert visible[2].share == 0
    assert [sight.cut for sight in visible] == [False, True, True, False]  # the screen and the hidden box end at the edge or beyond
    assert (visible[3].share, visible[3].box, visible[3].alone) == (0.0, None, 0)
    assert visible[0].front_share == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("yaw", "share"), [(0, 1.0), (45, 0.5), (135, 0.0), (180, 0.0)])
def test_the_front_is_seen_from_the_front(yaw: float, share: float) -> None:
    camera = Camera((0, 0.5, 6), (0, 0.5, 0), span=3.0, width=200, height=200)
    for turn in (1, -1):
        (sight,) = sights(Scene3D((SceneObject(Box((1, 1, 1)), Pose(yaw=turn * yaw)),), camera))
        assert sight.front / sight.pixels == pytest.approx(share, abs=0.02)


def test_a_panorama_counts_what_is_hidden_too() -> None:
    stage = Scene3D(
        (SceneObject(Box((1, 1, 1)), Pose((0, 0, -3))), SceneObject(Box((1, 2, 0.1)), Pose((0.5, 0, -1.5)))),
        Panorama((0, 0.5, 0), width=512),
    )
    hidden, screen = sights(stage)
    assert hidden.share == pytest.approx(0.5, abs=0.04)
    assert screen.share == 1


# ---- light ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "z"), [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.7, 0.7)])
def test_a_shadow_falls_away_from_the_sun(x: float, z: float) -> None:
    camera = Camera((0, 8, 0.1), (0, 0, 0), span=6.0, width=240, height=240)
    stage = Scene3D((SceneObject(Cylinder(0.3, 1.0)),), camera, light=Light(sun_direction=(x, 1.0, z)), ground=Ground(haze=0))
    lit, dark = rasterizer3d.render(replace(stage, light=replace(stage.light, shadows=False))), rasterizer3d.render(stage)
    fallen = (lit.colour.astype(int) - dark.colour).sum(axis=2) > 60
    assert (dark.solid[fallen] == -2).mean() > 0.9
    # seen from above, the shadow of 1 m under a sun at 45 degrees reaches 1 m away from the foot
    across, down = centre(fallen & (dark.solid == -2))
    middle = 40 * (0.5 + 0.12) * np.array([-x, -z]) / math.hypot(x, z)
    assert (across - 120, down - 120) == pytest.approx(middle, abs=5)
    reach = np.hypot(*(np.argwhere(fallen)[:, ::-1] + 0.5 - 120).T).max()
    assert reach == pytest.approx(40 * (1 / math.hypot(x, z) ** -1 + 0.3), rel=0.06)


def test_the_side_towards_the_sun_is_brighter_and_a_surface_does_not_shade_itself() -> None:
    camera = Camera((0, 1, 5), (0, 0.5, 0), fov=30, width=200, height=200)
    picture = rasterizer3d.render(
        Scene3D((SceneObject(Sphere(0.6), colour="#909090"),), camera, light=Light((-1, 1, 1)), ground=None)
    ).colour
    assert picture[90, 80].sum() > picture[110, 130].sum() + 100
    plate = rasterizer3d.render(Scene3D((SceneObject(Box((3, 0.1, 3))),), camera, ground=None))
    top = plate.colour[plate.triangle // 2 == 4].astype(int)
    assert len(top) > 1000
    assert (np.abs(top - np.median(top, axis=0)) <= 1).all(axis=1).mean() > 0.93  # one plane, one light; but for its rim


def test_a_solid_that_casts_none_casts_none() -> None:
    stage = scenes3d_examples.crowd(3)
    stage = replace(stage, ground=Ground(), objects=tuple(replace(solid, casts_shadow=False) for solid in stage.objects))
    dark = rasterizer3d.render(replace(stage, light=replace(stage.light, shadows=False)))
    assert (rasterizer3d.render(stage).colour == dark.colour).all()


def test_a_far_checker_is_grey_and_a_near_one_has_its_squares() -> None:
    floor = Ground("#909090", Texture("checker", 0.5), haze=0)  # below the shoulder of the tone curve
    picture = rasterizer3d.render(Scene3D((), Camera((0, 1, 0), (0, 0.7, -1), fov=60, width=300, height=300), floor)).colour.astype(int)
    rows = np.flatnonzero(
        (rasterizer3d.render(Scene3D((), Camera((0, 1, 0), (0, 0.7, -1), fov=60, width=300, height=300), floor)).solid == -2).all(axis=1)
    )
    far, near = picture[rows[1]], picture[-20]
    assert far.std(axis=0).max() < 4
    assert near.std(axis=0).min() > 20
    assert far[:, 0].mean() == pytest.approx(near[:, 0].mean(), abs=15)


# ---- the same each time ---------------------------------------------------------------------------------------------


def fingerprint(seed: int) -> str:
    """Of every buffer of two pictures of a crowd."""
    stage = scenes3d_examples.crowd(seed)
    digest = sha256()
    for shown in (stage, replace(stage, camera=Panorama((0.0, 1.0, 2.5), width=128))):
        seen = rasterizer3d.render(shown)
        for part in (seen.colour, seen.solid, seen.triangle):
            digest.update(part.tobytes())
    return digest.hexdigest()


def test_a_picture_is_the_same_after_others_and_in_other_processes() -> None:
    here = [fingerprint(seed) for seed in range(4)]
    assert [fingerprint(seed) for seed in reversed(range(4))] == here[::-1]
    code = "import test_scene3d as t; print(*map(t.fingerprint, range(4)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    assert ran.stdout.split() == here
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(fingerprint, range(4))) == here


def test_where_nothing_can_be_written_the_compiled_code_is_kept_in_a_folder_of_ones_own() -> None:
    code = """if True:
    import os, stat
    os.environ.pop("NUMBA_CACHE_DIR", None)
    os.access = lambda *args: False
    from isovist.world.render import jit as compiled
    folder = os.environ["NUMBA_CACHE_DIR"]
    print(folder, oct(stat.S_IMODE(os.stat(folder).st_mode)))
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    folder, mode = ran.stdout.split()
    assert mode == "0o700"
    assert not Path(folder).exists()  # it goes with its process


# ---- finished pictures ----------------------------------------------------------------------------------------------


def test_size_is_the_pixels_of_the_shorter_side() -> None:
    stage = replace(scenes3d_examples.crowd(1), camera=Camera((0, 1, 4), width=300, height=200))
    assert pixels(stage, 100).shape == (100, 150, 3)
    assert image(stage, 100).size == (150, 100)
    assert pixels(replace(stage, camera=Panorama((0, 1, 3))), 100).shape == (100, 200, 3)
    small, large = pixels(stage, 100).astype(int), pixels(stage, 400).astype(int)
    assert np.abs(large.reshape(100, 4, 150, 4, 3).mean(axis=(1, 3)) - small).mean() < 3


def test_a_finished_picture_is_mirrored_first_and_then_turned_clockwise() -> None:
    stage = scenes3d_examples.crowd(2)
    plain = pixels(stage, 120)
    assert (pixels(replace(stage, mirrored=True), 120) == plain[:, ::-1]).all()
    quarter = pixels(replace(stage, image_rotation_deg=90), 120)
    assert (quarter[:, -1] == plain[0]).all()  # the top row is at the right
    assert (pixels(replace(stage, mirrored=True, image_rotation_deg=90), 120)[:, -1] == plain[0, ::-1]).all()
    assert (pixels(replace(stage, image_rotation_deg=180), 120) == plain[::-1, ::-1]).all()
    with pytest.raises(ValueError, match="multiple of 90"):
        pixels(replace(stage, image_rotation_deg=45), 120)


def test_a_mark_frames_what_is_seen_and_nothing_else_changes() -> None:
    camera = Camera((0, 0.5, 6), (0, 0.5, 0), span=2.0, width=200, height=200)
    stage = Scene3D((SceneObject(Box((1, 1, 1))), SceneObject(Wedge((1, 1, 0.1)), Pose((9, 0, 0)))), camera, ground=None)
    plain, marked = pixels(stage, 200), pixels(replace(stage, markers=(ObjectMarker(0),)), 200)
    changed = (plain != marked).any(axis=2)
    left, top, right, bottom = box(changed) or (0, 0, 0, 0)
    assert (left, top, right, bottom) == pytest.approx((47, 47, 153, 153), abs=1.5)
    assert not changed[52:148, 52:148].any()
    assert hue(marked, "red")[changed].mean() > 0.3  # the line is thin, and its rims are soft
    with pytest.raises(ValueError, match="not visible"):
        pixels(replace(stage, markers=(ObjectMarker(1),)), 200)


def test_what_is_kept_between_pictures_of_one_place_changes_none_of_them() -> None:
    """Solids and shadows are kept from one picture to the next; another view, sun or solid is drawn as it is when drawn first."""
    first = scenes3d_examples.crowd(3)
    other_view = replace(first, camera=Camera((3.0, 1.5, -3.0), (0, 0.4, 0), width=160, height=120))
    other_sun = replace(first, light=Light((1.0, 1.0, -0.3)))
    no_shadow = replace(first, objects=tuple(replace(solid, casts_shadow=False) for solid in first.objects))
    fewer = replace(first, objects=first.objects[1:])
    together = [rasterizer3d.render(stage).colour for stage in (first, other_view, other_sun, first, no_shadow, fewer, first)]
    for stage, seen in zip((first, other_view, other_sun, first, no_shadow, fewer, first), together, strict=True):
        asset_pool.forget()
        assert np.array_equal(rasterizer3d.render(stage).colour, seen)
    assert not np.array_equal(together[0], together[2])
    assert not np.array_equal(together[0], together[4])


def test_no_garbage_is_collected_while_a_kernel_is_compiled_and_then_it_is_again() -> None:
    kernel, other = (
        SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)}) for function in (rasterizer3d.look, SimpleNamespace)
    )
    listener = jit._Compilation()
    assert gc.isenabled()
    listener.on_start(other)
    assert gc.isenabled()
    listener.on_start(kernel)
    listener.on_start(other)
    listener.on_end(other)
    assert not gc.isenabled()
    listener.on_end(kernel)
    assert gc.isenabled()
    gc.disable()
    listener.on_start(kernel)
    listener.on_end(kernel)
    listener.on_end(other)
    collects = gc.isenabled()
    gc.enable()
    assert not collects
