"""Attribution of icons, font, meshes, skies and textures, for datasets and pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, Literal, get_args

from isovist.world.assets import asset


def sources() -> list[dict[str, Any]]:
    """The sources of the flat assets: source, creator, licence, URLs and asset files."""
    return asset("attribution.json")


def is_font(source: dict[str, Any]) -> bool:
    return source["assets"] == ["font.json"]


def line(source: dict[str, Any]) -> str:
    """The attribution line of a source."""
    return f"{source['source']}, by {source['creator']} ({source['licence']}, {source['url']}); reshaped to outlines"


def flat_lines(*, font: bool, icons: bool) -> list[str]:
    """The attribution lines of the font and of the icons."""
    return [line(source) for source in sources() if (font if is_font(source) else icons)]


LICENCES = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-BY-3.0": "https://creativecommons.org/licenses/by/3.0/",
    "CC-BY-3.0-US": "https://creativecommons.org/licenses/by/3.0/us/",
}
Kind = Literal["meshes", "furniture", "skies", "textures"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@lru_cache(maxsize=4)
def manifest(kind: Kind) -> dict[str, dict[str, Any]]:
    """The bundled manifest of meshes, pieces of furniture, skies or textures, by id."""
    return {row["id"]: row for row in asset(kind, "manifest.json")[kind]}


def stage_lines(kind: Kind, names: Collection[str]) -> list[str]:
    """The attribution lines of bundled meshes, skies or textures, one for each creator; unknown names are skipped."""
    rows = [row for name, row in manifest(kind).items() if name in names]
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        package, _, _ = row["source"].partition(":")
        groups.setdefault((row["creator"], row["licence"], package), []).append(row)
    return [_credit(kind, *owner, used) for owner, used in sorted(groups.items())]


def _credit(kind: str, creator: str, licence: str, package: str, rows: Iterable[dict[str, Any]]) -> str:
    names = ", ".join(f"{row['id']} ({row['changes']})" for row in rows)
    return f"{kind.capitalize()} by {creator} ({licence}, {LICENCES[licence]}), from {package}: {names}"


def sentence() -> str:
    """All attributions in one sentence."""
    icons = "; ".join(f"{s['source']} by {s['creator']} ({s['licence']})" for s in sources() if not is_font(s))
    fonts = "; ".join(f"{s['source']} ({s['licence']})" for s in sources() if is_font(s))
    pairs = sorted(
        {(row["licence"], row["creator"]) for kind in KINDS for row in manifest(kind).values()},
        key=lambda pair: (pair[0], pair[1].casefold()),
    )
    by_licence = {licence: [creator for creator_licence, creator in pairs if creator_licence == licence] for licence, _ in pairs}
    stages = "; ".join(f"{', '.join(creators)} ({licence})" for licence, creators in by_licence.items())
    return f"Icons: {icons}. Font: {fonts}. Both reshaped to outlines. Meshes, skies and textures, changed: {stages}."
