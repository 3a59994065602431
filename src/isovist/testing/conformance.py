"""The tests that every task must pass, also tasks of other packages.

Each check takes a task and raises AssertionError with a message. In a test file:

    @pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check):
        check(TASK)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from isovist import prompts
from isovist.audit.answer_leakage import ITEMS, audit
from isovist.audit.chains import turned
from isovist.audit.constant_answers import excesses
from isovist.audit.fingerprints import everywhere_the_same as everywhere_the_same  # noqa: PLC0414 - a check too, of many tasks at once
from isovist.audit.item_cache import SEED, ItemCache, shared
from isovist.audit.shortcuts import audit as shortcut_audit
from isovist.core.answers import KINDS, Choice, ImageOptionChoice, from_json, to_json
from isovist.core.canonical_json import canonical_json
from isovist.core.rng import Rng
from isovist.core.task import Task, split_of_layout
from isovist.items import Item, Items, item

Check = Callable[[Task[Any]], None]

JUNK = (
    "", " ", "zzz", "?", "I cannot see an image.", "Answer:", "Answer: maybe", "Answer: 1e999", "{}", "[]]", "**", "\\boxed{}", "\u0000",
)  # fmt: skip
MOST_ATTEMPTS = 5.0
_GUESSES = 8  # at each item
_TREES = 40  # half of those of `isovist audit`: a forest's trees take most of the time of a check for leaks
_OF_THE_FIRST = 200  # items of the first level are looked through for one that comes twice
ORDER = re.compile(r"[a-z]+(-[a-z]+)*(-[0-9]+)?")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")

MOST_LEVELS = 4
"""A task with more levels is tested on fewer items of each."""
STAGES_AUDITED = 96
"""So many items with three-dimensional scenes, which take long to make and to draw, are audited for leaks; of others 320."""
_OF_STAGES = 48  # are enough where each is made or retold for one check alone


def items(task: Task[Any], seed: int, n: int = 16, split: str = "test") -> list[Item]:
    """`n` items of each level; of tasks with many levels as many in all as four levels have."""
    each = _each(task, n) // len(task.levels)
    return [made for level in task.levels for made in Items(task, each, seed, split, level)]


def shared_items(task: Task[Any], n: int = 16, of_stages: int = STAGES_AUDITED) -> list[Item]:
    """As many items, going round the levels, with the seed that checks share: made once for all checks of a task in a row.

    Of scenes, which take long to make and to draw, no more than `of_stages`.
    """
    n = _each(task, n)
    return shared(task).around(min(n, of_stages) if _staged(task) else n)


def _staged(task: Task[Any]) -> bool:
    """Whether its pictures are those of three-dimensional scenes."""
    return bool(shared(task).around(1)[0].scenes3d)


def _each(task: Task[Any], n: int) -> int:
    """How many items in all are `n` of each level, see `items`."""
    return len(task.levels) * (n if len(task.levels) <= MOST_LEVELS else -(-n * MOST_LEVELS // len(task.levels)))


def it_describes_itself(task: Task[Any]) -> None:
    assert NAME.fullmatch(task.id), f"{task.id}: a task id is suite/task in kebab case"
    assert task.version >= 1, f"{task.id}: versions count from 1"
    assert task.summary.strip().endswith("."), f"{task.id}: the summary is no sentence"
    assert task.skills, f"{task.id}: names no skill"
    assert task.answer_type in KINDS, f"{task.id}: {task.answer_type!r} is no type of answer"
    assert len(set(task.levels)) == len(task.levels) > 0, f"{task.id}: levels must be different"
    names = (*task.levels, *task.all_settings, *(choice for setting in task.all_settings.values() for choice in setting.choices))
    for name in names:
        assert not any(c in name for c in ":,=#@ /"), f"{task.id}: the level, setting or choice {name!r} does not fit into an item's id"
    made = shared_items(task)
    assert all(i.answer.kind == task.answer_type for i in made), f"{task.id}: its items have another type of answer"
    chance = sum(i.chance for i in made) / len(made)
    assert abs(chance - task.chance) < 0.02, f"{task.id}: its chance is {chance:.3f}, not {task.chance:.3f}"


def same_seed_same_items_in_any_order(task: Task[Any]) -> None:
    n = 16 if len(task.levels) <= MOST_LEVELS else 4
    for level in task.levels:
        listed = Items(task, n, SEED, "test", level)
        forward = [made.id for made in shared(task).at(level, n)]
        assert forward == [listed[i].id for i in reversed(range(n))][::-1], f"{task.id}: items depend on those made before"
        assert len(set(forward)) == len(forward), f"{task.id}: two items have one id"


def an_id_gives_its_item_back(task: Task[Any]) -> None:
    for made in shared_items(task, 4):
        try:
            rebuilt = item(made.id, task)
        except ValueError as error:
            raise AssertionError(f"{made.id}: does not come back ({error})") from error
        assert rebuilt.scene == made.scene and rebuilt.question == made.question, f"{made.id}: comes back as another item"


def no_item_comes_twice(task: Task[Any]) -> None:
    """Nor more often than the number of different items that the task states for a level. The first level has the fewest of most tasks."""
    listed = shared_items(task, 48, of_stages=_OF_STAGES)
    listed += shared(task).at(task.levels[0], _OF_STAGES if _staged(task) else _OF_THE_FIRST)
    by_level: dict[str, dict[int, tuple[object, str]]] = {}
    for made in listed:
        by_level.setdefault(made.level, {})[made.index] = (made.pictures, made.question.text_with_options)
    for level, shown in by_level.items():
        twice = len(shown) - len(set(shown.values()))
        expected = len(shown) ** 2 / 2 / task.distinct[level] if level in task.distinct else 0
        assert twice <= expected + 4 * expected**0.5, (
            f"{task.id}, {level}: {twice} of {len(shown)} items show and ask the same as another; make more different ones, or state in "
            "`distinct` how many there are"
        )


def neighbouring_seeds_share_nothing(task: Task[Any]) -> None:
    a, b = ({canonical_json(made.scene) for made in batch} for batch in (shared_items(task, 12), items(task, SEED + 1, 12)))
    assert not a & b, f"{task.id}: seeds {SEED} and {SEED + 1} share {len(a & b)} scenes"


def train_and_test_share_no_picture(task: Task[Any]) -> None:
    sets = (shared(task), ItemCache(task, "train"))
    many, few = (min(n, _OF_STAGES) if _staged(task) else n for n in (_each(task, 24), _each(task, 8)))
    for cache in sets:
        belongs = all(split_of_layout(task.layout(made.scene)) == cache.split for made in cache.around(many))
        assert belongs, f"{task.id}: a layout of the {cache.split} split belongs to the other one"
    # pixels take long, and what is drawn alike looks alike
    drawn: list[set[object]] = [{made.pictures for made in cache.around(many) if made.pictures} for cache in sets]
    test, train = sets  # what is seen of the former is looked at again
    looks: list[set[object]] = [
        {test.look(made).digest for made in test.around(few) if made.pictures},
        {train.digest(made) for made in train.around(few) if made.pictures},
    ]
    for a, b in (drawn, looks):
        assert not a & b, f"{task.id}: train and test share {len(a & b)} pictures"


def a_group_shares_its_pictures(task: Task[Any]) -> None:
    if "pictures" not in task.settings:
        return
    listed = list(Items(task, 24, 3, settings=(("pictures", 6),)))
    for a, b in zip(listed, listed[6:], strict=False):
        assert a.group == b.group and a.pictures == b.pictures, f"{a.id} and {b.id}: one group, other pictures"
    asked = {(made.group, made.question.text, made.answer.balance_bin()) for made in listed}
    assert len(asked) == len(listed), f"{task.id}: asks {len(listed) - len(asked)} questions of one picture twice"


def truth_scores_one_and_wrong_scores_zero(task: Task[Any]) -> None:
    for made in shared_items(task, 8):
        answer = made.answer
        for reply in (answer.canonical(), f"Answer: {answer.canonical()}", f"Let me see.\n\nAnswer: {answer.canonical()}"):
            assert answer.score(reply).credit == 1, f"{made.id}: {reply!r} is the key and scores {answer.score(reply)}"
        assert answer.wrong_answers(), f"{made.id}: knows no wrong answer"
        for reply in answer.wrong_answers():
            assert answer.score(reply).credit == 0, f"{made.id}: {reply!r} is wrong and scores {answer.score(reply)}"


def junk_and_hedges_score_zero_and_never_raise(task: Task[Any]) -> None:
    for made in shared_items(task, 4):
        answer = made.answer
        truth = answer.canonical()
        pairs = [pair for w in answer.wrong_answers() for pair in ((truth, w), (w, truth))]
        hedges = [form.format(a, b) for a, b in pairs for form in ("{0}\n{1}", "Answer: {0}\nAnswer: {1}", "Answer: {0} or {1}")]
        for reply in (*JUNK, *hedges):
            assert answer.score(reply).credit == 0, f"{made.id}: {reply!r} scores {answer.score(reply)}"


def the_scorer_of_its_paper_knows_the_key(task: Task[Any]) -> None:
    if task.published_scorer is None:
        return
    for made in shared_items(task, 8):
        answer = made.answer
        for reply in (answer.canonical(), f"Let me see.\n\nAnswer: {answer.canonical()}"):
            assert task.published_scorer(reply, answer) == 1, (
                f"{made.id}: {reply!r} is the key, and the paper's scorer gives no full credit"
            )
        for reply in (*answer.wrong_answers(), *JUNK):
            assert 0 <= task.published_scorer(reply, answer) < 1, f"{made.id}: the paper's scorer gives {reply!r} full credit"


def answers_survive_json(task: Task[Any]) -> None:
    for made in shared_items(task, 4):
        assert from_json(to_json(made.answer)) == made.answer, f"{made.id}: its answer does not survive JSON"


def options_are_distinct_and_the_key_occurs_once(task: Task[Any]) -> None:
    for made in shared_items(task):
        if isinstance(made.answer, Choice):
            assert made.answer.options.count(made.answer.balance_bin()) == 1, f"{made.id}: the key is not one option"
            listed = made.answer.options_text()
            shown = isinstance(made.answer, ImageOptionChoice) or all(option in listed for option in made.answer.options)
            assert shown, f"{made.id}: an option is not shown"


def angles_are_those_of_the_options(task: Task[Any]) -> None:
    if task.option_angles is None:
        return
    rows = [(made.id, made.answer, task.option_angles(made.answer)) for made in shared_items(task) if isinstance(made.answer, Choice)]
    assert any(dials for _, _, dials in rows), f"{task.id}: none of its options stand for angles"
    for id, answer, dials in rows:
        for name, dial in dials.items():
            assert len(dial.angles_deg) == len(answer.options), (
                f"{id}: {name} has {len(dial.angles_deg)} angles for {len(answer.options)} options"
            )
            angles = {angle for angle in dial.angles_deg if angle is not None}
            low, high = (-180, 180) if dial.is_circular else (0, 180)
            assert len(angles) > 1 and low <= min(angles) and max(angles) <= high, f"{id}: {name} has {sorted(angles)}"
            assert not dial.is_circular or -180 not in angles, f"{id}: {name} tells half a turn as -180, it is 180"
            assert not dial.is_circular or dial.positive_direction.startswith("clockwise"), (
                f"{id}: {name} is not told clockwise: {dial.positive_direction}"
            )


def answers_are_balanced(task: Task[Any]) -> None:
    for level in task.levels:
        cells = task.cells_at(level)
        rounds = 4 if len(task.levels) <= MOST_LEVELS else 2
        made = [task.balance(i.answer) for i in shared(task).at(level, rounds * cells)]
        for n in (len(made), len(made) - cells // 2, cells):
            seen = Counter(made[:n])
            assert len(seen) <= cells and max(seen.values()) - min(seen.values() if len(seen) == cells else [0]) <= (n % cells > 0), (
                f"{task.id}, {level}: {n} answers are not balanced over {cells}: {seen.most_common(3)} ..."
            )


def few_scenes_are_rejected(task: Task[Any]) -> None:
    tries = [made.attempts for made in shared_items(task, 48)]
    assert sum(tries) / len(tries) < MOST_ATTEMPTS, f"{task.id}: takes {sum(tries) / len(tries):.1f} attempts an item"


def the_drawing_alone_gives_the_answer(task: Task[Any]) -> None:
    for made in shared_items(task, 48):
        answer = task.rederive(made.pictures, made.question.text_with_options)
        assert answer == made.answer.balance_bin(), f"{made.id}: the key is {made.answer.balance_bin()!r}, the picture says {answer!r}"


def another_order_of_the_pictures_keeps_the_answer(task: Task[Any]) -> None:
    if task.image_orders is None:
        return
    listed = items(task, 17, 12)
    assert any(task.image_orders(made.scene) for made in listed), f"{task.id}: has orders, but none of its items has one"
    for made in listed:
        for name, (order, question) in task.image_orders(made.scene).items():
            where = f"{made.id}, {name}"
            assert ORDER.fullmatch(name), f"{where}: an order is called something like start-2 or shuffled"
            assert sorted(order) == list(range(len(made.pictures))), f"{where}: {order} is no order of {len(made.pictures)} pictures"
            assert list(order) != sorted(order), f"{where}: this is the item's own order"
            prompts.prompt(question, made.answer, len(order))
            shown = tuple(made.pictures[place] for place in order)
            answer = task.rederive(shown, f"{question}\n{made.answer.options_text()}")
            assert answer == made.answer.balance_bin(), (
                f"{where}: the key is {made.answer.balance_bin()!r}, in this order the pictures say {answer!r}"
            )


def symmetries_hold(task: Task[Any]) -> None:
    for made in shared_items(task, 12):
        for symmetry in task.symmetries:
            name = getattr(symmetry, "__name__", repr(symmetry))
            moved, rename = symmetry(made.scene)
            question = task.ask(moved)
            expected = rename(made.answer.balance_bin())
            assert question.answer.balance_bin() == expected, (
                f"{made.id}, {name}: {question.answer.balance_bin()!r} instead of {expected!r}"
            )
            assert task.rederive(task.draw(moved), question.text_with_options) == expected, (
                f"{made.id}, {name}: the moved picture says something else"
            )


def one_picture_and_question_have_one_answer(task: Task[Any]) -> None:
    keys: dict[str, tuple[str, str]] = {}
    once = shared(task)
    for made in shared_items(task, 40):
        seen = f"{once.look(made).digest} {made.question.text}"
        answer, id = keys.setdefault(seen, (made.answer.balance_bin(), made.id))
        assert answer == made.answer.balance_bin(), f"{id} and {made.id}: one picture, one question, two answers"


def pictures_show_something(task: Task[Any]) -> None:
    for k, made in enumerate(shared_items(task, 6, of_stages=12)):
        assert shared(task).look(made).shown > 0.002, f"{made.id}: an empty picture"
        for pixels in made.pixels() if k < len(task.levels) or not made.scenes3d else ():  # scenes take long: at full size one of a level
            assert pixels.dtype == "uint8" and pixels.ndim == 3 and pixels.shape[2] == 3, f"{made.id}: a picture is 8-bit RGB"
            assert min(pixels.shape[:2]) >= 64, f"{made.id}: a picture of {pixels.shape[1]}x{pixels.shape[0]} pixels"


def _audited(task: Task[Any]) -> int:
    """How many items are audited for leaks; `isovist audit` takes as many of scenes as of drawings."""
    return STAGES_AUDITED if _staged(task) else ITEMS


def guessers_land_at_chance(task: Task[Any]) -> None:
    made = shared(task).around(_audited(task))
    guesses = [(i, Counter(i.answer.random_answer(Rng("guess", i.id, time)) for time in range(_GUESSES))) for i in made]
    # of few options some are guessed again, and to read a guess takes the most time
    values = [value for i, each in guesses for guess, times in each.items() for value in [i.answer.score(guess).credit] * times]
    chances = [i.answer.chance() for i in made] * _GUESSES
    error = (sum(c * (1 - c) for c in chances)) ** 0.5
    assert abs(sum(values) - sum(chances)) <= 4 * error + 1e-9, (  # of a hundred tasks some lie beyond 3 by chance
        f"{task.id}: guessers get {sum(values):.0f} of {len(values)} right, chance says {sum(chances):.1f} +- {error:.1f}"
    )


def no_constant_answer_beats_chance(task: Task[Any]) -> None:
    for excess in excesses(task, shared(task).around(_audited(task)), SEED + 1):
        raise AssertionError(str(excess))


def reasoning_replays(task: Task[Any]) -> None:
    assert (task.chain_of_thought is None) == (task.verify_chain is None), (
        f"{task.id}: reasoning needs its verifier, and the other way round"
    )
    if task.chain_of_thought is None or task.verify_chain is None:
        return
    made = shared_items(task, 24, of_stages=_OF_STAGES)
    chains: list[str] = []
    for i in made:
        chains.append(text := task.chain_of_thought(i.scene))  # told and tested in one go: what is known of its scene is still at hand
        assert not task.verify_chain(i.scene, text), f"{i.id}: {task.verify_chain(i.scene, text)[0]}"
        assert i.answer.score(text).credit == 1, f"{i.id}: its reasoning does not lead to the key"
        lines = text.split("\n")
        for k in range(len(lines)):  # no step may be missing
            assert task.verify_chain(i.scene, "\n".join(lines[:k] + lines[k + 1 :])), f"{i.id}: step {k + 1} of its reasoning is not tested"
        for wrong, change in turned(text, i.id):  # and none may say the opposite, or another number
            assert task.verify_chain(i.scene, wrong), f"{i.id}: its reasoning may say {change}"
    for i, other in zip(made, chains[1:] + chains[:1], strict=True):
        assert task.verify_chain(i.scene, other), f"{i.id}: the verifier takes the reasoning of another item"


def prompts_can_be_made(task: Task[Any]) -> None:
    for made in shared_items(task, 4):
        for style in prompts.STYLES:
            prompt = prompts.prompt(made.question.text, made.answer, len(made.pictures), style)
            assert prompt.count(prompts.IMAGE) == len(made.pictures), f"{made.id}: {style} places other pictures than there are"
            assert made.answer.format_instruction() in prompt, f"{made.id}: {style} does not say what to reply"


def nothing_leaks(task: Task[Any]) -> None:
    for finding in audit(task, _audited(task), once=shared(task), trees=_TREES):
        assert finding.passed, (
            f"{task.id}: a forest on {finding.features} finds {finding.accuracy:.1%} of {finding.target}s; the limit is {finding.limit:.1%}"
        )


def no_shortcut_beats_chance(task: Task[Any]) -> None:
    """Scenes are not drawn for it, as that takes long: `isovist audit --shortcuts` draws them."""
    n = _audited(task)
    made = shared(task).around(n), ItemCache(task, "train").around(n)
    wrong = [measured for measured in shortcut_audit(task, items=made, drawn=not _staged(task)) if not measured.passed]
    assert not wrong, "\n".join(str(measured) for measured in sorted(wrong, key=lambda measured: measured.limit - measured.accuracy)[:5])


CHECKS: tuple[Check, ...] = (
    it_describes_itself,
    same_seed_same_items_in_any_order,
    an_id_gives_its_item_back,
    no_item_comes_twice,
    neighbouring_seeds_share_nothing,
    train_and_test_share_no_picture,
    a_group_shares_its_pictures,
    truth_scores_one_and_wrong_scores_zero,
    junk_and_hedges_score_zero_and_never_raise,
    the_scorer_of_its_paper_knows_the_key,
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
    no_shortcut_beats_chance,
)
