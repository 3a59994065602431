"""The lossless tokenizer of the built-in test model.

Text is split at core tokens: single capital letters, digits, directions and line breaks. The text between two of them is one token if the
vocabulary has it, so that the fixed sentences of a prompt are short; otherwise it is split into words, and unknown words into characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from isovist.data.prompts import IMAGE
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

PAD, PICTURE, REPLY, END, UNKNOWN = range(5)
"""Special ids: padding, image patch, end of the question, end of the response, unknown character."""
_SPECIAL: Final = ("<pad>", IMAGE, "<reply>", "<end>", "<unknown>")
_NAMES = "|".join(rf"\b{name}\b" for name in sorted((*IMAGE_DIRECTIONS, *COMPASS_DIRECTIONS), key=len, reverse=True))
_CORE = re.compile(rf"({re.escape(IMAGE)}\n?|{_NAMES}|\b[A-Z]\b|\d|\n)")
_PIECE = re.compile(r"\s?\w+|\s?[^\w\s]|\s")
_CHARACTERS = tuple(map(chr, range(32, 127)))  # includes all one-character core tokens except the line break


class Words:
    """A vocabulary: `tokens` start with the special ones; the id of a token is its index."""

    def __init__(self, tokens: Sequence[str]) -> None:
        if tuple(tokens[: len(_SPECIAL)]) != _SPECIAL or len(set(tokens)) != len(tokens):
            raise ValueError(f"a vocabulary starts with {', '.join(_SPECIAL)} and has no duplicates")
        self.tokens = tuple(tokens)
        self._ids = {token: id for id, token in enumerate(tokens)}
        self._stretch = lru_cache(maxsize=65536)(self._between)

    def __len__(self) -> int:
        return len(self.tokens)

    @classmethod
    def of(cls, texts: Iterable[str], often: int = 2) -> Words:
        """A vocabulary of texts: core tokens, characters, and words and text segments that occur at least `often` times."""
        return cls(tuple(dict.fromkeys((*_SPECIAL, "\n", *IMAGE_DIRECTIONS, *COMPASS_DIRECTIONS, *_CHARACTERS)))).more(texts, often)

    def more(self, texts: Iterable[str], often: int = 2) -> Words:
        """The vocabulary extended by segments that occur at least `often` times in `texts`, most frequent first; ids stay."""
        counts: Counter[str] = Counter()
        for text in texts:
            for part in _CORE.split(text)[::2]:
                counts.update({part, *_PIECE.findall(part)} - {""})
        ranked = sorted((token for token, n in counts.items() if n >= often), key=lambda token: (-counts[token], token))
        return Words(tuple(dict.fromkeys((*self.tokens, *ranked))))

    def ids(self, text: str) -> list[int]:
        """The ids of a text. An image placeholder with its line break is one id."""
        token_ids: list[int] = []
        for place, part in enumerate(_CORE.split(text)):
            if place % 2:
                token_ids.append(PICTURE if part.startswith(IMAGE) else self._ids.get(part, UNKNOWN))
            elif part:
                token_ids += self._stretch(part)
        return token_ids

    def asked(self, prompt: str, patches: int) -> list[int]:
        """The input ids of a prompt: one id per image patch, and REPLY at the end."""
        ids = (([PICTURE] * patches if id == PICTURE else [id]) for id in self.ids(prompt))
        return [id for expanded in ids for id in expanded] + [REPLY]

    def _between(self, part: str) -> tuple[int, ...]:
        if part in self._ids:
            return (self._ids[part],)
        token_ids: list[int] = []
        for piece in _PIECE.findall(part):
            token_ids += [self._ids[piece]] if piece in self._ids else [self._ids.get(character, UNKNOWN) for character in piece]
        return tuple(token_ids)

    def text(self, ids: Iterable[int]) -> str:
        """The text of ids without special ones."""
        return "".join(self.tokens[id] for id in ids if id >= len(_SPECIAL))
