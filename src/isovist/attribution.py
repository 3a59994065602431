"""Who made the icons and the font that pictures show; generated data and pages name them."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def sources() -> tuple[dict[str, Any], ...]:
    """Source, creator, licence, URLs and the assets of each source of the asset pack."""
    return tuple(json.loads(files("isovist.assets").joinpath("attribution.json").read_bytes()))


def is_font(source: dict[str, Any]) -> bool:
    return source["assets"] == ["font.json"]


def line(source: dict[str, Any]) -> str:
    """A source as its licence asks it to be named."""
    return f"{source['source']}, by {source['creator']} ({source['licence']}, {source['url']}); reshaped to outlines"


def sentence() -> str:
    """All sources in one sentence."""
    icons = "; ".join(f"{s['source']} by {s['creator']} ({s['licence']})" for s in sources() if not is_font(s))
    fonts = "; ".join(f"{s['source']} ({s['licence']})" for s in sources() if is_font(s))
    return f"Icons: {icons}. Font: {fonts}. All reshaped to outlines."
