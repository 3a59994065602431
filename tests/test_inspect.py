"""Isovist inside Inspect AI: the same questions, the same replies and the same verdicts as `isovist run`."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import inspect_ai
import pytest
from conftest import TASKS as STORED
from conftest import N
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ContentImage, ContentReasoning, ContentText, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score, match
from inspect_ai.solver import generate
from inspecting import MARK, NONE, Verdict, alone, asked, asking, evaluated, logged, numbers, output, recorded, scores, scripted
from scripted import Asked, Book, Said, Server, fault, serving
from workbench import isovist, stored

from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.inspect_tasks import isovist_scorer
from isovist.evaluation.inspect_tasks.metrics import by_level, interval
from isovist.stats.paired_differences import paired_difference
from isovist.stats.proportions import chance_corrected_accuracy, mean

__all__ = ["alone"]
pytestmark = MARK

# By way of a server ----------------------------------------------------------------------------------------------

THOUGHT = "It lies to the left. Answer: B"

SAID: tuple[Callable[[ItemRow], Said], ...] = (
    lambda row: Said(f"Answer: {row.answer}"),
    lambda row: Said(f"I looked at it.\n\nAnswer: **{row.answer}**"),
    lambda row: Said("Answer: B"),
    lambda row: Said("I see a few shapes."),
    lambda row: Said("Answer: A or B"),
    lambda row: Said(""),
    lambda row: Said(None),
    lambda row: Said("I'm sorry, but I can't help with that."),
    lambda row: Said(None, more={"refusal": "That breaks a rule."}),
    lambda row: Said(f"Answer: {row.answer}", "length"),
    lambda row: Said(f"Answer: {row.answer}", "content_filter"),
    lambda row: Said(f"Answer: {row.answer}", more={"reasoning_content": THOUGHT}),
    lambda row: Said(f"<think>{THOUGHT}</think>\nAnswer: {row.answer}"),
    lambda row: Said(f"<think>{THOUGHT}"),
)
"""What the server says to the item of that index; to the later ones it says `FAULTS`."""
FAULTS = (fault(422, "no such thing"), Said(raw='{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'))
OUTCOMES = {"correct", "incorrect", "unparsed", "empty", "refused", "truncated", "filtered", "request_error"}


@dataclass(frozen=True)
class Both:
    """One script, answered to both routes."""

    server: Server
    book: Book
    run: Path
    sent_by_run: set[str]
    log: EvalLog
    sent_by_eval: set[str]


def sent(server: Server) -> set[str]:
    return {json.dumps(asked.body, sort_keys=True) for asked in server.asked}


@pytest.fixture(scope="module")
def both(data: Path, tmp_path_factory: pytest.TempPathFactory, alone: Path) -> Generator[Both]:
    assert len(SAID) + len(FAULTS) == N
    place, book = tmp_path_factory.mktemp("both"), Book(data)

    def answer(asked: Asked) -> Said:
        row = book.row(asked)
        return SAID[row.index](row) if row.index < len(SAID) else FAULTS[row.index - len(SAID)]

    with pytest.MonkeyPatch.context() as patch, serving(answer) as server:
        patch.setenv("ISOVIST_API_KEY", "none")
        ended = isovist("run", "--data", data, "--model", "some/model-1", "--base-url", server.url, "--out", place / "run")
        assert ended.code == 1, ended
        by_run = sent(server)
        server.asked.clear()
        model = get_model("openai-api/isovist/some/model-1", base_url=server.url, memoize=False)
        log = evaluated(model, place / "logs", args={"data": str(data)}, max_retries=0)
        yield Both(server, book, place / "run", by_run, log, sent(server))


def test_both_routes_send_the_same(both: Both) -> None:
    assert len(both.sent_by_run) == len(STORED) * N
    assert both.sent_by_eval == both.sent_by_run


def test_both_routes_judge_every_reply_the_same(both: Both) -> None:
    verdicts = recorded(both.run)
    assert len(verdicts) == len(STORED) * N
    assert {verdict.outcome for verdict in verdicts.values()} == OUTCOMES
    assert logged(both.log) == verdicts


def test_the_numbers_are_those_of_the_replies_with_a_verdict(both: Both, data: Path) -> None:
    verdicts, metrics = recorded(both.run), numbers(both.log)
    whole = _expected(stored(data), verdicts)
    assert {name: metrics[name] for name in whole} == pytest.approx(whole)
    for task in STORED:
        expected = {f"{task} {name}".removesuffix(" accuracy"): value for name, value in _expected(stored(data, task), verdicts).items()}
        assert {name: metrics[name] for name in expected} == pytest.approx(expected)


def _expected(rows: Iterable[ItemRow], verdicts: dict[str, Verdict]) -> dict[str, float]:
    judged = [(verdicts[row.id].value, row) for row in rows if verdicts[row.id] != NONE]
    values = [value for value, _ in judged]
    assert 0 < sum(values) < len(values) < N * len(STORED)
    assert len({row.group for _, row in judged}) == len(judged)  # else the interval is over groups
    whole = mean(values)
    chances = [row.chance for _, row in judged]
    return {
        "accuracy": whole.estimate, "ci_lower": whole.low, "ci_upper": whole.high, "above_chance": chance_corrected_accuracy(values, chances),
    }  # fmt: skip


def test_the_log_holds_the_pictures_the_words_and_the_key_of_each_item(both: Both, data: Path) -> None:
    rows = {row.id: row for row in stored(data)}
    assert {str(sample.id): asked(sample) for sample in both.log.samples or []} == {id: asking(row) for id, row in rows.items()}
    assert {str(sample.id): sample.target for sample in both.log.samples or []} == {id: row.answer for id, row in rows.items()}


def test_machine_faults_are_no_zeros_and_a_retry_asks_for_them_alone(both: Both, data: Path, alone: Path) -> None:
    verdicts = recorded(both.run)
    faulty = {id for id, verdict in verdicts.items() if verdict == NONE}
    assert len(faulty) == len(STORED) * len(FAULTS)
    assert both.log.status == "error"  # so that it does not pass for a whole one
    assert both.log.results is not None
    assert both.log.results.scores[0].scored_samples == len(verdicts) - len(faulty)
    both.server.script = lambda asked: Said(f"Answer: {both.book.row(asked).answer}")
    both.server.asked.clear()
    (again,) = inspect_ai.eval_retry(both.log, log_dir=str(Path(both.log.location).parent), display="none", log_level="error")
    assert sorted(both.book.row(asked).id for asked in both.server.asked) == sorted(faulty)
    assert again.status == "success"
    keys = {row.id: row.answer for row in stored(data)}
    whole = read_eval_log(again.location)
    assert logged(whole) == {id: Verdict("correct", 1.0, keys[id]) if id in faulty else verdict for id, verdict in verdicts.items()}
    assert list(alone.iterdir()) == []


# By way of a model in this process --------------------------------------------------------------------------------

PUT_OUT: tuple[Callable[[str], ModelOutput], ...] = (
    lambda key: output(f"Answer: {key}"),
    lambda key: output([ContentText(text=f"Answer: {key}")]),
    lambda key: output([ContentReasoning(reasoning=THOUGHT), ContentText(text=f"Answer: {key}")]),
    lambda key: output([ContentReasoning(reasoning=THOUGHT)]),
    lambda key: output([ContentReasoning(reasoning="", redacted=True), ContentText(text="No idea.")]),
    lambda key: output([ContentText(text=f"Answer: {key}", refusal=True)]),
    lambda key: output([ContentText(text="")]),
    lambda key: output([]),
    lambda key: output(f"Answer: {key}", "max_tokens"),
    lambda key: output(f"Answer: {key}", "model_length"),
    lambda key: output(f"Answer: {key}", "content_filter"),
    lambda key: output(f"Answer: {key}", "unknown"),
    lambda key: output("Answer: A\nAnswer: B"),
    lambda key: output("\N{FULLWIDTH LATIN CAPITAL LETTER A}"),
    lambda key: output(f"Answer: {key}", error="the cooling failed"),
    lambda key: ModelOutput(model="mock", choices=[], usage=ModelUsage(), error="nothing came"),
)


@pytest.fixture(scope="module")
def mocked(data: Path, tmp_path_factory: pytest.TempPathFactory, alone: Path) -> tuple[Path, EvalLog]:
    """The run and the log of a model that puts out to each item what stands at its index."""
    assert len(PUT_OUT) == N
    place = tmp_path_factory.mktemp("mocked")
    model = scripted(stored(data), lambda row: PUT_OUT[row.index](row.answer))
    log = evaluated(model, place / "logs", args={"data": str(data)}, score_on_error=True)  # which must not make zeros of faults
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect_ai.model.get_model", lambda name, **rest: model)
        ended = isovist("run", "--data", data, "--model", "mockllm/model", "--out", place / "run")
    assert ended.code == 1, ended
    return place / "run", log


def test_every_kind_of_output_comes_to_the_same_on_both_routes(mocked: tuple[Path, EvalLog]) -> None:
    run, log = mocked
    assert logged(log) == recorded(run)
    assert {verdict.outcome for verdict in logged(log).values()} >= OUTCOMES - {"incorrect"}


def test_a_score_says_what_was_read_and_why_nothing_was(mocked: tuple[Path, EvalLog], data: Path) -> None:
    _, log = mocked
    scores_by_id = scores(log)
    for row in stored(data, "cdr/relative-compass-letter"):
        score = scores_by_id[row.id]
        if row.index in READ:
            assert score is not None
            words, reason = READ[row.index]
            read = row.answer if words == "correct" else None
            explanation = f"parsed as {row.answer!r}" if read else "no parsed answer"
            assert (score.explanation, score.reason, score.answer) == (f"{words}: {explanation}", reason, read)
    errors = [sample.error.message for sample in log.samples or [] if sample.error]
    assert len(errors) == 2 * len(STORED)
    assert sum("the cooling failed" in message for message in errors) == len(STORED)


READ = {
    0: ("correct", None),
    3: ("empty", "no_response"),
    4: ("unparsed", "invalid_response_format"),
    5: ("refused", "refusal"),
    8: ("truncated", "truncated"),
    10: ("filtered", "filtered"),
}


def test_an_old_log_is_scored_again_without_the_data_and_the_model(mocked: tuple[Path, EvalLog]) -> None:
    _, log = mocked
    other = inspect_ai.score(log, match(), action="overwrite", display="none")
    again = inspect_ai.score(other, isovist_scorer(), action="overwrite", display="none")
    assert logged(again) == logged(log)  # with the machine faults, which are no zeros here either
    assert numbers(again) == pytest.approx(numbers(log))


def test_what_somebody_elses_solver_leaves_without_a_reply_has_no_score(data: Path, tmp_path: Path) -> None:
    model = scripted(stored(data), lambda row: output(f"Answer: {row.answer}", error="" if row.index else "the cooling failed"))
    log = evaluated(model, tmp_path / "logs", args={"data": str(data), "n": 3}, solver=generate())
    assert log.results is not None
    (score,) = log.results.scores
    assert (score.scored_samples, score.unscored_samples) == (2 * len(STORED), len(STORED))
    assert {numbers(log)[name] for name in ("accuracy", *STORED)} == {1.0}


def test_epochs_ask_an_item_again_and_count_its_mean(data: Path, tmp_path: Path) -> None:
    asked_ids: list[str] = []

    def answer(row: ItemRow) -> ModelOutput:
        asked_ids.append(row.id)
        return output(f"Answer: {row.answer}" if asked_ids.count(row.id) == 1 else "I cannot tell.")

    log = evaluated(scripted(stored(data), answer), tmp_path / "logs", args={"data": str(data), "n": 2}, epochs=2)
    assert sorted(asked_ids) == sorted(2 * [row.id for row in stored(data) if row.index < 2])
    metrics = numbers(log)
    assert {metrics["accuracy"], *(metrics[task] for task in STORED)} == {0.5}


def test_variants_are_compared_with_the_standard_condition_and_leave_its_accuracy_alone(data: Path, tmp_path: Path) -> None:
    n = 8
    rows = stored(data, "cdr/relative-compass-letter")[:n]

    def reply(messages: list[Any], *rest: object) -> ModelOutput:
        has_image = any(isinstance(part, ContentImage) for part in messages[0].content)
        return output("Answer: A" if has_image else "I see no image.")

    model = get_model("mockllm/model", custom_outputs=cast("Any", reply), memoize=False)
    args = {"data": str(data), "n": n}
    variants = {"variants": ["no-image", "circular"]}
    metrics = numbers(evaluated(model, tmp_path / "logs", "isovist/cdr_relative_compass_letter", args | variants))
    at_a = sum(row.answer == "A" for row in rows) / n
    assert 0 < at_a < 1
    alone_metrics = numbers(evaluated(model, tmp_path / "alone", "isovist/cdr_relative_compass_letter", args))
    assert metrics["accuracy"] == alone_metrics["accuracy"] == at_a
    assert {name: metrics[name] for name in alone_metrics} == alone_metrics
    assert (metrics["no-image"], metrics["no-image difference"]) == pytest.approx((0, -at_a))
    others = [(0 if row.answer == "A" else 1) / 7 for row in rows]  # the key comes to A in one rotation of eight
    assert metrics["circular"] == pytest.approx(sum(others) / n)
    difference = paired_difference(
        [other - (row.answer == "A") for other, row in zip(others, rows, strict=True)], [row.group for row in rows]
    )
    assert metrics["circular difference"] == pytest.approx(difference.estimate)
    assert metrics["circular difference ci_lower"] == pytest.approx(difference.low)
    assert metrics["circular all_correct"] == 0


def test_levels_of_one_task_and_sizes_of_several_have_their_own_accuracy() -> None:
    def score(item: int, level: str, value: float, variant: str = "standard", task: str = "a/b") -> SampleScore:
        metadata = {"task": task, "level": level, "variant": variant, "group": str(item)}
        return SampleScore(score=Score(value=value), sample_id=str(item), sample_metadata=metadata)

    def levels(*scores: SampleScore) -> list[Any]:
        return list(cast("Any", by_level())([*scores]).items())

    sizes = [score(0, "10", 1.0), score(1, "9", 0.0), score(2, "9", 1.0, task="a/c"), score(3, "9", 1.0, "no-image")]
    assert levels(*sizes) == [("level 9", 0.5), ("level 10", 1.0)]
    assert levels(*sizes[1:3]) == []
    named = [score(0, "easy", 1.0), score(1, "hard", 0.0)]
    assert levels(*named) == [("level easy", 1.0), ("level hard", 0.0)]
    assert levels(*named, score(2, "hard", 1.0, task="a/c")) == []


def test_items_that_share_a_picture_count_as_one_group() -> None:
    def score(item: int, group: int, value: float) -> SampleScore:
        return SampleScore(score=Score(value=value), sample_id=str(item), sample_metadata={"group": str(group)})

    values = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    apart = [score(i, i, value) for i, value in enumerate(values)]
    doubled = [score(2 * i + j, i, value) for i, value in enumerate(values) for j in (0, 1)]
    expected = mean(values)
    assert _ends(apart) == pytest.approx((expected.low, expected.high))
    low, high = _ends(doubled)
    assert low < expected.low < expected.high < high  # eight groups know no more than eight items
    assert _ends([score(0, 0, 1.0), score(1, 0, 1.0)]) == (0.0, 1.0)


def _ends(scores: list[SampleScore]) -> tuple[float, float]:
    bounds = interval()(scores)  # type: ignore[arg-type]
    assert isinstance(bounds, dict)
    return bounds["ci_lower"], bounds["ci_upper"]  # type: ignore[return-value]
