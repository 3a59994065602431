r"""From a model's words to its one final answer, or to none.

The rules, in the order in which they are tried on the cleaned reply:

1. The whole reply is a value (`B`, `(b)`, `B. West`, `West.`, `7`): that is the answer.
2. *Claims* are collected: "Answer: B", "the correct option is (B)", `\boxed{B}`, `{B}`, `<answer>B</answer>`,
   ``"answer": "B"``, "B is correct", "I choose B", "... so B.", a line that is nothing but a value, an opening
   "B. West, because ...". A claim that is denied ("the answer is not A"), asked ("is it A?") or hypothetical ("it
   would be A if") does not count.
3. If all claims agree, that is the answer. If they do not, the last one stands only if the reply ends on it and real
   text (or a word that takes back, such as "wait") lies between it and the other; two answers side by side are no
   answer. Whatever follows the last claim must neither take it back nor offer another.
4. With no claim at all, a single plain sentence that names exactly one value ("It points to the West.") is read.

Everything else is unread: there is no fallback to a first, last or random option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar, cast

from isovist.core.answers import phrases
from isovist.core.answers.clean import clean
from isovist.core.answers.score import Score

V = TypeVar("V")


class Grammar(Protocol[V]):  # pyright: ignore[reportInvalidTypeVarUse] - `mentioned` gives a set, which pyright calls covariant
    """How the values of one answer are written. Every method is strict: None when in doubt."""

    @property
    def token(self) -> str:
        """A regular expression for a value inside a sentence ("B is correct"); empty if there is none."""
        ...

    @property
    def nouns(self) -> str:
        """Further words that announce the value ("total"), as alternatives of a regular expression; may be empty."""
        ...

    @property
    def block(self) -> bool:
        """Whether a value may fill a paragraph, one line after the other."""
        ...

    def tidy(self, text: str) -> str:
        """`text` without an echo of the options."""
        ...

    def whole(self, text: str) -> V | None:
        """The value, if `text` is a value and nothing else."""
        ...

    def line(self, text: str) -> V | None:
        """The value, if a line among others is a value and nothing else."""
        ...

    def opening(self, text: str) -> V | None:
        """The value with which a reply opens before it explains."""
        ...

    def stated(self, text: str) -> V | None:
        """The value at the start of `text`, which follows words like "the answer is"."""
        ...

    def told(self, sentence: str) -> V | None:
        """The value that a single plain sentence tells."""
        ...

    def mentioned(self, text: str) -> frozenset[V]:
        """Every value that `text` might mention."""
        ...


class Plain(Generic[V]):
    """The parts of a grammar that most values do without."""

    token: str = ""
    nouns: str = ""
    block: bool = False

    def tidy(self, text: str) -> str:
        return text

    def opening(self, text: str) -> V | None:
        del text
        return None

    def told(self, sentence: str) -> V | None:
        del sentence
        return None


def first_of(text: str, whole: Callable[[str], V | None]) -> V | None:
    """A value that may fill several lines: the paragraph that `text` opens with, else its first line or sentence."""
    block = text.strip().partition("\n\n")[0]
    value = whole(block)
    if value is not None:
        return value
    first, _, below = block.partition("\n")
    if any(whole(line) is not None for line in below.split("\n") if line):
        return None  # two values, not one in two lines
    value = whole(first)
    return value if value is not None else whole(next(phrases.sentences(first), ""))


@dataclass(frozen=True, slots=True)
class Reading(Generic[V]):
    """What was read; `value` is None unless `why` is "read"."""

    value: V | None
    why: Literal["read", "unparsed", "empty", "refused"]


@dataclass(frozen=True, slots=True)
class _Claim(Generic[V]):
    start: int
    end: int  # where the words of the claim end
    value: V | None  # None: an answer is announced and then none follows that can be read
    supposed: bool = False  # its sentence starts from an "if"


_CLAUSE_END = re.compile(r"[.!?;,](?=\s|$)")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)")
_LONGEST = 30_000  # characters of a reply that are read, from its end
_SHORT = 400  # characters of a plain statement or a refusal
_SHORT_GAP, _LONG_GAP, _NEAR = 4, 25, 40  # words, words, characters


def settle(reply: str, grammar: Grammar[V]) -> Reading[V]:
    """The one final answer in `reply`. Never raises, never guesses."""
    text = clean(reply[-_LONGEST:])
    value = grammar.whole(text) if text else None
    if value is not None:
        return Reading(value, "read")
    if not phrases.WORD.search(text):
        return Reading(None, "empty")
    told = _object(text)
    if told is not None:
        value = _in_object(told, grammar)
        return Reading(value, "read" if value is not None else "unparsed")
    text = grammar.tidy(text)
    claims = _claims(text, grammar)
    value = _verdict(text, claims, grammar) if claims else _told(text, grammar)
    if value is not None:
        return Reading(value, "read")
    refused = not claims and len(text) < _SHORT and phrases.REFUSAL.search(text)
    return Reading(None, "refused" if refused else "unparsed")


def judge(reply: str, grammar: Grammar[V], right: Callable[[V], bool], written: Callable[[V], str]) -> Score:
    """The score of `reply`: whether the answer in it is `right`, and how it is `written` in canonical form."""
    reading = settle(reply, grammar)
    if reading.value is None:
        return Score("unparsed" if reading.why == "read" else reading.why)
    correct = right(reading.value)
    return Score("correct" if correct else "wrong", float(correct), written(reading.value))


def _verdict(text: str, claims: list[_Claim[V]], grammar: Grammar[V]) -> V | None:
    last = claims[-1]
    if last.value is None:
        return None
    claims = [claim for claim in claims if claim.value is not None]
    first = len(claims) - 1  # the first of the run of claims that agree with the last
    while first > 0 and claims[first - 1].value == last.value:
        first -= 1
    if first > 0:
        gap = text[claims[first - 1].end : claims[first].start]
        if last.supposed or not _real(gap) or phrases.WORD.search(text[last.end :]):
            return None
    over = _SENTENCE_END.search(text, last.start)
    if phrases.RETRACTION.search(text, over.start() if over else last.end):
        return None
    return None if _offers_another(text[last.start :], last.value, grammar) else last.value


def _offers_another(text: str, value: V, grammar: Grammar[V]) -> bool:
    """Whether `text`, which starts with the claim of `value`, leaves the reader a second answer to choose from."""
    for number, sentence in enumerate(phrases.sentences(text)):
        if phrases.HEDGE.search(sentence):
            mentioned = grammar.mentioned(phrases.RULED_OUT.sub("", sentence))
            beside = number == 0 or value in mentioned or phrases.OFFER.search(sentence)
            if mentioned - {value} and beside:
                return True
    return False


def _real(gap: str) -> bool:
    """Whether `gap` is reasoning between two answers, and not just "or"."""
    if phrases.RETRACTION.search(gap):
        return True
    words = phrases.WORD.findall(gap)
    near = gap if len(words) < _LONG_GAP else gap[-_NEAR:]
    return len(words) >= _SHORT_GAP and not phrases.HEDGE.search(near)


def _object(text: str) -> dict[str, object] | None:
    """The reply as a JSON object, if that is all it is."""
    if not text.startswith("{"):
        return None
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", told) if isinstance(told, dict) else None


def _in_object(told: dict[str, object], grammar: Grammar[V]) -> V | None:
    """The value under the key that announces an answer, unless another key holds another value."""
    read = {name: grammar.whole(value if isinstance(value, str) else json.dumps(value)) for name, value in told.items()}
    named = [value for name, value in read.items() if phrases.announces(name, grammar.nouns)]
    if len(told) > 1 and not named:
        return grammar.whole(json.dumps(told))
    others = [value for name, value in read.items() if isinstance(told[name], str)]
    values = [value for value in named or others if value is not None]
    agree = all(value == values[0] for value in (*values, *(other for other in others if other is not None))) if values else False
    return values[0] if agree else None


def _told(text: str, grammar: Grammar[V]) -> V | None:
    sentences = list(phrases.sentences(text))
    if not sentences or (len(sentences) > 1 and not phrases.CONCLUDES.match(sentences[-1])):
        return None
    last = phrases.RULED_OUT.sub("", sentences[-1])
    doubts = (phrases.DENIAL, phrases.HEDGE, phrases.SUPPOSES)
    if len(last) > _SHORT or last.endswith("?") or any(doubt.search(last) for doubt in doubts):
        return None
    return grammar.told(last)


def _claims(text: str, grammar: Grammar[V]) -> list[_Claim[V]]:
    """Every claim, in the order of the text."""
    found: list[_Claim[V]] = []
    start = 0
    read = 0  # lines that "Answer:" alone announces have been read with it
    for number, line in enumerate(text.split("\n")):
        at, start = start, start + len(line) + 1
        if not line or at < read:
            continue
        value = None if phrases.BULLET.match(line) or line.endswith((":", "?")) else grammar.line(line)
        if value is not None:
            found.append(_Claim(at, at + len(line), value))
            continue
        inside = sorted(_in_line(text, at, line, grammar), key=lambda claim: (claim.start, claim.end))
        # "Answer: a careful look shows ..., so D": the claim inside says what the heading announces
        inside = [c for c in inside if c.value is not None or not any(c.start < other.start < c.end for other in inside)]
        read = max((claim.end for claim in inside), default=0)
        if number == 0 and not (inside and inside[0].start == at):
            value = grammar.opening(text)
            if value is not None:
                inside.insert(0, _Claim(at, at + 1, value))
        found += inside
    # a last sentence that is nothing but a value closes the reply like a last line
    *before, last = list(phrases.sentences(text)) or [""]
    value = grammar.line(last) if before and not last.endswith("?") else None
    if value is not None and (not found or found[-1].end < len(text) - len(last)):
        found.append(_Claim(len(text) - len(last), len(text), value))
    return found


def _in_line(text: str, at: int, line: str, grammar: Grammar[V]) -> Iterator[_Claim[V]]:
    yield from _announced(text, at, line, grammar)
    for mark in phrases.CONTRASTS.finditer(line):
        value = grammar.stated(line[mark.end() : mark.end() + _SHORT])
        if value is not None:
            yield _Claim(at + mark.end(), at + len(line), value)
    for mark in phrases.CLOSINGS.finditer(line):
        rest = line[mark.end() : mark.end() + _SHORT]
        if phrases.BESIDE.match(rest):
            continue  # "no / yes" takes nothing back
        value = grammar.whole(rest) if len(rest) < _SHORT else None
        if value is None:
            rest = next(phrases.sentences(rest), "")
            value = grammar.whole(rest)
        if value is not None and not rest.endswith("?"):
            yield _Claim(at + mark.end(), at + mark.end() + len(rest), value)
    for mark in phrases.BRACES.finditer(line):
        value = grammar.whole(mark.group(1))
        if value is not None:
            yield _Claim(at + mark.start(), at + mark.end(), value)
    if grammar.token:
        for mark in phrases.judgements(grammar.token).finditer(line):
            value = grammar.whole(mark.group("value"))
            sentence = phrases.sentence_around(line, mark.start())
            if value is not None and not sentence.endswith("?") and not phrases.SUPPOSES.search(sentence):
                yield _Claim(at + mark.start(), at + mark.end(), value)


def _announced(text: str, at: int, line: str, grammar: Grammar[V]) -> Iterator[_Claim[V]]:
    r"""Claims of the form "Answer: ...", "the answer is ...", "I choose ...", `\\boxed{...}`."""
    marks = list(phrases.announcements(grammar.nouns).finditer(line))
    for i, mark in enumerate(marks):
        start = at + mark.start()
        if mark.group("box"):
            inner, end = phrases.braced(text, at + mark.end())
            yield _Claim(start, end, grammar.whole(inner.strip()))
            continue
        if mark.group("tag"):
            end = text.find("</answer>", at + mark.end())
            end = end if end >= 0 else len(text)
            yield _Claim(start, end, grammar.whole(text[at + mark.end() : end].strip()))
            continue
        last = i + 1 == len(marks)
        said = line[mark.end() : len(line) if last else marks[i + 1].start()]
        # where another claim follows on the same line, this one ends with its clause
        over = None if last else (_SENTENCE_END if grammar.block else _CLAUSE_END).search(said)
        end = at + mark.end() + (over.end() if over else len(said))
        sentence = phrases.sentence_around(line, mark.start())
        if not phrases.WORD.search(said):
            if not last or not (below := text[at + len(line) :].lstrip("\n")):
                continue
            said = below[: 2 * _SHORT].partition("\n\n" if grammar.block else "\n")[0]
            end = len(text) - len(below) + len(said)
            if grammar.stated(said) is None:
                continue
        elif sentence.endswith("?"):
            continue
        if phrases.NEGATED.match(said):
            continue
        if phrases.WOULD.search(mark.group()) and phrases.SUPPOSES.search(sentence):
            continue
        value = grammar.stated(said)
        if value is not None and phrases.SUPPOSED_AFTER.search(next(phrases.sentences(said), "")):
            value = None
        heading = mark.group("label") and mark.start() == 0 and ":" in mark.group("label")
        if value is not None or heading:
            yield _Claim(start, end, value, supposed=bool(phrases.SUPPOSES.match(sentence)))
