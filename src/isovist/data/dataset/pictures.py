"""Safe decoding of the images of a dataset folder, which may come from any source: limited formats and image size."""

from __future__ import annotations

import io
import warnings
from collections.abc import Generator
from contextlib import contextmanager

from PIL import Image, ImageOps, UnidentifiedImageError

from isovist.world.render.image_encoding import media_type

MOST_PIXELS = 50_000_000
"""Maximum number of pixels of an image; a file of a few kilobytes may decode to gigabytes."""
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""Accepted formats: none that runs another program or loads other files."""


@contextmanager
def opened(image: bytes) -> Generator[Image.Image]:
    """Open an image; its pixels are decoded on access. Raises ValueError with a readable message, also for errors during decoding."""
    if not image:
        raise ValueError("it has no bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the conditions of Pillow's warnings are checked here or irrelevant
            with Image.open(io.BytesIO(image), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise ValueError(f"it has {picture.width} x {picture.height} pixels, and {MOST_PIXELS:,} are allowed")
                yield picture
    except UnidentifiedImageError:
        raise ValueError(f"it is no {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file") from None
    except Image.DecompressionBombError:
        raise ValueError(f"it has far more than {MOST_PIXELS:,} pixels") from None
    except (OSError, SyntaxError, EOFError, IndexError, MemoryError) as error:  # errors of Pillow's decoders
        raise ValueError(f"it does not decode: {str(error).partition(chr(10))[0][:80]}") from None


_SAVED: dict[str, dict[str, object]] = {"png": {}, "webp": {"lossless": True}, "jpeg": {"quality": 95, "subsampling": 0}}


def converted(image: bytes, format: str) -> bytes:  # noqa: A002 - the name in Pillow
    """The image as "png" or "webp", which keep the pixels, or as "jpeg" (quality 95); unchanged if it has this format already.

    Raises ValueError as `opened` does.
    """
    if media_type(image) == f"image/{format}":
        return image
    with opened(image) as picture:
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    file = io.BytesIO()
    upright.save(file, format, **_SAVED[format])
    return file.getvalue()
