"""The canary of test data: a fixed string by which trainers filter them out of a corpus, and by which leaks are found.

Training data (the train split, training mixtures) never hold it: a filter must not remove them. In a test image it is a text chunk of
the PNG file, without effect on the pixels. Image files are compared and hashed without it: an image is the same with and without the
chunk, as in data from before the canary.
"""

from __future__ import annotations

import struct
import zlib

GUID = "9706a23f-92d6-44d2-aa62-cea17a6f89b9"
"""Fixed for ever, for all data and versions: a filter that knows it must find every copy."""
NOTICE = f"Isovist test data; canary GUID {GUID}"
"""What files of test data hold."""
NAME = "canary"
"""The name of the notice in key-value metadata, in columns and in pages."""
_HEADER = 33  # bytes of the signature and of the chunk IHDR, which comes first in every PNG file
_DATA = b"tEXtComment\0" + NOTICE.encode("ascii")
_CHUNK = struct.pack(">I", len(_DATA) - 4) + _DATA + struct.pack(">I", zlib.crc32(_DATA))


def is_test(split: str) -> bool:
    """Whether data of a split carry the canary: all but those of the train split."""
    return split != "train"


def marked(png: bytes) -> bytes:
    """A PNG file with the canary. Its pixels are the same."""
    return png[:_HEADER] + _CHUNK + png[_HEADER:]


def unmarked(image: bytes) -> bytes:
    """An image file without the canary of `marked`; unchanged if it has none, whatever its format."""
    return image[:_HEADER] + image[_HEADER + len(_CHUNK) :] if image.startswith(_CHUNK, _HEADER) else image
