"""Answer candidates: the places of a response that announce an answer, with the strength of their cue."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Generic

from isovist.core.answers.extraction import phrases
from isovist.core.answers.extraction.deciding_lines import deciding_lines
from isovist.core.answers.extraction.normalize import (
    BULLET,
    CLAUSE_END,
    SENTENCE_END,
    WORD,
    bare,
    braced,
    folded,
    last_sentences,
    sentence_around,
    sentences,
)
from isovist.core.answers.extraction.value_parser import V, ValueParser

SHORT = 400  # maximum length of a plain statement, in characters
PLAIN_LABEL = re.compile(r"(?:final )?answer: ", re.IGNORECASE)


class CueStrength(IntEnum):
    """The strength of an answer cue. A candidate overrides earlier candidates of lower strength."""

    ECHO = 0  # a value alone on a line between others: a heading, or a label of the image
    GIVEN = 1  # a cue that also introduces given information: "direction: South", "I think the top is ..."
    PROSE = 2  # "the answer is B", "I choose B", "so B."
    STRONG = 3  # "Answer: B" at the start of a sentence, a box, a tag, a value alone on the first or last line


@dataclass(frozen=True, slots=True)
class AnswerCandidate(Generic[V]):
    start: int
    value_start: int
    end: int  # the end of its text
    value: V | None  # None: an announcement without a parseable value
    weight: CueStrength
    is_hypothetical: bool = False  # its sentence starts with "if"
    torn: bool = False  # it names two contradictory values
    is_plain: bool = False  # its text is a value in its plainest form, which nothing in it can retract


def plain(sentence: str, grammar: ValueParser[V]) -> V | None:
    """The value stated by a sentence; None if the sentence denies or hedges it or states given information."""
    if len(sentence) > 2 * SHORT or sentence.endswith("?"):
        return None
    introduction = _INTRODUCTION.match(sentence)
    if introduction and not phrases.PART.search(introduction.group(), 3) and not phrases.SHADOW.search(introduction.group()):
        sentence = sentence[introduction.end() :]
    sentence = phrases.RULED_OUT.sub("", sentence)
    value = grammar.parse_sentence(sentence) if sentence and len(sentence) <= SHORT else None
    if value is None or any(doubt.search(sentence) for doubt in (phrases.DENIAL, phrases.HEDGE, phrases.HYPOTHETICAL, phrases.PREMISE)):
        return None
    return None if phrases.shaded(sentence) else value


_INTRODUCTION = re.compile(
    r"(?:so\s+|therefore,?\s+)?(?:after|because|since|given(?: that)?|comparing|looking|counting|based on|having|upon|of (?:the|these|all)(?: \w+)? (?:options|candidates|choices))\b[^,.;?!\n]{0,120},\s+(?!(?:and|or|but|which|who|then)\b)",
    re.IGNORECASE,
)
"""The introduction of a statement: "Because South is at the top, ..."."""


def find_candidates(text: str, grammar: ValueParser[V], *, weak: bool = False) -> list[AnswerCandidate[V]]:
    """The answer candidates, in the order of the text. Those before a candidate of full strength are complete only with `weak`:
    otherwise lines that can only have candidates which it overrides are not parsed.
    """
    parsed: dict[int, list[AnswerCandidate[V]]] = {}
    deciding = None if weak else deciding_lines(text, grammar)
    if deciding:
        from_here = deciding[-1]  # all lines from this position are parsed
        while True:
            candidates = _parse_lines(text, [at for at in deciding if at < from_here], from_here, grammar, parsed)
            last = next((candidate.start for candidate in reversed(candidates) if candidate.weight == CueStrength.STRONG), None)
            if last is None:
                break
            if last >= from_here:
                return candidates + _last_sentence(text, candidates, grammar)
            from_here = text.rfind("\n", 0, last) + 1
    candidates = _parse_lines(text, [], 0, grammar, parsed)
    return candidates + _last_sentence(text, candidates, grammar)


def _parse_lines(
    text: str, starts: list[int], from_here: int, grammar: ValueParser[V], parsed: dict[int, list[AnswerCandidate[V]]]
) -> list[AnswerCandidate[V]]:
    """The candidates of the lines at `starts` and of all lines from position `from_here`. `parsed`: those of lines parsed before."""
    candidates: list[AnswerCandidate[V]] = []
    read = 0  # end of the lines already parsed together with an "Answer:" on its own line
    for at, line in _lines(text, starts, from_here):
        start = at + len(line) + 1
        if not line or at < read:
            continue
        label = PLAIN_LABEL.match(line)
        value = grammar.plain(line[label.end() :]) if label else None
        if label and value is not None:
            candidates.append(AnswerCandidate(at, at + label.end(), at + len(line), value, CueStrength.STRONG, is_plain=True))
            continue
        closed = bool(BULLET.match(line)) or line.endswith((":", "?"))
        value = None if closed else grammar.line(line)
        torn = not closed and value is None and grammar.clash(line)
        if value is not None or torn:
            weight = _line_strength(text, at, start, line)
            if candidates and weight > candidates[-1].weight == CueStrength.ECHO and not WORD.search(text[candidates[-1].end : at]):
                candidates[-1] = replace(candidates[-1], weight=weight)  # two values on consecutive lines
            candidates.append(AnswerCandidate(at, at, at + len(line), value, weight, torn=torn))
            continue
        if at not in parsed:
            parsed[at] = _inside(text, at, line, grammar)
        candidates += parsed[at]
        read = max((candidate.end for candidate in parsed[at]), default=0)
    return candidates


def _inside(text: str, at: int, line: str, grammar: ValueParser[V]) -> list[AnswerCandidate[V]]:
    """The candidates of a line with more than a value."""
    inside = sorted(_in_line(text, at, line, grammar), key=lambda candidate: (candidate.start, candidate.end))
    inside = _mark_contradictions(text, at, line, inside, grammar)
    # "Answer: a careful look shows ..., so D": the inner candidate is the announced answer
    inside = [c for c in inside if c.value is not None or c.torn or not any(c.start < other.start < c.end for other in inside)]
    if at == 0 and not (inside and inside[0].start == 0):
        value = grammar.opening(text)
        if value is not None:
            inside.insert(0, AnswerCandidate(0, 0, 1, value, CueStrength.STRONG))
    return inside


def _lines(text: str, starts: list[int], from_here: int) -> Iterator[tuple[int, str]]:
    for at in starts:
        yield at, text[at:].partition("\n")[0]
    for line in text[from_here:].split("\n"):
        yield from_here, line
        from_here += len(line) + 1


def _mark_contradictions(
    text: str, at: int, line: str, inside: list[AnswerCandidate[V]], grammar: ValueParser[V]
) -> list[AnswerCandidate[V]]:
    """The candidates of a line; those next to a contradictory name are marked: "East (B)", "**B** - East", "East, which is option B"."""
    out: list[AnswerCandidate[V]] = []
    for candidate in inside:
        if out and out[-1].torn and candidate.start < out[-1].end:
            continue  # part of the contradiction
        torn = candidate.torn or (
            candidate.value is not None
            and not (_BOXED.match(line, candidate.start - at) and line[: candidate.start - at].endswith(("=", "= ")))
            and _is_contradicted(line, candidate.start - at, candidate.value_start - at, candidate.value, grammar)
        )
        out.append(replace(candidate, value=None, torn=True) if torn else candidate)
    edge = not inside and len(line) < SHORT / 2 and (at == 0 or not WORD.search(text, at + len(line)))
    if edge and not line.endswith((":", "?")) and not BULLET.match(line) and grammar.torn(line):
        out.append(AnswerCandidate(at, at, at + len(line), None, CueStrength.STRONG if at else CueStrength.PROSE, torn=True))
    return out


def _is_contradicted(line: str, start: int, value_start: int, value: V, grammar: ValueParser[V]) -> bool:
    """Whether another option is named next to `value`, which is announced at `start` and stated at `value_start` of `line`."""
    word = WORD.search(line, max(0, value_start))
    if grammar.torn(line[value_start:]) or any(
        grammar.before(line[: max(0, mark)]) not in (None, value) for mark in (start, value_start, word.start() if word else 0)
    ):
        return True
    marker = _SO.search(line, 0, max(0, start))
    return (
        marker is not None
        and line[marker.start() - 1] != "."
        and plain(_SENTENCE_BREAK.split(line[: marker.start()])[-1], grammar) not in (None, value)
    )


_BOXED = re.compile(r"\\?(?:boxed|fbox|framebox)")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])\s")
_SO = re.compile(r",?\s+(?:so|thus|hence|therefore|which means|and)\s*,?\s*$", re.IGNORECASE)


def _line_strength(text: str, at: int, below: int, line: str) -> CueStrength:
    """The cue strength of a line that contains only a value: the first or last line of a response is an answer."""
    if _LABELLED.match(line):
        return CueStrength.STRONG
    first, last = not text[:at].strip(), not text[below:].strip()
    if not last and (not first or _HEADING.match(line)):
        return CueStrength.ECHO
    if not first and text[:at].rstrip().endswith(":"):
        return CueStrength.GIVEN  # below a heading that is not an answer cue
    return CueStrength.STRONG


_LABELLED = re.compile(r"(?:final )?answer\b", re.IGNORECASE)
_HEADING = re.compile(r"(?:option|choice)\s+\(?\w\)?\W*$", re.IGNORECASE)


def _last_sentence(text: str, candidates: list[AnswerCandidate[V]], grammar: ValueParser[V]) -> list[AnswerCandidate[V]]:
    """The candidate in a last sentence that contains only a value or a conclusion; empty if there is none."""
    *before, last = last_sentences(text) or [""]
    at = len(text) - len(last)
    if not before or last.endswith(("?", ":")):
        return []
    if candidates and candidates[-1].end >= at and (candidates[-1].weight > CueStrength.GIVEN or candidates[-1].value_start >= at):
        return []  # part of the last candidate; one that may state given information ends with its sentence
    if before[-1].endswith("?") and any(sentence.endswith("?") for sentence in before[:-1]):
        return []  # the response asks several questions and answers each
    if before[-1].endswith("?") and grammar.whole(before[-1][:-1]) is not None:
        return []  # "Yes? No." is undecided
    value = None if BULLET.match(last) else grammar.line(last)
    if value is not None:
        alone = grammar.line(before[-1]) in (None, value)  # else counting aloud, or two consecutive values
        return [AnswerCandidate(at, at, len(text), value if alone else None, CueStrength.PROSE)]
    if candidates and phrases.CONCLUDES.match(last):
        value = plain(last, grammar)
        value = grammar.asserted(last) if value is None else value
    return [] if value is None else [AnswerCandidate(at, at, len(text), value, CueStrength.PROSE)]


def _last_matches(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """The matches of `pattern` in a line; in a very long line only the last `_MOST`."""
    return list(deque(pattern.finditer(line), maxlen=_MOST))


_MOST = 60  # maximum number of matches in a line


def _in_line(text: str, at: int, line: str, grammar: ValueParser[V]) -> Iterator[AnswerCandidate[V]]:
    lower = folded(line)  # patterns that ignore case take twice the time of the others
    yield from _announced(text, at, line, lower, grammar)
    for mark in _last_matches(phrases.CONTRASTS, lower) if "not" in lower or "n't" in lower else ():
        value = grammar.stated(line[mark.end() : mark.end() + SHORT])
        if value is not None:
            yield AnswerCandidate(at + mark.end(), at + mark.end(), at + len(line), value, CueStrength.GIVEN)
    last = not WORD.search(text, at + len(line))
    for mark in _last_matches(phrases.CLOSINGS, lower):
        yield from _closing(at, line, mark, grammar, last=last)
    braces = [(mark, grammar.whole(mark.group(1))) for mark in _last_matches(phrases.BRACES, line)] if "{" in line else []
    several = len({value for _, value in braces} - {None}) > 1
    for mark, value in braces:  # a set in the middle of a sentence is an option that is discussed
        if value is not None and (several or mark["end"] is not None) and not phrases.shaded(sentence_around(line, mark.start())[1]):
            yield AnswerCandidate(at + mark.start(), at + mark.start(), at + mark.end(1) + 1, value, CueStrength.PROSE)
    if grammar.token and any(word in lower for word in phrases.JUDGING):
        for mark in _last_matches(phrases.judgements(grammar.token), line):
            value = grammar.whole(mark.group("value"))
            sentence, lead = sentence_around(line, mark.start())
            if value is None or sentence.endswith("?") or phrases.HYPOTHETICAL.search(sentence) or _is_unclear(lead, sentence):
                continue
            yield AnswerCandidate(at + mark.start(), at + mark.start("value"), at + mark.end(), value, CueStrength.PROSE)


def _is_unclear(lead: str, sentence: str) -> bool:
    return phrases.shaded(lead) or (phrases.WOULD.search(sentence) is not None and phrases.HYPOTHETICAL.search(sentence) is not None)


def _closing(at: int, line: str, mark: re.Match[str], grammar: ValueParser[V], *, last: bool) -> Iterator[AnswerCandidate[V]]:
    rest = line[mark.end() : mark.end() + SHORT]
    if phrases.BESIDE.match(rest):
        return  # "no / yes" is not a correction
    value = grammar.whole(rest) if len(rest) < SHORT else None
    if value is None:
        rest = next(sentences(rest), "")
        value = grammar.whole(rest)
    if value is None and (over := _CLOSED.search(rest)):
        value = grammar.whole(rest[: over.start()])
    if mark["arrow"]:  # "West → B"
        value = value if value is not None and len(bare(rest)) == 1 and grammar.before(line[: mark.end()]) == value else None
    is_conclusion = last and value is None and _THEREFORE.match(mark.group()) is not None
    if is_conclusion and not phrases.WOULD.search(sentence_around(line, mark.start())[0]):  # "so the tricycle faces to the right"
        value = plain(rest, grammar)
    if value is None or rest.endswith("?") or _MAYBE.search(sentence_around(line, mark.start())[1]):
        return
    if mark["back"] is None and phrases.shaded(sentence_around(line, mark.start())[1]):
        return
    if mark["think"] and (phrases.PREMISE.search(mark.group()) or phrases.shaded(mark.group())):
        return
    weight = CueStrength.GIVEN if mark["colon"] or is_conclusion else CueStrength.PROSE
    yield AnswerCandidate(at + mark.end(), at + mark.end(), at + mark.end() + len(rest), value, weight)


_THEREFORE = re.compile(r"(?:so|therefore|thus|hence|consequently|accordingly)\b", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:might|may|could|perhaps|possibly|maybe)\b[^.;]*$", re.IGNORECASE)
_CLOSED = re.compile(r"[,;]?\s+(?:it is\b(?=\W*$)|and not|not|rather than|instead of|because|since|given|due to)\b", re.IGNORECASE)


def _announced(text: str, at: int, line: str, lower: str, grammar: ValueParser[V]) -> Iterator[AnswerCandidate[V]]:
    r"""Candidates of the form "Answer: ...", "the answer is ...", "I choose ...", `\\boxed{...}`."""
    marks = _last_matches(phrases.announcements(grammar.finals, grammar.givens), lower)
    starts = [_start(line, before, mark, grammar) for before, mark in zip([None, *marks], marks, strict=False)]
    for i, mark in enumerate(marks):
        start, value_start = at + starts[i], at + mark.end()
        sentence, lead = sentence_around(line, starts[i])
        if i and len(between := line[marks[i - 1].end() : starts[i]]) < len(lead) and _is_value_only(between, grammar):
            lead = lead[: -len(between)]  # "none" and "up" are values here, neither denials nor given information
        if phrases.shaded(lead) or phrases.SUPPOSED_AFTER.search(lead):
            continue
        if mark["box"]:
            inner, end = braced(text, value_start)
            yield AnswerCandidate(start, value_start, end, grammar.whole(inner.strip()), CueStrength.STRONG)
            continue
        if mark["tag"]:
            close = _TAG_END.search(text, value_start, value_start + 5 * SHORT)
            inner = text[value_start : close.start() if close else value_start + 5 * SHORT].strip()
            value = grammar.whole(inner)
            if value is None and "\n" not in inner and not grammar.torn(inner):  # a sentence
                value = _announced_value(inner, grammar, heading=True, chosen=False, given=False)
            # the lines of a longer response are parsed as such
            end = value_start if value is None and "\n" in inner else close.end() if close else len(text)
            yield AnswerCandidate(start, value_start, end, value, CueStrength.STRONG)
            continue
        last = i + 1 == len(marks)
        phrase = line[mark.end() : len(line) if last else starts[i + 1]]
        # a candidate that is followed by another on the same line ends with its clause
        over = None if last else (SENTENCE_END if grammar.block else CLAUSE_END).search(phrase)
        end = value_start + (over.end() if over else len(phrase))
        if not WORD.search(phrase):
            if not last:
                continue
            if not (below := text[at + len(line) :].lstrip("\n")):
                if mark["label"] and mark["label"].rstrip().endswith(":"):
                    yield AnswerCandidate(start, value_start, len(text), None, CueStrength.STRONG)  # cut off before the answer
                continue
            phrase = below[: 2 * SHORT].partition("\n\n" if grammar.block else "\n")[0]
            end = len(text) - len(below) + len(phrase)
            if grammar.stated(phrase) is None:
                continue
            if not grammar.block and BULLET.match(phrase) and _has_other_bullets(below, phrase, grammar):
                continue
        elif sentence.endswith("?"):
            continue
        denied = phrases.NEGATED.match(phrase) and grammar.whole(next(sentences(phrase), "")) is None  # "none of them" may be a value
        if denied or (phrases.WOULD.search(mark.group()) and phrases.HYPOTHETICAL.search(sentence)):
            continue
        heading = bool(mark["label"]) and not WORD.search(lead) and ":" in mark["label"]
        given = bool(mark.groupdict().get("given"))
        value = _announced_value(phrase, grammar, heading=heading, chosen=bool(mark["choose"]), given=given)
        torn = value is None and grammar.torn(phrase)
        if value is not None or torn or (heading and starts[i] == 0):
            yield AnswerCandidate(
                start, value_start, end, value, _weight(mark, heading=heading), bool(phrases.HYPOTHETICAL.match(sentence)), torn
            )


_TAG_END = re.compile(r"</answer>")


def _start(line: str, before: re.Match[str] | None, mark: re.Match[str], grammar: ValueParser[V]) -> int:
    """The start of an announcement; it excludes a word that is the value of the previous one, as in "Answer: right Answer: left"."""
    word = WORD.match(line, mark.start()) if before and mark["label"] else None
    ends = before and word and word.end() - before.end() < SHORT and grammar.whole(line[before.end() : word.end()]) is not None
    return word.end() if word and ends else mark.start()


def _is_value_only(between: str, grammar: ValueParser[V]) -> bool:
    """Whether the text between two announcements is only the value of the first."""
    return len(between) < SHORT and grammar.whole(_TAG_END.sub("", between).strip(" }")) is not None


def _has_other_bullets(below: str, phrase: str, grammar: ValueParser[V]) -> bool:
    """Whether later bullets below the first, `phrase`, contain other values."""
    first = grammar.stated(phrase)
    bullets = (BULLET.sub("", line, count=1) for line in below[: 2 * SHORT].split("\n")[1:] if BULLET.match(line))
    return any(grammar.stated(bullet) not in (None, first) for bullet in bullets)


def _weight(mark: re.Match[str], *, heading: bool) -> CueStrength:
    named = mark.groupdict()
    if named.get("given"):
        return CueStrength.GIVEN
    return CueStrength.STRONG if heading and not named.get("final") else CueStrength.PROSE


def _announced_value(phrase: str, grammar: ValueParser[V], *, heading: bool, chosen: bool, given: bool) -> V | None:
    """The value in the text after an announcement."""
    first = next(sentences(phrase), "")
    if phrases.SUPPOSED_AFTER.search(_REASON.split(first, maxsplit=1)[0]):
        return None
    value = grammar.given(phrase) if given else grammar.stated(phrase)
    if value is None and heading:
        value = plain(first, grammar)
        return grammar.asserted(first) if value is None else value
    if value is None:
        return None
    if chosen:  # "I pick A as the reference": only the value may occur before the end of its clause
        ends = (mark.start() for mark in _CHOSEN_END.finditer(phrase))
        return value if any(grammar.whole(phrase[:end]) == value for end in ends) else None
    return value


_REASON = re.compile(r",?\s+(?:because|since)\s", re.IGNORECASE)
_CHOSEN_END = re.compile(
    r"[.!?;,:](?=\s|$)|\s[-–—(]|\s(?:because|since|given|due to|as (?:my|the) (?:\w+ )?(?:answer|choice)|here\b|over\b|is (?:the )?(?:correct|right|best|(?:final )?answer))|$",
    re.IGNORECASE | re.MULTILINE,
)
