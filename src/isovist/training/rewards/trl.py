"""Reward functions for TRL: `GRPOTrainer(reward_funcs=[reward, format_reward], ...)`.

A trainer calls them with `completions` (strings or conversations) and each further column of the data by name. The reward of an example
without a key is None, which TRL excludes from the advantage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from isovist.common.errors import UserError
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards.scoring import has_valid_format, key_of, reward_credit, words

if TYPE_CHECKING:
    from isovist.training.curriculum import Curriculum


def reward(completions: Sequence[Any], ground_truth: Sequence[Any] | None = None, **columns: Any) -> list[float | None]:
    """The credit of each completion in [0, 1]. Raises UserError for invalid or missing keys."""
    del columns
    return [reward_credit(reply, key) for reply, key in zip(completions, _column("ground_truth", ground_truth, completions), strict=True)]


def curriculum_reward(curriculum: Curriculum) -> Callable[..., list[float | None]]:
    """A function like `reward` that also updates a curriculum with the mean reward of each item.

    The data need the column `id`, as those of `ExampleStream.to_hf` have; without it nothing is updated. Where accelerate runs several processes,
    each of them updates its curriculum with the rewards of all.
    """

    def credit(completions: Sequence[Any], id: Sequence[str] | None = None, **columns: Any) -> list[float | None]:
        rewards = reward(completions, **columns)
        if id is not None:
            pairs = list(zip(id, rewards, strict=True))
            if "accelerate" in sys.modules:  # TRL imports it
                pairs: list[tuple[str, float | None]] = sys.modules["accelerate"].utils.gather_object(pairs)
            curriculum.update_batch([item_id for item_id, _ in pairs], [value for _, value in pairs])
        return rewards

    return credit


def format_reward(
    completions: Sequence[Any], ground_truth: Sequence[Any] | None = None, style: str | Sequence[str | None] | None = None, **columns: Any
) -> list[float | None]:
    """1 for each completion in the requested format, correct or not, else 0; `style` is the prompt style, or a column of styles."""
    del columns
    keys = _column("ground_truth", ground_truth, completions)
    styles = _column("style", [style] * len(completions) if isinstance(style, str) else style, completions)
    return [_format_reward(reply, key, style) for reply, key, style in zip(completions, keys, styles, strict=True)]


def _format_reward(reply: Any, ground_truth: Any, style: str | None) -> float | None:
    key = key_of(ground_truth)
    return None if key is None else float(has_valid_format(words(reply), key, style or DEFAULT_STYLE))


def _column(name: str, column: Sequence[Any] | None, completions: Sequence[Any]) -> Sequence[Any]:
    """A column with one value for each completion; a missing column has None for each."""
    if column is None:
        return [None] * len(completions)
    if isinstance(column, (str, dict)) or len(column) != len(completions):
        raise UserError(f"{name}: the column does not have one value for each completion. Give a list of {len(completions)} values.")
    return column
