"""Every conformance check catches the faults it is there for: a clean task passes all, each planted fault fails one."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from isovist.audit import learned_rule, shortcuts
from isovist.audit.item_cache import shared
from isovist.audit.testing import conformance as c
from isovist.core.answers import LETTERS, Cell, Choice, Score
from isovist.core.drawing2d import Circle, Drawing, Line, Point
from isovist.core.option_angles import OptionAngles
from isovist.core.published_prompt import PublishedPrompt, listed
from isovist.core.rng import Rng
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Question, Reasoning, RejectSample, Sampling, SamplingContext, Shortcut, Task, split_of_layout
from isovist.data.item import make_item
from isovist.suites import registry
from isovist.suites.cdr import relative_symbols

# ---- a clean task ---------------------------------------------------------------------------------------------------

CORNERS = ("upper left", "upper right", "lower left", "lower right")
HUES = {"red": "#c01622", "blue": "#1748c4", "green": "#187030", "purple": "#6f1fb0"}
TEXTS = ("In which corner of the picture is the {} dot?", "Look for the {} dot. Where is it?")
CROSS = (Line(((0.0, 0.5), (1.0, 0.5)), 0.01), Line(((0.5, 0.0), (0.5, 1.0)), 0.01))


@dataclass(frozen=True)
class Scene:
    dots: tuple[tuple[Point, float], ...]  # place and radius, one in each corner
    hues: tuple[str, ...]
    asked: str
    options: tuple[str, ...]
    phrasing: int

    @property
    def corner(self) -> str:
        return CORNERS[self.hues.index(self.asked)]

    @property
    def place(self) -> int:
        return self.options.index(self.corner)


def sample(plan: SamplingContext) -> Scene:
    rng = plan.item_rng
    middles = ((0.25, 0.75), (0.75, 0.75), (0.25, 0.25), (0.75, 0.25))
    dots = tuple(((x + rng.uniform(-0.1, 0.1), y + rng.uniform(-0.1, 0.1)), rng.uniform(0.03, 0.1)) for x, y in middles)
    hues = tuple(rng.shuffled(tuple(HUES)))
    others = rng.shuffled([corner for corner in CORNERS if corner != CORNERS[plan.stratum]])
    place = plan.item_stratum("place", 4)
    options = (*others[:place], CORNERS[plan.stratum], *others[place:])
    return Scene(dots, hues, hues[plan.stratum], options, rng.integer(0, 1))


def draw(scene: Scene) -> tuple[Drawing, ...]:
    return (Drawing(tuple(Circle(at, r, HUES[hue]) for (at, r), hue in zip(scene.dots, scene.hues, strict=True)), backdrop=CROSS),)


def ask(scene: Scene) -> Question:
    return Question(TEXTS[scene.phrasing % 2].format(scene.asked), Choice(scene.options, scene.place))


def read(pictures: tuple[Drawing, ...], words: str) -> str:
    (hue,) = (code for name, code in HUES.items() if f"the {name} dot" in words)
    (dot,) = (shape for shape in pictures[0].shapes if isinstance(shape, Circle) and shape.fill == hue)
    x, y = dot.center
    return f"{'upper' if y > 0.5 else 'lower'} {'right' if x > 0.5 else 'left'}"


def mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    other = {"left": "right", "right": "left"}
    over = (1, 0, 3, 2)
    dots = tuple(((1 - scene.dots[i][0][0], scene.dots[i][0][1]), scene.dots[i][1]) for i in over)
    moved = replace(scene, dots=dots, hues=tuple(scene.hues[i] for i in over))
    return moved, lambda name: f"{name.split()[0]} {other[name.split()[1]]}"


def explain(scene: Scene) -> str:
    (x, y), _ = scene.dots[scene.hues.index(scene.asked)]
    answer = f"Answer: {LETTERS[scene.place]}. {scene.corner}"
    return f"The {scene.asked} dot stands at {x:.4f}, {y:.4f}.\nThat is at the {scene.corner}.\n{answer}"


def replay(scene: Scene, text: str) -> list[str]:
    return [f"it lacks {line!r}" for line in explain(scene).split("\n") if line not in text.split("\n")]


CLEAN: Task[Scene] = Task(
    id="planted/corner",
    version=1,
    summary="Say in which corner the dot of one colour is.",
    sample=sample,
    draw=draw,
    ask=ask,
    rederive=read,
    answers=Answers(type="choice", strata=4),
    skills=("position",),
    levels=("first", "second"),
    sampling=Sampling(layout=lambda scene: (scene.dots, scene.hues)),
    checks=Checks(symmetries=(mirror,)),
    reasoning=Reasoning(explain, replay),
)

# ---- faults ---------------------------------------------------------------------------------------------------------


def answering(change: Callable[[Choice], Any]) -> Callable[[Scene], Question]:
    """A task whose answer is changed."""

    def changed(scene: Scene) -> Question:
        question = ask(scene)
        assert isinstance(question.answer, Choice)
        return Question(question.text, change(question.answer))

    return changed


def hashed(scene: Scene) -> Question:
    """Takes its words by a hash that other processes do not share."""
    return replace(ask(scene), text=f"{ask(scene).text} {hash(scene.options)}")


def hashed_second(plan: SamplingContext) -> Scene:
    """Does so at its second level alone."""
    scene = sample(plan)
    return replace(scene, phrasing=hash(scene.options)) if plan.level == "second" else scene


CALLS = count()


def later(scene: Scene) -> tuple[Drawing, ...]:
    """Draws another paper each time; ids and words do not show it."""
    return shaded(scene, next(CALLS) % 100)


def shaded(scene: Scene, by: int) -> tuple[Drawing, ...]:
    return (replace(draw(scene)[0], background=f"#ffff{255 - by:02x}"),)


def unbalanced(plan: SamplingContext) -> Scene:
    return sample(replace(plan, stratum=plan.item_rng.at("cell").integer(0, 3)))


def by_index(plan: SamplingContext) -> Scene:
    """A stream from the index and a few more numbers, and not from the seed."""
    return sample(replace(plan, stratum=0, item_rng=Rng(plan._index, plan.item_rng.integer(0, 7)), _item_design=Rng(0)))


def rejecting(plan: SamplingContext) -> Scene:
    if plan.item_rng.at("again").chance(0.9):
        raise RejectSample
    return sample(plan)


def again(plan: SamplingContext) -> Scene:
    """The same scene for eight items in a row."""
    first = plan._index // 8
    scenes = (sample(replace(plan, stratum=0, _index=first, item_rng=Rng(plan.level, first, attempt))) for attempt in count())
    return next(scene for scene in scenes if split_of_layout(CLEAN.sampling.layout(scene)) == plan.split)


def unasked(plan: SamplingContext) -> Scene:
    """Says that a layout fits without looking."""
    scene = sample(plan)
    plan._accepted_layouts.append(scene)
    return scene


def few(plan: SamplingContext) -> Scene:
    """Four equal dots in 24 orders: train and test cannot but share pictures, and the whole scene as a layout hides it."""
    middles = ((0.25, 0.75), (0.75, 0.75), (0.25, 0.25), (0.75, 0.25))
    return replace(sample(plan), dots=tuple((at, 0.05) for at in middles))


def key_first(plan: SamplingContext) -> Scene:
    scene = sample(plan)
    return replace(scene, options=(scene.corner, *(corner for corner in CORNERS if corner != scene.corner)))


def sized(scene: Scene, by: int) -> tuple[Drawing, ...]:
    return draw(replace(scene, dots=tuple((at, 0.04 + 0.02 * by) for at, _ in scene.dots)))


def dots_outside(scene: Scene) -> tuple[Drawing, ...]:
    return draw(replace(scene, dots=tuple(((x + 2, y), r) for (x, y), r in scene.dots)))


def all_outside(scene: Scene) -> tuple[Drawing, ...]:
    return (replace(dots_outside(scene)[0], backdrop=()),)


def told(words: Callable[[Scene], str]) -> Callable[[Scene], Question]:
    """A task that says more than it should."""
    return lambda scene: Question(f"{ask(scene).text} {words(scene)}", ask(scene).answer)


def half_blind(scene: Scene) -> str:
    lines = explain(scene).split("\n")
    return "\n".join((lines[0], "That is at the middle.", lines[2]))


def spoilt(answer: Choice, **fields: object) -> Choice:
    """A choice past its own checks."""
    new = Choice(answer.options, answer.truth)
    for name, value in fields.items():
        object.__setattr__(new, name, value)
    return new


class Lenient(Choice):
    """Right as soon as the key's text or letter occurs anywhere."""

    def score(self, reply: str) -> Score:
        right = self.canonical() in reply or self.balance_bin() in reply
        return Score("correct", 1.0, self.canonical()) if right else Score("incorrect", 0.0, "?")


