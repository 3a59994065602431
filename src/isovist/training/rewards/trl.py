"""Reward functions for TRL: `GRPOTrainer(reward_funcs=[reward, format_reward], ...)`.

A trainer calls them with `completions` (strings or conversations) and each further column of the data by name. The reward of an example
without a key is None, which TRL excludes from the advantage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isovist.common.errors import UserError
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards.scoring import has_valid_format, key_of, reward_credit, words


def reward(completions: Sequence[Any], ground_truth: Sequence[Any] | None = None, **columns: Any) -> list[float | None]:
    """The credit of each completion in [0, 1]. Raises UserError for invalid or missing keys."""
    del columns
    return [reward_credit(reply, key) for reply, key in zip(completions, _column("ground_truth", ground_truth, completions), strict=True)]


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
