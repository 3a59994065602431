"""What a kind of answer tells the reader of replies: how its values are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from isovist.core.answers.extraction.text import sentences

V = TypeVar("V")


class ValueParser(Protocol[V]):  # pyright: ignore[reportInvalidTypeVarUse] - `mentioned` gives a set, which pyright calls covariant
    """How the values of one answer are written. Every method is strict: None when in doubt."""

    @property
    def token(self) -> str:
        """A regular expression for a value inside a sentence ("B is correct"); empty if there is none."""
        ...

    @property
    def finals(self) -> str:
        """Further words that announce the value ("total"), as alternatives of a regular expression; may be empty."""
        ...

    @property
    def givens(self) -> str:
        """Words that announce the value, but just as well what is given ("direction"); may be empty."""
        ...

    @property
    def block(self) -> bool:
        """Whether a value may fill a paragraph, one line after the other."""
        ...

    def tidy(self, text: str) -> str:
        """`text` without an echo of the options."""
        ...

    def whole(self, text: str) -> V | None:
        """The value, if `text` is a value and nothing else."""
        ...

    def line(self, text: str) -> V | None:
        """The value, if a line among others is a value and nothing else."""
        ...

    def opening(self, text: str) -> V | None:
        """The value with which a reply opens before it explains."""
        ...

    def stated(self, text: str) -> V | None:
        """The value at the start of `text`, which follows words like "the answer is"."""
        ...

    def given(self, text: str) -> V | None:
        """The same after one of the `givens`."""
        ...

    def parse_sentence(self, sentence: str) -> V | None:
        """The value that a single plain sentence tells."""
        ...

    def decides(self, sentence: str) -> bool:
        """Whether a last sentence that tells a value needs no word such as "so" if the reply names no other value."""
        ...

    def mentioned(self, text: str) -> frozenset[V]:
        """Every value that `text` might mention."""
        ...

    def torn(self, text: str) -> bool:
        """Whether `text` opens with two names of a value that contradict each other: "B. East" where B is West."""
        ...

    def clash(self, text: str) -> bool:
        """Whether `text` is two such names and nothing else."""
        ...

    def before(self, lead: str) -> V | None:
        """The value on a name of which `lead` ends, so that what stands next to it is another name: "West (B)"."""
        ...


class RegexValueParser(Generic[V]):
    """The parts of a grammar that most values do without."""

    token: str = ""
    finals: str = ""
    givens: str = ""
    block: bool = False

    def tidy(self, text: str) -> str:
        return text

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
    """A value that may fill several lines: the paragraph that `text` opens with, else its first line or sentence."""
    block = text.strip().partition("\n\n")[0]
    value = whole(block)
    if value is not None:
        return value
    first, _, below = block.partition("\n")
    if any(whole(line) is not None for line in below.split("\n") if line):
        return None  # two values, not one in two lines
    value = whole(first)
    return value if value is not None else whole(next(sentences(first), ""))