class Prescient(Choice):
    """Guesses right."""

    def random_answer(self, rng: Rng) -> str:
        return self.canonical()


class Unfailing(Choice):
    """Knows no wrong answer."""

    def wrong_answers(self) -> list[str]:
        return []


def one_answer_second(plan: SamplingContext) -> Scene:
    """At its second level the answer is always the same."""
    return sample(replace(plan, stratum=2) if plan.level == "second" else plan)


def cells(scene: Scene) -> Question:
    """Two of the nine cells are right: one of each corner, which is the canonical key, and mostly the one in the middle."""
    corner = ((1, 1), (1, 3), (3, 1), (3, 3))[CORNERS.index(scene.corner)]
    return Question(ask(scene).text, Cell((corner, (2, 2) if scene.place else (2, 1)), 3, 3))


SOME = make_item(CLEAN, CLEAN.address("test", "first", 0, 0, {})).scene
CLOCK = "clockwise in the picture"
Fault = tuple[str, Task[Any], c.Check]

FAULTS: tuple[Fault, ...] = (
    ("a name with capitals", replace(CLEAN, id="Planted/Corner"), c.it_describes_itself),
    ("no skill", replace(CLEAN, skills=()), c.it_describes_itself),
    ("another chance level", replace(CLEAN, answers=replace(CLEAN.answers, chance=1 / 3)), c.guessers_land_at_chance),
    ("another type of answer", replace(CLEAN, answers=replace(CLEAN.answers, type="count")), c.it_describes_itself),
    ("a level that breaks an id", replace(CLEAN, levels=("one:two",)), c.it_describes_itself),
    ("a level twice", replace(CLEAN, levels=("first", "first")), c.it_describes_itself),
    ("the module random", replace(CLEAN, ask=told(lambda _: str(random.random()))), c.same_seed_same_items_in_any_order),
    ("a memory of items before", replace(CLEAN, ask=told(lambda _: str(next(CALLS)))), c.same_seed_same_items_in_any_order),
    ("the clock", replace(CLEAN, ask=told(lambda _: str(time.perf_counter_ns()))), c.an_id_gives_its_item_back),
    ("items that come again", replace(CLEAN, sample=again), c.no_item_comes_twice),
    ("fewer repeats than there are", replace(CLEAN, sample=again, checks=replace(CLEAN.checks, distinct={"first": 5000, "second": 5000})), c.no_item_comes_twice),
    ("a stream without the seed", replace(CLEAN, sample=by_index), c.neighbouring_seeds_share_nothing),
    ("a split that is not looked at", replace(CLEAN, sample=unasked, sampling=replace(CLEAN.sampling, layout=lambda scene: scene)), c.train_and_test_share_no_picture),
    ("a layout that tells more than the picture", replace(CLEAN, sample=few, sampling=replace(CLEAN.sampling, layout=lambda scene: scene)), c.train_and_test_share_no_picture),
    ("a layout with the wording", replace(CLEAN, sampling=replace(CLEAN.sampling, layout=lambda scene: scene)), c.equal_pictures_have_one_layout),
    ("options named like other letters", replace(CLEAN, ask=answering(lambda a: Choice(("B", "C", "D", "A"), a.truth))), c.truth_scores_one_and_wrong_scores_zero),
    ("no wrong answers", replace(CLEAN, ask=answering(lambda a: Unfailing(a.options, a.truth))), c.truth_scores_one_and_wrong_scores_zero),
    ("a lenient scorer", replace(CLEAN, ask=answering(lambda a: Lenient(a.options, a.truth))), c.junk_and_hedges_score_zero_and_never_raise),
    ("a paper's scorer that never sees the key", replace(CLEAN, paper=replace(CLEAN.paper, scorer=lambda reply, answer: 0.0)), c.the_scorer_of_its_paper_knows_the_key),
    ("a paper's scorer that takes all", replace(CLEAN, paper=replace(CLEAN.paper, scorer=lambda reply, answer: 1.0)), c.the_scorer_of_its_paper_knows_the_key),
    ("a published prompt without its options", replace(CLEAN, paper=replace(CLEAN.paper, prompt=PublishedPrompt(lambda text, answer: text, "here", ""))), c.the_prompt_of_its_paper_asks_for_the_key),
    ("a published prompt whose answers nobody reads", replace(CLEAN, paper=replace(CLEAN.paper, prompt=PublishedPrompt(listed, "here", "", lambda answer, text: f"#{text}#?"))), c.the_prompt_of_its_paper_asks_for_the_key),
    ("an answer that JSON changes", replace(CLEAN, ask=answering(lambda a: spoilt(a, options=list(a.options)))), c.answers_survive_json),
    ("the key among the options twice", replace(CLEAN, ask=answering(lambda a: spoilt(a, options=(a.balance_bin(),) * 4))), c.options_are_distinct_and_the_key_occurs_once),
    ("angles of fewer options than there are", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {"way": OptionAngles((0, 90, 180), CLOCK)})), c.angles_are_those_of_the_options),
    ("an angle beyond half a turn", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {"way": OptionAngles((0, 90, 180, 270), CLOCK)})), c.angles_are_those_of_the_options),
    ("half a turn the other way", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {"way": OptionAngles((0, 90, -180, -90), CLOCK)})), c.angles_are_those_of_the_options),
    ("a folded dial with sides", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {"way": OptionAngles((0, 90, 180, -90), "wider", is_circular=False)})), c.angles_are_those_of_the_options),
    ("a dial told counterclockwise", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {"way": OptionAngles((0, 90, 180, -90), f"counter{CLOCK}")})), c.angles_are_those_of_the_options),
    ("angles of no option", replace(CLEAN, reported=replace(CLEAN.reported, option_angles=lambda answer: {})), c.angles_are_those_of_the_options),
    ("answers as they fall", replace(CLEAN, sample=unbalanced), c.answers_are_balanced),
    ("always one answer", replace(CLEAN, sample=lambda plan: sample(replace(plan, stratum=2))), c.answers_are_balanced),
    ("more cells than answers", replace(CLEAN, answers=replace(CLEAN.answers, strata=6), sample=lambda plan: sample(replace(plan, stratum=plan.stratum % 4))), c.answers_are_balanced),
    ("nine scenes of ten rejected", replace(CLEAN, sample=rejecting), c.few_scenes_are_rejected),
    ("a wrong key", replace(CLEAN, ask=answering(lambda a: Choice(a.options, (a.truth + 1) % 4))), c.the_drawing_alone_gives_the_answer),
    ("a mirrored drawing", replace(CLEAN, draw=lambda scene: draw(mirror(scene)[0])), c.the_drawing_alone_gives_the_answer),
    ("a reader that mirrors", replace(CLEAN, rederive=lambda pictures, words: mirror(SOME)[1](read(pictures, words))), c.the_drawing_alone_gives_the_answer),
    ("the own order of the pictures as another one", replace(CLEAN, draw=lambda scene: draw(scene) * 2, images=replace(CLEAN.images, orders=lambda scene: {"turned": ((0, 1), "")})), c.another_order_of_the_pictures_keeps_the_answer),
    ("a symmetry that is none", replace(CLEAN, checks=replace(CLEAN.checks, symmetries=(lambda scene: (mirror(scene)[0], str),))), c.symmetries_hold),
    ("the telling shapes outside the picture", replace(CLEAN, draw=dots_outside), c.one_picture_and_question_have_one_answer),
    ("everything outside the picture", replace(CLEAN, draw=all_outside), c.pictures_show_something),
    ("a picture of 32 pixels", replace(CLEAN, images=replace(CLEAN.images, size_px=32)), c.pictures_show_something),
    ("a guess that knows", replace(CLEAN, ask=answering(lambda a: Prescient(a.options, a.truth))), c.guessers_land_at_chance),
    ("a chance that is too low", replace(CLEAN, answers=replace(CLEAN.answers, best_constant=(0.05, 0.05), chance=0.05)), c.no_constant_answer_beats_chance),
    ("one answer at one level", replace(CLEAN, sample=one_answer_second), c.no_constant_answer_beats_chance),
    ("several right answers, one of them in most items", replace(CLEAN, ask=cells, answers=replace(CLEAN.answers, type="cell")), c.no_constant_answer_beats_chance),
    ("a step of reasoning that does not hold", replace(CLEAN, reasoning=Reasoning(half_blind, replay)), c.reasoning_replays),
    ("reasoning to another answer", replace(CLEAN, reasoning=Reasoning[Scene](lambda scene: explain(mirror(scene)[0]), lambda scene, text: replay(mirror(scene)[0], text))), c.reasoning_replays),
    ("a verifier that takes all", replace(CLEAN, reasoning=Reasoning(explain, lambda scene, text: [])), c.reasoning_replays),
    ("a verifier that skips a step", replace(CLEAN, reasoning=Reasoning(explain, lambda scene, text: replay(scene, text)[1:])), c.reasoning_replays),
    ("words that tell the answer", replace(CLEAN, ask=told(lambda scene: f"(tip: {CORNERS.index(scene.corner)})")), c.nothing_leaks),
    ("words that tell the letter", replace(CLEAN, ask=told(lambda scene: "Look well! " * scene.place)), c.nothing_leaks),
    ("the key always the first option", replace(CLEAN, sample=key_first), c.nothing_leaks),
    ("a shade of paper that tells the answer", replace(CLEAN, draw=lambda scene: shaded(scene, CORNERS.index(scene.corner))), c.nothing_leaks),
    ("a rule that finds the key", replace(CLEAN, checks=replace(CLEAN.checks, shortcuts={"the key": Shortcut(lambda scene, question: (question.answer.canonical(),), "a look")})), c.no_shortcut_beats_chance),
    ("a factor that never occurs with some answers", replace(CLEAN, checks=replace(CLEAN.checks, factors={"corner": lambda scene: scene.corner})), c.every_factor_occurs_with_every_answer),
    ("a size that tells the letter", replace(CLEAN, draw=lambda scene: sized(scene, scene.place)), c.nothing_leaks),
)  # fmt: skip


