"""A shuffled order that needs no memory: the number at any place is computed from a key."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from isovist.core.rng import Rng

_ROUNDS = 8


class Shuffle:
    """The numbers from 0 to `n` - 1 in an order that a stream's key chooses: ``shuffle[place]`` is the number at a place.

    A Feistel network (Luby and Rackoff, 1988) permutes the pairs of half-words; from a number outside the range it is walked on until
    one inside is met, less than four times on average.
    """

    __slots__ = ("_half", "_key", "n")

    def __init__(self, stream: Rng, n: int) -> None:
        self.n = n
        self._key = stream.key
        self._half = max(1, ((n - 1).bit_length() + 1) // 2)  # bits

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[int]:
        return (self[place] for place in range(self.n))

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < self.n:
            raise IndexError(f"place {place} of {self.n}")
        number = self._permuted(place)
        while number >= self.n:
            number = self._permuted(number)
        return number

    def _permuted(self, number: int) -> int:
        half, mask = self._half, (1 << self._half) - 1
        left, right = number >> half, number & mask
        for turn in range(_ROUNDS):
            digest = blake2b(bytes((turn,)) + right.to_bytes(8, "big"), key=self._key, digest_size=8).digest()
            left, right = right, left ^ (int.from_bytes(digest, "big") & mask)
        return left << half | right
