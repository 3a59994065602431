"""Colour names mean what people call so, and tasks need the colour vision that they state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from fnmatch import fnmatchcase
from itertools import combinations, pairwise, product
from typing import Any, cast, get_args

import pytest
from colour_science import CSS, DEFICIENCIES, SURVEY, ciede2000, euclidean, lab

from isovist.core.answers import Choice
from isovist.core.drawing2d import INK, PAPER, Circle, Drawing, Polygon
from isovist.core.task import ColourVision, Task
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.perceptv import comparison_sorting, counting, grids, lists, nested_shapes
from isovist.world.scenes.environments.object_names import is_confusable
from isovist.world.scenes.environments.street_object_types import PAINTS
from isovist.world.scenes.palette import HUES, RED_GREEN_SAFE
from isovist.world.scenes.scene_transforms import BLUE, RED
from isovist.world.scenes.shapes2d import Mark

TASKS = registry.tasks()
APART = 15.0
"""Two colours so far apart in CIEDE2000 are told apart at a glance: about the least between two colours of `HUES` in normal vision."""
COMMON = {**{name: HUES[name] for name in HUES if name != "black"}, "black": INK, "white": PAPER}
NAMED: dict[str, dict[str, str]] = {
    "perceptv/colours-present": {**lists.MANY, "white": PAPER},
    "perceptv/*": COMMON,
    "cospace/*": PAINTS,
    "dori/*": {"red": RED, "blue": BLUE},
    "srbench/maze-nav-*": {name: COMMON[name] for name in ("white", "black", "green", "red", "blue")},
    "srbench/paper-folding": {"grey": "#ced3d9", "blue": HUES["blue"]},
    "srbench/*": {"red": RED, "blue": BLUE},
    "cdr/*": {},
    "viewpoint/*": {},
    "solids/*": {},
}
"""The colours that questions and options name, by task: the first pattern that fits."""
WORDS = re.compile(
    rf"\b({'|'.join(sorted({*SURVEY, 'gray', 'violet', 'turquoise', 'beige', 'gold', 'silver', 'tan'}, key=len, reverse=True))})\b"
)
CSS_DIFFERS = {
    "blue": "pure #0000ff is nearer to violet than any blue that people name",
    "brown": "#a52a2a is a red to most people",
    "dark grey": "#a9a9a9 is lighter than its grey: two lists of names were merged",
    "lavender": "#e6e6fa is nearly white",
    "orange": "#ffa500 lies half way to yellow",
    "red": "its brown, #a52a2a, is as near to a plain red as its pure #ff0000 is",
    "yellow": "its orange, #ffa500, lies half way to yellow",
}
"""Where the named colours of CSS, which were set and not asked for, do not mean what people call so. The survey is right everywhere."""


def palette_of(task: str) -> dict[str, str]:
    return next(palette for pattern, palette in NAMED.items() if fnmatchcase(task, pattern))


def misread(palette: dict[str, str], references: dict[str, str]) -> set[str]:
    """The names of a palette whose reference lies nearer to another of its colours, or whose colour nearer to another's reference."""
    known = [name for name in palette if name in references]
    ours, theirs = {name: lab(palette[name]) for name in palette}, {name: lab(references[name]) for name in known}
    meant = {name for name in known if min(ours, key=lambda other: ciede2000(theirs[name], ours[other])) != name}
    called = {name for name in known if min(theirs, key=lambda other: ciede2000(ours[name], theirs[other])) != name}
    return meant | called


def least(one: str, two: str) -> float:
    """How far apart two colours are for whoever sees the least difference: normal vision or a red-green deficiency."""
    return min(ciede2000(lab(one, vision), lab(two, vision)) for vision in ("", *DEFICIENCIES))


# What names mean ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "difference"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_is_that_of_the_published_pairs(one: tuple[float, ...], two: tuple[float, ...], difference: float) -> None:
    """Of Sharma, Wu and Dalal, Table 1."""
    a, b = cast("Any", one), cast("Any", two)
    assert abs(ciede2000(a, b) - difference) < 1e-4
    assert abs(ciede2000(b, a) - difference) < 1e-4


def test_greys_stay_grey_for_everybody() -> None:
    for vision in DEFICIENCIES:
        assert ciede2000(lab("#808080", vision), lab("#808080")) < 0.5, vision


