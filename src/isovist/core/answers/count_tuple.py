"""A tuple of counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import isfinite, prod
from typing import ClassVar, cast

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.extraction.normalize import load
from isovist.core.answers.extraction.phrases import HEDGE, PART
from isovist.core.answers.extraction.value_parser import ValueParser, first_of
from isovist.core.answers.extraction.vocabulary import key, lexicon
from isovist.core.answers.numbers import numbers
from isovist.core.answers.score import Score
from isovist.core.rng import Rng


@dataclass(frozen=True, slots=True)
class CountTuple:
    """Several whole numbers in a fixed order, one for each of `labels` ("red", "blue")."""

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

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return f"{len(self.labels)} whole numbers separated by commas, in this order: {', '.join(self.labels)}"

    def canonical(self) -> str:
        return ", ".join(map(str, self.truth))

    def score(self, reply: str) -> Score:
        return score_response(reply, _count_tuple_parser(self.labels), self.truth.__eq__, lambda values: ", ".join(map(str, values)))

    def format_response(self, text: str) -> bool:
        return _count_tuple_parser(self.labels).whole(text) is not None

    def chance(self) -> float:
        return prod(1 / (self.high - self.low + 1) for _ in self.labels)

    def random_answer(self, rng: Rng) -> str:
        return ", ".join(str(rng.integer(self.low, self.high)) for _ in self.labels)

    def wrong_answers(self) -> list[str]:
        up = [", ".join(str(n + (i == j)) for j, n in enumerate(self.truth)) for i in range(len(self.truth))]
        swapped = ", ".join(map(str, reversed(self.truth)))
        return up if swapped == self.canonical() else [*up, swapped]

    def balance_bin(self) -> str:
        return self.canonical()


_LONG = 1000  # characters
_MODIFIED = re.compile(
    r"\b(?:dark|light|pale|bright|deep|non|not|at (?:least|most)|(?:more|less|fewer) than|over|under|up to|between)\b", re.IGNORECASE
)
"""A modifier that makes another label of a label, or a bound of a count."""


@lru_cache(maxsize=1024)
def _count_tuple_parser(labels: tuple[str, ...]) -> _CountTupleParser:
    return _CountTupleParser(labels)


class _CountTupleParser(ValueParser[tuple[int, ...]]):
    """Parser of count tuples: numbers in order, or each next to its label."""

    block = True
    givens = r"counts|numbers|totals?"
    _SEPARATED = re.compile(r"[(\[{\s\"']*-?\d{1,9}(?:[\s,;/&|\"']+(?:and\s+)?-?\d{1,9})+[)\]}\s\"'.]*")

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.lexicon = lexicon(labels)
        self._plain = re.compile(rf"[0-9]{{1,9}}(?:, [0-9]{{1,9}}){{{len(labels) - 1}}}")

    def whole(self, text: str) -> tuple[int, ...] | None:
        if self._SEPARATED.fullmatch(text):
            values = tuple(int(n) for n in re.findall(r"-?\d+", text))
            return values if len(values) == len(self.labels) else None
        return self._labelled(text)

    def plain(self, text: str) -> tuple[int, ...] | None:
        return tuple(map(int, text.split(", "))) if self._plain.fullmatch(text) else None

    def _labelled(self, text: str) -> tuple[int, ...] | None:
        """Numbers next to their labels: "red: 3, blue: 4", "3 red and 4 blue", JSON."""
        try:
            data = load(text)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            return self._object(cast("dict[str, object]", data))
        if len(text) > _LONG and (hedge := HEDGE.search(text, 0, 4 * _LONG)) and hedge.end() < 4 * _LONG:
            return None  # most long texts hedge near their start
        mentions = list(self.lexicon.mentions(text))  # of a short text the fastest test first
        if sorted(m.index for m in mentions) != list(range(len(self.labels))):
            return None
        numerals = list(numbers(text))
        if len(numerals) != len(self.labels) or HEDGE.search(text) or _MODIFIED.search(text):
            return None
        before = all(m.start < n.start for m, n in zip(mentions, numerals, strict=True))
        after = all(n.start < m.start for m, n in zip(mentions, numerals, strict=True))
        alternate = sorted([(m.start, 0) for m in mentions] + [(n.start, 1) for n in numerals])
        if not (before or after) or any(a[1] == b[1] for a, b in pairwise(alternate)):
            return None
        edges = [0, *(at for m in mentions for at in (m.start, m.end)), len(text)]
        if any(PART.search(text[a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)):
            return None
        by_label = {m.index: n.value for m, n in zip(mentions, numerals, strict=True)}
        if not all(map(isfinite, by_label.values())):
            return None  # beside markup, which a response that is scored no longer has
        values = tuple(int(by_label[i]) for i in range(len(self.labels)))
        return values if all(v == by_label[i] and abs(v) < 10**9 for i, v in enumerate(values)) else None

    def _object(self, data: dict[str, object]) -> tuple[int, ...] | None:
        """The numbers of a JSON object with one number for each label and optionally their total; None for any other object."""
        values: dict[int, int] = {}
        total = None
        for name, value in data.items():
            number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 10 else value
            if not isinstance(number, int) or isinstance(number, bool) or abs(number) >= 10**9:
                return None
            index = self.lexicon.exact(name)
            if index is None and total is None and key(name) in ("total", "sum"):
                total = number
            elif index is None or index in values:
                return None
            else:
                values[index] = number
        if len(values) < len(self.labels) or total not in (None, sum(values.values())):
            return None
        return tuple(values[i] for i in range(len(self.labels)))

    def may_begin(self, word: str) -> bool:
        return word[0].isdigit()

    def line(self, text: str) -> tuple[int, ...] | None:
        return self.whole(text) if self._SEPARATED.fullmatch(text) else None

    def stated(self, text: str) -> tuple[int, ...] | None:
        return first_of(text, lambda part: self.whole(part.strip(" .\"'`")))

    def parse_sentence(self, sentence: str) -> tuple[int, ...] | None:
        return self._labelled(sentence)

    def mentioned(self, text: str) -> frozenset[tuple[int, ...]]:
        tuples = [self.whole(m.group()) for m in self._SEPARATED.finditer(text)]
        tuples += [self._labelled(part) for part in re.split(r"\bor\b|[.;\n]", text, flags=re.IGNORECASE)]
        return frozenset(t for t in tuples if t is not None)
