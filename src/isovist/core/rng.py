"""Keyed random streams: a draw depends on the name of its stream, never on the draws made elsewhere."""

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

    The numbers are the words of ``blake2b(key, counter)``. The algorithm is fixed by that sentence alone, so the
    stream is the same on every machine, Python version and hash seed, and a short stream costs one hash.

    >>> Rng("task", 1).uniform(0, 1) == Rng("task").at(1).uniform(0, 1)
    True
    """

    __slots__ = ("_blocks", "_words", "key")

    def __init__(self, *path: str | int) -> None:
        self.key = b""
        for name in path:
            self.key = _child(self.key, name)
        self._blocks = 0
        self._words: list[int] = []

    def at(self, *path: str | int) -> Rng:
        """The stream further down the path. It does not depend on what has been drawn from this one."""
        key = self.key
        for name in path:
            key = _child(key, name)
        return Rng.of(key)

    @staticmethod
    def of(key: bytes) -> Rng:
        """The stream whose `key` this is."""
        stream = Rng()
        stream.key = key
        return stream

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
        """One of `xs`, each equally likely."""
        return xs[int(self.random() * len(xs))]

    def shuffled(self, xs: Sequence[T]) -> list[T]:
        """A new list with the members of `xs` in random order (Fisher-Yates)."""
        out = list(xs)
        for i in range(len(out) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, xs: Sequence[T], k: int) -> list[T]:
        """`k` different members of `xs`, in random order."""
        if k > len(xs):
            raise ValueError(f"cannot draw {k} of {len(xs)}")
        out = list(xs)
        for i in range(k):
            j = i + int(self.random() * (len(out) - i))
            out[i], out[j] = out[j], out[i]
        return out[:k]


@lru_cache(maxsize=4096, typed=True)  # True equals 1 and is another name
def _child(key: bytes, name: str | int) -> bytes:
    # The kind is part of the name: the stream of 1 is not the stream of "1".
    kind = b"i" if isinstance(name, int) else b"s"
    return blake2b(kind + str(name).encode(), key=key, digest_size=32).digest()


def balanced_stratum(stream: Rng, cells: int, index: int) -> int:
    """The design cell of item `index`: each block of `cells` items holds every cell once, in shuffled order.

    Counts are equal at every multiple of `cells` and within one otherwise, the order cannot be predicted, and the
    cell of an item needs no history.
    """
    block, place = divmod(index, cells)
    return _block(stream.key, cells, block)[place]


@lru_cache(maxsize=4096)
def _block(key: bytes, cells: int, block: int) -> tuple[int, ...]:
    # neighbouring items share their block, so its order is remembered
    return tuple(Rng.of(key).at(block).shuffled(range(cells)))
