"""Protocol buffers without a schema: the wire format alone, of which a reader of annotations needs little.

A message is fields one after the other: a key (field number * 8 + wire type), then a varint (0), eight bytes (1), a length and as many
bytes (2) or four bytes (5), the numbers little-endian. Fields may be missing, which means zero, and come in any order.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable

_MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class Message:
    """The fields of a message by their number; several values where a field is repeated."""

    fields: dict[int, list[int | bytes]] = field(default_factory=dict[int, "list[int | bytes]"])

    def number(self, key: int) -> int:
        """An integer; 0 if it is missing. Raises Unusable for a field of another type."""
        value = self._last(key, 0)
        if not isinstance(value, int):
            raise Unusable("a field has another type", str(key))
        return value

    def real(self, key: int) -> float:
        """A `float`; 0 if it is missing. Raises Unusable for a field of another type, and for one that is not finite."""
        packed = self._last(key, b"\0\0\0\0")
        if not isinstance(packed, bytes) or len(packed) != 4:
            raise Unusable("a field has another type", str(key))
        (value,) = struct.unpack("<f", packed)
        if not isfinite(value):
            raise Unusable("a field is no number", str(key))
        return value

    def text(self, key: int) -> str:
        value = self._last(key, b"")
        return value.decode(errors="replace") if isinstance(value, bytes) else ""

    def message(self, key: int) -> Message:
        """A message inside of this one; an empty one if it is missing. Raises Unusable for a field of another type."""
        return next(reversed(self.messages(key)), Message())

    def messages(self, key: int) -> list[Message]:
        """All messages of a repeated field. Raises Unusable for a field of another type."""
        return [_parsed(value if isinstance(value, bytes) else b"\xff") for value in self.fields.get(key, ())]

    def _last(self, key: int, missing: int | bytes) -> int | bytes:
        return (self.fields.get(key) or [missing])[-1]


def parsed(data: bytes, file: Path) -> Message:
    """The message that a file holds. Raises UserError for a damaged one."""
    if len(data) > _MOST_BYTES:
        raise UserError(f"{file}: larger than {_MOST_BYTES >> 20} MB.")
    try:
        return _parsed(data)
    except Unusable as fault:
        raise UserError(f"{file}: {fault}.") from None


def _parsed(data: bytes) -> Message:
    fields: defaultdict[int, list[int | bytes]] = defaultdict(list)
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                fields[key >> 3].append(value)
                continue
            case 1:
                size = 8
            case 2:
                size, at = _varint(data, at)
            case 5:
                size = 4
            case _:
                raise Unusable("not a protocol buffer")
        if at + size > len(data):
            raise Unusable("not a protocol buffer", "cut off")
        fields[key >> 3].append(data[at : at + size])
        at += size
    return Message(dict(fields))


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Unusable("not a protocol buffer", "cut off")
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at
