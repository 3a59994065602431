"""A reward function for verl: `custom_reward_function.path` is this file, `custom_reward_function.name` is `compute_score`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isovist.common.errors import UserError
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards.scoring import has_valid_format, key_of, words


def compute_score(
    data_source: Any,
    solution_str: Any,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    format_weight: float = 0.0,
    **more: Any,
) -> float:
    """The reward of one response in [0, 1]: (1 - `format_weight`) times its credit plus `format_weight` times its format reward.

    `extra_info` may hold the prompt `style` and whether the response was `truncated`. Raises UserError for an invalid or missing key.
    """
    del more
    key = key_of(ground_truth)
    if key is None:
        raise UserError(f"ground_truth: an example of {data_source!r:.60} has no key. Remove examples without a key from the data.")
    info: Mapping[str, Any] = extra_info or {}
    if info.get("truncated"):
        return 0.0
    text = words(solution_str)
    right = key.score(text).credit
    if not format_weight:
        return right
    return (1 - format_weight) * right + format_weight * has_valid_format(text, key, info.get("style") or DEFAULT_STYLE)
