"""One option of k, and yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from isovist.core.answers.phrases import REFUSAL
from isovist.core.answers.score import Score
from isovist.core.answers.settle import Plain, judge
from isovist.core.answers.wording import key, lexicon
from isovist.core.rng import Rng

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_OPEN, _CLOSE = "\"'([{<", "\"')]}>"
_PREFIX = re.compile(
    r"(?:(?:the|my)\s+)?(?:(?:final|correct|best|right)\s+)*(?:option|choice|answer|letter)(?:\s+(?:is|option|choice|letter))*\s*[:=]?\s+",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"(?:\s*\b(?:that|it is|it's|it must be|definitely|clearly|probably|likely|most likely|simply|indeed|therefore|thus|option|choice"
    r"|letter|answer|is|in|to|towards?|at|located|pointing|direction)\b(?!\s*(?:[.,)]|$))\s*:?)+\s*",
    re.IGNORECASE,
)
_BECAUSE = r"because|since|as|for|given|which|that|is|with|due|based|so"
_THAT_IS = r"です|だ|である|입니다|이다|예요"
_AFTER_LETTER = re.compile(rf"[\s\"')\]}}>]*(?:$|{_THAT_IS}|[.,;:!)\n]|\s[-–—]\s|\(|\s(?:{_BECAUSE})\b)", re.IGNORECASE)
_AFTER_TEXT = re.compile(
    rf"[\s\"')\]}}>]*(?:$|{_THAT_IS}|[.,;:!)\n]|\s[-–—]\s|\(|\s(?:{_BECAUSE}|of|relative|from|in|direction|side|option|compared)\b)",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:points?|pointing|faces?|facing|lies?|lying|located|sits?|situated|positioned|placed|heading|headed|heads|rotated|turned|moved|moving|towards?|to|is|in|direction:?|shows?"
    r"|appears|object|a|an|the)\s+(?:(?:the|a|an)\s+)?$",
    re.IGNORECASE,
)
_AFTER_PLACED = re.compile(
    r"\W*$|\s+(?:of|from|relative|in relation|in the (?:picture|image)|direction|side|part|corner|half|quadrant|edge|area|with respect"
    r"|compared|to me)\b|\s*,",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:[,/&+]|,?\s*\b(?:or|and|nor)\b)\s*[(\"']?\s*", re.IGNORECASE)
_LISTED = re.compile(r"(?:^|\s)[(\[]?([A-Z])[.):](?=\s)", re.MULTILINE)
_LONE_LETTER = re.compile(r"(?<![\w'-])([A-Z])(?![\w'-])")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of up to 26 options, named by its letter. `options` as shown, `truth` the index of the key."""

    options: tuple[str, ...]
    truth: int
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        keys = [key(option) for option in self.options]
        if not 2 <= len(keys) <= len(LETTERS):
            raise ValueError(f"a choice has 2 to {len(LETTERS)} options, not {len(keys)}")
        if len(set(keys)) < len(keys) or "" in keys:
            raise ValueError(f"options must be different texts: {self.options}")
        if not 0 <= self.truth < len(keys):
            raise ValueError(f"the key {self.truth} is not among {len(keys)} options")

    def listing(self) -> str:
        return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, self.options, strict=False))

    def form(self) -> str:
        return "the letter of one option"

    def canonical(self) -> str:
        return LETTERS[self.truth]

    def score(self, reply: str) -> Score:
        return judge(reply, _letters(self.options), self.truth.__eq__, LETTERS.__getitem__)

    def chance(self) -> float:
        return 1 / len(self.options)

    def guess(self, rng: Rng) -> str:
        return LETTERS[rng.integer(0, len(self.options) - 1)]

    def wrong(self) -> list[str]:
        return [LETTERS[i] for i in range(len(self.options)) if i != self.truth]

    def bin(self) -> str:
        return self.options[self.truth]


@lru_cache(maxsize=4096)
def _letters(options: tuple[str, ...]) -> _Letters:
    return _Letters(options)


