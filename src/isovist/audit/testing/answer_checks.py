"""Conformance checks of answers, options and scorers; `conformance.CHECKS` has all checks."""

from __future__ import annotations

from typing import Any

from isovist.audit.testing.sampled_items import shared_items
from isovist.core.answers import Choice, ImageOptionChoice, JointAnswer, from_json, to_json
from isovist.core.task import Task

JUNK = (
    "", " ", "zzz", "?", "I cannot see an image.", "Answer:", "Answer: maybe", "Answer: 1e999", "{}", "[]]", "**", "\\boxed{}", "\u0000",
)  # fmt: skip


def truth_scores_one_and_wrong_scores_zero(task: Task[Any]) -> None:
    """The key has credit 1 and every wrong answer has credit 0."""
    for made in shared_items(task, 8):
        answer = made.answer
        for reply in (answer.canonical(), f"Answer: {answer.canonical()}", f"Let me see.\n\nAnswer: {answer.canonical()}"):
            assert answer.score(reply).credit == 1, f"{made.id}: {reply!r} is the key, but its score is {answer.score(reply)}"
        assert answer.wrong_answers(), f"{made.id}: `wrong_answers` is empty"
        for reply in answer.wrong_answers():
            assert answer.score(reply).credit == 0, f"{made.id}: {reply!r} is wrong, but its score is {answer.score(reply)}"


def junk_and_hedges_score_zero_and_never_raise(task: Task[Any]) -> None:
    """Responses without an answer, or with two different answers, have credit 0 and raise no error."""
    for made in shared_items(task, 4):
        answer = made.answer
        truth = answer.canonical()
        pairs = [pair for w in answer.wrong_answers() for pair in ((truth, w), (w, truth))]
        hedges = [form.format(a, b) for a, b in pairs for form in ("{0}\n{1}", "Answer: {0}\nAnswer: {1}", "Answer: {0} or {1}")]
        for reply in (*JUNK, *hedges):
            assert answer.score(reply).credit == 0, (
                f"{made.id}: {reply!r} contains no single answer, but its score is {answer.score(reply)}"
            )


def the_scorer_of_its_paper_knows_the_key(task: Task[Any]) -> None:
    """The published scorer gives credit 1 to the key and less to every other answer."""
    if task.paper.scorer is None:
        return
    for made in shared_items(task, 8):
        answer = made.answer
        for reply in (answer.canonical(), f"Let me see.\n\nAnswer: {answer.canonical()}"):
            assert task.paper.scorer(reply, answer) == 1, (
                f"{made.id}: {reply!r} is the key, but the published scorer does not give credit 1"
            )
        for reply in (*answer.wrong_answers(), *JUNK):
            assert 0 <= task.paper.scorer(reply, answer) < 1, (
                f"{made.id}: {reply!r} is not the key, but its credit by the published scorer is not in [0, 1)"
            )


def the_prompt_of_its_paper_asks_for_the_key(task: Task[Any]) -> None:
    """The published prompt has the question and its options; parser and published scorer read the format that it requests."""
    if isinstance(task.paper.prompt, str):
        return
    for made in shared_items(task, 8):
        question, answer = made.question.text, made.answer
        text = task.paper.prompt.text(question, answer)
        parts = [part for _, part in answer.parts] if isinstance(answer, JointAnswer) else [answer]
        options = [
            option for part in parts if isinstance(part, Choice) and not isinstance(part, ImageOptionChoice) for option in part.options
        ]
        lines = question.removesuffix("\nOptions:").split("\n")
        needed = [*(lines[:-1] if isinstance(answer, JointAnswer) else lines), *options]
        missing = [part for part in needed if part not in text]
        assert not missing, f"{made.id}: the published prompt lacks {missing[0]!r}"
        reply = task.paper.prompt.response(answer, answer.canonical())
        for form in (reply, f"Let me see.\n\n{reply}"):
            assert answer.score(form).credit == 1, (
                f"{made.id}: {form!r} is the key in the published format, but its score is {answer.score(form)}"
            )
            assert task.paper.scorer is None or task.paper.scorer(form, answer) == 1, (
                f"{made.id}: {form!r} is the key in the published format, but the published scorer does not give credit 1"
            )
        for wrong in answer.wrong_answers():
            form = task.paper.prompt.response(answer, wrong)
            assert answer.score(form).credit == 0, f"{made.id}: {form!r} is wrong, but its score is {answer.score(form)}"
            assert task.paper.scorer is None or task.paper.scorer(form, answer) < 1, (
                f"{made.id}: {form!r} is wrong, but the published scorer gives credit 1"
            )


def answers_survive_json(task: Task[Any]) -> None:
    """An answer is unchanged after serialization to JSON and back."""
    for made in shared_items(task, 4):
        assert from_json(to_json(made.answer)) == made.answer, f"{made.id}: the answer changes when it is written to JSON and read back"


def options_are_distinct_and_the_key_occurs_once(task: Task[Any]) -> None:
    """The key is exactly one option, and every option is listed in the text or drawn in the image."""
    for made in shared_items(task):
        if isinstance(made.answer, Choice):
            assert made.answer.options.count(made.answer.balance_bin()) == 1, f"{made.id}: the key is not exactly one of the options"
            listed = made.answer.options_text()
            shown = isinstance(made.answer, ImageOptionChoice) or all(option in listed for option in made.answer.options)
            assert shown, f"{made.id}: an option is neither listed in the text nor drawn in the image"


def angles_are_those_of_the_options(task: Task[Any]) -> None:
    """Option angles: one per option, in (-180, 180] degrees if circular, else in [0, 180], and positive clockwise."""
    if task.reported.option_angles is None:
        return
    rows = [
        (made.id, made.answer, task.reported.option_angles(made.answer)) for made in shared_items(task) if isinstance(made.answer, Choice)
    ]
    assert any(angles_by_name for _, _, angles_by_name in rows), f"{task.id}: `reported.option_angles` gives no angles for any item"
    for id, answer, angles_by_name in rows:
        for name, option_angles in angles_by_name.items():
            assert len(option_angles.angles_deg) == len(answer.options), (
                f"{id}: {name} has {len(option_angles.angles_deg)} angles for {len(answer.options)} options"
            )
            angles = {angle for angle in option_angles.angles_deg if angle is not None}
            low, high = (-180, 180) if option_angles.is_circular else (0, 180)
            assert len(angles) > 1 and low <= min(angles) and max(angles) <= high, (
                f"{id}: {name} has the angles {sorted(angles)}; at least two are required, in [{low}, {high}]"
            )
            assert not option_angles.is_circular or -180 not in angles, f"{id}: {name} has the angle -180. Write 180."
            assert not option_angles.is_circular or option_angles.positive_direction.startswith("clockwise"), (
                f"{id}: {name} is not positive clockwise: {option_angles.positive_direction}"
            )
