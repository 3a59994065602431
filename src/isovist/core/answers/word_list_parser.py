"""Parser of a list of words from a known vocabulary: ordered, or a set."""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import cast

from isovist.core.answers.extraction import phrases
from isovist.core.answers.extraction.decide import is_conspicuous
from isovist.core.answers.extraction.normalize import WORD, is_cut_off, without_last_label
from isovist.core.answers.extraction.value_parser import ValueParser, first_of
from isovist.core.answers.extraction.vocabulary import Mention, key, lexicon

_SPLIT = re.compile(r"\s*(?:->|→|⇒|=>|[,;|/&+\n]|\bthen\b|\bfollowed by\b|\band\b|\bfirst\b|\bfinally\b)\s*", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:[-*•+·]\s+|\d{1,2}\s*[.):]\s+|\(?\d{1,2}\)\s*)")
_NUMBERED = re.compile(r"^\s*(\d{1,2})[.):]", re.MULTILINE)
_FORWARD = (
    r"(?:the\s+)?(?:smallest|shortest|inside|inner(?:most)?|cent(?:re|er)|top|left|first|start|lowest|least|S)\s*(?:-?\s?to\s?-?|→|->|–|-)\s*"
    r"(?:the\s+)?(?:largest|biggest|longest|outside|outer(?:most)?|rim|bottom|right|last|end|finish|highest|greatest|E)(?:\s+(?:circle|line|ring|layer|shape|row|one)s?)?"
)
"""The order from the first requested end; no task requests the largest, last or outermost first."""
_BACKWARD = r"right|bottom|last|end|back|largest|biggest|longest|greatest|tallest|highest|outside|outer|rim|finish|high|long|large|big"
_FROM_END = re.compile(rf"\b(?:{_BACKWARD})\b", re.IGNORECASE)
_THINGS = r"colou?rs?|shapes?|numbers|lines|circles|layers|rings|rows|order|sequence|moves|steps|directions"
_ORDER = re.compile(
    rf"(?:so,?\s+)?(?:(?:in order|the order|ordered),?\s+)?from\s+{_FORWARD}(?:,?\s+(?:(?:it|they|we have|i see)\s*(?:is|are)?|(?:the|their)\s+(?:{_THINGS})\s+(?:is|are|go|run)))?\s*[:,]?\s*"
    rf"|(?:so,?\s+)?(?:the|their|its)\s+(?:{_THINGS})(?:,?\s+(?:in order,?\s+)?from\s+{_FORWARD},?)?\s+(?:is|are)\s*:?\s*",
    re.IGNORECASE,
)
_RISING = re.compile(r"[\s.\"'(\[]*\d{1,3}(?:\s*<\s*\d{1,3})+[\s.\"')\]]*")
_ONLY = re.compile(r"^(?:only|just)\s+(?=[^\W_])", re.IGNORECASE)
_LABEL = re.compile(r"(?:shapes|colou?rs|circles)\s*:\s*", re.IGNORECASE)
"""The label of a list in a published prompt, on the last line of a response."""
EMPTY = frozenset({"none", "empty", "nothing", "noneofthem", "emptyset", "emptylist", "noneoftheabove", "∅"})
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*")
_PUNCTUATION = frozenset("[°")  # before JSON, and a word of its own
_FIRST_WORDS = frozenset(
    {
        "only",
        "just",
        "then",
        "followed",
        "and",
        "first",
        "finally",
        *(word[:n] for word in EMPTY for n in range(1, 20)),
    }
)
"""The first words of a list that are not entries."""
_AROUND = " \n\t.\"'()[]{}<>"


