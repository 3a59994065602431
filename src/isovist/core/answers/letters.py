"""Parser of one of several options: by its label, by its text, or by both if they agree."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import islice

from isovist.core.answers.extraction.normalize import WORD, bare, plain_characters, without_last_label
from isovist.core.answers.extraction.phrases import CONCLUDES, HEDGE, HYPOTHETICAL, NEGATED, REFUSAL
from isovist.core.answers.extraction.value_parser import ValueParser
from isovist.core.answers.extraction.vocabulary import (
    FRAMED,
    LETTER_A,
    Mention,
    VocabularyMatcher,
    key,
    lexicon,
    short_forms,
    shorter,
)
from isovist.core.answers.option_sentences import COUNTED, asserts, main_statement, tells, without_marks
from isovist.core.answers.pairs import Pairs

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_OPEN, _CLOSE = "\"'([{<", "\"')]}>"
_PREFIX = re.compile(
    r"(?:(?:the|my)\s+)?(?:(?:final|correct|best|right)\s+)*(?:option|choice|answer|letter)(?:\s+(?:is|option|choice|letter))*\s*[:=]?\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"quadrant\s*:\s*(?=\S)", re.IGNORECASE)
"""The label of an answer in a published prompt, on the last line of a response."""
_PREFIXED = "the my final correct best right option choice answer letter"
_SHORTENED = "in at to on toward towards an its your own it"
_GRADED = "very high medium moderate low confidence confident certain sure"
_FIRST_WORDS = frozenset(f"{_PREFIXED} {_SHORTENED} {_GRADED}".split())
"""The first words of `_PREFIX`, of what `shorter` removes and of `_CONFIDENT`."""
_LAST_ENDINGS = frozenset(word[-3:] for word in f"it of picture image photo half side quarter quadrant direction {_GRADED}".split())
"""The ends of the last words of what `shorter` removes and of `_CONFIDENT`."""
_CLOSING = frozenset(")°%+")  # the end of a remark, and marks that are part of the last word
_CONFIDENT = re.compile(
    r"\s*\((?:(?:very )?(?:high|medium|moderate|low) |\d{1,3}\s?% )?(?:confidence|confident|certain|sure)(?:: [\w%. ]{1,12})?\)",
    re.IGNORECASE,
)
_LETTER_TEXT = re.compile(r"[(\[<\"']*([A-Za-z])[)\]>\"']*\s*[).:,=\-–—]*\s*(.+)", re.DOTALL)
_TEXT_LETTER = re.compile(r"(.+?)\s*[(\[,:\-–—=→⇒>]+\s*(?i:(?:option|choice|answer|letter)\s+)?([A-Z])[)\]]*", re.DOTALL)
_HEAD_END = re.compile(r"[.;](?=\s)|,?\s+(?:because|since|as|given)\b", re.IGNORECASE)
_JUDGED = re.compile(
    r"([^.,;:?]{1,80}?)\s+(?:is|must be)\s+(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option|choice)(?=[.,;]|$)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(?:option|choice)\s+$", re.IGNORECASE)
_SOFT = re.compile(
    r"(?:\s*\b(?:that|it is|it's|it must be|definitely|clearly|probably|likely|most likely|simply|indeed|therefore|thus|option|choice"
    r"|letter|answer|is|in|to|towards?|at|located|pointing|direction)\b(?!\s*(?:[.,)]|$))\s*:?)+\s*",
    re.IGNORECASE,
)
_BECAUSE = r"because|since|as|for|given|which|that|with|due|based|so|and not|not|rather than|instead of|here"
_THAT_IS = r"です|だ|である|입니다|이다|예요"
_AFTER_LETTER = re.compile(rf"[\s\"')\]}}>]*(?:$|{_THAT_IS}|[.,;:!)\n]|\s[-–—]\s|\(|\s(?:{_BECAUSE})\b)", re.IGNORECASE)
_AFTER_TEXT = re.compile(
    rf"[\s\"')\]}}>]*(?:$|{_THAT_IS}|[.,;:!)\n]|\s[-–—]\s|\(|\s(?:{_BECAUSE}|of|relative|from|in|direction|side|option|compared|on)\b)",
    re.IGNORECASE,
)
# "the airplane, which is above the car" states a position; "West, which is B" names the option a second time
_PLACES = (
    r"(?:which|that)\s+(?:is|lies|sits|stands|appears)\s+(?:\w+ly\s+|just\s+|right\s+)?(?:located|placed|positioned|situated|found|seen|above|below|under|over|behind|next|near|beside"
    r"|in front|to the|on the|at the|between|close)\b"
)
_CLAUSE_END = re.compile(
    rf"[.!?;\n]|(?<!that is),(?!\s*(?!{_PLACES})(?:which|that|i\.e\.))|\b(?:because|since|given|as|so|not|rather than|instead of|unlike|for|based|due|when|where|if)\b",
    re.IGNORECASE,
)
_JOINT = (
    r"(?:[\s,;:/|&+()\[\]\"'.–—-]|\b(?:or|and|nor|then|plus|vs|maybe|perhaps|possibly|also|oder|vielleicht|auch|ou|peut-être|o|quizás|или|und|et|y|e|option|choice)\b"
    r"|或者?|也可能是|または|또는|\d+%){1,20}"
)
_PROSE = re.compile(r"(?!\(?[A-Z]\))[\"'(]*[^\W_]")
_HELPS = re.compile(r"i(?:'ll| can\b(?!')| will| would)|let me|let's|of course|please", re.IGNORECASE)
_NAMED = re.compile(r"(?:\(|\b(?:option|choice|answer)\s+\(?)([A-Z])\)?(?!\w)")
_LEANS = re.compile(
    r"[\s,;(–—-]*(?:(?:but|and|though|yet|slightly|a (?:bit|little|touch)|somewhat|mostly|more|very|just|far|almost|nearly|leaning|tending|towards?|to|the)\s+){0,5}",
    re.IGNORECASE,
)
_DIRECTION = re.compile(
    r"\b(?:above|below|over|under|beneath|behind|in front|up|down|left|right|top|bottom|upper|lower|(?:north|south|east|west)\w*)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:[,/&+]|,?\s*\b(?:or|and|nor)\b)\s*[(\"']?\s*", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()\n]{1,60}\)")
_LISTED = re.compile(r"(?:^|\s)[(\[]?([A-Z])[.):](?=\s)", re.MULTILINE)
_CALLED = re.compile(
    r"(?:\(|\b(?:option|choice|answer|[Ii]mage|[Pp]icture|[Ff]igure|[Pp]oint|[Bb]ox|[Dd]iagram|[Gg]raph)\s+[(\"']?|[\"'])([A-Z])(?:[)\"']|(?!\w))"
)
"""`_NAMED`, and a letter in quotation marks or after a noun that the options may not have."""
_LAST_LETTER = re.compile(r"\bis ([B-Z])\W*$")
_LONE_LETTER = re.compile(r"(?<![\w'-])([A-Z])(?![\w'-])")


def _clause(rest: str) -> str:
    """`rest` up to the end of its clause; "which is" and "that is" do not end it."""
    over = _CLAUSE_END.search(rest)
    return rest[: over.start()] if over else rest


@lru_cache(maxsize=4096)
def letters(options: tuple[str, ...]) -> Letters:
    return Letters(options)


@lru_cache(maxsize=len(LETTERS))
def _next_label_patterns(token: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The pattern of another label after a first one, and that of a label joined to it by "or", "/" and similar."""
    return (
        re.compile(rf"(?:option |choice )?{token}(?![\w'])"),
        re.compile(rf"{_JOINT}{token}(?![\w'])(?=\W*$|\s*[).,;(\]])"),
    )


