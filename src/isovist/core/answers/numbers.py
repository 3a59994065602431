"""Numbers in words and digits.

All numbers in a text are found. A number in an unsupported form ("7+", ">7", "7%", "2^3") is found as NaN, so that no part of it is
parsed as the whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_ONES = [
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
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: i for i, word in enumerate(_ONES)} | {word: 10 * i for i, word in enumerate(_TENS, 2)}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6}
_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8}

_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_SPELT = rf"(?:(?:{'|'.join(_TENS)})[\s-](?:{'|'.join(_ONES[1:10])})|{_WORD})"
_HUNDREDS = rf"(?:{_SPELT}|an?)\s+hundred(?:\s+(?:and\s+)?{_SPELT})?"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?|(?<!\.)\.\d+"
_MARKS = "".join(_VULGAR)

_HAN = {numeral: i for i, numeral in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_DIGIT = f"[{''.join(_HAN)}]"
# not a part of a word, as in "三角形" or "第一", and before the end of a clause or a measure word; "一个" is also an article
_HAN_NUMERAL = (
    rf"(?:(?<![\u3400-\u9fff])|(?<=[是为為有共计計]))(?:{_HAN_DIGIT}?十{_HAN_DIGIT}?|{_HAN_DIGIT})"
    r"(?=\s*(?:$|[.,;:!?)\]\n]|(?<!一)[个個只隻条條张張块塊颗顆次圈种種つ度]))"
)

NUMBER_WORDS = frozenset({*_VALUES, "minus", "negative", "half", "a", "an"})
"""The first words of numbers in words."""

NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<digits>[-+\u2212–]?(?:(?:{_DIGITS})(?:e[-+]?\d{{1,2}}(?!\d))?)(?:\s?(?P<vulgar>[{_MARKS}])|\s+(?P<over>\d+)/(?P<under>\d+)|/(?P<by>\d+))?"
    rf"|[-+\u2212–]?[{_MARKS}])|(?P<han>{_HAN_NUMERAL})"
    rf"|(?<![\w-])(?P<words>(?:minus\s+|negative\s+)?(?:{_HUNDREDS}|{_SPELT}|(?:half\s+)?a\s+dozen))(?![\w-])",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\s+(dozen|hundred|thousand|million)\b(?!\s+(?:and\s+)?\w*\d)", re.IGNORECASE)
_POWER = re.compile(r"\s*[×*·]\s*10\s?(?:\^|\*\*)\s?\{?\(?([-+\u2212]?\d{1,2})\)?\}?(?!\d)")
_REST = re.compile(rf"\s+(?:and\s+)?({_HUNDREDS}|{_SPELT})(?![\w-])(?!\s+(?:hundred|thousand|million)\b)", re.IGNORECASE)
_UNIT = re.compile(
    r"\s*(?:°|度|도|deg(?:ree)?s?\b|grad(?:os|i|us)?\b|degr[ée]s\b|rad(?:ians?)?\b|(?:cm|mm|km|m|px|in|ft)\b)", re.IGNORECASE
)
_ODD_BEFORE = re.compile(r"(?:[<>≥≤±π/#×*]|\^\{?|\d\s?[–—:.,])\s?$")
_ODD_AFTER = re.compile(
    r"\s?[%²³^½¼¾⅓⅔⅛π]|\s?(?:percent\b|pi\b)|\+(?!\s?\d)|/|[.,:]\d|\s+\d+/\d"
    r"|\s+(?:dozen|hundred|thousand|million|hal(?:f|ves)|thirds?|quarters?|fifths?|eighths?|tenths?|and\s+a\s+(?:half|quarter|third)"
    r"|o'clock|or\s+(?:more|less|fewer|so|above|below)|and\s+(?:up|above|over)|plus\b|max|min|at\s+most|at\s+least|upwards)\b"
    r"|\s*[*·×]?\s*(?:π|pi\b)|\s?to\s+the\s+power",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[A-Za-z]")
_MOST = 1e99  # maximum absolute value, for very long digit sequences
LEADING_ONE = re.compile(r"\b(?:is|are|see|count|counted|contains?|has|have|exactly|only|just|be)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    value: float  # NaN: a number in an unsupported form
    start: int
    end: int


def numbers(text: str) -> Iterator[Found]:
    """All numbers in `text`. "one" counts only if it cannot be a pronoun ("there is one", not "the left one")."""
    at = 0
    for match in NUMBER.finditer(text):
        start, end = match.span()
        if start < at:
            continue  # already parsed: the hundreds after a thousand
        if match["words"]:
            value = _words_value(match["words"].casefold())
            before = text[max(0, start - 40) : start]
            if (
                match["words"].casefold() == "one"
                and before.strip(" \"'([:=-")
                and not LEADING_ONE.search(before)
                and not _ODD_AFTER.match(text, end)
            ):
                continue
        elif match["han"]:
            tens, ten, ones = match["han"].partition("十")
            value = float(_HAN.get(tens, 1) * 10 + _HAN.get(ones, 0) if ten else _HAN[tens])
        else:
            value = _digits_value(match)
            if _LETTER.match(text, end) and not _UNIT.match(text, end):
                continue  # "3D", "2nd"
        scale, power = _SCALE.match(text, end), _POWER.match(text, end)
        if power:  # "1.3 × 10^6"
            value, end = float(f"{value}e{power[1].replace(chr(0x2212), '-')}"), power.end()
        elif scale:
            value, end = value * _SCALES.get(scale[1].casefold(), math.nan), scale.end()
            rest = _REST.match(text, end)
            if rest:
                value = value + math.copysign(_words_value(rest[1].casefold()), value) if scale[1].casefold() == "thousand" else math.nan
                end = rest.end()
        at = end
        if _ODD_BEFORE.search(text[max(0, start - 3) : start]) or _ODD_AFTER.match(text, end):
            value = math.nan
        yield Found(value, start, end)


def _digits_value(match: re.Match[str]) -> float:
    """The value of a decimal, a fraction or a mixed number."""
    digits = match["digits"].replace("\u2212", "-").replace("–", "-").replace(",", "")
    sign = -1 if digits.startswith("-") else 1
    bare = digits.lstrip("+-").split("/")[0].rstrip(_MARKS).split()
    whole = float(bare[0]) if bare else 0.0
    part = next((_VULGAR[mark] for mark in digits if mark in _VULGAR), 0.0)
    under = float(match["under"] or match["by"] or 1)
    if under == 0 or (len(digits) > 40 and "/" in digits):
        return math.nan
    value = float(match["over"]) / under + whole if match["over"] else (whole / under if match["by"] else whole + part)
    return max(-_MOST, min(_MOST, sign * value))


def _words_value(words: str) -> float:
    if words.endswith("dozen"):
        return 6.0 if words.startswith("half") else 12.0
    total = 0
    sign = 1
    for word in re.findall(r"[a-z]+", words):
        if word in ("minus", "negative"):
            sign = -1
        elif word == "hundred":
            total = max(total, 1) * 100
        else:
            total += _VALUES.get(word, 0)
    return float(sign * total)


def written(value: float) -> str:
    """The shortest decimal form: 7 for 7.0, without an exponent."""
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
