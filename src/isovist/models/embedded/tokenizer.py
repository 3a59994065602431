"""Words as numbers for a small model, and back without loss.

Text falls apart into cores, which always stand alone (a capital letter by itself, a digit, a direction, a line break), and what lies
between them. A stretch between two cores that the vocabulary knows is one token, however long it is, so that the fixed sentences of a
prompt cost a model next to nothing; any other stretch is taken word by word, and an unknown word character by character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from isovist.prompts import IMAGE
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

PAD, PICTURE, REPLY, END, UNKNOWN = range(5)
"""The first ids: what fills a batch up, one patch of a picture, the end of a question, the end of a reply, no such character."""
_SPECIAL: Final = ("<pad>", IMAGE, "<reply>", "<end>", "<unknown>")
_NAMES = "|".join(rf"\b{name}\b" for name in sorted((*IMAGE_DIRECTIONS, *COMPASS_DIRECTIONS), key=len, reverse=True))
_CORE = re.compile(rf"({re.escape(IMAGE)}\n?|{_NAMES}|\b[A-Z]\b|\d|\n)")
_PIECE = re.compile(r"\s?\w+|\s?[^\w\s]|\s")
_CHARACTERS = tuple(map(chr, range(32, 127)))  # with all cores of one character but the line break


class Words:
    """A vocabulary: `tokens` begin with the special ones; a token's id is its place."""

    def __init__(self, tokens: Sequence[str]) -> None:
        if tuple(tokens[: len(_SPECIAL)]) != _SPECIAL or len(set(tokens)) != len(tokens):
            raise ValueError(f"a vocabulary begins with {', '.join(_SPECIAL)} and names each token once")
        self.tokens = tuple(tokens)
        self._ids = {token: id for id, token in enumerate(tokens)}
        self._stretch = lru_cache(maxsize=65536)(self._between)

    def __len__(self) -> int:
        return len(self.tokens)

    @classmethod
    def of(cls, texts: Iterable[str], often: int = 2) -> Words:
        """A vocabulary of these texts: all cores and characters, and the words and stretches that stand in them at least `often` times."""
        return cls(tuple(dict.fromkeys((*_SPECIAL, "\n", *IMAGE_DIRECTIONS, *COMPASS_DIRECTIONS, *_CHARACTERS)))).more(texts, often)

    def more(self, texts: Iterable[str], often: int = 2) -> Words:
        """The same vocabulary, its ids as they are, with what stands in these texts at least `often` times behind it, the most frequent first."""
        counts: Counter[str] = Counter()
        for text in texts:
            for part in _CORE.split(text)[::2]:
                counts.update({part, *_PIECE.findall(part)} - {""})
        ranked = sorted((token for token, n in counts.items() if n >= often), key=lambda token: (-counts[token], token))
        return Words(tuple(dict.fromkeys((*self.tokens, *ranked))))

    def ids(self, text: str) -> list[int]:
        """The ids of a text. A mark of a picture is one id, and the line break after it none."""
        token_ids: list[int] = []
        for place, part in enumerate(_CORE.split(text)):
            if place % 2:
                token_ids.append(PICTURE if part.startswith(IMAGE) else self._ids.get(part, UNKNOWN))
            elif part:
                token_ids += self._stretch(part)
        return token_ids

    def asked(self, prompt: str, patches: int) -> list[int]:
        """The ids of a prompt as a model is given it: a token for each of the patches of a picture, and REPLY at the end."""
        ids = (([PICTURE] * patches if id == PICTURE else [id]) for id in self.ids(prompt))
        return [id for some in ids for id in some] + [REPLY]

    def _between(self, part: str) -> tuple[int, ...]:
        if part in self._ids:
            return (self._ids[part],)
        token_ids: list[int] = []
        for piece in _PIECE.findall(part):
            token_ids += [self._ids[piece]] if piece in self._ids else [self._ids.get(character, UNKNOWN) for character in piece]
        return tuple(token_ids)

    def text(self, ids: Iterable[int]) -> str:
        """The text of ids, special ones left out."""
        return "".join(self.tokens[id] for id in ids if id >= len(_SPECIAL))
