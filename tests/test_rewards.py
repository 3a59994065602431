"""Rewards as each trainer calls them: what they are worth, in what shapes replies come, and what a form is."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from isovist.common.errors import UserError
from isovist.core.answers import Choice, Count, JointAnswer, Number, WordSequence, YesNo, from_json, key_json
from isovist.data.dataset.rows import item_to_row
from isovist.data.dataset.training_examples import of_row
from isovist.data.item import item
from isovist.data.items import generate
from isovist.data.prompts import STYLES
from isovist.training import rewards
from isovist.training.rewards import (
    compute_score,
    create_dataset,
    easyr1,
    format_reward,
    has_valid_format,
    openrlhf,
    reward,
    reward_credit,
    score_answer,
    verl,
)

CORPUS = Path(__file__).parent / "corpus" / "redteam.jsonl"
WAY = Choice(("East", "West", "North"), 1)
TWO = JointAnswer((("way", WAY), ("dots", Count(3))), "share")
KEY = key_json(WAY)


# What replies are worth ------------------------------------------------------------------------------------------------


def test_a_reply_is_worth_what_the_evaluation_gives_it() -> None:
    corpus = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").split("\n")[::5] if line]
    values = {from_json(one["answer"]).score(one["reply"]).credit for one in corpus}
    assert {0, 1} < values  # and something between
    for one in corpus:
        value = from_json(one["answer"]).score(one["reply"]).credit
        ground_truth = json.dumps(one["answer"])
        assert reward(completions=[one["reply"]], ground_truth=[ground_truth]) == [value]
        assert compute_score("isovist", one["reply"], ground_truth) == value
        assert easyr1.compute_score({"response": one["reply"], "ground_truth": ground_truth})["accuracy"] == value


def test_the_key_of_an_example_judges_its_own_reply() -> None:
    rows = [item_to_row(one) for one in generate("cdr/relative-compass-letter", n=3, split="train")]
    for example in (of_row(one, kind) for one in rows for kind in ("answer", "reasoning")):
        assert reward([example.reply], [example.key]) == [1]
        assert format_reward([example.reply], [example.key], ["direct" if example.kind == "answer" else "step-by-step"]) == [1]


def test_partial_credit_is_paid_where_the_answer_has_it() -> None:
    assert reward_credit('{"way": "B", "dots": 4}', TWO) == 0.5
    assert reward_credit('{"way": "B", "dots": 4}', JointAnswer(TWO.parts, "all")) == 0


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I'm sorry, I can't see the image.",
        "Somewhere.",
        "The arrow points up, so the ans",
        "<think>It is B",
        "[THINK]Answer: B[/THINK",
        "Answer:",
        "A or B",
    ],
)
def test_what_refuses_cannot_be_read_or_breaks_off_is_worth_nothing(reply: str) -> None:
    assert reward_credit(reply, WAY) == 0
    assert not has_valid_format(reply, WAY)


def test_a_reply_that_ran_into_its_limit_is_worth_nothing_whatever_it_says() -> None:
    assert reward_credit("Answer: B", WAY, truncated=True) == 0
    assert compute_score("isovist", "Answer: B", KEY, {"truncated": True}, format_weight=0.5) == 0
    asked: dict[str, Any] = {"response": "Answer: B", "ground_truth": KEY, "response_length": 64}
    assert easyr1.compute_score(asked, max_response_length=64) == {"overall": 0, "format": 0, "accuracy": 0}
    assert easyr1.compute_score(asked, max_response_length=65)["overall"] == 1


# Shapes ----------------------------------------------------------------------------------------------------------------

PAID: list[Any] = [
    "Answer: B",
    b"Answer: B",
    {"role": "assistant", "content": "Answer: B"},
    {"content": "Answer: B"},
    [{"role": "assistant", "content": "Answer: B"}],
    [{"role": "assistant", "content": [{"type": "text", "text": "I see.\n"}, {"type": "text", "text": "Answer: B"}]}],
    [{"role": "assistant", "content": [{"type": "reasoning", "text": "Answer: A"}, "Answer: B"]}],
    [{"role": "assistant", "content": [{"type": "thinking", "thinking": "Answer: A"}, {"type": "text", "text": "Answer: B<turn|>"}]}],
    "[THINK]Answer: A[/THINK]Answer: B<|im_end|>",
    [{"role": "assistant", "content": "Answer: A"}, {"role": "tool", "content": "?"}, {"role": "assistant", "content": "Answer: B"}],
    ({"role": "assistant", "content": "Answer: B", "reasoning_content": "A?"},),
]
UNPAID: list[Any] = [
    None,
    7,
    [],
    {},
    [None],
    [[]],
    {"role": "user", "content": "Answer: B"},
    [{"role": "assistant", "content": "Answer: B"}, {"role": "tool", "content": "Answer: B"}],
    [{"role": "assistant", "content": None, "reasoning_content": "Answer: B"}],
    [{"role": "assistant", "content": [{"type": "image", "text": None}]}],
    "Answer: \ud800",
    b"\xff\xfe",
]


@pytest.mark.parametrize("reply", PAID, ids=repr)
def test_a_reply_may_come_in_any_shape_that_trainers_use(reply: Any) -> None:
    assert reward([reply], [KEY]) == format_reward([reply], [KEY]) == [1]
    assert compute_score("isovist", reply, KEY, format_weight=0.5) == 1


@pytest.mark.parametrize("reply", UNPAID, ids=repr)
def test_what_is_no_reply_of_the_model_is_worth_nothing(reply: Any) -> None:
    assert reward([reply], [KEY]) == format_reward([reply], [KEY]) == [0]


def test_a_key_may_be_its_json_the_object_or_the_answer_itself() -> None:
    table = {"kind": "choice", "options": ["East", "West", "North"], "truth": 1, "low": None}  # with a column of other keys
    for key in (KEY, json.loads(KEY), WAY, table):
        assert reward(["B", "C"], [key, key]) == [1, 0]


def test_without_a_key_there_is_no_reward() -> None:
    assert reward(["B", "B", "B"], [KEY, None, ""]) == format_reward(["Answer: B"] * 3, [KEY, None, ""]) == [1, None, None]
    assert reward(["B", "B"]) == format_reward(["B", "B"]) == [None, None]
    for call in (partial(compute_score, "general", "B"), lambda key: easyr1.compute_score({"response": "B", "ground_truth": key})):
        with pytest.raises(UserError, match="has no key"):
            call(None)


@pytest.mark.parametrize(
    ("ground_truth", "message"),
    [("B", "'B' is not a key"), ("[1]", "no JSON object"), ({"kind": "guess"}, "unknown kind"), (7, "type int is not a key")],
)
def test_a_key_that_cannot_be_read_is_a_fault_of_the_data(ground_truth: object, message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        reward(["B"], [ground_truth])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("ground_truth", [[KEY], KEY, json.loads(KEY)])
def test_there_is_one_key_for_each_completion(ground_truth: Any) -> None:
    with pytest.raises(UserError, match=r"ground_truth: .* Give a list of 2 values"):
        reward(["B", "B"], ground_truth)


# Form ------------------------------------------------------------------------------------------------------------------

FORMED = [
    (WAY, "Answer: A"),
    (WAY, "The arrow points up.\nAnswer: B"),
    (WAY, "The arrow points up.\n\n**Answer: B**\n"),
    (WAY, "Answer: B. West"),
    (WAY, "<think>Answer: A?</think>\nAnswer: B"),
    (WAY, "The answer depends on the compass, so I look at it first.\nAnswer: C"),
    (Count(3), "Answer: 4"),
    (Number(90, 1, 0, 360, 360, "degrees", "clockwise"), "Answer: 80 degrees clockwise"),
    (WordSequence(("red", "blue"), ("red", "blue")), "Answer: blue, red"),
    (YesNo(True), "I see one.\nAnswer: no"),
    (TWO, 'Two things.\nAnswer: {"way": "A", "dots": 9}'),
]
UNFORMED = [
    (WAY, "B"),
    (WAY, "Answer: B\nThat is all."),
    (WAY, "Answer: B, because the arrow points to it."),
    (WAY, "Answer: D"),
    (WAY, "Answer: A or B"),
    (WAY, "Answer: A\nAnswer: A"),
    (WAY, "The answer is B.\nAnswer: B"),
    (WAY, r"\boxed{B}" + "\nAnswer: B"),
    (WAY, "<answer>B</answer>"),
    (WAY, "answer: B"),
    (WAY, "My Answer: B"),
    (WAY, "Answer: the answer is B"),
    (WAY, "<think>\nAnswer: B</think>"),
    (Count(3), "Answer: three or four"),
    (Count(3), "Answer: 3?"),
    (Count(3), "Answer: about 3 to 4"),
    (TWO, '{"way": "A", "dots": 9}'),
    (TWO, 'Answer: {"way": "A"}'),
    (TWO, 'Answer: {"way": "A", "dots": 9, "more": 1}'),
    (TWO, 'Answer: {"way": "A or B", "dots": 9}'),
    (TWO, 'Answer: {"way": "A", "dots": 9} or {"way": "B", "dots": 9}'),
]


@pytest.mark.parametrize(("key", "reply"), FORMED, ids=[reply for _, reply in FORMED])
def test_one_final_answer_line_is_the_form_be_it_right_or_wrong(key: Any, reply: str) -> None:
    assert has_valid_format(reply, key)
    assert has_valid_format(reply, key, "step-by-step")
    assert not has_valid_format(reply, key, "direct")


@pytest.mark.parametrize(("key", "reply"), UNFORMED, ids=[reply for _, reply in UNFORMED])
def test_anything_else_is_not_the_form(key: Any, reply: str) -> None:
    assert not has_valid_format(reply, key)


def test_a_bare_value_is_the_form_of_the_direct_and_the_published_style() -> None:
    for key, reply in ((WAY, "A"), (WAY, "B. West"), (Count(3), "4"), (TWO, '{"way": "A", "dots": 9}')):
        assert [style for style in STYLES if has_valid_format(reply, key, style)] == ["direct", "published"], reply
    assert not has_valid_format("A B", WAY, "direct")
    assert not has_valid_format("B, because the arrow points to it.", WAY, "direct")


def test_the_style_may_be_one_or_a_column() -> None:
    assert format_reward(["B", "B"], [KEY, KEY], "direct") == [1, 1]
    assert format_reward(["B", "B", "Answer: B"], [KEY] * 3, ["direct", "final-line", None]) == [1, 0, 1]
    with pytest.raises(UserError, match="style 'loud': there are final-line, direct"):
        format_reward(["B"], [KEY], "loud")


# Trainers --------------------------------------------------------------------------------------------------------------


def test_trl_calls_with_names_and_many_columns() -> None:
    completions = [[{"role": "assistant", "content": text}] for text in ("Answer: B", "Answer: A", "B")]
    columns: dict[str, Any] = {
        "prompts": [[{"role": "user", "content": "Which way?"}]] * 3,
        "completion_ids": [[1, 2]] * 3,
        "images": [[object()]] * 3,
        "trainer_state": object(),
        "log_metric": print,
    }
    assert reward(completions=completions, ground_truth=[KEY] * 3, **columns) == [1, 0, 1]
    assert format_reward(completions=completions, ground_truth=[KEY] * 3, **columns) == [1, 1, 0]
    assert (reward.__name__, format_reward.__name__) == ("reward", "format_reward")  # as its logs call them


def from_file(module: Any, name: str = "compute_score") -> Callable[..., Any]:
    """The function as verl and EasyR1 take it from a path: a module of its own, without its package."""
    spec = importlib.util.spec_from_file_location("a_module_of_its_own", module.__file__)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, name)


def test_verl_takes_the_function_from_its_file_and_may_weigh_the_form() -> None:
    judge = from_file(verl)
    assert judge(data_source="isovist/cdr", solution_str="Answer: B", ground_truth=KEY, extra_info={"index": 3}) == 1.0
    assert judge("isovist/cdr", "B", KEY, None, format_weight=0.25) == 0.75
    assert judge("isovist/cdr", "B", KEY, {"style": "direct"}, format_weight=0.25) == 1
    assert judge("isovist/cdr", "Answer: A", KEY, None, format_weight=0.25) == 0.25
    assert judge("isovist/cdr", "Answer: B", KEY, reward_router_address="", reward_model_tokenizer=None) == 1


def test_easyr1_takes_the_function_from_its_file_for_one_reply_or_a_batch() -> None:
    judge = partial(from_file(easyr1), format_weight=0.2)
    inputs = [{"response": text, "response_length": 3, "ground_truth": KEY} for text in ("Answer: B", "B", "Answer: A", "hm")]
    scores = judge(inputs)
    assert [one["overall"] for one in scores] == pytest.approx([1, 0.8, 0.2, 0])
    assert [(one["accuracy"], one["format"]) for one in scores] == [(1, 1), (1, 0), (0, 1), (0, 0)]
    assert [judge(one) for one in inputs] == scores
    assert all(type(value) is float for one in scores for value in one.values())


def test_openrlhf_takes_the_function_from_its_file_and_the_response_from_the_query() -> None:
    pytest.importorskip("torch")
    judge = from_file(openrlhf, "reward_func")
    asked = "<s>USER: {}Which way? End with one line: Answer: and the letter.</s>ASSISTANT:"
    responses = ["Answer: B</s>", "Answer: A", "", "USER: Which way? ... ASSISTANT: Answer: B"]
    queries = [asked.format("<pad>" * 9) + response for response in responses]
    told = judge(queries, [asked.format("<pad>")] * 4, [KEY] * 4)
    assert told["rewards"].tolist() == told["scores"].tolist() == [1, 0, 0, 1]
    for query, key, message in ((queries[0], "", "has no key"), ("Answer: B", KEY, "end of its prompt"), (queries[0], "B", "is not a key")):
        with pytest.raises(UserError, match=message) as raised:
            judge([query], [asked], [key])
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.5, 1.0])
def test_no_weight_of_the_form_makes_a_hedge_worth_more_than_a_guess(weight: float) -> None:
    for hedge in ("A or B", "Answer: A or B", "Answer: A\nAnswer: B", "A, B, C", "Answer: A. Wait. Answer: B", "Both A and B."):
        paid = [compute_score("", hedge, Choice(WAY.options, truth), format_weight=weight) for truth in range(3)]
        guess = [compute_score("", "Answer: A", Choice(WAY.options, truth), format_weight=weight) for truth in range(3)]
        assert sum(paid) <= sum(guess)


# Data sets -------------------------------------------------------------------------------------------------------------

NAME = "cdr/relative-compass-letter"


def test_a_data_set_is_the_same_again_and_of_the_training_split() -> None:
    data = create_dataset(NAME, size=5, seed=3)
    assert len(data) == 5 == len(list(data))
    entry = data[2]
    assert entry["metadata"]["id"] == item(entry["metadata"]["id"]).id
    assert ":train:" in entry["metadata"]["id"]
    assert {"source_dataset": NAME, "source_index": 2}.items() <= entry["metadata"].items()
    assert create_dataset(NAME, size=5, seed=3)[2] == entry != create_dataset(NAME, size=5, seed=4)[2]
    assert data[-3] == entry == data[1:3][1]
    assert entry["question"].count("<image>") == len(entry["images"])
    assert json.loads(json.dumps(entry["metadata"])) == entry["metadata"]
    with pytest.raises(IndexError):
        data[5]


def test_an_entry_scores_its_answers_as_the_evaluation_does() -> None:
    data = create_dataset(NAME, size=8, order="paper")
    for entry in data:
        for answer in (entry["answer"], f"Answer: {entry['answer']}", f"I think.\nAnswer: {entry['answer']}"):
            assert data.score_answer(answer, entry) == score_answer(answer, entry) == 1
        for answer in (None, "", "A or B", f"{entry['answer']} or something else", 7):
            assert data.score_answer(answer, entry) == 0
    assert sum(score_answer("A", entry) for entry in data) == 1  # of eight options in a balanced block


@pytest.mark.parametrize(("settings", "message"), [({"name": "cdr/relative"}, "Unknown task"), ({"colour": "red"}, "Unknown task option")])
def test_a_data_set_that_cannot_be_made_says_why(settings: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"name": NAME, **settings}
    with pytest.raises(UserError, match=message):
        create_dataset(**asked)


def test_rewards_import_nothing_heavy() -> None:
    code = "import sys, isovist.training.rewards as r; r.reward(['B'], [sys.argv[1]]); r.format_reward(['B'], [sys.argv[1]]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, KEY], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    isovist_modules = {name for name in done.stdout.split() if name.startswith("isovist.")}
    assert {"isovist", "json"} <= loaded
    assert loaded - set(sys.stdlib_module_names) - {name for name in loaded if name.startswith("_")} <= {"isovist", "sitecustomize"}
    assert not any(name.startswith(("isovist.suites", "isovist.world.render", "isovist.data.dataset")) for name in isovist_modules)


def test_every_public_name_is_there() -> None:
    assert all(callable(getattr(rewards, name)) for name in rewards.__all__)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_large_batch_has_the_credits_of_its_responses_in_order(workers: int) -> None:
    keys: list[object] = [KEY, key_json(YesNo(True)), None]
    replies: list[object] = ["Answer: B", [{"role": "assistant", "content": "no"}], "Answer: A"]
    n = 400  # several chunks, the last one short
    assert rewards.reward_credits(replies * n, keys * n, workers=workers) == [1.0, 0.0, None] * n
    assert rewards.reward_credits([], [], workers=workers) == []


def test_a_batch_reports_an_invalid_key_also_from_a_process() -> None:
    with pytest.raises(UserError, match="is not a key"):
        rewards.reward_credits(["B"] * 1200, [KEY] * 1199 + ["B"], workers=2)
    with pytest.raises(UserError, match="1 values for 2 responses"):
        rewards.reward_credits(["B", "B"], [KEY])
