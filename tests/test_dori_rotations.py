"""Compound rotation, viewer-scene direction, canonical orientation: by hand, by matrices composed otherwise, by pixels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, product

import pytest

from isovist.core.answers import LETTERS, Choice
from isovist.core.rng import Rng
from isovist.core.rotation import Matrix, Vector, after, apply, transposed, turn
from isovist.core.scene3d import Light, Scene3D, Sky
from isovist.data.item import Item, make_item
from isovist.suites import registry
from isovist.suites.dori import canonical_orientation as canonical
from isovist.suites.dori import compound_rotation as compound
from isovist.suites.dori import image_pairs, picture_upright
from isovist.suites.dori import viewer_scene_direction as viewer
from isovist.suites.dori.compound_rotation import FINE, KINDS, TURNS, key_of, possible, tumbles, turning
from isovist.suites.dori.picture_operations import STATES, done, flipped, options, restored, rotated
from isovist.suites.dori.published_scorer import published
from isovist.suites.dori.shared_parts import UNKNOWN
from isovist.suites.dori.signboard import COLOURS, ORNAMENTS, WORDS, mirrored_alike, signboard
from isovist.world.scenes import object_catalog
from isovist.world.scenes.object_catalog import CatalogObject

NEAR, RIGHT, UP = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
AWAY, LEFT, DOWN = (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
LEAST_SEEN = 0.75
SAME, OTHER = 0.1, 0.15
"""Shares of an object's pixels: two pictures that differ in fewer look the same, and in more look different."""


@cache
def item_at(name: str, level: str, index: int) -> Item:
    """An item, made once for all tests."""
    task = registry.task(f"dori/{name}")
    return make_item(task, task.address("test", level, 78, index, {}))


def of_level(name: str, level: str, n: int) -> list[Item]:
    return [item_at(name, level, index) for index in range(n)]


def some(name: str, n: int = 40) -> list[Item]:
    return [item for level in registry.task(f"dori/{name}").levels for item in of_level(name, level, n)]


def thing(id: str) -> CatalogObject:
    return object_catalog.known()[id]


# Compound rotation -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "start", "end"),
    [
        ((90, 0), NEAR, LEFT),  # clockwise seen from above
        ((270, 0), NEAR, RIGHT),
        ((180, 0), NEAR, AWAY),
        ((90, 0), UP, UP),
        ((0, 90), UP, NEAR),
        ((0, 270), UP, AWAY),
        ((0, 90), NEAR, DOWN),
        ((0, 90), LEFT, LEFT),
        ((90, 90), NEAR, LEFT),  # the example of the question
        ((90, 90), UP, NEAR),
        ((90, 270), RIGHT, UP),  # horizontally first: to the viewer, and then up
    ],
)
def test_where_a_turn_brings_things(turns: tuple[int, int], start: Vector, end: Vector) -> None:
    assert apply(turning(*turns), start) == end


def test_the_turns_composed_the_other_way() -> None:
    """Fixed axes in one order are the axes that move along in the other: the vertical turn, then about the tilted upright axis."""
    for horizontal, vertical in TURNS:
        tilt = turn("x", vertical)
        about_tilted = after(transposed(tilt), turn("y", -horizontal), tilt)
        assert after(tilt, about_tilted) == turning(horizontal, vertical)


def test_an_object_without_symmetry_shows_one_turn() -> None:
    ends = {turning(*turns) for turns in TURNS}
    assert len(ends) == 16
    assert len(set(tumbles())) == 24
    for start in tumbles():
        assert all(possible(thing("car-sedan"), start, turns) == [turns] for turns in TURNS)


def test_what_a_table_and_a_vase_tell() -> None:
    upright, on_its_side = tumbles()[0], turn("z", 90)
    unknown = len(KINDS) - 1
    assert key_of(thing("table-wood"), upright, (0, 0)) == unknown  # or half a turn
    assert key_of(thing("table-wood"), upright, (90, 0)) == key_of(thing("table-wood"), upright, (270, 0)) == 1
    assert key_of(thing("table-wood"), upright, (90, 180)) == 3
    assert key_of(thing("table-wood"), upright, (180, 90)) == unknown  # or tilted alone
    assert key_of(thing("table-wood"), on_its_side, (0, 90)) == 2
    assert key_of(thing("vase-wood"), upright, (90, 0)) == unknown


def test_neither_picture_tells_the_answer_alone() -> None:
    """Whatever the turn, the object ends in every one of the 24 ways to lie just as often."""
    for turns in TURNS:
        assert {after(start, turning(*turns)) for start in tumbles()} == set(tumbles())


# Viewer-scene direction --------------------------------------------------------------------------------------------


