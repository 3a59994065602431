"""A count, and a number with a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import ClassVar, get_args

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.number_parser import Sense, count_parser, measure_parser
from isovist.core.answers.numbers import written
from isovist.core.answers.score import Score
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order

_MOST_IMAGES = 9


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number. A random answer is uniform from `low` to `high`, both included."""

    truth: int
    low: int = 0
    high: int = 10
    kind: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        if not self.low <= self.truth <= self.high or self.low == self.high:
            raise ValueError(f"a count of {self.truth} does not lie between {self.low} and {self.high}")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return "one whole number in digits"

    def canonical(self) -> str:
        return str(self.truth)

    def score(self, reply: str) -> Score:
        return score_response(reply, count_parser(labels=self._labels), lambda n: n == self.truth, written)

    def format_response(self, text: str) -> bool:
        return count_parser(labels=self._labels).whole(text) is not None

    @property
    def _labels(self) -> bool:
        """Whether the number may be that of one of a few images, from 1."""
        return self.low == 1 and self.high <= _MOST_IMAGES

    def chance(self) -> float:
        return 1 / (self.high - self.low + 1)

    def random_answer(self, rng: Rng) -> str:
        return str(rng.integer(self.low, self.high))

    def wrong_answers(self) -> list[str]:
        return [str(n) for n in range(self.truth - 2, self.truth + 3) if n != self.truth and n >= 0]

    def balance_bin(self) -> str:
        return str(self.truth)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, correct within `tolerance`. With a `period` (360 for degrees) it is circular.

    A random answer is uniform in [`low`, `high`]. `sense` is the positive direction of rotation; the number of a response with the
    opposite direction is negated.
    """

    truth: float
    tolerance: float
    low: float
    high: float
    period: float = 0.0
    unit: str = ""
    sense: Sense = ""
    kind: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        if not (all(map(isfinite, (self.truth, self.tolerance, self.low, self.high, self.period))) and self.low < self.high):
            raise ValueError(f"a number needs finite values and bounds with low < high: {self}")
        if self.tolerance < 0 or self.period < 0 or (self.period and 2 * self.tolerance >= self.period):
            raise ValueError(f"a number needs a tolerance from 0 to less than half of its period: {self}")
        if not self.period and not self.low <= self.truth <= self.high:
            raise ValueError(f"the number {self.truth} does not lie between {self.low} and {self.high}")
        if self.sense not in get_args(Sense):
            raise ValueError(f"unknown sense of rotation {self.sense!r}; known are clockwise and counterclockwise")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        sense = f", {self.sense} positive" if self.sense else ""
        return f"one number{unit}{sense}"

    def canonical(self) -> str:
        return written(float(f"{self.truth:.9g}"))  # the precision of an item id

    def error(self, value: float) -> float:
        """The signed difference to the key; for a circular number in [-period/2, period/2)."""
        if not self.period:
            return value - self.truth
        return (value - self.truth + self.period / 2) % self.period - self.period / 2

    def score(self, reply: str) -> Score:
        slack = 1e-9 * max(1.0, abs(self.truth))
        return score_response(reply, measure_parser(self.sense, self.unit), lambda x: abs(self.error(x)) <= self.tolerance + slack, written)

    def format_response(self, text: str) -> bool:
        return measure_parser(self.sense, self.unit).whole(text) is not None

    def chance(self) -> float:
        """The proportion of [low, high] that is correct."""
        keys = [self.truth]
        if self.period:
            first, last = ((bound - self.truth) / self.period for bound in (self.low, self.high))
            keys = [self.truth + turn * self.period for turn in range(floor(first) - 1, ceil(last) + 2)]
        shares = (min(self.high, key + self.tolerance) - max(self.low, key - self.tolerance) for key in keys)
        return min(1.0, sum_in_order(max(0.0, share) for share in shares) / (self.high - self.low))

    def random_answer(self, rng: Rng) -> str:
        return f"{rng.uniform(self.low, self.high):.6f}"

    def wrong_answers(self) -> list[str]:
        span = self.period / 2 if self.period else 2 * self.tolerance + 1
        return [written(round(self.truth + d, 6)) for d in (span, -span / 2) if abs(self.error(self.truth + d)) > self.tolerance]

    def balance_bin(self) -> str:
        return written(self.truth)
