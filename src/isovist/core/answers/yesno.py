"""Yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.extraction.normalize import bare, sentences
from isovist.core.answers.extraction.phrases import CONCLUDES, HYPOTHETICAL, REFUSAL, SEES_NONE
from isovist.core.answers.extraction.value_parser import ValueParser
from isovist.core.answers.extraction.vocabulary import NO, YES
from isovist.core.answers.score import Score
from isovist.core.rng import Rng


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no."""

    truth: bool
    kind: ClassVar[str] = "yes-no"

    def __post_init__(self) -> None:
        if self.truth not in (True, False):
            raise ValueError(f"the key of yes or no is true or false, not {self.truth!r}")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return "yes or no"

    def canonical(self) -> str:
        return _yes_no(self.truth)

    def score(self, reply: str) -> Score:
        return score_response(reply, _YES_NO, self.truth.__eq__, _yes_no)

    def format_response(self, text: str) -> bool:
        return _YES_NO.whole(text) is not None

    def chance(self) -> float:
        return 0.5

    def random_answer(self, rng: Rng) -> str:
        return _yes_no(rng.chance(0.5))

    def wrong_answers(self) -> list[str]:
        return [_yes_no(not self.truth)]

    def balance_bin(self) -> str:
        return self.canonical()


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


class _YesNoGrammar(ValueParser[bool]):
    # the last mark of a word, as of "हाँ", is no letter for `bare`
    _WORDS: ClassVar[dict[str, bool]] = {
        form: value for words, value in ((YES, True), (NO, False)) for word in words.split() for form in (word, bare(word))
    }
    _SAID = "|".join(sorted(_WORDS, key=len, reverse=True))
    _START = re.compile(
        rf"[\"'(\[{{]*({_SAID})[\"')\]}}]*(?=\s*(?:$|[.,;:!\n]|\s[-–—]\s|-\s|—|–|\(|because\b|since\b|as\b|there\b|it\b|they\b|the\b))",
        re.IGNORECASE,
    )
    _OTHER = re.compile(
        r"[\"'(\[{]*(?:yes|no|true|false)[\"')\]}]*\s*(?:,|/|\bor\b|\band\b|;|\.)*\s*[\"'(\[{]*(?:(?:yes|true|false)\b|no\b(?!\s+(?!it|they|wait|the|there)\w))"
        r"|no\.\s?\d",
        re.IGNORECASE,
    )
    _SOFT = re.compile(r"^(?:\s|definitely|clearly|probably|simply|that|it is|it's|:)+", re.IGNORECASE)
    _SO = re.compile(r"^(?:so|therefore|thus|hence|well),?\s+", re.IGNORECASE)
    _COURTESY = re.compile(
        r"\W*(?:i (?:can|will|would|'ll)\b(?!')|i'll|i'd|let me|let's|i (?:can )?see (?:the|this|your|an?) (?:image|picture|photo)|sure|of course|please|happy)\b",
        re.IGNORECASE,
    )
    _DENIES = re.compile(
        r"(?:(?!\b(?:because|since|as|so)\b)[^.;:(])*?(?:\b(?:do|does|did|is|are|was|were|can|could|will)\s+not\b|n't\b|\bcannot\b)",
        re.IGNORECASE,
    )
    _OTHERWISE = re.compile(
        r"\b(?:if|unless|otherwise|depending|depends|except|yes and no|part(?:ly|ially)|to some extent|somewhat|sort of|kind of|half)\b",
        re.IGNORECASE,
    )
    _MAIN_CLAUSE = re.compile(r"[^.;:!?]*")
    _NOT = re.compile(
        r"\b(?:is|are|was|were|does|do|did|has|have|can|will) not\b(?! (?:only|just|necessarily|clear|certain|sure|possible|enough|visible|provided|specified|shown|able|sufficient))"
        r"|, not (?!only\b)",
        re.IGNORECASE,
    )
    _UNDECIDED = re.compile(
        r"\b(?:same|equal|identical|different|differ|unequal|parallel|determin\w*|information|image provided|i|we|you|cannot|can't|but|or|neither|nor|none|no)\b",
        re.IGNORECASE,
    )
    """A sentence with these words may deny either answer."""
    _MENTION = re.compile(r"\b(?:yes|true|false)\b|\bno\b(?=\W*$|\s*[,.;:!\"'])", re.IGNORECASE)

    def whole(self, text: str) -> bool | None:
        return self._WORDS.get(bare(text).casefold())

    def line(self, text: str) -> bool | None:
        return self.whole(text)

    def plain(self, text: str) -> bool | None:
        return {"yes": True, "no": False}.get(text.lower())

    def may_begin(self, word: str) -> bool:
        return word in self._WORDS

    def opening(self, text: str) -> bool | None:
        first, *below = text.split("\n")
        value = self.stated(self._SO.sub("", first))
        # "No, I cannot see any picture" is not a no
        if value is None or REFUSAL.search(SEES_NONE.sub("", text)):
            return None
        starts = (self._START.match(line) for line in below)
        return None if any(start and self._WORDS[start[1].casefold()] != value for start in starts) else value

    def stated(self, text: str) -> bool | None:
        text = self._SOFT.sub("", text.strip())
        start = self._START.match(text)
        if not start or self._OTHER.match(text):
            return None
        rest = next(sentences(text), "")[start.end() :]
        value = self._WORDS[start[1].casefold()]
        # "Yes, I can help", "Yes, if you count the corner", "Yes, they do not cross"
        unclear = self._COURTESY.match(rest) or self._OTHERWISE.search(rest) or (value and self._DENIES.match(rest))
        return None if unclear else value

    def asserted(self, sentence: str) -> bool | None:
        concludes = CONCLUDES.match(sentence)
        value = self.stated(sentence[concludes.end() :].lstrip(", ")) if concludes else None
        if value is not None or self.mentioned(sentence):
            return value
        clause = self._MAIN_CLAUSE.match(sentence)
        denied = clause and self._NOT.search(clause.group()) and not self._UNDECIDED.search(sentence) and not HYPOTHETICAL.search(sentence)
        return False if denied else None

    def mentioned(self, text: str) -> frozenset[bool]:
        return frozenset(self._WORDS[word.casefold()] for word in self._MENTION.findall(text))


_YES_NO = _YesNoGrammar()
