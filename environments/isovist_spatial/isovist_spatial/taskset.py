"""Items as tasks of verifiers: generated on access, and rewarded by the parser and scorer of the evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.harnesses.null import NullHarness

import isovist
from isovist.core.answers import read_key
from isovist.data import prompts
from isovist.data.dataset.pictures import data_url
from isovist.data.dataset.training_examples import TrainingExample, of_item
from isovist.data.exporters.file_writers import pieces
from isovist.data.items import Items
from isovist.suites import registry
from isovist.training.rewards import has_valid_format, reward_credit


class IsovistData(vf.TaskData):
    """One item: its question with the images at their positions, and its key."""

    answer: str
    """The typed key as JSON text."""
    style: str
    """The prompt style of the question."""


class IsovistTask(vf.Task[IsovistData]):
    """One question. The format of the response is recorded; it has weight 0 by default."""

    @property
    def key(self) -> str:
        """The item id, which is unique."""
        return self.data.id or self.hash

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        """The credit of the last response; 0 for a truncated one."""
        return reward_credit(trace.last_reply, self.data.answer, truncated=trace.is_truncated) or 0.0

    @vf.reward(weight=0.0)
    async def formed(self, trace: vf.Trace) -> float:
        """Whether the last response has the requested format, correct or not."""
        return float(not trace.is_truncated and has_valid_format(trace.last_reply, read_key(self.data.answer), self.data.style))

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the key earns the full reward as a response."""
        del runtime
        return reward_credit(f"Answer: {read_key(self.data.answer).canonical()}", self.data.answer) == 1


class StreamConfig(vf.TasksetConfig):
    """The choice of items, under `--env.taskset.*`."""

    tasks: tuple[str, ...] = ("cdr/*",)
    """Ids and globs of tasks, as `isovist list` prints them."""
    seed: int = 0
    split: str = "train"
    """The split of the items: train or test, which have no common image."""
    level: str | None = None
    """One level, or several separated by commas; all levels of a task by default."""
    style: str = prompts.DEFAULT_STYLE
    settings: dict[str, int | str] = Field(default_factory=dict)
    """Options of the tasks, such as `size`."""


class IsovistConfig(StreamConfig):
    items: int = 100
    """Items of each task."""


class IsovistTaskset(vf.Taskset[IsovistTask, IsovistConfig]):
    """A finite set: items of the chosen tasks, one of each task in turn."""

    def load(self) -> Iterator[IsovistTask]:
        """Raises ValueError for an invalid setting."""
        config = self.config
        _check_style(config.style)
        chosen = registry.matching(config.tasks)
        parts = [
            Items(task, config.items, config.seed, config.split, config.level, tuple(sorted(values.items())))
            for task, values in zip(chosen, registry.require_setting_support(chosen, config.settings), strict=True)
        ]
        examples = (of_item(part[place], style=config.style) for place in range(config.items) for part in parts)
        return (IsovistTask(_data(example, config.style), config.task) for example in examples)


class IsovistStreamTaskset(vf.Taskset[IsovistTask, StreamConfig]):
    """The endless stream `isovist.stream` of the chosen tasks, with equal shares."""

    INFINITE = True

    def load(self) -> Iterator[IsovistTask]:
        """Raises ValueError for an invalid setting."""
        config = self.config
        _check_style(config.style)
        examples = isovist.stream(
            config.tasks, seed=config.seed, split=config.split, levels=config.level, style=config.style, **config.settings
        )
        return (IsovistTask(_data(example, config.style), config.task) for example in examples)


class IsovistHarness(NullHarness):
    """One response of the model, without tools."""


def _check_style(style: str) -> None:
    if style not in prompts.STYLES:
        raise ValueError(f"style {style!r}: there are {', '.join(prompts.STYLES)}")


def _data(example: TrainingExample, style: str) -> IsovistData:
    images = (vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=data_url(image))) for image in example.images)
    parts = [next(images) if text is None else vf.TextContentPart(text=text) for text in pieces(example.turns[0].content)]
    name = example.id.rpartition("/")[0]
    return IsovistData(id=name, name=example.source, prompt=[vf.UserMessage(content=parts)], answer=example.key, style=style)


def load_environment(**settings: Any) -> vf.Env:
    """The environment with these settings of its items: `load_environment(tasks=["cdr/*"], items=8)`."""
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": "isovist-spatial", **settings}}))
