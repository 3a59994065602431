"""PNG files, written as fast as the machine compresses."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

try:
    from isal.isal_zlib import compress as _fast  # pyright: ignore[reportUnknownVariableType]

    def _deflate(raw: memoryview) -> bytes:
        return _fast(raw, 1)
except ImportError:  # no wheel for this machine; the same picture, slower

    def _deflate(raw: memoryview) -> bytes:
        return zlib.compress(raw, 1)


_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG of `pixels`, shape (height, width, 3), 8-bit RGB.

    Rows are stored unfiltered, which suits flat drawings. The bytes depend on the compressor and its version; the
    pixels do not.
    """
    height, width, channels = pixels.shape
    if channels != 3:
        raise ValueError(f"an RGB picture has three channels, not {channels}")
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", _deflate(rows.data)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))))
