"""What wrong options stand for, found once more: a model with the error sees another picture or reads another question."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isovist import generate
from isovist.core.answers import Choice
from isovist.core.drawing2d import Drawing
from isovist.core.option_angles import OptionAngles
from isovist.data.item import Item
from isovist.suites.cdr.rederivation import DrawnSymbol, drawn_symbols, solve
from isovist.world.scenes import distractor_types
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

CDR = (
    "cdr/spatial-direction-icon", "cdr/compass-direction-icon", "cdr/relative-spatial-icon", "cdr/relative-compass-icon",
    "cdr/relative-spatial-letter", "cdr/relative-compass-letter", "cdr/relative-spatial-number", "cdr/relative-compass-number",
)  # fmt: skip
_WIND = re.compile(r"\b(?:North|South)(?:east|west)?\b|\b(?:East|West)\b")


def _told(item: Item) -> dict[str, set[str]]:
    """The options by the errors they stand for."""
    task, answer = item.task, item.answer
    assert task.reported.distractor_types
    assert isinstance(answer, Choice)
    by_error: dict[str, set[str]] = {}
    for place, (option, error) in enumerate(zip(answer.options, task.reported.distractor_types(item.scene), strict=True)):
        assert (place == answer.truth) == (error == "")
        for name in distractor_types.split_types(error):
            by_error.setdefault(name, set()).add(option)
    return by_error


def _words(item: Item) -> str:
    return item.question.text_with_options


def _things(item: Item) -> list[DrawnSymbol]:
    (drawing,) = item.pictures
    assert isinstance(drawing, Drawing)
    return drawn_symbols(drawing)


def _mirrored(things: list[DrawnSymbol], *, across: bool) -> list[DrawnSymbol]:
    """As a mirror beside the picture, or one below it, shows them."""
    mirrored: list[DrawnSymbol] = []
    for it in things:
        x, y = it.at
        turned = None if it.heading is None else (-it.heading if across else 180 - it.heading) % 360
        mirrored.append(replace(it, at=(-x, y) if across else (x, -y), heading=turned))
    return mirrored


def _with_wind(words: str, wind: str) -> str:
    """The question with another wind in its premise; the options stay."""
    question, options = words.split("\nA. ")
    return f"{_WIND.sub(wind, question, count=1)}\nA. {options}"


def _swapped(wind: str, words: dict[str, str]) -> str:
    return re.sub("|".join(words), lambda match: words[match[0]], wind)


def _holds(item: Item, by_error: dict[str, set[str]], name: str, answer: str) -> None:
    """The option to which an error leads stands for it, and no other; where it leads to the key, none does."""
    assert isinstance(item.answer, Choice)
    assert by_error.get(name, set()) == {answer} - {item.answer.balance_bin()}, (item.id, name)


@pytest.mark.parametrize("task", CDR)
def test_flips_are_what_one_sees_in_a_mirror(task: str) -> None:
    for item in generate(task, n=40, seed=5):
        by_error, things, words = _told(item), _things(item), _words(item)
        _holds(item, by_error, distractor_types.LEFT_RIGHT, solve(_mirrored(things, across=True), words))
        _holds(item, by_error, distractor_types.UP_DOWN, solve(_mirrored(things, across=False), words))


@pytest.mark.parametrize("task", [task for task in CDR if "compass" in task])
def test_the_frame_errors_are_answers_to_other_premises(task: str) -> None:
    seen_apart = 0
    for item in generate(task, n=40, seed=6):
        by_error, things, words = _told(item), _things(item), _words(item)
        assert isinstance(item.answer, Choice)
        if item.task.id.endswith("relative-compass-icon"):
            heading = next(it.heading for it in things if it.heading is not None and it.name in item.scene.origin)
            assert heading is not None
            north_up = _with_wind(words, COMPASS_DIRECTIONS[round(heading / 45) % 8])
            _holds(item, by_error, distractor_types.HEADING_AS_NORTH, solve(things, _with_wind(words, "North")))
            # who takes the wind of the heading for that of the top reads it of an icon that points up
            up = [replace(it, heading=0.0) if it.heading is not None else it for it in things]
            _holds(item, by_error, distractor_types.HEADING_AS_IMAGE_TOP, solve(up, words))
        else:
            north_up = _with_wind(words, "North")
        _holds(item, by_error, distractor_types.NORTH_UP_ASSUMPTION, solve(things, north_up))
        key = COMPASS_DIRECTIONS.index(item.answer.balance_bin())
        place = COMPASS_DIRECTIONS.index(solve(things, north_up))
        _holds(item, by_error, distractor_types.REVERSED_MAP_ROTATION, COMPASS_DIRECTIONS[(place - (key - place)) % 8])
        _holds(
            item,
            by_error,
            distractor_types.EAST_WEST,
            _swapped(item.answer.balance_bin(), {"east": "west", "west": "east", "East": "West", "West": "East"}),
        )
        _holds(item, by_error, distractor_types.NORTH_SOUTH, _swapped(item.answer.balance_bin(), {"North": "South", "South": "North"}))
        seen_apart += by_error.get(distractor_types.NORTH_UP_ASSUMPTION, set()).isdisjoint(by_error.get(distractor_types.LEFT_RIGHT, set()))
    assert seen_apart >= 20


@pytest.mark.parametrize("task", CDR)
def test_every_wrong_direction_says_how_far_it_is_off(task: str) -> None:
    for item in generate(task, n=16, seed=7):
        by_error = _told(item)
        assert isinstance(item.answer, Choice)
        names = COMPASS_DIRECTIONS if "compass" in task else IMAGE_DIRECTIONS
        key = names.index(item.answer.balance_bin())
        sides = {distractor_types.CLOCKWISE: 1, distractor_types.COUNTERCLOCKWISE: -1}
        for name, steps in ((distractor_types.ERROR_45_DEG, 1), (distractor_types.ERROR_90_DEG, 2)):
            assert by_error[name] == {names[(key + steps) % 8], names[(key - steps) % 8]}
            for side, sign in sides.items():
                assert by_error[f"{name} {side}"] == {names[(key + sign * steps) % 8]}
        assert by_error[distractor_types.OPPOSITE] == {names[(key + 4) % 8]}
        assert by_error[distractor_types.OTHER] <= {names[(key + 3) % 8], names[(key - 3) % 8]}


def _done(board: Any, words: str) -> Any:
    """A board of letters after the operations of an option."""
    for step in words.lower().split("then"):
        if "flip" in step:
            board = np.fliplr(board) if "left to right" in step else np.flipud(board)
        elif match := re.search(r"(\d+) degrees", step):
            quarters = int(match[1]) // 90
            board = np.rot90(board, quarters if "counterclockwise" in step else -quarters)
    return board


def test_what_an_operation_leaves_of_a_picture_names_its_option() -> None:
    upright = np.array([["a", "b"], ["c", "d"]])
    met: set[str] = set()
    for item in generate("dori/canonical-orientation", n=24, seed=3, level="granular"):
        task, answer = item.task, item.answer
        assert task.reported.distractor_types
        assert isinstance(answer, Choice)
        mirrored, angle = item.scene.state
        shown = np.rot90(np.fliplr(upright) if mirrored else upright, -angle // 90)
        for place, (option, error) in enumerate(zip(answer.options, task.reported.distractor_types(item.scene), strict=True)):
            last = place == len(answer.options) - 1
            if last or item.scene.unknown:
                assert error == (
                    distractor_types.ANSWERED_INDETERMINABLE
                    if last and not item.scene.unknown
                    else ""
                    if last
                    else distractor_types.MISSED_INDETERMINABLE
                )
                continue
            left = _done(shown, option)
            rest = [quarters for quarters in range(4) if (np.rot90(upright, quarters) == left).all()]
            flip = not rest and item.scene.word  # without a word a mirror image is as good
            rest = rest or [quarters for quarters in range(4) if (np.rot90(np.fliplr(upright), quarters) == left).all()]
            turn = {0: "", 1: distractor_types.ERROR_90_DEG, 2: distractor_types.OPPOSITE, 3: distractor_types.ERROR_90_DEG}[rest[0]]
            assert error == " and ".join(filter(None, (distractor_types.MIRROR if flip else "", turn)))
            assert (error == "") == (place == answer.truth)
            met.add(error)
    assert {"", distractor_types.MIRROR, distractor_types.ERROR_90_DEG, distractor_types.OPPOSITE} <= met


def test_angles_tell_what_their_options_stand_for() -> None:
    front = OptionAngles((0.0, 90.0, 180.0, -90.0, -45.0, None), "clockwise, seen from above")
    assert distractor_types.types_by_option_angles({"front": front}, 1) == [
        "90° error counterclockwise; 90° error",
        "",
        "90° error clockwise; 90° error",
        "left-right mirrored; opposite direction",
        "other direction",
        "other direction",
    ]
    assert distractor_types.types_by_option_angles({"front": front}, 0)[2] == "front-back reversed; opposite direction"
    turn = replace(front, angles_deg=(30.0, -30.0, 60.0))
    assert distractor_types.types_by_option_angles({"rotation": turn}, 0) == ["", "opposite rotation; other direction", "other direction"]
    beside = OptionAngles((0.0, 0.0, 90.0), "clockwise, seen from above")
    assert distractor_types.types_by_option_angles({"horizontal rotation": turn, "vertical rotation": beside}, 0) == [
        "",
        "opposite rotation; other direction",
        "other direction",
    ]
    assert distractor_types.types_by_option_angles({"apart": replace(front, is_circular=False)}, 0) == []


def test_left_and_right_of_a_front_have_no_side_by_words_alone() -> None:
    """Facing the picture's right is a counterclockwise turn seen from above, and standing to the right is a clockwise one."""
    assert distractor_types.types_by_option_text(("front", "right", "left", "back"), 0) == [
        "",
        "90° error",
        "90° error",
        "front-back reversed; opposite direction",
    ]
    assert distractor_types.angles_by_option_text(("front", "right")) is None
    assert distractor_types.angles_by_option_text(("East", "north")) == OptionAngles((90.0, 0.0), "clockwise on the compass")
