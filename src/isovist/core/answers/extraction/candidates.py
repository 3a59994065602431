"""The claims of a reply: every place where it announces an answer, and how much weight the words there have."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Generic

from isovist.core.answers.extraction import cue_patterns, hedging_patterns
from isovist.core.answers.extraction.text import BULLET, CLAUSE_END, SENTENCE_END, WORD, bare, braced, sentence_around, sentences
from isovist.core.answers.extraction.value_parser import V, ValueParser

SHORT = 400  # characters of a plain statement


class CueStrength(IntEnum):
    """What outweighs what: a claim makes all lighter ones before it idle."""

    ECHO = 0  # a bare value between other lines: a heading, a label of the picture
    GIVEN = 1  # announced by words that also tell givens: "direction: South", "I think the top is ..."
    PROSE = 2  # "the answer is B", "I choose B", "so B."
    STRONG = 3  # "Answer: B" at the start of a sentence, a box, a tag, a first or last line that is a value


@dataclass(frozen=True, slots=True)
class AnswerCandidate(Generic[V]):
    start: int
    value_start: int
    end: int  # where its words end
    value: V | None  # None: an answer is announced and then none follows that can be read
    weight: CueStrength
    is_hypothetical: bool = False  # its sentence starts from an "if"
    torn: bool = False  # it names two values that contradict each other


def plain(sentence: str, grammar: ValueParser[V]) -> V | None:
    """The value that a sentence tells which neither denies nor doubts nor tells what is given."""
    if len(sentence) > 2 * SHORT or sentence.endswith("?"):
        return None
    led = _LED.match(sentence)
    if led and not hedging_patterns.PART.search(led.group(), 3) and not hedging_patterns.SHADOW.search(led.group()):
        sentence = sentence[led.end() :]
    sentence = hedging_patterns.RULED_OUT.sub("", sentence)
    value = grammar.parse_sentence(sentence) if sentence and len(sentence) <= SHORT else None  # most sentences tell none
    if value is None or any(
        doubt.search(sentence)
        for doubt in (hedging_patterns.DENIAL, hedging_patterns.HEDGE, hedging_patterns.HYPOTHETICAL, hedging_patterns.PREMISE)
    ):
        return None
    return None if hedging_patterns.shaded(sentence) else value


_LED = re.compile(
    r"(?:so\s+|therefore,?\s+)?(?:after|because|since|given(?: that)?|comparing|looking|counting|based on|having|upon|of (?:the|these|all)(?: \w+)? (?:options|candidates|choices))\b[^,.;?!\n]{0,120},\s+(?!(?:and|or|but|which|who|then)\b)",
    re.IGNORECASE,
)
"""What leads up to a statement: "Because South is at the top, ..."."""


def find_candidates(text: str, grammar: ValueParser[V]) -> list[AnswerCandidate[V]]:
    """Every claim, in the order of the text."""
    candidates: list[AnswerCandidate[V]] = []
    start = 0
    read = 0  # lines that "Answer:" alone announces have been read with it
    for line in text.split("\n"):
        at, start = start, start + len(line) + 1
        if not line or at < read:
            continue
        closed = bool(BULLET.match(line)) or line.endswith((":", "?"))
        value = None if closed else grammar.line(line)
        torn = not closed and value is None and grammar.clash(line)
        if value is not None or torn:
            weight = _bare(text, at, start, line)
            if candidates and weight > candidates[-1].weight == CueStrength.ECHO and not WORD.search(text[candidates[-1].end : at]):
                candidates[-1] = replace(candidates[-1], weight=weight)  # two values one below the other
            candidates.append(AnswerCandidate(at, at, at + len(line), value, weight, torn=torn))
            continue
        inside = sorted(_in_line(text, at, line, grammar), key=lambda claim: (claim.start, claim.end))
        inside = _torn_apart(text, at, line, inside, grammar)
        # "Answer: a careful look shows ..., so D": the claim inside says what the heading announces
        inside = [c for c in inside if c.value is not None or c.torn or not any(c.start < other.start < c.end for other in inside)]
        read = max((claim.end for claim in inside), default=0)
        if at == 0 and not (inside and inside[0].start == 0):
            value = grammar.opening(text)
            if value is not None:
                inside.insert(0, AnswerCandidate(0, 0, 1, value, CueStrength.STRONG))
        candidates += inside
    return candidates + _last(text, candidates, grammar)


def _torn_apart(text: str, at: int, line: str, inside: list[AnswerCandidate[V]], grammar: ValueParser[V]) -> list[AnswerCandidate[V]]:
    """The claims of a line, those marked that stand beside a contradiction: "East (B)", "**B** - East", "East, which is option B"."""
    out: list[AnswerCandidate[V]] = []
    for claim in inside:
        if out and out[-1].torn and claim.start < out[-1].end:
            continue  # it is a part of the contradiction
        torn = claim.torn or (claim.value is not None and _torn(line, claim.start - at, claim.value_start - at, claim.value, grammar))
        out.append(replace(claim, value=None, torn=True) if torn else claim)
    edge = not inside and len(line) < SHORT / 2 and (at == 0 or not WORD.search(text, at + len(line)))
    if edge and not line.endswith((":", "?")) and not BULLET.match(line) and grammar.torn(line):
        out.append(AnswerCandidate(at, at, at + len(line), None, CueStrength.STRONG if at else CueStrength.PROSE, torn=True))
    return out


def _torn(line: str, start: int, value_start: int, value: V, grammar: ValueParser[V]) -> bool:
    """Whether another name of an option stands beside `value`, which `line` announces at `start` and says at `value_start`."""
    word = WORD.search(line, max(0, value_start))
    if grammar.torn(line[value_start:]) or any(
        grammar.before(line[: max(0, mark)]) not in (None, value) for mark in (start, value_start, word.start() if word else 0)
    ):
        return True
    marker = _SO.search(line, 0, max(0, start))
    return marker is not None and plain(_OF_SENTENCE.split(line[: marker.start()])[-1], grammar) not in (None, value)


_OF_SENTENCE = re.compile(r"(?<=[.!?;])\s")
_SO = re.compile(r",?\s+(?:so|thus|hence|therefore|which means|and)\s*,?\s*$", re.IGNORECASE)


def _bare(text: str, at: int, below: int, line: str) -> CueStrength:
    """The weight of a line that is nothing but a value: the first and the last line of a reply are answers."""
    first, last = not text[:at].strip(), not text[below:].strip()
    if not last and (not first or _HEADING.match(line)):
        return CueStrength.ECHO
    if not first and text[:at].rstrip().endswith(":"):
        return CueStrength.GIVEN  # under a heading that announces something, though not an answer
    return CueStrength.STRONG


_HEADING = re.compile(r"(?:option|choice)\s+\(?\w\)?\W*$", re.IGNORECASE)


def _last(text: str, candidates: list[AnswerCandidate[V]], grammar: ValueParser[V]) -> list[AnswerCandidate[V]]:
    """A last sentence that is nothing but a value closes the reply like a last line."""
    *before, last = list(sentences(text)) or [""]
    at = len(text) - len(last)
    if not before or last.endswith(("?", ":")) or (candidates and candidates[-1].end >= at):
        return []
    if before[-1].endswith("?") and any(sentence.endswith("?") for sentence in before[:-1]):
        return []  # questions of its own, which it answers one by one
    if before[-1].endswith("?") and grammar.whole(before[-1][:-1]) is not None:
        return []  # "Yes? No." wavers
    if _NUMERO.search(text[:at]):
        return []
    value = None if BULLET.match(last) else grammar.line(last)
    if value is not None and grammar.line(before[-1]) not in (None, value):
        value = None  # counting aloud, or two values side by side
        return [AnswerCandidate(at, at, len(text), value, CueStrength.PROSE)]
    if value is not None:
        return [AnswerCandidate(at, at, len(text), value, CueStrength.PROSE)]
    value = plain(last, grammar) if candidates and hedging_patterns.CONCLUDES.match(last) else None
    return [] if value is None else [AnswerCandidate(at, at, len(text), value, CueStrength.PROSE)]


_NUMERO = re.compile(r"\b(?:no|nr|fig)\.\s*$", re.IGNORECASE)


def _few(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """Where `pattern` matches in a line; of a line that babbles on, the last places."""
    return list(deque(pattern.finditer(line), maxlen=_MOST))


_MOST = 60  # places in a line that are looked at


def _in_line(text: str, at: int, line: str, grammar: ValueParser[V]) -> Iterator[AnswerCandidate[V]]:
    yield from _announced(text, at, line, grammar)
    lower = line.lower()  # a word that each form needs is found faster than the form
    for mark in _few(cue_patterns.CONTRASTS, line) if "not" in lower or "n't" in lower else ():
        value = grammar.stated(line[mark.end() : mark.end() + SHORT])
        if value is not None:
            yield AnswerCandidate(at + mark.end(), at + mark.end(), at + len(line), value, CueStrength.GIVEN)
    last = not WORD.search(text, at + len(line))
    for mark in _few(cue_patterns.CLOSINGS, line):
        yield from _closing(at, line, mark, grammar, last=last)
    for mark in _few(cue_patterns.BRACES, line) if "{" in line else ():
        value = grammar.whole(mark.group(1))
        if value is not None and not hedging_patterns.shaded(sentence_around(line, mark.start())[1]):
            yield AnswerCandidate(at + mark.start(), at + mark.start(), at + mark.end(), value, CueStrength.PROSE)
    if grammar.token and any(word in lower for word in cue_patterns.JUDGING):
        for mark in _few(cue_patterns.judgements(grammar.token), line):
            value = grammar.whole(mark.group("value"))
            sentence, lead = sentence_around(line, mark.start())
            if value is None or sentence.endswith("?") or hedging_patterns.HYPOTHETICAL.search(sentence) or _unclear(lead, sentence):
                continue
            yield AnswerCandidate(at + mark.start(), at + mark.start("value"), at + mark.end(), value, CueStrength.PROSE)


def _unclear(lead: str, sentence: str) -> bool:
    return hedging_patterns.shaded(lead) or (
        hedging_patterns.WOULD.search(sentence) is not None and hedging_patterns.HYPOTHETICAL.search(sentence) is not None
    )


def _closing(at: int, line: str, mark: re.Match[str], grammar: ValueParser[V], *, last: bool) -> Iterator[AnswerCandidate[V]]:
    rest = line[mark.end() : mark.end() + SHORT]
    if cue_patterns.BESIDE.match(rest):
        return  # "no / yes" takes nothing back
    value = grammar.whole(rest) if len(rest) < SHORT else None
    if value is None:
        rest = next(sentences(rest), "")
        value = grammar.whole(rest)
    if value is None and (over := _CLOSED.search(rest)):
        value = grammar.whole(rest[: over.start()])
    if mark["arrow"]:  # "West → B"
        value = value if value is not None and len(bare(rest)) == 1 and grammar.before(line[: mark.end()]) == value else None
    is_conclusion = last and value is None and _THEREFORE.match(mark.group()) is not None
    if is_conclusion and not hedging_patterns.WOULD.search(sentence_around(line, mark.start())[0]):  # "so the tricycle faces to the right"
        value = plain(rest, grammar)
    if value is None or rest.endswith("?") or _MAYBE.search(sentence_around(line, mark.start())[1]):
        return
    if mark["back"] is None and hedging_patterns.shaded(sentence_around(line, mark.start())[1]):
        return
    if mark["think"] and (hedging_patterns.PREMISE.search(mark.group()) or hedging_patterns.shaded(mark.group())):
        return
    weight = CueStrength.GIVEN if mark["colon"] or is_conclusion else CueStrength.PROSE
    yield AnswerCandidate(at + mark.end(), at + mark.end(), at + mark.end() + len(rest), value, weight)


_THEREFORE = re.compile(r"(?:so|therefore|thus|hence|consequently|accordingly)\b", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:might|may|could|perhaps|possibly|maybe)\b[^.;]*$", re.IGNORECASE)
_CLOSED = re.compile(r"[,;]?\s+(?:it is\b(?=\W*$)|and not|not|rather than|instead of|because|since|given|due to)\b", re.IGNORECASE)


def _announced(text: str, at: int, line: str, grammar: ValueParser[V]) -> Iterator[AnswerCandidate[V]]:
    r"""Claims of the form "Answer: ...", "the answer is ...", "I choose ...", `\\boxed{...}`."""
    marks = _few(cue_patterns.announcements(grammar.finals, grammar.givens), line)
    starts = [_start(line, before, mark, grammar) for before, mark in zip([None, *marks], marks, strict=False)]
    for i, mark in enumerate(marks):
        start, said_at = at + starts[i], at + mark.end()
        sentence, lead = sentence_around(line, starts[i])
        if i and len(between := line[marks[i - 1].end() : starts[i]]) < len(lead) and _said_before(between, grammar):
            lead = lead[: -len(between)]  # "none" and "up" are values there, which deny and tell nothing
        if hedging_patterns.shaded(lead) or hedging_patterns.SUPPOSED_AFTER.search(lead):
            continue
        if mark["box"]:
            inner, end = braced(text, said_at)
            yield AnswerCandidate(start, said_at, end, grammar.whole(inner.strip()), CueStrength.STRONG)
            continue
        if mark["tag"]:
            close = _TAG_END.search(text, said_at, said_at + 5 * SHORT)
            inner = text[said_at : close.start() if close else said_at + SHORT]
            yield AnswerCandidate(start, said_at, close.end() if close else len(text), grammar.whole(inner.strip()), CueStrength.STRONG)
            continue
        last = i + 1 == len(marks)
        phrase = line[mark.end() : len(line) if last else starts[i + 1]]
        # where another claim follows on the same line, this one ends with its clause
        over = None if last else (SENTENCE_END if grammar.block else CLAUSE_END).search(phrase)
        end = said_at + (over.end() if over else len(phrase))
        if not WORD.search(phrase):
            if not last:
                continue
            if not (below := text[at + len(line) :].lstrip("\n")):
                if mark["label"] and mark["label"].rstrip().endswith(":"):
                    yield AnswerCandidate(start, said_at, len(text), None, CueStrength.STRONG)  # the reply is cut off before its answer
                continue
            phrase = below[: 2 * SHORT].partition("\n\n" if grammar.block else "\n")[0]
            end = len(text) - len(below) + len(phrase)
            if grammar.stated(phrase) is None:
                continue
            if not grammar.block and BULLET.match(phrase) and _goes_on(below, phrase, grammar):
                continue
        elif sentence.endswith("?"):
            continue
        denied = (
            hedging_patterns.NEGATED.match(phrase) and grammar.whole(next(sentences(phrase), "")) is None
        )  # "none of them" may be a value
        if denied or (hedging_patterns.WOULD.search(mark.group()) and hedging_patterns.HYPOTHETICAL.search(sentence)):
            continue
        heading = bool(mark["label"]) and not WORD.search(lead) and ":" in mark["label"]
        given = bool(mark.groupdict().get("given"))
        value = _value(phrase, grammar, heading=heading, chosen=bool(mark["choose"]), given=given)
        torn = value is None and grammar.torn(phrase)
        if value is not None or torn or (heading and starts[i] == 0):
            yield AnswerCandidate(
                start, said_at, end, value, _weight(mark, heading=heading), bool(hedging_patterns.HYPOTHETICAL.match(sentence)), torn
            )


_TAG_END = re.compile(r"</(?:final_)?answer>", re.IGNORECASE)


def _start(line: str, before: re.Match[str] | None, mark: re.Match[str], grammar: ValueParser[V]) -> int:
    """Where an announcement starts: after a word that is the value of the one `before`, as in "Answer: right Answer: left"."""
    word = WORD.match(line, mark.start()) if before and mark["label"] else None
    ends = before and word and word.end() - before.end() < SHORT and grammar.whole(line[before.end() : word.end()]) is not None
    return word.end() if word and ends else mark.start()


def _said_before(between: str, grammar: ValueParser[V]) -> bool:
    """Whether all that stands between two announcements is the value of the first."""
    return len(between) < SHORT and grammar.whole(_TAG_END.sub("", between).strip(" }")) is not None


def _goes_on(below: str, phrase: str, grammar: ValueParser[V]) -> bool:
    """Whether further bullets below the first, `phrase`, hold other values."""
    first = grammar.stated(phrase)
    bullets = (BULLET.sub("", line, count=1) for line in below[: 2 * SHORT].split("\n")[1:] if BULLET.match(line))
    return any(grammar.stated(bullet) not in (None, first) for bullet in bullets)


def _weight(mark: re.Match[str], *, heading: bool) -> CueStrength:
    named = mark.groupdict()
    if named.get("given"):
        return CueStrength.GIVEN
    return CueStrength.STRONG if heading and not named.get("final") else CueStrength.PROSE


def _value(phrase: str, grammar: ValueParser[V], *, heading: bool, chosen: bool, given: bool) -> V | None:
    """The value that the words after an announcement tell."""
    first = next(sentences(phrase), "")
    if hedging_patterns.SUPPOSED_AFTER.search(_REASON.split(first, maxsplit=1)[0]):
        return None
    value = grammar.given(phrase) if given else grammar.stated(phrase)
    if value is None:
        return plain(first, grammar) if heading else None
    if chosen:  # "I pick A as the reference": nothing but the value may stand up to the end of its clause
        ends = (mark.start() for mark in _CHOSEN_END.finditer(phrase))
        return value if any(grammar.whole(phrase[:end]) == value for end in ends) else None
    return value


_REASON = re.compile(r",?\s+(?:because|since)\s", re.IGNORECASE)
_CHOSEN_END = re.compile(
    r"[.!?;,:](?=\s|$)|\s[-–—(]|\s(?:because|since|given|due to|as (?:my|the) (?:\w+ )?(?:answer|choice)|here\b|over\b|is (?:the )?(?:correct|right|best|(?:final )?answer))|$",
    re.IGNORECASE | re.MULTILINE,
)
