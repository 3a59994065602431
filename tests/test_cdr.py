"""The eleven CDR tasks follow their paper: pictures, words, options, balance, and the published sizes."""

from __future__ import annotations

import cmath
import math
import re
from collections import Counter
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import pytest

from isovist.cli.generation_options import parts
from isovist.core.answers import Choice
from isovist.core.drawing2d import Drawing, IconShape, Label, Line
from isovist.core.task import Split, split_of_layout
from isovist.data.item import Item
from isovist.data.item_options import ItemOptions
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.cdr import heading, question_templates, relative_icons, relative_symbols
from isovist.suites.cdr.layouts import Icon, LoneIcon, Surrounded, Symbols, UprightIcon
from isovist.world.render import pixels
from isovist.world.scenes.compass import COMPASS_DIRECTIONS
from isovist.world.scenes.icons import DIRECTED, INK, INK_CENTRE, posed

# The rows of the paper's result table, with the chance level of each.
ROWS = {
    "object-classification-icon": 0.25,
    "object-classification-letter": 0.25,
    "object-classification-number": 0.25,
    "spatial-direction-icon": 0.125,
    "compass-direction-icon": 0.125,
    "relative-spatial-icon": 0.125,
    "relative-spatial-letter": 0.125,
    "relative-spatial-number": 0.125,
    "relative-compass-icon": 0.125,
    "relative-compass-letter": 0.125,
    "relative-compass-number": 0.125,
}
DIRECTIONAL = [name for name, chance in ROWS.items() if chance < 0.2]
RELATIVE = [name for name in ROWS if name.startswith("relative-")]
GRIDDED = [name for name in ROWS if name.endswith(("-letter", "-number"))]
# The order in which every published example lists its options.
SPATIAL_ORDER: tuple[str, ...] = ("down", "left", "lower left", "lower right", "right", "up", "upper left", "upper right")
COMPASS_ORDER: tuple[str, ...] = ("East", "West", "South", "North", "Northeast", "Northwest", "Southeast", "Southwest")


@lru_cache(maxsize=64)
def made(name: str, n: int, **settings: str | int) -> list[Item]:
    return list(Items(registry.task(f"cdr/{name}"), n, 21, settings=tuple(sorted(settings.items()))))


def options(item: Item) -> tuple[str, ...]:
    assert isinstance(item.answer, Choice)
    return item.answer.options


def cell(at: tuple[float, float]) -> tuple[int, int]:
    """Column and row, counted from the lower left; fails for what does not stand in the middle of a cell."""
    place = at[0] * 3 - 0.5, at[1] * 3 - 0.5
    assert place == pytest.approx((round(place[0]), round(place[1])), abs=1e-9)
    return round(place[0]), round(place[1])


# ---- a third derivation of the key ----------------------------------------------------------------------------------
# Neither the sampler's indices nor the reader's angles: directions are complex numbers (right 1, up i), a premise is
# one division, and the question is read by what it asks for, not by what it measures from.

PLACES: dict[str, complex] = dict(zip(SPATIAL_ORDER, (-1j, -1, -1 - 1j, 1 - 1j, 1, 1j, -1 + 1j, 1 + 1j), strict=True))
BLOWS: dict[str, complex] = dict(zip(COMPASS_ORDER, (1, -1, -1j, 1j, 1 + 1j, -1 + 1j, 1 - 1j, -1 - 1j), strict=True))
WIND = "(" + "|".join(sorted(BLOWS, key=len, reverse=True)) + ")"
UPWARD = re.compile(rf"up is {WIND}\b|edge of the image faces {WIND}\b|up in the image means moving {WIND}\b|with {WIND} at the top")
AHEAD = re.compile(rf"\bpoints {WIND}\b")


def unit(z: complex) -> complex:
    return z / abs(z)


def named(shape: Label | IconShape) -> str:
    if isinstance(shape, Label):
        return shape.text
    stem = shape.name.partition("-")[0]
    return {"hand": "pointing hand"}.get(stem, stem)


