"""A count, a number with a tolerance, and a tuple of counts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, isfinite, prod
from typing import ClassVar, Literal, cast

from isovist.core.answers.numbers import numbers, written
from isovist.core.answers.phrases import sentences
from isovist.core.answers.score import Score
from isovist.core.answers.settle import Plain, first_of, judge
from isovist.core.answers.wording import key, lexicon
from isovist.core.rng import Rng

Sense = Literal["", "clockwise", "counterclockwise"]

_COUNTER = re.compile(r"\b(?:counter[\s-]?clockwise|anti[\s-]?clockwise|ccw)\b", re.IGNORECASE)
_CLOCKWISE = re.compile(r"(?<!counter)(?<!counter[\s-])(?<!anti)(?<!anti[\s-])\b(?:clockwise|cw)\b", re.IGNORECASE)
_UNIT = re.compile(r"\s*(?:°|度|도|deg(?:ree)?s?\b\.?|(?<=\d)(?:cm|mm|km|m|px|in|ft)\b)", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:at (?:least|most)|(?:more|less|fewer|greater|larger|smaller|no more|no less) than|over|under|up to|nearly|almost|between|minimum|maximum)\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"(?:\s|:|\b(?:that|it is|it's|exactly|about|approximately|roughly|around|only|just|probably|likely|clearly|there are|there is|equal to)\b)+",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(r"\s*(?:[,;]|\s[-–—]\s)?\s*(?:because|since|as|namely|with|given|:)", re.IGNORECASE)


class _Numbers(Plain[float]):
    """How one number is written."""

    token = r"[-+\u2212]?\d+(?:\.\d+)?(?:\s?°)?"  # noqa: S105 - no password

    def __init__(self, nouns: str = "", sense: Sense = "") -> None:
        self.nouns = nouns
        self.sense = sense

    def _values(self, text: str) -> list[float]:
        return [found.value for found in numbers(text)]

    def whole(self, text: str) -> float | None:
        return self._alone(text, words=2)

    def line(self, text: str) -> float | None:
        return self._alone(text, words=0)

    def _alone(self, text: str, words: int) -> float | None:
        """The number in `text` if besides it there are only its unit and at most so many words ("7 circles")."""
        bare = _SOFT.sub(" ", _UNIT.sub(" ", text.strip(" \n\"'()[]{}.!,*")), count=1).strip() if text[:1] not in "-+\u2212" else text
        bare = _UNIT.sub(" ", bare).strip(" \n\"'()[]{}.!,*")
        found = list(numbers(bare))
        if len(found) != 1 or found[0].start != 0:
            return None
        rest = bare[found[0].end :]
        turned = _CLOCKWISE.sub("", _COUNTER.sub("", rest))
        if re.search(r"[^\w\s'-]", turned) or len(turned.split()) > words or (rest and not rest[0].isspace()):
            return None
        return self._signed(found[0].value, rest)

    def _signed(self, value: float, text: str) -> float | None:
        """`value` in the sense that counts as positive; None if the words name both senses."""
        counter, clockwise = bool(_COUNTER.search(text)), bool(_CLOCKWISE.search(text))
        if not self.sense or counter == clockwise:
            return None if self.sense and counter else value
        return value if counter == (self.sense == "counterclockwise") else -value

    def stated(self, text: str) -> float | None:
        first = next(sentences(text), "").strip()
        if _BOUND.search(first):
            return None
        value = self._alone(first, words=2)
        if value is not None:
            return value
        plain = _UNIT.sub(" ", re.sub(r"\([^()]*\)", " ", first))
        if re.search(r"\d\s*(?:-|–|—|to|/)\s*\d", plain):
            return None
        total = plain.rpartition("=")[2] if "=" in plain else plain
        found = list(numbers(total))
        if len(found) == 1:
            return self._signed(found[0].value, first)
        soft = _SOFT.match(total)
        start = soft.end() if soft else 0
        if found and found[0].start == start and _EXPLAINS.match(total[found[0].end :]):
            return self._signed(found[0].value, first)
        return None

    def told(self, sentence: str) -> float | None:
        if _BOUND.search(sentence):
            return None
        values = set(self._values(_UNIT.sub(" ", sentence.rpartition("=")[2])))
        return self._signed(values.pop(), sentence) if len(values) == 1 else None

    def mentioned(self, text: str) -> frozenset[float]:
        return frozenset(self._values(_UNIT.sub(" ", text)))


_COUNTS = _Numbers(nouns=r"total(?:\s+(?:number|count))?(?:\s+of\s+[\w\s-]{1,40}?)?|count|(?:total\s+)?number\s+of\s+[\w\s-]{1,40}?|sum")
_NUMBERS: dict[Sense, _Numbers] = {
    sense: _Numbers(nouns=r"angle|rotation|turn|value|number|distance|difference", sense=sense)
    for sense in ("", "clockwise", "counterclockwise")
}


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number. `low` and `high` are what a guesser would consider, both included."""

    truth: int
    low: int = 0
    high: int = 10
    kind: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        if not self.low <= self.truth <= self.high or self.low == self.high:
            raise ValueError(f"a count of {self.truth} does not lie between {self.low} and {self.high}")

    def listing(self) -> str:
        return ""

    def form(self) -> str:
        return "one whole number in digits"

    def canonical(self) -> str:
        return str(self.truth)

    def score(self, reply: str) -> Score:
        return judge(reply, _COUNTS, lambda n: n == self.truth, written)

    def chance(self) -> float:
        return 1 / (self.high - self.low + 1)

    def guess(self, rng: Rng) -> str:
        return str(rng.integer(self.low, self.high))

    def wrong(self) -> list[str]:
        return [str(n) for n in range(self.truth - 2, self.truth + 3) if n != self.truth and n >= 0]

    def bin(self) -> str:
        return str(self.truth)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, right within `tolerance`. With a `period` (360 for degrees) it lives on a circle.

    `low` and `high` bound what a guesser would consider. `sense` names the turn that counts as positive; a reply that
    names the other one is negated.
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
        if self.sense not in _NUMBERS:
            raise ValueError(f"unknown sense {self.sense!r} of a turn; known are clockwise and counterclockwise")

    def listing(self) -> str:
        return ""

    def form(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        sense = f", {self.sense} positive" if self.sense else ""
        return f"one number{unit}{sense}"

    def canonical(self) -> str:
        return written(float(f"{self.truth:.9g}"))  # what an item keeps of it

    def error(self, value: float) -> float:
        """The signed difference to the key, on the circle if there is one: in [-period/2, period/2)."""
        if not self.period:
            return value - self.truth
        return (value - self.truth + self.period / 2) % self.period - self.period / 2

    def score(self, reply: str) -> Score:
        slack = 1e-9 * max(1.0, abs(self.truth))
        return judge(reply, _NUMBERS[self.sense], lambda x: abs(self.error(x)) <= self.tolerance + slack, written)

    def chance(self) -> float:
        """The share of [low, high] that is right."""
        keys = [self.truth]
        if self.period:
            first, last = ((bound - self.truth) / self.period for bound in (self.low, self.high))
            keys = [self.truth + turn * self.period for turn in range(floor(first) - 1, ceil(last) + 2)]
        shares = (min(self.high, key + self.tolerance) - max(self.low, key - self.tolerance) for key in keys)
        return min(1.0, sum(max(0.0, share) for share in shares) / (self.high - self.low))

    def guess(self, rng: Rng) -> str:
        return f"{rng.uniform(self.low, self.high):.6f}"

    def wrong(self) -> list[str]:
        span = self.period / 2 if self.period else 2 * self.tolerance + 1
        return [written(round(self.truth + d, 6)) for d in (span, -span / 2) if abs(self.error(self.truth + d)) > self.tolerance]

    def bin(self) -> str:
        return written(self.truth)


@dataclass(frozen=True, slots=True)
class Counts:
    """Several whole numbers in a fixed order, one for each of `labels` ("red", "blue"): a pair, a triple ..."""

    truth: tuple[int, ...]
    labels: tuple[str, ...]
    low: int = 0
    high: int = 10
    kind: ClassVar[str] = "counts"

    def __post_init__(self) -> None:
        if len(self.truth) != len(self.labels) or len(self.labels) < 2:
            raise ValueError(f"counts need one number for each of two or more labels: {self.truth} for {self.labels}")
        if len({key(label) for label in self.labels} - {""}) < len(self.labels):
            raise ValueError(f"labels must be different texts: {self.labels}")
        if not all(self.low <= n <= self.high for n in self.truth) or self.low == self.high:
            raise ValueError(f"counts {self.truth} do not lie between {self.low} and {self.high}")

    def listing(self) -> str:
        return ""

    def form(self) -> str:
        return f"{len(self.labels)} whole numbers separated by commas, in this order: {', '.join(self.labels)}"

    def canonical(self) -> str:
        return ", ".join(map(str, self.truth))

    def score(self, reply: str) -> Score:
        return judge(reply, _tuples(self.labels), self.truth.__eq__, lambda values: ", ".join(map(str, values)))

    def chance(self) -> float:
        return prod(1 / (self.high - self.low + 1) for _ in self.labels)

    def guess(self, rng: Rng) -> str:
        return ", ".join(str(rng.integer(self.low, self.high)) for _ in self.labels)

    def wrong(self) -> list[str]:
        up = [", ".join(str(n + (i == j)) for j, n in enumerate(self.truth)) for i in range(len(self.truth))]
        swapped = ", ".join(map(str, reversed(self.truth)))
        return up if swapped == self.canonical() else [*up, swapped]

    def bin(self) -> str:
        return self.canonical()


@lru_cache(maxsize=1024)
def _tuples(labels: tuple[str, ...]) -> _Tuples:
    return _Tuples(labels)


class _Tuples(Plain[tuple[int, ...]]):
    """How a tuple of counts is written: bare in order, or each beside its label."""

    block = True
    nouns = r"counts|numbers|totals?"
    _SEPARATED = re.compile(r"[(\[{\s\"']*-?\d{1,9}(?:[\s,;/&|\"']+(?:and\s+)?-?\d{1,9})+[)\]}\s\"'.]*")

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.lexicon = lexicon(labels)

    def whole(self, text: str) -> tuple[int, ...] | None:
        if self._SEPARATED.fullmatch(text):
            values = tuple(int(n) for n in re.findall(r"-?\d+", text))
            return values if len(values) == len(self.labels) else None
        return self._labelled(text)

    def _labelled(self, text: str) -> tuple[int, ...] | None:
        """Numbers that stand beside their labels: "red: 3, blue: 4", "3 red and 4 blue", JSON."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            told = None
        if isinstance(told, dict):
            named = {self.lexicon.exact(name): value for name, value in cast("dict[str, object]", told).items()}
            values = [named.get(i) for i in range(len(self.labels))]
            whole = [v for v in values if isinstance(v, int) and not isinstance(v, bool) and abs(v) < 10**9]
            return tuple(whole) if len(whole) == len(self.labels) == len(named) else None
        found = list(numbers(text))
        said = list(self.lexicon.mentions(text))
        if len(found) != len(self.labels) or sorted(m.index for m in said) != list(range(len(self.labels))):
            return None
        before = all(m.start < n.start for m, n in zip(said, found, strict=True))
        after = all(n.start < m.start for m, n in zip(said, found, strict=True))
        alternate = sorted([(m.start, 0) for m in said] + [(n.start, 1) for n in found])
        if not (before or after) or any(a[1] == b[1] for a, b in pairwise(alternate)):
            return None
        by_label = {m.index: n.value for m, n in zip(said, found, strict=True)}
        values = tuple(int(by_label[i]) for i in range(len(self.labels)))
        return values if all(v == by_label[i] and abs(v) < 10**9 for i, v in enumerate(values)) else None

    def line(self, text: str) -> tuple[int, ...] | None:
        return self.whole(text) if self._SEPARATED.fullmatch(text) else None

    def stated(self, text: str) -> tuple[int, ...] | None:
        return first_of(text, lambda part: self.whole(part.strip(" .\"'`")))

    def told(self, sentence: str) -> tuple[int, ...] | None:
        return self._labelled(sentence)

    def mentioned(self, text: str) -> frozenset[tuple[int, ...]]:
        tuples = (self.whole(m.group()) for m in self._SEPARATED.finditer(text))
        return frozenset(t for t in tuples if t is not None)
