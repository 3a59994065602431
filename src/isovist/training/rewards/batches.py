"""The credits of a large batch of responses, computed in several processes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context

from isovist.common.errors import UserError
from isovist.training.rewards.scoring import reward_credit, words

_CHUNK = 500
"""Responses that a process scores at a time: enough that their transfer takes little of the time."""


def reward_credits(replies: Sequence[object], ground_truths: Sequence[object], *, workers: int = 1) -> list[float | None]:
    """The credit of each response, as `reward_credit` gives it, in the order of the responses.

    With `workers` above 1, batches of more than 500 responses are scored in that many processes, which are started once and kept: the
    first such call takes about a second longer. A script that uses them needs `if __name__ == "__main__":`. Raises UserError for invalid
    keys.
    """
    if len(replies) != len(ground_truths):
        raise UserError(f"ground_truths: {len(ground_truths)} values for {len(replies)} responses. Give one value for each response.")
    starts = range(0, len(replies), _CHUNK)
    chunks = (([words(reply) for reply in replies[at : at + _CHUNK]], list(ground_truths[at : at + _CHUNK])) for at in starts)
    if workers <= 1 or len(starts) <= 1:
        return [credit for chunk in chunks for credit in _credits(chunk)]
    return [credit for credits_of_chunk in _processes(workers).map(_credits, chunks) for credit in credits_of_chunk]


def _credits(chunk: tuple[list[str], list[object]]) -> list[float | None]:
    return [reward_credit(reply, key) for reply, key in zip(*chunk, strict=True)]


@lru_cache(maxsize=1)
def _processes(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))  # a fork would copy the threads of a trainer
