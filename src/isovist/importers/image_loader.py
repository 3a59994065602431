"""The pictures of published records: embedded, or files that a record names. Neither is trusted."""

from __future__ import annotations

import io
import warnings
from collections import defaultdict
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, cast

import numpy as np
from PIL import Image, UnidentifiedImageError

from isovist.dataset.pictures import FORMATS, MOST_PIXELS
from isovist.importers.benchmark_format import ImageReference, Unusable
from isovist.importers.record_reader import Found, walk
from isovist.render.image_encoding import media_type, png

_MOST_BYTES = 32 << 20


class Pictures:
    """The pictures of one set."""

    def __init__(self, location: Found) -> None:
        self._found = location

    def get(self, cell: object, file: str) -> bytes:
        """The picture that a record of `file` holds or names, as PNG or JPEG. Raises Unusable."""
        if cell is None:
            raise Unusable("no picture")
        if isinstance(cell, bytes):
            return checked(cell)
        if isinstance(cell, ImageReference):
            return self._read(self._ending(cell))
        if isinstance(cell, dict):
            entry = cast("dict[str, Any]", cell)
            held, named = entry.get("bytes"), entry.get("path")
            if isinstance(held, bytes) and held:
                return checked(held)
            if not isinstance(named, str) or not named:
                raise Unusable("no picture")
            cell = named
        if not isinstance(cell, str):
            raise Unusable("the picture is neither bytes nor a name", type(cell).__name__)
        return self._read(self._path(cell, file))

    def _read(self, path: Path) -> bytes:
        if path.stat().st_size > _MOST_BYTES:
            raise Unusable("the picture is too large", f"{path.stat().st_size} bytes")
        return checked(path.read_bytes())

    def _path(self, name: str, file: str) -> Path:
        """The file of that name beside the records, below the folder, or anywhere in it under the same last name."""
        relative_path = PurePosixPath(name.replace("\\", "/"))
        if relative_path.is_absolute() or ".." in relative_path.parts or ":" in name or "\0" in name or not relative_path.name:
            raise Unusable("the picture's name leaves the folder", ascii(name[:80]))
        root = self._found.root
        beside = [(root / file).parent / relative_path, root / relative_path]
        path = next((path for path in beside if _is_file(path)), None)
        if path is None:
            others = [path for path in self._by_name.get(relative_path.name, ()) if _is_file(path)]
            if len(others) > 1:
                raise Unusable("several pictures have the name", ascii(relative_path.name[:80]))
            if not others:
                raise Unusable("the picture is missing", ascii(name[:80]))
            path = others[0]
        if not path.resolve().is_relative_to(self._found.within):
            raise Unusable("the picture's name leaves the folder", ascii(name[:80]))
        return path

    def _ending(self, named: ImageReference) -> Path:
        """The one file whose path ends like that."""
        for end in named.ends:
            inside = PurePosixPath(end).parts
            matches = [path for path in self._by_name.get(inside[-1], ()) if path.parts[-len(inside) :] == inside and _is_file(path)]
            if len(matches) > 1:
                raise Unusable("several pictures have the name", ascii(end[:80]))
            if matches and not matches[0].resolve().is_relative_to(self._found.within):
                raise Unusable("the picture's name leaves the folder", ascii(end[:80]))
            if matches:
                return matches[0]
        raise Unusable("the picture is missing", ascii(named.ends[0][:80]))

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        paths: dict[str, list[Path]] = defaultdict(list)
        for path in walk(self._found.root):
            paths[path.name].append(path)
        return dict(paths)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long for the disk
        return False


def checked(data: bytes) -> bytes:
    """`data` if it is a whole PNG or JPEG, and any other picture as PNG. Raises Unusable."""
    if len(data) > _MOST_BYTES:
        raise Unusable("the picture is too large", f"{len(data)} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow warns of is checked here, or does not matter
            with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise Unusable("the picture is too large", f"{opened.width} x {opened.height} pixels")
                if media_type(data) is not None:
                    opened.load()
                    return data
                return png(np.asarray(opened.convert("RGB")))
    except Image.DecompressionBombError:
        raise Unusable("the picture is too large") from None
    except Unusable:
        raise
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, MemoryError, IndexError) as error:
        raise Unusable("the picture does not decode", str(error).partition("\n")[0][:80]) from None
