"""Parser of numbers: counts, measures with units and senses of rotation, and numbers of images."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from math import nan, pi
from typing import Literal

from isovist.core.answers.extraction import phrases
from isovist.core.answers.extraction.candidates import SHORT
from isovist.core.answers.extraction.normalize import BULLET, sentences
from isovist.core.answers.extraction.phrases import PART
from isovist.core.answers.extraction.value_parser import ValueParser
from isovist.core.answers.numbers import NUMBER, NUMBER_WORDS, Found, numbers
from isovist.core.summation import sum_in_order

Sense = Literal["", "clockwise", "counterclockwise"]

_COUNTER = re.compile(
    r"\b(?:counter[\s-]?clock[\s-]?wise|anti[\s-]?clock[\s-]?wise|ccw|antihorari[oa]|anti-hor[áa]ri[oa]|antiorari[oa]|gegen den uhrzeiger\w*|linksherum"
    r"|(?:sens )?antihoraire|(?:sens )?inverse (?:des aiguilles|du sens horaire)\w*|против часовой)|逆时针|逆時針|反時計|반시계",
    re.IGNORECASE,
)
_CLOCKWISE = re.compile(
    r"(?<!counter)(?<!counter[\s-])(?<!anti)(?<!anti[\s-])\b(?:clock[\s-]?wise|cw|horari[oa]|hor[áa]ri[oa]|orari[oa]|im uhrzeiger\w*|rechtsherum|horaire"
    r"|(?<!inverse )des aiguilles|по часовой)\b|(?<!逆)(?<!反)(?:顺时针|順時針|時計回り)|(?<!반)시계 ?방향",
    re.IGNORECASE,
)
_SIDEWAYS = re.compile(r"\b(?:left|right|leftwards?|rightwards?)\b", re.IGNORECASE)
_UNIT = re.compile(
    r"\s*(?:(?P<deg>°|度|도|deg(?:ree)?s?\b\.?|grad(?:os|i|us)?\b|degr[ée]s\b)|(?P<rad>rad(?:ians?)?\b)|(?P<turn>(?:full |complete )?(?:turns?|rotations?|revolutions?)\b)"
    r"|(?P<mm>(?:mm|millimet(?:er|re)s?)\b)|(?P<cm>(?:cm|centimet(?:er|re)s?)\b)|(?P<km>(?:km|kilomet(?:er|re)s?)\b)|(?P<m>(?:m|met(?:er|re)s?)\b)"
    r"|(?P<px>(?:px|pixels?)\b)|(?P<inch>(?:in\b(?!\s+\w)|inch(?:es)?\b))|(?P<ft>(?:ft|foot|feet)\b))",
    re.IGNORECASE,
)
_LONGEST = 120
_PLAIN_DIGITS = 10
_LENGTHS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "inch": 0.0254, "ft": 0.3048}
_QUANTITIES = frozenset({"deg", "rad", "turn", "cm", "mm", "km", "px"})
_ANGLES = {"deg": 1.0, "rad": 180 / pi, "turn": 360.0}
_BOUND = re.compile(
    r"\b(?:at (?:least|most)|(?:more|less|fewer|greater|larger|smaller|no more|no less) than|over|under|up to|nearly|almost|between|minimum|maximum"
    r"|above|below|beyond|exceed(?:s|ing)?|upwards|all but|or (?:more|less|fewer)|not quite|as many as|short of|limit)\b|[<>≥≤±]",
    re.IGNORECASE,
)
_NOT_FINAL = re.compile(
    r"\b(?:so far|minus|times|per|except|excluding|not counting|apart from|multiplied|divided|each|at a time|(?:two|three|four|five|six|seven|eight|nine|ten)e?s)\b",
    re.IGNORECASE,
)
"""The number is not the final value."""
_SOFT = re.compile(
    r"(?:\s|:|\b(?:that|it is|it's|exactly|about|approximately|roughly|around|only|just|probably|likely|clearly|there are|there is|equal to|equals"
    r"|a total of|in total|by|we have|i see|i count|i counted)\b)+",
    re.IGNORECASE,
)
_SOFT_WORDS = "that it exactly about approximately roughly around only just probably likely clearly there equal equals a in by we i"
_FIRST_WORDS = NUMBER_WORDS.union(_SOFT_WORDS.split())
"""The first words of `_SOFT` and of numbers."""
_NAMED = re.compile(
    r"(?:\s+(?!(?:and|or|to|of|per|each|minus|plus|times|by|than|less|more|that|which|but|from|is|are|was|were)\b)[^\W\d_][\w'-]*){0,6}"
)
"""The name of the counted objects."""
_NUMBER_END = re.compile(
    r"\s*(?:$|[.!;,:(\[]|\s?[-–—]\s(?!\d)|—(?!\d)|\b(?:because|since|as|namely|with|given|which|that is|consisting|of which|including)\b|=)",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?:^|\b(?:is|are|am|was|be|been|see|sees|count|counted|find|found|contains?|has|have|shows?|depicts?|holds?|by|at|of|about|approximately|roughly|exactly|only|just"
    r"|turned|rotated|measures|equals|to|get|gives?|remain|total|altogether)|[有共是为])(?:\s+(?:a total of|exactly|about|approximately|around|roughly|only|just|up|to|by))*\s*[:=,]?\s*$",
    re.IGNORECASE,
)
_FORM = re.compile(r"one\s+whole\s+number\b", re.IGNORECASE)
_ANY_FORM = re.compile(r"one\s+(?:whole\s+)?number\b", re.IGNORECASE)
"""The response format, which is not a value. Numbers as such may be counted objects."""
_REMARK = re.compile(r"\((?:=[^()=]*|\d+(?:\.\d+)?\s?%)\)")
"""The sum or percentage after a number."""
_GROUPED = re.compile(r"\s+(?:rows?|columns?|sides?|layers?|groups?|clusters?|pairs?|sets?|quadrants?|parts?)\b", re.IGNORECASE)
"""A number of groups is not the number of objects in them."""


class Numbers(ValueParser[float]):
    """Parser of one number."""

    alone = True
    token = r"[-+\u2212]?\d+(?:\.\d+)?(?:\s?°)?"  # noqa: S105 - no password

    def __init__(
        self, finals: str = "", givens: str = "", *, sense: Sense = "", unit: str = "", counts: bool = False, labels: bool = False
    ) -> None:
        self.finals = finals
        self.givens = givens
        self.sense = sense
        self.counts = counts
        self.labels = labels
        named = _UNIT.fullmatch(unit)
        self.unit = named.lastgroup if named else None

    def _numbers_with_units(self, text: str, *, lengths: bool = False) -> list[Found]:
        """The numbers in `text`, converted to the requested unit; each extends to the end of its own unit. `lengths`: also counts of cm."""
        out: list[Found] = []
        for number in numbers(text):
            if (_FORM if self.counts else _ANY_FORM).match(text, number.start):
                continue
            unit = _UNIT.match(text, number.end)
            value, end = number.value, unit.end() if unit else number.end
            if unit:
                is_quantity = self.counts and unit.lastgroup in _QUANTITIES - (
                    _LENGTHS.keys() if lengths else set()
                )  # a quantity, not a count
                value = nan if is_quantity else float(f"{value * self._factor(unit.lastgroup or ''):.12g}")
            elif self.counts and _NO_COUNT.search(text[number.start : number.end]):
                value = nan  # ambiguous: "1.234" is 1234 in many locales
            elif "/" in text[number.start : number.end] and self.unit in _ANGLES:
                value = nan  # a fraction: possibly of a full rotation
            out.append(Found(value, number.start, end))
        return out

    def _factor(self, unit: str) -> float:
        for units in (_LENGTHS, _ANGLES):
            if unit in units and self.unit in units:
                return units[unit] / units[self.unit]
        return nan if unit in ("rad", "turn") or (self.unit and unit != self.unit) else 1.0

    def may_begin(self, word: str) -> bool:
        return word[0].isdigit() or word in _FIRST_WORDS

    def whole(self, text: str) -> float | None:
        return self._single_number(text, words=2)

    def plain(self, text: str) -> float | None:
        return float(text) if len(text) < _PLAIN_DIGITS and text.isascii() and text.isdigit() else None

    def line(self, text: str) -> float | None:
        added = _ADDED.fullmatch(text) if self.counts and "+" in text else None
        if added:  # "3 + 2 + 2 = 7", if the sum is correct
            return float(added[2]) if _adds_up(added) else None
        return self._single_number(text, words=0)

    def _single_number(self, text: str, words: int) -> float | None:
        """The number in `text`, if it has only its unit and at most `words` further words ("7 circles")."""
        if len(text) > _LONGEST:
            return None  # longer than a number with its unit
        text = text.strip(" \n\"'()[]{}!,*").rstrip(".")
        if self.labels and _CALLED.fullmatch(text):
            return _ordinal(text)
        soft = _SOFT.match(text)
        bare = text[soft.end() :] if soft else text
        if not NUMBER.match(bare):
            return None  # does not start with a number
        numerals = self._numbers_with_units(bare)
        if len(numerals) != 1 or numerals[0].start != 0:
            return None
        rest = bare[numerals[0].end :]
        turned = _CLOCKWISE.sub("", _COUNTER.sub("", rest))
        if (
            re.search(r"[^\w\s'()-]", turned)
            or len(turned.split()) > words
            or (rest and not re.match(r"[\s(-]", rest))
            or _BOUND.search(text)
            or _NOT_FINAL.search(rest)
            or (self.counts and _GROUPED.match(rest))
        ):
            return None
        return self._signed(numerals[0].value, rest)

    def _signed(self, value: float, text: str) -> float | None:
        """`value` with its sign for the positive sense of rotation; None if the text leaves the sense ambiguous."""
        if value != value:  # noqa: PLR0124 - NaN
            return None
        if not self.sense:
            return value
        counter, clockwise = bool(_COUNTER.search(text)), bool(_CLOCKWISE.search(text))
        if (counter and clockwise) or ((counter or clockwise) and value < 0) or (not counter and not clockwise and _SIDEWAYS.search(text)):
            return None
        return -value if (counter and self.sense == "clockwise") or (clockwise and self.sense == "counterclockwise") else value

    def stated(self, text: str) -> float | None:
        first = next(sentences(text), "").strip()
        value = self._single_number(first, words=2)
        if value is not None:
            return value
        first = _REMARK.sub("", first)
        sums = first.split("=")
        added = _ADDED.search(first) if self.counts else None
        if added and not _adds_up(added):
            return None
        if any(re.search(r"[;,]|\band\b", part) for part in sums[1:-1]):
            return None  # "red = 3, blue = 4"
        if len(sums) > 1 and re.search(r"[^\W\d_]\s*$", sums[0]) and re.search(r"[,;]|\band\b", sums[-1]):
            return None
        return self._leading_number(sums[-1], first, soft=True)

    def _leading_number(self, text: str, sentence: str, *, soft: bool) -> float | None:
        """The number at the start of `text`, if the text after it only explains it."""
        start = _SOFT.match(text) if soft else None
        at = start.end() if start else 0
        numerals = self._numbers_with_units(text)
        while numerals and numerals[0].start < at:
            numerals.pop(0)
        if not numerals or numerals[0].start != at or _BOUND.search(text[: numerals[0].end + 20]):
            return None
        number, *others = numerals
        named = _NAMED.match(text, number.end)
        over = _NUMBER_END.match(text, named.end() if named else number.end)
        if over is None or _NOT_FINAL.search(text, number.end):
            return None
        if not soft and PART.search(text[: over.start()]):
            return None
        beside = re.match(r"\s*[,(–—]\s*$", text[over.start() : others[0].start]) if others else None
        beside = beside or re.match(r"\s*\([^()]*[,:]\s*[-+]?[\d.]+\s*\)", text[over.start() :])  # "7 (with the hidden one, 8)"
        if beside and sum_in_order(other.value for other in others) != number.value:
            return None  # "7, 8"
        return self._signed(number.value, sentence)

    def opening(self, text: str) -> float | None:
        first = "" if BULLET.match(text) else next(sentences(text), "")
        if len(first) > SHORT:
            return None
        numerals = self._numbers_with_units(first)
        return self.parse_sentence(first) if numerals and numerals[0].start == 0 and not first.endswith("?") else None

    def parse_sentence(self, sentence: str) -> float | None:
        return self.asserted(sentence)

    def asserted(self, sentence: str) -> float | None:
        if self.labels and (called := _CALLED_SO.search(sentence)):
            return None if phrases.shaded(sentence[: called.start()]) else _ordinal(called[1] or called[2])
        sentence = sentence if self.unit or self.sense else _PERCENT.sub("", sentence)
        sentence = _CONDITION.sub("", _YEAR.sub("", _EXPONENT.sub("", sentence)))
        if phrases.HEDGE.search(sentence.replace(" both ", " ")) or phrases.HYPOTHETICAL.search(sentence) or _PARTIAL.search(sentence):
            return None
        numerals = self._numbers_with_units(sentence, lengths=True)
        if len(numerals) == 1 and numerals[0].start == 0 and sentence[0].isnumeric() and _MEASURED.fullmatch(sentence, numerals[0].end):
            return self._signed(numerals[0].value, sentence)
        total = numerals[1:] and numerals[0].start == 0 and sum_in_order(other.value for other in numerals[1:]) == numerals[0].value
        stated = (
            numerals[:1]
            if total
            else [
                number for number in numerals if _PREDICATE.search(sentence[: number.start]) and not _OPERATOR.match(sentence, number.end)
            ]
        )
        equal = [number for number in stated if _EQUATION.search(sentence[: number.start])]
        stated = [number for number in stated if number not in equal] or equal
        if len({number.value for number in stated}) != 1:
            return None
        number = stated[-1]
        lead, rest = sentence[: number.start], sentence[number.end :]
        counted = _THERE.search(lead)
        after = (counted and _COUNTED.match(rest)) or _TAIL.match(rest)
        if (
            phrases.shaded(lead)
            or _BOUND.search(lead[-12:])
            or _RELATIVE.search(lead)
            or _CALCULATED.search(lead)
            or not after
            or _PICTURES.match(rest)
        ):
            return None
        if lead.endswith(("=", "= ")) and not _WORDS.search(lead) and ("+" not in lead or self.stated(sentence) is None):
            return None  # a line of a calculation
        others = [other for other in numerals if other.start >= number.end]
        near = _NOT_FINAL_ASSERTED.search(rest) or any(other.start - number.end < after.end() + 2 for other in others)
        if near and sum_in_order(other.value for other in others) != number.value:
            return None  # "7 circles: 3 red and 4 blue" states 7
        return None if number.end - number.start > _LONGEST_NUMBER else self._signed(number.value, sentence)

    def mentioned(self, text: str) -> frozenset[float]:
        return frozenset(number.value for number in self._numbers_with_units(text))


_RELATIVE = re.compile(r",\s+(?:which|whose\s+\w+)\s+(?:is|was|are|were)\s+(?:\w+\s+)?$", re.IGNORECASE)
"""A clause beside what a sentence states: "lower than the mean, which was 1.73"."""
_EXPONENT = re.compile(r"(?<=[A-Za-z])\s?(?:\^\{?[-\u2212]?\d+\}?|[²³])|(?<=\b[cmk]m)[23]\b|(?<=\b[ms])[23]\b")
"""The exponent of a unit: "cm/s^2"."""
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|equal to|costs?|spends?|spent|pays?|paid|gets?|got|gives?|has|have|had|measures?"
    r"|takes?|needs?|weighs?|contains?|shows?|depicts?|holds?|sees?|counts?|counted|finds?|turned|rotated|remain|occurs? at|simplifies to|comes? to|amounts? to)|\bby|[=≈有共是为])"
    r"\s*(?:(?:there|it|he|she|they|we|exactly|about|approximately|around|roughly|only|just|estimated|recorded|reported|measured|listed|calculated|given|equal|found|to|be|by|as|at|a|an|total|value|sum|of|now|now\b|~)\s+){0,5}[\"'(]*"
    r"(?:[A-Za-z]\w{0,3}\s?=\s?)?$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\"')]*(?:[\s/·]+(?!(?:and|or|but|to|minus|plus|times|is|are|was|were|than|while|whereas)\b)[^\W\d_][\w'/·-]*\.?){0,14}[^\W\d_a-zA-Z]{0,6}\s*(?:\W*$|[.!,;:(\n])",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\s(?:in|by|during|since|of) (?:the year )?(?:19|20)\d\d(?!\.?\d)", re.IGNORECASE)
_CONDITION = re.compile(r"\s(?:when|where|given)\s[^,]*", re.IGNORECASE)
"""What a sentence says of the circumstances."""
_EQUATION = re.compile(r"(?<!\bis)(?<![/\d~])\s+[A-Za-z]\w{0,3}\s?[=≈]\s?$")
_OPERATOR = re.compile(r"\s*[-+−×*/x]\s*\d")
_PERCENT = re.compile(r"(?<=\d)\s?%(?!\s*(?:of|more|less|confiden))")
_MEASURED = re.compile(r"(?:(?:\s+[^\W\d_]+){2,10}|[^\W\d_a-zA-Z]{1,6})\W*")
_WORDS = re.compile(r"[A-Za-z]{2,}\s+[A-Za-z]{2,}")
_CALCULATED = re.compile(r"\b(?:plus|minus|times|divided by)\s|,\s(?:while|whereas)\b", re.IGNORECASE)
_LONGEST_NUMBER = 30  # characters
_THERE = re.compile(r"\W*(?:(?:so|thus|therefore|hence)\b,?\s*)?there (?:is|are|were|was) (?:a total of |exactly |only )?", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:\s+(?!(?:and|or|to|of)\b)[a-z]+){1,3}?\s+(?:with|that|which|whose|who|having|(?<!the )left|remaining|in total|altogether)\b",
    re.IGNORECASE,
)
_NOT_FINAL_ASSERTED = re.compile(
    r"\b(?:so far|minus|times|except|excluding|not counting|apart from|multiplied|divided|at a time|while|whereas|of which)\b",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"^\W*(?:(?:figure|image|picture|panel) \d|(?:the )?(?:first|second|third|other|left|right|upper|lower)\s|an?\s)|\b(?:rows?|columns?|sides?|layers?|steps?|quadrants?|groups?|clusters?|each|every|another|hidden|full|scale|many|parts?|start\w*|initial\w*|so far|let's|let us|assum\w+|suppose|options?|questions?)\b",
    re.IGNORECASE,
)
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_IMAGE = r"(?:image|picture|photo|photograph|panel|view|frame|one)"
_NTH = (
    rf"(?:(?:the\s+)?(?:{_IMAGE}\s+)?(?:number\s+|no\.\s*|nr\.\s*|#\s*)\d{{1,2}}|{_IMAGE}\s+\d{{1,2}}"
    rf"|(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})(?:\s+{_IMAGE})?)"
)
_CALLED = re.compile(_NTH, re.IGNORECASE)
"""The number of one of several images: "Image 3", "#3", "3rd", "the third image"."""
_CALLED_SO = re.compile(
    rf"\b(?:image|picture|photo|one)\s+(?:that\s+)?(?:is|was|must be|would be|has been)\s+(?:most likely |probably |clearly )?({_NTH})\W*$"
    rf"|^\W*(?:(?:so|thus|therefore|hence)\b,?\s*)?({_NTH})\s+(?:is|was)\s+(?:the\s+)?(?:misaligned|odd|inserted|wrong|different|answer|one)\b",
    re.IGNORECASE,
)


def _ordinal(name: str) -> float:
    digits = re.search(r"\d+", name)
    return float(digits.group() if digits else next(i for i, word in enumerate(_ORDINALS, 1) if word in name.lower()))


_PICTURES = re.compile(r"\s+(?:\w+\s+)?(?:pictures|images|photos|photographs|panels|views)\b", re.IGNORECASE)
_ADDED = re.compile(r"\(?(\d{1,9}(?:\s*\+\s*\d{1,9})+)\)?\s*=\s*(\d{1,9})\s*\.?")


def _adds_up(added: re.Match[str]) -> bool:
    return sum(map(int, re.findall(r"\d+", added[1]))) == int(added[2])


_NO_COUNT = re.compile(r"^\d{1,3}\.\d{3}$|[/½¼¾⅓⅔⅛⅜⅝⅞]")


@cache
def count_parser(*, labels: bool) -> Numbers:
    """`labels`: the number may be that of one of several images: "Image 3"."""
    return Numbers(
        finals=r"total(?:\s+(?:number|count))?(?:\s+of\s+[\w\s-]{1,40}?)?|sum",
        givens=r"count|(?:total\s+)?number\s+of\s+[\w\s-]{1,40}?",
        counts=True,
        labels=labels,
    )


@lru_cache(maxsize=256)
def measure_parser(sense: Sense, unit: str) -> Numbers:
    return Numbers(finals="rotation|turn", givens="angle|value|number|distance|difference|length|height|width", sense=sense, unit=unit)
