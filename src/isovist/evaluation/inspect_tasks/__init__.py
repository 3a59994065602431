"""The suites as tasks of Inspect AI: `inspect eval isovist/cdr --model ...`.

Inspect AI imports this module through its entry point. Prompts, image bytes and scores are those of `isovist run`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import groupby, zip_longest
from pathlib import Path
from typing import cast

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # the one error that its command line prints without a traceback
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from isovist.common.errors import UserError
from isovist.core.answers import Outcome, from_json, to_json
from isovist.core.item_ids import keyed_order
from isovist.core.task import SPLITS, Split, Value
from isovist.data.dataset.generation_request import requested
from isovist.data.dataset.load import evaluated, load
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.rows import ItemRow, item_to_row
from isovist.data.item_options import ItemOptions
from isovist.data.prompts import DEFAULT_STYLE, STYLES
from isovist.evaluation.inspect_tasks.metrics import METRICS, STANDARD
from isovist.evaluation.inspect_tasks.mock_model import without_token_count
from isovist.evaluation.inspect_tasks.variant_parameter import require_effect, variant_settings
from isovist.evaluation.models.base import LONGEST, GenerationConfig, ModelRequest
from isovist.evaluation.models.inspect_ai import content, generation, replied
from isovist.evaluation.models.limits import limits
from isovist.evaluation.run.records import outcome_of
from isovist.evaluation.run.variants import Trial, VariantSettings, trials
from isovist.suites import registry

N = 100
_NAMED = ("n", "seed", "split", "level", "preset", "prompt_style", "variants", "tasks", "data")
_REASONS: Mapping[Outcome, str] = {
    "unparsed": "invalid_response_format",
    "empty": "no_response",
    "refused": "refusal",
    "filtered": "filtered",
    "truncated": "truncated",
}
"""The reason of a response without a parsed answer, in Inspect AI's terms where it has one."""

_log = logging.getLogger(__name__)


class Unusable(UserError, PrerequisiteError):
    """Invalid input, printed in one line by Inspect AI's command line."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message.replace("[", r"\[")  # printed with markup


# Items ----------------------------------------------------------------------------------------------------


def _registered(name: str, glob: str, summary: str) -> Callable[..., Task]:
    """Register the tasks that match `glob` with Inspect AI as `isovist/NAME`."""

    @task(name=name)
    def build(
        n: int | None = None,
        seed: int | None = None,
        split: Split | None = None,
        level: str | None = None,
        preset: str | None = None,
        prompt_style: str | None = None,
        variants: str | list[str] | None = None,
        tasks: str | list[str] | None = None,
        data: str | None = None,
        **settings: Value,  # collects unknown parameters, which Inspect AI would ignore with a warning
    ) -> Task:
        try:
            globs = _globs(glob, tasks)
            _check(globs, n, seed, split, prompt_style, settings)
            if data is None:
                parts, rows = _new_items(globs, n, seed, split, level, preset, prompt_style, settings)
            else:
                parts, rows = _stored_items(globs, n, split, str(data), {"seed": seed, "level": level, "preset": preset, **settings})
            requested_variants = variant_settings(variants)
            style = prompt_style or parts[0].style
            samples = [_sample(trial) for trial in _in_turn(_by_item(part, requested_variants, style) for part in rows)]
            if any(part.is_private for part in parts):
                samples.sort(key=lambda sample: keyed_order(str((sample.metadata or {})["item"])))
            if not samples:
                raise UserError(f"Dataset folder has no items: {data}. Generate items first.")
            require_effect(requested_variants, {str((sample.metadata or {})["variant"]) for sample in samples})
        except UserError as error:
            raise Unusable(str(error)) from None
        return Task(
            dataset=MemoryDataset(samples, name=glob, location=None if data is None else str(data)),
            solver=single_response(),
            scorer=isovist_scorer(),
            config=generation(GenerationConfig(max_tokens=_longest())),
            continue_on_fail=True,  # a request error affects its own item only
            version=version("isovist"),
            metadata={"parts": [part.as_json() for part in parts]},
            description=summary,
        )

    return build


def _longest() -> int:
    """The token limit that `isovist run` would use for the model of this evaluation."""
    try:
        model = get_model()
        without_token_count(model)
        return limits(model).longest
    except Exception:  # noqa: BLE001 - no model, as in listings of tasks, or an invalid one, which Inspect AI reports
        return LONGEST


def _globs(glob: str, tasks: object) -> list[str]:
    """The tasks of a suite: all, or those of `tasks`, as ids or globs with or without the suite."""
    if tasks is None:
        return [glob]
    suite, _, whole = glob.partition("/")
    names = [str(name) for name in cast("list[object]", tasks if isinstance(tasks, list) else [tasks])]
    if whole != "*":
        raise UserError(f"Parameter tasks is for suites, and {glob} is one task: tasks={','.join(names)}. Use it with isovist/{suite}.")
    globs = [name if "/" in name else f"{suite}/{name}" for name in names]
    for name in globs:
        if not name.startswith(f"{suite}/"):
            raise UserError(f"Task of another suite: tasks={name}. Name tasks of {suite}.")
    return globs


def _check(globs: Sequence[str], n: object, seed: object, split: object, prompt_style: object, settings: Mapping[str, object]) -> None:
    """Raises UserError for an unknown parameter and for a value of the wrong type, such as `-T n=ten` or `-T n=1.5`."""
    known = sorted({name for task in registry.matching(globs) for name in task.all_settings})
    for name, value in settings.items():
        if name not in known:
            raise UserError(f"Unknown parameter: {name}. Choose one of {', '.join(_NAMED)}, or a task option: {', '.join(known)}.")
        if type(value) not in (int, str):
            raise UserError(f"Invalid value: {name}={value}. Give a word or a whole number.")
    if n is not None and (type(n) is not int or n < 1):
        raise UserError(f"Invalid n: n={n}. Give a whole number from 1.")
    if seed is not None and (type(seed) is not int or not -(2**63) <= seed < 2**63):
        raise UserError(f"Invalid seed: seed={seed}. Give a whole number of at most 64 bits.")
    for name, value, choices in (("split", split, SPLITS), ("prompt_style", prompt_style, tuple(STYLES))):
        if value is not None and value not in choices:
            raise UserError(f"Invalid {name}: {name}={value}. Choose one of {', '.join(choices)}.")


def _new_items(
    globs: Sequence[str], n: int | None, seed: int | None, split: Split | None, level: object, preset: str | None, style: str | None,
    settings: Mapping[str, Value],
) -> tuple[list[DataPart], list[Iterator[ItemRow]]]:  # fmt: skip
    if preset not in (None, "paper"):
        raise UserError(f"Invalid preset: preset={preset}. Give preset=paper or remove it.")
    items = ItemOptions(n=n, seed=seed or 0, split=split, level=None if level is None else str(level), task_options=settings, preset=preset)
    parts, skipped = requested(globs, items, default=N, style=style or DEFAULT_STYLE)
    for name in skipped:
        _log.warning("%s: the paper has no %s split of this task; skipped.", name, split)
    return parts, [_generated_rows(part) for part in parts]


def _generated_rows(part: DataPart) -> Iterator[ItemRow]:
    return (item_to_row(item, part.style, part.renderer) for item in part.items())


def _stored_items(
    globs: Sequence[str], n: int | None, split: str | None, data: str, fresh: Mapping[str, object]
) -> tuple[list[DataPart], list[Iterator[ItemRow]]]:
    for name, value in fresh.items():
        if value is not None:
            raise UserError(f"Parameter for new items together with stored data: {name}. Remove {name} or data.")
    folder = Path(data)
    parts, _ = evaluated(folder, globs, split)
    return parts, [load(folder, [part], n, whole=True) for part in parts]


def _by_item(rows: Iterable[ItemRow], variants: VariantSettings, style: str) -> Iterator[list[Trial]]:
    """The trials of each item."""
    return (list(item_trials) for _, item_trials in groupby(trials(rows, variants, style), lambda trial: trial.row.id))


def _in_turn(parts: Iterable[Iterable[list[Trial]]]) -> Iterator[Trial]:
    """The items of the parts in turn, so that Inspect AI's `--limit` covers all tasks."""
    for turn in zip_longest(*parts):
        yield from (trial for item in turn for trial in item or ())


