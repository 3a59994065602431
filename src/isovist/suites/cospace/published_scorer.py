"""How CoSpace's authors judge a reply, by the rules of the scorer in their repository, with their faults.

It is no good judge: a full stop after the letter counts ("B. East"), a colon does not ("B: East to West" is read as W), and the
word of the key anywhere in a reply without digits is a right count. It serves to stand beside published figures; the strict scorer
of the answer types is the one to rely on. That a pair counts only where both replies are right (ACC_p) is told by the paper and
left to reports.
"""

from __future__ import annotations

import json
import re

from isovist.core.answers import Answer, Choice, Count, JointAnswer

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_NUMBER = re.compile(r"\b\d+\b")
_CAPITAL = re.compile(r"[A-Z]")
_LETTERS = ("A", "B", "C", "D")  # these four, however many options there are


def published(reply: str, answer: Answer) -> float:
    """1 if the authors' rules find the key of `answer` in `reply`, else 0. Of several named choices all have to be right. Raises
    TypeError for answers of other types, which CoSpace does not ask for.
    """
    match answer:
        case Choice():
            return float(_chosen(reply, answer.canonical()))
        case Count(truth):
            return float(_counted(reply, truth))
        case JointAnswer(parts) if all(isinstance(part, Choice) for _, part in parts):
            return float(all(_named(reply, name, part.canonical()) for name, part in parts))
        case _:
            raise TypeError(f"CoSpace asks choices and numbers, not {answer.kind}")


def _chosen(reply: str, key: str) -> bool:
    """With the key and a full stop in the reply, no other of the four letters may have one; else the last capital decides."""
    text = _unlabelled(reply)
    if f"{key}." in text:
        return not any(f"{letter}." in text for letter in _LETTERS if letter != key)
    return _CAPITAL.findall(text)[-1:] == [key]


def _counted(reply: str, key: int) -> bool:
    """The first number in digits; without one, the word of the key anywhere in the reply."""
    text = _unlabelled(reply)
    if match := _NUMBER.search(text):
        return match.group() == str(key)
    return 0 <= key < len(_WORDS) and any(word in text for word in (_WORDS[key], _WORDS[key].capitalize()))


def _unlabelled(reply: str) -> str:
    return reply.replace("Answer", "").replace("answer", "")


def _named(reply: str, name: str, key: str) -> bool:
    """The last capital of the named value, or its first character, in what stands between the outermost braces."""
    body = reply.partition("{")[2].rpartition("}")[0].strip().replace("'", '"').replace(":", ": ")
    try:
        value = json.loads(f"{{{body}}}")[name]
    except (ValueError, KeyError, RecursionError):
        return False
    return isinstance(value, str) and (_CAPITAL.findall(value)[-1:] or [value[:1]]) == [key]
