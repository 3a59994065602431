"""Equal values as one object, to save memory: the items of a task have the same texts, options and attributes many times."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from sys import intern
from typing import Any, TypeVar

from isovist.core.answers import Answer, JointAnswer, Number

T = TypeVar("T", bound=Hashable)
_MOST = 20_000  # values that are compared with later ones: the items of a task follow each other


class SharedValues:
    """Known values."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def one(self, value: T) -> T:
        """The first value that equals `value`."""
        if len(self._known) >= _MOST:
            self._known.clear()
        return self._known.setdefault(value, value)

    def key(self, key: Answer) -> Answer:
        return key if isinstance(key, Number | JointAnswer) else self.one(key)  # equal numbers may have different texts: 1 and 1.0

    def texts(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return self._known.get(values) or self.one(tuple(map(intern, values)))

    def attributes(self, values: Mapping[str, str]) -> Mapping[str, str]:
        names, texts = self.texts(tuple(values)), self.texts(tuple(values.values()))
        return self._known.setdefault((names, texts), dict(zip(names, texts, strict=True)))
