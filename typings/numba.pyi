from collections.abc import Callable
from typing import TypeVar

_F = TypeVar("_F", bound=Callable[..., object])

def njit(*, cache: bool, nogil: bool, error_model: str, no_cfunc_wrapper: bool) -> Callable[[_F], _F]: ...
