"""Conformance tests: every task must pass them, including tasks of other packages.

Each check takes a task. It raises AssertionError with the item id or the task id, what is wrong and the values. In a test file:

    @pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check):
        check(TASK)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from isovist.audit.answer_leakage import AuditResult, audit
from isovist.audit.chains import turned
from isovist.audit.constant_answers import excesses
from isovist.audit.factor_gaps import gaps
from isovist.audit.fingerprints import everywhere_the_same as everywhere_the_same  # noqa: PLC0414 - also a check, of many tasks at once
from isovist.audit.item_cache import SEED, shared
from isovist.audit.shortcuts import Measured
from isovist.audit.shortcuts import audit as shortcut_audit
from isovist.audit.testing.answer_checks import (
    angles_are_those_of_the_options,
    answers_survive_json,
    junk_and_hedges_score_zero_and_never_raise,
    options_are_distinct_and_the_key_occurs_once,
    the_prompt_of_its_paper_asks_for_the_key,
    the_scorer_of_its_paper_knows_the_key,
    truth_scores_one_and_wrong_scores_zero,
)
from isovist.audit.testing.picture_checks import (
    a_group_shares_its_pictures,
    equal_pictures_have_one_layout,
    train_and_test_share_no_picture,
)
from isovist.audit.testing.sampled_items import MOST_LEVELS, is_staged, items, most, n_audited, shared_items
from isovist.core.answers import KINDS
from isovist.core.canonical_json import canonical_json
from isovist.core.rng import Rng
from isovist.core.task import Task
from isovist.data import prompts
from isovist.data.item import item
from isovist.data.items import Items

Check = Callable[[Task[Any]], None]

MOST_ATTEMPTS = 5.0
"""Maximum mean number of attempts per item in rejection sampling."""
_GUESSES = 8  # random answers per item
_TREES = 40  # half as many as in `isovist audit`: fitting the trees takes most of the time of `nothing_leaks`
_OF_THE_FIRST = 200  # items of the first level that are tested for duplicates
ORDER = re.compile(r"[a-z]+(-[a-z]+)*(-[0-9]+)?")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")

_OF_STAGES = 48  # maximum number of items with 3-D scenes in checks that do not share their items


def it_describes_itself(task: Task[Any]) -> None:
    """The task id, version, levels, settings, answer type and stated chance level are valid and agree with the items."""
    assert NAME.fullmatch(task.id), f"{task.id}: invalid task id. Write SUITE/TASK in kebab case."
    assert task.version >= 1, f"{task.id}: version below 1"
    assert task.summary.strip().endswith("."), f"{task.id}: the summary does not end with a full stop"
    assert task.skills, f"{task.id}: no skills"
    assert task.answers.type in KINDS, f"{task.id}: {task.answers.type!r} is not an answer type"
    assert len(set(task.levels)) == len(task.levels) > 0, f"{task.id}: no levels, or duplicate levels"
    names = (*task.levels, *task.all_settings, *(choice for setting in task.all_settings.values() for choice in setting.choices))
    for name in names:
        assert not any(c in name for c in ":,=#@ /"), (
            f"{task.id}: level, setting or choice with a character that is reserved in item ids: {name!r}"
        )
    assert all(i.answer.kind == task.answers.type for i in shared_items(task)), (
        f"{task.id}: items have another answer type than the task: {task.answers.type}"
    )


def same_seed_same_items_in_any_order(task: Task[Any]) -> None:
    """Items do not depend on the order in which they are generated, and their ids are unique."""
    n = most(task, 16 if len(task.levels) <= MOST_LEVELS else 4)
    for level in task.levels:
        listed = Items(task, n, SEED, "test", level)
        forward = [made.id for made in shared(task).at(level, n)]
        assert forward == [listed[i].id for i in reversed(range(n))][::-1], f"{task.id}: items depend on the order of generation"
        assert len(set(forward)) == len(forward), f"{task.id}: duplicate item ids"


def an_id_gives_its_item_back(task: Task[Any]) -> None:
    """`isovist.item` regenerates the same scene and question from an item id."""
    for made in shared_items(task, 4):
        try:
            rebuilt = item(made.id, task)
        except ValueError as error:
            raise AssertionError(f"{made.id}: cannot be regenerated from its id ({error})") from error
        assert rebuilt.scene == made.scene and rebuilt.question == made.question, f"{made.id}: its id regenerates another item"


def no_item_comes_twice(task: Task[Any]) -> None:
    """Items differ in pictures or text, except as often as `Task.distinct` implies. Usually the first level has the fewest items."""
    listed = shared_items(task, 48, of_stages=_OF_STAGES)
    listed += shared(task).at(task.levels[0], _OF_STAGES if is_staged(task) else _OF_THE_FIRST)
    by_level: dict[str, dict[int, tuple[object, str]]] = {}
    for made in listed:
        by_level.setdefault(made.level, {})[made.index] = (made.pictures, made.question.text_with_options)
    for level, shown in by_level.items():
        twice = len(shown) - len(set(shown.values()))
        expected = len(shown) ** 2 / 2 / task.checks.distinct[level] if level in task.checks.distinct else 0
        assert twice <= expected + 4 * expected**0.5, (
            f"{task.id}, {level}: {twice} of {len(shown)} items duplicate the pictures and text of another. Increase the variety, or state "
            "the number of distinct items in `checks.distinct`."
        )


def neighbouring_seeds_share_nothing(task: Task[Any]) -> None:
    """Consecutive seeds give different scenes."""
    a, b = ({canonical_json(made.scene) for made in batch} for batch in (shared_items(task, 12), items(task, SEED + 1, 12)))
    assert not a & b, f"{task.id}: seeds {SEED} and {SEED + 1} share {len(a & b)} scenes"


def answers_are_balanced(task: Task[Any]) -> None:
    """The number of items differs by at most 1 between the strata, for any number of items."""
    for level in task.levels:
        cells = task.cells_at(level)
        rounds = 4 if len(task.levels) <= MOST_LEVELS else 2
        made = [task.answers.balance(i.answer) for i in shared(task).at(level, rounds * cells)]
        for n in (len(made), len(made) - cells // 2, cells):
            seen = Counter(made[:n])
            assert len(seen) <= cells and max(seen.values()) - min(seen.values() if len(seen) == cells else [0]) <= (n % cells > 0), (
                f"{task.id}, {level}: the answers of the first {n} items are not balanced over {cells} strata: {seen.most_common(3)} ..."
            )


def few_scenes_are_rejected(task: Task[Any]) -> None:
    """Rejection sampling takes less than `MOST_ATTEMPTS` attempts per item on average."""
    tries = [made.attempts for made in shared_items(task, 48)]
    assert sum(tries) / len(tries) < MOST_ATTEMPTS, (
        f"{task.id}: {sum(tries) / len(tries):.1f} attempts per item in rejection sampling, limit {MOST_ATTEMPTS}"
    )


def the_drawing_alone_gives_the_answer(task: Task[Any]) -> None:
    """`Task.rederive` finds the key from the pictures and the text of the question."""
    for made in shared_items(task, 48):
        answer = task.rederive(made.pictures, made.question.text_with_options)
        assert answer == made.answer.balance_bin(), (
            f"{made.id}: the key is {made.answer.balance_bin()!r}, rederived from the picture: {answer!r}"
        )


def another_order_of_the_pictures_keeps_the_answer(task: Task[Any]) -> None:
    """Each alternative image order is a valid permutation with a valid prompt and the same key."""
    if task.images.orders is None:
        return
    listed = items(task, 17, 12)
    assert any(task.images.orders(made.scene) for made in listed), f"{task.id}: `images.orders` gives no order for any item"
    for made in listed:
        for name, (order, question) in task.images.orders(made.scene).items():
            where = f"{made.id}, {name}"
            assert ORDER.fullmatch(name), f"{where}: invalid name of an image order. Write a name such as start-2 or shuffled."
            assert sorted(order) == list(range(len(made.pictures))), (
                f"{where}: {order} is not a permutation of {len(made.pictures)} pictures"
            )
            assert list(order) != sorted(order), f"{where}: the same order as in the item itself"
            prompts.prompt(question, made.answer, len(order))
            shown = tuple(made.pictures[place] for place in order)
            answer = task.rederive(shown, f"{question}\n{made.answer.options_text()}")
            assert answer == made.answer.balance_bin(), (
                f"{where}: the key is {made.answer.balance_bin()!r}, rederived in this image order: {answer!r}"
            )


def symmetries_hold(task: Task[Any]) -> None:
    """Each metamorphic relation changes the key as it states, and the rederivation agrees."""
    for made in shared_items(task, 12):
        for symmetry in task.checks.symmetries:
            name = getattr(symmetry, "__name__", repr(symmetry))
            moved, rename = symmetry(made.scene)
            question = task.ask(moved)
            expected = rename(made.answer.balance_bin())
            assert question.answer.balance_bin() == expected, (
                f"{made.id}, {name}: the key of the changed scene is {question.answer.balance_bin()!r}, expected {expected!r}"
            )
            assert task.rederive(task.draw(moved), question.text_with_options) == expected, (
                f"{made.id}, {name}: the answer rederived from the changed picture is not {expected!r}"
            )


def one_picture_and_question_have_one_answer(task: Task[Any]) -> None:
    """Items with equal images and questions have equal keys."""
    keys: dict[str, tuple[str, str]] = {}
    once = shared(task)
    for made in shared_items(task, 40):
        seen = f"{once.look(made).digest} {made.question.text}"
        answer, id = keys.setdefault(seen, (made.answer.balance_bin(), made.id))
        assert answer == made.answer.balance_bin(), f"{id} and {made.id}: equal image and question, but different keys"


def pictures_show_something(task: Task[Any]) -> None:
    """Images are 8-bit RGB, at least 64 pixels high and wide, and not blank."""
    for k, made in enumerate(shared_items(task, 6, of_stages=most(task, 12))):
        assert shared(task).look(made).shown > 0.002, f"{made.id}: blank image"
        for pixels in made.pixels() if k == 0 or not made.scenes3d else ():  # 3-D scenes are slow: one at full size
            assert pixels.dtype == "uint8" and pixels.ndim == 3 and pixels.shape[2] == 3, f"{made.id}: the image is not 8-bit RGB"
            assert min(pixels.shape[:2]) >= 64, f"{made.id}: image of {pixels.shape[1]}x{pixels.shape[0]} pixels, minimum 64x64"


def guessers_land_at_chance(task: Task[Any]) -> None:
    """The mean credit of random answers is the chance level, within 4 standard errors, and the task states the mean chance level."""
    made = shared(task).around(n_audited(task))
    chance = sum(i.chance for i in made) / len(made)
    assert abs(chance - task.answers.mean_chance) < 0.02, (
        f"{task.id}: mean chance level of the items is {chance:.3f}, stated is {task.answers.mean_chance:.3f}"
    )
    guesses = [(i, Counter(i.answer.random_answer(Rng("guess", i.id, time)) for time in range(_GUESSES))) for i in made]
    # equal random answers are scored once: scoring takes most of the time
    values = [value for i, each in guesses for guess, times in each.items() for value in [i.answer.score(guess).credit] * times]
    chances = [i.answer.chance() for i in made] * _GUESSES
    error = (sum(c * (1 - c) for c in chances)) ** 0.5
    assert abs(sum(values) - sum(chances)) <= 4 * error + 1e-9, (  # with a hundred tasks, some are beyond 3 standard errors by chance
        f"{task.id}: {sum(values):.0f} of {len(values)} random answers are correct, expected {sum(chances):.1f} +- {error:.1f}"
    )


def no_constant_answer_beats_chance(task: Task[Any]) -> None:
    """The best constant answer is not above the chance level."""
    for excess in excesses(task, shared(task).around(n_audited(task)), SEED + 1):
        raise AssertionError(str(excess))


def reasoning_replays(task: Task[Any]) -> None:
    """Each chain of thought ends in the key. The verifier accepts it and rejects it with any line deleted, changed or replaced."""
    if task.reasoning is None:
        return
    made = shared_items(task, 24, of_stages=_OF_STAGES)
    chains: list[str] = []
    for i in made:
        chains.append(text := task.reasoning.write(i.scene))  # verified immediately: results cached for the scene are reused
        assert not task.reasoning.verify(i.scene, text), f"{i.id}: {task.reasoning.verify(i.scene, text)[0]}"
        assert i.answer.score(text).credit == 1, f"{i.id}: the chain of thought does not end in the key"
        lines = text.split("\n")
        for k in range(len(lines)):  # the verifier must reject a chain without any one line
            assert task.reasoning.verify(i.scene, "\n".join(lines[:k] + lines[k + 1 :])), (
                f"{i.id}: the verifier accepts the chain of thought without line {k + 1}"
            )
        for wrong, change in turned(text, i.id):  # and a chain with a reversed direction or another number
            assert task.reasoning.verify(i.scene, wrong), f"{i.id}: the verifier accepts a changed chain of thought: {change}"
    for i, other in zip(made, chains[1:] + chains[:1], strict=True):
        assert task.reasoning.verify(i.scene, other), f"{i.id}: the verifier accepts the chain of thought of another item"


def prompts_can_be_made(task: Task[Any]) -> None:
    """The prompt in each style but the published one has one placeholder per image and the format instruction."""
    for made in shared_items(task, 4):
        for style in (name for name in prompts.STYLES if name != prompts.PUBLISHED):
            prompt = prompts.prompt(made.question.text, made.answer, len(made.pictures), style)
            assert prompt.count(prompts.IMAGE) == len(made.pictures), (
                f"{made.id}: the number of image placeholders in style {style} is not the number of pictures"
            )
            assert made.answer.format_instruction() in prompt, f"{made.id}: style {style} lacks the format instruction"


def leakage(task: Task[Any]) -> list[AuditResult]:
    """The results of the answer-leakage audit on the shared items."""
    return audit(task, n_audited(task), once=shared(task), trees=_TREES)


def nothing_leaks(task: Task[Any]) -> None:
    """A random forest does not predict keys from text or low-level image features (`audit.answer_leakage`)."""
    no_leak_among(leakage(task))


def no_leak_among(findings: Sequence[AuditResult]) -> None:
    """Raise AssertionError for the first result that did not pass."""
    for finding in findings:
        assert finding.passed, (
            f"{finding.task}: a forest on {finding.features} predicts {finding.accuracy:.1%} of {finding.target}s, limit {finding.limit:.1%}"
        )


def every_factor_occurs_with_every_answer(task: Task[Any]) -> None:
    """No value of a declared factor or kind excludes an answer (`audit.factor_gaps`)."""
    n = n_audited(task)
    missing = gaps(task, [*shared(task).around(n), *shared(task, "train").around(n)])
    assert not missing, "\n".join(missing[:5])


def shortcuts(task: Task[Any]) -> list[Measured]:
    """The accuracy of each shortcut on the shared items. 3-D scenes are not rendered, which is slow: `isovist audit --shortcuts` does."""
    n = n_audited(task)
    made = shared(task).around(n), shared(task, "train").around(n)
    return shortcut_audit(task, items=made, drawn=not is_staged(task))


def no_shortcut_beats_chance(task: Task[Any]) -> None:
    """No shortcut is above the chance level (`audit.shortcuts`)."""
    no_rule_above_chance_among(shortcuts(task))


def no_rule_above_chance_among(scores: Sequence[Measured]) -> None:
    """Raise AssertionError with the five results that are furthest above their limits, if any did not pass."""
    wrong = [score for score in scores if not score.passed]
    assert not wrong, "\n".join(str(score) for score in sorted(wrong, key=lambda score: score.limit - score.accuracy)[:5])


CHECKS: tuple[Check, ...] = (
    it_describes_itself,
    same_seed_same_items_in_any_order,
    an_id_gives_its_item_back,
    no_item_comes_twice,
    neighbouring_seeds_share_nothing,
    equal_pictures_have_one_layout,
    train_and_test_share_no_picture,
    a_group_shares_its_pictures,
    truth_scores_one_and_wrong_scores_zero,
    junk_and_hedges_score_zero_and_never_raise,
    the_scorer_of_its_paper_knows_the_key,
    the_prompt_of_its_paper_asks_for_the_key,
    answers_survive_json,
    options_are_distinct_and_the_key_occurs_once,
    angles_are_those_of_the_options,
    answers_are_balanced,
    few_scenes_are_rejected,
    the_drawing_alone_gives_the_answer,
    another_order_of_the_pictures_keeps_the_answer,
    symmetries_hold,
    one_picture_and_question_have_one_answer,
    pictures_show_something,
    guessers_land_at_chance,
    no_constant_answer_beats_chance,
    reasoning_replays,
    prompts_can_be_made,
    nothing_leaks,
    every_factor_occurs_with_every_answer,
    no_shortcut_beats_chance,
)

STATISTICAL: tuple[Check, ...] = (
    no_item_comes_twice,
    train_and_test_share_no_picture,
    answers_are_balanced,
    few_scenes_are_rejected,
    one_picture_and_question_have_one_answer,
    guessers_land_at_chance,
    no_constant_answer_beats_chance,
    nothing_leaks,
    every_factor_occurs_with_every_answer,
    no_shortcut_beats_chance,
)
"""The checks that need many items. The others hold for each item, so few items show most faults."""
