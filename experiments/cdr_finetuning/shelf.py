"""Pictures and texts of items on disk, as arrays that are mapped into memory: made once, read in any order.

A shelf is a folder: `pictures.npy`, 8-bit RGB of shape (n, SIDE, SIDE, 3) as the model sees them; `texts.jsonl`, one line for each
item; and `shelf.json`, which says what it holds and is written last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

import isovist
from isovist.core.answers import from_json
from isovist.core.answers.score import Score
from isovist.data import prompts
from isovist.data.dataset.training_examples import STYLE_OF, key_json
from isovist.data.item import Item
from isovist.evaluation.models.embedded.image_patches import SIDE, seen

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items a shelf holds: `n` of each task, of one split and seed."""

    tasks: tuple[str, ...]
    n: int
    split: str
    seed: int


@dataclass(frozen=True, slots=True)
class Text:
    """The words of an item: its prompt and its reply in each style, its typed key as JSON, the symbols of its grid if it has one."""

    id: str
    task: str
    prompt: str
    reply: str
    prompt_reasoning: str
    reasoning: str
    key: str
    cells: tuple[str, ...]

    def score(self, reply: str) -> Score:
        return from_json(json.loads(self.key)).score(reply)


@dataclass(frozen=True)
class Shelf:
    folder: Path

    @cached_property
    def pictures(self) -> NDArray[np.uint8]:
        return np.load(self.folder / "pictures.npy", mmap_mode="r")

    @cached_property
    def texts(self) -> list[Text]:
        with (self.folder / "texts.jsonl").open(encoding="utf-8") as lines:
            return [Text(**{**told, "cells": tuple(told["cells"])}) for told in map(json.loads, lines)]

    def __len__(self) -> int:
        return len(self.texts)


def shelf(folder: Path, wanted: Wanted, workers: int = 1) -> Shelf:
    """The shelf of these items in a folder, made if it is not there yet or holds others."""
    items = [isovist.generate(task, n=1, seed=wanted.seed, split=wanted.split)[0] for task in wanted.tasks]
    told = json.dumps({**asdict(wanted), "first": [asdict(_text(item)) for item in items]}, indent=1)  # words change without a version
    sign = folder / "shelf.json"
    if not sign.exists() or sign.read_text() != told:
        folder.mkdir(parents=True, exist_ok=True)
        sign.unlink(missing_ok=True)
        _fill(folder, wanted, workers)
        sign.write_text(told)
    return Shelf(folder)


def _fill(folder: Path, wanted: Wanted, workers: int) -> None:
    total = wanted.n * len(wanted.tasks)
    pictures = np.lib.format.open_memmap(folder / "pictures.npy", "w+", np.uint8, (total, SIDE, SIDE, 3))
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as lines, tqdm(total=total, desc=folder.name, unit=" items") as bar:
        for at, (squares, texts) in _made(wanted, workers):
            pictures[at : at + len(squares)] = squares
            lines.writelines(json.dumps(asdict(text), ensure_ascii=False) + "\n" for text in texts)
            bar.update(len(squares))
    pictures.flush()


def _made(wanted: Wanted, workers: int) -> Iterator[tuple[int, tuple[NDArray[np.uint8], list[Text]]]]:
    jobs = [(wanted, place, min(place + _CHUNK, wanted.n)) for place in range(0, wanted.n, _CHUNK)]
    starts = (place * len(wanted.tasks) for _, place, _ in jobs)
    if workers <= 1:
        yield from zip(starts, map(_chunk, jobs), strict=True)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from zip(starts, pool.map(_chunk, jobs), strict=True)


def _chunk(job: tuple[Wanted, int, int]) -> tuple[NDArray[np.uint8], list[Text]]:
    """The items from one place up to another of each task, the tasks in turn."""
    wanted, first, last = job
    parts = [isovist.generate(task, n=last, seed=wanted.seed, split=wanted.split) for task in wanted.tasks]
    items = [part[place] for place in range(first, last) for part in parts]
    return np.stack([seen(item.images[0]) for item in items]), [_text(item) for item in items]


def _text(item: Item) -> Text:
    asked: Callable[[str], str] = lambda style: prompts.prompt(item.question.text, item.answer, len(item.pictures), style)  # noqa: E731
    layout: Any = getattr(item.scene, "layout", None)
    return Text(
        item.id,
        item.task.id,
        asked(STYLE_OF["answer"]),
        item.answer.canonical(),
        asked(STYLE_OF["reasoning"]),
        item.reasoning or "",
        key_json(item.answer),
        getattr(layout, "cells", ()),
    )
