"""Numbers in words and digits, as replies write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_ONES = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(20),
        strict=True,
    )
)
_TENS = dict(zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True))
_WORD = "|".join(sorted((*_ONES, *_TENS), key=len, reverse=True))
_SPELT = rf"(?:(?:{'|'.join(_TENS)})[\s-](?:{'|'.join(list(_ONES)[1:10])})|{_WORD})"
_HUNDREDS = rf"(?:{_SPELT}|an?)\s+hundred(?:\s+(?:and\s+)?{_SPELT})?"

NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,])(?P<digits>[-+\u2212]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d{1,2}(?!\d))?)(?=\s*(?:°|deg(?:ree)?s?\b|(?:cm|mm|km|m|px|in|ft)\b)|(?![A-Za-z0-9_]|[.,]\d|%))"
    rf"|(?<![\w-])(?P<words>(?:minus\s+|negative\s+)?(?:{_HUNDREDS}|{_SPELT}))(?![\w-]|\s+hundred|\s+thousand)",
    re.IGNORECASE,
)
_MOST = 1e99  # where digits go on and on
LEADING_ONE = re.compile(r"\b(?:is|are|see|count|counted|contains?|has|have|exactly|only|just|be)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    value: float
    start: int
    end: int


def numbers(text: str) -> Iterator[Found]:
    """Every number in `text`. "one" counts only where it cannot be a pronoun ("there is one", not "the left one")."""
    for match in NUMBER.finditer(text):
        if match["digits"]:
            value = max(-_MOST, min(_MOST, float(match["digits"].replace(",", "").replace("\u2212", "-"))))
        else:
            value = _spelt(match["words"].casefold())
            before = text[: match.start()]
            if match["words"].casefold() == "one" and before.strip(" \"'([:=-") and not LEADING_ONE.search(before):
                continue
        yield Found(value, match.start(), match.end())


def _spelt(words: str) -> float:
    total = 0
    sign = 1
    for word in re.findall(r"[a-z]+", words):
        if word in ("minus", "negative"):
            sign = -1
        elif word == "hundred":
            total = max(total, 1) * 100
        else:
            total += _ONES.get(word, 0) or _TENS.get(word, 0)
    return float(sign * total)


def written(value: float) -> str:
    """The shortest plain form: 7 for 7.0, and no exponent."""
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
