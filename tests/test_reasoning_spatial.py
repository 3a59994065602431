"""Chains of thought of SRBench, DORI and CoSpace: they hold, they vary in words, and forged ones are refused for what they say.

That no line can be left out and no number or side be changed is a check of conformance; here steps are forged that still read well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import atan, degrees, radians, tan

import pytest

from isovist.core.scene3d import Camera, place, project
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.cospace.cot_camera_rotation import of_angle, of_odd_one
from isovist.suites.dori import cot_facing, image_pairs
from isovist.suites.dori.cot_rotation import direction
from isovist.suites.srbench.maze_common import END, WALL, read_blocks
from isovist.world.scenes import object_catalog
from isovist.world.scenes.plurals import plural

MAZES = ("srbench/maze-nav-right-turns", "srbench/maze-nav-turns", "srbench/maze-nav-position")
FACINGS = ("dori/view-parallelism", "dori/directional-facing", "dori/single-axis-rotation")
REASONED = (
    *MAZES, "srbench/paper-folding", *FACINGS, "dori/compound-rotation",
    "cospace/direction-recognition", "cospace/directional-object", "cospace/rotation-angle", "cospace/rotation-difference",
)  # fmt: skip
SUITES = ("srbench", "dori", "cospace")


@cache
def item_at(id: str, place: int, level: str | None, form: str) -> Item:
    return Items(registry.task(id), 100, 31, "train", level, (("form", form),) if form else ())[place]


def items(id: str, n: int, level: str | None = None, form: str = "") -> Iterator[Item]:
    return (item_at(id, place, level, form) for place in range(n))


def chain(item: Item) -> str:
    assert item.reasoning is not None
    return item.reasoning


def faults(item: Item, text: str) -> list[str]:
    reasoning = item.task.reasoning
    assert reasoning is not None
    return reasoning.verify(item.scene, text)


def shape(text: str) -> str:
    """A chain's first line without what differs from item to item."""
    return re.sub(r"\d+|\bS\b|\bE\b|right|left", "_", text.split("\n", maxsplit=1)[0])


def test_these_tasks_have_reasoning_and_no_others_of_their_suites() -> None:
    assert {task.id for suite in SUITES for task in registry.matching([f"{suite}/*"]) if task.reasoning} == set(REASONED)


@pytest.mark.parametrize("id", REASONED)
def test_chains_hold_and_lead_to_the_key(id: str) -> None:
    for item in items(id, 3):
        assert not faults(item, chain(item)), chain(item)
        assert item.answer.score(chain(item)).outcome == "correct"
        assert chain(item).split("\n")[-1].startswith(f"Answer: {item.answer.canonical()}")


@pytest.mark.parametrize("id", ["srbench/maze-nav-turns", "srbench/paper-folding", "cospace/direction-recognition"])
def test_words_differ_from_item_to_item(id: str) -> None:
    assert len({shape(chain(item)) for item in items(id, 12)}) > 2


@pytest.mark.parametrize("id", REASONED)
def test_no_two_steps_can_change_places(id: str) -> None:
    for item in items(id, 3):
        lines = chain(item).split("\n")
        for k, (a, b) in enumerate(pairwise(lines)):
            if a != b:
                assert faults(item, "\n".join([*lines[:k], b, a, *lines[k + 2 :]])), f"{a} / {b}"


# Mazes ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["picture", "text"])
def test_a_straight_run_is_one_step(form: str) -> None:
    for item in items("srbench/maze-nav-turns", 2, "15x15", form):
        lines = chain(item).split("\n")
        assert sum("block" in line and "walls" not in line and "exit" not in line for line in lines) == int(item.answer.balance_bin()) + 1
        assert not faults(item, chain(item))


RUN = re.compile(r"(\d+) blocks?(.*?)(up|right|down|left)(.*row )(\d+)(, column )(\d+)")
STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def spelled(n: int) -> str:
    return f"{n} block{'s' * (n > 1)}"


def stretched(line: str, by: int) -> str:
    """A run that goes further, or less far, in its direction, and says truly where that is."""
    match = RUN.search(line)
    assert match
    n, between, way, before, row, column_is, column = match.groups()
    down, right = STEPS[way]
    replacement = f"{spelled(int(n) + by)}{between}{way}{before}{int(row) + by * down}{column_is}{int(column) + by * right}"
    return line.replace(match[0], replacement)


def test_a_run_that_goes_on_into_a_wall_or_stops_early_is_refused() -> None:
    for item in items("srbench/maze-nav-turns", 8):
        lines = chain(item).split("\n")
        runs = [k for k, line in enumerate(lines) if RUN.search(line)]
        for k in runs:
            for by in (1, -1):
                if by > 0 or RUN.search(lines[k])[1] != "1":  # pyright: ignore[reportOptionalSubscript] - found above
                    assert faults(item, "\n".join([*lines[:k], stretched(lines[k], by), *lines[k + 1 :]])), lines[k]