def test_what_a_turntable_tells() -> None:
    car, table, vase = thing("car-sedan"), thing("table-wood"), thing("vase-wood")
    assert [viewer.key_of(car, angle, fine=True) for angle in (0, 90, 180, 270)] == list(viewer.FINE[:4])
    assert [viewer.key_of(car, angle, fine=False) for angle in (0, 60, 180)] == [viewer.COARSE[i] for i in (1, 0, 0)]
    assert [viewer.key_of(table, angle, fine=False) for angle in (0, 90, 180)] == [UNKNOWN, viewer.COARSE[0], UNKNOWN]
    assert all(viewer.key_of(table, angle, fine=True) == UNKNOWN for angle in (0, 90, 180, 270))
    assert all(viewer.key_of(vase, angle, fine=fine) == UNKNOWN for angle in (0, 90) for fine in (False, True))


@pytest.mark.parametrize("name", ["compound-rotation", "viewer-scene-direction"])
def test_the_viewer_walks_around_and_the_posts_tell(name: str) -> None:
    walked: set[int] = set()
    for item in some(name):
        one, two = item.scene.scenes3d
        posts = [(solid.geometry, solid.colour) for solid in one.objects if solid.name == image_pairs.POST]
        assert sorted(map(posts.count, posts)) == [2, 2, 2, 2], item.id  # their number tells nothing, only where they stand
        assert one.ground == two.ground
        assert one.objects[1:] == two.objects[1:], item.id  # the posts stay
        assert (one.camera, one.light) != (two.camera, two.light), item.id  # no turn is no copy
        assert image_pairs.sides((one, two)) == sorted((item.scene.camera_walk_deg + by) % 360 for by in range(0, 360, item.scene.posts)), (
            item.id
        )
        walked.add(item.scene.camera_walk_deg % 360)
    assert walked == {0, 90, 180, 270}


@pytest.mark.parametrize("name", ["compound-rotation", "viewer-scene-direction"])
def test_the_answer_is_unknown_for_three_causes_in_equal_shares(name: str) -> None:
    """A rule that sees one of them exceeds chance by its share of the unknown answers, divided by the number of options."""
    unknown = [item.scene for item in of_level(name, "coarse", 400) if item.answer.balance_bin() == UNKNOWN]
    other = sum(scene.is_other_object for scene in unknown)
    alike = sum(image_pairs.thing_in(scene.scenes3d[0]).turns > 0 for scene in unknown)
    posts = sum(scene.posts == 180 for scene in unknown)
    assert other + alike + posts == len(unknown)
    assert all(0.24 < share / len(unknown) < 0.43 for share in (other, alike, posts)), (other, alike, posts)


def test_the_same_look_does_not_mean_that_nothing_was_turned() -> None:
    """Viewer-scene direction: of each known answer about as many objects look the same to the camera."""
    looks = {answer: [0, 0] for answer in viewer.COARSE[:2]}
    for item in of_level("viewer-scene-direction", "coarse", 360):
        if (answer := item.answer.balance_bin()) in looks:
            one, two = (image_pairs.landmarks(stage) for stage in item.scene.scenes3d)
            looks[answer][image_pairs.same(one, two)] += 1
    for other, same in looks.values():
        assert 0.2 < same / (same + other) < 0.45


@pytest.mark.parametrize(("name", "rotations"), [("viewer-scene-direction", [0]), ("compound-rotation", [1, 3])])
def test_posts_that_leave_two_positions_come_with_rotations_too(name: str, rotations: list[int]) -> None:
    """And with no other: an object that is not rotated is seen to be so only from a known position."""
    listed, share = (viewer.COARSE if name.startswith("viewer") else KINDS), {}
    for nth, option in enumerate(listed):
        posts = [item.scene.posts for item in of_level(name, "coarse", 400) if item.answer.balance_bin() == option]
        share[nth] = posts.count(180) / len(posts)
    assert all((value > 0.25) == (nth in rotations or nth == len(listed) - 1) for nth, value in share.items()), share
    assert all(value < 0.8 for value in share.values()), share


# Canonical orientation ---------------------------------------------------------------------------------------------


def test_one_option_restores_every_picture() -> None:
    for alone, beside, flip in product((90, 180, 270), (90, 270), (0, 1)):
        listed = options((alone, beside), flip)
        assert len(set(listed)) == 6
        for nth in range(5):
            states = [state for state in STATES if restored(state, (alone, beside), flip)[nth] == (False, 0)]
            assert len(states) == 1
            assert restored(states[0], (alone, beside), flip).count((False, 0)) == 1, (listed, states)


def test_flips_and_turns_are_a_group() -> None:
    for state in STATES:
        assert flipped(flipped(state, 0), 0) == flipped(flipped(state, 1), 1) == rotated(rotated(state, 90), 270) == state
        assert flipped(rotated(state, 180), 0) == flipped(state, 1)


