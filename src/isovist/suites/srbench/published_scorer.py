"""How SRBench's authors judge a reply: by regular expressions, with their order and their faults.

SRBench, appendix on the implementation: a reply in which the expressions find nothing is wrong. Their order is that of
the evaluation code in the authors' repository. It is not a good judge: "I think it is C" is read as option I, and "A
careful look shows D" as option A. It serves to stand beside published figures; the strict scorer of the answer types is
the one to rely on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isovist.core.answers import Answer, Choice, YesNo

_WORDS = r"yes|no|left|right|back|front|center"
_NAME = rf"(?:{_WORDS}|[a-z])"
_BOLD = rf"(?:\*\*)?\b({_NAME})\b(?:\*\*)?"
_ECHO = re.compile(r"assistant|Assistant|ASSISTANT|\[INST\]")
_BRACES = re.compile(rf"\{{(?:\*\*)?({_NAME})(?:\*\*)?\}}", re.IGNORECASE)
_LETTER_AND_WORD = re.compile(rf"\b([a-z])[.:)]\s*(?:{_WORDS})\b", re.IGNORECASE)
_ANNOUNCED = re.compile(
    rf"(?:(?:the|my|the best) answer is|the correct choice is|i (?:choose|select)|i'll go with|(?:i (?:think|believe) )?it's)\s*{_BOLD}",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(rf"{_BOLD}\s*is (?:the (?:correct choice|right choice|best answer|answer)|correct|right)", re.IGNORECASE)
_FIRST = re.compile(rf"{_BOLD}[.:)]?(?:\s|$)", re.IGNORECASE)
_ANY = re.compile(_BOLD, re.IGNORECASE)


def published(reply: str, answer: Answer) -> float:
    """1 if the authors' expressions read the key of `answer` from `reply`, else 0. Only choices and yes/no have such a key;
    a choice is right by its letter alone, as the authors compare what stands before the first full stop of their key.
    """
    if not isinstance(answer, Choice | YesNo):
        raise TypeError(f"SRBench asks choices and yes or no, not {answer.kind}")
    return float(read(reply) == answer.canonical().upper())


def read(reply: str) -> str | None:
    """The letter or word, in capitals, that the authors' expressions take for the answer; None if they find none.

    In this order: in braces; a letter with a word of direction after it ("C. Left"); the last that is announced or
    confirmed by a phrase ("the answer is B", "B is correct"); the first that stands free; the last of all. Words before
    "assistant" are taken for an echo of the prompt.
    """
    echo = _ECHO.search(reply)
    text = reply[echo.start() :] if echo else reply
    return next((letter.upper() for letter in _found(text)), None)


def _found(text: str) -> Iterator[str]:
    for pattern in (_BRACES, _LETTER_AND_WORD):
        if match := pattern.search(text):
            yield match[1]
    phrases = [*_ANNOUNCED.finditer(text), *_CONFIRMED.finditer(text)]
    if phrases:
        yield max(phrases, key=lambda match: match.start())[1]
    if match := _FIRST.search(text):
        yield match[1]
    yield from _ANY.findall(text)[-1:]
