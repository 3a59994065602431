"""What the tests of Isovist inside Inspect AI share: a place of their own, evaluations, and what their logs tell."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, cast

import inspect_ai
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentImage,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.scorer import Score
from workbench import records

from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.models.base import ModelRequest
from isovist.evaluation.models.inspect_ai import content
from isovist.evaluation.run.variants import Trial

MARK = pytest.mark.filterwarnings("ignore::ResourceWarning")  # Inspect AI leaves streams to the garbage collector


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A place where nothing lies about: neither keys, nor the folders that Inspect AI writes to by itself."""
    place, xdg = tmp_path_factory.mktemp("place"), tmp_path_factory.mktemp("xdg")
    level = logging.getLogger().level
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("XDG_DATA_HOME", str(xdg))
        patch.setenv("XDG_CACHE_HOME", str(xdg))
        for name in [name for name in os.environ if name.startswith(("INSPECT_", "OPENAI_", "ISOVIST_"))]:
            patch.delenv(name)
        patch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.01)
        yield place
        logging.getLogger().setLevel(level)  # Inspect AI sets it, and tests of other modules look for warnings
        gc.collect()  # now, where its warnings are passed over


@dataclass(frozen=True)
class Verdict:
    """What one route makes of one reply."""

    outcome: str
    value: float
    parsed: str | None


NONE = Verdict("request_error", 0.0, None)


def recorded(run: Path) -> dict[str, Verdict]:
    """What `isovist run` has put down."""
    return {record["item_id"]: Verdict(record["outcome"], record["credit"], record["parsed_answer"]) for record in records(run)}


def evaluated(model: Model, logs: Path, name: str = "isovist/cdr", args: dict[str, Any] | None = None, **more: Any) -> EvalLog:
    """The log of an evaluation, as it stands in its file.

    An evaluation that ends before its log is written, as one did on a busy machine, is made once more.
    """

    def once() -> EvalLog:
        (log,) = inspect_ai.eval(name, model=model, task_args=args or {}, log_dir=str(logs), display="none", log_level="error", **more)
        return log

    log = once()
    if not Path(log.location).exists():
        log = once()
    assert Path(log.location).parent == logs
    assert Path(log.location).exists(), f"the evaluation ended as {log.status} without a log: {log.error}"
    return read_eval_log(log.location, resolve_attachments=True)


def scores(log: EvalLog) -> dict[str, Score | None]:
    """The score of each sample; one that ended in an error has none, or one without a value."""
    raw_scores = {str(sample.id): (sample.scores or {}).get("isovist_scorer") for sample in log.samples or []}
    clean_scores = {id: None if score is None or isnan(score.as_float()) else score for id, score in raw_scores.items()}
    assert {id for id, score in clean_scores.items() if score is None} == {str(sample.id) for sample in log.samples or [] if sample.error}
    return clean_scores


def logged(log: EvalLog) -> dict[str, Verdict]:
    """What `inspect eval` has put down."""
    return {id: NONE if score is None else _verdict(score) for id, score in scores(log).items()}


def _verdict(score: Score) -> Verdict:
    return Verdict((score.metadata or {})["outcome"], score.as_float(), score.answer)


def numbers(log: EvalLog) -> dict[str, float]:
    """The numbers of a log by their names."""
    assert log.results is not None
    (score,) = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def shown(parts: Iterable[Any]) -> tuple[str, ...]:
    """Words and pictures of a message."""
    return tuple(part.image if isinstance(part, ContentImage) else part.text for part in parts)


def asked(sample: EvalSample | Sample) -> tuple[str, ...]:
    """Words and pictures that a sample shows."""
    (message,) = sample.input
    assert not isinstance(message, str)
    return shown(message.content)


def asking(row: ItemRow | Trial) -> tuple[str, ...]:
    """Words and pictures that an item shows in `isovist run`."""
    return shown(content(ModelRequest("", row.prompt, row.images)))


def output(reply: str | list[Any], stop: StopReason = "stop", error: str | None = None) -> ModelOutput:
    return ModelOutput(
        model="mock",
        choices=[ChatCompletionChoice(message=ChatMessageAssistant(content=reply), stop_reason=stop)],
        usage=ModelUsage(input_tokens=7, output_tokens=5),  # or Inspect AI counts them, with a table that it downloads
        error=error,
    )


def scripted(rows: Iterable[ItemRow], answer: Callable[[ItemRow], ModelOutput]) -> Model:
    """A model that puts out to each item what `answer` tells."""
    known = {asking(row): row for row in rows}

    def reply(input: list[Any], *rest: object) -> ModelOutput:  # noqa: A002 - the name of the protocol
        (message,) = input
        return answer(known[shown(message.content)])

    return get_model("mockllm/model", custom_outputs=cast("Any", reply), memoize=False)
