"""Audits find what can be guessed without seeing: planted leaks are told by the features that give them away, and no others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from workbench import done, install, isovist, refused

from isovist.audit import answer_leakage, features
from isovist.audit.answer_leakage import AuditResult, audit
from isovist.common.installation import install_command
from isovist.core.answers import Choice
from isovist.core.drawing2d import Circle, Drawing, Polygon
from isovist.core.task import Exemption, Question, SamplingContext, Task
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry

NAME = "cdr/relative-spatial-letter"
CLEAN = registry.task(NAME)
N = 96
N_OF_FAINT = 240
"""Of a leak that shows in fewer items only by luck."""
BOTH = {"answer", "letter"}


def key(question: Question) -> Choice:
    assert isinstance(question.answer, Choice)
    return question.answer


def rank(question: Question) -> int:
    """The place of the answer in an order that no question shows."""
    return sorted(key(question).options).index(key(question).balance_bin())


def asked(change: Callable[[Question], Question]) -> Task[Any]:
    return replace(CLEAN, ask=lambda scene: change(CLEAN.ask(scene)))


def drawn(change: Callable[[Any, Question], Drawing]) -> Task[Any]:
    return replace(CLEAN, draw=lambda scene: tuple(change(drawing, CLEAN.ask(scene)) for drawing in CLEAN.draw(scene)))


def placed(question: Question, at: int) -> Question:
    """The question with its key at another place among the options."""
    others = [option for option in key(question).options if option != key(question).balance_bin()]
    return replace(question, answer=Choice((*others[:at], key(question).balance_bin(), *others[at:]), at))


def often_first(question: Question) -> Question:
    """Half of the keys stand first. Which half, the words do not tell."""
    return placed(question, 0) if sum(question.text.encode()) % 2 else question


def blot(drawing: Drawing, share: float) -> Drawing:
    """A bar at the lower edge, in the ink of the letters, which hides nothing."""
    bar = Polygon(((0.0, 0.0), (share, 0.0), (share, 0.012), (0.0, 0.012)))
    return replace(drawing, shapes=(*drawing.shapes, bar))


def dotted(drawing: Drawing, count: int) -> Drawing:
    """So many specks of dust in the upper margin, and as much ink for every count."""
    specks = tuple(Circle((0.05 + 0.11 * i, 0.99), 0.006 * (8 / count) ** 0.5) for i in range(count))
    return replace(drawing, shapes=(*drawing.shapes, *specks))


def dyed(drawing: Drawing, place: int) -> Drawing:
    """Paper in a shade that no eye tells from white."""
    return replace(drawing, background=f"#ffff{255 - place:02x}")


def from_few(plan: SamplingContext) -> Any:
    """Twelve questions, which come again and again."""
    return plan.item_rng.pick(few()).scene


@cache
def few() -> tuple[Item, ...]:
    return tuple(Items(CLEAN, 12, 99))


LEAKS: dict[str, tuple[Task[Any], str, set[str]]] = {
    "words that go with the answer": (
        asked(lambda question: replace(question, text=f"{question.text} {'Look well. ' * (rank(question) // 2)}")), "words", {"answer"},
    ),
    "a word that goes with the letter": (
        asked(lambda question: replace(question, text=f"Question {7 * key(question).truth}: {question.text}")), "words", {"letter"},
    ),
    "the key always at one place": (asked(lambda question: placed(question, 2)), "words", {"answer"}),
    "the key at one place in half of the items": (asked(often_first), "words", {"answer"}),
    "ink that goes with the answer": (drawn(lambda drawing, question: blot(drawing, (1 + rank(question)) / 8)), "pixels", {"answer"}),
    "ink that goes with the letter": (drawn(lambda drawing, question: blot(drawing, (1 + key(question).truth) / 8)), "pixels", {"letter"}),
    "specks that go with the answer": (drawn(lambda drawing, question: dotted(drawing, 1 + rank(question))), "pixels", {"answer"}),
    "a shade of paper that goes with the letter": (drawn(lambda drawing, question: dyed(drawing, key(question).truth)), "pixels", {"letter"}),
    # what was seen before is known again, by its words as by its pixels
    "few items that come again": (replace(CLEAN, sample=from_few), "words", BOTH),
}  # fmt: skip


def audited(task: Task[Any], n: int) -> list[AuditResult]:
    """The results with half as many trees, and half as many items in the second round."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(answer_leakage, "TREES", 40)
        patched.setattr(answer_leakage, "_MORE", 2)
        return audit(task, n, trees=40)


@cache
def found(name: str) -> list[AuditResult]:
    return audited(LEAKS[name][0] if name in LEAKS else CLEAN, N_OF_FAINT if name.startswith("ink") else N)


def test_a_clean_task_passes_with_every_kind_of_features_and_targets() -> None:
    findings = found("clean")
    assert {(finding.features, finding.target) for finding in findings} == {(f, t) for f in ("words", "pixels") for t in BOTH}
    for finding in findings:
        assert finding.passed
        assert not finding.leaks
        assert (finding.task, finding.n, finding.reason) == (NAME, N, "")
        assert finding.baseline == pytest.approx(1 / 8, abs=0.05)
        assert finding.baseline < finding.limit < 0.3


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_told_by_the_features_that_hold_it(name: str) -> None:
    _, features_, targets = LEAKS[name]
    leaking = {(finding.features, finding.target) for finding in found(name) if not finding.passed}
    assert leaking >= {(features_, target) for target in targets}, found(name)
    if targets != BOTH:  # the others are as clean as before; a leak must not be laid to what does not leak
        assert {which for which, _ in leaking} == {features_}, found(name)


