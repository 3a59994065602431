"""CoSpace: directions and errors by hand, margins, ways on foot, the odd picture, one place for three tasks, eyes on the pixels."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from isovist.core.answers import Choice, JointAnswer
from isovist.core.canonical_json import canonical_json
from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Box, Ground, Light, Pose, SceneObject, Sky, Sphere
from isovist.data.item import Item, make_item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.cospace import action_sequences, count_designs, counting, rederivation, symmetries, view_sets
from isovist.suites.cospace.action_sequences import AHEAD, BACK, LEFT, RIGHT, ROUTES, SAME_ACTIONS
from isovist.suites.cospace.directions import (
    CARDINAL,
    DIAGONAL,
    ERROR_45_DEG,
    ERROR_90_DEG,
    FRONT_BACK,
    LEFT_RIGHT,
    MIDDLE_MARGIN,
    OPPOSITE,
    REAR_VIEW_CONFUSION,
    SIDE_MARGIN,
    error,
    front_back,
    left_right,
    offered,
    shown_by,
)
from isovist.suites.cospace.environments import INDOORS, OUTDOORS, countable, visible_objects
from isovist.suites.cospace.rotation_difference import odd_one
from isovist.suites.cospace.target_objects import IN_BOTH, direction_of, heading_once, heading_twice, images_of, share_in, widest_once
from isovist.world.scenes.environments.environment import Environment, VisibleObject, shot
from isovist.world.scenes.plurals import plural

NORTH, NORTHEAST, EAST, SOUTHEAST, SOUTH, SOUTHWEST, WEST, NORTHWEST = range(8)
PLANNING = ("planning-question", "planning-decision", "planning")


@cache
def item_at(name: str, level: str, index: int, design: str) -> Item:
    """An item, made once for all tests."""
    task = registry.task(f"cospace/{name}")
    return make_item(task, task.address("test", level, 5, index, {"design": design} if design else {}))


def some(name: str, n: int = 16, level: str | None = None, design: str = "") -> list[Item]:
    level = level or registry.task(f"cospace/{name}").levels[0]
    return [item_at(name, level, index, design) for index in range(n)]


# Directions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "chosen", "name"),
    [
        (NORTH, NORTH, ""),
        (NORTHEAST, NORTHWEST, LEFT_RIGHT),
        (EAST, WEST, LEFT_RIGHT),
        (NORTH, SOUTH, FRONT_BACK),
        (NORTHEAST, SOUTHEAST, FRONT_BACK),
        (SOUTHEAST, SOUTHWEST, REAR_VIEW_CONFUSION),  # at the left of the picture to the back, and so called back left
        (SOUTHWEST, SOUTHEAST, REAR_VIEW_CONFUSION),
        (NORTHEAST, SOUTHWEST, OPPOSITE),
        (NORTH, NORTHEAST, ERROR_45_DEG),
        (NORTH, WEST, ERROR_90_DEG),
    ],
)
def test_which_error_leads_to_a_direction(truth: int, chosen: int, name: str) -> None:
    assert error(truth, chosen) == name


def test_the_four_directions_tell_nothing_of_the_key() -> None:
    """Each set comes equally often with each of its members as the key, and each member has its mirror image beside it."""
    for paper in (False, True):
        seen = Counter((offered(Rng("sets", truth, k), truth, paper=paper), truth) for truth in range(8) for k in range(4000))
        fours = {four for four, _ in seen}
        for four in fours:
            counts = [seen[four, truth] for truth in four]
            assert min(counts) > 0.85 * max(counts), four
            assert all({left_right(a), front_back(a)} & (set(four) - {a}) for a in four), four
        assert ({CARDINAL, DIAGONAL} < fours) == paper


def test_two_pictures_go_with_two_of_the_four_directions_each_or_with_three_and_one() -> None:
    for truth in range(8):
        for k in range(50):
            four = offered(Rng("pictures", truth, k), truth)
            pictures = Counter(shown_by(direction, four) for direction in four)
            assert sorted(pictures.values()) in ([2, 2], [1, 3]), four
            assert all(shown_by(direction, four) == direction // 2 for direction in four if direction % 2 == 0)
            # the one that shows what lies aslant looks to a side of it
            assert all((2 * shown_by(direction, four) - direction) % 8 in (1, 7) for direction in four if direction % 2)


def test_a_thing_to_the_right_of_minus_z_lies_east() -> None:
    """By hand: the camera looks along -Z, the world's +X is at the right of the picture."""
    ball = SceneObject(Sphere(0.2), Pose((3.0, 0.0, 0.0)), name="ball")
    block = SceneObject(Box((0.3, 0.3, 0.3)), Pose((-2.0, 0.0, 2.0)), name="block")
    world = Environment("room", (ball, block), (0.0, 1.5, 0.0), Ground(), Light(), Sky())
    pictures = tuple(shot(world, turn, 100) for turn in view_sets.AROUND)
    words = view_sets.clockwise_preamble(100, range(4))
    assert rederivation.direction(pictures, words, ball) == EAST
    assert rederivation.direction(pictures, words, block) == SOUTHWEST
    assert rederivation.shows(pictures[1], ball)
    assert not rederivation.shows(pictures[0], ball)
    # the same pictures from the second on, and told as what they are
    order = (1, 2, 3, 0)
    shown = tuple(pictures[i] for i in order)
    assert rederivation.direction(shown, view_sets.clockwise_preamble(100, order), ball) == EAST
    # told otherwise, they say something else
    assert rederivation.direction(shown, words, ball) == NORTH
    with pytest.raises(AssertionError, match="disagree"):
        rederivation.direction(pictures[::-1], words, ball)