@pytest.mark.parametrize("pattern", NAMED)
def test_a_name_means_what_people_call_so(pattern: str) -> None:
    palette = NAMED[pattern]
    assert set(palette) <= set(SURVEY)
    assert misread(palette, SURVEY) == set()


@pytest.mark.parametrize("pattern", NAMED)
def test_where_css_means_something_else_is_known(pattern: str) -> None:
    assert misread(NAMED[pattern], CSS) <= set(CSS_DIFFERS)


def test_no_difference_from_css_is_listed_in_vain() -> None:
    assert set().union(*(misread(palette, CSS) for palette in NAMED.values())) == set(CSS_DIFFERS)


def test_the_test_of_names_would_find_a_wrong_one() -> None:
    darker = {**NAMED["perceptv/colours-present"], "light grey": "#a0a0a0"}
    assert misread(darker, CSS) > misread(NAMED["perceptv/colours-present"], CSS)
    assert "light grey" in misread(darker, SURVEY)
    assert misread({**HUES, "red": HUES["brown"], "brown": HUES["red"]}, SURVEY) == {"red", "brown"}


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.id)
def test_no_other_colour_is_named(task: Task[Any]) -> None:
    allowed = set(palette_of(task.id))
    for level in dict.fromkeys((task.levels[0], task.levels[-1])):
        for item in Items(task, 2 if task.suite == "cospace" else 4, 5, "test", level):
            options = item.answer.options if isinstance(item.answer, Choice) else ()
            assert set(WORDS.findall("\n".join((item.prompt, *options)))) <= allowed, item.id


def test_colours_that_are_asked_for_are_far_apart() -> None:
    for (a, one), (b, two) in combinations(lists.MANY.items(), 2):
        assert euclidean(lab(one), lab(two)) >= 25, (a, b)
    for name, colour in lists.MANY.items():
        assert euclidean(lab(colour), lab(PAPER)) >= 19, name
        assert ciede2000(lab(colour), lab(PAPER)) >= 12, name


def test_backgrounds_have_no_colour_that_is_asked_for() -> None:
    for tones in lists.TONES:
        for tone, hue in product(tones, lists.OVER_HUES):
            assert euclidean(lab(tone), lab(HUES[hue])) >= 25, (tone, hue)


def test_the_24_names_stand_in_a_prompt_once() -> None:
    for item in Items(registry.task("perceptv/colours-present"), 6, 1, "test", "10"):
        assert [len(re.findall(rf"(?:: |, ){name}(?=,| \()", item.prompt)) for name in lists.COLOUR_NAMES] == [1] * 24


# Who can answer ----------------------------------------------------------------------------------------------------


def test_the_safe_colours_are_told_apart_by_everybody() -> None:
    for a, b in combinations((*(HUES[hue] for hue in RED_GREEN_SAFE), PAPER), 2):
        assert least(a, b) >= APART, (a, b)


def test_no_larger_set_of_colours_is_safe() -> None:
    usual = [hue for hue in HUES if hue != "grey"]
    fine = {frozenset(pair) for pair in combinations(usual, 2) if least(*(HUES[hue] for hue in pair)) >= APART}
    larger = combinations(usual, len(RED_GREEN_SAFE) + 1)
    assert not any(all(frozenset(pair) in fine for pair in combinations(hues, 2)) for hues in larger)


