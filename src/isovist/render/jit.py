"""How the loops over pixels and triangles are compiled: once, kept on disk, the same results on every run.

One thread (workers are processes), and no reordered arithmetic.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from isovist.errors import MissingDependencyError

F = TypeVar("F", bound=Callable[..., object])


def _cache() -> None:
    """Where Numba could write nowhere, lets it keep what it compiles in a folder of this process's own, which its workers
    inherit. Never in one that others could write to: what Numba keeps is code.
    """
    places = (Path(__file__).parent, Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser()))
    if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(place, os.W_OK) for place in places):
        folder = tempfile.mkdtemp(prefix="isovist-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = folder


def kernel(function: F) -> F:
    """`function`, compiled when first called. Raises MissingDependencyError without Numba."""
    return _njit(cache=True, nogil=True, error_model="numpy")(function)


_cache()
try:
    from numba import njit as _njit
except ImportError:
    raise MissingDependencyError("3-D scenes", "scene") from None