def _sample(trial: Trial) -> Sample:
    """A trial as a sample of Inspect AI. Its metadata are sufficient to score a log again."""
    row = trial.row
    id = f"{row.id} {trial.variant}".rstrip()
    return Sample(
        id=id,
        input=[ChatMessageUser(content=content(ModelRequest(id, trial.prompt, trial.images)))],
        target=trial.key.canonical(),
        metadata={
            "item": row.id,
            "variant": trial.variant or STANDARD,
            "task": row.task,
            "level": row.level,
            "attributes": dict(row.metadata.attributes),
            "split": row.split,
            "group": row.group,
            "chance": row.chance,
            "answer_type": row.answer_type,
            "answer": to_json(trial.key),
        },
    )


@solver
def single_response() -> Solver:
    """Generate once. A request error is an error of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        fault = replied(state.output).error
        if fault:
            raise RuntimeError(fault)
        return state

    return solve


# Scores -------------------------------------------------------------------------------------------------


@scorer(metrics=[metric() for metric in METRICS])
def isovist_scorer() -> Scorer:
    """Score a response as `isovist run` does. A request error is not scored."""

    async def score(state: TaskState, target: Target) -> Score:
        del target  # the metadata hold the answer with its parser
        reply = replied(state.output)
        outcome, value, parsed = outcome_of(reply, from_json(state.metadata["answer"]))
        if outcome == "request_error":
            return Score.unscored(explanation=f"error: {reply.error}", metadata={"outcome": outcome})
        answer = "no parsed answer" if parsed is None else f"parsed as {parsed!r}"
        return Score(
            value=value,
            answer=parsed,
            explanation=f"{outcome}: {answer}",
            reason=_REASONS.get(outcome),
            metadata={"outcome": outcome},
        )

    return score


def _all_tasks() -> dict[str, Callable[..., Task]]:
    """A task of Inspect AI for each suite and for each task that the registry knows."""
    known = registry.tasks()
    names = {suite: (f"{suite}/*", f"The suite {suite}.") for suite in sorted({task.suite for task in known.values()})}
    for known_task in known.values():
        name = known_task.id.replace("/", "_").replace("-", "_")
        if names.setdefault(name, (known_task.id, known_task.summary)) != (known_task.id, known_task.summary):
            raise ValueError(f"{names[name][0]} and {known_task.id} are both called isovist/{name}")
    return {name: _registered(name, *entry) for name, entry in names.items()}


TASKS = _all_tasks()
"""By the name after `isovist/`."""