def test_a_mirror_exchanges_left_and_right() -> None:
    ball = SceneObject(Sphere(0.2), Pose((3.0, 0.0, -1.0), 30.0), name="ball")
    world = symmetries.mirrored_environment(Environment("room", (ball,), (0.5, 1.5, 0.0), Ground(), Light(), Sky()))
    assert world.eye == (-0.5, 1.5, 0.0)
    assert world.objects[0].pose == Pose((-3.0, 0.0, -1.0), -30.0)


# Margins -----------------------------------------------------------------------------------------------------------


def test_a_thing_lies_in_its_direction_beyond_doubt() -> None:
    for k in range(300):
        rng = Rng("margins", k)
        direction, paper, picture = k % 8, k % 3 == 0, (k % 8 // 2 + rng.integer(0, k % 2)) % 4
        fov = rng.pick(view_sets.FOVS if paper else view_sets.NARROW_FOVS)
        at, half = rng.uniform(-180, 180), rng.uniform(1, 17 if paper else widest_once(fov) / 2)
        thing = VisibleObject(0, "thing", at, at - half, at + half, -10, 10, 3, 1)
        heading = heading_twice(rng, thing, direction, fov) if paper else heading_once(rng, thing, direction, picture, fov)
        off = wrapped(thing.bearing - heading - 45 * direction)
        assert abs(off) <= 22.5 - MIDDLE_MARGIN
        assert abs(off) + half <= 22.5 - SIDE_MARGIN
        assert direction_of(thing, heading) == direction
        shares = sorted(share_in(thing, heading + turn, fov) for turn in view_sets.AROUND)
        if paper and direction % 2:
            assert shares[-1] > 0.6
            assert shares[-2] >= IN_BOTH - 0.01
            assert len(images_of(thing, heading, fov)) == 2
        elif not paper:  # whole in one picture, and not a sliver in another
            assert (shares[-1], shares[-2]) == (pytest.approx(1), 0)
            assert images_of(thing, heading, fov) == (picture,)


# Rules that leave the skill out ------------------------------------------------------------------------------------


def scores(name: str, n: int, design: str = "") -> dict[str, float]:
    """What each cheap rule gets."""
    made, rules = some(name, n, design=design), registry.task(f"cospace/{name}").checks.shortcuts
    by_rule = {rule: [frozenset(shortcut.rule(item.scene, item.question)) for item in made] for rule, shortcut in rules.items()}
    return {
        rule: sum(
            (item.answer.canonical() in reply) / len(reply) if reply else item.chance for item, reply in zip(made, replies, strict=True)
        )
        / n
        for rule, replies in by_rule.items()
    }


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("direction-recognition", marks=pytest.mark.certified(task="cospace/direction-recognition")),
        pytest.param("planning-question", marks=pytest.mark.certified(task="cospace/planning-question")),
        pytest.param("planning-decision", marks=pytest.mark.certified(task="cospace/planning-decision")),
    ],
)
def test_which_picture_shows_a_thing_does_not_tell_straight_from_aslant(name: str) -> None:
    for rule, value in scores(name, 64).items():
        assert value <= 0.56, rule
    paper = scores(name, 32, "paper")
    assert paper["cardinal if in one image, diagonal if in two"] == 1