class _Letters(Plain[int]):
    """How one of the options is named: by letter, by text, or by both if they agree."""

    nouns = "direction"

    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self.lexicon = lexicon(options)
        self.token = f"[A-{LETTERS[len(options) - 1]}]"
        echo = r"[\s,;|]*".join(
            rf"(?<![\w])[-*•\s]*\(?{letter}\)?\s*[).:\-–—=]*\s*{re.escape(option)}[.,;]?(?!\w)"
            for letter, option in zip(LETTERS, options, strict=False)
        )
        self._longest = max(map(len, options)) + 80
        self._echo = re.compile(echo, re.IGNORECASE)

    def tidy(self, text: str) -> str:
        return self._echo.sub(lambda m: "\n" * max(1, m.group().count("\n")), text)

    def letter(self, text: str) -> int | None:
        index = LETTERS.find(text.upper()) if len(text) == 1 else -1
        return index if 0 <= index < len(self.options) else None

    def whole(self, text: str) -> int | None:
        if len(text) > self._longest:
            return None  # too many words for an option and its letter
        text = _bare(text)
        if prefix := _PREFIX.match(text):
            text = _bare(text[prefix.end() :])
        index = self.letter(text)
        if index is not None:
            return index if self.lexicon.exact(text) in (None, index) else None
        text_index = self.lexicon.exact(text)
        if text_index is not None:
            return text_index
        # a letter and a text, in either order, that name the same option
        both = re.fullmatch(r"[(\[<\"']*([A-Za-z])[)\]>\"']*\s*[).:,=\-–—]*\s*(.+)", text, re.DOTALL)
        if both and (index := self.letter(both[1])) is not None and self.lexicon.exact(_bare(both[2])) == index:
            return index
        both = re.fullmatch(r"(.+?)\s*[(\[,:\-–—=]+\s*(?:(?:option|choice|answer|letter)\s+)?([A-Z])[)\]]*", text, re.DOTALL)
        if both and (index := self.letter(both[2])) is not None and self.lexicon.exact(_bare(both[1])) == index:
            return index
        return None

    def line(self, text: str) -> int | None:
        return self.whole(text)

    def opening(self, text: str) -> int | None:
        line = text.partition("\n")[0]
        named = re.match(r"[(\[]?([A-Z])[)\]]?(?:\s*[).:\-–—]+\s*|,?\s+(?=(?:because|since|as|not)\b))", line)
        if named:
            index = self.letter(named[1])
            rest = line[named.end() :]
            said = self.lexicon.first(rest)
            if not re.match(r"[\"']?[^\W_]", rest):
                return None
            if index is None or REFUSAL.match(rest) or (named[1] == "A" and ":" in named[0]):
                return None  # "A: ..." is also how an answer is announced
            if said is not None:
                return index if said.index == index and _AFTER_TEXT.match(rest[said.end :]) else None
            listed = {m[1] for m in _LISTED.finditer(text)} - {named[1]}
            return None if listed else index  # "A. First ... B. Then ..." are steps, not answers
        head, stop, rest = line.partition(". ")
        found = self.lexicon.exact(head) if stop and rest else None
        # "Right. Let us look" opens many a thought
        return found if found is not None and key(head) not in ("right", "up", "left") else None

    def stated(self, text: str) -> int | None:
        text = text.strip().partition("\n")[0].strip()
        value = self.whole(text)
        if value is not None:
            return value
        text = text.lstrip(_OPEN + " ")
        index, rest = self._leading_letter(text)
        if index is None:
            soft = _SOFT.match(text)
            text = text[soft.end() :].lstrip(_OPEN + " ") if soft else text
            index, rest = self._leading_letter(text)
        if index is not None:
            said = self.lexicon.first(rest)
            return index if said is None or said.index == index or re.search(r"\w", rest[: said.start]) else None
        said = self.lexicon.first(text)
        if said is None or not _AFTER_TEXT.match(text[said.end :]):
            return None
        rest = text[said.end :]
        named = re.match(r"\s*[(\[,]+\s*(?:(?:option|choice|answer|letter)\s+)?([A-Z])[)\]]*", rest)
        if named and self.letter(named[1]) not in (None, said.index):
            return None
        return None if self._goes_on(rest) else said.index

    def _leading_letter(self, text: str) -> tuple[int | None, str]:
        """The option letter with which `text` starts, and what follows it; none if it is a word such as "A"."""
        index = self.letter(text[:1]) if text[:1].isupper() or len(text) == 1 else None
        rest = text[1:]
        if index is None or not _AFTER_LETTER.match(rest) or self._goes_on(rest):
            return None, text
        return index, rest

    def _goes_on(self, rest: str) -> bool:
        """Whether `rest` goes on to name another option: "B or C", "West, North"."""
        rest = rest.lstrip(_CLOSE + " ") if rest[:1] in _CLOSE else rest
        another = _AND.match(rest)
        if not another or not another.group().strip():
            return False
        tail = rest[another.end() :]
        return bool(re.match(rf"(?:option |choice )?{self.token}(?![\w'])", tail)) or self.lexicon.first(tail) is not None

    def told(self, sentence: str) -> int | None:
        named = {self.letter(m[1]) for m in re.finditer(r"(?:\(|\b(?:option|choice|answer)\s+\(?)([A-Z])\)?(?!\w)", sentence)} - {None}
        said = list(self.lexicon.mentions(sentence))
        indices = {mention.index for mention in said}
        if len(indices | named) != 1:
            return None
        if not said:
            return next(iter(named))
        placed = (_PLACED.search(sentence[: m.start].rstrip("\"'([")) and _AFTER_PLACED.match(sentence[m.end :]) for m in said)
        return indices.pop() if all(placed) else None

    def mentioned(self, text: str) -> frozenset[int]:
        letters = {self.letter(m[1]) for m in _LONE_LETTER.finditer(text) if not re.match(r"[AI]\s+[a-z]", text[m.start() :])}
        texts = {m.index for m in self.lexicon.mentions(text) if not re.match(r"\s+(?:answer|option|choice|one)\b", text[m.end :])}
        return frozenset(i for i in letters | texts if i is not None)


