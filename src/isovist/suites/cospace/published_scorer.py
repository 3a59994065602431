"""The scorer of the CoSpace authors, with the rules and faults of their repository.

The scorer has known faults. It accepts a full stop after the letter ("B. East") but not a colon ("B: East to West" is parsed as W). In a
response without digits, the number word of the key at any position counts as correct. Use this scorer only for comparison with published
results, and the strict scorer of the answer types otherwise. The pair accuracy of the paper (ACC_p) is left to reports.
"""

from __future__ import annotations

import json
import re

from isovist.core.answers import Answer, Choice, Count, JointAnswer

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_NUMBER = re.compile(r"\b\d+\b")
_CAPITAL = re.compile(r"[A-Z]")
_LETTERS = ("A", "B", "C", "D")  # independent of the number of options


def published(reply: str, answer: Answer) -> float:
    """1 if the authors' rules find the key of `answer` in `reply`, otherwise 0. All parts of a joint answer must be correct.

    Raises TypeError for answer types that CoSpace does not have.
    """
    match answer:
        case Choice():
            return float(_chosen(reply, answer.canonical()))
        case Count(truth):
            return float(_counted(reply, truth))
        case JointAnswer(parts) if all(isinstance(part, Choice) for _, part in parts):
            return float(all(_named(reply, name, part.canonical()) for name, part in parts))
        case _:
            raise TypeError(f"CoSpace has choices and counts, not {answer.kind}")


def _chosen(reply: str, key: str) -> bool:
    """If the key with a full stop occurs in the reply, no other letter may have one. Otherwise the last capital letter must be the key."""
    text = _unlabelled(reply)
    if f"{key}." in text:
        return not any(f"{letter}." in text for letter in _LETTERS if letter != key)
    return _CAPITAL.findall(text)[-1:] == [key]


def _counted(reply: str, key: int) -> bool:
    """The first number in digits; without digits, the number word of the key at any position."""
    text = _unlabelled(reply)
    if match := _NUMBER.search(text):
        return match.group() == str(key)
    return 0 <= key < len(_WORDS) and any(word in text for word in (_WORDS[key], _WORDS[key].capitalize()))


def _unlabelled(reply: str) -> str:
    return reply.replace("Answer", "").replace("answer", "")


def _named(reply: str, name: str, key: str) -> bool:
    """The last capital letter, or else the first character, of the named value between the outermost braces."""
    body = reply.partition("{")[2].rpartition("}")[0].strip().replace("'", '"').replace(":", ": ")
    try:
        value = json.loads(f"{{{body}}}")[name]
    except (ValueError, KeyError, RecursionError):
        return False
    return isinstance(value, str) and (_CAPITAL.findall(value)[-1:] or [value[:1]]) == [key]
