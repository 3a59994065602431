"""The steps of relative compass reasoning: their keys derived once more, their places in the design shared with the tasks that they are steps of."""

from __future__ import annotations

import re
from typing import Any

import pytest
from test_cdr import BLOWS, PLACES, WIND, cell, nearest, options, premise, unit

from isovist.core.drawing2d import Label
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry

N = 144


def made(name: str, n: int = N, **settings: str | int) -> list[Item]:
    return list(Items(registry.task(f"cdr/{name}"), n, 8, settings=tuple(sorted(settings.items()))))


def test_the_letter_of_a_cell_is_the_one_drawn_there() -> None:
    for item in made("step-cell-letter"):
        (row,) = re.findall(r"\b(top|middle|bottom) row\b", item.question.text)
        (column,) = re.findall(r"\b(left|middle|right) column\b", item.question.text)
        asked = ("left", "middle", "right").index(column), ("bottom", "middle", "top").index(row)
        labels = {cell(shape.position): shape.text for shape in item.drawings[0].shapes if isinstance(shape, Label)}
        assert item.answer.balance_bin() == labels[asked], item.id
        assert set(options(item)) <= set(labels.values())  # all four are in the picture: seeing a letter does not tell its place


@pytest.mark.parametrize("settings", [{}, {"pictures": 24}, {"letters": "A-Z"}], ids=str)
def test_the_cell_is_that_of_the_letter_that_is_to_be_seen_at_the_same_place(settings: dict[str, Any]) -> None:
    for cell_item, seen in zip(made("step-cell-letter", **settings), made("object-classification-letter", **settings), strict=True):
        assert (cell_item.group, cell_item.pictures, cell_item.answer.balance_bin()) == (
            seen.group,
            seen.pictures,
            seen.answer.balance_bin(),
        )


@pytest.mark.parametrize("settings", [{}, {"pictures": 24}, {"order": "paper"}, {"letters": "A-Z"}], ids=str)
def test_with_north_up_the_same_two_letters_are_asked_about_as_without_a_compass(settings: dict[str, Any]) -> None:
    for north_up, plain in zip(made("step-north-up-letter", **settings), made("relative-spatial-letter", **settings), strict=True):
        assert (north_up.group, north_up.pictures) == (plain.group, plain.pictures)
        assert [(item.scene.origin, item.scene.target) for item in (north_up, plain)] == [(plain.scene.origin, plain.scene.target)] * 2
        assert BLOWS[north_up.answer.balance_bin()] == PLACES[plain.answer.balance_bin()]
        assert premise(north_up.question.text) == "North"


@pytest.mark.parametrize("settings", [{}, {"pictures": 24}, {"order": "paper"}], ids=str)
def test_the_turned_frame_is_that_of_the_whole_question_with_its_key_and_options(settings: dict[str, Any]) -> None:
    for turned, whole in zip(made("step-turned-frame-letter", **settings), made("relative-compass-letter", **settings), strict=True):
        assert (turned.group, turned.pictures, turned.answer) == (whole.group, whole.pictures, whole.answer)
        assert [re.findall(WIND, item.question.text) for item in (turned, whole)] == [re.findall(WIND, whole.question.text)] * 2
        assert not re.search(r"\bletter\b", turned.question.text)


def test_the_wind_of_a_direction_is_the_division_of_the_premise() -> None:
    places = "|".join(sorted(PLACES, key=len, reverse=True))
    seen: set[tuple[str, str]] = set()
    for item in made("step-turned-frame-letter"):
        (wind,) = re.findall(WIND, item.question.text)
        (stated,) = re.findall(rf"\btoward the ({places}|top|bottom) of the image\b", item.question.text)
        place = str({"top": "up", "bottom": "down"}.get(stated, stated))
        assert nearest(unit(PLACES[place]) / 1j * unit(BLOWS[wind]), BLOWS) == item.answer.balance_bin(), item.id
        seen.add((wind, place))
    assert len(seen) > 48  # of 64


def test_a_shared_design_is_that_of_the_task_as_it_is_now() -> None:
    """A higher version of the whole draws other questions, and the step would no longer be about them."""
    sharing = [task for task in registry.tasks().values() if task.sampling.design_of]
    assert [task.name for task in sharing] == ["step-north-up-letter", "step-turned-frame-letter"]
    for task in sharing:
        assert task.sampling.design_of == (registry.task(task.sampling.design_of[0]).id, registry.task(task.sampling.design_of[0]).version)  # pyright: ignore[reportOptionalSubscript]
        assert task.images.family == registry.task(task.sampling.design_of[0]).images.family  # pyright: ignore[reportOptionalSubscript]
