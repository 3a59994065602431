"""Contradictions between an option label and an option text next to each other.

"B. East", where option B is West, names two options. The parser accepts neither.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from isovist.core.answers.extraction.normalize import WORD
from isovist.core.answers.extraction.vocabulary import LETTER_A, Mention, VocabularyMatcher

_NAME = r"(?:(?:option|choice|answer|letter|opción|réponse|antwort)\s*(?:is\s+)?:?\s*)?"
_LETTER = r"(?<![\w'])([A-Z])(?![\w'])"
_FIRST = re.compile(rf"[\s\"'(\[{{<]*(?i:(?:the\s+)?{_NAME})[\"'(\[{{<]*(?:{_LETTER}|([a-z])(?=\s*[).\]:]))")
_POINTS = r"[\s\"'()\[\]{}<>.,:;!=|/*→⇒–—-]"
_LINKS = (
    r"which|that|this|it|i\.e\.?|namely|meaning|means|viz\.?|the|an?|is|are|was|means|direction|answer|option|text|pointing|points|towards?|to|in|at|on"
    r"|corresponds?|corresponding|stands?|standing|for|being|lies|located|so|also|known|called|labell?ed|as|value|choice|correct|one"
)
_BETWEEN = re.compile(rf"(?:{_POINTS}|\b(?:{_LINKS})\b)*", re.IGNORECASE)
_BARE = re.compile(rf"{_POINTS}*")
_ENDS = re.compile(
    r"[\s\"')\]}>]*(?:$|[.,;:!)\n]|\s[-–—]\s|\(|\s(?:because|since|as|for|given|which|that|with|due|based|so|not|of|relative|from|in|direction|side|option|on)\b)",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"[\s\"')\]}>]*(?:(?:[(\[{,:;=|/–—-]|→|⇒|->|=>|\b(?i:which|that|this|i\.e\.?,?|is|are|so|thus|hence|therefore|corresponds? to|matches|means|namely|meaning|being|option"
    rf"|choice|answer|letter|labell?ed|the)\b|\\?boxed\s*\{{)[\s\"'.]*)+(?i:{_NAME})[(\[\"'{{]*{_LETTER}(?!\s+[a-z])"
)
_TIGHT = re.compile(
    rf"[\s\"')\]}}>]*(?:[(\[{{:=|/–—-]|→|⇒|->|=>|\b(?:which|that) is\b|\bi\.e\.?,?|\bcorresponds? to\b|\bmatches\b|,\s*so\b|,(?=\s*(?:the\s+)?(?:option|choice|letter)\b)|,\s*(?:i\.e\.?,?|(?:which|that) is))?[\s\"'(\[]*(?i:(?:the\s+)?{_NAME})[(\[\"'{{\\]*(?:boxed\{{)?"
)
_LINKED = re.compile(r"(?:[(\[{:=|/).,>→⇒–—-]|\b(?i:is|i\.e|to|matches|so|option|choice|answer|letter|the))[\s\"'(\[{]*$")
_BEFORE = re.compile(r"(?:^|[\s(\[])([A-Z])[)\]\"']*\s*[).:,=–—→-]+\s*$")
_ALL = re.compile(r"\ball\s+$", re.IGNORECASE)  # "all right" is not an option
_OPENS = re.compile(r"(?:.*\b(?:answer|option|choice)\s*(?:is|:))?[\s\"'(\[]*", re.IGNORECASE)
_THAT_IS = re.compile(r"\bi\.e\.?(?!\w)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SENSE = re.compile(r"\s*(?:degrees|°)?\s*((?:counter|anti)-?\s?clockwise|clockwise)", re.IGNORECASE)
_LONGEST_CLOCKWISE = len("clockwise")
_WIND = re.compile(r"[NESW]{1,2}(?![\w'])")
_WINDS = {"n": "north", "e": "east", "s": "south", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest"}
_NEAR = 90


class Pairs:
    """Labels next to texts, for one list of options."""

    def __init__(self, options: tuple[str, ...], texts: VocabularyMatcher, letter: Callable[[str], int | None], *, articles: bool) -> None:
        """`articles`: whether "A" can be an article before one of the options."""
        self.options = options
        self.texts = texts
        self.letter = letter
        self.articles = articles
        self._winds = {short: i for short, wind in _WINDS.items() for i, option in enumerate(options) if option.casefold() == wind}

    def torn(self, text: str) -> bool:
        """Whether `text` starts with a label and a text, in either order, of different options."""
        text = _THAT_IS.sub("that is", text[: 2 * _NEAR])
        lettered = _FIRST.match(text)
        if lettered:
            index = self.letter(lettered[1] or lettered[2])
            if index is not None and not self._is_word(lettered, text):
                return self._contradicts(index, text, lettered.end())
        mention = self.texts.first(text)
        then = _THEN.match(text, mention.end) if mention else None
        return bool(mention and then and self.letter(then[1]) not in (None, mention.index))

    def _is_word(self, lettered: re.Match[str], text: str) -> bool:
        """Whether the matched letter is a pronoun or an article."""
        if lettered[1] not in ("A", "I") or not re.match(r"\s+[a-z]", text[lettered.end() :]):
            return False
        return lettered[1] == "I" or (self.articles and not LETTER_A.match(text, lettered.start(1)))

    def _contradicts(self, index: int, text: str, at: int) -> bool:
        """Whether the text directly after the label of option `index` names another option."""
        points, words = _BARE.match(text, at), _BETWEEN.match(text, at)
        if points is None or words is None or words.end() == at:
            return False
        starts = dict.fromkeys([points.end(), *(word.start() for word in WORD.finditer(text, at, words.end())), words.end()])
        for start in starts:
            mention = self._option_at(text, start)
            if mention is None:
                continue
            if mention.index == index:
                return self._has_other_sense(index, text, mention)
            if start == points.end() or _ENDS.match(text, mention.end):
                return True
        number = _NUMBER.match(text, words.end())
        option_numbers = _NUMBER.findall(self.options[index])
        return bool(number and option_numbers and number.group() not in option_numbers and _ENDS.match(text, number.end()))

    def _option_at(self, text: str, start: int) -> Mention | None:
        """The option that `text` names at position `start`."""
        mention = self.texts.opening(text, start)
        if mention is not None:
            return mention
        short = _WIND.match(text, start) if self._winds else None
        if short and short.group().casefold() in self._winds:
            return Mention(self._winds[short.group().casefold()], start, short.end())
        return None

    def _has_other_sense(self, index: int, text: str, mention: Mention) -> bool:
        """Whether a sense of rotation follows that differs from that of the option."""
        sense = _SENSE.match(text, mention.end)
        option_sense = _SENSE.search(self.options[index])
        return bool(sense and option_sense and (len(sense[1]) > _LONGEST_CLOCKWISE) != (len(option_sense[1]) > _LONGEST_CLOCKWISE))

    def before(self, lead: str) -> int | None:
        """The option with whose label or text `lead` ends, so that the next text is a second name of it; else None."""
        tail = lead[-_NEAR:]
        if not _LINKED.search(tail):
            return None
        lettered = _BEFORE.search(tail)
        if lettered:
            return self.letter(lettered[1])
        last = next(iter(deque(self.texts.mentions(tail), maxlen=1)), None)
        if not last or _ALL.search(tail[: last.start]):
            return None
        if len(lead) > _NEAR or not _OPENS.fullmatch(tail[: last.start]):
            tail = tail.replace(", so", ", ??")  # "up is East, so the answer is ..." is an argument
        gap = tail[last.end :]
        return last.index if gap.strip() and _TIGHT.fullmatch(gap) else None