_CONDITION = re.compile(
    r"\W*(?:if|since|given(?: that)?|when|because|as)\b[^.]*?,\s+(?:then\s|(?=(?:the|region|only|it|there|this)\b))", re.IGNORECASE
)
_SYMBOL = re.compile(r"(?<![\w'-])[u-z](?![\w'-])")
"""A variable in a formula: "x S z"."""
_BETWEEN = re.compile(
    r"[\s,;/|&+()\[\]\"'-]*(?:(?P<or>or|and/or|, or)|and|as well as)?[\s,()\[\]\"'-]*(?:also |directly |either |only )?(?:the )?",
    re.IGNORECASE,
)
"""Text between two entries of a set."""
_POSSIBLE = re.compile(r"\b(?:possib\w+|feasible|admissible|allowed|can|could|may|any|all)\b", re.IGNORECASE)
"""A sentence with these words lists with "or" what is possible."""
_GUESS = re.compile(r"\W*(?:it|they|this|that) (?:could|may|might|can)\b", re.IGNORECASE)
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|be|include|includes|comprises?|remains?|of)|(?:\b(?:relations?|directions?|answers?|options?|list|set|possible|possibilities|colou?rs|shapes|cells|squares)\s*):)"
    r"\s*(?:(?:in|at|on|to|only|either|just|the|any|of|one|all|located|exactly|relation|relations|directly|therefore|also|thus|both|:)\s+){0,5}[\"'(\[{*]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:^|[,:;]\s|\b(?:that|hence|so|thus|therefore|only|relation|relations)\s)\W*(?:(?:only|the|just|every|relations?)\s+)*[\"'(\[]*$",
    re.IGNORECASE,
)
_POSSIBLY = re.compile(
    r"\W*(?:\W*all\s+(?:\w+\s+)?)?(?:is|are|remain|can|could)\s+(?:all\s+|the\s+)?(?:only\s+)?(?:possib|feasible|admissible|allowed|occur|arise|hold)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\"')\]}*\s]*(?:$|[.!;]|,?\s*\b(?:of|relative to|with respect to|because|since|as|in|for|between|from|depending|only)\b)",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"[\"')\]\s]*(?:,\s*(?:and|or)\b|\s(?:and|or|but|not)\b)", re.IGNORECASE)
