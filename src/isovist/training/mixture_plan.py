"""From a recipe to the example at each position of its mixture."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Any

from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.data.dataset.generation_request import requested
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.training_examples import Kind
from isovist.data.item import Item, make_item
from isovist.data.item_options import ItemOptions
from isovist.data.items import Items
from isovist.data.prompts import DEFAULT_STYLE
from isovist.suites import registry
from isovist.training.recipe import MixtureComponent, MixtureRecipe


@dataclass(frozen=True)
class Share:
    """Items of one task, some of which have a chain of thought."""

    part: DataPart
    reasoning: float
    """Proportion with a chain of thought, 0 to 1."""
    style: str | None = None
    """The prompt style; None: that of each kind."""
    reason: str = ""
    """The reason for training on the test split."""

    def __getstate__(self) -> dict[str, Any]:
        # recomputed in each process: a task cannot be pickled
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def items(self) -> Items:
        return self.part.items()

    def item(self, place: int) -> Item:
        """Return the item at an index; beyond the end: a spare item."""
        return make_item(self.items.task, self.items.address(place))

    def kind(self, place: int) -> Kind:
        """Return the kind of example for the item at an index.

        Complete blocks of the strata are sampled within each level, so both kinds are balanced over levels and keys as far as possible.
        """
        address = self.items.address(place)
        quota, cells, blocks = self._levels[address.level]
        block, rest = divmod(address.index, cells)
        drawn = blocks[block] if block < len(blocks) else block  # the last block is incomplete
        return "reasoning" if drawn * cells + rest < quota else "answer"

    @cached_property
    def _levels(self) -> dict[str, tuple[int, int, list[int]]]:
        """Return for each level the number of items with a chain of thought, the block size, and the sampling order of complete blocks."""
        cycle = self.items.levels
        rounds, rest = divmod(self.part.n, len(cycle))
        counts = {level: rounds * cycle.count(level) + cycle[:rest].count(level) for level in cycle}
        ends = [0, *accumulate(counts.values())]
        quotas = [round(self.reasoning * after) - round(self.reasoning * before) for before, after in pairwise(ends)]
        stream = Rng("mix", "reasoning", self.part.task, self.part.seed)
        cells = {level: self.items.task.cells_at(level) for level in counts}
        return {
            level: (quota, cells[level], stream.at(level).shuffled(range(count // cells[level])))
            for (level, count), quota in zip(counts.items(), quotas, strict=True)
        }


@dataclass(frozen=True)
class MixturePlan:
    """The content and order of a mixture."""

    seed: int
    shares: tuple[Share, ...]
    general: int = 0
    """Number of external records; their numbers follow those of all items."""

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(share.part.n for share in self.shares))

    @property
    def items(self) -> int:
        """Number of examples that are items."""
        return self._ends[-1] if self.shares else 0

    def __len__(self) -> int:
        return self.items + self.general

    def number(self, place: int) -> int:
        """Return the example number at a position of the mixture: items come first, share by share."""
        return _order(self.seed, len(self))[place]

    def share(self, number: int) -> tuple[int, int]:
        """Return, for an item number, the index of its share and its index in the share."""
        which = bisect_right(self._ends, number)
        return which, number - (self._ends[which - 1] if which else 0)


@lru_cache(maxsize=2)
def _order(seed: int, n: int) -> list[int]:
    """Return the numbers of a mixture in shuffled order, cached per process."""
    return Rng("mix", "order", seed).shuffled(range(n))


def shares(recipe: MixtureRecipe) -> MixturePlan:
    """Plan a recipe. Raises UserError if it cannot be fulfilled."""
    shares: list[Share] = []
    for place, component in enumerate(recipe.parts, 1):
        try:
            shares += _of(component, recipe.seed)
        except UserError as error:
            raise UserError(f"part {place}: {error}") from None
    parts = Counter((share.part.task, share.part.split, share.part.seed, level) for share in shares for level in set(share.items.levels))
    for (task, _, seed, _), count in parts.items():
        if count > 1:
            raise UserError(f"{task} stands in two parts with seed {seed}; give one of them a seed of its own.")
    return MixturePlan(recipe.seed, tuple(shares), recipe.general.n if recipe.general else 0)


def _of(component: MixtureComponent, seed: int) -> Iterable[Share]:
    items = ItemOptions(
        n=component.n,
        seed=seed if component.seed is None else component.seed,
        split=component.split,
        level=",".join(component.levels) or None,
        task_options=component.settings,
        preset="paper" if component.paper else None,
    )
    parts, left_out = requested(component.tasks, items, default=0, style=component.style or DEFAULT_STYLE)
    if left_out:
        raise UserError(f"the paper has no {component.split} split of {', '.join(left_out)}; leave it out, or say n instead of paper.")
    for part in parts:
        share = component.share
        if share > 0 and registry.task(part.task).reasoning is None:
            if not component.lenient:
                raise UserError(
                    f'{part.task} has no chain of thought to learn from; say reasoning = "{component.reasoning} where there is" for bare '
                    "answers there, or reasoning = 0."
                )
            share = 0.0
        yield Share(part, share, component.style, component.reason)