def test_the_chain_of_an_unmarked_maze_describes_each_branch_once() -> None:
    for item in items("srbench/maze-nav-right-turns", 3, "13x13-unmarked"):
        blocks = read_blocks(item.drawings, item.question.text)
        way = item.scene.sheet.maze.path
        aside = {
            (row + down, column + right)
            for row, column in way
            if blocks[row, column] != END
            for down, right in STEPS.values()
            if blocks.get((row + down, column + right), WALL) != WALL
        } - set(way)
        branch_lines = [line for line in chain(item).split("\n") if "dead end" in line]
        assert len(branch_lines) == len(aside) > 0


@pytest.mark.parametrize("level", ["13x13", "15x15-unmarked"])
def test_runs_and_turns_hang_together(level: str) -> None:
    """A walk by the words of the chain alone: each run leads where it says, each turn to the side that it says, and all are counted."""
    for item in items("srbench/maze-nav-turns", 4, level):
        first, *lines, _ = chain(item).split("\n")
        row, column = map(int, re.findall(r"row (\d+)\D+column (\d+)", first)[0])
        heading, turns = "", 0
        for line in lines:
            if match := RUN.search(line):
                n, way = int(match[1]), match[3]
                assert heading in {"", way}, line
                row, column, heading = row + n * STEPS[way][0], column + n * STEPS[way][1], way
                assert (str(row), str(column)) == (match[5], match[7]), line
            elif match := re.search(r"from (up|right|down|left) to (up|right|down|left)\b.*\b(left|right)\b.*: (\d+)", line):
                (down, right), (then_down, then_right) = STEPS[match[1]], STEPS[match[2]]
                turns += 1
                assert (match[1], int(match[4])) == (heading, turns), line
                assert right * then_down - down * then_right == (1 if match[3] == "right" else -1), line
                heading = match[2]
        assert str(turns) == item.answer.balance_bin()


def test_the_way_is_no_dead_end() -> None:
    for item in items("srbench/maze-nav-turns", 6, "13x13-unmarked"):
        text = chain(item)
        for line in text.split("\n"):
            match = re.search("(?:leads|goes|opens) (up|right|down|left)", line)
            if match and "dead end" in line:
                for other in STEPS.keys() - {match[1]}:
                    assert faults(item, text.replace(line, line.replace(f" {match[1]}", f" {other}"))), line


# Paper ------------------------------------------------------------------------------------------------------------------

FOLDED: tuple[tuple[str, str], ...] = (
    (r"(\(\d+, \d+\)) is copied to \(\d+, \d+\)", r"\1 stays unchanged"),
    (r"(\(\d+, \d+\)) is copied to (\(\d+, \d+\))", r"\1 moves to \2"),
    (r"\((\d+), (\d+)\) is copied", r"(\2, \1) is copied"),
    (r"the vertical line x", r"the horizontal line y"),
    (r"the horizontal line y", r"the vertical line x"),
    (r"the ascending diagonal x = y", r"the descending diagonal x + y = 32"),
    (r"\((\d+) - y, (\d+) - x\)", r"(y, x)"),
    (r"Sheet A", r"Sheet B"),
    (r"sheet B", r"sheet C"),
)


@pytest.mark.parametrize(("pattern", "instead"), FOLDED)
def test_paper_that_opens_otherwise_is_refused(pattern: str, instead: str) -> None:
    forged = 0
    for level in ("1-fold-2-holes", "2-folds-1-hole", "3-folds-2-holes"):
        for item in items("srbench/paper-folding", 8, level):
            steps, last = chain(item).rsplit("\n", 1)
            wrong = re.sub(pattern, instead, steps, count=1)
            if wrong != steps:
                forged += 1
                assert faults(item, f"{wrong}\n{last}"), wrong
    assert forged


def test_the_words_of_a_crease_mirror_holes_in_its_line() -> None:
    """By the arithmetic of the words: an image is what the terms come to, and the middle between both lies on the line."""
    lines: set[str] = set()
    for level in ("1-fold-2-holes", "2-folds-1-hole", "3-folds-2-holes"):
        for item in items("srbench/paper-folding", 8, level):
            for crease, changes in pairwise(chain(item).split("\n")):
                line = re.search(r"(vertical|horizontal|descending|ascending) (?:line|diagonal) ([xy0-9 +-]+) = ([xy0-9 +-]+)", crease)
                if not line:
                    continue
                lines.add(line[1])
                terms = re.findall(r"\(([xy0-9 +-]+), ([xy0-9 +-]+)\)", crease)[-1]
                for spot in re.findall(r"\((\d+), (\d+)\) (?:is copied to|moves to) \((\d+), (\d+)\)", changes):
                    x, y, u, v = map(int, spot)
                    assert (worth(terms[0], x, y), worth(terms[1], x, y)) == (u, v), crease
                    assert worth(line[2], (x + u) / 2, (y + v) / 2) == worth(line[3], (x + u) / 2, (y + v) / 2), crease
    assert lines == {"vertical", "horizontal", "descending", "ascending"}