@pytest.mark.parametrize("check", c.CHECKS, ids=lambda check: check.__name__)
def test_the_clean_task_passes(check: c.Check) -> None:
    check(CLEAN)


@pytest.mark.parametrize(("task", "check"), [pytest.param(task, check, id=name) for name, task, check in FAULTS])
def test_a_fault_is_caught_and_named(monkeypatch: pytest.MonkeyPatch, task: Task[Any], check: c.Check) -> None:
    monkeypatch.setattr(shortcuts, "_MORE", 1)  # the second round on as many items
    monkeypatch.setattr(learned_rule, "_TREES", 12)
    with pytest.raises((AssertionError, ValueError), match=rf"^[^\n]*\b{task.id}"):  # a ValueError where an id gives another item
        check(task)


def test_checks_share_the_items_of_a_task_and_make_those_of_no_other() -> None:
    kept = shared(CLEAN)
    assert shared(CLEAN) is kept
    round_them, second = kept.around(8), kept.at("second", 4)
    assert [id(made) for made in second] == [id(made) for made in round_them[1::2]]
    assert shared(replace(CLEAN)) is not kept


def test_no_check_is_there_for_nothing() -> None:
    """Every check that the clean task takes part in is shown to fail; groups and prompts have their own tests."""
    shown = {check for _, _, check in FAULTS}
    assert set(c.CHECKS) - shown == {c.a_group_shares_its_pictures, c.prompts_can_be_made}


