"""Items as tasks: made when they are asked for, and rewarded by the evaluation's own parser and scorer."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.harnesses.null import NullHarness

from isovist.core.answers import key_json, read_key
from isovist.data import prompts
from isovist.data.dataset.rows import encoded_images
from isovist.data.items import Items
from isovist.suites import registry
from isovist.training.rewards import has_valid_format, reward_credit

if TYPE_CHECKING:
    from isovist.data.item import Item


class IsovistData(vf.TaskData):
    """One item: its question with the pictures in their places, and its key."""

    answer: str
    """The typed key as JSON text."""
    style: str
    """The prompt style in which it is asked."""


class IsovistTask(vf.Task[IsovistData]):
    """One question. The form of the reply is recorded, and is rewarded only where its weight is raised."""

    @property
    def key(self) -> str:
        """The item's id, which names it for ever."""
        return self.data.id or self.hash

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        """The credit of the last reply; nothing for one that ran into its limit."""
        return reward_credit(trace.last_reply, self.data.answer, truncated=trace.is_truncated) or 0.0

    @vf.reward(weight=0.0)
    async def formed(self, trace: vf.Trace) -> float:
        """Whether the last reply has the form that was asked for, be it right or wrong."""
        return float(not trace.is_truncated and has_valid_format(trace.last_reply, read_key(self.data.answer), self.data.style))

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the key, given as the reply, is rewarded."""
        del runtime
        return reward_credit(f"Answer: {read_key(self.data.answer).canonical()}", self.data.answer) == 1


class IsovistConfig(vf.TasksetConfig):
    """Which items are asked, under `--env.taskset.*`."""

    tasks: tuple[str, ...] = ("cdr/*",)
    """Ids and globs of tasks, as `isovist list` shows them."""
    items: int = 100
    """Items of each task."""
    seed: int = 0
    split: str = "train"
    """The split of the items: train or test, which never share a picture."""
    level: str | None = None
    """A level, or several with commas; all of a task by default."""
    style: str = prompts.DEFAULT_STYLE
    settings: dict[str, int | str] = Field(default_factory=dict)
    """Settings of the tasks, such as `size`."""


class IsovistTaskset(vf.Taskset[IsovistTask, IsovistConfig]):
    """Items of the chosen tasks, one of each in turn."""

    def load(self) -> Iterator[IsovistTask]:
        """Raises ValueError with one line that says what does not fit."""
        told = self.config
        if told.style not in prompts.STYLES:
            raise ValueError(f"style {told.style!r}: there are {', '.join(prompts.STYLES)}")
        chosen = registry.matching(told.tasks)
        parts = [
            Items(task, told.items, told.seed, told.split, told.level, tuple(sorted(own.items())))
            for task, own in zip(chosen, registry.require_setting_support(chosen, told.settings), strict=True)
        ]
        return (IsovistTask(_data(part[place], told.style), told.task) for place in range(told.items) for part in parts)


class IsovistHarness(NullHarness):
    """One reply of the model, without tools: what is asked is to look."""


def _data(item: Item, style: str) -> IsovistData:
    words = prompts.prompt(item.question.text, item.answer, len(item.pictures), style, item.task.id)
    message = vf.UserMessage(content=_parts(words, list(encoded_images(item))))
    return IsovistData(id=item.id, name=item.task.id, prompt=[message], answer=key_json(item.answer), style=style)


def _parts(words: str, pictures: list[bytes]) -> list[vf.ContentPart]:
    """The words with the pictures in the places of their marks."""
    parts: list[vf.ContentPart] = []
    for place, text in enumerate(words.split(prompts.IMAGE)):
        if place:
            url = f"data:image/png;base64,{base64.b64encode(pictures[place - 1]).decode()}"
            parts.append(vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=url)))
        if text.strip():
            parts.append(vf.TextContentPart(text=text.strip("\n")))
    return parts


def load_environment(**settings: Any) -> vf.Env:
    """The environment with these settings of its items: `load_environment(tasks=["cdr/*"], items=8)`."""
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": "isovist-spatial", **settings}}))
