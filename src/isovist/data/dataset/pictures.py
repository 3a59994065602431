"""Safe decoding of images from any source: limited formats and image size, and the pixels that a viewer shows."""

from __future__ import annotations

import io
import re
import struct
import warnings
from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
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


def data_url(image: bytes) -> str:
    """The data URL of an image file; of an unknown format as PNG."""
    return f"data:{media_type(image) or 'image/png'};base64,{b64encode(image).decode()}"


_ORIENTATION = 0x0112  # EXIF tag
_UPRIGHT = 1
_EXIF = (b"eXIf", b"Exif\0", b"EXIF", b"Raw profile type exif")
"""Text of which a PNG, JPEG or WebP file with an orientation has one."""
_OPAQUE_PNG = re.compile(rb"\x89PNG\r\n\x1a\n\0\0\0\rIHDR.{8}\x08[\x00\x02]", re.DOTALL)
_SHALLOW = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBa", "La", "CMYK", "YCbCr", "HSV", "LAB")
"""Modes with 8 bits or fewer a channel."""
TURNED, ON_WHITE, SCALED = "turned upright (EXIF)", "with transparent parts, now on white", "of more than 8 bits a channel, scaled to 8"


def changes(picture: Image.Image) -> list[str]:
    """How the stored pixels differ from those that a viewer shows: `TURNED`, `ON_WHITE`, `SCALED`."""
    turned = picture.getexif().get(_ORIENTATION, _UPRIGHT) in range(2, 9)
    named = ((TURNED, turned), (ON_WHITE, picture.has_transparency_data), (SCALED, picture.mode not in _SHALLOW))
    return [name for name, applies in named if applies]


def as_shown(picture: Image.Image, *, upright: bool = True) -> Image.Image:
    """The image as a viewer shows it, in 8-bit RGB: turned by its EXIF orientation, transparent parts on white, deep grey scaled to 8 bits.

    `upright`: whether the orientation is applied; annotations of some data sets are in pixels of the file.
    """
    made = changes(picture)
    if TURNED in made and upright:
        picture = ImageOps.exif_transpose(picture)
    if SCALED in made:
        picture = Image.fromarray(_eight_bits(np.asarray(picture, np.float64), picture.mode))
    elif ON_WHITE in made:
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture.convert("RGBA"))
    return picture.convert("RGB")


def _eight_bits(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], mode: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Grey values as 0 to 255. White is 65535 in 16 bits, else the first of 1 (floating point only), 255, 65535 and the largest that fits."""
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    largest = float(values.max(initial=0.0))
    limits = (65535.0,) if mode.startswith("I;16") else (1.0, 255.0, 65535.0) if mode == "F" else (255.0, 65535.0)
    full = next((limit for limit in limits if largest <= limit), largest)
    return np.clip(np.rint(values * (255.0 / full)), 0, 255).astype(np.uint8)


_SAVED: dict[str, dict[str, object]] = {"png": {}, "webp": {"lossless": True}, "jpeg": {"quality": 95, "subsampling": 0}}


def converted(image: bytes, format: str) -> bytes:  # noqa: A002 - the name in Pillow
    """The image as a viewer shows it, as "png" or "webp", which keep the pixels, or as "jpeg" (quality 95); unchanged if it is that already.

    Raises ValueError as `opened` does.
    """
    with opened(image) as picture:
        if media_type(image) == f"image/{format}" and not _differs(image, picture):
            return image
        return encoded(picture, format)


def size(image: bytes) -> tuple[int, int]:
    """Width and height. Raises ValueError as `opened` does."""
    if known := _opaque_png(image):
        return known
    with opened(image) as picture:
        return picture.size


def _opaque_png(image: bytes) -> tuple[int, int] | None:
    """The size in the header of a PNG file in 8-bit RGB or grey; None for any other file. Pillow takes 30 times as long to open it."""
    if not _OPAQUE_PNG.match(image):
        return None
    width, height = struct.unpack_from(">II", image, 16)
    return (width, height) if 0 < width * height <= MOST_PIXELS else None


def shown(image: bytes) -> bytes:
    """The image as a viewer shows it: unchanged if every program shows the same pixels. Raises ValueError as `opened` does."""
    if _opaque_png(image) and b"tRNS" not in image[: image.find(b"IDAT")] and not any(mark in image for mark in _EXIF):
        return image
    with opened(image) as picture:
        if not _differs(image, picture):
            return image
        return encoded(picture, "jpeg" if media_type(image) == "image/jpeg" else "png")


def encoded(picture: Image.Image, format: str) -> bytes:  # noqa: A002 - the name in Pillow
    """An image as a viewer shows it, as the bytes of a file."""
    file = io.BytesIO()
    as_shown(picture).save(file, format, **_SAVED[format])
    return file.getvalue()


def _differs(image: bytes, picture: Image.Image) -> bool:
    """Whether an opened image has `changes`; the pixels of most are not decoded for it."""
    if picture.mode in ("RGB", "L") and media_type(image) in ("image/png", "image/jpeg") and "transparency" not in picture.info:
        return any(mark in image for mark in _EXIF) and bool(changes(picture))
    return bool(changes(picture))