# ---- faults that need more than one changed function ----------------------------------------------------------------

GROUPED = relative_symbols.TASKS[0]


def test_a_group_with_other_pictures_is_caught() -> None:
    task = replace(GROUPED, sample=lambda plan: GROUPED.sample(replace(plan, image_rng=plan.item_rng)))
    with pytest.raises(AssertionError, match="one group, but different pictures"):
        c.a_group_shares_its_pictures(task)


def test_a_question_asked_twice_of_one_picture_is_caught() -> None:
    again = replace(GROUPED, sample=lambda plan: GROUPED.sample(replace(plan, stratum=3, question_index=0)))
    with pytest.raises(AssertionError, match="duplicate questions in a group"):
        c.a_group_shares_its_pictures(again)


def test_a_question_that_places_more_pictures_than_it_has_is_caught() -> None:
    task = replace(CLEAN, ask=told(lambda _: "<image> <image>"))
    with pytest.raises(ValueError, match="2 placeholders for 1 images"):
        c.prompts_can_be_made(task)


def test_a_distractor_that_reads_like_the_key_never_becomes_an_item() -> None:
    task = replace(CLEAN, ask=answering(lambda a: Choice((a.balance_bin(), a.balance_bin().replace(" ", "-").upper()), 0)))
    with pytest.raises(ValueError, match="options must be different"):
        c.options_are_distinct_and_the_key_occurs_once(task)


