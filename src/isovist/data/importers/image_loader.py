"""Load images embedded in records or named by records and folders. Their content is not trusted."""

from __future__ import annotations

import io
import warnings
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any, cast

import numpy as np
from PIL import Image, UnidentifiedImageError

from isovist.data.dataset.pictures import FORMATS, MOST_PIXELS, as_shown, changes, encoded
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.file_reader import SUFFIXES, walk
from isovist.data.importers.record_reader import Found
from isovist.world.render.image_encoding import media_type, png
from isovist.world.render.rasterizer2d import Pixels

LARGEST = 768
"""Maximum length of the shorter side in pixels. Larger photographs are scaled down."""
_MOST_BYTES = 32 << 20
_PHOTO_BYTES, _PHOTO_PIXELS = 64 << 20, 80_000_000
_ORIENTATION = 0x0112  # EXIF tag
_ON_ITS_SIDE = (5, 6, 7, 8)


@contextmanager
def decoding(source: Path | io.BytesIO, most_pixels: int = MOST_PIXELS) -> Generator[Image.Image]:
    """Open an image; its pixels are decoded inside the context. Raises Unusable, also if decoding fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the cases that Pillow warns of are checked here or are harmless
            with Image.open(source, formats=FORMATS) as picture:
                if picture.width * picture.height > most_pixels:
                    raise Unusable("the image is too large", f"{picture.width} x {picture.height} pixels")
                yield picture
    except Image.DecompressionBombError:
        raise Unusable("the image is too large") from None
    except Unusable:
        raise
    except UnidentifiedImageError:  # the message of Pillow holds a memory address
        raise Unusable("the image cannot be decoded", f"no {', '.join(FORMATS)}") from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError, IndexError) as error:
        raise Unusable("the image cannot be decoded", str(error).partition("\n")[0][:80]) from None


def checked(data: bytes, changed: Counter[str] | None = None) -> bytes:
    """Return `data` if it is a complete PNG or JPEG that every program shows alike; convert any other image. Raises Unusable.

    `changed`: counts the images of which the pixels change, by what was done.
    """
    _check_length(len(data), _MOST_BYTES)
    with decoding(io.BytesIO(data)) as picture:
        picture.load()
        made = changes(picture)
        if changed is not None:
            changed.update(made)
        if media_type(data) == "image/jpeg":
            return encoded(picture, "jpeg") if made else data
        return data if media_type(data) == "image/png" and not made else png(np.asarray(as_shown(picture)))


def _check_length(length: int, most: int) -> None:
    if length > most:
        raise Unusable("the image is too large", f"{length} bytes")


# Photographs in folders -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph: pixels (height, width, 3) in sRGB, a hash of its file, and the factor by which it was scaled."""

    pixels: Pixels
    digest: str
    scale: float = 1.0


def inner_path(name: str) -> PurePosixPath | None:
    """The path of an image that a record names, relative to a folder; None if it leaves the folder or names no file."""
    path = PurePosixPath(name.replace("\\", "/"))
    leaves = path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name
    return None if leaves or not path.name else path


def photo_files(folder: Path, suffixes: Sequence[str] = SUFFIXES) -> list[Path]:
    """Return the photographs directly in a folder, sorted by name. Hidden files are excluded."""
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in suffixes and not file.name.startswith("."))


def photo_bytes(path: Path, most: int = _PHOTO_BYTES) -> bytes:
    """Return the bytes of a photograph. Raises Unusable."""
    _check_file(path, most)
    return path.read_bytes()


def _check_file(path: Path, most: int) -> None:
    if not path.is_file():
        raise Unusable("the image is missing", ascii(path.name[:80]))
    _check_length(path.stat().st_size, most)


def fingerprint(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def photo_size(path: Path, *, upright: bool = False) -> tuple[int, int]:
    """Return width and height of a photograph from its file header. `upright`: after the EXIF rotation. Raises Unusable."""
    _check_file(path, _PHOTO_BYTES)
    with decoding(path, _PHOTO_PIXELS) as picture:
        on_its_side = upright and picture.getexif().get(_ORIENTATION, 1) in _ON_ITS_SIDE
        return (picture.height, picture.width) if on_its_side else picture.size


def open_photo(path: Path, *, upright: bool = False) -> Photo:
    """Open a photograph and scale it down if its shorter side exceeds `LARGEST` pixels. Raises Unusable.

    `upright`: apply the EXIF rotation. Annotations are in pixels of the file and need the unrotated image.
    """
    data = photo_bytes(path)
    with decoding(io.BytesIO(data), _PHOTO_PIXELS) as picture:
        image = as_shown(picture, upright=upright)
    scale = min(1.0, LARGEST / min(image.size))
    if scale < 1:
        width, height = image.size
        image = image.resize((max(1, round(width * scale)), max(1, round(height * scale))), Image.Resampling.LANCZOS)
    return Photo(np.array(image), fingerprint(data), scale)


# Images of records ----------------------------------------------------------------------------------------------------


class RecordPictures:
    """The images of one published benchmark."""

    def __init__(self, dataset: Found) -> None:
        self._dataset = dataset
        self.changed = Counter[str]()
        """Images of which the pixels were changed, by what was done."""

    def get(self, cell: object, file: str) -> bytes:
        """Return the image that a record of `file` embeds or names, as PNG or JPEG. Raises Unusable."""
        if isinstance(cell, dict):
            entry = cast("dict[str, Any]", cell)
            embedded, named = entry.get("bytes"), entry.get("path")
            cell = embedded if isinstance(embedded, bytes) and embedded else named if isinstance(named, str) and named else None
        match cell:
            case None:
                raise Unusable("no picture")
            case bytes():
                return checked(cell, self.changed)
            case tuple():
                path = self._by_end(cast("tuple[str, ...]", cell))
            case str():
                path = self._by_path(cell, file)
            case _:
                raise Unusable("the image is neither bytes nor a name", type(cell).__name__)
        return checked(photo_bytes(path, _MOST_BYTES), self.changed)

    def _by_path(self, name: str, file: str) -> Path:
        """Find the file by path beside the records, below the folder, or by file name anywhere below it."""
        if (relative_path := inner_path(name)) is None:
            raise Unusable("the image path leaves the folder", ascii(name[:80]))
        root = self._dataset.root
        places = ((root / file).parent / relative_path, root / relative_path)
        beside = [path for path in places if _is_file(path)]
        return self._only(beside[:1] or [path for path in self._named(relative_path.name) if _is_file(path)], name)

    def _by_end(self, ends: tuple[str, ...]) -> Path:
        """Find the only file whose path ends with one of the suffixes."""
        for end in ends:
            inside = PurePosixPath(end).parts
            if paths := [path for path in self._named(inside[-1]) if path.parts[-len(inside) :] == inside and _is_file(path)]:
                return self._only(paths, end)
        return self._only([], ends[0])

    def _only(self, paths: Sequence[Path], name: str) -> Path:
        if not paths:
            raise Unusable("the image is missing", ascii(name[:80]))
        if len(paths) > 1:
            raise Unusable("several images have the name", ascii(name[:80]))
        if not paths[0].resolve().is_relative_to(self._dataset.within):
            raise Unusable("the image path leaves the folder", ascii(name[:80]))
        return paths[0]

    def _named(self, name: str) -> Sequence[Path]:
        return self._by_name.get(name, ())

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        paths: dict[str, list[Path]] = defaultdict(list)
        for path in walk(self._dataset.root):
            paths[path.name].append(path)
        return dict(paths)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a file name that is too long for the file system
        return False
