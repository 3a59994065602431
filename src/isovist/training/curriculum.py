"""Curricula: the level of each task follows the rewards of its items.

The level is a number between the first level of a task and its last one, moved by stochastic approximation (Robbins and Monro 1951): up
by `gain` times the reward above the expected one, down by `gain` times the reward below it. An item has one of the two neighbouring levels,
with the nearer one more often. The expected reward is the target at the current level, higher at easier levels and lower at harder ones. So
the mean reward tends to the target, and the level follows a model that improves. Rewards that arrive together, for items planned at one level,
move it by about one level at most (target 0.5): the further it has moved, the less the remaining rewards of the batch differ from the expected one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any

from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import ItemAddress
from isovist.suites import registry

_GAIN, _GAIN_PER_LEVEL = 0.15, 0.015
"""Levels per unit of reward, and for each level of the task in addition: a task with 20 levels is crossed in about 80 items."""
_EXPECTED_PER_LEVEL = 0.5
"""Fall of the expected reward for each level. With half of the steepest possible fall of the rewards, 1, or more, large batches do not make the
level oscillate.
"""


@dataclass
class Curriculum:
    """Levels that adapt to rewards; for `isovist.stream(levels=...)`.

    Attributes:
        levels: The levels to use, easiest first and separated by commas; all levels of each task by default.
        target: The mean reward to reach, above 0 and below 1.

    Raises:
        ValueError: For a target outside of (0, 1).
    """

    levels: str | None = None
    target: float = 0.5
    _position: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        if not 0 < self.target < 1:
            raise ValueError(f"Invalid target: {self.target}. Give a reward above 0 and below 1")

    def update(self, item_id: str, reward: float) -> None:
        """Tell the reward of a response to an item, from 0 to 1; in any order, also for a whole batch of items.

        Args:
            item_id: The id of the item, also with the kind of example after it.
            reward: The reward; the mean of a group of responses works as well.

        Raises:
            ValueError: For an invalid id, a level that the curriculum does not use, and a reward outside of [0, 1].
        """
        if not 0 <= reward <= 1:
            raise ValueError(f"Invalid reward: {reward}. Give a number from 0 to 1")
        address = ItemAddress.parse(item_id)
        levels, position = self.levels_of(address.task), self.position(address.task)
        if address.level not in levels:
            raise ValueError(f"Invalid level: {item_id}. This curriculum uses {', '.join(levels)}")
        expected = self.target + _EXPECTED_PER_LEVEL * (position - levels.index(address.level))
        moved = position + (_GAIN + _GAIN_PER_LEVEL * (len(levels) - 1)) * (reward - min(max(expected, 0.0), 1.0))
        self._position[address.task] = min(max(moved, 0.0), len(levels) - 1.0)

    def update_batch(self, item_ids: Sequence[str], rewards: Sequence[float | None]) -> None:
        """Update with the responses of a batch, where an item with several responses counts once, with their mean reward.

        Args:
            item_ids: The id of the item of each response.
            rewards: The reward of each response, from 0 to 1; None for a response without one.

        Raises:
            ValueError: As `update`, and for another number of ids than rewards.
        """
        groups: dict[str, list[float]] = {}
        for item_id, reward in zip(item_ids, rewards, strict=True):
            if reward is not None:
                groups.setdefault(item_id, []).append(reward)
        for item_id, values in groups.items():
            self.update(item_id, sum_in_order(values) / len(values))

    def levels_of(self, task: str) -> tuple[str, ...]:
        """The levels of a task, easiest first."""
        return registry.task(task).levels if self.levels is None else tuple(self.levels.split(","))

    def position(self, task: str) -> float:
        """The place between the first level of a task, 0, and its last one."""
        return self._position.get(task, 0.0)

    def level(self, task: str, rng: Rng) -> str:
        """The level of the next item of a task."""
        levels, position = self.levels_of(task), self.position(task)
        nth = floor(position)
        return levels[min(nth + rng.chance(position - nth), len(levels) - 1)]

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs to go on; JSON can store it."""
        return {"levels": self.levels, "target": self.target, "position": dict(self._position)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state. Raises ValueError for that of a curriculum with other arguments."""
        if (state["levels"], state["target"]) != (self.levels, self.target):
            raise ValueError(f"The state is that of another curriculum: levels {state['levels']}, target {state['target']}")
        self._position = dict(state["position"])