def test_words_tell_a_mirror_image_and_ornaments_do_not() -> None:
    for text in (*WORDS, *ORNAMENTS):
        for colours in COLOURS:
            assert mirrored_alike(signboard(text, colours, 1.37)[1]) == (text in ORNAMENTS), text


@pytest.mark.certified(task="dori/canonical-orientation")
def test_options_without_a_word_bring_each_side_to_the_top_once() -> None:
    for item in of_level("canonical-orientation", "granular", 160):
        scene = item.scene
        if scene.word:
            assert isinstance(item.answer, Choice)
            assert len(item.answer.options) == 6
            continue
        for side in (0, 90, 180, 270):
            assert [done((False, side), operation)[1] for operation in scene.offered].count(0) == 1, item.id


@pytest.mark.certified(task="dori/canonical-orientation")
def test_what_cannot_be_determined_has_no_up() -> None:
    """Seen from straight above, or with things that hang every which way; words or no words."""
    task = registry.task("dori/canonical-orientation")
    seen: set[tuple[str, bool]] = set()
    for level in task.levels:
        for item in of_level(task.name, level, 160):
            (stage,) = item.scene.scenes3d
            assert (picture_upright.upwards(stage) is None) == item.scene.unknown, item.id
            assert (picture_upright.mirrored(stage) is None) == (not item.scene.word), item.id
            if item.answer.balance_bin() == UNKNOWN:
                seen.add((item.scene.view, item.scene.word))
                assert item.scene.unknown
                assert level == "granular" or not picture_upright.mirrored(stage), item.id  # mirrored letters tell
    assert len(seen) == 4


def test_words_run_every_way_whatever_is_up() -> None:
    quarters = {item.scene.scenes3d[0].objects[i].pose.roll for item in some("canonical-orientation") for i in boards(item)}
    assert quarters == {0.0, 90.0, 180.0, 270.0}


def test_only_the_board_has_letters() -> None:
    assert object_catalog.known().keys() >= object_catalog.LETTERED
    for item in some("canonical-orientation"):
        shown = [object_catalog.of(solid.geometry) for solid in item.scene.scenes3d[0].objects]
        assert not object_catalog.LETTERED & {entry.mesh for entry in shown if entry}, item.id


def boards(item: Item) -> list[int]:
    return [i for i, solid in enumerate(item.scene.scenes3d[0].objects) if solid.name == "board"]


# By pixels ---------------------------------------------------------------------------------------------------------


def pixels(stage: Scene3D, size: int = 128):
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.world import render

    return render.pixels(stage, size).astype(int)


def posed(shown: CatalogObject, *turns: Matrix) -> Scene3D:
    stage, _ = image_pairs.stages(Rng("posed", shown.id), (shown, shown), (after(*turns), turns[0]), ground=False)
    return replace(
        stage, objects=stage.objects[:1], ground=None, light=Light((0.0, 0.6, 0.8), 1.0, 1.15, shadows=False), sky=Sky("#dfe3e8", "#dfe3e8")
    )


def least_change(stages: list[Scene3D]) -> float:
    """The least of `changed` among pictures with one camera and one light."""
    shown = [pixels(stage, 96) for stage in stages]
    ink = [max(1, int((abs(p - p[0, 0]).max(axis=2) > 12).sum())) for p in shown]
    pairs = combinations(range(len(shown)), 2)
    return min(float((abs(shown[i] - shown[j]).max(axis=2) > 24).sum()) / min(ink[i], ink[j]) for i, j in pairs)


def ids(groups: tuple[tuple[CatalogObject, ...], ...]) -> list[str]:
    return [shown.id for things in groups for shown in things]


@pytest.mark.slow
@pytest.mark.parametrize("id", ids(image_pairs.telling(upright=False)))
def test_all_ways_to_lie_look_different(id: str) -> None:
    """So no other turn ends in the same picture, wherever the object starts."""
    for spin in (30, 45):
        stages = [posed(thing(id), turn("y", spin), tumble) for tumble in tumbles()]
        assert least_change(stages) > OTHER, spin


@pytest.mark.slow
@pytest.mark.parametrize("id", ids(image_pairs.telling(upright=True)))
def test_all_quarter_turns_look_different(id: str) -> None:
    for spin in (30, 45, 60):
        assert least_change([posed(thing(id), turn("y", spin + quarter)) for quarter in (0, 90, 180, 270)]) > OTHER, spin


def test_all_ways_to_lie_of_an_elephant_look_different() -> None:
    assert least_change([posed(thing("elephant"), turn("y", 45), tumble) for tumble in tumbles()]) > OTHER


