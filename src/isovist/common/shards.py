"""Shards: the division of a command among several processes or machines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from isovist.common.errors import UserError

T = TypeVar("T")
_SHARD = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `index`, from 0, of `count`. It has the units of work number `index`, `index + count`, `index + 2 count` and so on."""

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise UserError(f"Invalid shard: {self}. Write I/N with I from 0 to N-1, such as 0/4 for the first of four shards.")

    @staticmethod
    def parse(text: str) -> Shard:
        """The shard of a text such as ``3/64``. Raises UserError."""
        match = _SHARD.fullmatch(text.strip())
        if match is None:
            raise UserError(f"Invalid shard: {text}. Write I/N with I from 0 to N-1, such as 0/4 for the first of four shards.")
        return Shard(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def selects(self, i: int) -> bool:
        """Whether unit of work number `i` belongs to this shard."""
        return i % self.count == self.index

    def of(self, units: Sequence[T]) -> Sequence[T]:
        """The units of work of this shard, in order."""
        return units[self.index :: self.count]
