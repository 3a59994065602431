"""The interface between an answer type and extraction: parsers of values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from isovist.core.answers.extraction.normalize import sentences

V = TypeVar("V")


class ValueParser(ABC, Generic[V]):
    """Parser of the values of one answer type. Every method is strict: it returns None in case of doubt."""

    token: str = ""
    """A regular expression for a value within a sentence ("B is correct"); empty if there is none."""

    finals: str = ""
    """Further nouns that announce the value ("total"), as alternatives of a regular expression; may be empty."""

    givens: str = ""
    """Nouns that announce the value or given information ("direction"); may be empty."""

    block: bool = False
    """Whether a value may extend over the lines of a paragraph."""

    alone: bool = False
    """Whether sentences after an assertion may mention no other value."""

    def tidy(self, text: str) -> str:
        """`text` without a copy of the options."""
        return text

    @abstractmethod
    def whole(self, text: str) -> V | None:
        """The value, if `text` is a value and nothing else."""
        ...

    def plain(self, text: str) -> V | None:
        """The value, if `text` is one in its plainest form ("7", "red, blue"), which no phrase can deny, hedge or retract.

        Only a shortcut: the rules have the same result for such a text.
        """
        del text
        return None

    @abstractmethod
    def line(self, text: str) -> V | None:
        """The value, if `text`, one of several lines, is a value and nothing else."""
        ...

    def may_begin(self, word: str) -> bool:
        """Whether a line with this first word, in lower case, can be a value or consist of two contradictory names of one.

        It is asked only about words of ASCII letters and digits, and answers True in case of doubt.
        """
        del word
        return True

    def opening(self, text: str) -> V | None:
        """The value at the start of a response, before its explanation."""
        del text
        return None

    def stated(self, text: str) -> V | None:
        """The value at the start of `text`, which follows a phrase such as "the answer is"."""
        del text
        return None

    def given(self, text: str) -> V | None:
        """As `stated`, after one of the `givens`."""
        return self.stated(text)

    def parse_sentence(self, sentence: str) -> V | None:
        """The value that a single plain sentence states."""
        del sentence
        return None

    def decides(self, sentence: str) -> bool:
        """Whether a last sentence with a value needs no word such as "so" if the response names no other value."""
        del sentence
        return False

    def asserted(self, sentence: str) -> V | None:
        """The value that a full sentence asserts as its subject or its predicate: "The median is 6.", "B is closer to the camera."

        It is less strict than `parse_sentence`: the rules accept it only if the response asserts no other value.
        """
        del sentence
        return None

    @abstractmethod
    def mentioned(self, text: str) -> frozenset[V]:
        """All values that `text` may mention."""
        ...

    def torn(self, text: str) -> bool:
        """Whether `text` starts with two contradictory names of a value: "B. East" where B is West."""
        del text
        return False

    def clash(self, text: str) -> bool:
        """Whether `text` consists of two contradictory names."""
        del text
        return False

    def before(self, lead: str) -> V | None:
        """The value with whose name `lead` ends, so that the next text is a second name: "West (B)"."""
        del lead
        return None


def first_of(text: str, whole: Callable[[str], V | None]) -> V | None:
    """A value that may extend over several lines: the first paragraph of `text`, else its first line or sentence."""
    block = text.strip().partition("\n\n")[0]
    value = whole(block)
    if value is not None:
        return value
    first, _, below = block.partition("\n")
    if any(whole(line) is not None for line in below.split("\n") if line):
        return None  # two values
    value = whole(first)
    return value if value is not None else whole(next(sentences(first), ""))
