"""Keyed random streams: a draw depends on the path of its stream and its position, not on draws from other streams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

_WORDS = Struct(">8Q")
_EXACT = 2.0**-53  # 53 random bits make a float in [0, 1) with every value equally likely


class Rng:
    """A random stream named by a path of strings and integers.

    The stream consists of the 64-bit words of ``blake2b(counter, key)``. It depends on no other generator, so it is the same on
    every machine, Python version and hash seed. A stream of up to eight numbers costs one hash.

    >>> Rng("task", 1).uniform(0, 1) == Rng("task").at(1).uniform(0, 1)
    True
    """

    __slots__ = ("_blocks", "_words", "key")

    def __init__(self, *path: str | int, key: bytes = b"") -> None:
        self.key = key
        for name in path:
            self.key = _child(self.key, name)
        self._blocks = 0
        self._words: list[int] = []

    def at(self, *path: str | int) -> Rng:
        """The stream at a longer path. It does not depend on the numbers already drawn from this one."""
        key = self.key
        for name in path:
            key = _child(key, name)
        return Rng.of(key)

    @staticmethod
    def of(key: bytes) -> Rng:
        """The stream with this `key`, from its start."""
        return Rng(key=key)

    def random(self) -> float:
        """A float in [0, 1)."""
        if not self._words:
            digest = blake2b(self._blocks.to_bytes(8, "big"), key=self.key).digest()
            self._words = list(_WORDS.unpack(digest))
            self._blocks += 1
        return (self._words.pop() >> 11) * _EXACT

    def uniform(self, low: float, high: float) -> float:
        """A float in [low, high)."""
        return low + (high - low) * self.random()

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + int(self.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random() < probability

    def pick(self, xs: Sequence[T]) -> T:
        """One member of `xs`, with equal probability."""
        return xs[int(self.random() * len(xs))]

    def shuffled(self, xs: Sequence[T]) -> list[T]:
        """A new list of the members of `xs` in random order (Fisher-Yates shuffle)."""
        members, random = list(xs), self.random
        for i in range(len(members) - 1, 0, -1):
            j = int(random() * (i + 1))
            members[i], members[j] = members[j], members[i]
        return members

    def sample(self, xs: Sequence[T], k: int) -> list[T]:
        """`k` different members of `xs` in random order. Raises ValueError if `k` exceeds their number."""
        if k > len(xs):
            raise ValueError(f"cannot draw {k} of {len(xs)}")
        members, random, n = list(xs), self.random, len(xs)
        for i in range(k):
            j = i + int(random() * (n - i))
            members[i], members[j] = members[j], members[i]
        return members[:k]


@lru_cache(maxsize=4096, typed=True)  # typed: True and 1 are equal but have different names
def _child(key: bytes, name: str | int) -> bytes:
    # the type is part of the hashed name: 1 and "1" are different streams
    kind = b"i" if isinstance(name, int) else b"s"
    return blake2b(kind + str(name).encode(), key=key, digest_size=32).digest()


def balanced_stratum(stream: Rng, cells: int, index: int) -> int:
    """The stratum of item `index`, from 0: each block of `cells` items has every stratum once, in random order.

    The counts of the strata are equal after each multiple of `cells` items and differ by at most one otherwise. The stratum is
    computed without those of earlier items.
    """
    block, place = divmod(index, cells)
    return _block(stream.key, cells, block)[place]


@lru_cache(maxsize=4096)
def _block(key: bytes, cells: int, block: int) -> tuple[int, ...]:
    # consecutive items share a block: its order is cached
    return tuple(Rng.of(key).at(block).shuffled(range(cells)))
