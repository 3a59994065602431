"""The data files of scenes and their pictures: constant, read once, and a part of the package as its modules are."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def asset(*path: str) -> Any:
    """The content of a JSON file, by its path below this folder. Do not change it: all readers share it."""
    return json.loads(files(__name__).joinpath(*path).read_bytes())