def derived(picture: Drawing, question: str) -> str:
    things = {named(shape): shape for shape in picture.shapes if isinstance(shape, (Label, IconShape))}
    asked = [name for name in things if re.search(rf"\bthe (?:letter |number )?{name}\b", question)]
    anything = "|".join(map(re.escape, asked))
    target = re.findall(
        rf"\b(?:is|straight to|to reach) the (?:letter |number )?({anything})(?= from\b| relative to\b| located\b|\?|\.)", question
    )
    if len(asked) == 2:
        (end,) = (things[name] for name in target)
        (start,) = (things[name] for name in asked if name not in target)
        way = complex(*end.position) - complex(*start.position)
    else:
        (start,) = (things[name] for name in asked)
        way = front(start)
    upward, ahead = UPWARD.search(question), AHEAD.search(question)
    if upward is None and ahead is None:
        return nearest(way, PLACES)
    assert (upward is None) != (ahead is None)
    match, known = (upward, 1j) if upward else (ahead, front(start))
    assert match is not None
    (wind,) = (name for name in match.groups() if name)
    return nearest(unit(way) / unit(known) * unit(BLOWS[wind]), BLOWS)


def front(shape: Label | IconShape) -> complex:
    """Where a glyph points: stored facing right, perhaps mirrored, then turned clockwise."""
    assert isinstance(shape, IconShape)
    return (-1 if shape.mirrored else 1) * cmath.exp(-1j * math.radians(shape.rotation_deg))


def nearest(way: complex, names: dict[str, complex]) -> str:
    best = min(names, key=lambda name: abs(unit(names[name]) - unit(way)))
    assert abs(unit(names[best]) - unit(way)) < 1e-6  # all directions of this suite are multiples of 45 degrees
    return best


@pytest.mark.parametrize("name", DIRECTIONAL)
def test_a_third_derivation_finds_the_key(name: str) -> None:
    for item in made(name, 192):
        (picture,) = item.drawings
        direction = derived(picture, item.question.text)
        assert direction == item.answer.balance_bin(), item.id
        assert f"\n{item.answer.canonical()}. {direction}\n" in item.prompt, item.id


@pytest.mark.parametrize("name", [name for name in ROWS if name not in DIRECTIONAL])
def test_one_option_is_in_the_picture_and_it_is_the_key(name: str) -> None:
    for item in made(name, 128):
        seen = {named(shape) for shape in item.drawings[0].shapes if isinstance(shape, (Label, IconShape))}
        assert [option for option in options(item) if option in seen] == [item.answer.balance_bin()], item.id
        assert len(options(item)) == 4


def upward(category: str, glyph: str) -> LoneIcon:
    """An icon that points up."""
    some: LoneIcon = made("spatial-direction-icon", 1)[0].scene.layout
    return replace(some, category=category, glyph=glyph, heading=0, mirrored=False, rotation_deg=-90.0)


def test_the_examples_of_the_paper_have_the_answers_of_the_paper() -> None:
    """The rows of its table of examples that tell of directions, on pictures made by hand."""
    car = upward("car", "car-red")
    flower = UprightIcon("flower", "flower-plain", "#1a1a1a")
    around = Surrounded(upward("airplane", "airplane-plain"), (*[None] * 7, flower))  # the flower at the upper left
    letters = Symbols(("", "", "", "", "P", "", "Q", "", ""))
    numbers = Symbols(("", "", "", "", "64", "", "", "", "20"))
    assert heading.Scene(car, "front", None, SPATIAL_ORDER, 0).answer == "up"
    assert heading.Scene(car, "front", COMPASS_DIRECTIONS.index("West"), COMPASS_ORDER, 0).answer == "West"
    assert relative_icons.Scene(around, "nose", 7, None, SPATIAL_ORDER, 0).answer == "upper left"
    assert relative_icons.Scene(around, "nose", 7, COMPASS_DIRECTIONS.index("South"), COMPASS_ORDER, 0).answer == "Southeast"
    assert relative_symbols.Scene(letters, "letter", 4, 6, COMPASS_DIRECTIONS.index("West"), COMPASS_ORDER, 0).answer == "Southeast"
    assert relative_symbols.Scene(numbers, "number", 4, 8, COMPASS_DIRECTIONS.index("East"), COMPASS_ORDER, 0).answer == "Southwest"


# ---- pictures -------------------------------------------------------------------------------------------------------


def test_the_eleven_rows_are_the_eleven_tasks() -> None:
    cdr = {
        task.name: task.answers.mean_chance
        for task in registry.tasks().values()
        if task.suite == "cdr" and not task.name.startswith("step-")
    }
    assert cdr == ROWS