class Letters(ValueParser[int]):
    """Parser of one of the options: by label, by text, or by both if they agree."""

    givens = r"direction|(?:object|thing|item|shape|symbol|letter|animal)(?:\s+(?:located|to|in|on|at|from|of|that|north|south|east|west|left|right|above|below)\b[\w\s-]{0,40}?)?"

    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self._longest = max(map(len, options)) + 80
        self.token = f"[A-{LETTERS[len(options) - 1]}]"
        self._another, self._joined = _next_label_patterns(self.token)

    @cached_property  # like the following: the most frequent responses need none of them
    def lexicon(self) -> VocabularyMatcher:
        return lexicon(self.options)

    @cached_property
    def short(self) -> VocabularyMatcher:
        return VocabularyMatcher(self.options, short_forms(self.options))

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.options, self.short, self.letter, articles=not self._spatial)

    @cached_property
    def _spatial(self) -> bool:
        return 2 * sum(_DIRECTION.search(option) is not None for option in self.options) > len(self.options)

    def tidy(self, text: str) -> str:
        """`text` without a copy of the list of options and without the label of the last line."""
        text = without_last_label(text, _LABEL)
        text = without_marks(text, self.options, self.token)
        folded = text.lower()
        if not all(option.lower() in folded for option in self.options):
            return text  # the pattern is compiled only if needed
        return self._echo.sub(lambda m: "\n" * max(1, m.group().count("\n")), text)

    @cached_property
    def _echo(self) -> re.Pattern[str]:
        return re.compile(
            r"[\s,;|]{0,4}".join(
                rf"(?<![\w])[-*•\s]{{0,4}}(?:(?:option|choice|选项)\s?)?\(?{letter}\)?\s?[).:\-–—=]{{0,3}}\s?{re.escape(option)}[.,;]?(?!\w)"
                for letter, option in zip(LETTERS, self.options, strict=False)
            ),
            re.IGNORECASE,
        )

    def may_begin(self, word: str) -> bool:
        return self.letter(word) is not None or word[0].isdigit() or word in _FIRST_WORDS or self.short.may_begin(word)

    def letter(self, text: str) -> int | None:
        index = LETTERS.find(text.upper()) if len(text) == 1 else -1
        return index if 0 <= index < len(self.options) else None

    def exact(self, text: str) -> int | None:
        """The index of the option with this text or with this shorter form, if no other option has it."""
        if text[:1] == "A" and (LETTER_A.match(text) or (self._spatial and text[1:2].isspace())):
            return None  # "A left" is a label and a direction
        index = self.short.exact(text)
        if index is not None or len(text) > self._longest - 60 or not FRAMED.search(text):
            return index
        return next((index for form in shorter(text.strip()) if (index := self.short.exact(form)) is not None), None)

    def torn(self, text: str) -> bool:
        return self.pairs.torn(text)

    def _may_end(self, text: str) -> bool:
        """Whether `text` can be an option by its last three letters: tested before its words are compared."""
        at = len(text)
        while at and not text[at - 1].isalnum():
            at -= 1
        ending = text[max(0, at - 3) : at]
        if len(ending) < 3 or not ending.isalnum() or not ending.isascii() or not _CLOSING.isdisjoint(text[at:]):
            return True
        return ending.lower() in _LAST_ENDINGS or self.short.may_end(ending.lower()) or self.lexicon.may_end(ending.lower())

    def clash(self, text: str) -> bool:
        return (
            self._may_end(text)
            and len(text) <= self._longest
            and _LONE_LETTER.search(text) is not None
            and len(set(self._label_and_text(bare(text)))) > 1
        )

    def before(self, lead: str) -> int | None:
        return self.pairs.before(lead)

    @cached_property
    def _plainest(self) -> dict[str, int]:
        """The most frequent responses."""
        known = {letter: i for i, letter in enumerate(LETTERS[: len(self.options)])}
        if any(len(key(plain_characters(option))) == 1 for option in self.options):  # a text may be the label of another option
            known = {letter: i for letter, i in known.items() if self.lexicon.exact(letter) in (None, i)}
        known |= {option: i for i, option in enumerate(self.options) if len(option) > 1}
        return known | {f"Answer: {text}": i for text, i in known.items()}

    def whole(self, text: str) -> int | None:
        if text in self._plainest:
            return self._plainest[text]
        if len(text) > self._longest or not self._may_end(text):
            return None  # longer than an option text with its label
        text = bare(_CONFIDENT.sub("", text) if "(" in text else text)
        if prefix := _PREFIX.match(text):
            text = bare(text[prefix.end() :])
            if text.isdigit() and _ORDINAL.search(prefix.group()):
                return None  # ambiguous: the third option, or the option with the text "3"
        index = self.letter(text)
        if index is not None:
            return index if self.lexicon.exact(text) in (None, index) else None
        text_index = self.exact(text)
        if text_index is not None:
            return text_index
        both = self._label_and_text(text)
        return both[0] if len(set(both)) == 1 else None

    def _label_and_text(self, text: str) -> tuple[int, ...]:
        """The options of a label and a text, in either order, if `text` consists of the two; else empty."""
        both = _LETTER_TEXT.fullmatch(text)
        if both and (index := self.letter(both[1])) is not None and (other := self.exact(bare(both[2]))) is not None:
            return index, other
        both = _TEXT_LETTER.fullmatch(text) if text.rstrip(")]")[-1:] in LETTERS else None
        if both and (index := self.letter(both[2])) is not None and (other := self.exact(bare(both[1]))) is not None:
            return index, other
        return ()

    def line(self, text: str) -> int | None:
        return self.whole(text)

    def opening(self, text: str) -> int | None:
        line = text.partition("\n")[0]
        named = re.match(r"[(\[]?([A-Z])[)\]]?(?:\s*[).:!]+\s*|\s[-–—]\s+|,?\s+(?=(?:because|since|as|not)\b))", line)
        if named:
            index = self.letter(named[1])
            rest = line[named.end() :]
            mention = self.lexicon.first(rest)
            if not _PROSE.match(rest):
                return None
            if index is None or REFUSAL.match(rest) or NEGATED.match(rest) or (named[1] == "A" and ":" in named[0]):
                return None  # "A: ..." also announces an answer
            if mention is not None:
                return index if mention.index == index and _AFTER_TEXT.match(rest[mention.end :]) else None
            listed = {m[1] for m in _LISTED.finditer(text)} - {named[1]}
            return None if listed else index  # "A. First ... B. Then ..." are steps, not answers
        judged = _JUDGED.match(line)
        if judged and (named_right := self.lexicon.exact(judged[1])) is not None:
            return named_right
        head, stop, rest = line.partition(", " if re.match(r"(?:yes|no),", line, re.IGNORECASE) else ". ")
        head_index = self.lexicon.exact(head) if stop and rest and not _HELPS.match(rest) else None
        # "Right. Let us look" is an interjection
        return head_index if head_index is not None and key(head) not in ("right", "up", "left") else None

    def stated(self, text: str) -> int | None:
        text = text.strip().partition("\n")[0].strip()
        value = self.whole(text)
        if value is not None:
            return value
        text = text.lstrip(_OPEN + " ")
        if self.pairs.torn(text):
            return None
        for end in islice(_HEAD_END.finditer(text), 3):
            head = text[: end.start()]
            if self.letter(bare(head)) is None and (value := self.whole(head)) is not None:
                return None if self._names_another(text[end.start() :]) else value
        index, rest = self._leading_letter(text)
        if index is None:
            soft = _SOFT.match(text)
            text = text[soft.end() :].lstrip(_OPEN + " ") if soft else text
            if soft and text[:1].isdigit() and _ORDINAL.search(soft.group()):
                return None
            index, rest = self._leading_letter(text)
        if index is not None:
            text_match = [mention.index for mention in self.lexicon.mentions(_clause(rest))]
            return index if not text_match or text_match[0] == index else None  # "A (red) car" is not A if "car" is B
        text_match = self.lexicon.first(text)
        counted = text_match is not None and self.options[text_match.index].isdigit() and COUNTED.fullmatch(text, text_match.end)
        if text_match is None or not (counted or _AFTER_TEXT.match(text[text_match.end :])) or self._is_modified(text, text_match):
            return None
        rest = text[text_match.end :]
        named = re.match(r"\s*[(\[,]+\s*(?:(?:option|choice|answer|letter)\s+)?([A-Z])[)\]]*", rest)
        if named and self.letter(named[1]) not in (None, text_match.index):
            return None
        beside = {mention.index for mention in self.lexicon.mentions(_clause(rest))} - {text_match.index}
        return None if beside or self._names_another(rest) else text_match.index

    def given(self, text: str) -> int | None:
        """As `stated`; if compass directions are options, "the direction is N" is a direction and not the label N."""
        wind = bare(text) in ("N", "E", "S", "W") and self._spatial and self.lexicon.exact(bare(text)) is None
        return None if wind else self.stated(text)

    def _leading_letter(self, text: str) -> tuple[int | None, str]:
        """The option whose label `text` starts with, and the remaining text; no option if it is a word such as "A"."""
        index = self.letter(text[:1]) if text[:1].isupper() or len(text) == 1 else None
        rest = text[1:]
        if index is None or not _AFTER_LETTER.match(rest) or self._names_another(rest):
            return None, text
        return index, rest

    def _names_another(self, rest: str) -> bool:
        """Whether `rest` continues with another option: "B or C", "West, North"."""
        if self._joined.match(rest):
            return True
        rest = rest.lstrip(_CLOSE + " ") if rest[:1] in _CLOSE else rest
        if remark := _IN_BRACKETS.match(rest):  # "B (first picture), C (second picture)"
            rest = rest[remark.end() :]
        another = _AND.match(rest)
        if not another or not another.group().strip():
            return False
        tail = rest[another.end() :]
        return self._another.match(tail) is not None or self.lexicon.first(tail) is not None

    def _is_modified(self, text: str, mention: Mention) -> bool:
        """Whether the word after an option changes it to another one: "left, slightly up", "blue (light)"."""
        at = _LEANS.match(text, mention.end)
        word = WORD.match(text, at.end()) if at else None
        if not word:
            return False
        if self._spatial and not re.match(r"\s*(?:of|from|in)\b", text[mention.end :]) and _DIRECTION.fullmatch(word.group()):
            return True
        option = self.options[mention.index]
        joint = (self.lexicon.exact(f"{word.group()} {option}"), self.lexicon.exact(f"{option} {word.group()}"))
        return any(index not in (None, mention.index) for index in joint)

    def parse_sentence(self, sentence: str) -> int | None:
        mentions = list(self.lexicon.mentions(sentence))
        indices = {mention.index for mention in mentions}
        if len(indices) != 1:
            return None
        named = {self.letter(m[1]) for m in _NAMED.finditer(sentence)} - {None}
        if len(indices | named) != 1 or len(self.mentioned(sentence)) > 1:
            return None
        if self._spatial and any(not any(m.start <= d.start() < m.end for m in mentions) for d in _DIRECTION.finditer(sentence)):
            return None  # "above and to the left" is not "left"
        drawn = all(option.endswith(f" {letter}") for option, letter in zip(self.options, LETTERS, strict=False))
        is_told = all(tells(sentence, m, self.options[m.index], spatial=self._spatial, drawn=drawn) for m in mentions)
        return indices.pop() if is_told else None

    def decides(self, sentence: str) -> bool:
        """Whether a sentence without a label can be the answer. If options are directions, it may state given information."""
        return not self._spatial or _NAMED.search(sentence) is not None

    def asserted(self, sentence: str) -> int | None:
        if len(sentence) > 3 * self._longest + 400:
            return None
        sentence = main_statement(sentence)
        mentions = list(self.lexicon.mentions(sentence))
        mentions += [
            Mention(i, m.start(), m.end())
            for m in _CALLED.finditer(sentence)
            if (i := self.letter(m[1])) is not None and not any(mention.start <= m.start(1) < mention.end for mention in mentions)
        ]
        if (
            not mentions
            and CONCLUDES.match(sentence)
            and (last := _LAST_LETTER.search(sentence))
            and (i := self.letter(last[1])) is not None
        ):
            mentions.append(Mention(i, last.start(1), last.end()))
        if (
            len({mention.index for mention in mentions}) != 1
            or HEDGE.search(sentence)
            or HYPOTHETICAL.search(sentence)
            or REFUSAL.search(sentence)
        ):
            return None
        if self._spatial and _NAMED.search(sentence) is None:
            return None
        spans: list[tuple[int, int]] = []
        for mention in sorted(mentions, key=lambda mention: mention.start):
            if spans and not WORD.search(sentence, spans[-1][1], mention.start):
                spans[-1] = spans[-1][0], mention.end  # "(A) Point A"
            else:
                spans.append((mention.start, mention.end))
        clause = " is " in self.options[mentions[0].index]
        return mentions[0].index if any(asserts(sentence, start, end, clause=clause) for start, end in spans) else None

    def mentioned(self, text: str) -> frozenset[int]:
        letters = {self.letter(m[1]) for m in _LONE_LETTER.finditer(text) if not re.match(r"[AI]\s+[a-z]", text[m.start() :])}
        texts = {m.index for m in self.lexicon.mentions(text) if not re.match(r"\s+(?:answer|option|choice|one)\b", text[m.end :])}
        return frozenset(i for i in letters | texts if i is not None)
