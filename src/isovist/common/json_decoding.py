"""Decoding of JSON into typed dataclasses."""

from __future__ import annotations

from codecs import BOM_UTF8
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def decode(kind: type[T], text: bytes, extra: Literal["forbid", "ignore"] = "forbid") -> T:
    """Decode `text`, with or without a byte order mark, into a dataclass with strict types.

    Raises ValueError with a line such as "parts.0.n: Input should be a valid integer".
    """
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_json(text.removeprefix(BOM_UTF8), strict=True, extra=extra)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = "".join(letter if letter.isprintable() else "?" for letter in ".".join(map(str, first["loc"]))[:200])
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def encode(value: object) -> str:
    """A dataclass as the JSON text that `decode` reads; sets and tuples are lists there."""
    return _adapter(type(value)).dump_json(value).decode()


@lru_cache(maxsize=32)
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
