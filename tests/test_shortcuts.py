"""The shortcut audit finds planted shortcuts, tells partial rules from them, and leaves a clean task alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import test_conformance_catches as planted

from isovist.audit import learned_rule, shortcuts
from isovist.audit.coarse_features import coarse
from isovist.audit.factor_gaps import gaps
from isovist.audit.shortcuts import PICTURES, TOGETHER, WORDS, Measured, audit
from isovist.audit.testing import conformance
from isovist.core.answers import LETTERS, Choice
from isovist.core.task import Exemption, Question, SamplingContext, Shortcut, Task
from isovist.data.items import Items

CLEAN: Task[Any] = planted.CLEAN
N = 64


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_rule, "_TREES", 20)


def beaten(task: Task[Any]) -> set[str]:
    """The rules that fail a task."""
    return {measured.rule for measured in audit(task, N) if not measured.passed}


def test_a_clean_task_passes() -> None:
    assert beaten(CLEAN) == set()


def key(scene: Any, question: Question) -> Collection[str]:
    del scene
    return (question.answer.canonical(),)


def test_a_rule_of_its_own_that_finds_the_key_fails_a_task_and_a_partial_one_does_not() -> None:
    assert beaten(replace(CLEAN, checks=replace(CLEAN.checks, shortcuts={"the key": Shortcut(key, "looking")}))) >= {"the key"}
    partial_rule = {"the key and more": Shortcut(key, "looking", partial=True)}
    assert beaten(replace(CLEAN, checks=replace(CLEAN.checks, shortcuts=partial_rule))) == set()


def corner(scene: Any) -> list[float]:
    return [float(planted.CORNERS.index(scene.corner))]


def test_features_of_a_scene_that_tell_the_key_are_found() -> None:
    places = replace(CLEAN, checks=replace(CLEAN.checks, features={"the corner": corner, "none": lambda _: [0.0]}))
    assert beaten(places) == {"the corner (learned)"}


def test_a_partial_rule_above_its_bound_fails_a_task() -> None:
    for bound, failing in ((0.6, {"the key and more"}), (1.0, set[str]())):
        partial_rule = {"the key and more": Shortcut(key, "looking", partial=True, bound=bound)}
        assert beaten(replace(CLEAN, checks=replace(CLEAN.checks, shortcuts=partial_rule))) == failing


def test_a_rule_that_gives_no_answer_is_not_covered_rather_than_at_chance() -> None:
    idle = replace(CLEAN, checks=replace(CLEAN.checks, shortcuts={"idle": Shortcut(lambda *_: (), "looking")}))
    scores = audit(idle, N)
    assert "idle" not in {score.rule for score in scores}
    assert shortcuts.uncovered(idle, scores) == list(dict.fromkeys(score.where for score in scores))
    assert shortcuts.uncovered(CLEAN, audit(CLEAN, N)) == []


def test_a_listed_reason_excuses_a_rule() -> None:
    task = replace(
        CLEAN,
        checks=replace(
            CLEAN.checks,
            shortcuts={"the key": Shortcut(key, "looking")},
            exemptions={name: Exemption("planted", 1.0) for name in ("the key", "words", TOGETHER)},
        ),
    )
    assert beaten(task) == set()


def ask_numbers(scene: planted.Scene) -> Question:
    """Wrong options on both sides of the key."""
    sizes = [17.0, 29.0, 58.0, 77.0]
    middle = sizes[1] + scene.place
    options = [f"{middle + step:g} cm" for step in (-9, 1.5, 14)]
    rest = [f"{middle:g} cm"]
    all_options = [*options[: scene.place], *rest, *options[scene.place :]]
    return Question(f"How far is the {scene.asked} dot?", Choice(tuple(all_options), scene.place))


def test_options_made_around_the_key_are_found_by_the_medoid() -> None:
    task = replace(CLEAN, ask=ask_numbers, checks=replace(CLEAN.checks, symmetries=()))
    assert any(rule.startswith("most like the other options (number") for rule in beaten(task))


def larger(plan: SamplingContext) -> planted.Scene:
    """The dot that is asked for is the largest."""
    scene = planted.sample(plan)
    asked = scene.hues.index(scene.asked)
    return replace(scene, dots=tuple((at, 0.12 if k == asked else 0.04) for k, (at, _) in enumerate(scene.dots)))


def test_a_corner_with_more_ink_is_found_in_coarse_pictures() -> None:
    assert {PICTURES, TOGETHER} <= beaten(replace(CLEAN, sample=larger))


def hued(plan: SamplingContext) -> planted.Scene:
    """The colour asked for tells the corner."""
    scene = planted.sample(plan)
    corner = planted.CORNERS.index(scene.corner)
    return replace(scene, asked=tuple(planted.HUES)[corner], hues=tuple(planted.HUES))


def test_the_kind_of_thing_asked_about_is_looked_up() -> None:
    task = replace(CLEAN, sample=hued, checks=replace(CLEAN.checks, factors={"category": lambda scene: scene.asked}))
    assert {"category (look-up of the answer)", WORDS} <= beaten(task)


def test_a_rule_that_is_certain_in_one_kind_and_wrong_in_another_fails_a_task() -> None:
    """The first option in kind "one", never in "other": chance over both."""

    def first(scene: Any, question: Question) -> Collection[str]:
        right = question.answer.canonical()
        wrong = next(letter for letter in LETTERS if letter != right)
        return (right,) if scene.asked == "red" else (wrong,)

    rule = {"first": Shortcut(first, "looking")}
    all_kinds = replace(CLEAN, checks=replace(CLEAN.checks, shortcuts=rule))
    of_kinds = replace(all_kinds, checks=replace(all_kinds.checks, kind=lambda scene: "one" if scene.asked == "red" else "other"))
    assert "first" not in beaten(all_kinds)
    failed = {(score.rule, score.kind): score for score in audit(of_kinds, 12 * N) if not score.passed}
    assert "kind one" in str(failed["first", "one"])
    assert {kind for _, kind in failed} == {"one"}


def test_a_value_of_a_factor_without_one_of_the_answers_is_listed() -> None:
    """A factor that is "a" only where the answer is not the first corner."""
    first, *_ = planted.CORNERS

    def factor(scene: Any) -> str:
        return "a" if scene.corner != first and scene.asked == "red" else "b"

    items = list(Items(CLEAN, 12 * N, 0))
    crossed = replace(CLEAN, checks=replace(CLEAN.checks, factors={"colour in question": lambda scene: scene.asked}))
    assert gaps(crossed, items) == []
    excluded = replace(CLEAN, checks=replace(CLEAN.checks, factors={"side": factor}))
    assert gaps(excluded, items)
    assert all(f"the side 'a' never occurs with the answer {first!r}" in line for line in gaps(excluded, items))
    with pytest.raises(AssertionError, match="the side 'a' never occurs"):
        conformance.every_factor_occurs_with_every_answer(excluded)


def test_an_exempt_rule_above_its_bound_fails_a_task() -> None:
    for bound, passes in ((0.5, False), (0.97, True)):
        rule = {"the key": Shortcut(key, "looking")}
        excused = replace(CLEAN.checks, shortcuts=rule, exemptions={name: Exemption("planted", bound) for name in ("the key", TOGETHER)})
        assert ("the key" not in beaten(replace(CLEAN, checks=excused))) == passes
    by_level = Exemption("planted", 0.5, {"": 0.7, "hard": 1.0})
    assert (by_level.at("easy"), by_level.at(""), by_level.at("hard")) == (0.5, 0.7, 1.0)


def test_conformance_names_the_rule_above_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcuts, "_MORE", 1)  # the second round on as many items
    task = replace(CLEAN, checks=replace(CLEAN.checks, shortcuts={"the key": Shortcut(key, "looking")}))
    with pytest.raises(AssertionError, match=r"'the key' \(100\.0% of \d+ items, chance 25\.0%, limit \d+\.\d%\)\. Change the items"):
        conformance.no_shortcut_beats_chance(task)


def test_an_attack_tries_pairs_and_what_a_rule_avoids() -> None:
    def half(letters: Collection[str]) -> Any:
        return lambda scene, question: {question.answer.canonical(), *letters}  # pyright: ignore[reportUnknownLambdaType]

    task = replace(
        CLEAN,
        checks=replace(
            CLEAN.checks,
            shortcuts={"one": Shortcut(half("AB"), "looking", partial=True), "two": Shortcut(half("CD"), "looking", partial=True)},
        ),
    )
    by_rule = {measured.rule: measured for measured in audit(task, N, attack=True)}
    assert by_rule["one + two"].accuracy == 1
    assert by_rule["one + two"].partial
    assert by_rule["anything but one"].accuracy == 0


def test_a_guess_among_replies_earns_its_share() -> None:
    item = Items(CLEAN, 1, 0)[0]
    right = item.answer.canonical()
    wrong = next(letter for letter in LETTERS if letter != right)
    assert [shortcuts.credit(item, guess) for guess in ((right,), (wrong,), (right, wrong), ())] == [1, 0, 0.5, item.chance]


def test_limits_are_five_points_or_three_standard_errors_above_chance() -> None:
    assert Measured("a/b", "", "rule", partial=False, n=100_000, accuracy=0.3, chance=0.25).limit == pytest.approx(0.3)
    assert Measured("a/b", "", "rule", partial=False, n=75, accuracy=0.3, chance=0.25).limit == pytest.approx(0.4)


def test_coarse_features_tell_where_ink_is() -> None:
    white = np.full((64, 64, 3), 255, np.uint8)
    black = white.copy()
    black[:16, 48:] = 0
    share, left, right, top, bottom, across, down, *_ = coarse([black])
    assert share == 1 / 16
    assert (left, right, top, bottom) == (48 / 64, 63 / 64, 0, 15 / 64)
    assert across > 0.8
    assert down < 0.2
    assert coarse([white])[1:5] == [-1] * 4
    assert len(coarse([white, black])) == 2 * len(coarse([white])) + 1
    assert coarse([white, black])[-1] == pytest.approx(2 / 16)


def test_the_same_seed_measures_the_same() -> None:
    assert audit(CLEAN, N // 2) == audit(CLEAN, N // 2)
