"""Drawing without replacement from a space that is too large, or too uneven, to be listed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

from isovist.core.rng import Rng, balanced_stratum

T = TypeVar("T")

_AGAIN = 30  # draws that gave nothing new, since the last that did, before the space counts as used up
_FAILED = 5000  # draws in a row that gave nothing at all, before there counts as being nothing


class Deck(Generic[T]):
    """What a stream draws, in order, none twice: the k-th is a function of the stream and of k alone.

    `draw` draws one of the space, or gives None for a draw that failed. `marks` tell two of them apart, from coarse to fine: two of one
    coarse mark come only when draws give no other. When they give none that is new by its finest mark either, the space is used up.
    """

    def __init__(self, rng: Rng, draw: Callable[[Rng], T | None], marks: Callable[[T], tuple[Hashable, ...]]) -> None:
        self._rng, self._draw, self._marks = rng, draw, marks
        self._drawn: list[T] = []
        self._known: set[tuple[int, Hashable]] = set()
        self._draws = 0
        self._fineness = 0
        self._used_up = False

    def at(self, place: int) -> tuple[T, int]:
        """What lies at a place, and how often it has come before: 0 until the space is used up, then all come again from the first on."""
        while place >= len(self._drawn) and not self._used_up:
            self._extend()
        repeats, first = divmod(place, len(self._drawn))
        return self._drawn[first], repeats

    def _extend(self) -> None:
        """Draws the next one. After too many draws that gave nothing new a finer mark decides, and in the end the space is used up."""
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
    """For each picture of a design, how many before it are in the same cells."""

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
