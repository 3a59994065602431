"""The score of one response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal[
    "correct",  # the key
    "partial",  # partial credit, for answer types that have it
    "incorrect",  # a parsed answer that is not the key
    "unparsed",  # text without exactly one final answer
    "empty",  # no text
    "refused",  # the model declines
    "filtered",  # the provider's content filter stopped the response
    "truncated",  # the response reached the token limit
    "request_error",  # the request failed: no score
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one response.

    Attributes:
        outcome: One of ``"correct"``, ``"partial"``, ``"incorrect"``, ``"unparsed"``, ``"empty"``, ``"refused"``, ``"filtered"``,
            ``"truncated"`` and ``"request_error"``.
        credit: The credit in [0, 1].
        parsed_answer: The final answer in canonical form; None for a response without one.
    """

    outcome: Outcome
    credit: float = 0.0
    parsed_answer: str | None = None