def worth(term: str, x: float, y: float) -> float:
    """The value of a sum or difference of x, y and numbers."""
    values = {"x": x, "y": y}
    parts = re.findall(r"([+-]?) ?(\d+|[xy])", term)
    return sum((-1 if sign == "-" else 1) * values.get(part, float(part) if part.isdecimal() else 0.0) for sign, part in parts)


@pytest.mark.parametrize("lines", ["half", "any"])
def test_paper_holds_wherever_the_creases_lie(lines: str) -> None:
    settings = (("distractors", "paper"), ("lines", lines), ("options", "4"))
    kinds: set[str] = set()
    for item in Items(registry.task("srbench/paper-folding"), 30, 7, "test", "2-folds-3-holes", settings):
        assert not faults(item, chain(item)), chain(item)
        kinds |= set(re.findall("is copied|moves to|stays unchanged", chain(item)))
    assert kinds == ({"is copied"} if lines == "half" else {"is copied", "stays unchanged"} | (kinds & {"moves to"}))


# Objects ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", FACINGS)
def test_what_is_seen_of_a_front_is_so_in_the_picture(id: str) -> None:
    """By where a point before the object is drawn: further to the side that the chain names, and larger if it comes nearer."""
    n_checked = 0
    for item in items(id, 24):
        look = re.search(r"(mostly|almost straight|straight) (toward|away|to the (left|right))", chain(item))
        if not look:
            assert "cannot" in chain(item)
            continue
        stage = item.scenes3d[0]
        solid = stage.objects[item.scene.targets[0]]
        assert isinstance(stage.camera, Camera)
        (x, _, near), (u, _, far) = (project(stage.camera, place(solid, (0.0, 0.0, z / solid.scale))) for z in (0.0, 0.05))
        if look[2] == "toward":
            assert far < near
        elif look[2] == "away":
            assert far > near
        else:
            assert (u > x) == (look[3] == "right"), chain(item)
        n_checked += 1
    assert n_checked > 12


def test_every_front_that_is_asked_about_has_a_name() -> None:
    """A plane leads with its nose: no front is called the side that is used."""
    parts = {thing.category: cot_facing.part(thing) for things in object_catalog.chosen(("clear",)) for thing in things}
    assert parts["toy plane"] == "its nose with the propeller"
    assert parts["lawn mower"] == parts["car"] == "the end that leads when it moves"


def test_an_ambiguous_front_has_a_reason() -> None:
    ambiguous = (chain(item) for id in FACINGS for item in items(id, 60, "granular") if "cannot be determined" in chain(item))
    missing = {"screen", "same"}
    while missing and (text := next(ambiguous, "")):
        missing -= {reason for reason in missing if reason in text}
    assert not missing


def test_directions_of_an_object_in_the_air_are_those_of_its_picture() -> None:
    seen_so = 0
    for item in items("dori/compound-rotation", 12):
        if "different objects" in chain(item) or "No rotation does that" in chain(item):
            continue
        stage = item.scenes3d[0]
        solid, camera = image_pairs.shown(stage), stage.camera
        assert isinstance(camera, Camera)
        px, py, pz = solid.pivot
        (x, y, near), (u, v, far) = (project(camera, place(solid, (px, py + top / solid.scale, pz))) for top in (0.0, 0.05))
        drawn = {
            "to the right": u - x,
            "to the left": x - u,
            "up": y - v,
            "down": v - y,
            "toward the viewer": near - far,
            "away from the viewer": far - near,
        }
        match = re.search(r"top (?:points|is directed) straight ([a-z ]+?)[.,\n]", chain(item))
        if match:
            seen_so += 1
            assert drawn[match[1]] > 0, chain(item)
    assert seen_so > 4


def test_directions_in_words() -> None:
    assert direction((0.0, -1.0, 0.0)) == "straight down"
    assert direction((0.866, 0.0, -0.5)) == "mainly to the right, partly away from the viewer"
    assert direction((0.0, 0.707, 0.707)) == "equally up and toward the viewer"


SWAPS: tuple[tuple[str, str], ...] = (
    ("toward the viewer", "away from the viewer"),
    ("away from the viewer", "toward the viewer"),
    ("mostly", "almost straight"),
    ("mainly", "equally"),
    ("neither to the right nor to the left", "straight to the right"),
    ("clockwise", "in either direction"),
)


