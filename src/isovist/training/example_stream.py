"""Endless streams of training examples: sharded, resumable, and made ahead in other processes.

Example number n is a function of the arguments of the stream, of n, and with a curriculum of the rewards before it was planned: the task is drawn
by the shares of the mixture, the level by the curriculum or at random, and n is the index of the item. Shard i of k has the examples i, i + k,
i + 2k and so on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from fnmatch import fnmatchcase
from itertools import accumulate, islice
from multiprocessing import get_context
from typing import Any

from isovist.common.errors import optional_package
from isovist.common.shards import Shard
from isovist.core.rng import Rng
from isovist.core.task import Value
from isovist.data.dataset.training_examples import Kind, TrainingExample, of_item
from isovist.data.item import make_item
from isovist.suites import registry
from isovist.training.curriculum import Curriculum
from isovist.training.example_dataset import prompt_columns

_BATCH = 4
"""Examples that a process makes at a time."""
_AHEAD = 3
"""Batches for each process that are planned before they are needed."""
_PLANNED = 24
"""Examples that are planned ahead with a curriculum. The number of processes does not change it, so that it does not change the levels."""
Planned = tuple[int, str, str]
"""The number of an example, its task and its level."""


class ExampleStream:
    """An endless iterator of training examples; see `stream`."""

    def __init__(
        self, shares: Mapping[str, float], seed: int, split: str, levels: str | Curriculum | None, shard: Shard, workers: int, kind: Kind,
        style: str | None, settings: Mapping[str, Mapping[str, Value]],
    ) -> None:  # fmt: skip
        self.shares, self.seed, self.split, self.levels, self.shard, self.workers = dict(shares), seed, split, levels, shard, workers
        self.kind: Kind = kind
        self.style, self.settings = style, {task: dict(values) for task, values in settings.items()}
        self._tasks, self._ends = list(shares), list(accumulate(shares.values()))
        self._planned = 0  # examples of this shard
        self._pending: deque[Planned] = deque()  # planned, and not yet given out
        self._running: deque[tuple[Future[list[TrainingExample]], int]] = deque()
        self._made: deque[TrainingExample] = deque()
        self._pool: ProcessPoolExecutor | None = None
        for task in self._tasks:
            self._address((0, task, self._levels_of(task)[0]))  # raises errors here instead of at the first example

    def __iter__(self) -> Iterator[TrainingExample]:
        return self

    def __next__(self) -> TrainingExample:
        ahead = _PLANNED if isinstance(self.levels, Curriculum) else max(1, self.workers * _AHEAD * _BATCH)
        while len(self._pending) < ahead:
            self._pending.append(self._plan())
        example = self._next_from_workers() if self.workers else _make([self._job(self._pending[0])])[0]
        self._pending.popleft()
        return example

    def _next_from_workers(self) -> TrainingExample:
        if self._pool is None:
            initial = registry.loaded_files()
            self._pool = ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"), initializer=_started, initargs=(initial,))
        submitted = len(self._made) + sum(count for _, count in self._running)
        while len(self._running) < self.workers * _AHEAD and len(self._pending) - submitted >= _BATCH:
            batch = [self._job(plan) for plan in islice(self._pending, submitted, submitted + _BATCH)]
            self._running.append((self._pool.submit(_make, batch), _BATCH))
            submitted += _BATCH
        if not self._made:
            self._made.extend(self._running.popleft()[0].result())
        return self._made.popleft()

    def _plan(self) -> Planned:
        number = self.shard.index + self.shard.count * self._planned
        self._planned += 1
        rng = Rng("stream", self.split, self.seed).at(number)
        task = self._tasks[bisect_right(self._ends[:-1], rng.uniform(0, self._ends[-1]))]
        levels = self.levels
        return number, task, levels.level(task, rng) if isinstance(levels, Curriculum) else rng.pick(self._levels_of(task))

    def _levels_of(self, task: str) -> tuple[str, ...]:
        if isinstance(self.levels, Curriculum):
            return self.levels.levels_of(task)
        return tuple(self.levels.split(",")) if self.levels else registry.task(task).levels

    def _address(self, plan: Planned) -> str:
        number, task, level = plan
        return str(registry.task(task).address(self.split, level, self.seed, number, self.settings[task]))

    def _job(self, plan: Planned) -> tuple[str, Kind, str | None]:
        return self._address(plan), self.kind, self.style

    def close(self) -> None:
        """End the processes. The stream can go on; it starts new ones."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._running.clear()
        self._made.clear()

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs to go on with the next example; JSON can store it."""
        curriculum = self.levels.state_dict() if isinstance(self.levels, Curriculum) else None
        return {
            "stream": self._arguments(),
            "planned": self._planned,
            "pending": [list(plan) for plan in self._pending],
            "levels": curriculum,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state, also with another number of processes.

        Raises ValueError for the state of a stream with other arguments, or of another shard.
        """
        if state["stream"] != self._arguments():
            names = [name for name, value in self._arguments().items() if state["stream"].get(name) != value]
            raise ValueError(f"The state is that of another stream: {', '.join(names)} differ. Use the arguments of that stream")
        self.close()
        self._planned = state["planned"]
        self._pending = deque((number, task, level) for number, task, level in state["pending"])
        if isinstance(self.levels, Curriculum):
            self.levels.load_state_dict(state["levels"])

    def _arguments(self) -> dict[str, Any]:
        """The arguments that determine the examples."""
        levels = "curriculum" if isinstance(self.levels, Curriculum) else self.levels
        named = {"shares": self.shares, "seed": self.seed, "split": self.split, "levels": levels, "shard": str(self.shard)}
        versions = {task: registry.task(task).version for task in self._tasks}
        return {**named, "kind": self.kind, "style": self.style, "settings": self.settings, "versions": versions}

    def _part(self, index: int, count: int) -> ExampleStream:
        """Part `index` of `count` of the examples of this shard, from its start."""
        shard = Shard(self.shard.index + self.shard.count * index, self.shard.count * count)
        return ExampleStream(self.shares, self.seed, self.split, self.levels, shard, 0, self.kind, self.style, self.settings)

    # For trainers

    def rows(self) -> Iterator[dict[str, Any]]:
        """The examples as rows for TRL: `prompt` as messages, `images`, `ground_truth`, prompt `style` and `id`."""
        for example in self:
            columns = prompt_columns([example])
            yield {**{name: values[0] for name, values in columns.items()}, "id": example.id}

    def to_hf(self) -> Any:
        """The `rows` as a `datasets.IterableDataset`. Raises MissingDependencyError without the package `datasets`."""
        return optional_package("datasets", "a Hugging Face dataset").IterableDataset.from_generator(self.rows)

    def to_torch(self) -> Any:
        """The examples as a `torch.utils.data.IterableDataset`. Each worker of a `DataLoader` has a part of them, from the start.

        A curriculum in a worker receives no rewards: use `workers` of the stream, and a `DataLoader` without workers.
        Raises MissingDependencyError without the package `torch`.
        """
        data = optional_package("torch", "a PyTorch dataset").utils.data
        stream = self

        class Examples(data.IterableDataset):
            def __iter__(self) -> Iterator[TrainingExample]:
                worker = data.get_worker_info()
                return stream if worker is None else stream._part(worker.id, worker.num_workers)

        return Examples()