def _bare(text: str) -> str:
    """`text` without whatever stands around its first and last word; nothing if it asks."""
    if text.rstrip().endswith("?"):
        return ""
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end]


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no."""

    truth: bool
    kind: ClassVar[str] = "yes-no"

    def __post_init__(self) -> None:
        if self.truth not in (True, False):
            raise ValueError(f"the key of yes or no is true or false, not {self.truth!r}")

    def listing(self) -> str:
        return ""

    def form(self) -> str:
        return "yes or no"

    def canonical(self) -> str:
        return _yes_no(self.truth)

    def score(self, reply: str) -> Score:
        return judge(reply, _YES_NO, self.truth.__eq__, _yes_no)

    def chance(self) -> float:
        return 0.5

    def guess(self, rng: Rng) -> str:
        return _yes_no(rng.chance(0.5))

    def wrong(self) -> list[str]:
        return [_yes_no(not self.truth)]

    def bin(self) -> str:
        return self.canonical()


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


class _YesNoGrammar(Plain[bool]):
    _WORDS: ClassVar[dict[str, bool]] = {"yes": True, "true": True, "no": False, "false": False}
    _START = re.compile(r"[\"'(\[{]*(yes|no|true|false)[\"')\]}]*(?=\s*(?:$|[.,;:!\n]|\s[-–—]\s|-\s|—|–|because\b|since\b))", re.IGNORECASE)
    _OTHER = re.compile(
        r"[\"'(\[{]*(?:yes|no|true|false)[\"')\]}]*\s*(?:,|/|\bor\b|\band\b|;|\.)*\s*[\"'(\[{]*(?:yes|no|true|false)\b", re.IGNORECASE
    )

    def whole(self, text: str) -> bool | None:
        return self._WORDS.get(_bare(text).casefold())

    def line(self, text: str) -> bool | None:
        return self.whole(text)

    def opening(self, text: str) -> bool | None:
        # "No, I cannot see any picture" is not a no
        return None if REFUSAL.search(text) else self.stated(text.partition("\n")[0])

    def stated(self, text: str) -> bool | None:
        text = re.sub(r"^(?:\s|definitely|clearly|probably|simply|that|it is|it's|:)+", "", text.strip(), flags=re.IGNORECASE)
        start = self._START.match(text)
        return self._WORDS[start[1].casefold()] if start and not self._OTHER.match(text) else None

    def mentioned(self, text: str) -> frozenset[bool]:
        return frozenset(self._WORDS[w.casefold()] for w in re.findall(r"\b(?:yes|no|true|false)\b", text, re.IGNORECASE))


_YES_NO = _YesNoGrammar()