@pytest.mark.parametrize("id", ids(image_pairs.even(lambda shown: True)))
def test_what_counts_as_the_same_looks_the_same(id: str) -> None:
    """Every object of the pack of which the table says so."""
    shown = thing(id)
    for spin in (30, 60, 90, 120) if shown.turns == 1 else (shown.turns,):
        assert least_change([posed(shown, turn("y", 30)), posed(shown, turn("y", 30 + spin))]) < SAME, spin


@pytest.mark.parametrize("id", ids(image_pairs.even(lambda shown: shown.turns == 180 and image_pairs.oblong(shown))))
def test_a_quarter_turn_of_what_is_oblong_shows(id: str) -> None:
    for spin in (30, 45, 60):
        assert least_change([posed(thing(id), turn("y", spin)), posed(thing(id), turn("y", spin + 90))]) > OTHER, spin


@pytest.mark.parametrize("id", [shown.id for things in compound.even() for shown in things])
def test_what_is_even_is_not_so_upside_down(id: str) -> None:
    assert least_change([posed(thing(id), turn("y", 30)), posed(thing(id), turn("y", 30), turn("x", 180))]) > OTHER


def test_the_right_option_restores_the_picture() -> None:
    """By flips and turns of the pixels."""
    import numpy as np

    for item in some("canonical-orientation", 8):
        assert isinstance(item.answer, Choice)
        if item.level == "coarse" or item.answer.balance_bin() == UNKNOWN:
            continue
        (stage,) = item.scene.scenes3d
        upright = pixels(replace(stage, mirrored=False, image_rotation_deg=0), 96)

        def moved(picture, step: str):
            if "flip" in step:
                return picture[:, ::-1] if "left to right" in step else picture[::-1]
            if "rotate" in step:
                return np.rot90(picture, -2 if "180" in step else 1 if "counter" in step else -1)
            return picture

        fitting = []
        for option in item.answer.options[:-1]:  # the last one is no operation
            picture = pixels(stage, 96)
            for step in option.lower().split("then"):
                picture = moved(picture, step)
            if (picture == upright).all():
                fitting.append(option)
        if item.scene.word:
            assert fitting == [item.answer.balance_bin()], item.id
        else:  # or its mirror image
            assert len(fitting) <= 1, item.id
            assert set(fitting) <= {item.answer.balance_bin()}, item.id


def test_board_and_object_are_seen() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.world.render.visibility import sights

    for item in some("canonical-orientation", 8):
        (stage,) = item.scene.scenes3d
        seen = sights(stage, 192)
        asked = range(4) if item.scene.view in ("air", "thrown") else range(1 + bool(boards(item)))
        for place in {*asked, *boards(item)}:
            assert seen[place].share >= LEAST_SEEN, item.id
            assert not seen[place].cut, item.id
        for place in boards(item):
            board = seen[place].box
            assert board is not None
            assert max(board[2] - board[0], board[3] - board[1]) > 0.2 * 192, item.id


@pytest.mark.parametrize("name", ["compound-rotation", "viewer-scene-direction"])
def test_the_object_is_whole(name: str) -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.world.render.visibility import sights

    for item in some(name, 8):
        for stage in item.scene.scenes3d:
            assert not sights(stage, 128)[0].cut, item.id


# Soft accuracy -----------------------------------------------------------------------------------------------------


def credit(name: str, listed: tuple[str, ...], reply: int, key: int) -> float:
    return published(name)(f"Answer: {LETTERS[reply]}", Choice(listed, key))


def test_half_credit_for_one_of_two_turns() -> None:
    for (i, a), (j, b) in product(enumerate(TURNS), enumerate(TURNS)):
        expected = 1 if a == b else 0.5 * (a[0] == b[0] or a[1] == b[1])
        assert credit("compound-rotation", FINE, i, j) == expected, (a, b)


def test_half_credit_for_the_other_direction() -> None:
    pairs = {(i, j) for i, j in product(range(5), repeat=2) if credit("viewer-scene-direction", viewer.FINE, i, j) == 0.5}
    assert pairs == {(1, 3), (3, 1)}


def test_half_credit_for_the_other_order() -> None:
    for alone, beside, flip in product((90, 180, 270), (90, 270), (0, 1)):
        listed = options((alone, beside), flip)
        pairs = {(i, j) for i, j in product(range(6), repeat=2) if credit("canonical-orientation", listed, i, j) == 0.5}
        assert pairs == {(3, 4), (4, 3)}


def test_coarse_answers_earn_no_half_credit() -> None:
    for name, listed in (
        ("compound-rotation", KINDS),
        ("viewer-scene-direction", viewer.COARSE),
        ("canonical-orientation", canonical.COARSE),
    ):
        places = range(len(listed))
        assert all(credit(name, listed, i, j) == (i == j) for i, j in product(places, repeat=2)), name
