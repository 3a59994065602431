"""ATTRIBUTION.md: the icons and the font from `assets_table.py`, meshes, skies and textures from their manifests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import assets_table as table
from assets_table import FLUENT, GAME, ICONS, INTER, PHOSPHOR, ROOT, Icon, Source

ASSETS = ROOT / "src/isovist/world/assets"

Row = Mapping[str, Any]

LICENCES = {
    "CC0-1.0": ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0.txt"),
    "CC-BY-3.0": ("https://creativecommons.org/licenses/by/3.0/", "CC-BY-3.0.txt"),
    "CC-BY-3.0-US": ("https://creativecommons.org/licenses/by/3.0/us/", "CC-BY-3.0-US.txt"),
}
PACKAGES = {
    "sweethome3d-furniture": "https://packages.debian.org/bookworm/sweethome3d-furniture",
    "blender-data": "https://packages.debian.org/bookworm/blender-data",
}
KINDS = (("meshes", "Meshes"), ("furniture", "Furniture"), ("skies", "Skies"), ("textures", "Textures"))


def changes(icon: Icon) -> str:
    done = ["curves flattened", "centred and scaled"]
    if icon.mirrored:
        done.append("mirrored")
    if icon.turn:
        done.append(f"turned {abs(icon.turn):g}° {'clockwise' if icon.turn > 0 else 'anticlockwise'}")
    return ", ".join(done)


def origin(icon: Icon) -> str:
    """The page of the drawing where there is one, else of its set."""
    if icon.source is GAME:
        return f"{GAME.url}/1x1/{icon.creator.lower()}/{icon.original}.html"
    return icon.source.url


def attribution_md() -> str:
    lines = [
        "# Attribution",
        "",
        "Written by `tools/build_assets.py` and the other build scripts beside it; do not edit by hand. The licence texts are in `LICENSES/`.",
    ]
    for source in (PHOSPHOR, FLUENT, GAME):
        names = "icons by " + " and ".join(sorted({i.creator for i in ICONS if i.source is source}))
        lines += ["", *_heading(source, names), "", "| glyph | original | creator | path | changes |", "|-|-|-|-|-|"]
        for icon in sorted((i for i in ICONS if i.source is source), key=lambda i: i.name):
            title = icon.original.replace("-", " ").capitalize()
            path = source.path.format(icon.original)
            lines.append(f"| {icon.name} | [{title}]({origin(icon)}) | {icon.creator} | `{path}` | {changes(icon)} |")
    lines += ["", *_heading(INTER, f"a typeface by {INTER.creator}"), ""]
    lines += [f"`font.json` holds {len(table.CHARACTERS)} characters of `{INTER.path}`."]
    lines += ["Changes: curves flattened to polylines, overlaps removed, scaled to 1000 units an em."]
    for kind, title in KINDS:
        lines += _manifest(kind, title)
    return "\n".join(lines) + "\n"


def _heading(source: Source, what: str) -> list[str]:
    package = source.package
    return [
        f"## {source.title}",
        "",
        f"[{source.title}]({source.url}): {what}, from the npm package `{package.name}` {package.version}.",
        f"Licence: [{source.licence}]({source.licence_url}), text in `LICENSES/{source.licence_file}`.",
    ]


def _manifest(kind: str, title: str) -> list[str]:
    """A section for each package and licence of a manifest; nothing before it was built."""
    path = ASSETS / kind / "manifest.json"
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))[kind] if path.exists() else []
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((_package(row), row["licence"]), []).append(row)
    return [line for (package, licence), group in sorted(groups.items()) for line in _section(title, package, licence, group)]


def _package(row: Row) -> str:
    """The package an asset is from, "" for our own work."""
    name = row["source"].partition(":")[0]
    return name if name in PACKAGES else ""


def _section(title: str, package: str, licence: str, rows: Iterable[Row]) -> list[str]:
    url, text = LICENCES[licence]
    source = f"From the Debian package [`{package}`]({PACKAGES[package]})." if package else "Made in code for this project."
    lines = [
        "",
        f"## {title}: {package or 'own work'}, {licence}",
        "",
        source,
        f"Licence: [{licence}]({url}), text in `LICENSES/{text}`.",
        "",
    ]
    lines += ["| asset | title | creator | source | changes |", "|-|-|-|-|-|"]
    for row in rows:
        path = row["source"].partition(": ")[2] if package else row["source"]
        lines.append(f"| `{row['id']}` | {row.get('title', row['id'])} | {row['creator']} | `{path}` | {row['changes']} |")
    return lines


def write() -> None:
    (ROOT / "ATTRIBUTION.md").write_text(attribution_md(), encoding="utf-8", newline="\n")
