r"""From a model's words to its one final answer, or to none.

The rules, in the order in which they are tried on the cleaned reply:

1. The whole reply is a value (`B`, `(b)`, `B. West`, `West.`, `7`), or a JSON object that holds one: that is the answer.
2. *Claims* are collected (see `claims`), each with a weight: a last "Answer: B", `\boxed{B}` or `<answer>B</answer>` is
   strong; "the answer is B", "I choose B", "so B." in running text are less; "direction: West" may be a given and is
   least. A claim that is denied, asked, hypothetical or told as somebody's mistake does not count.
3. A claim makes lighter ones before it idle. If all others agree, that is the answer. If they do not, the last one stands
   only if the reply ends on it and what lies between takes the other back or, for claims in running text, is real
   reasoning. Whatever follows the last claim must neither take it back nor offer another.
4. With no claim at all, a single plain sentence that names exactly one value ("It points to the West.") is read, and a
   last one that concludes ("I count 7 in total."). A letter beside another option's text ("B. East") is a claim to nothing.

Everything else is unread: there is no fallback to a first, last or random option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, cast

from isovist.core.answers.extraction import cue_patterns, hedging_patterns
from isovist.core.answers.extraction.candidates import SHORT, AnswerCandidate, CueStrength, find_candidates, plain
from isovist.core.answers.extraction.normalize import normalize_response
from isovist.core.answers.extraction.text import SENTENCE_END, WORD, load, sentences
from isovist.core.answers.extraction.value_parser import V, ValueParser
from isovist.core.answers.score import Score


@dataclass(frozen=True, slots=True)
class ExtractedAnswer(Generic[V]):
    """What was read; `value` is None unless `why` is "read"."""

    value: V | None
    why: Literal["read", "unparsed", "empty", "refused"]


_SHORT_GAP, _LONG_GAP, _NEAR = 4, 25, 40  # words, words, characters
_AGAIN = re.compile(r"\n\s*(?:#+\s*)?(?:question|q|human|user|instruction)\s*\d*\s*:", re.IGNORECASE)
_LABEL = re.compile(r"[(\[\"']*\w[)\]\"']*[.!]\s")
_BUT = re.compile(r"[,;]\s*(?:but|yet|though|although)\b[^.!?\n]*", re.IGNORECASE)
_CLAUSES = re.compile(r",?\s+(?=(?:while|whereas|because|since)\s)", re.IGNORECASE)
_CALLED = re.compile(r"\W*(?:sure|certainly|okay|ok|of course|absolutely|great|alright|no problem)\W*", re.IGNORECASE)


def extract_answer(reply: str, grammar: ValueParser[V]) -> ExtractedAnswer[V]:
    """The one final answer in `reply`. Never raises, never guesses."""
    text = normalize_response(reply)
    value = grammar.whole(text) if text and not text.endswith("?") else None
    if value is not None:
        return ExtractedAnswer(value, "read")
    if not WORD.search(text):
        return ExtractedAnswer(None, "empty")
    data = _object(text)
    if data is not None:
        value = _in_object(data, grammar)
        return ExtractedAnswer(value, "read" if value is not None else "unparsed")
    text = grammar.tidy(text)
    restart = _AGAIN.search(text)
    if restart:  # a base model answers and then asks itself the next question
        before = extract_answer(text[: restart.start()], grammar)
        if before.why == "read":
            return before
    claims = find_candidates(text, grammar)
    if restart and any(claim.start < restart.start() for claim in claims):
        return ExtractedAnswer(None, "unparsed")
    value = _verdict(text, claims, grammar) if claims else _told(text, grammar)
    if value is not None:
        return ExtractedAnswer(value, "read")
    refused = not claims and len(text) < SHORT and hedging_patterns.REFUSAL.search(text)
    return ExtractedAnswer(None, "refused" if refused else "unparsed")


def score_response(reply: str, grammar: ValueParser[V], right: Callable[[V], bool], written: Callable[[V], str]) -> Score:
    """The score of `reply`: whether the answer in it is `right`, and how it is `written` in canonical form."""
    reading = extract_answer(reply, grammar)
    if reading.value is None:
        return Score("unparsed" if reading.why == "read" else reading.why)
    correct = right(reading.value)
    return Score("correct" if correct else "incorrect", float(correct), written(reading.value))


def _verdict(text: str, claims: list[AnswerCandidate[V]], grammar: ValueParser[V]) -> V | None:
    claims = _weighed(text, claims)
    last = claims[-1]
    if last.value is None or last.weight == CueStrength.ECHO:
        return None
    after = text[last.end :]
    over = SENTENCE_END.search(text, last.value_start)
    if last.weight == CueStrength.GIVEN and text[-1].isalnum() and WORD.search(text[over.end() if over else last.end :]):
        return None  # the reply is cut off before its answer
    claims = [claim for claim in claims if claim.value is not None or claim.torn]
    first = len(claims) - 1  # the first of the run of claims that agree with the last
    while first > 0 and claims[first - 1].value == last.value:
        first -= 1
    if first > 0:
        other = claims[first - 1]
        gap = text[other.value_start : claims[first].start]
        if last.is_hypothetical or WORD.search(after) or not _overturned(gap, text[other.end : claims[first].start], other, last):
            return None
    below = text[last.end + 1 :].partition("\n")[0]
    if last.value_start == 0 and grammar.block and text[last.end : last.end + 1] == "\n" and last.value in grammar.mentioned(below):
        return None  # a heading, which the line below talks about
    return None if _undone(text, last, last.value, grammar) else last.value


def _weighed(text: str, claims: list[AnswerCandidate[V]]) -> list[AnswerCandidate[V]]:
    """The claims without those that a heavier one follows, nor those that only tell givens after the answer."""
    kept: list[AnswerCandidate[V]] = []
    for claim in claims:
        while kept and kept[-1].weight < claim.weight:
            kept.pop()
        if kept and claim.weight == CueStrength.GIVEN < kept[-1].weight and WORD.search(text[kept[-1].end : claim.start]):
            continue
        kept.append(claim)
    return kept


def _overturned(statement: str, gap: str, other: AnswerCandidate[V], last: AnswerCandidate[V]) -> bool:
    """Whether `last` replaces `other`, which `statement` opens with; `gap` is what stands between them."""
    if hedging_patterns.RETRACTION.search(gap) or hedging_patterns.REVOKED.search(statement):
        return True
    if (
        other.weight == CueStrength.STRONG
        or last.weight == other.weight == CueStrength.GIVEN
        or (last.weight < CueStrength.PROSE and other.weight >= CueStrength.PROSE)
    ):
        return False
    words = WORD.findall(gap)
    near = gap if len(words) < _LONG_GAP else gap[-_NEAR:]
    return len(words) >= _SHORT_GAP and not hedging_patterns.HEDGE.search(near)


def _undone(text: str, last: AnswerCandidate[V], value: V, grammar: ValueParser[V]) -> bool:
    """Whether what follows the last claim takes it back, offers another value or concludes to another."""
    over = SENTENCE_END.search(text, last.value_start)
    end = min(over.start(), last.end) if over else last.end
    if hedging_patterns.REVOKED.search(text, last.value_start) or hedging_patterns.RETRACTION.search(text, end):
        return True
    label = _LABEL.match(text, last.value_start)  # its full stop ends no sentence elsewhere
    spans = [text[last.value_start : label.end()], *sentences(text[label.end() :])] if label else sentences(text[last.value_start :])
    for number, sentence in enumerate(spans):
        kept = hedging_patterns.RULED_OUT.sub("", sentence)
        others = grammar.mentioned(kept) - {value}
        if hedging_patterns.REJECTED.search(sentence) and not grammar.mentioned(sentence) - {value}:
            return True
        if others and any(_offers(clause, value, grammar, beside=number == 0) for clause in _CLAUSES.split(kept)):
            return True
        if number and others and (hedging_patterns.REVERSAL_CUES.match(sentence) or hedging_patterns.CORRECTION_CUES.search(sentence)):
            return True
        if any(grammar.mentioned(hedging_patterns.RULED_OUT.sub("", turn.group())) - {value} for turn in _BUT.finditer(sentence)):
            return True
        if number and hedging_patterns.CONCLUDES.match(sentence) and plain(sentence, grammar) not in (None, value):
            return True
    return False


def _offers(clause: str, value: V, grammar: ValueParser[V], *, beside: bool) -> bool:
    """Whether `clause` puts another value on a par with `value`; a hedge between two others does not."""
    if not hedging_patterns.HEDGE.search(clause):
        return False
    named = grammar.mentioned(clause)
    return bool(named - {value}) and bool(beside or value in named or hedging_patterns.OFFER.search(clause))


def _told(text: str, grammar: ValueParser[V]) -> V | None:
    statements = list(sentences(text))
    if len(statements) > 1 and _CALLED.fullmatch(statements[0]):
        statements = statements[1:]
    last = statements[-1] if statements else ""
    value = plain(last, grammar)
    if value is None or len(statements) == 1 or hedging_patterns.CONCLUDES.match(last) or hedging_patterns.DECIDES.search(last):
        return value
    whole = not last[-1].isalnum() and not any(sentence.endswith("?") for sentence in statements)
    return (
        value
        if whole and not hedging_patterns.REVERSAL_CUES.match(last) and not grammar.mentioned(text) - {value} and grammar.decides(last)
        else None
    )


def _object(text: str) -> dict[str, object] | None:
    """The reply as a JSON object, if that is all it is."""
    if not text.startswith("{"):
        return None
    try:
        data = load(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", data) if isinstance(data, dict) else None


def _in_object(data: dict[str, object], grammar: ValueParser[V]) -> V | None:
    """The value under the keys that announce an answer, if they agree; else the one value that any key holds."""
    read = {name: grammar.whole(value if isinstance(value, str) else json.dumps(value)) for name, value in data.items()}
    for nouns in (grammar.finals, grammar.givens):
        named = [value for name, value in read.items() if cue_patterns.answer_cue_pattern(name, nouns)]
        if named:
            beside = [value for name, value in read.items() if value is not None and cue_patterns.answer_cue_pattern(name, grammar.givens)]
            return named[0] if all(value == named[0] for value in (*named, *beside)) else None
    if len(data) > 1:
        return grammar.whole(json.dumps(data))
    return next(iter(read.values()), None)
