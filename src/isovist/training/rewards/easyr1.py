"""A reward function for EasyR1: `worker.reward.reward_function` is this file and `:compute_score`, for either `reward_type`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, overload

from isovist.common.errors import UserError
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards.scoring import has_valid_format, key_of, words


class Rewards(TypedDict):
    """The training reward of EasyR1 (`overall`) and the metrics that it logs."""

    overall: float
    format: float
    accuracy: float


@overload
def compute_score(
    reward_inputs: Mapping[str, Any], *, format_weight: float = ..., style: str = ..., max_response_length: int | None = ...
) -> Rewards: ...
@overload
def compute_score(
    reward_inputs: Sequence[Mapping[str, Any]], *, format_weight: float = ..., style: str = ..., max_response_length: int | None = ...
) -> list[Rewards]: ...
def compute_score(
    reward_inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    format_weight: float = 0.1,
    style: str = DEFAULT_STYLE,
    max_response_length: int | None = None,
) -> Rewards | list[Rewards]:
    """The rewards of one response, or of each response of a batch, in [0, 1].

    An input has `response`, `ground_truth` and `response_length` in tokens. The settings come from `reward_function_kwargs`:
    `format_weight` is the weight of the format reward, `style` the prompt style of the data. A response of `max_response_length` tokens
    or more is truncated and has reward 0. Raises UserError for an invalid or missing key.
    """
    if isinstance(reward_inputs, Mapping):
        return _rewards(reward_inputs, format_weight, style, max_response_length)
    return [_rewards(one, format_weight, style, max_response_length) for one in reward_inputs]


def _rewards(example: Mapping[str, Any], weight: float, style: str, limit: int | None) -> Rewards:
    key = key_of(example.get("ground_truth"))
    if key is None:
        raise UserError("ground_truth: an example has no key. Remove examples without a key from the data.")
    if limit is not None and example.get("response_length", 0) >= limit:
        return Rewards(overall=0.0, format=0.0, accuracy=0.0)
    text = words(example.get("response"))
    right, form = key.score(text).credit, float(has_valid_format(text, key, style))
    return Rewards(overall=(1 - weight) * right + weight * form, format=form, accuracy=right)
