"""The interface between an answer type and extraction: parsers of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from isovist.core.answers.extraction.text import sentences

V = TypeVar("V")


class ValueParser(Protocol[V]):  # pyright: ignore[reportInvalidTypeVarUse] - `mentioned` gives a set, which pyright calls covariant
    """Parser of the values of one answer type. Every method is strict: it returns None in case of doubt."""

    @property
    def token(self) -> str:
        """A regular expression for a value within a sentence ("B is correct"); empty if there is none."""
        ...

    @property
    def finals(self) -> str:
        """Further nouns that announce the value ("total"), as alternatives of a regular expression; may be empty."""
        ...

    @property
    def givens(self) -> str:
        """Nouns that announce the value or given information ("direction"); may be empty."""
        ...

    @property
    def block(self) -> bool:
        """Whether a value may extend over the lines of a paragraph."""
        ...

    @property
    def alone(self) -> bool:
        """Whether sentences after an assertion may mention no other value."""
        ...

    def tidy(self, text: str) -> str:
        """`text` without a copy of the options."""
        ...

    def whole(self, text: str) -> V | None:
        """The value, if `text` is a value and nothing else."""
        ...

    def plain(self, text: str) -> V | None:
        """The value, if `text` is one in its plainest form ("7", "red, blue"), which no phrase can deny, hedge or retract.

        Only a shortcut: the rules have the same result for such a text.
        """
        ...

    def line(self, text: str) -> V | None:
        """The value, if `text`, one of several lines, is a value and nothing else."""
        ...

    def may_begin(self, word: str) -> bool:
        """Whether a line with this first word, in lower case, can be a value or consist of two contradictory names of one.

        It is asked only about words of ASCII letters and digits, and answers True in case of doubt.
        """
        ...

    def opening(self, text: str) -> V | None:
        """The value at the start of a response, before its explanation."""
        ...

    def stated(self, text: str) -> V | None:
        """The value at the start of `text`, which follows a phrase such as "the answer is"."""
        ...

    def given(self, text: str) -> V | None:
        """As `stated`, after one of the `givens`."""
        ...

    def parse_sentence(self, sentence: str) -> V | None:
        """The value that a single plain sentence states."""
        ...

    def decides(self, sentence: str) -> bool:
        """Whether a last sentence with a value needs no word such as "so" if the response names no other value."""
        ...

    def asserted(self, sentence: str) -> V | None:
        """The value that a full sentence asserts as its subject or its predicate: "The median is 6.", "B is closer to the camera."

        It is less strict than `parse_sentence`: the rules accept it only if the response asserts no other value.
        """
        ...

    def mentioned(self, text: str) -> frozenset[V]:
        """All values that `text` may mention."""
        ...

    def torn(self, text: str) -> bool:
        """Whether `text` starts with two contradictory names of a value: "B. East" where B is West."""
        ...

    def clash(self, text: str) -> bool:
        """Whether `text` consists of two contradictory names."""
        ...

    def before(self, lead: str) -> V | None:
        """The value with whose name `lead` ends, so that the next text is a second name: "West (B)"."""
        ...


class RegexValueParser(Generic[V]):
    """Default implementations of `ValueParser`."""

    token: str = ""
    finals: str = ""
    givens: str = ""
    block: bool = False
    alone: bool = False

    def tidy(self, text: str) -> str:
        return text

    def plain(self, text: str) -> V | None:
        del text
        return None

    def may_begin(self, word: str) -> bool:
        del word
        return True

    def opening(self, text: str) -> V | None:
        del text
        return None

    def stated(self, text: str) -> V | None:
        del text
        return None

    def given(self, text: str) -> V | None:
        return self.stated(text)

    def parse_sentence(self, sentence: str) -> V | None:
        del sentence
        return None

    def decides(self, sentence: str) -> bool:
        del sentence
        return False

    def asserted(self, sentence: str) -> V | None:
        del sentence
        return None

    def torn(self, text: str) -> bool:
        del text
        return False

    def clash(self, text: str) -> bool:
        del text
        return False

    def before(self, lead: str) -> V | None:
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
