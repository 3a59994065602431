"""Images reach models, pages and data sets as a viewer shows them: upright, on white, in 8 bits."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from isovist.data.dataset.pictures import as_shown, changes, converted, opened, shown, size
from isovist.data.importers.image_loader import checked

GREY, RED = (200, 200, 200), (220, 20, 20)
UNDO = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
FORMATS: dict[str, dict[str, object]] = {"JPEG": {"quality": 95}, "PNG": {}, "WEBP": {"lossless": True, "exact": True}, "TIFF": {}}
TRANSPARENT = ("RGBA", "LA", "P", "RGB", "L")


def barred() -> Image.Image:
    """Grey, 80 by 50, with a red bar at the left."""
    pixels = np.full((50, 80, 3), GREY, np.uint8)
    pixels[:, :20] = RED
    return Image.fromarray(pixels)


def saved(image: Image.Image, kind: str, **more: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def tagged(tag: int, kind: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = tag
    return saved(barred().transpose(UNDO[tag]), kind, exif=exif, **FORMATS[kind])


def transparent(mode: str) -> bytes:
    """A black bar at the left of a transparent background whose hidden colour is black."""
    alpha = np.zeros((50, 80), np.uint8)
    alpha[:, :20] = 255
    if mode == "P":
        indexed = Image.fromarray((alpha // 255).astype(np.uint8), "L").convert("P")
        indexed.putpalette([0, 0, 0] * 256)
        return saved(indexed, "PNG", transparency=0)
    if mode in ("RGB", "L"):  # one colour is transparent
        grey = Image.fromarray(np.where(alpha > 0, 0, 9).astype(np.uint8), "L").convert(mode)
        return saved(grey, "PNG", transparency=(9, 9, 9) if mode == "RGB" else 9)
    image = Image.new(mode, (80, 50), 0)
    image.putalpha(Image.fromarray(alpha, "L"))
    return saved(image, "PNG")


def deep(kind: str, mode: str) -> bytes:
    """A dark bar (12 % of white) at the left of lighter grey (60 %)."""
    share = np.full((50, 80), 0.6)
    share[:, :20] = 0.12
    values = share if mode == "F" else share * 65535
    return saved(Image.fromarray(values.astype({"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode])), kind)


def is_barred(image: Image.Image) -> bool:
    """80 by 50 pixels, darker at the left."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    left, right = pixels[10:40, 4:16].mean(axis=(0, 1)), pixels[10:40, 40:76].mean(axis=(0, 1))
    return image.size == (80, 50) and np.abs(left - right).max() > 60


def decoded(data: bytes) -> Image.Image:
    """As a program that knows nothing of orientation and transparency."""
    return Image.open(io.BytesIO(data)).convert("RGB")


USES = {
    "a function": lambda data: as_shown(Image.open(io.BytesIO(data))),
    "sent": lambda data: decoded(shown(data)),
    "sent as PNG": lambda data: decoded(converted(data, "png")),
    "sent as JPEG": lambda data: decoded(converted(data, "jpeg")),
    "sent as WebP": lambda data: decoded(converted(data, "webp")),
    "imported": lambda data: decoded(checked(data)),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("tag", UNDO)
def test_an_image_with_an_orientation_is_upright(tag: int, kind: str, use: str) -> None:
    assert is_barred(USES[use](tagged(tag, kind)))


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("mode", TRANSPARENT)
def test_what_is_transparent_is_white(mode: str, use: str) -> None:
    image = USES[use](transparent(mode))
    assert is_barred(image)
    assert min(image.getpixel((60, 25))) > 240  # pyright: ignore[reportArgumentType] - three numbers


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(("kind", "mode"), [("PNG", "I;16"), ("TIFF", "I;16"), ("TIFF", "I"), ("TIFF", "F")])
def test_deep_grey_is_scaled(kind: str, mode: str, use: str) -> None:
    image = USES[use](deep(kind, mode))
    assert is_barred(image)
    assert np.allclose(np.asarray(image)[25, [5, 60], 0], [31, 153], atol=3)


def test_a_dark_image_of_16_bits_stays_dark() -> None:
    image = as_shown(Image.fromarray(np.full((4, 4), 200, np.uint16)))
    assert np.asarray(image).max() <= 1


def test_cmyk_becomes_the_same_colours() -> None:
    assert is_barred(decoded(shown(saved(barred().convert("CMYK"), "JPEG", quality=95))))


@pytest.mark.parametrize("image", [barred(), barred().convert("L")])
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_an_image_that_every_program_shows_alike_keeps_its_bytes(image: Image.Image, kind: str) -> None:
    data = saved(image, kind)
    assert shown(data) == data
    assert checked(data) == data
    assert converted(data, kind.lower()) == data
    with opened(data) as picture:
        assert changes(picture) == []


def test_annotations_in_pixels_of_the_file_keep_them() -> None:
    with opened(tagged(6, "JPEG")) as picture:
        assert as_shown(picture, upright=False).size == (50, 80)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_the_header_of_a_png_tells_what_pillow_tells(mode: str) -> None:
    plain = saved(barred().convert(mode) if mode != "I;16" else Image.new(mode, (80, 50), 9), "PNG")
    files = [plain, *(transparent(mode) for _ in "a" if mode in TRANSPARENT), *(tagged(tag, "PNG") for tag in UNDO)]
    for file in files:
        with opened(file) as picture:
            assert size(file) == picture.size
            assert (shown(file) == file) == (not changes(picture))


def test_a_header_that_promises_too_much_is_refused() -> None:
    vast = plain_png(100_000, 100_000)
    for read in (size, shown):
        with pytest.raises(ValueError, match="pixels"):
            read(vast)
    with pytest.raises(ValueError, match=r"no |decode"):
        size(plain_png(0, 5))


def plain_png(width: int, height: int) -> bytes:
    """A PNG file in 8-bit RGB with this size in its header and the pixels of another."""
    file = bytearray(saved(barred(), "PNG"))
    file[16:24] = struct.pack(">II", width, height)
    file[29:33] = struct.pack(">I", zlib.crc32(file[12:29]))
    return bytes(file)
