"""One word, and ordered and unordered lists of words, from a known vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial
from typing import ClassVar

from isovist.core.answers.extraction.decide import score_response
from isovist.core.answers.extraction.vocabulary import key
from isovist.core.answers.score import Score
from isovist.core.answers.word_list_parser import EMPTY, WordListParser, word_list_parser
from isovist.core.rng import Rng


@dataclass(frozen=True, slots=True)
class WordSequence:
    """An ordered list of words from `vocabulary`. With `permutation`, every word comes exactly once."""

    truth: tuple[str, ...]
    vocabulary: tuple[str, ...]
    permutation: bool = False
    kind: ClassVar[str] = "sequence"

    def __post_init__(self) -> None:
        _check_words(self.truth, self.vocabulary)
        if not self.truth or (self.permutation and sorted(self.truth) != sorted(self.vocabulary)):
            raise ValueError(f"not a sequence over {self.vocabulary}: {self.truth}")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return f"a comma-separated list, in order, of entries from: {', '.join(self.vocabulary)}"

    def canonical(self) -> str:
        return ", ".join(self.truth)

    def score(self, reply: str) -> Score:
        truth = tuple(map(self.vocabulary.index, self.truth))
        return score_response(
            reply,
            word_list_parser(self.vocabulary, empty=False),
            truth.__eq__,
            lambda indices: ", ".join(self.vocabulary[i] for i in indices),
        )

    def format_response(self, text: str) -> bool:
        return word_list_parser(self.vocabulary, empty=False).whole(text) is not None

    def chance(self) -> float:
        """The chance level of a random answer of the correct length."""
        return 1 / factorial(len(self.vocabulary)) if self.permutation else len(self.vocabulary) ** -len(self.truth)

    def random_answer(self, rng: Rng) -> str:
        if self.permutation:
            return ", ".join(rng.shuffled(self.vocabulary))
        return ", ".join(rng.pick(self.vocabulary) for _ in self.truth)

    def wrong_answers(self) -> list[str]:
        out: list[tuple[str, ...]] = [tuple(reversed(self.truth)), (*self.truth, self.truth[0]), self.truth[1:]]
        out += [(*self.truth[:-1], word) for word in self.vocabulary]
        return [", ".join(words) for words in dict.fromkeys(out) if words and words != self.truth]

    def balance_bin(self) -> str:
        return self.canonical()


@dataclass(frozen=True, slots=True)
class SingleWord(WordSequence):
    """One entry of `vocabulary`, without labels. A response with several entries is incorrect."""

    kind: ClassVar[str] = "word"

    def __post_init__(self) -> None:
        WordSequence.__post_init__(self)
        if len(self.truth) != 1 or self.permutation:
            raise ValueError(f"not one word: {self.truth}")

    def format_instruction(self) -> str:
        return f"one of: {', '.join(self.vocabulary)}"

    def wrong_answers(self) -> list[str]:
        return [word for word in self.vocabulary if word != self.truth[0]]


@dataclass(frozen=True, slots=True)
class WordSubset:
    """An unordered set of words from `vocabulary`; it may be empty."""

    truth: tuple[str, ...]
    vocabulary: tuple[str, ...]
    size: int | None = None  # number of words, if the question states it
    kind: ClassVar[str] = "subset"

    def __post_init__(self) -> None:
        _check_words(self.truth, self.vocabulary)
        if len(set(self.truth)) < len(self.truth) or self.size not in (None, len(self.truth)):
            raise ValueError(f"not a set of {self.size or 'any number of'} words: {self.truth}")

    def options_text(self) -> str:
        return ""

    def format_instruction(self) -> str:
        return f'a comma-separated list, in any order, of entries from: {", ".join(self.vocabulary)} (or "none")'

    def canonical(self) -> str:
        return ", ".join(word for word in self.vocabulary if word in self.truth) or "none"

    def score(self, reply: str) -> Score:
        truth = {self.vocabulary.index(word) for word in self.truth}
        return score_response(
            reply,
            word_list_parser(self.vocabulary, empty=True),
            lambda indices: set(indices) == truth,
            lambda indices: ", ".join(self.vocabulary[i] for i in sorted(set(indices))) or "none",
        )

    def format_response(self, text: str) -> bool:
        return word_list_parser(self.vocabulary, empty=True).whole(text) is not None

    def chance(self) -> float:
        return 1 / comb(len(self.vocabulary), self.size) if self.size is not None else 2.0 ** -len(self.vocabulary)

    def random_answer(self, rng: Rng) -> str:
        if self.size is not None:
            return ", ".join(rng.sample(self.vocabulary, self.size)) or "none"
        return ", ".join(word for word in self.vocabulary if rng.chance(0.5)) or "none"

    def wrong_answers(self) -> list[str]:
        """Every set that differs from the key by one word."""
        return [", ".join(w for w in self.vocabulary if (w in self.truth) != (w == odd)) or "none" for odd in self.vocabulary]

    def balance_bin(self) -> str:
        return self.canonical()


def _check_words(truth: tuple[str, ...], vocabulary: tuple[str, ...]) -> None:
    _check_vocabulary(vocabulary)
    if not set(truth) <= set(vocabulary):
        raise ValueError(f"{sorted(set(truth) - set(vocabulary))} are not in the vocabulary {vocabulary}")


@lru_cache(maxsize=256)  # the items of a task have few vocabularies
def _check_vocabulary(vocabulary: tuple[str, ...]) -> None:
    if len({key(word) for word in vocabulary} - {""}) < max(2, len(vocabulary)):
        raise ValueError(f"a vocabulary has two or more different words: {vocabulary}")
    for word in vocabulary:
        if key(word) == "no":
            raise ValueError('"no" starts a denial in a response and cannot be a list entry. Use words such as "same" and "different".')
        if key(word) in EMPTY or len(WordListParser.parts(word)) != 1:
            raise ValueError(f"{word!r} is a separator or a name of the empty list and cannot be a list entry. Use another word.")
