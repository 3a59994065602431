"""The pictures of a data folder, which anybody may have written: opened only where they are pictures, and not too large."""

from __future__ import annotations

import io
import warnings
from collections.abc import Generator
from contextlib import contextmanager

from PIL import Image, UnidentifiedImageError

MOST_PIXELS = 50_000_000
"""Of one picture; a file of a few kilobytes may unfold to gigabytes."""
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""What is opened: none that runs another program or loads other files."""


@contextmanager
def opened(image: bytes) -> Generator[Image.Image]:
    """A picture; its pixels are decoded where they are used. Raises ValueError, in words, also if that fails."""
    if not image:
        raise ValueError("it has no bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow warns of is checked here, or does not matter
            with Image.open(io.BytesIO(image), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise ValueError(f"it has {picture.width} x {picture.height} pixels, and {MOST_PIXELS:,} are allowed")
                yield picture
    except UnidentifiedImageError:
        raise ValueError(f"it is no {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file") from None
    except Image.DecompressionBombError:
        raise ValueError(f"it has far more than {MOST_PIXELS:,} pixels") from None
    except (OSError, SyntaxError, EOFError, IndexError, MemoryError) as error:  # as Pillow's decoders fail
        raise ValueError(f"it does not decode: {str(error).partition(chr(10))[0][:80]}") from None
