"""Items as a procedural dataset of reasoning-gym: generated on access, in entries that can be scored.

>>> data = create_dataset("cdr/relative-compass-letter", size=8, seed=1)
>>> data.score_answer(f"Answer: {data[3]['answer']}", data[3])
1.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, overload

from isovist.core.answers import key_json
from isovist.training.rewards.scoring import reward_credit

if TYPE_CHECKING:
    from isovist.data.item import Item


class Entry(TypedDict):
    """One question. `metadata` has the typed `key`, with which answers are scored, and the id of the item."""

    question: str
    """The prompt, with one ``<image>`` for each image."""
    answer: str
    """A correct answer; other answers may also be correct."""
    images: list[Any]
    """PIL images, RGB, in the order of the ``<image>`` marks."""
    metadata: dict[str, Any]


@dataclass(frozen=True)
class ItemDataset(Sequence[Entry]):
    """Items of one task as entries, by index."""

    name: str
    items: Sequence[Item]
    seed: int

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> list[Entry]: ...
    def __getitem__(self, place: int | slice) -> Entry | list[Entry]:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        item = self.items[place]
        metadata = {
            "source_dataset": self.name,
            "source_index": place % len(self),
            "id": item.id,
            "level": item.level,
            "key": key_json(item.answer),
        }
        return Entry(question=item.prompt, answer=item.answer.canonical(), images=item.images, metadata=metadata)

    def score_answer(self, answer: Any, entry: Mapping[str, Any]) -> float:
        """The credit of an answer to an entry, in [0, 1]."""
        return score_answer(answer, entry)


def create_dataset(
    name: str, size: int = 500, seed: int = 0, split: str = "train", level: str | None = None, **settings: int | str
) -> ItemDataset:
    """A dataset of `size` items of a task, deterministic for its arguments. Raises ValueError for an invalid argument."""
    from isovist.data.items import Items
    from isovist.suites.registry import require_setting_support, task

    chosen = task(name)
    (values,) = require_setting_support([chosen], settings)
    return ItemDataset(chosen.id, Items(chosen, size, seed, split, level, tuple(sorted(values.items()))), seed)


def score_answer(answer: Any, entry: Mapping[str, Any]) -> float:
    """The credit of an answer to an entry of `create_dataset`, in [0, 1].

    Raises UserError for an entry with an invalid key, never for an answer.
    """
    return reward_credit(answer, entry["metadata"]["key"]) or 0.0
