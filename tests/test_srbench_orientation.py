"""SRBench's orientation: the eight directions by hand, their margins, what is asked where the answer is no, and what is seen."""

from __future__ import annotations

from collections import Counter
from math import atan2, degrees

import pytest

from isovist.core.scene3d import Camera, ObjectMarker, Pose, Scene3D, SceneObject, front
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.srbench.orientation import DIRECTIONS, ITEMS, Scene, deviation
from isovist.world.scenes import object_catalog
from isovist.world.scenes.scene_transforms import MARGIN

YES_NO, EIGHT = registry.task("srbench/orientation"), registry.task("srbench/orientation-eight-way")
CAMERA = Camera((0.0, 1.6, 6.0), (0.0, 0.9, 0.0))


def scene(yaw: float, asked: int | None = None) -> Scene:
    man = SceneObject(object_catalog.known()["man-plain"].form, Pose(yaw=yaw))
    return Scene("alone", 0, "man", "Person", Scene3D((man,), CAMERA), asked, () if asked is not None else tuple(range(8)))


# the camera stands at +Z, and yaw 90 brings the front to +X, the right of the picture
@pytest.mark.parametrize(
    ("yaw", "expected"),
    [
        (0, "front"),
        (10, "front"),
        (45, "front right"),
        (90, "right"),
        (135, "back right"),
        (180, "back"),
        (-170, "back"),
        (-135, "back left"),
        (-90, "left"),
        (-100, "left"),
        (-45, "front left"),
    ],
)
def test_directions_by_hand(yaw: float, expected: str) -> None:
    made = scene(yaw)
    question = EIGHT.ask(made)
    assert question.answer.balance_bin() == expected == EIGHT.rederive(EIGHT.draw(made), question.text)
    for place, direction in enumerate(DIRECTIONS):
        asked = scene(yaw, place)
        question = YES_NO.ask(asked)
        assert (
            question.answer.balance_bin()
            == YES_NO.rederive(YES_NO.draw(asked), question.text)
            == ("yes" if direction == expected else "no")
        )
        assert question.text.endswith(f'Is "{direction}" the direction in which the man faces?')


def some(n: int, seed: int = 31) -> list[Item]:
    return list(Items(YES_NO, n, seed))


def turned_off(made: Scene, *, to_plane: bool) -> float:
    """By how many degrees the front is turned off the camera, or off the picture plane; positive to the right."""
    camera, pose = made.scene3d.camera, made.scene3d.objects[made.target].pose
    assert isinstance(camera, Camera)
    (fx, _, fz), seen_from = front(pose), camera.target if to_plane else pose.position
    cx, cz = camera.eye[0] - seen_from[0], camera.eye[2] - seen_from[2]
    return degrees(atan2(cz * fx - cx * fz, cx * fx + cz * fz))


@pytest.mark.certified(task="srbench/orientation")
def test_fronts_keep_off_the_edges_of_their_direction() -> None:
    """However the angle is measured: from the middle of a direction it is 12.5 degrees at most, of the 22.5 to its edge."""
    for item in some(160):
        for to_plane in (False, True):
            angle = turned_off(item.scene, to_plane=to_plane)
            assert abs((angle + 22.5) % 45 - 22.5) <= 22.5 - MARGIN + 0.2, item.id


@pytest.mark.certified(task="srbench/orientation")
def test_a_no_asks_mostly_for_a_direction_of_the_same_width() -> None:
    """Front and back, left and right, and the four diagonals look as wide: so the width rarely shows that the answer is no."""
    rows = [(item.answer.balance_bin(), deviation(item.scene), item.scene.asked_direction) for item in some(560)]
    wrong = Counter(apart for answer, apart, _ in rows if answer == "no")
    share = {apart: sum(n for offset, n in wrong.items() if offset.startswith(str(apart))) / 280 for apart in (0, 45, 90, 135, 180)}
    assert share[0] == 0
    assert all(abs(share[apart] - expected / 64) < 0.09 for apart, expected in ((45, 4), (90, 20), (135, 4), (180, 36))), share
    # six of the eight directions have another one as their mirror image
    assert abs(sum(n for offset, n in wrong.items() if "mirrored" in offset) / 280 - 88 / 256) < 0.08
    # what is asked tells nothing of the answer
    for place in range(8):
        answers = [answer for answer, _, asked in rows if asked == place]
        assert 0.35 < answers.count("yes") / len(answers) < 0.65


def test_both_tasks_ask_about_one_picture() -> None:
    for one, other in zip(some(6), Items(EIGHT, 6, 31), strict=True):
        assert one.group == other.group
        assert one.scene.scene3d == other.scene.scene3d
        assert (one.scene.asked_direction is None) < (other.scene.asked_direction is None)


def test_only_what_tells_its_front_from_every_side_is_asked_about() -> None:
    for item in some(120):
        thing = object_catalog.of(item.scene.scene3d.objects[item.scene.target].geometry)
        assert thing is not None, item.id
        assert thing.plain, item.id
        assert (item.scene.setting == "alone") == (item.scene.scene3d.markers == ())
        assert all(mark == ObjectMarker(item.scene.target) for mark in item.scene.scene3d.markers)
        assert f"the {thing.category}{' in the red frame' * bool(item.scene.scene3d.markers)} face" in item.question.text_with_options


def test_paper_size() -> None:
    assert YES_NO.paper.sizes["test"].n == ITEMS == 400
    assert not EIGHT.paper.sizes  # the paper asks yes or no


def test_targets_are_seen() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.world.render.visibility import sights

    for item in some(12):
        seen = sights(item.scene.scene3d, 192)[item.scene.target]
        assert seen.share >= 0.75, item.id
        assert not seen.cut, item.id
