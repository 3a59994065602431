"""How the loops over pixels and triangles are compiled: once, kept on disk, the same results on every run.

One thread (workers are processes), and no reordered arithmetic.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from isovist.errors import Missing

F = TypeVar("F", bound=Callable[..., object])


def _cache() -> None:
    """Lets Numba keep what it compiled in the folder for temporary files where it could write nowhere else."""
    places = (Path(__file__).parent, Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser()))
    if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(place, os.W_OK) for place in places):
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "isovist-numba")


def kernel(function: F) -> F:
    """`function`, compiled when first called. Raises Missing without Numba."""
    return _njit(cache=True, nogil=True, error_model="numpy")(function)


_cache()
try:
    from numba import njit as _njit
except ImportError:
    raise Missing("a picture of a three-dimensional scene", "scene") from None
