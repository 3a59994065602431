"""What a reply came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal[
    "correct",  # the key
    "partial",  # some credit, where the answer gives it
    "incorrect",  # a parsed answer that is not the key
    "unparsed",  # words, but no one final answer in them
    "empty",  # no words
    "refused",  # the model declines
    "filtered",  # the provider's content filter stopped the reply
    "truncated",  # the reply ran into its token limit
    "request_error",  # the request failed: no score
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Score:
    """`value` is the credit in [0, 1]; `parsed` what was read, in canonical form, or None."""

    outcome: Outcome
    credit: float = 0.0
    parsed_answer: str | None = None
