"""Questions about annotated photographs: small sets in the form of each source, whose right answers were worked out by hand."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import cast

import numpy as np
import posed_sets as sets
import pytest
from PIL import Image
from workbench import done, isovist, refused, stored

from isovist.common.installation import install_command
from isovist.data.dataset.rows import ItemRow
from isovist.suites.dori.shared_parts import UNKNOWN
from isovist.suites.registry import published_scorer

Keys = dict[tuple[str, str], list[str]]


def taken(name: str, path: Path, out: Path, *more: object) -> tuple[list[ItemRow], list[dict[str, object]], str]:
    """The rows, what was rejected, and what the command said."""
    ended = done("import", name, path, "--out", out, *more)
    file = out / "skipped.jsonl"
    rejected = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return stored(out), rejected, ended.out + ended.err


def keys(rows: Sequence[ItemRow]) -> Keys:
    """The right options of each task and level, in order."""
    keys_by_task: Keys = {}
    for row in rows:
        keys_by_task.setdefault((row.task.partition("/")[2], row.level), []).append(row.choices["ABCDEFGHI".index(row.answer)])
    return keys_by_task


ALL = ("--tasks", "*")


def car(x: float, z: float, turn: float, box: str = "520 90 700 270", kind: str = "Car", cut: float = 0, hid: int = 0) -> str:
    """A line of KITTI with rotation_y in degrees; alpha is that less the bearing of the object."""
    ry = radians(turn)
    alpha = ry - np.arctan2(x, z)
    return f"{kind} {cut:.2f} {hid} {alpha:.2f} {box} 1.50 1.60 4.00 {x:.2f} 1.60 {z:.2f} {ry:.2f}"


@pytest.mark.parametrize(
    ("turn", "coarse", "fine", "parallel"),
    [
        # straight ahead, so rotation_y and alpha are one; its front is (cos, 0, -sin) with x right and z forward:
        (90, "Toward the camera", "Toward the camera (0 degrees)", "0 to 45 degrees"),  # (0, 0, -1)
        (
            -90,
            "Away from the camera",
            "Another direction, more than 45 degrees from the camera direction",
            "135 to 180 degrees",
        ),  # (0, 0, 1)
        (
            0,
            "Toward the right of the image",
            "Another direction, more than 45 degrees from the camera direction",
            None,
        ),  # (1, 0, 0); 90 degrees is an edge
        (179, "Toward the left of the image", "Another direction, more than 45 degrees from the camera direction", None),  # (-1, 0, 0)
        (62, "Toward the camera", "About 30 degrees to the right", "0 to 45 degrees"),  # (.47, 0, -.88): 28 degrees to the right
        (118, "Toward the camera", "About 30 degrees to the left", "0 to 45 degrees"),  # (-.47, 0, -.88): 28 degrees to the left
        (
            -22,
            "Toward the right of the image",
            "Another direction, more than 45 degrees from the camera direction",
            "90 to 135 degrees",
        ),  # 112 off
    ],
)
def test_kitti_rotation_y_is_zero_to_the_right_and_grows_towards_the_camera(
    tmp_path: Path, turn: float, coarse: str, fine: str, parallel: str | None
) -> None:
    rows, _, _ = taken("kitti", sets.kitti(tmp_path / "k", a=[car(0, 10, turn)]), tmp_path / "out", *ALL)
    keys_by_task = keys(rows)
    assert keys_by_task["directional-facing", "coarse"] == [coarse]
    assert keys_by_task["directional-facing", "granular"] == [fine]
    assert keys_by_task.get(("view-parallelism", "granular")) == ([parallel] if parallel else None)


@pytest.mark.parametrize(
    ("turn", "coarse", "fine"),
    [
        # 45 degrees to the right of the camera; seen from above, with the camera below, from lower right to down is clockwise
        (45, "Clockwise", "45 degrees"),
        (135, "Counterclockwise", None),  # 45 degrees to the left: clockwise it is 315, which is no option
        (0, "Clockwise", "90 degrees"),
        (-45, "Clockwise", "135 degrees"),  # it faces away and to the right
        (-90, "Rotation by 180 degrees: both directions are equally long", "180 degrees"),
        (90, "No rotation: it already faces the camera", "0 degrees"),
    ],
)
def test_the_turn_to_the_camera_is_clockwise_for_what_faces_right(tmp_path: Path, turn: float, coarse: str, fine: str | None) -> None:
    path = sets.kitti(tmp_path / "k", a=[car(0, 10, turn)])
    rows, _, _ = taken("kitti", path, tmp_path / "out", "--tasks", "single-*")
    assert keys(rows).get(("single-axis-rotation", "coarse")) == [coarse]
    assert keys(rows).get(("single-axis-rotation", "granular")) == ([fine] if fine else None)


def test_an_angle_counts_from_the_line_to_the_camera_and_from_the_plane_of_the_picture(tmp_path: Path) -> None:
    # x 5, z 10: 26.6 degrees to the right. rotation_y 90 degrees: the front is parallel to the axis of the camera, so 0 degrees off the
    # plane and, since the camera is to its lower left, 26.6 degrees to the right of the line to it: one is "towards", one "30 to the right"
    rows, _, _ = taken("kitti", sets.kitti(tmp_path / "k", a=[car(5, 10, 90)]), tmp_path / "out", "--tasks", "directional-facing")
    assert keys(rows) == {("directional-facing", "coarse"): ["Toward the camera"]}
    # rotation_y 60 degrees: 30 off the plane, 56.6 off the line: neither class of 45 degrees holds both
    ended = isovist("import", "kitti", sets.kitti(tmp_path / "l", a=[car(5, 10, 60)]), "--out", tmp_path / "no")
    refused(ended, "1 the direction is too near the limit of a class")
    assert not (tmp_path / "no").exists()


def test_unusable_kitti_annotations_are_skipped_counted_and_reported(tmp_path: Path) -> None:
    lines = [
        car(0, 10, 90),
        car(0, 10, 90, cut=0.2),
        car(0, 10, 90, hid=1),
        car(0, 10, 90, kind="Tram"),
        car(0, 10, 90, box="520 90 560 130"),
        car(0, 10, 90, box="2 90 180 270"),
        car(0, 10, 125),  # 35 degrees off, 10 from the edge, but told as 2.18, which is 34.9: it may stay
        car(0, 10, 133),
        "Car 0.00 0 0.00 520 90 700 270 1.5 1.6 4.0 0.0 1.6 10.0 1.57",  # straight ahead both angles have to be one
        "DontCare -1 -1 -10 503 169 590 190 -1 -1 -1 -1000 -1000 -1000 -10",
        "Car 0.00 0",
    ]
    path = sets.kitti(tmp_path / "k", a=lines, b=[car(0, 10, -90)])
    (path / "training" / "image_2" / "b.png").unlink()
    _, rejected, output = taken("kitti", path, tmp_path / "out")
    reasons = [(one["annotation"], str(one["reason"])) for one in rejected if str(one["file"]).endswith("a.txt")]
    assert reasons == [
        (1, "truncated by the edge of the image"),
        (2, "hidden too much"),
        (3, "a category with an ambiguous front, or an unknown category"),
        (4, "too small in the picture"),
        (5, "too near the edge of the image"),
        (7, "the direction is too near the limit of a class"),
        (8, "alpha and rotation_y contradict each other"),
        (9, "a region that is not annotated"),
        (10, "not 15 or 16 columns"),
    ]
    assert [one["reason"] for one in rejected if str(one["file"]).endswith("b.txt")] == ["the image is missing"]
    assert "Imported 2 of 12 annotations in 2 photographs. Skipped: 10." in output


def test_the_red_frame_goes_around_the_box(tmp_path: Path) -> None:
    rows, _, _ = taken("kitti", sets.kitti(tmp_path / "k", a=[car(0, 10, 90)]), tmp_path / "out")
    pixels = np.asarray(Image.open(io.BytesIO(rows[0].images[0]))).astype(int)
    red = (pixels[..., 0] > 150) & (pixels[..., 1] < 60) & (pixels[..., 2] < 90)
    # 375 pixels high: the line runs 4.5 pixels outside of the box 520..700 x 90..270
    assert [red[180, x - 2 : x + 3].any() for x in (515, 704)] == [True, True]
    for x in (515, 704):
        assert red[90:270, x - 1 : x + 2].any(axis=1).mean() > 0.95
    for y in (85, 274):
        assert red[y - 1 : y + 2, 520:700].any(axis=0).mean() > 0.95
    assert rows[0].metadata.attributes["pictures"] == "natural"


def test_a_number_of_items_goes_round_the_answers(tmp_path: Path) -> None:
    # fourteen of fifteen cars drive away; of six items two have each other answer as far as there are such cars
    files = {f"f{i:02}": [car(0, 10, -90 + i / 2)] for i in range(14)}
    path = sets.kitti(tmp_path / "k", **files, t=[car(0, 10, 90)], s=[car(0, 10, 0)])
    rows, _, output = taken("kitti", path, tmp_path / "out", "--n", 6, "--tasks", "view-parallelism")
    coarse = [row for row in rows if row.level == "coarse"]
    answers = sorted(row.choices["ABC".index(row.answer)] for row in coarse)
    assert answers == ["Away from the camera"] * 4 + ["Sideways, toward the left or the right", "Toward the camera"]
    assert "Not needed: " in output
    again = [row.id for row in stored(tmp_path / "out")]
    done("import", "kitti", path, "--out", tmp_path / "same", "--n", 6, "--tasks", "view-parallelism")
    assert [row.id for row in stored(tmp_path / "same")] == again


def test_the_folder_is_one_like_any_other(tmp_path: Path) -> None:
    sets.kitti(tmp_path / "k", a=[car(0, 10, 62)])
    rows, _, _ = taken("kitti", tmp_path / "k", tmp_path / "out", "--tasks", "directional-facing")
    done("verify", tmp_path / "out")
    (fine,) = [row for row in rows if row.level == "granular"]
    score = published_scorer(fine.task)
    assert score is not None
    other = "AB"["AB".index("B")] if fine.answer != "B" else "C"
    # 30 degrees to the other side earns half the credit by the paper's rule
    assert [score(f"Answer: {letter}", fine.key) for letter in (fine.answer, other, "E")] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("quaternion", "key"),
    [
        ((1, 0, 0, 0), "Away from the camera"),  # along +x of the car, which is forward
        ((0, 0, 0, 1), "Toward the camera"),  # half a turn about z
        ((0.70710678, 0, 0, 0.70710678), "Toward the left of the image"),  # a quarter about z (up): x goes to y, which is left
        ((0.70710678, 0, 0, -0.70710678), "Toward the right of the image"),
    ],
)
def test_cityscapes_3d_faces_forward_without_a_rotation(tmp_path: Path, quaternion: Sequence[float], key: str) -> None:
    rows, _, _ = taken("cityscapes3d", sets.cityscapes(tmp_path / "c", [sets.boxed("car", 800, quaternion)]), tmp_path / "out")
    assert keys(rows)["directional-facing", "coarse"] == [key]


def test_cityscapes_3d_turns_with_the_sensor(tmp_path: Path) -> None:
    # the camera looks 30 degrees to the left of the car's x: forward of the car is then 30 degrees to the right of the camera's axis,
    # (cos 30, -sin 30) with y left. A car at (10.4, -6) of that camera stands straight ahead of the vehicle; facing the vehicle's
    # backwards (half a turn) it faces (-.87, .5): towards the picture plane and 30 degrees to the left of it
    c, s = cos(radians(30)), sin(radians(30))
    sensor = [[c, s, 0, 0], [-s, c, 0, 0], [0, 0, 1, -1.2]]
    # at vehicle (10.4, 6): camera (12, 0), straight ahead of the camera
    boxes = [sets.boxed("car", 800, (0, 0, 0, 1), (10.39, 6.0, 0.8))]
    rows, _, _ = taken("cityscapes3d", sets.cityscapes(tmp_path / "c", boxes, sensor), tmp_path / "out")
    assert keys(rows) == {
        ("directional-facing", "coarse"): ["Toward the camera"],
        ("directional-facing", "granular"): ["About 30 degrees to the left"],
    }


def test_cityscapes_3d_rejects_what_it_does_not_tell(tmp_path: Path) -> None:
    facing = (0, 0, 0, 1)
    boxes = [
        sets.boxed("car", 100, facing),
        sets.boxed("car", 600, facing, occlusion=0.5),
        sets.boxed("car", 600, facing, truncation=0.1),
        sets.boxed("tunnel", 600, facing),
        sets.boxed("car", 600, (1, 1, 0, 0)),
        sets.boxed("car", 600, facing, (-5.0, 0.0, 0.8)),
        cast("dict[str, object]", {"label": "car"}),
    ]
    _, rejected, _ = taken("cityscapes3d", sets.cityscapes(tmp_path / "c", boxes), tmp_path / "out")
    assert [one["annotation"] for one in rejected] == [1, 2, 3, 4, 5, 6]
    assert [one["reason"] for one in rejected][:2] == ["hidden too much", "truncated by the edge of the image"]


@pytest.mark.parametrize(
    ("left", "coarse"),
    [
        # who faces the camera has their left at the right of the picture, +x
        ((1.0, 0.0, 0.0), "Toward the camera"),
        ((-1.0, 0.0, 0.0), "Away from the camera"),
        # who faces to the right has their left further away, +z
        ((0.0, 0.0, 1.0), "Toward the right of the image"),
        ((0.0, 0.0, -1.0), "Toward the left of the image"),
    ],
)
def test_jta_people_face_across_their_shoulders(tmp_path: Path, left: sets.Vector, coarse: str) -> None:
    # hips at 2.2 m; from head to ankle 1.55 m or 816 of 1080 pixels, and a twentieth more at each end
    path = sets.jta(tmp_path / "j", {3: ((0.0, -0.025, 2.2), left)})
    rows, _, _ = taken("jta", path, tmp_path / "out", "--tasks", "directional-facing")
    assert keys(rows)["directional-facing", "coarse"] == [coarse]
    assert rows[0].metadata.attributes["pictures"] == "rendered"


def test_jta_rejects_hidden_and_incomplete_people(tmp_path: Path) -> None:
    path = sets.jta(tmp_path / "j", {3: ((0.0, 0.0, 2.2), (1.0, 0.0, 0.0))}, hidden=8)  # 8 of 22 joints
    refused(isovist("import", "jta", path, "--out", tmp_path / "out"), "1 hidden too much")
    file = path / "annotations" / "train" / "seq_7.json"
    file.write_text(json.dumps(json.loads(file.read_text())[:-1]))
    refused(isovist("import", "jta", path, "--out", tmp_path / "out"), "1 a joint is missing")


def about_y(angle: float) -> list[list[float]]:
    """A turn about y: counterclockwise seen from above, so that z goes to x."""
    c, s = cos(radians(angle)), sin(radians(angle))
    return [[c, 0, s], [0, 1, 0], [-s, 0, c]]


def pitched(turn: list[list[float]], angle: float) -> list[list[float]]:
    """The same before a camera that looks down by an angle: the top comes towards the viewer."""
    c, s = cos(radians(angle)), sin(radians(angle))
    return (np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array(turn)).tolist()


@pytest.mark.parametrize(("angle", "key"), [(0, "0 degrees"), (90, "90 degrees"), (45, "45 degrees"), (180, "180 degrees")])
@pytest.mark.parametrize("down", [0, 35])
def test_3d_future_fronts_are_plus_z_whatever_the_camera_looks_down(tmp_path: Path, angle: float, key: str, down: float) -> None:
    # a turn by 90 brings z to x, the right of the picture: it takes 90 clockwise to face the camera
    at = (0.0, -3 * sin(radians(0)), -3.0)
    path = sets.room(tmp_path / "r", [("Dining Chair", pitched(about_y(angle), down), at, (400, 400, 400, 400))])
    rows, _, _ = taken("3d-future", path, tmp_path / "out")
    assert keys(rows)["single-axis-rotation", "granular"] == [key]


def test_3d_future_pairs_are_asked_both_ways_round(tmp_path: Path) -> None:
    # the second is turned 68 counterclockwise from the first: it must turn 68 clockwise, and the first 68 counterclockwise
    chairs = [
        ("Dining Chair", pitched(about_y(20), 40), (-1.0, 0.0, -4.0), (200, 400, 350, 400)),
        ("Dining Chair", pitched(about_y(88), 40), (1.0, 0.0, -4.0), (700, 400, 350, 400)),
    ]
    rows, _, _ = taken("3d-future", sets.room(tmp_path / "r", chairs), tmp_path / "out", "--tasks", "inter*")
    assert keys(rows) == {("inter-object-direction", "granular"): ["45 to 90 degrees clockwise", "45 to 90 degrees counterclockwise"]}
    assert [row.metadata.scene["objects"][0]["annotation"] for row in rows] == [0, 1]
    same = [(name, pitched(about_y(20), 40), at, box) for name, _, at, box in chairs]
    rows, _, _ = taken("3d-future", sets.room(tmp_path / "s", same), tmp_path / "same", "--tasks", "inter*")
    assert keys(rows) == {("inter-object-direction", "coarse"): ["In the same direction"] * 2}


def test_3d_future_rejects_what_stands_behind_others_and_tilted_cameras(tmp_path: Path) -> None:
    box = (400, 400, 400, 400)
    still = about_y(0)
    rolled = (np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])).tolist()
    pieces = [
        ("Dining Chair", still, (0.0, 0.0, -4.0), box),
        ("Pendant Lamp", still, (0.0, 0.0, -2.0), (500, 400, 300, 400)),  # nearer or not, its pose is not read: it hides three quarters
    ]
    ended = isovist("import", "3d-future", sets.room(tmp_path / "a", pieces), "--out", tmp_path / "out")
    refused(ended, "1 hidden too much", "1 a category with an ambiguous front")
    ended = isovist(
        "import", "3d-future", sets.room(tmp_path / "b", [("armchair", rolled, (0.0, 0.0, -4.0), box)]), "--out", tmp_path / "out"
    )
    refused(ended, "1 the camera roll is too large")
    steep = [("armchair", pitched(still, 75), (0.0, 0.0, -4.0), box)]
    refused(isovist("import", "3d-future", sets.room(tmp_path / "c", steep), "--out", tmp_path / "out"), "pitch is too large")
    mirrored = [("armchair", [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], (0.0, 0.0, -4.0), box)]
    refused(isovist("import", "3d-future", sets.room(tmp_path / "d", mirrored), "--out", tmp_path / "out"), "1 no pose")


UPRIGHT = {  # x, y and z of the object, with x right, y up, z out of the picture
    "Toward the camera": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "Away from the camera": ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)),
    "Toward the right of the image": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    "Toward the left of the image": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("key", UPRIGHT)
def test_objectron_fronts_are_plus_z_and_the_sensor_lies_on_its_side(tmp_path: Path, key: str) -> None:
    # the nearer face is 0.8 m away: 0.4 m are 250 of 480 pixels
    path = sets.objectron(tmp_path / "o", "chair", UPRIGHT[key])
    rows, _, _ = taken("objectron", path, tmp_path / "out", "--tasks", "directional-facing")
    assert keys(rows)["directional-facing", "coarse"] == [key]


def test_objectron_bottles_have_no_front(tmp_path: Path) -> None:
    path = sets.objectron(tmp_path / "o", "bottle", UPRIGHT["Toward the camera"])
    rows, _, _ = taken("objectron", path, tmp_path / "out")
    assert keys(rows) == {("single-axis-rotation", "coarse"): [UNKNOWN], ("single-axis-rotation", "granular"): [UNKNOWN]}


def test_objectron_annotations_that_contradict_themselves_are_rejected(tmp_path: Path) -> None:
    towards = UPRIGHT["Toward the camera"]
    tilted = (towards[0], (0.0, 0.8, 0.6), (0.0, -0.6, 0.8))
    path = sets.objectron(tmp_path / "o", "chair", tilted, swapped=True)
    refused(isovist("import", "objectron", path, "--out", tmp_path / "out"), "3-D and 2-D points are inconsistent")
    path = sets.objectron(tmp_path / "p", "chair", towards, visibility=0.5)
    refused(isovist("import", "objectron", path, "--out", tmp_path / "out"), "1 hidden too much")
    path = sets.objectron(tmp_path / "q", "cup", towards)
    refused(isovist("import", "objectron", path, "--out", tmp_path / "out"), "ambiguous front")
    (path / "batch-1_3_0.pbdata").write_bytes(b"\x0a\xff\xff")
    refused(isovist("import", "objectron", path, "--out", tmp_path / "out"), "not a protocol buffer")


def test_objectron_without_protobuf_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sets.objectron(tmp_path / "o", "chair", UPRIGHT["Toward the camera"])
    monkeypatch.setitem(sys.modules, "google.protobuf.message", None)
    refused(isovist("import", "objectron", path, "--out", tmp_path / "out"), install_command("objectron"))
    assert not (tmp_path / "out").exists()


def pose(turn: float, x: float, scale: float = 0.3) -> np.ndarray:
    """An upright object 0.9 m before a level camera with y down and z forward: half a turn about x brings y up and z towards the camera."""
    matrix = np.eye(4)
    matrix[:3, :3] = scale * np.diag([1, -1, -1]) @ np.array(about_y(turn))
    matrix[:3, 3] = (x, 0.1, 0.9)
    return matrix


def test_nocs_compares_objects_of_one_class_and_those_without_a_front(tmp_path: Path) -> None:
    left, middle, right = (150, 60, 290, 200), (150, 250, 290, 390), (150, 440, 290, 580)
    # the second laptop is turned 68 counterclockwise from the first; the camera's front is another axis perhaps
    path = sets.nocs(tmp_path / "n", [(5, left, pose(10, -0.3)), (5, middle, pose(78, 0.0)), (3, right, pose(78, 0.3))])
    rows, rejected, _ = taken("nocs", path, tmp_path / "out")
    assert keys(rows) == {("inter-object-direction", "granular"): ["45 to 90 degrees clockwise", "45 to 90 degrees counterclockwise"]}
    assert [(one["annotation"], str(one["reason"])) for one in rejected] == [(2, "the only object in its image, so there is no comparison")]
    path = sets.nocs(tmp_path / "m", [(5, left, pose(10, -0.3)), (1, right, pose(0, 0.3))])
    rows, _, _ = taken("nocs", path, tmp_path / "with-a-bottle")
    assert {row.choices["ABCDEFGHI".index(row.answer)] for row in rows} == {UNKNOWN}


def test_nocs_pickles_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    folder.mkdir()
    (folder / "results_real_test_scene_2_0007.pkl").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    refused(isovist("import", "nocs", folder, "--out", tmp_path / "out"), "a pickle is not read")
    np.savez(folder / "results_real_test_scene_2_0007.npz", gt_class_ids=np.array([{}], dtype=object))
    refused(isovist("import", "nocs", folder, "--out", tmp_path / "out"), "gt_class_ids")


def test_coco_directions_come_from_labels(tmp_path: Path) -> None:
    objects = [
        ("dog", (30, 100, 180, 180), "left"),
        ("cat", (230, 100, 180, 180), "28"),  # to the right of the picture
        ("vase", (430, 100, 180, 180), "none"),
        ("dog", (30, 300, 170, 160), None),
        ("horse", (250, 300, 60, 60), "away"),
    ]
    path, labels = sets.coco(tmp_path / "c", objects)
    rows, rejected, _ = taken("coco", path, tmp_path / "out", "--labels", labels)
    assert keys(rows) == {
        ("directional-facing", "coarse"): ["Toward the left of the image", "Toward the camera", UNKNOWN],
        ("directional-facing", "granular"): ["About 30 degrees to the right", UNKNOWN],
    }
    assert [(one["annotation"], one["reason"]) for one in rejected] == [
        (3, "no label with its facing direction"),
        (4, "too small in the picture"),
    ]


def test_coco_boxes_without_a_label_hide_others_all_the_same(tmp_path: Path) -> None:
    path, labels = sets.coco(tmp_path / "c", [("dog", (100, 100, 200, 200), "left"), ("person", (100, 100, 90, 200), None)])
    refused(isovist("import", "coco", path, "--labels", labels, "--out", tmp_path / "out"), "1 hidden too much")


def test_coco_images_of_another_size_than_stated_are_skipped(tmp_path: Path) -> None:
    """Boxes are in pixels of the stated size."""
    path, labels = sets.coco(tmp_path / "c", [("dog", (100, 100, 200, 200), "left")])
    sets.picture(path / "val2017" / "000000000009.jpg", 1280, 960)
    refused(isovist("import", "coco", path, "--labels", labels, "--out", tmp_path / "out"), "another size than its annotations state")


def test_coco_boxes_of_an_upright_size_are_placed_in_the_upright_image(tmp_path: Path) -> None:
    """The file is on its side, by its EXIF orientation; the annotations state the size of the image as it is shown."""
    path, labels = sets.coco(tmp_path / "c", [("dog", (100, 100, 200, 200), "left")])
    file = path / "val2017" / "000000000009.jpg"
    plain, _, _ = taken("coco", path, tmp_path / "plain", "--labels", labels)
    with Image.open(file) as image:
        turned = image.transpose(Image.Transpose.ROTATE_90)
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(file, exif=exif, quality=95)
    rows, _, _ = taken("coco", path, tmp_path / "turned", "--labels", labels)
    assert keys(rows) == keys(plain)
    for row, other in zip(rows, plain, strict=True):
        with Image.open(io.BytesIO(row.images[0])) as image, Image.open(io.BytesIO(other.images[0])) as expected:
            assert image.size == expected.size == (640, 480)
            difference = np.abs(np.asarray(image.convert("RGB"), int) - np.asarray(expected.convert("RGB"), int))
        assert difference.mean() < 8  # two files of JPEG; the frame is in the same place
        assert np.mean(difference.max(axis=2) > 100) < 0.005


def test_coco_ids_that_name_two_annotations_are_skipped_and_those_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    path, labels = sets.coco(tmp_path / "c", [("dog", (30, 100, 180, 180), "left"), ("cat", (230, 100, 180, 180), "28")])
    labels.write_text("annotation,facing\n100.0,left\n101.0,28\n")
    rows, _, _ = taken("coco", path, tmp_path / "one", "--labels", labels)
    assert len(rows) == 3
    file = path / "annotations" / "instances_val2017.json"
    file.write_text(file.read_text().replace('"id": 101', '"id": 100'))
    refused(isovist("import", "coco", path, "--labels", labels, "--out", tmp_path / "out"), "2 another annotation has its id")


@pytest.mark.parametrize(
    ("label", "message"),
    [("sideways", "is no direction"), ("nan", "is no direction"), ("900", "is no direction")],
)
def test_labels_that_mean_nothing_are_refused(tmp_path: Path, label: str, message: str) -> None:
    path, labels = sets.coco(tmp_path / "c", [("dog", (100, 100, 200, 200), label)])
    refused(isovist("import", "coco", path, "--labels", labels, "--out", tmp_path / "out"), message)
    assert not (tmp_path / "out").exists()


def test_labels_without_their_columns_are_refused_with_the_file_named_once(tmp_path: Path) -> None:
    path, labels = sets.coco(tmp_path / "c", [("dog", (100, 100, 200, 200), "left")])
    labels.write_text("file\na.png\n")
    message = refused(isovist("import", "coco", path, "--labels", labels, "--out", tmp_path / "out"), "no column 'annotation'")
    assert message.count(str(labels)) == 1


def test_files_with_anything_in_any_place_are_survived(tmp_path: Path) -> None:
    odd: list[object] = [None, [], {}, "x", -1, 1e300, True, [[1, 2], 3]]
    pieces = [{"id": o, "image_id": 4, "category_id": o, "bbox": o, "pose": {"rotation": o, "translation": o}} for o in odd]
    path = sets.room(tmp_path / "r", [("armchair", about_y(0), (0.0, 0.0, -4.0), (400, 400, 400, 400))])
    train_set = json.loads((path / "train_set.json").read_text())
    train_set["annotations"] += [*pieces, *odd, {**train_set["annotations"][0], "image_id": [4]}]
    train_set["categories"] += [{"id": o, "category_name": o} for o in odd]
    (path / "train_set.json").write_text(json.dumps(train_set))
    rows, rejected, _ = taken("3d-future", path, tmp_path / "out", "--tasks", "single*")
    assert len(rows) == 2
    assert len(rejected) == 2 * len(odd) + 1
    null = [[0.0] * 4] * 3
    flat = sets.cityscapes(tmp_path / "c", [sets.boxed("car", 800, (1, 0, 0, 0))], null)
    refused(isovist("import", "cityscapes3d", flat, "--out", tmp_path / "no"), "1 no pose")


@pytest.mark.parametrize("name", ["kitti", "cityscapes3d", "jta", "3d-future", "objectron", "nocs", "coco"])
def test_a_folder_of_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "notes.json").write_text("[]")
    (tmp_path / "labels.csv").write_text("annotation,facing\n")
    more = ("--labels", tmp_path / "labels.csv") if name == "coco" else ()
    refused(isovist("import", name, tmp_path / "x", "--out", tmp_path / "out", *more), "looked for")
    refused(isovist("import", name, tmp_path / "nowhere", "--out", tmp_path / "out", *more), "does not exist")
    assert not (tmp_path / "out").exists()


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    path = sets.kitti(tmp_path / "k", a=[car(0, 10, 90)])
    refused(isovist("import", "coco", path, "--out", tmp_path / "out"), "No facing directions")
    refused(isovist("import", "kitti", path, "--out", tmp_path / "out", "--labels", path), "--labels is an option of coco")
    refused(isovist("import", "kitti", path, "--out", tmp_path / "out", "--tasks", "canonical*"), "there are view-parallelism")
    refused(isovist("import", "srbench", path, "--out", tmp_path / "out", "--n", 3), "--n is an option of kitti", "not of srbench")


# Looking at one ----------------------------------------------------------------------------------------------------


def test_an_item_is_shown_as_it_is_stored(tmp_path: Path) -> None:
    data = tmp_path / "data"
    rows, _, _ = taken("kitti", sets.kitti(tmp_path / "set", a=[car(0, 10, 90)]), data, *ALL)
    one = next(row for row in rows if row.task == "dori-photos/view-parallelism" and row.level == "granular")
    by_id = done("show", one.id, "--data", data, "--image-dir", tmp_path / "out").out
    assert one.id in by_id
    assert "(0 to 45 degrees)" in by_id
    assert one.prompt in by_id
    (picture,) = (tmp_path / "out").iterdir()
    assert picture.read_bytes() == one.images[0]
    assert done("show", one.id.partition("#")[0], "--data", data).out.splitlines()[0] == by_id.splitlines()[0]
    assert one.id in done("show", one.task, "--data", data, "--index", one.index).out
    shown = json.loads(done("show", one.task, "--data", data, "--index", one.index, "--prompt-style", "direct", "--json").out)
    assert shown["prompt"] == one.prompt_in_style("direct") != one.prompt
    refused(isovist("show", one.id), "--data")
    refused(isovist("show", one.task, "--data", data, "--index", 99), "--index 99", str(data))
    refused(isovist("show", one.id[:-1], "--data", data), one.id[:-1])
    refused(isovist("show", "dori-photos/depth", "--data", data), "dori-photos/view-parallelism")
    refused(isovist("show", one.task, "--data", data, "--seed", 3), "--data", "--split")