@pytest.mark.parametrize("name", ROWS)
def test_a_picture_has_the_size_of_the_paper(name: str) -> None:
    for item in made(name, 4):
        assert [image.size for image in item.images] == [(200, 200)]


@pytest.mark.parametrize("name", [name for name in ROWS if name in (*GRIDDED, *RELATIVE)])
def test_a_grid_of_three_by_three_is_ruled(name: str) -> None:
    lines = [shape for shape in made(name, 1)[0].drawings[0].backdrop if isinstance(shape, Line)]
    for axis in (0, 1):
        across = sorted(line.points[0][axis] for line in lines if line.points[0][axis] == line.points[1][axis])
        assert across == pytest.approx([0, 1 / 3, 2 / 3, 1], abs=0.01)


@pytest.mark.parametrize("name", GRIDDED)
def test_symbols_stand_in_cells_without_repetition_and_leave_some_empty(name: str) -> None:
    for item in made(name, 128):
        labels = [shape for shape in item.drawings[0].shapes if isinstance(shape, Label)]
        assert len(labels) == len(item.drawings[0].shapes)
        assert len({label.text for label in labels}) == len({cell(label.position) for label in labels}) == len(labels)
        assert 5 <= len(labels) <= 8


def shown(name: str, n: int, **settings: str) -> set[str]:
    return {shape.text for item in made(name, n, **settings) for shape in item.drawings[0].shapes if isinstance(shape, Label)}


def test_numbers_go_from_1_to_99() -> None:
    assert {int(text) for text in shown("relative-spatial-number", 128)} == set(range(1, 100))


def test_letters_are_all_letters_or_those_that_name_no_option() -> None:
    assert "".join(sorted(shown("relative-spatial-letter", 128))) == "IJKLMNOPQRSTUVWXYZ"
    assert "".join(sorted(shown("relative-spatial-letter", 128, letters="A-Z"))) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.mark.parametrize("name", ["relative-spatial-icon", "relative-compass-icon"])
def test_a_directed_icon_stands_in_the_centre_and_other_things_around_it(name: str) -> None:
    for item in made(name, 128):
        glyphs = [shape for shape in item.drawings[0].shapes if isinstance(shape, IconShape)]
        cells = {named(glyph): cell(glyph.position) for glyph in glyphs}
        (middle,) = (glyph for glyph in glyphs if cell(glyph.position) == (1, 1))
        assert named(middle) in item.question.text
        assert len(set(cells.values())) == len(cells) == len(glyphs)
        assert 5 <= len(glyphs) - 1 <= 7  # some of the eight cells are empty
        assert all(not glyph.mirrored and glyph.rotation_deg == 0 for glyph in glyphs if glyph is not middle)


@pytest.mark.parametrize("name", [name for name in DIRECTIONAL if name.endswith("icon")])
def test_the_icon_heads_in_all_eight_directions_equally_often(name: str) -> None:
    headings = Counter(nearest(front(item.drawings[0].shapes[0]), PLACES) for item in made(name, 128))  # pyright: ignore[reportArgumentType]
    assert set(headings) == set(PLACES)
    assert max(headings.values()) - min(headings.values()) <= 1


def test_the_centre_of_the_ink_is_where_the_table_says() -> None:
    """And it lies on each side of the middle as often as on the other."""
    across: list[float] = []
    for item in made("spatial-direction-icon", 96):
        icon, pixels = item.scene.layout, item.pixels()[0]
        rows, columns = (pixels.min(axis=2) < 207).nonzero()
        right, up = posed(*INK_CENTRE[icon.glyph], icon.mirrored, icon.rotation_deg)
        middle = (columns.mean() + 0.5) / pixels.shape[1], 1 - (rows.mean() + 0.5) / pixels.shape[0]
        assert middle == pytest.approx((icon.position[0] + icon.size * right, icon.position[1] + icon.size * up), abs=0.012), item.id
        across += middle
    assert 0.4 < sum(value > 0.5 for value in across) / len(across) < 0.6


