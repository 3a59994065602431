"""What Isovist uses of Numba: compiled functions keep the types they are written with."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

def njit(*, cache: bool, nogil: bool, error_model: str) -> Callable[[F], F]: ...
