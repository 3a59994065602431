"""Random sampling without replacement from a space that cannot be listed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

from isovist.core.rng import Rng, balanced_stratum

T = TypeVar("T")

_AGAIN = 30  # consecutive draws without a new mark after which the space counts as exhausted
_FAILED = 5000  # consecutive failed draws after which sampling is an error


class Deck(Generic[T]):
    """A sequence of different samples: the k-th is a function of the stream and of k alone.

    `draw` returns one sample, or None for a failed draw. `marks` returns the keys of a sample from coarse to fine. Samples with a
    coarse key that already occurred are accepted only after `_AGAIN` consecutive draws without a new one. The space is exhausted when
    no draw has a new finest key.
    """

    def __init__(self, rng: Rng, draw: Callable[[Rng], T | None], marks: Callable[[T], tuple[Hashable, ...]]) -> None:
        self._rng, self._draw, self._marks = rng, draw, marks
        self._drawn: list[T] = []
        self._known: set[tuple[int, Hashable]] = set()
        self._draws = 0
        self._fineness = 0
        self._used_up = False

    def at(self, place: int) -> tuple[T, int]:
        """The sample at index `place`, from 0, and the number of earlier passes through the sequence: 0 until the space is exhausted.

        Raises RuntimeError if no draw succeeds.
        """
        while place >= len(self._drawn) and not self._used_up:
            self._extend()
        repeats, first = divmod(place, len(self._drawn))
        return self._drawn[first], repeats

    def _extend(self) -> None:
        """Append the next sample; switch to a finer key, or mark the space as exhausted, after too many draws without a new key."""
        repeats = failed = 0
        while repeats < _AGAIN:
            drawn = self._draw(self._rng.at(self._draws))
            self._draws += 1
            if drawn is None:
                failed += 1
                if failed == _FAILED:
                    raise RuntimeError(f"nothing can be drawn in {_FAILED} attempts; the task rejects too many")
                continue
            marks = tuple(enumerate(self._marks(drawn)))
            if marks[self._fineness] not in self._known:
                self._known.update(marks)
                self._drawn.append(drawn)
                return
            repeats, failed, finest = repeats + 1, 0, len(marks) - 1
            if repeats == _AGAIN and self._fineness < finest:
                self._fineness, repeats = self._fineness + 1, 0
        self._used_up = True


class Ranks:
    """For each image of a design, the number of earlier images in the same strata of all `factors` (name, number of strata)."""

    def __init__(self, key: bytes, factors: tuple[tuple[str, int], ...]) -> None:
        self._factors = [(Rng.of(key).at(name), k) for name, k in factors]
        self._counts: dict[tuple[int, ...], int] = {}
        self._ranks: list[int] = []

    def at(self, picture: int) -> int:
        while len(self._ranks) <= picture:
            cells = tuple(balanced_stratum(stream, k, len(self._ranks)) for stream, k in self._factors)
            self._ranks.append(self._counts.get(cells, 0))
            self._counts[cells] = self._ranks[-1] + 1
        return self._ranks[picture]


@lru_cache(maxsize=64)
def ranks(key: bytes, factors: tuple[tuple[str, int], ...]) -> Ranks:
    return Ranks(key, factors)
