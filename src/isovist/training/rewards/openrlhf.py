"""A reward function for OpenRLHF: `--reward.remote_url` is this file, and `--data.label_key` the column of the key."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from isovist.common.errors import UserError, optional_package
from isovist.training.rewards.scoring import reward_credit

_SHORTEST = 12
"""Characters of the end of a prompt that must occur in its query."""


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    """The credit of each response in [0, 1], as tensors `rewards` and `scores`.

    A query is the prompt with its response. Its images are expanded to their tokens, so the response is what follows the longest end of the
    prompt that the query has. Raises UserError for an invalid or missing key, and for a query without its prompt.
    """
    rewards: list[float] = []
    for query, prompt, label in zip(queries, prompts, labels, strict=True):
        missing = bisect_left(range(len(prompt)), True, key=lambda start, prompt=prompt, query=query: prompt[start:] in query)
        end = prompt[missing:]
        credit = reward_credit(query.split(end, prompt.count(end))[-1] if end else "", label)
        if credit is None or len(end) < min(_SHORTEST, len(prompt)):
            fault = "an example has no key. Set --data.label_key" if credit is None else "the query does not contain the end of its prompt"
            raise UserError(f"OpenRLHF's reward function: {fault}: {prompt[-80:]!r}.")
        rewards.append(credit)
    values = optional_package("torch", "a reward of OpenRLHF").tensor(rewards)
    return {"rewards": values, "scores": values, "extra_logs": {}}