@pytest.mark.certified(task="cospace/directional-object")
def test_other_things_are_seen_in_the_pictures_of_the_direction() -> None:
    made = scores("directional-object", 64)
    assert made["in an image that covers the direction"] <= 0.5
    rules = registry.task("cospace/directional-object").checks.shortcuts
    assert max(made[rule] for rule, shortcut in rules.items() if not shortcut.partial) <= 0.43  # three standard errors
    assert scores("directional-object", 32, "paper")["in an image that covers the direction"] > 0.9


def test_what_the_pictures_show_tells_a_group_of_numbers_and_no_more() -> None:
    for kind in (kind for where in (INDOORS, OUTDOORS) for kind in countable(where, counting.RANGES[counting.FEW][1])):
        cells = Counter((n, count_designs.few(kind, n, slot)) for n in range(1, 6) for slot in range(count_designs.SLOTS))
        shown = {lie for _, lie in cells}
        assert sum(max(cells[n, lie] for n in range(1, 6)) for lie in shown) <= 0.42 * 5 * count_designs.SLOTS, kind
        for statistic in (sum, max, lambda lie: sum(n > 0 for n in lie)):
            for more in range(-4, 4):
                hits = sum(slots * (max(1, statistic(lie) + more) == n) for (n, lie), slots in cells.items())
                assert hits <= 0.42 * 5 * count_designs.SLOTS, (kind, more)
        for n, lie in cells:
            assert n <= sum(lie) <= 2 * n, (kind, lie)
            assert lie == count_designs.alike(lie)
            assert sum(lie) - n <= 3


@pytest.mark.certified(task="cospace/counting")
def test_things_lie_in_the_pictures_as_designed() -> None:
    made = some("counting", 40)
    for item in made:
        looked, kind = item.scene.views, item.scene.category
        counted = [thing for thing in looked.objects if thing.name == kind]
        shown = count_designs.alike(counting.seen_by(counted, looked.heading, looked.fov))
        assert shown in {count_designs.few(kind, len(counted), slot) for slot in range(count_designs.SLOTS)}, item.id
        for thing in counted:
            second = sorted(share_in(thing, looked.heading + turn, looked.fov) for turn in view_sets.AROUND)[-2]
            assert second <= counting.SLIVER or second >= counting.CLEARLY
    assert {registry.task("cospace/counting").reported.attributes(item.scene)["objects in two images"] for item in made} >= {"0", "1", "2"}  # pyright: ignore[reportOptionalCall] - it has


@pytest.mark.parametrize(
    ("name", "most"),
    [
        pytest.param("rotation-angle", 0.58, marks=pytest.mark.certified(task="cospace/rotation-angle")),
        pytest.param("rotation-difference", 0.3, marks=pytest.mark.certified(task="cospace/rotation-difference")),
    ],
)
def test_rules_on_the_turns_that_are_no_part_of_the_skill_stay_at_chance(name: str, most: float) -> None:
    rules = registry.task(f"cospace/{name}").checks.shortcuts
    made = scores(name, 200)
    assert max(made[rule] for rule, shortcut in rules.items() if not shortcut.partial) <= most


@pytest.mark.certified(task="cospace/planning")
def test_two_options_that_name_one_direction_are_four_pairs() -> None:
    assert scores("planning", 32)["two options with the same direction"] == pytest.approx(0.25)


