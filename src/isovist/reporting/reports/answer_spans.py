"""The parts of a response from which the answer was parsed.

The parser cleans a response before it looks for an answer, so it has no positions in the original text. The parts are found by
substitution instead: a part is the parsed answer if the parser returns another value exactly when this part states that other value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from isovist.core.answers import LETTERS, Answer, Choice, Count, JointAnswer, YesNo

Span = tuple[int, int]

_MAX_PLACES = 6  # occurrences that are tried, from the end: each needs the parser once
_MAX_OTHERS = 2
_MAX_TRIED = 32  # other answers that are looked for in the response
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NOT_IN_WORD = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class _Place:
    """An occurrence of the answer."""

    start: int
    end: int
    other: Callable[[str], str]
    """The text of this occurrence, given its original text, if the answer were another one."""


def answer_spans(key: Answer, response: str, parsed: str | None) -> list[Span]:
    """The spans of `response` that state the answer `parsed`, in order; empty if they are not known.

    More than one if the response states its answer several times and the parser required the agreement of these statements.
    """
    if parsed is None or key.score(response).parsed_answer != parsed:
        return []
    if response in (parsed, f"Answer: {parsed}"):  # the most frequent ones
        return [(len(response) - len(parsed), len(response))]
    for other, target in islice(_others(key, parsed, response), _MAX_OTHERS):
        places = list(_places(key, parsed, other, response))[-_MAX_PLACES:]

        def decides(swapped: Sequence[_Place], target: str = target) -> bool:
            return bool(swapped) and key.score(_swapped(response, swapped)).parsed_answer == target

        for place in reversed(places):
            if decides([place]):
                return [(place.start, place.end)]
        if len(places) > 1 and decides(places):
            needed = list(places)
            for place in places:
                if decides(without := [p for p in needed if p is not place]):
                    needed = without
            if all(_is_statement(key, response, place, parsed) for place in needed):
                return [(place.start, place.end) for place in needed]
    bare = response.strip()
    if key.format_response(bare):  # an answer and nothing else, in another form
        start = response.index(bare)
        return [(start, start + len(bare))]
    return []


def _others(key: Answer, parsed: str, response: str) -> Iterator[tuple[str, str]]:
    """Other answers in canonical form, as written and as parsed, those first that the response does not mention."""
    lower = response.lower()

    def is_mentioned(text: str) -> bool:
        forms = (text, key.options[LETTERS.index(text)]) if isinstance(key, Choice) else (text,)
        return any(_is_word_in(form.lower(), lower) for form in forms)

    for text in sorted(list(dict.fromkeys([*key.wrong_answers(), key.canonical()]))[:_MAX_TRIED], key=is_mentioned):
        read = key.score(text).parsed_answer
        if read not in (None, parsed):
            yield text, read


def _is_word_in(form: str, text: str) -> bool:
    """Whether `form` occurs in `text` with no ASCII letter or digit next to it; a pattern for each form would take longer to compile."""
    at = text.find(form)
    while at >= 0:
        beside = text[at - 1 : at] + text[at + len(form) : at + len(form) + 1]
        if not any(character.isascii() and character.isalnum() for character in beside):
            return True
        at = text.find(form, at + 1)
    return False


def _places(key: Answer, parsed: str, other: str, response: str) -> Iterator[_Place]:
    """Occurrences of the answer, from left to right; a longer one hides the shorter ones in it."""
    end = 0
    places = (
        _Place(match.start(), match.end(), replaced) for form, replaced in _forms(key, parsed, other) for match in form.finditer(response)
    )
    for place in sorted(places, key=lambda place: (place.start, -place.end)):
        if place.start >= end:
            end = place.end
            yield place


def _forms(key: Answer, parsed: str, other: str) -> Iterator[tuple[re.Pattern[str], Callable[[str], str]]]:
    """How the answer may be written, and how to write the other one in the same form."""
    if isinstance(key, Choice):
        option, other_option = (key.options[LETTERS.index(label)] for label in (parsed, other))
        label, text, in_forms, alone = _patterns(parsed, option)
        for pattern in in_forms:
            yield pattern, lambda words: label.sub(lambda _: other, text.sub(lambda _: other_option, words))
        yield alone, lambda _: other_option
    elif isinstance(key, JointAnswer):
        yield re.compile(r"\{[^{}]*\}"), lambda _: other
    else:
        words = [re.escape(parsed)]
        if isinstance(key, YesNo):
            words.append("true" if parsed == "yes" else "false")
        elif isinstance(key, Count) and parsed.isdigit() and int(parsed) < len(_WORDS):
            words.append(_WORDS[int(parsed)])
        pattern = "|".join(re.sub(r",\\ ", r"[\\s,;*]+", word) for word in words)
        yield re.compile(rf"(?<![A-Za-z0-9.])(?:{pattern})(?![A-Za-z0-9])", re.IGNORECASE), lambda _: other


@lru_cache(maxsize=4096)
def _patterns(parsed: str, option: str) -> tuple[re.Pattern[str], re.Pattern[str], tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """Of a choice: its label, its text in any case, both or one of them between other words, and its text alone."""
    text = r"[\s_*-]+".join(map(re.escape, re.split(r"[\s_-]+", option)))
    label = rf"(?<![A-Za-z0-9']){parsed}(?![A-Za-z0-9'])"
    between = r"(?:[^\w\n]{1,8})"
    forms = (rf"{label}{between}{text}", rf"{text}{between}{label}", label, text)
    in_forms = tuple(re.compile(rf"(?<![A-Za-z0-9])(?:{form})(?![A-Za-z0-9])") for form in forms)
    return re.compile(label), re.compile(text, re.IGNORECASE), in_forms, re.compile(_NOT_IN_WORD.format(text), re.IGNORECASE)


def _swapped(response: str, places: Sequence[_Place]) -> str:
    parts: list[str] = []
    at = 0
    for place in places:
        parts += [response[at : place.start], place.other(response[place.start : place.end])]
        at = place.end
    return "".join([*parts, response[at:]])


def _is_statement(key: Answer, response: str, place: _Place, parsed: str) -> bool:
    """Whether the line of an occurrence, read alone, states the answer."""
    start, end = response.rfind("\n", 0, place.start) + 1, response.find("\n", place.end)
    return key.score(response[start : end if end >= 0 else len(response)]).parsed_answer == parsed
