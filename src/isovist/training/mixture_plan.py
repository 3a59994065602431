"""From a recipe to what stands at each place of its mix."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Any

from isovist import registry
from isovist.core.rng import Rng
from isovist.dataset.generation_request import requested
from isovist.dataset.manifest import DataPart
from isovist.dataset.training_examples import Kind
from isovist.errors import UserError
from isovist.items import Item, Items, make_item
from isovist.prompts import DEFAULT_STYLE
from isovist.training.recipe import MixtureComponent, MixtureRecipe


@dataclass(frozen=True)
class Share:
    """Items of one task, some of which carry a chain of thought."""

    part: DataPart
    reasoning: float
    """The share of them, from 0 to 1."""
    style: str | None = None
    """The prompt style; None for that of each kind."""
    reason: str = ""
    """Why they are of the test split."""

    def __getstate__(self) -> dict[str, Any]:
        # another process makes the rest again: a task cannot be sent to it
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def items(self) -> Items:
        return self.part.items()

    def item(self, place: int) -> Item:
        """The item at a place, or beyond the end: one that is to spare."""
        return make_item(self.items.task, self.items.address(place))

    def kind(self, place: int) -> Kind:
        """What the item at a place teaches.

        Whole blocks of the answers' design are drawn within each level, so that both kinds have as many items of each level and of each
        answer as their number allows.
        """
        index, level = divmod(place, len(self.items.levels))
        quota, cells, blocks = self._levels[level]
        block, rest = divmod(index, cells)
        drawn = blocks[block] if block < len(blocks) else block  # the last block is not whole
        return "reasoning" if drawn * cells + rest < quota else "answer"

    @cached_property
    def _levels(self) -> list[tuple[int, int, list[int]]]:
        """Of each level: how many of its items carry reasoning, the size of its blocks, and the order in which whole ones are drawn."""
        levels = self.items.levels
        counts = [len(range(turn, self.part.n, len(levels))) for turn in range(len(levels))]
        quotas = [round(self.reasoning * after) - round(self.reasoning * before) for before, after in pairwise([0, *accumulate(counts)])]
        stream = Rng("mix", "reasoning", self.part.task, self.part.seed)
        sizes = [self.items.task.cells_at(level) for level in levels]
        return [
            (quota, cells, stream.at(level).shuffled(range(count // cells)))
            for level, count, quota, cells in zip(levels, counts, quotas, sizes, strict=True)
        ]


@dataclass(frozen=True)
class MixturePlan:
    """Everything that goes into a mix, and its order."""

    seed: int
    shares: tuple[Share, ...]
    general: int = 0
    """How many records of general data; their numbers come after those of all items."""

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(share.part.n for share in self.shares))

    @property
    def items(self) -> int:
        """How many of its examples are items."""
        return self._ends[-1] if self.shares else 0

    def __len__(self) -> int:
        return self.items + self.general

    def number(self, place: int) -> int:
        """The number of the example that stands at a place of the mix: those of items come first, share by share."""
        return _order(self.seed, len(self))[place]

    def share(self, number: int) -> tuple[int, int]:
        """The place of its share, and its place in that, for the number of an item."""
        which = bisect_right(self._ends, number)
        return which, number - (self._ends[which - 1] if which else 0)


@lru_cache(maxsize=2)
def _order(seed: int, n: int) -> list[int]:
    """The numbers of a mix in shuffled order, made once in each process."""
    return Rng("mix", "order", seed).shuffled(range(n))


def shares(recipe: MixtureRecipe) -> MixturePlan:
    """What a recipe asks for. Raises UserError if it cannot be had."""
    shares: list[Share] = []
    for place, component in enumerate(recipe.parts, 1):
        try:
            shares += _of(component, recipe.seed)
        except UserError as error:
            raise UserError(f"part {place}: {error}") from None
    _refuse_what_comes_twice(shares)
    return MixturePlan(recipe.seed, tuple(shares), recipe.general.n if recipe.general else 0)


def _of(component: MixtureComponent, seed: int) -> Iterable[Share]:
    sizes = "paper" if component.paper else None
    parts, left_out = requested(
        component.tasks, default=0, n=component.n, seed=seed if component.seed is None else component.seed, split=component.split,
        level=",".join(component.levels) or None, settings=component.settings, sizes=sizes, style=component.style or DEFAULT_STYLE,
    )  # fmt: skip
    if left_out:
        raise UserError(f"the paper has no {component.split} split of {', '.join(left_out)}; leave it out, or say n instead of paper.")
    for part in parts:
        share = component.share
        if share > 0 and registry.task(part.task).chain_of_thought is None:
            if not component.lenient:
                raise UserError(
                    f'{part.task} has no chain of thought to learn from; say reasoning = "{component.reasoning} where there is" for bare '
                    "answers there, or reasoning = 0."
                )
            share = 0.0
        yield Share(part, share, component.style, component.reason)


def _refuse_what_comes_twice(shares: Iterable[Share]) -> None:
    parts = Counter((share.part.task, share.part.split, share.part.seed, level) for share in shares for level in share.items.levels)
    for (task, _, seed, _), count in parts.items():
        if count > 1:
            raise UserError(f"{task} stands in two parts with seed {seed}; give one of them a seed of its own.")
