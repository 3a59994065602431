"""What options stand for as angles: the convention by hand, and the tasks' dials by turning things in their scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import apply, turn, wrapped
from isovist.core.scene3d import turned
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry

WINDS = ("N", "E", "S", "W", "unknown")
DIAL = OptionAngles((0, 90, 180, -90, None), "clockwise, seen from above")
FOLDED = OptionAngles((0, 45, 90, 135, 180, None), "further apart", is_circular=False)


@pytest.mark.parametrize(
    ("chosen", "key", "error"), [("E", "N", 90), ("N", "E", -90), ("S", "N", 180), ("N", "S", 180), ("W", "S", 90), ("S", "W", -90), ("E", "W", 180)]
)  # fmt: skip
def test_a_positive_error_is_clockwise_of_the_key(chosen: str, key: str, error: float) -> None:
    assert DIAL.error(WINDS.index(chosen), WINDS.index(key)) == error


def test_what_has_no_angle_has_no_error() -> None:
    assert DIAL.error(4, 0) is None
    assert DIAL.error(0, 4) is None
    assert DIAL.errors(4) == []
    assert sorted(DIAL.errors(3)) == [-90, 0, 90, 180]


def test_left_for_right_is_mirrored_and_may_be_opposite_too() -> None:
    eight = OptionAngles(tuple(wrapped(45.0 * i) for i in range(8)), DIAL.positive_direction)
    pairs = [(chosen, key) for chosen in range(8) for key in range(8)]
    assert {pair for pair in pairs if eight.mirrored(*pair)} == {(1, 7), (7, 1), (2, 6), (6, 2), (3, 5), (5, 3)}
    assert {pair for pair in pairs if eight.opposite(*pair)} == {(i, (i + 4) % 8) for i in range(8)}
    assert not DIAL.mirrored(4, 4)
    assert not DIAL.opposite(4, 0)


def test_a_folded_dial_tells_too_large_from_too_small_and_has_no_sides() -> None:
    assert [FOLDED.error(i, 2) for i in range(6)] == [-90, -45, 0, 45, 90, None]
    assert FOLDED.error(0, 4) == -180
    assert FOLDED.error(4, 0) == 180
    assert not any(FOLDED.opposite(i, j) or FOLDED.mirrored(i, j) for i in range(6) for j in range(6))


# The tasks' own dials ------------------------------------------------------------------------------------------------


def dial(item: Item, answer: Choice, name: str) -> OptionAngles | None:
    angles = item.task.reported.option_angles
    assert angles is not None
    return angles(answer).get(name)


def key(item: Item, scene: object, name: str) -> float | None:
    """The angle of the key of a scene."""
    answer = item.task.ask(scene).answer
    assert isinstance(answer, Choice)
    option_angles = dial(item, answer, name)
    return option_angles.angles_deg[answer.truth] if option_angles else None


def clockwise(scene: object, target: int, angle: float) -> object:
    """The scene with one of its targets turned clockwise, seen from above."""
    picture, who = scene.scenes3d[0], scene.targets[target]  # pyright: ignore[reportAttributeAccessIssue]
    solid = picture.objects[who]
    other = replace(solid, pose=turned(solid.pose, "y", -angle))
    stage = replace(picture, objects=(*picture.objects[:who], other, *picture.objects[who + 1 :]))
    return replace(scene, scenes3d=(stage,))  # pyright: ignore[reportArgumentType]


def asked(task: str, level: str, n: int = 24) -> list[Item]:
    return list(Items(registry.task(task), n, 31, "test", level))


@pytest.mark.parametrize(
    ("task", "level", "name", "target", "sign", "within"),
    [
        ("dori/directional-facing", "coarse", "facing direction", 0, -1, 0),  # turned back by where it faces, it faces the camera
        ("dori/directional-facing", "granular", "facing direction", 0, -1, 0),
        ("dori/single-axis-rotation", "granular", "rotation", 0, 1, 0),  # turned as it must be, it faces the camera
        ("dori/single-axis-rotation", "coarse", "rotation", 0, 1, 90),
        ("dori/inter-object-direction", "granular", "rotation", 1, 1, 22.5),  # the blue one, turned as it must be, faces as the red one
    ],
)
def test_a_thing_that_is_turned_by_the_keys_angle_is_where_the_dial_says_zero(
    task: str, level: str, name: str, target: int, sign: int, within: float
) -> None:
    turned_by: set[float] = set()
    for item in asked(task, level):
        angle = key(item, item.scene, name)
        if angle is None:
            continue
        after = key(item, clockwise(item.scene, target, sign * angle), name)
        assert after is not None, f"{item.id}: {angle} before, no angle after"
        assert abs(after) <= within, f"{item.id}: {angle} before, {after} after"
        if within and abs(angle) < 180:  # the whole class of a quarter turn: half of it goes past zero
            half = key(item, clockwise(item.scene, target, sign * angle / 4), name)
            assert half is None or half * angle >= 0, f"{item.id}: {angle} before, {half} a quarter of the way"
        turned_by.add(angle)
    assert min(turned_by) < 0 < max(turned_by) or (task, level) == ("dori/single-axis-rotation", "granular")
    assert len(turned_by) >= 3


@pytest.mark.parametrize(
    ("task", "level", "name", "target"),
    [
        ("dori/view-parallelism", "coarse", "angle to the camera", 0),
        ("dori/view-parallelism", "granular", "angle to the camera", 0),
        ("dori/inter-object-direction", "coarse", "angle between", 1),
    ],
)
def test_a_folded_angle_goes_to_zero_on_one_of_the_two_sides(task: str, level: str, name: str, target: int) -> None:
    seen: set[float] = set()
    for item in asked(task, level):
        angle = key(item, item.scene, name)
        if angle is not None:
            least = min(key(item, clockwise(item.scene, target, side * angle), name) or 0.0 for side in (1, -1))
            assert least <= (0 if angle in (0, 180) else 22.5), f"{item.id}: {angle} before, {least} after"
            seen.add(angle)
    assert len(seen) >= 3


def test_the_turns_between_two_pictures_are_clockwise_where_the_dial_says_so() -> None:
    from isovist.suites.dori.compound_rotation import FINE, TURNS

    for item in asked("dori/viewer-scene-direction", "granular"):
        angle = key(item, item.scene, "rotation")
        if angle is not None:
            before, after = (stage.objects[0].pose for stage in item.scenes3d)
            assert wrapped(before.yaw - after.yaw - angle) == pytest.approx(0, abs=1e-6) or item.scene.is_other_object, item.id
    answer = Choice(FINE, 0)
    angles = registry.task("dori/compound-rotation").reported.option_angles
    assert angles is not None
    dials = angles(answer)
    for place, (horizontal, vertical) in enumerate(TURNS):
        angles_deg = [dials[name].angles_deg[place] for name in ("horizontal rotation", "vertical rotation")]
        assert angles_deg == [wrapped(horizontal), wrapped(vertical)]
    # clockwise from above the front goes to the left of the picture; seen from the left, the viewer is at the right
    assert apply(turn("y", -90), (0.0, 0.0, 1.0)) == (-1.0, 0.0, 0.0)
    assert apply(turn("x", 90), (0.0, 1.0, 0.0)) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "task", ["cdr/relative-spatial-letter", "cdr/relative-compass-icon", "cdr/compass-direction-icon", "cdr/spatial-direction-icon"]
)
def test_a_symmetry_that_turns_a_map_turns_the_key_as_far_clockwise(task: str) -> None:
    known = registry.task(task)
    steps: dict[str, float] = {
        "rotate_spatial": 135,
        "rotate_icon": -45,
        "rotate_90": 90,
        "rotate_compass": 135,
        "swap": 180,
        "rotate_map": 0,
    }
    tried = 0
    for item in asked(task, "standard", 12):
        before = key(item, item.scene, "direction")
        for symmetry in known.checks.symmetries:
            moved: Callable[..., object] = symmetry
            after = key(item, moved(item.scene)[0], "direction")  # pyright: ignore[reportIndexIssue]
            assert before is not None
            assert after is not None
            assert wrapped(after - before) == steps[symmetry.__name__.removeprefix("_")], (item.id, symmetry.__name__)
            tried += 1
    assert tried >= 12