# ---- faults planted in tasks of the suites --------------------------------------------------------------------------

LETTER, ICON, BEFORE_AFTER = map(
    registry.task, ("cdr/relative-compass-letter", "cdr/spatial-direction-icon", "dori/viewer-scene-direction")
)
COLOURS = ("#c01622", "#1748c4", "#187030", "#6f1fb0", "#a04a00", "#007080", "#555555", "#b0187a")


def share(scene: Any, of: float) -> bool:
    """True for this share of the scenes."""
    return Rng("planted", repr(scene)).uniform(0, 1) < of


def key_first_in_a_quarter(scene: Any) -> Question:
    question = LETTER.ask(scene)
    assert isinstance(question.answer, Choice)
    key, others = question.answer.balance_bin(), [o for o in question.answer.options if o != question.answer.balance_bin()]
    return Question(question.text, Choice((key, *others), 0)) if share(scene, 0.25) else question


def icon_by_heading(of: float, **fields: Callable[[Any], Any]) -> Task[Any]:
    """The icon has other fields, by its scene, in a share of the items."""

    def draw(scene: Any) -> tuple[Drawing, ...]:
        (drawing,) = ICON.draw(scene)
        assert isinstance(drawing, Drawing)
        icon: Any = drawing.shapes[0]
        changed = replace(icon, **{name: value(scene) for name, value in fields.items()}) if share(scene, of) else icon
        return (replace(drawing, shapes=(changed,)),)

    return replace(ICON, draw=draw)


