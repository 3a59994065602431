"""Percept-V's chains of thought: short enough at every size, and refused for every wrong name, order or object that is passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.perceptv.grids import INNER
from isovist.suites.perceptv.mazes import LABYRINTH
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.shape_outlines import OUTLINES

COUNTING = [
    "circle-boxes", "circle-location", "count-coloured-circles", "counting-circles", "counting-locations", "counting-shapes",
    "graph-counting", "inside-circles",
]  # fmt: skip
SORTING = ["comparing-size", "numbered-shapes", "sort-circles", "sort-lines"]
GRIDS = ["circle-right-triangle", "cross-and-knots", "grid-path", "locate-circles-colour", "locate-circles-shape", "maze-solving"]
LAYERS = ["layered-colours", "layered-shapes"]
PAIRS = ["change-colour", "mirror-image", "vanishing-objects", "water-image"]
REASONED = sorted([*COUNTING, *SORTING, *GRIDS, *LAYERS, *PAIRS])
LONGEST = 250  # words
WORDS = re.compile(rf"\b({'|'.join((*HUES, *OUTLINES))})(s?)\b", re.IGNORECASE)
COUNTED = re.compile(r"\d+ \(\d+, \d+\)(?:, \d+ \(\d+, \d+\))+")

every_task = pytest.mark.parametrize("name", REASONED)


def task(name: str) -> Task[Any]:
    return registry.task(f"perceptv/{name}")


@cache
def reasoned(name: str, level: str, place: int) -> tuple[Item, str]:
    item = Items(task(name), 100, 31, "train", level)[place]
    assert item.reasoning is not None
    return item, item.reasoning


def chains(name: str, levels: tuple[str, ...] = ("3", "8"), n: int = 4) -> Iterator[tuple[Item, list[str]]]:
    for level in levels:
        for place in range(n):
            item, reasoning = reasoned(name, level, place)
            yield item, reasoning.split("\n")


def taken(item: Item, lines: list[str]) -> bool:
    reasoning = item.task.reasoning
    assert reasoning is not None
    return not reasoning.verify(item.scene, "\n".join(lines))


def test_counting_sorting_grid_and_layered_domains_have_reasoning() -> None:
    assert [task.name for task in registry.matching(["perceptv/*"]) if task.reasoning] == REASONED


@every_task
def test_a_chain_is_short_at_every_size_and_holds(name: str) -> None:
    for item, lines in chains(name, task(name).levels, 1):
        assert len(" ".join(lines).split()) <= LONGEST, item.id
        assert taken(item, lines), item.id
        assert lines[-1].startswith(f"Answer: {item.answer.canonical()}")


@every_task
def test_chains_have_several_phrasings(name: str) -> None:
    """Numbers, names and places left out, items of one size differ in their words."""
    openings = {re.sub(r"\d+", "0", lines[0].partition(":")[0]) for _, lines in chains(name, ("4",), 16)}
    assert len(openings) >= 3


@every_task
def test_another_colour_or_shape_is_refused(name: str) -> None:
    for item, lines in chains(name):
        text = "\n".join(lines[:-1])
        for match in WORDS.finditer(text):
            names = tuple(HUES) if match[1].lower() in HUES else tuple(OUTLINES)
            other = names[(names.index(match[1].lower()) + 1) % len(names)]
            wrong = text[: match.start()] + other + match[2] + text[match.end() :]
            assert not taken(item, [*wrong.split("\n"), lines[-1]]), wrong


@every_task
def test_steps_in_another_order_are_refused(name: str) -> None:
    for item, lines in chains(name):
        for k in range(len(lines) - 2):
            wrong = [*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]]
            assert not taken(item, wrong), wrong


@every_task
def test_a_duplicate_step_is_rejected(name: str) -> None:
    for item, lines in chains(name):
        for k, line in enumerate(lines):
            assert not taken(item, [*lines[:k], line, *lines[k:]]), line


@every_task
def test_one_number_for_another_all_over_a_chain_is_refused_and_never_raises(name: str) -> None:
    for item, lines in chains(name, ("3", "8"), 2):
        *steps, last = lines
        for number in sorted(set(re.findall(r"\d+", "\n".join(steps)))):
            for other in ("0", "3", "99", "1" * 5000):
                wrong = re.sub(rf"\b{number}\b", other, "\n".join(steps)).split("\n")
                assert wrong == steps or not taken(item, [*wrong, last]), wrong


@pytest.mark.parametrize("name", [name for name in COUNTING if name != "inside-circles"])
def test_two_counted_objects_that_change_places_are_refused(name: str) -> None:
    """Each number stays where it is, so every number, place and total of the chain is one that occurs."""
    seen = 0
    for item, lines in chains(name):
        for k, line in enumerate(lines):
            for match in COUNTED.finditer(line):
                first, second, *rest = re.findall(r"\(.+?\)", match[0])
                number = int(match[0].split()[0])
                turned = ", ".join(f"{i} {at}" for i, at in enumerate((second, first, *rest), number))
                wrong = [*lines[:k], line[: match.start()] + turned + line[match.end() :], *lines[k + 1 :]]
                assert not taken(item, wrong), wrong
                seen += 1
    assert seen >= 5


def test_an_object_that_is_passed_over_or_counted_twice_is_named() -> None:
    (item,) = Items(task("counting-circles"), 1, 31, "train", "6")
    assert item.reasoning is not None
    assert item.task.reasoning is not None
    lists = [match[0] for match in COUNTED.finditer(item.reasoning)]
    assert lists
    for found in lists:
        _, *rest = each = re.findall(r"\d+ \(\d+, \d+\)", found)
        for other in (rest, [*each, each[-1]]):
            (fault,) = item.task.reasoning.verify(item.scene, item.reasoning.replace(found, ", ".join(other)))
            assert fault.endswith(f"found is {found}")


def test_reasons_about_another_cell_are_refused() -> None:
    """They hold for that cell, which the question does not name."""
    reasoning = task("cross-and-knots").reasoning
    assert reasoning is not None
    for item, lines in chains("cross-and-knots", ("2", "12"), 6):
        for other in INNER:
            about_other = reasoning.write(replace(item.scene, named=other)).split("\n")
            assert taken(item, about_other) == (about_other == lines or other == item.scene.named), about_other


def test_a_way_through_a_wall_is_refused() -> None:
    """Runs that hang together and lead from S to E, but over one cell of a wall."""
    seen = 0
    for item, lines in chains("maze-solving", ("12", "20"), 8):
        way, reasoning = item.scene.path, item.task.reasoning
        assert reasoning is not None
        later = [(i, j) for i in range(len(way)) for j in range(i + 3, len(way))]
        for i, j in later:
            wall = (way[i] + way[j]) // 2
            if abs(way[i] - way[j]) in (2, 2 * LABYRINTH.side) and wall not in item.scene.open:
                short = reasoning.write(replace(item.scene, path=(*way[: i + 1], wall, *way[j:]))).split("\n")
                assert not taken(item, [*short[:-1], lines[-1]]), short
                seen += 1
    assert seen >= 3
