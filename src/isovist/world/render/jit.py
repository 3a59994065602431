"""Compilation of loops over pixels and triangles: cached on disk, with the same results in every run.

Single-threaded (workers are processes), without reordered arithmetic.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from isovist.common.errors import MissingDependencyError

F = TypeVar("F", bound=Callable[..., object])


def _cache() -> None:
    """If Numba has no writable cache folder, set one that is private to this process and its workers.
    It is never a folder to which others can write, because the cache contains code.
    """
    places = (Path(__file__).parent, Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser()))
    if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(place, os.W_OK) for place in places):
        folder = tempfile.mkdtemp(prefix="isovist-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = folder


def kernel(function: F) -> F:
    """Compile `function` on its first call. Raises MissingDependencyError without Numba."""
    return _njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)


def inner(function: F) -> F:
    """Compile `function` as a part of the kernels that call it, which takes less time; Python calls it uncompiled."""
    return _register_jitable(error_model="numpy", no_cfunc_wrapper=True, forceinline=True)(function)


_cache()
try:
    from numba import njit as _njit
    from numba.extending import register_jitable as _register_jitable
except ImportError:
    raise MissingDependencyError("3-D scenes", "scene") from None


_event: Any = import_module("numba.core.event")


class _Compilation(_event.Listener):  # pyright: ignore[reportUntypedBaseClass] - Numba has no types
    """Writes one line in a terminal at the first compilation of a kernel, which takes seconds. Kernels in the cache are not compiled.

    Garbage is collected after a kernel, not meanwhile: Numba makes millions of small objects and keeps most of them.
    """

    is_given = False
    is_collecting = True
    depth = 0  # a kernel and the functions that it calls

    def on_start(self, event: Any) -> None:
        is_kernel = str(event.data["dispatcher"].py_func.__module__).startswith(__package__ or __name__)
        if is_kernel and not self.is_given and sys.stderr.isatty():
            self.is_given = True
            sys.stderr.write("\rCompiling the 3-D renderer, once for this installation: about 7 seconds.\n")
        if is_kernel and not self.depth:
            self.is_collecting = gc.isenabled()
            gc.disable()
        if is_kernel or self.depth:
            self.depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002 - Numba passes it
        if self.depth == 1 and self.is_collecting:
            gc.enable()
        self.depth = max(0, self.depth - 1)


_event.register("numba:compile", _Compilation())
