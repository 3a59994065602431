"""The sum of floats, the same on every version of Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add


def sum_in_order(numbers: Iterable[float]) -> float:
    """Add numbers from left to right and round after each addition; 0.0 for no numbers.

    Use it in place of the built-in `sum` of floats, which rounds after each addition in Python 3.11, but compensates for rounding
    from Python 3.12 on. Items, keys and scores must not depend on the version of Python.
    """
    return reduce(add, numbers, 0.0)