def _shown(name: str) -> Iterator[Any]:
    task = registry.task(name)
    for level in dict.fromkeys((task.levels[0], task.levels[len(task.levels) // 2], task.levels[-1])):
        yield from (item.scene for item in Items(task, 12, 3, "test", level))


def _pairs(name: str) -> Iterable[tuple[str, str]]:
    """The colours that must be told apart for the answer to a task, two by two."""
    match name:
        case "perceptv/change-colour":
            return {
                (HUES[a.colour], HUES[b.colour]) for scene in _shown(name) for a, b in zip(scene.first, scene.second, strict=True) if a != b
            }
        case "perceptv/layered-shapes":
            return {(HUES[a.colour], HUES[b.colour]) for scene in _shown(name) for a, b in pairwise(scene.layers)}
        case "perceptv/locate-circles-colour":
            return product((HUES[grids.TARGET_COLOUR],), (HUES[hue] for hue in grids.OTHERS))
        case "perceptv/comparing-size":
            return combinations((HUES[hue] for hue in comparison_sorting.SIDES), 2)
        case "dori/inter-object-direction":
            return ((RED, BLUE),)
        case "perceptv/list-colours":
            return combinations((HUES[hue] for hue in lists.OVER_HUES), 2)
        case "perceptv/colours-present":
            return combinations(lists.MANY.values(), 2)
        case "perceptv/layered-colours":
            return combinations((HUES[hue] for hue in nested_shapes.LAYER_HUES), 2)
        case "perceptv/count-coloured-circles":
            return combinations((HUES[hue] for hue in counting.COLOURS), 2)
        case _ if name.startswith("srbench/maze-nav-"):
            return ((HUES["green"], HUES["red"]),)
        case _ if name.startswith("cospace/"):
            cars = [f"{paint} car" for paint in PAINTS]
            return ((PAINTS[a[:-4]], PAINTS[b[:-4]]) for a, b in combinations(cars, 2) if not is_confusable(a, {b}, "streets"))
        case _:
            raise AssertionError(f"{name}: which colours must be told apart?")


@pytest.mark.parametrize("task", [task for task in TASKS.values() if task.images.colour_vision != "none"], ids=lambda task: task.id)
def test_what_needs_some_colour_vision_is_what_red_green_blind_people_have_or_have_not(task: Task[Any]) -> None:
    nearest = min(least(*pair) for pair in _pairs(task.id))
    assert (nearest >= APART) == (task.images.colour_vision == "partial"), nearest


def test_the_colour_vision_of_every_task_is_stated() -> None:
    assert {task.images.colour_vision for task in TASKS.values()} == set(get_args(ColourVision))
    about = {task.id for task in TASKS.values() if task.suite == "perceptv" and "colour" in task.name}
    assert {id for id in about if TASKS[id].images.colour_vision == "none"} == set()


def _in_one_hue(value: Any) -> Any:
    """A scene with every hue of the palette that belongs to a mark turned to black."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{field.name: "black" if field.name == "hue" else _in_one_hue(getattr(value, field.name)) for field in fields(value)}
        )
    return tuple(_in_one_hue(part) for part in cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _has_hues(value: Any) -> bool:
    if is_dataclass(value) and not isinstance(value, type):
        return any(field.name == "hue" or _has_hues(getattr(value, field.name)) for field in fields(value))
    return any(_has_hues(part) for part in cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else isinstance(value, Mark)


@pytest.mark.parametrize("task", [task for task in TASKS.values() if task.suite == "perceptv"], ids=lambda task: task.name)
def test_the_answer_hangs_on_hues_only_where_that_is_stated(task: Task[Any]) -> None:
    """All marks black: the answer read from shapes and places is the same, unless the task needs colour vision."""
    changed = 0
    seen = 0
    for level in (task.levels[0], task.levels[len(task.levels) // 2], task.levels[-1]):
        for item in Items(task, 4, 11, "test", level):
            if not _has_hues(item.scene):
                continue
            seen += 1
            words = item.question.text_with_options
            drawn = tuple(picture for picture in task.draw(_in_one_hue(item.scene)) if isinstance(picture, Drawing))
            try:
                answer = task.rederive(drawn, words)
            except (ValueError, KeyError, IndexError):
                answer = ""
            changed += answer != item.answer.balance_bin()
    if task.name in ("list-shapes", "layered-shapes"):
        assert not changed  # colours only part the shapes from what is behind them
    elif seen:
        assert bool(changed) == (task.images.colour_vision != "none"), (changed, seen)


def test_where_no_colour_vision_is_needed_lightness_is_enough() -> None:
    """Hues of the palette that such a task draws against white paper, or against its backgrounds."""
    for task in TASKS.values():
        if task.suite != "perceptv" or task.images.colour_vision != "none":
            continue
        ground = [tone for tones in lists.TONES for tone in tones] if task.name == "list-shapes" else [PAPER]
        darkest = min(lab(tone)[0] for tone in ground)
        for item in Items(task, 6, 4, "test", "12"):
            for drawing in item.drawings:
                used = {shape.fill for shape in drawing.shapes if isinstance(shape, Circle | Polygon)} & set(HUES.values())
                assert all(darkest - lab(colour or PAPER)[0] >= 15 for colour in used), item.id