def nine_places(context: SamplingContext) -> Any:
    scene = ICON.sample(context)
    x, y = (0.5 + (round(at * 96) % 3 - 1) / 8 for at in scene.layout.position)
    return replace(scene, layout=replace(scene.layout, position=(x, y)))


def first_image_by_key(change: Callable[[Scene3D, int], Scene3D]) -> Task[Any]:
    """The first image changes with the key in a share of the items."""

    def draw(scene: Any) -> tuple[Any, ...]:
        first, *others = BEFORE_AFTER.draw(scene)
        assert isinstance(first, Scene3D)
        key = BEFORE_AFTER.ask(scene).answer.balance_bin()
        return (change(first, len(key)) if share(scene, 0.9) else first, *others)

    return replace(BEFORE_AFTER, draw=draw)


exposed = first_image_by_key(lambda image, key: replace(image, capture=replace(image.capture, exposure=key / 50)))
raised = first_image_by_key(
    lambda image, key: replace(image, camera=replace(image.camera, eye=(image.camera.eye[0], 1 + key / 10, image.camera.eye[2])))
)

PLANTS: tuple[Fault, ...] = (
    ("the key first in a quarter of the items", replace(LETTER, ask=key_first_in_a_quarter), c.no_constant_answer_beats_chance),
    ("the wording in a layout of nine places", replace(ICON, sample=nine_places, sampling=replace(ICON.sampling, layout=lambda scene: (scene.layout, scene.phrasing))), c.equal_pictures_have_one_layout),
    ("the wording in a layout of a thousand places", replace(ICON, sampling=replace(ICON.sampling, layout=lambda scene: (scene.layout, scene.phrasing))), c.equal_pictures_have_one_layout),
    ("the options in a layout of letters", replace(LETTER, sampling=replace(LETTER.sampling, layout=lambda scene: (scene.layout, scene.options))), c.equal_pictures_have_one_layout),
    ("a colour that tells the heading in 60 % of the items", icon_by_heading(0.6, colour=lambda scene: COLOURS[scene.place]), c.no_shortcut_beats_chance),
    ("a place that tells the heading", icon_by_heading(0.6, position=lambda scene: (0.4 + 0.1 * (scene.place % 3), 0.4 + 0.1 * (scene.place // 3))), c.no_shortcut_beats_chance),
    ("a size that tells the heading", icon_by_heading(0.6, size=lambda scene: 0.5 + 0.02 * scene.place), c.no_shortcut_beats_chance),
    ("a colour that tells the letter", icon_by_heading(0.6, colour=lambda scene: COLOURS[LETTERS.index(ICON.ask(scene).answer.canonical())]), c.no_shortcut_beats_chance),
    ("an exposure that tells the answer", exposed, c.no_shortcut_beats_chance),
    ("a camera height that tells the answer", raised, c.no_shortcut_beats_chance),
)  # fmt: skip


@pytest.mark.parametrize(("task", "check"), [pytest.param(task, check, id=name) for name, task, check in PLANTS])
def test_a_planted_fault_is_caught(monkeypatch: pytest.MonkeyPatch, task: Task[Any], check: c.Check) -> None:
    monkeypatch.setattr(shortcuts, "_MORE", 1)  # the second round on as many items
    monkeypatch.setattr(learned_rule, "_TREES", 12)
    with pytest.raises(AssertionError, match=task.id):
        check(task)


@pytest.mark.parametrize(
    ("fault", "caught"),
    [
        ("CLEAN", False),
        ("replace(CLEAN, ask=hashed)", True),
        ("replace(CLEAN, sample=hashed_second)", True),
        ("replace(CLEAN, draw=later)", True),
    ],
)
def test_what_other_processes_make_otherwise_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: str, caught: bool) -> None:
    """The task is installed as a package of its own, so that another process finds it by its entry point."""
    (tmp_path / "planted.py").write_text(
        f"from dataclasses import replace\nfrom test_conformance_catches import CLEAN, hashed, hashed_second, later\n\nTASK = {fault}\n"
    )
    dist_info = tmp_path / "planted-1.0.dist-info"
    dist_info.mkdir()
    (dist_info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    (dist_info / "entry_points.txt").write_text(f"[{registry.ENTRY_POINT}]\nplanted = planted\n")
    for place in (Path(__file__).parent, tmp_path):
        monkeypatch.setenv("PYTHONPATH", str(place), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    import planted  # pyright: ignore[reportMissingImports] - written above

    next(CALLS)  # this process is further on than a fresh one, whichever tests ran before
    if caught:
        with pytest.raises(AssertionError, match="makes other items"):
            c.everywhere_the_same([planted.TASK])
    else:
        c.everywhere_the_same([planted.TASK])
