"""Reading option texts and other vocabulary in free words, whatever their case, spaces, hyphens or underscores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
# a number is one token with its sign, its decimals and whatever bounds it: "1.5" is neither "1" nor "15"
_TOKEN = re.compile(
    r"(?:[<>≥≤±]\s?|(?<![^\s(])[-+])?\d+(?:[.,/:^]\d+)+[%+]?|(?:[<>≥≤±]\s?|(?<![^\s(])[-+])\d+(?![^\W_])[%+]?|\d+[%+]|[^\W_]+"
)
_DIGIT = re.compile(r"\d")
_SYNONYMS = {"upper": "top", "lower": "bottom", "top": "upper", "bottom": "lower"}
_SYNONYM = re.compile(r"\b(?:upper|lower|top|bottom)\b", re.IGNORECASE)
ARTICLES = frozenset({"a", "an", "the"})


def key(text: str) -> str:
    """What stays of a text when case, spaces, hyphens, underscores and punctuation do not matter."""
    return "".join(_WORD.findall(text)).casefold()


@dataclass(frozen=True, slots=True)
class Mention:
    index: int
    start: int
    end: int


class Lexicon:
    """A list of texts to be found in sentences. The longest match wins: "upper right" is not "right"."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._raw = {text.strip().casefold(): i for i, text in enumerate(texts)}
        self._index = {_glued(text): i for i, text in enumerate(texts)}
        for i, text in enumerate(texts):
            self._index.setdefault(_glued(_SYNONYM.sub(lambda m: _SYNONYMS[m.group().casefold()], text)), i)
        self._index.pop("", None)
        # "north west" may be written in two words though the option has one
        self._words = max((len(_tokens(text)) for text in texts), default=1) + 1

    def exact(self, text: str) -> int | None:
        """The index of the text that `text` is, leaving out a leading article."""
        text = text.strip()
        raw = self._raw.get(text.casefold())
        if raw is not None:
            return raw
        tokens = _tokens(text)
        if len(tokens) > self._words + 1:
            return None
        for run in (tokens, tokens[1:] if tokens and tokens[0][2] in ARTICLES else []):
            index = self._index.get("".join([word for _, _, word in run]))
            if index is not None:
                return index if _joined(text, tokens) else None
        return None

    def mentions(self, text: str) -> Iterator[Mention]:
        """Every mention of one of the texts, from left to right, none inside another."""
        tokens = _tokens(text)
        i = 0
        while i < len(tokens):
            for n in range(min(self._words, len(tokens) - i), 0, -1):
                run = tokens[i : i + n]
                index = self._index.get("".join([word for _, _, word in run]))
                if index is not None and _joined(text, run):
                    yield Mention(index, run[0][0], run[-1][1])
                    i += n
                    break
            else:
                i += 1

    def first(self, text: str) -> Mention | None:
        """The mention with which `text` starts, after an article and opening quotes or brackets."""
        for mention in self.mentions(text):
            before = _WORD.findall(text[: mention.start])
            return mention if all(word.casefold() in ARTICLES for word in before) and len(before) <= 1 else None
        return None


def _tokens(text: str) -> list[tuple[int, int, str]]:
    token = _TOKEN if _DIGIT.search(text) else _WORD
    return [(m.start(), m.end(), m.group().casefold()) for m in token.finditer(text)]


def _glued(text: str) -> str:
    return "".join(word for _, _, word in _tokens(text))


def _joined(text: str, run: Sequence[tuple[int, int, str]]) -> bool:
    """Whether only one space, hyphen or underscore stands between the words of a run, and nothing between digits."""
    return all(text[a[1] : b[0]] in (" ", "-", "_") and not (text[a[1] - 1].isdigit() and text[b[0]].isdigit()) for a, b in pairwise(run))


@lru_cache(maxsize=4096)
def lexicon(texts: tuple[str, ...]) -> Lexicon:
    return Lexicon(texts)
