r"""Answer extraction: from the text of a response to its one final answer, or to none.

The rules, in the order in which they are applied to the normalized response:

1. The whole response is a value (`B`, `(b)`, `B. West`, `West.`, `7`), or a JSON object that contains one: this is the answer.
2. Candidates are collected (see `candidates`), each with a cue strength. A last "Answer: B", `\boxed{B}` or `<answer>B</answer>` is
   strong; "the answer is B", "I choose B", "so B." in running text are weaker; "direction: West" may be given information and is
   weakest. A candidate that is denied, asked, hypothetical or attributed to someone else does not count.
3. A candidate overrides earlier ones of lower strength. If all others agree, their value is the answer. Otherwise the last one is
   the answer only if the response ends with it and the text before it retracts the others or, for candidates in running text, is
   an argument of some length. The text after the last candidate must neither retract it nor offer another value.
4. Without a candidate, a single plain sentence that names exactly one value ("It points to the West.") is parsed, and a last
   sentence that concludes ("I count 7 in total."). A label next to the text of another option ("B. East") is a candidate without a
   value.
5. Without a candidate of more than given information, a sentence that asserts one value as its subject or predicate ("Point B is closer
   to the camera.", "The median is 6.") is the answer: the last one if it concludes ("So ..."), else the only value that is asserted.

Every other response is unparsed: no rule selects a first, last or random option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, cast

from isovist.core.answers.extraction import phrases
from isovist.core.answers.extraction.candidates import PLAIN_LABEL, SHORT, AnswerCandidate, CueStrength, find_candidates, plain
from isovist.core.answers.extraction.normalize import (
    BULLET,
    SENTENCE_END,
    WORD,
    folded,
    last_sentences,
    load,
    normalize_response,
    sentences,
)
from isovist.core.answers.extraction.value_parser import V, ValueParser
from isovist.core.answers.score import Score


@dataclass(frozen=True, slots=True)
class ExtractedAnswer(Generic[V]):
    """The result of extraction. `value` is None unless `why` is "read"."""

    value: V | None
    why: Literal["read", "unparsed", "empty", "refused"]


_FEW = 11  # sentences at the end in which an assertion is searched
_LETTERS = re.compile(r"[^\W\d_]{2}")
_OPEN = re.compile(r"(?::|\b(?:is|are|be|of|to))$", re.IGNORECASE)
_PREDICATE = re.compile(r"(?:is|are)\b|all (?:\w+ )?are (?:possible|feasible|allowed)", re.IGNORECASE)
_CUT_OFF = frozenset("?=+*/(,<")
_ENDS = frozenset(".!)\"'。")
_CONCLUDES = re.compile(
    phrases.CONCLUDES.pattern
    + r"|\W*(?:based on|given|considering|among|comparing|after|from (?:this|the|these)|in one decimal|to sum|the (?:final|correct)|(?:the )?(?:only )?possible \w+)\b",
    re.IGNORECASE,
)
_DOUBTS = (phrases.REVOKED, phrases.REFUSAL, re.compile(r"^(?:now|next|let me|let's|let us|first|then)\b", re.IGNORECASE))
_REASON = re.compile(
    r"(?:this|that|it)(?:'s| is| can be) (?:evident|clear|because|shown|indicated|due|seen|supported|based)|(?:you|i|we) can (?:tell|see)|because|since",
    re.IGNORECASE,
)
_LIKEWISE = re.compile(r"\b(?:also|as well|equally)\b|\btoo\W*$", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:is there anything|let me know|please let|i hope|feel free|if you (?:have|need)|do you (?:have|need)|would you like|hope this)\b",
    re.IGNORECASE,
)
_SHORT_GAP, _LONG_GAP, _NEAR = 4, 25, 40  # words, words, characters
_AGAIN = re.compile(r"\n\s*(?:#+\s*)?(?:question|q|human|user|instruction)\s*\d*\s*:", re.IGNORECASE)
_LABEL = re.compile(r"[(\[\"']*\w[)\]\"']*[.!]\s")
_BUT = re.compile(r"[,;]\s*(?:but|yet|though|although)\b[^.!?\n]*", re.IGNORECASE)
_CLAUSES = re.compile(r",?\s+(?=(?:while|whereas|because|since)\s)", re.IGNORECASE)
_CALLED = re.compile(r"\W*(?:sure|certainly|okay|ok|of course|absolutely|great|alright|no problem)\W*", re.IGNORECASE)


def extract_answer(reply: str, grammar: ValueParser[V]) -> ExtractedAnswer[V]:
    """The one final answer in `reply`. It raises no error and selects no value at random."""
    text = normalize_response(reply)
    label = PLAIN_LABEL.match(text)
    value = grammar.plain(text[label.end() :]) if label else None
    if value is not None:
        return ExtractedAnswer(value, "read")
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
    if restart:  # a base model continues with another question after its answer
        before = extract_answer(text[: restart.start()], grammar)
        if before.why == "read":
            return before
    candidates = find_candidates(text, grammar, weak=restart is not None)
    if restart and any(candidate.start < restart.start() for candidate in candidates):
        return ExtractedAnswer(None, "unparsed")
    value = _final_value(text, candidates, grammar) if candidates else _plain_answer(text, grammar)
    if value is None and not any(candidate.torn for candidate in candidates):
        claims = [candidate for candidate in candidates if candidate.weight > CueStrength.GIVEN]
        asserted = _assertion(text[claims[-1].end :] if claims else text, grammar)  # after a claim in doubt, it confirms the claim
        value = asserted if all(candidate.value == asserted for candidate in claims) else None
    if value is not None:
        return ExtractedAnswer(value, "read")
    refused = not candidates and len(text) < SHORT and phrases.REFUSAL.search(text)
    return ExtractedAnswer(None, "refused" if refused else "unparsed")


def score_response(reply: str, grammar: ValueParser[V], right: Callable[[V], bool], written: Callable[[V], str]) -> Score:
    """The score of `reply`. `right`: whether a value is correct; `written`: the canonical form of a value."""
    extracted = extract_answer(reply, grammar)
    if extracted.value is None:
        return Score("unparsed" if extracted.why == "read" else extracted.why)
    correct = right(extracted.value)
    return Score("correct" if correct else "incorrect", float(correct), written(extracted.value))


def is_conspicuous(text: str, grammar: ValueParser[V]) -> bool:
    """Whether a rule may treat "Answer: `text`" differently from a list of words without a meaning."""
    text = folded(f"Answer: {text}")
    patterns = (
        *(phrases.CLOSINGS, phrases.CONTRASTS, phrases.LABELS, phrases.announcements(grammar.finals, grammar.givens)),
        *(phrases.DENIAL, phrases.HYPOTHETICAL, phrases.SUPPOSED_AFTER, phrases.WOULD),
        *(phrases.HEDGE, phrases.RULED_OUT, phrases.CONCLUDES, phrases.REVERSAL_CUES),
        *(phrases.CORRECTION_CUES, phrases.REJECTED, phrases.RETRACTION, phrases.PREMISE),
        phrases.TURN,
        *(_AGAIN, _BUT, _CLAUSES),
    )
    return any(match.end() > len("Answer: ") for pattern in patterns for match in pattern.finditer(text))


def _final_value(text: str, candidates: list[AnswerCandidate[V]], grammar: ValueParser[V]) -> V | None:
    candidates = _strongest(text, candidates)
    last = candidates[-1]
    if last.value is None or last.weight == CueStrength.ECHO:
        return None
    after = text[last.end :]
    over = SENTENCE_END.search(text, last.value_start)
    if last.weight == CueStrength.GIVEN and text[-1].isalnum() and WORD.search(text[over.end() if over else last.end :]):
        return None  # cut off before the answer
    candidates = [candidate for candidate in candidates if candidate.value is not None or candidate.torn]
    first = len(candidates) - 1  # index of the first of the last consecutive candidates with equal values
    while first > 0 and candidates[first - 1].value == last.value:
        first -= 1
    if first > 0:
        other = candidates[first - 1]
        gap = text[other.value_start : candidates[first].start]
        if last.is_hypothetical or WORD.search(after) or not _replaces(gap, text[other.end : candidates[first].start], other, last):
            return None
    below = text[last.end + 1 :].partition("\n")[0]
    if last.value_start == 0 and grammar.block and text[last.end : last.end + 1] == "\n" and last.value in grammar.mentioned(below):
        return None  # a heading, to which the next line refers
    if last.is_plain and last.end == len(text):
        return last.value
    return None if _is_retracted(text, last, last.value, grammar) else last.value


def _strongest(text: str, candidates: list[AnswerCandidate[V]]) -> list[AnswerCandidate[V]]:
    """The candidates without those followed by a stronger one and those that state given information after the answer."""
    kept: list[AnswerCandidate[V]] = []
    for candidate in candidates:
        while kept and kept[-1].weight < candidate.weight:
            kept.pop()
        if kept and candidate.weight == CueStrength.GIVEN < kept[-1].weight and WORD.search(text[kept[-1].end : candidate.start]):
            continue
        kept.append(candidate)
    return kept


def _replaces(statement: str, gap: str, other: AnswerCandidate[V], last: AnswerCandidate[V]) -> bool:
    """Whether `last` replaces `other`. `statement` starts with the value of `other`; `gap` is the text between the two."""
    if phrases.RETRACTION.search(gap) or phrases.REVOKED.search(statement):
        return True
    if (
        other.weight == CueStrength.STRONG
        or last.weight == other.weight == CueStrength.GIVEN
        or (last.weight < CueStrength.PROSE and other.weight >= CueStrength.PROSE)
    ):
        return False
    if phrases.CONCLUDES.match(gap) and other.weight == CueStrength.PROSE:
        return True
    words = WORD.findall(gap)
    near = gap if len(words) < _LONG_GAP else gap[-_NEAR:]
    return len(words) >= _SHORT_GAP and not phrases.HEDGE.search(near)


def _is_retracted(text: str, last: AnswerCandidate[V], value: V, grammar: ValueParser[V]) -> bool:
    """Whether the text after the last candidate retracts it, offers another value or concludes another value."""
    over = SENTENCE_END.search(text, last.value_start)
    end = min(over.start(), last.end) if over else last.end
    if phrases.REVOKED.search(text, last.value_start) or phrases.RETRACTION.search(text, end):
        return True
    label = _LABEL.match(text, last.value_start)  # its full stop does not end a sentence
    spans = [text[last.value_start : label.end()], *sentences(text[label.end() :])] if label else sentences(text[last.value_start :])
    for number, sentence in enumerate(spans):
        kept = phrases.RULED_OUT.sub("", sentence)
        others = grammar.mentioned(kept) - {value}
        if phrases.REJECTED.search(sentence) and not grammar.mentioned(sentence) - {value}:
            return True
        if others and any(_offers(clause, value, grammar, beside=number == 0) for clause in _CLAUSES.split(kept)):
            return True
        if (
            number
            and others
            and (phrases.TURN.search(sentence) or phrases.REVERSAL_CUES.match(sentence) or phrases.CORRECTION_CUES.search(sentence))
        ):
            return True
        if any(grammar.mentioned(phrases.RULED_OUT.sub("", turn.group())) - {value} for turn in _BUT.finditer(sentence)):
            return True
        if number and phrases.CONCLUDES.match(sentence) and plain(sentence, grammar) not in (None, value):
            return True
    return False


def _offers(clause: str, value: V, grammar: ValueParser[V], *, beside: bool) -> bool:
    """Whether `clause` offers another value as an alternative to `value`; a hedge between two other values does not."""
    if not phrases.HEDGE.search(clause):
        return False
    named = grammar.mentioned(clause)
    return bool(named - {value}) and bool(beside or value in named or phrases.OFFER.search(clause))


def _plain_answer(text: str, grammar: ValueParser[V]) -> V | None:
    statements = last_sentences(text)
    if len(statements) > 1 and _CALLED.fullmatch(statements[0]):
        statements = statements[1:]
    last = statements[-1] if statements else ""
    value = plain(last, grammar)
    if value is None or len(statements) == 1 or phrases.CONCLUDES.match(last) or phrases.DECIDES.search(last):
        return value
    whole = not last[-1].isalnum() and not any(sentence.endswith("?") for sentence in statements)
    return (
        value
        if whole and not phrases.REVERSAL_CUES.match(last) and not grammar.mentioned(text) - {value} and grammar.decides(last)
        else None
    )


def _assertion(text: str, grammar: ValueParser[V]) -> V | None:
    """The value of the last sentence that asserts one, if it concludes, or if no sentence before it asserts another."""
    text = text.strip()
    statements = _statements(text, grammar)
    if not statements or text[-1] in _CUT_OFF:
        return None
    if len(statements) > 1 and all(_REASON.match(sentence) for sentence in statements[1:]):
        value = plain(statements[0], grammar)
        if value is not None:
            return value
    place = len(statements)
    value = None
    while value is None and place > max(0, len(statements) - _FEW):
        place -= 1
        value = _asserted(statements[place], grammar)
    if value is None:
        return None
    sentence, before, after = statements[place], statements[:place], statements[place + 1 :]
    if any(_is_doubtful(later, value, grammar) for later in after) or phrases.REVOKED.search(sentence):
        return None
    if _CONCLUDES.match(sentence):
        return value
    others = [other for earlier in before if (other := _asserted(earlier, grammar)) is not None]
    if phrases.REVERSAL_CUES.match(sentence) or any(doubt.search(sentence) for doubt in _DOUBTS) or any(other != value for other in others):
        return None
    if any(phrases.REFUSAL.search(earlier) for earlier in before):
        return None
    is_cut_off = len(statements) > 1 and text[-1] not in _ENDS and _LETTERS.search(statements[-1]) is not None
    return None if is_cut_off and not others else value


def _statements(text: str, grammar: ValueParser[V]) -> list[str]:
    """The last sentences of `text`; one that ends with a colon or a verb has its continuation, and a list its entries."""
    statements: list[str] = []
    for sentence in last_sentences(text):
        above = statements[-1] if statements else ""
        if above and "?" not in sentence and (_OPEN.search(above) or _PREDICATE.match(sentence)):
            statements[-1] += f" {BULLET.sub('', sentence, count=1)}"  # "I would select:" above an option
        elif above and grammar.block and above[-1].isalnum() and grammar.line(sentence) is not None:
            statements[-1] += f", {BULLET.sub('', sentence, count=1)}"
        elif not _COURTESY.match(sentence):
            statements.append(sentence)
    return statements


def _asserted(sentence: str, grammar: ValueParser[V]) -> V | None:
    return None if sentence.endswith("?") else grammar.asserted(sentence)


def _is_doubtful(later: str, value: V, grammar: ValueParser[V]) -> bool:
    """Whether a sentence after an assertion makes it uncertain: another conclusion, a retraction, the next step, or the same of another value."""
    if phrases.CONCLUDES.match(later) or any(doubt.search(later) for doubt in _DOUBTS):
        return True
    return bool((grammar.alone or _LIKEWISE.search(later) or phrases.HEDGE.search(later)) and grammar.mentioned(later) - {value})


def _object(text: str) -> dict[str, object] | None:
    """The JSON object that is the whole response; None for any other response."""
    if not text.startswith("{"):
        return None
    try:
        data = load(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", data) if isinstance(data, dict) else None


def _in_object(data: dict[str, object], grammar: ValueParser[V]) -> V | None:
    """The value of the keys that announce an answer, if they agree; without such keys, the value of the only key."""
    read = {name: grammar.whole(value if isinstance(value, str) else json.dumps(value)) for name, value in data.items()}
    for nouns in (grammar.finals, grammar.givens):
        named = [value for name, value in read.items() if phrases.answer_cue_pattern(name, nouns)]
        if named:
            beside = [value for name, value in read.items() if value is not None and phrases.answer_cue_pattern(name, grammar.givens)]
            return named[0] if all(value == named[0] for value in (*named, *beside)) else None
    if len(data) > 1:
        return grammar.whole(json.dumps(data))
    return next(iter(read.values()), None)