def _started(task_files: Sequence[str]) -> None:
    for path in task_files:
        registry.load_file(path)


def _make(jobs: Sequence[tuple[str, Kind, str | None]]) -> list[TrainingExample]:
    from isovist.core.task import ItemAddress

    examples: list[TrainingExample] = []
    for text, kind, style in jobs:
        address = ItemAddress.parse(text)
        examples.append(of_item(make_item(registry.task(address.task), address), kind, style))
    return examples


def stream(
    tasks: str | Sequence[str] | None = None,
    *,
    seed: int = 0,
    split: str = "train",
    levels: str | Curriculum | None = None,
    mixture: Mapping[str, float] | None = None,
    shard: str = "0/1",
    workers: int = 0,
    kind: Kind = "answer",
    style: str | None = "final-line",
    **settings: Value,
) -> ExampleStream:
    """An endless stream of training examples; the same arguments give the same examples.

    Args:
        tasks: Task id or glob, such as ``"cdr/*"``, or several of them; all have the same share.
        seed: Random seed; a 64-bit integer.
        split: ``"train"`` or ``"test"``; the two have no common layout.
        levels: Difficulty levels, separated by commas, or a `Curriculum`; all levels by default.
        mixture: In place of `tasks`: the share of each id or glob, divided equally among its tasks.
        shard: ``"I/N"``: every N-th example from example I, for one of N nodes.
        workers: Processes that make examples ahead; 0 makes them on demand. A script that uses them needs ``if __name__ == "__main__":``.
        kind: ``"answer"`` or ``"reasoning"``, the target response.
        style: The prompt style; None: that of the kind.
        **settings: Options of the tasks, such as ``size=400``.

    Returns:
        An iterator of `TrainingExample`: `id`, `images` as PNG files, `turns` and the typed `key`. `state_dict()` and `load_state_dict()` resume
        it, `to_torch()` and `to_hf()` convert it.

    Raises:
        ValueError: For an unknown task, split, level or option, and for an invalid share, shard or number of workers.

    Examples:
        >>> examples = stream("cdr/step-cell-letter", seed=1)
        >>> next(examples).level
        'standard'
    """
    if (tasks is None) == (mixture is None):
        raise ValueError("Give either tasks or a mixture")
    if workers < 0:
        raise ValueError(f"Invalid number of workers: {workers}. Give a number from 0")
    given = mixture if mixture is not None else dict.fromkeys([tasks] if isinstance(tasks, str) else tasks or (), 1.0)
    shares: dict[str, float] = {}
    for pattern, share in given.items():
        if not 0 < share < float("inf"):
            raise ValueError(f"Invalid share of {pattern}: {share}. Give a number above 0")
        matching = [task.id for task in registry.matching([pattern])]
        for task in matching:
            if task in shares:
                raise ValueError(f"{task} has two shares: {', '.join(p for p in given if fnmatchcase(task, p))}. Name it once")
            shares[task] = share / (len(matching) if mixture is not None else 1)
    if not shares:
        raise ValueError("No tasks. Give at least one task id or glob")
    chosen = registry.require_setting_support([registry.task(task) for task in shares], settings)
    per_task = dict(zip(shares, chosen, strict=True))
    return ExampleStream(shares, seed, split, levels, Shard.parse(shard), workers, kind, style, per_task)
