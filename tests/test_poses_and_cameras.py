"""Poses and cameras: what the words of the convention promise, and the same by another way."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from isovist.core import rotation as rot
from isovist.core import scene3d as s
from isovist.core.canonical_json import canonical_json

turns = st.floats(-720, 720, allow_nan=False)
coarse = st.integers(-48, 48).map(lambda k: 15.0 * k)
places = st.tuples(*[st.floats(-5, 5)] * 3)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def near(a: object, b: object, by: float = 1e-9) -> bool:
    return bool(np.allclose(np.array(a), np.array(b), atol=by, rtol=0))


# ---- rotations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(-24, 49))
def test_sines_are_exact_at_multiples_of_15_degrees(k: int) -> None:
    angle = 15.0 * k
    assert rot.sine(angle) == pytest.approx(math.sin(math.radians(angle)), abs=1e-15)
    assert rot.sine(angle) == -rot.sine(-angle) == rot.sine(180 - angle) == rot.cosine(90 - angle)
    assert rot.sine(angle) in {sign * value for sign in (1, -1) for value in (0.0, 0.5, 1.0, *map(rot.sine, (15.0, 45.0, 60.0, 75.0)))}
    assert math.copysign(1, rot.sine(180.0)) == 1


@given(turns)
def test_sines_are_sines(angle: float) -> None:
    assert rot.sine(angle) == pytest.approx(math.sin(math.radians(angle)), abs=2e-12)
    assert rot.cosine(angle) == pytest.approx(math.cos(math.radians(angle)), abs=2e-12)


@given(st.one_of(coarse, turns), st.one_of(coarse, turns), st.one_of(coarse, turns))
def test_a_rotation_is_what_scipy_makes_of_its_three_angles(yaw: float, pitch: float, roll: float) -> None:
    ours = rot.composed(yaw, pitch, roll)
    assert near(ours, Rotation.from_euler("zxy", [roll, pitch, yaw], degrees=True).as_matrix())  # about fixed axes, roll first
    assert near(rot.after(ours, rot.transposed(ours)), rot.IDENTITY)


@given(st.one_of(coarse, turns), st.one_of(coarse, turns), st.one_of(coarse, turns))
def test_angles_give_the_rotation_back(yaw: float, pitch: float, roll: float) -> None:
    matrix = rot.composed(yaw, pitch, roll)
    again = rot.angles(matrix)
    assert near(rot.composed(*again), matrix, 1e-5)  # next to a vertical front the angles lose half their digits
    assert -180 < again[0] <= 180
    assert -90 <= again[1] <= 90
    assert -180 < again[2] <= 180


@given(st.integers(-11, 12), st.integers(-5, 5), st.integers(-11, 12))
def test_angles_of_a_rotation_by_multiples_of_15_are_these(yaw: int, pitch: int, roll: int) -> None:
    angles = (15.0 * yaw, 15.0 * pitch, 15.0 * roll)
    assert rot.angles(rot.composed(*angles)) == angles


@given(turns, turns, turns, st.floats(0.01, 179.9), st.sampled_from("xyz"))
def test_the_angle_between_two_rotations_is_that_of_the_turn(yaw: float, pitch: float, roll: float, by: float, axis: str) -> None:
    matrix = rot.composed(yaw, pitch, roll)
    assert rot.angle_between(matrix, rot.after(matrix, rot.turn(axis, by))) == pytest.approx(by, abs=1e-3)


def test_only_three_axes_have_names() -> None:
    with pytest.raises(ValueError, match="no axis"):
        rot.turn("w", 1)


# ---- poses ----------------------------------------------------------------------------------------------------------


def test_the_words_of_the_convention() -> None:
    assert s.front(s.Pose()) == Z
    assert s.front(s.Pose(yaw=90)) == X  # counterclockwise seen from above
    assert s.front(s.Pose(pitch=30)) == (0.0, -0.5, rot.cosine(30))  # down
    assert s.up(s.Pose(pitch=90)) == Z
    assert s.up(s.Pose(roll=90)) == (-1.0, 0.0, 0.0)  # counterclockwise for one who looks at the front, and has +X at the right
    assert s.own_left(s.Pose()) == X
    # roll first: after it the green top is at -X, and yaw takes it to the front
    assert s.up(s.Pose(yaw=90, roll=90)) == Z


@given(st.tuples(turns, turns, turns), st.sampled_from("xyz"), turns)
def test_a_turn_of_the_world_comes_after_and_an_own_turn_before(angles: tuple[float, float, float], axis: str, by: float) -> None:
    pose = s.Pose((1, 2, 3), *angles)
    assume(abs(abs(s.rotation(pose)[1][2]) - 1) > 1e-6)
    of_world, of_own = s.turned(pose, axis, by), s.turned_own(pose, axis, by)
    assert of_world.position == of_own.position == pose.position
    before = Rotation.from_matrix(s.rotation(pose))
    step = Rotation.from_euler(axis, by, degrees=True)
    assert near(s.rotation(of_world), (step * before).as_matrix(), 1e-4)
    assert near(s.rotation(of_own), (before * step).as_matrix(), 1e-4)


@given(places, places, turns, st.floats(0.1, 3))
def test_a_point_is_placed_about_the_pivot(at: rot.Vector, pivot: rot.Vector, yaw: float, scale: float) -> None:
    solid = s.SceneObject(s.Box((1, 1, 1)), s.Pose(at, yaw=yaw, pitch=20), scale=scale, pivot=pivot)
    assert near(s.place(solid, pivot), at)
    point = s.place(solid, (pivot[0], pivot[1], pivot[2] + 1))
    assert near(np.subtract(point, at), np.multiply(scale, s.front(solid.pose)))


# ---- cameras --------------------------------------------------------------------------------------------------------

FRONT_ON = s.Camera((0, 0, 5), fov=60, width=600, height=400)


def test_a_camera_at_plus_z_has_plus_x_at_the_right_and_plus_y_at_the_top() -> None:
    assert s.project(FRONT_ON, s.ORIGIN) == pytest.approx((300, 200, 5))
    x, y, depth = s.project(FRONT_ON, (1, 1, 0))
    assert x > 300
    assert y < 200
    assert depth == pytest.approx(5)
    assert s.project(FRONT_ON, (0, 5 * rot.tangent(30), 0))[1] == pytest.approx(0)  # half of 60 degrees above the middle


@given(places, places, places, st.floats(20, 90))
def test_a_point_appears_where_a_matrix_product_puts_it(eye: rot.Vector, target: rot.Vector, point: rot.Vector, fov: float) -> None:
    assume(math.hypot(eye[0] - target[0], eye[2] - target[2]) > 0.1)
    ahead = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    right = np.cross(ahead, Y) / np.linalg.norm(np.cross(ahead, Y))
    local = np.array([right, np.cross(right, ahead), ahead]) @ np.subtract(point, eye)
    camera = s.Camera(eye, target, fov=fov, width=640, height=480)
    if local[2] < 0.06:
        assume(local[2] < 0.04)
        with pytest.raises(ValueError, match="not in front of the camera"):
            s.project(camera, point)
        return
    focal = 240 / math.tan(math.radians(fov / 2))
    assert near(s.project(camera, point), (320 + focal * local[0] / local[2], 240 - focal * local[1] / local[2], local[2]), 1e-5)
    flat = replace(camera, span=4.0)
    assert near(s.project(flat, point), (320 + 120 * local[0], 240 - 120 * local[1], local[2]), 1e-6)


def test_a_panorama_has_minus_z_in_its_middle_and_plus_x_to_the_right() -> None:
    around = s.Panorama((0, 1, 0), width=800)
    assert s.project(around, (0, 1, -2)) == pytest.approx((400, 200, 2))
    assert s.project(around, (2, 1, 0)) == pytest.approx((600, 200, 2))
    assert s.project(around, (-3, 1, 0)) == pytest.approx((200, 200, 3))
    assert s.project(around, (0, 5, 0))[1] == pytest.approx(0)
    assert s.project(replace(around, heading=90.0), (2, 1, 0)) == pytest.approx((400, 200, 2))


@given(st.floats(-179, 179), st.floats(-179, 179), places)
def test_what_faces_the_camera_has_facing_0_and_then_its_yaw(azimuth: float, yaw: float, at: rot.Vector) -> None:
    eye = (at[0] + 4 * rot.sine(azimuth), at[1] + 1, at[2] + 4 * rot.cosine(azimuth))
    facing = s.facing(s.Camera(eye, at), s.Pose(at, yaw=yaw))
    assert abs(rot.wrapped(facing - (yaw - azimuth))) < 1e-6
    assert -180 < facing <= 180


@pytest.mark.parametrize(("yaw", "side"), [(90.0, 1), (-90.0, -1)])
def test_a_positive_facing_is_to_the_right_of_the_picture(yaw: float, side: int) -> None:
    assert s.facing(FRONT_ON, s.Pose(yaw=yaw)) == yaw
    nose = s.project(FRONT_ON, s.place(s.SceneObject(s.Box((1, 1, 1)), s.Pose(yaw=yaw)), Z))
    assert (nose[0] - 300) * side > 0


@given(turns, st.floats(-80, 80), turns)
def test_a_pose_survives_the_frame_of_a_camera(yaw: float, pitch: float, roll: float) -> None:
    camera, pose = s.Camera((3, 2, 4), (0, 1, 0)), s.Pose((1, 2, 3), yaw, pitch, roll)
    again = s.back_from(camera, s.seen_from(camera, pose), pose.position)
    assert near(s.rotation(again), s.rotation(pose), 1e-6)
    # one that looks straight at the camera has its front along the view
    assert near(rot.transposed(s.seen_from(FRONT_ON, s.Pose()))[2], Z)


def test_directions_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no direction"):
        s.view(s.Camera((0, 5, 0)))
    with pytest.raises(ValueError, match="no yaw"):
        s.facing(FRONT_ON, s.Pose(pitch=90))
    with pytest.raises(ValueError, match="no direction"):
        s.project(s.Panorama((0, 1, 0)), (0, 1, 0))


def test_a_stage_is_json_in_which_every_form_says_its_kind() -> None:
    forms = (s.Box((1, 1, 1)), s.Wedge((1, 1, 1)), s.Cylinder(1, 1), s.Cone(1, 1), s.Sphere(1), s.MeshRef("chair"))
    stage = s.Scene3D(
        (*map(s.SceneObject, forms), s.SceneObject(s.Group((s.Part(forms[0], texture=s.Texture("checker")),)))), s.Camera((0, 1, 4))
    )
    data = json.loads(canonical_json(stage))
    assert [solid["geometry"]["kind"] for solid in data["objects"]] == ["box", "wedge", "cylinder", "cone", "sphere", "mesh", "group"]
    assert canonical_json(stage) == canonical_json(replace(stage))
    assert hash(stage) == hash(replace(stage))