def test_stored_things_are_those_of_the_place() -> None:
    for item in some("direction-recognition", 4):
        assert item.scene.views.objects == visible_objects(item.scene.views.place)
        assert len(canonical_json(item.scene)) < 16_000


@pytest.mark.certified(task="cospace/direction-recognition")
def test_a_thing_asked_about_is_seen() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.world.render.visibility import sights

    for item in some("direction-recognition", 8):
        scene = item.scene
        place = scene.views.visible_object(scene.target).object_index
        best = max((sights(stage, 128)[place] for stage in item.scenes3d), key=lambda sight: sight.pixels)
        assert best.share >= 0.5, item.id
        assert best.pixels >= 20, item.id


# Orders ------------------------------------------------------------------------------------------------------------


def test_another_start_names_the_pictures_anew() -> None:
    (item,) = some("direction-recognition", 1)
    orders = registry.task("cospace/direction-recognition").images.orders(item.scene)  # pyright: ignore[reportOptionalCall] - it has
    assert list(orders) == ["start-2", "start-3", "start-4", "shuffled"]
    order, words = orders["start-2"]
    assert order == (1, 2, 3, 0)
    assert "The camera points east in image 1, south in image 2, west in image 3, and north in image 4." in words
    order, words = orders["shuffled"]
    assert f"The camera points {view_sets.COMPASS_HEADINGS[order[0]]} in image 1." in words
    assert "in image 2" not in words


def test_a_shuffled_order_never_goes_on_clockwise() -> None:
    for k in range(200):
        order = view_sets.shuffled(Rng("orders", k))
        assert sorted(order) == [0, 1, 2, 3]
        assert order not in {tuple((first + i) % 4 for i in range(4)) for first in range(4)}


# Planning ----------------------------------------------------------------------------------------------------------


def test_the_order_of_actions_matters() -> None:
    assert action_sequences.leads_to((BACK, AHEAD)) == SOUTH
    assert action_sequences.leads_to((AHEAD, BACK)) == NORTH
    assert action_sequences.leads_to((RIGHT, AHEAD, LEFT, AHEAD)) == NORTHEAST
    assert action_sequences.leads_to((LEFT, AHEAD, RIGHT, AHEAD)) == NORTHWEST
    assert action_sequences.leads_to((LEFT, AHEAD, BACK, AHEAD)) is None
    assert action_sequences.leads_to((BACK,)) is None


@pytest.mark.parametrize("direction", range(8))
def test_ways_lead_where_they_are_said_to(direction: int) -> None:
    for way in ROUTES[direction]:
        assert action_sequences.leads_to(way) == rederivation.walked(way) == direction, way
        assert action_sequences.parsed(action_sequences.action_text(way)) == way


def test_one_index_is_one_target_for_all_three() -> None:
    made = [some(name, 8) for name in PLANNING]
    for question, decision, both in zip(*made, strict=True):
        assert question.scene == decision.scene == both.scene
        assert question.group == decision.group == both.group
        assert question.pictures == both.pictures
        assert isinstance(both.answer, JointAnswer)
        assert [part for _, part in both.answer.parts] == [question.answer, decision.answer]


def test_another_order_of_the_key_is_named() -> None:
    task = registry.task("cospace/planning-decision")
    named = 0
    for item in some("planning-decision", 24):
        errors = task.reported.distractor_types(item.scene)  # pyright: ignore[reportOptionalCall] - it has
        assert isinstance(item.answer, Choice)
        key = item.scene.routes[item.answer.truth]
        for way, name in zip(item.scene.routes, errors, strict=True):
            assert (name == SAME_ACTIONS) == (way != key and sorted(way) == sorted(key)), item.id
            named += name == SAME_ACTIONS
    assert named >= 4


# Rotation ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "odd"),
    [
        ((0, 30, 200, 60, 90), 2),
        ((200, 0, 45, 90, 135), 0),
        ((0, 60, 120, 180, 270), 4),
        ((0, 30, 60, 90, 120), None),  # all five are even
        ((330, 0, 30, 60, 90), None),
        ((0, 60, 120, 180, 250), None),  # without the first the turns are 60, 60, 70
    ],
)
def test_the_odd_picture_put_in_is_one_alone(turns: tuple[float, ...], odd: int | None) -> None:
    assert odd_one(turns, inserted=True) == odd


