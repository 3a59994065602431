# /// script
# requires-python = ">=3.11"
# dependencies = ["picosvg==0.23.0", "skia-pathops==0.9.2", "fonttools==4.68.0", "shapely==2.2.0"]
# ///
"""Builds the pack of 2-D glyphs and the font outlines from pinned npm packages; running it twice gives the same bytes.

    uv run tools/build_assets.py            # write the files
    uv run tools/build_assets.py --check    # write nothing; exit 1 if a file on disk is not what would be written

What goes in stands in `assets_table.py`; which glyph shows what, checked by eye, in `src/isovist/world/assets/icons.json`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import assets_table as table
from assets_table import FLUENT, GAME, ICONS, INTER, PHOSPHOR, ROOT, Icon, Package
from attribution_texts import attribution_md
from outlines import UNIT, font_outlines, svg_layers

ASSETS = "src/isovist/world/assets/"
FORMAT = 1


def fetch(package: Package, folder: Path) -> Path:
    """The folder with the package unpacked, its tarball checked against the pinned hash."""
    folder.mkdir()
    wanted = f"{package.name}@{package.version}"
    npm = ["npm", "pack", wanted, "--silent", "--pack-destination", str(folder)]
    subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
    (tarball,) = folder.glob("*.tgz")
    digest = "sha512-" + base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    if digest != package.integrity:
        raise SystemExit(f"{wanted}: the tarball is {digest}, the table pins {package.integrity}")
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    return folder


class Packages:
    """The unpacked npm packages."""

    def __init__(self, folder: Path) -> None:
        packages = [PHOSPHOR.package, FLUENT.package, GAME.package, INTER.package, table.LICENCE_TEXTS]
        self._folders = {p.name: fetch(p, folder / str(i)) for i, p in enumerate(packages)}
        self._icons = {s.title: json.loads(self.text(s.package, "package/icons.json")) for s in (FLUENT, GAME)}

    def path(self, package: Package, path: str) -> Path:
        return self._folders[package.name] / path

    def text(self, package: Package, path: str) -> str:
        return self.path(package, path).read_text(encoding="utf-8")

    def svg(self, icon: Icon) -> str:
        if icon.source is PHOSPHOR:
            return self.text(icon.source.package, icon.source.path.format(icon.original))
        pack = self._icons[icon.source.title]
        drawing = pack["icons"][icon.original]
        width, height = (drawing.get(side, pack[side]) for side in ("width", "height"))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        return f"{head}{drawing['body']}</svg>"


def dump(head: Mapping[str, Any], rows: Mapping[str, Any]) -> str:
    """JSON with one glyph a line, so that a change shows as the lines of the glyphs it touches."""

    def compact(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    lines = ",\n".join(f"{compact(name)}:{compact(row)}" for name, row in rows.items())
    return f'{compact(head)[:-1]},"glyphs":{{\n{lines}\n}}}}\n'


def glyph(packages: Packages, icon: Icon) -> dict[str, list[dict[str, Any]]]:
    layers = svg_layers(packages.svg(icon), icon.turn, icon.mirrored)
    if any((layer.fill is None) != (icon.source is not FLUENT) for layer in layers):
        raise SystemExit(f"{icon.name}: a fill of its own in a set without colours, or none in a set with colours")
    contours = [contour for layer in layers for contour in layer.contours]
    if any(math.hypot(x, y) > UNIT / 2 for c in contours for x, y in zip(c[::2], c[1::2], strict=True)):
        raise SystemExit(f"{icon.name}: leaves the disc of diameter {UNIT}")
    return {"layers": [{"fill": layer.fill, "contours": layer.contours} for layer in layers]}


def attribution_json() -> str:
    """What generated data sets carry: a list of sources and creators with the assets that come from them."""
    groups: dict[tuple[str, str], list[Icon]] = {}
    for icon in ICONS:
        groups.setdefault((icon.source.title, icon.creator), []).append(icon)
    credited = [(icons[0].source, creator, sorted(i.name for i in icons)) for (_, creator), icons in groups.items()]
    credited.append((INTER, INTER.creator, ["font.json"]))
    rows = [
        {
            "source": source.title,
            "creator": creator,
            "licence": source.licence,
            "licence_url": source.licence_url,
            "url": source.url,
            "assets": names,
        }
        for source, creator, names in credited
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def licence_texts(packages: Packages) -> dict[str, str]:
    def spdx(name: str) -> str:
        return json.loads(packages.text(table.LICENCE_TEXTS, f"package/licenses/{name}.json"))["licenseText"]

    # Microsoft's LICENSE is the MIT text under this one copyright line, without a year.
    mit = spdx("MIT").replace("Copyright (c) <year> <copyright holders>", "Copyright (c) Microsoft Corporation.")
    if "Microsoft" not in mit:
        raise SystemExit("the MIT template no longer has the copyright line this script fills in")
    return {
        PHOSPHOR.licence_file: packages.text(PHOSPHOR.package, "package/LICENSE"),
        FLUENT.licence_file: mit,
        GAME.licence_file: spdx("CC-BY-3.0"),
        "CC-BY-3.0-US.txt": spdx("CC-BY-3.0-US"),  # of meshes
        "CC0-1.0.txt": spdx("CC0-1.0"),  # of meshes, skies and textures
        INTER.licence_file: packages.text(INTER.package, "package/LICENSE"),
    }


def check_vocabulary() -> None:
    """The vocabulary names exactly the glyphs of the table, each once, directed and upright ones apart."""
    kit = table.vocabulary()
    for kind, entries, icons in (
        ("DIRECTED", kit.DIRECTED, table.DIRECTED),
        ("UPRIGHT", kit.UPRIGHT, table.UPRIGHT),
    ):
        named, drawn = [name for entry in entries for name in entry.glyphs], [icon.name for icon in icons]
        if sorted(named) != sorted(drawn):
            odd = sorted(set(named) ^ set(drawn)) or "a name twice"
            raise SystemExit(f"assets/icons.json {kind} and tools/assets_table.py disagree on {odd}")


def build(folder: Path) -> dict[str, str]:
    """Every file of the pack, by its path in the repository."""
    packages = Packages(folder)
    glyphs = {icon.name: glyph(packages, icon) for icon in sorted(ICONS, key=lambda icon: icon.name)}
    font = font_outlines(packages.path(INTER.package, INTER.path), table.CHARACTERS)
    head: dict[str, Any] = {"format": FORMAT, "unit": UNIT}
    metrics = {key: value for key, value in font.items() if key != "glyphs"}
    texts = {f"LICENSES/{name}": text.rstrip() + "\n" for name, text in licence_texts(packages).items()}
    return {
        ASSETS + "glyphs.json": dump(head, glyphs),
        ASSETS + "font.json": dump(head | metrics, font["glyphs"]),
        ASSETS + "attribution.json": attribution_json(),
        "ATTRIBUTION.md": attribution_md(),
        **texts,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the files on disk instead of writing them")
    arguments = parser.parse_args()
    check_vocabulary()
    with tempfile.TemporaryDirectory() as folder:
        files = build(Path(folder))
    stale = [p for p, text in files.items() if not (ROOT / p).exists() or (ROOT / p).read_text("utf-8") != text]
    if arguments.check and stale:
        raise SystemExit("not what this script would write: " + ", ".join(stale))
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path], encoding="utf-8", newline="\n")
    print(f"{len(ICONS)} glyphs, {len(stale)} of {len(files)} files written")


if __name__ == "__main__":
    main()