_PARTIAL = re.compile(
    r"\b(?:rows?|columns?|first|second|third|last|top|left|right|bottom|steps?|maybe|perhaps|might|not|cannot|except|without|neither|nor)\b|n't\b",
    re.IGNORECASE,
)
_ROWS = (
    re.compile(
        r"^(?:[-*•][ ]*)?(?:row|line|layer|position|place|pair)[ ]*#?(?P<n>\d{1,2})[ ]*(?:[.):=]|[-–—](?=[ ]))[ ]*(?P<entry>[^\n]*?)[ .]*$",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(
        r"^\|?[ ]*(?:(?:row|line|layer|position|place|pair)[ ]*)?(?P<n>\d{1,2})[ ]*\|[ ]*(?P<entry>[^|\n]+?)[ ]*\|?$",
        re.IGNORECASE | re.MULTILINE,
    ),
)
"""Rows with their names ("Row 1: star"), and rows of a table."""


@lru_cache(maxsize=2048)
def word_list_parser(vocabulary: tuple[str, ...], empty: bool) -> WordListParser:
    return WordListParser(vocabulary, empty)


class WordListParser(ValueParser[tuple[int, ...]]):
    """Parser of a list of words: separated by commas, arrows or line breaks, with bullets, or JSON."""

    block = True
    finals = (
        rf"(?<!descending )(?<!decreasing )(?<!reverse )(?<!reversed )(?:order|sequence|ranking)"
        rf"(?:\s+from\s+(?!{_BACKWARD})[\w-]+\s+to\s+[\w-]+|\s*\((?:from\s+)?{_FORWARD}\)|\s*\((?:smallest|shortest|innermost|top)\s+first\))?"
        rf"|(?:sorted|ordered|arranged|ranked|listed)(?:\s+in\s+order)?,?\s+(?:from\s+)?{_FORWARD}|(?:^|(?<=so )|(?<=so, ))(?:from\s+)?{_FORWARD}"
        r"|(?:smallest|shortest|innermost)(?:\s+(?:one|circle|line|layer))?\s+first|(?:in\s+)?(?:ascending|increasing)\s+order"
    )
    givens = r"list|path|moves|steps|set|directions"

    def __init__(self, vocabulary: tuple[str, ...], empty: bool) -> None:
        self.lexicon = lexicon(vocabulary)
        self.vocabulary = vocabulary
        self.empty = empty  # whether an empty list can be an answer
        self.numbered = all(word.isdecimal() for word in vocabulary)
        self.single = all(len(word) == 1 for word in vocabulary)
        self.spaced = not any(" " in word for word in vocabulary)  # spaces can separate entries

    def tidy(self, text: str) -> str:
        """Remove the label of the last line, and a first line with the whole vocabulary in its order if any set may be the answer: it is a
        copy of the question.
        """
        text = without_last_label(text, _LABEL)
        for pattern in _ROWS:
            rows = list(pattern.finditer(text))
            entries = [row["entry"] for row in rows if self.lexicon.exact(row["entry"]) is not None]
            if len(rows) < 2 or len(entries) < len(rows) or [int(row["n"]) for row in rows] != [*range(1, len(rows) + 1)]:
                continue
            above = text[: rows[0].start()]
            above = above if pattern is _ROWS[0] else above.partition("|")[0]  # without the head of the table
            if text[rows[0].start() : rows[-1].end()].count("\n") < len(rows) and not _FROM_END.search(above):
                text = "\n".join((above, "Answer:", *entries, "", text[rows[-1].end() :])).strip()
        first, _, rest = text.partition("\n")
        rest = rest.strip()
        echo = self.empty and rest and self.whole(first) == tuple(range(len(self.vocabulary)))
        return rest if echo and self.whole(rest.partition("\n")[0]) is None else text

    def whole(self, text: str) -> tuple[int, ...] | None:
        text = _ONLY.sub("", text.strip())
        if not self._begins(text):
            return None
        if sum(mark in text for mark in ";,/|") > 1 or is_cut_off(text):
            return None  # different separators are two lists, and "red/blue, green" has no clear order
        marks = [int(mark) for mark in _NUMBERED.findall(text)]
        if any(b <= a for a, b in pairwise(marks)):
            return None  # not numbered in ascending order: the direction is ambiguous
        if "<" in text and ">" not in text:
            if not self.numbered or not _RISING.fullmatch(text):
                return None
            text = text.replace("<", ",")  # "3 < 1 < 2": ascending
        if self.empty and (key(text) in EMPTY or text.strip() in ("[]", "{}", "()", "∅", "[ ]", "{ }")):
            return ()
        if (entries := self._spaced_entries(text)) is not None:
            return entries
        parts = self._json(text) if text[:1] == "[" else None
        if parts is None:
            if self._is_other(text.partition("\n")[0]):
                return None
            lines = [self.parts(_MARK.sub("", line)) for line in text.split("\n")]
            if len(lines) > 1 and any(len(line) > 1 for line in lines):
                return None  # several lists
            parts = [part for line in lines for part in line]
        if self.single and len(parts) == 1 and set(together := parts[0].replace(" ", "")) <= set(self.vocabulary):
            parts = list(together)  # ABDC
        indices = [self.lexicon.exact(part) for part in parts]
        return tuple(i for i in indices if i is not None) if indices and None not in indices else None

    def _spaced_entries(self, text: str) -> tuple[int, ...] | None:
        """The entries of a line of two or more with spaces between them and nothing else: "blue green blue"."""
        words = text.strip(_AROUND).split(" ") if self.spaced and " " in text and "\n" not in text else []
        indices = [self.lexicon.exact(word) for word in words]
        return tuple(i for i in indices if i is not None) if len(words) > 1 and None not in indices else None

    def _begins(self, text: str) -> bool:
        """Whether `text` can be a list by its first word: tested before the text is split."""
        word = WORD.search(text)
        if word is None or not word.group().isascii() or not _PUNCTUATION.isdisjoint(text[: word.start()]):
            return True
        return self.may_begin(word.group().lower())

    def plain(self, text: str) -> tuple[int, ...] | None:
        indices = [self._entries.get(part) for part in text.split(", ")]
        return tuple(i for i in indices if i is not None) if None not in indices else None

    @cached_property
    def _entries(self) -> dict[str, int]:
        """The index of each entry; empty if an entry has another character than letters, or a word of a rule."""
        both = (self.vocabulary, self.vocabulary[::-1])
        if self.lexicon.may_begin("answer") or self.lexicon.may_begin("final"):
            return {}
        if not all(_PLAIN_WORDS.fullmatch(word) and self.parts(word) == [word] for word in self.vocabulary) or any(
            is_conspicuous(", ".join(words), self) for words in both
        ):
            return {}
        return {word: i for i, word in enumerate(self.vocabulary)}

    @staticmethod
    def parts(line: str) -> list[str]:
        return [bare for part in _SPLIT.split(line.strip(_AROUND)) if (bare := part.strip(_AROUND))]

    @staticmethod
    def _json(text: str) -> list[str] | None:
        try:
            data = json.loads(text.rstrip(" ."))
        except (ValueError, RecursionError):
            return None
        if not isinstance(data, list):
            return None
        return (
            [part for part in cast("list[object]", data) if isinstance(part, str)]
            if all(isinstance(part, str) for part in cast("list[object]", data))
            else None
        )

    def may_begin(self, word: str) -> bool:
        together = self.single and set(word) <= {name.lower() for name in self.vocabulary}
        return together or word[0].isdigit() or word in _FIRST_WORDS or self.lexicon.may_begin(word)

    def _is_other(self, line: str) -> bool:
        """Whether the first part of the first line is no entry, so that the text is no list."""
        first = next(filter(None, (part.strip(_AROUND) for part in _SPLIT.split(_MARK.sub("", line).strip(_AROUND), 3)[:3])), "")
        together = self.single and set(first.replace(" ", "")) <= set(self.vocabulary)
        return bool(first) and not together and self.lexicon.exact(first) is None

    def line(self, text: str) -> tuple[int, ...] | None:
        return self.whole(text)

    def stated(self, text: str) -> tuple[int, ...] | None:
        return first_of(text, self.whole)

    def parse_sentence(self, sentence: str) -> tuple[int, ...] | None:
        """The list after an introduction such as "from left to right:"."""
        order = None if self.empty else _ORDER.match(sentence)
        return self.whole(sentence[order.end() :]) if order else None

    def asserted(self, sentence: str) -> tuple[int, ...] | None:
        """The set that a sentence states: "The circles are in A3 and B2.", "S or SW is possible"."""
        if not self.empty or _GUESS.match(sentence) or phrases.REFUSAL.search(sentence) or _PARTIAL.search(sentence):
            return None
        if condition := _CONDITION.match(sentence):
            sentence = sentence[condition.end() :]
        sentence = _SYMBOL.sub("", sentence)
        runs: list[list[Mention]] = []
        for mention in self.lexicon.mentions(sentence):
            between = _BETWEEN.fullmatch(sentence[runs[-1][-1].end : mention.start]) if runs else None
            if between and (not between["or"] or _POSSIBLE.search(sentence)):
                runs[-1].append(mention)
            else:
                runs.append([mention])
        claims: dict[tuple[int, ...], bool] = {}
        for run in runs:
            lead, rest = sentence[: run[0].start], sentence[run[-1].end :]
            predicate = _PREDICATE.search(lead)
            if predicate or (_SUBJECT.search(lead) and _POSSIBLY.match(rest)):
                ends = not _CONTINUED.match(rest) and (not predicate or _AFTER.match(rest) is not None)
                claims[tuple(sorted({mention.index for mention in run}))] = ends and not phrases.shaded(lead)
        (value, stated), *others = [*claims.items()] or [((), False)]
        if others or not stated or (len(value) == len(self.vocabulary) and not _POSSIBLE.search(sentence)):
            return None  # the whole vocabulary may be a copy of the question
        return value

    def mentioned(self, text: str) -> frozenset[tuple[int, ...]]:
        parts = re.split(r"\bor\b|[.;:]", text)
        sequences = [tuple(mention.index for mention in self.lexicon.mentions(part)) for part in parts]
        nothing = self.empty and any(word.casefold() in EMPTY for word in WORD.findall(text))
        return frozenset([*filter(None, sequences), *([()] if nothing else [])])