@pytest.mark.parametrize(
    ("turns", "odd"),
    [
        ((0, 30, 82, 90, 120), 2),
        ((0, 23, 90, 135, 180), 1),
        ((0, 60, 120, 180, 262), 4),
        ((0, 82, 142, 202, 262), 0),
        ((0, 30, 60, 90, 120), None),  # none is off
        ((0, 60, 120, 180, 250), None),  # the last by 10, or the one before by 5
    ],
)
def test_the_picture_that_is_off_is_one_alone(turns: tuple[float, ...], odd: int | None) -> None:
    assert odd_one(turns, inserted=False) == odd


def test_the_odd_picture_is_inside_the_sweep() -> None:
    for item in some("rotation-difference", 15):
        turns, odd = item.scene.views.rotations_deg, item.scene.odd_view
        apart = [b - a for a, b in pairwise(turns)]
        even = min(apart, key=lambda turn: sum(abs(turn - other) for other in apart))
        due = turns[odd - 1] + even if odd else turns[1] - even
        assert 20 <= abs(turns[odd] - due) <= 25
        assert len(set(item.scene.views.lights)) == 5


@pytest.mark.certified(task="cospace/rotation-angle")
def test_the_field_of_view_does_not_go_with_the_angle() -> None:
    task = registry.task("cospace/rotation-angle")
    for level in task.levels:
        made = some("rotation-angle", 40, level)
        wide = {
            angle: [item.scene.views.fov for item in made if item.answer.balance_bin() == angle]
            for angle in {item.answer.balance_bin() for item in made}
        }
        means = [sum(fovs) / len(fovs) for fovs in wide.values()]
        spread = max(item.scene.views.fov for item in made) - min(item.scene.views.fov for item in made)
        assert spread >= 10, level
        assert max(means) - min(means) < spread, level
        paper = [item.scene.views.fov for item in some("rotation-angle", 6, level, "paper")]
        assert len(set(paper)) == 1, level


def test_no_two_pictures_of_a_turn_are_the_same() -> None:
    for item in some("rotation-angle", 12, level="75-to-120"):
        turns = item.scene.views.rotations_deg
        assert len({turn % 360 for turn in turns}) == len(turns) == 3, item.id


def test_the_eyes_see_every_turn() -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.evaluation.models.baselines.pixel_solvers import solve

    for name, size in (("rotation-angle", 256), ("rotation-difference", 256)):
        task = registry.task(f"cospace/{name}")
        for level in task.levels:
            for item in Items(task, 2, 3, "test", level, (("size", size),)):
                assert item.answer.score(solve("cospace", item.pixels(), item.prompt)).credit == 1, item.id


def test_the_eyes_do_not_see_what_is_not_there() -> None:
    """Pictures of another item, under the same words, do not lead to the key more often than guesses do."""
    pytest.importorskip("numba", reason="needs the extra scene")
    from isovist.evaluation.models.baselines.pixel_solvers import solve

    made = list(Items(registry.task("cospace/rotation-difference"), 6, 3, settings=(("size", 256),)))
    moved = [(item, other) for item, other in pairwise(made) if item.answer != other.answer]
    assert moved
    for item, other in moved:
        assert item.answer.score(solve("cospace", other.pixels(), item.prompt)).credit == 0, item.id


# Names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("car", "cars"),
        ("person", "people"),
        ("cardboard box", "cardboard boxes"),
        ("bench", "benches"),
        ("pair of boots", "pairs of boots"),
        ("lorry", "lorries"),
        ("tray", "trays"),
        ("toy", "toys"),
        ("bus", "buses"),
        ("wall shelf", "wall shelves"),
        ("high chair", "high chairs"),
        ("chest of drawers", "chests of drawers"),
        ("bus stop shelter", "bus stop shelters"),
        ("deer", "deer"),
        ("snowman", "snowmen"),
        ("loaf of bread", "loaves of bread"),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many