def test_an_exception_excuses_its_features_alone() -> None:
    leaky, _, _ = LEAKS["specks that go with the answer"]
    excused = {
        (f.features, f.leaks, f.passed, f.reason)
        for f in audited(replace(leaky, checks=replace(leaky.checks, exemptions={"pixels": Exemption("it is so", 1.0)})), N)
        if f.leaks
    }
    assert excused == {("pixels", True, True, "it is so")}
    wrongly = [
        f for f in audited(replace(leaky, checks=replace(leaky.checks, exemptions={"words": Exemption("it is so", 1.0)})), N) if f.leaks
    ]
    assert wrongly
    assert not any(f.passed for f in wrongly)


def test_the_floor_is_what_the_best_constant_gets() -> None:
    """A constant answer is no leak of words or pixels; conformance asks for balance."""
    skewed = [f for f in found("the key at one place in half of the items") if f.target == "letter"]
    keys = Counter(item.answer.canonical() for item in Items(LEAKS["the key at one place in half of the items"][0], N))
    assert {f.baseline for f in skewed} == {keys.most_common(1)[0][1] / N}
    assert keys["A"] > N / 3


def test_the_same_audit_comes_out_the_same() -> None:
    assert audit(CLEAN, 40, 3) == audit(CLEAN, 40, 3)


@pytest.mark.parametrize("name", ["cdr/object-classification-letter", "cdr/object-classification-number"])
def test_a_task_with_more_answers_than_items_for_each_is_audited(name: str) -> None:
    """The least that the command takes: forty items, of which some answers come only once."""
    findings = audit(registry.task(name), 40)
    assert {finding.features for finding in findings} == {"words", "pixels"}
    assert all(finding.passed for finding in findings)


def test_the_features_are_those_of_the_picture() -> None:
    item = Items(replace(CLEAN, draw=lambda scene: (Drawing((Polygon(((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5)), "#ff0000"),)),)), 1)[
        0
    ]
    ink, blobs, red, green, blue, size = features.pixels(item)
    assert len(features.PIXEL_FEATURES) == 6
    assert ink == pytest.approx(1 / 4, abs=0.01)
    assert (blobs, red) == (1, 255)
    assert green == blue == pytest.approx(255 * 3 / 4, abs=2)
    assert size > 60
    assert np.asarray(item.images[0]).shape == (200, 200, 3)


def test_the_words_hold_the_question_and_each_option_with_its_letter() -> None:
    item = Items(CLEAN, 1)[0]
    words = features.words(item).split()
    for letter, option in zip("ABCDEFGH", key(item.question).options, strict=True):
        assert f"{letter}={option.replace(' ', '-')}" in words
    assert set(re.findall(r"\w+", item.question.text)) <= set(words)


# The command ------------------------------------------------------------------------------------------------------


def test_the_command_tells_each_finding_and_excuses_with_reason() -> None:
    ended = done("audit", "cdr/object-classification-icon", "--n", 120)
    assert ended.err == ""
    lines = ended.out.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("cdr/object-classification-icon: ") for line in lines)
    excused = [line for line in lines if not line.endswith("  ok")]
    reason = registry.task("cdr/object-classification-icon").checks.exemptions["pixels"].reason
    assert any("of answers" in line for line in excused)
    assert all("pixels" in line and f"excused: {reason}" in line for line in excused)


def test_the_command_fails_on_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    leaky, _, _ = LEAKS["a shade of paper that goes with the letter"]
    install(monkeypatch, leaky)
    ended = isovist("audit", NAME, "--n", N)
    assert (ended.code, ended.err) == (1, "")
    (line,) = [line for line in ended.out.splitlines() if line.endswith("LEAKS")]
    assert "pixels" in line
    assert "of letters" in line
    assert ended.out.splitlines()[-1].split() in (["1", "leak"], ["1", "leaks"])


def test_without_a_library_the_command_says_what_to_install_before_it_makes_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isovist.data.items.Items.__getitem__", lambda self, index: pytest.fail("an item was made"))
    monkeypatch.setattr("isovist.common.errors.find_spec", lambda name: None)
    for options in ((), ("--shortcuts",), ("--attack",)):
        refused(isovist("audit", NAME, *options), install_command("audit"))


def test_without_the_renderer_no_task_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isovist.world.render.find_spec", lambda name: None)
    for options in ((), ("--shortcuts",), ("--pictures",), ("--legibility",)):
        ended = isovist("audit", NAME, "dori/view-parallelism", "--n", 40, *options)
        assert (ended.code, ended.out) == (2, "")
        assert install_command("scene") in ended.err


# Keys -------------------------------------------------------------------------------------------------------------


def test_keys_are_derived_again_and_wrong_ones_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = done("audit", NAME, "cdr/object-classification-icon", "--check-keys", 40)
    assert ended.out.splitlines() == [f"{id}: 40 keys checked, 0 incorrect" for id in (NAME, "cdr/object-classification-icon")]

    def sometimes_wrong(question: Question) -> Question:
        answer = key(question)
        return replace(question, answer=Choice(answer.options, (answer.truth + (answer.truth == 2)) % 8))

    wrong = sum(key(item.question).truth == 2 for item in Items(CLEAN, 40))
    install(monkeypatch, asked(sometimes_wrong))
    ended = isovist("audit", NAME, "--check-keys", 40)
    assert (ended.code, ended.err) == (1, "")
    *lines, summary, total = ended.out.splitlines()
    assert 0 < len(lines) == wrong
    assert all(line.startswith(f"{NAME}@{CLEAN.version}:") and "the key is" in line for line in lines)
    assert summary == f"{NAME}: 40 keys checked, {wrong} incorrect"
    assert total == f"{wrong} incorrect keys"