@pytest.mark.parametrize("id", [*FACINGS, "dori/compound-rotation"])
def test_other_words_for_what_is_seen_are_refused(id: str) -> None:
    forged = 0
    for item in items(id, 12):
        steps, last = chain(item).rsplit("\n", 1)
        for word, other in SWAPS:
            for match in re.finditer(rf"\b{word}\b", steps):
                forged += 1
                assert faults(item, f"{steps[: match.start()]}{other}{steps[match.end() :]}\n{last}"), (word, chain(item))
    assert forged > 10


def test_another_kind_of_object_is_refused() -> None:
    for item in items("dori/directional-facing", 6):
        if not item.scene.front_is_hidden:
            category = item.scene.categories[0]
            assert faults(item, re.sub(rf"\ban? (?:{category}|pair of identical {plural(category)})\b", "a spoon", chain(item)))


# Places -----------------------------------------------------------------------------------------------------------------


def angle(words: str) -> list[int]:
    """The angles from the image centre that a text states, positive to the right."""
    found = re.findall(r"at the centre|(\d+) degrees? (left|right) of the centre", words)
    return [int(degrees or 0) * (-1 if side == "left" else 1) for degrees, side in found]


def test_angles_add_up() -> None:
    for item in items("cospace/direction-recognition", 9):
        seen, total, *_ = chain(item).split("\n")
        base, at = re.findall(r"(\d+) degrees?", total)
        turn = int(re.findall(r"(\d+) degrees? clockwise", seen)[0]) if item.level == "facing" else angle(seen)[0]
        assert (int(base) + turn) % 360 == int(at)
    for item in items("cospace/rotation-angle", 8):
        for line in chain(item).split("\n")[:-2]:
            match = re.search(r"rotated by about (\d+) degrees (clockwise|counterclockwise)", line)
            assert match
            turn = int(match[1]) * (1 if match[2] == "clockwise" else -1)
            if overlap := re.search(r"overlap (?:is|by) about (\d+) of (\d+) degrees", line):
                assert int(overlap[1]) + abs(turn) == int(overlap[2])
            else:
                one, two = angle(line)
                assert one - two == turn, line


def test_positions_and_angles_agree() -> None:
    """The degrees of an object are the arctangent of its position, to within the rounding of both to whole numbers."""
    stated = re.compile(r"(\d+) percent[^.:]*?(?:[,:(]|which is|so it is) ?(at the centre|\d+ degrees? (?:left|right) of the centre)")
    for id in ("cospace/direction-recognition", "cospace/rotation-angle", "cospace/rotation-difference"):
        for item in items(id, 12):
            stage = item.scenes3d[0]
            assert isinstance(stage.camera, Camera)
            half = tan(radians(stage.camera.fov / 2))
            for percent, words in stated.findall(chain(item)):
                low, high = (degrees(atan((float(percent) - 50 + edge) / 50 * half)) for edge in (-0.7, 0.7))
                assert low - 0.7 <= angle(words)[0] <= high + 0.7, f"{item.id}: {percent} percent, {words}"


def test_another_thing_or_picture_is_refused() -> None:
    for item in items("cospace/directional-object", 4):
        steps, last = chain(item).rsplit("\n", 1)
        first, second = item.scene.candidates[:2]
        swapped = steps.replace(first, "#").replace(second, first).replace("#", second)
        assert faults(item, f"{swapped}\n{last}")
        for wind, other in pairwise(("north", "east", "south", "west")):
            wrong = re.sub(rf"\b{wind}\b", other, steps)
            assert wrong == steps or faults(item, f"{wrong}\n{last}")


@pytest.mark.parametrize(
    ("id", "say"),
    [
        ("cospace/rotation-angle", lambda item: of_angle(_less(item, 15.0), item.answer, 0)),
        (
            "cospace/rotation-difference",
            lambda item: of_odd_one(_less(item, 15.0), item.scene.odd_view, item.answer, 0, inserted=item.scene.inserted),
        ),
    ],
)
def test_the_turns_of_other_cameras_are_refused(id: str, say: Callable[[Item], str]) -> None:
    for item in items(id, 3):
        assert faults(item, say(item))


def _less(item: Item, by: float):
    """The views with every picture but the first turned a little further."""
    views = item.scene.views
    return replace(views, rotations_deg=tuple(turn + by * (i > 0) for i, turn in enumerate(views.rotations_deg)))


def test_an_occluded_object_or_one_of_several_shows_no_rotation() -> None:
    n_mentions = 0
    for item in items("cospace/rotation-difference", 6):
        for name in re.findall(r"[Tt]he ([A-Za-z' -]+?) (?:is at|moves from)|both show the ([A-Za-z' -]+?):", chain(item)):
            n_mentions += 1
            wrong = re.sub(rf"\b{re.escape(''.join(name))}\b", "wall", chain(item))
            assert faults(item, wrong)
    assert n_mentions