def test_icons_with_little_ink_are_larger() -> None:
    """So neither the ink nor the size alone gives the icon."""
    inks: dict[str, list[float]] = {}
    for item in made("object-classification-icon", 320):
        inks.setdefault(item.scene.layout.category, []).append(float((item.pixels()[0].min(axis=2) < 207).mean()))
    medians = [sorted(values)[len(values) // 2] for values in inks.values()]
    assert max(medians) < 4 * min(medians)
    assert all(max(values) > 2.5 * min(values) for values in inks.values())


def recoloured(item: Item, ink: str) -> Any:
    """The scene with its directed icon in another ink."""
    layout = item.scene.layout
    changed = replace(layout, colour=ink) if isinstance(layout, Icon) else replace(layout, center=replace(layout.center, colour=ink))
    return replace(item.scene, layout=changed)


@pytest.mark.parametrize("name", [name for name in ROWS if name.endswith("icon")])
def test_a_colour_that_is_not_drawn_does_not_choose_the_split(name: str) -> None:
    """A coloured glyph takes no ink; if its ink decided, the same picture would stand in train and in test."""
    task = registry.task(f"cdr/{name}")
    icons = [getattr(item.scene.layout, "center", item.scene.layout) for item in made(name, 500)]
    coloured = 0
    for item, icon in zip(made(name, 500)[:96], icons, strict=False):
        for ink in {other.colour for other in icons if other.glyph == icon.glyph} | set(INK[:2]):
            scene = recoloured(item, ink)
            if ink != icon.colour and all(
                (pixels(a, 96) == pixels(b, 96)).all() for a, b in zip(task.draw(scene), item.drawings, strict=True)
            ):
                coloured += 1
                drawn = any(other.glyph == icon.glyph and other.colour == ink for other in icons)  # an ink that items have
                assert not drawn or split_of_layout(task.sampling.layout(scene)) == item.split, item.id
    assert coloured > 10  # there are such glyphs


# ---- words and options ----------------------------------------------------------------------------------------------


def template(item: Item) -> str:
    """The words without what changes from item to item."""
    scene = item.scene
    names = {*COMPASS_DIRECTIONS, "letter", "number", "object"}
    for attribute in ("origin", "target", "front"):
        names.add(str(getattr(scene, attribute, "object")))
    return re.sub(rf"\b(?:{'|'.join(sorted(names, key=len, reverse=True))})\b", "*", item.question.text)


@pytest.mark.parametrize("name", ROWS)
def test_there_are_four_phrasings(name: str) -> None:
    assert len({template(item) for item in made(name, 128)}) == 4


def premise(question: str) -> str:
    match = UPWARD.search(question) or AHEAD.search(question)
    assert match is not None, question
    return next(wind for wind in match.groups() if wind)


@pytest.mark.parametrize("name", [name for name in DIRECTIONAL if "compass" in name])
def test_a_premise_names_every_wind(name: str) -> None:
    assert {premise(item.question.text) for item in made(name, 192)} == set(BLOWS)


@pytest.mark.parametrize("name", ROWS)
def test_options_are_shuffled_and_the_key_stands_at_every_letter_equally_often(name: str) -> None:
    items = made(name, 128)
    places = Counter(item.answer.canonical() for item in items)
    assert places == dict.fromkeys("ABCDEFGH"[: round(1 / ROWS[name])], 128 * ROWS[name])
    assert len({options(item) for item in items}) > 100
    # the letter tells nothing about the direction: each direction is found under many letters
    if name in DIRECTIONAL:
        for answer in {item.answer.balance_bin() for item in items}:
            assert len({item.answer.canonical() for item in items if item.answer.balance_bin() == answer}) >= 4


@pytest.mark.parametrize("name", DIRECTIONAL)
def test_the_one_published_order_is_a_setting_that_changes_nothing_else(name: str) -> None:
    fixed = COMPASS_ORDER if "compass" in name else SPATIAL_ORDER
    for paper, shuffled in zip(made(name, 32, order="paper"), made(name, 32), strict=True):
        assert options(paper) == fixed
        assert sorted(options(shuffled)) == sorted(fixed)
        assert (paper.pictures, paper.question.text, paper.answer.balance_bin()) == (
            shuffled.pictures,
            shuffled.question.text,
            shuffled.answer.balance_bin(),
        )


# ---- the published sizes --------------------------------------------------------------------------------------------

# What the paper tells: questions and pictures of a split.
TOLD = {
    ("test", "relative-spatial-letter"): (4080, 1275),
    ("test", "relative-compass-letter"): (4080, 1275),
    ("test", "relative-compass-number"): (5120, 1275),
    ("test", "relative-compass-icon"): (4000, 200),
    ("train", "relative-spatial-letter"): (50_176, 12_495),
    ("train", "relative-compass-letter"): (50_176, 12_495),
    ("train", "relative-compass-icon"): (71_552, 8944),
}
ICON_PICTURES = 9144  # combined icon pictures, in both splits together


def planned(split: Split, name: str) -> Items:
    """The items that `--preset paper` asks for."""
    (part,) = parts([f"cdr/{name}"], ItemOptions(split=split, preset="paper"), default=1)
    return part.items()


@cache
def asked(split: Split, name: str) -> tuple[frozenset[object], Counter[str]]:
    """The pictures of a plan, and how often each answer comes; that all questions are different is asserted on the way."""
    seen, answers, items = set[tuple[object, str]](), Counter[str](), planned(split, name)
    for item in items:
        seen.add((item.scene.layout, item.question.text))
        answers[item.answer.balance_bin()] += 1
    assert len(seen) == len(items), f"{len(items) - len(seen)} questions come twice"
    return frozenset(layout for layout, _ in seen), answers


def test_only_sizes_that_the_paper_tells_stand_without_a_note() -> None:
    plain = {(split, task.name) for task in registry.matching(["cdr/*"]) for split, preset in task.paper.sizes.items() if not preset.note}
    assert plain == {place for place in TOLD if place[1] != "relative-compass-icon"}  # there the split of the pictures is ours
    assert {task.name for task in registry.matching(["cdr/*"]) if "test" in task.paper.sizes} == set(ROWS)
    assert TOLD["test", "relative-compass-icon"][1] + TOLD["train", "relative-compass-icon"][1] == ICON_PICTURES


@pytest.mark.parametrize(("split", "name"), [pytest.param(*place, marks=[pytest.mark.slow] * (place[0] == "train")) for place in TOLD])
def test_the_published_sizes_are_met_with_different_questions(split: str, name: str) -> None:
    pictures, answers = asked(split, name)
    assert (answers.total(), len(pictures)) == TOLD[split, name]
    assert len(answers) == 8
    assert len(set(answers.values())) == 1


def test_letter_tasks_share_their_pictures_as_the_paper_does() -> None:
    """1,275 letter and 1,275 number pictures serve all questions of their kind."""
    for what in ("letter", "number"):
        spatial, compass, objects = (
            asked("test", f"{kind}-{what}")[0] for kind in ("relative-spatial", "relative-compass", "object-classification")
        )
        assert spatial == compass == objects
        assert len(spatial) == 1275


def test_the_pictures_for_training_are_others_than_those_of_the_test() -> None:
    test, train = ({item.scene.layout for item in planned(split, "object-classification-letter")} for split in ("test", "train"))
    assert (len(test), len(train)) == (1275, 12_495)
    assert not test & train


def test_a_relation_of_an_icon_is_asked_in_the_frame_of_the_picture() -> None:
    """An icon has a left of its own, so every phrasing says that the picture's is meant; no glyph that people doubted is left."""
    items = Items(registry.task("cdr/relative-spatial-icon"), 64)
    asked = {item.scene.phrasing: item.question.text for item in items}
    assert len(asked) == question_templates.PHRASINGS
    assert all("the image" in text and "Relative to" not in text for text in asked.values())
    doubted = {"pencil-plain", "tractor-plain", "shoe-brown", "camel-dark", "camel-one-hump", "camel-two-humps"}
    assert not doubted & {glyph for kind in DIRECTED for glyph in kind.glyphs}


@pytest.mark.parametrize("name", ["relative-compass-icon", "relative-spatial-number", "object-classification-letter"])
def test_the_wording_of_an_item_is_an_attribute_by_which_reports_group(name: str) -> None:
    first_words: dict[str, set[str]] = {}
    for item in Items(registry.task(f"cdr/{name}"), 80, 0):
        assert item.task.reported.attributes is not None
        wording = item.task.reported.attributes(item.scene)["wording"]
        first_words.setdefault(wording, set()).add(" ".join(item.question.text.split()[:2]))
    assert sorted(first_words) == ["1", "2", "3", "4"]
    assert all(len(words) == 1 for words in first_words.values()), first_words
    assert len(set[str]().union(*first_words.values())) == len(first_words)
