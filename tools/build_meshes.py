# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "fast-simplification==0.2.0", "mapbox-earcut==2.1.0", "networkx==3.6.1", "numpy==2.4.6", "pillow==13.0.0",
#   "scikit-image==0.26.0", "scipy==1.17.1", "trimesh==5.2.0",
# ]
# ///
"""Builds the pack of meshes from Debian's sweethome3d-furniture and from models built in code.

    uv run tools/build_meshes.py                 # fetch the package with `apt-get download` (a bookworm machine)
    uv run tools/build_meshes.py --deb FILE.deb  # or take it from here; its hash is checked in both cases
    uv run tools/build_meshes.py --only dog van  # build these again; of the others take only what the table tells of them
    uv run tools/build_meshes.py --share-alike FOLDER  # a pack of its own outside the package, of `meshes_share_alike.toml`

What goes in stands in `meshes.toml`. Written are the GLB files and their manifest in `src/isovist/world/assets/meshes/`, which is also the
catalogue of the scenes, and `ATTRIBUTION.md`. Needs `dpkg-deb`. Look at the contact sheets afterwards: `uv run tools/mesh_sheet.py FOLDER`.

The share-alike pack comes from Debian's section non-free, which `apt-get` has to know for it. It is never shipped: pictures that show
its meshes may have to be passed on under its licence, which is written beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import tempfile
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import attribution_texts
import built_models
import mesh_files
import numpy as np
import obj_files
import sculpted_models
from mesh_files import Part

ROOT = Path(__file__).resolve().parent.parent
MESHES = ROOT / "src/isovist/world/assets/meshes"
MANY = 4000  # triangles a model is brought to by making plain surfaces of fewer, if the table says nothing else
SMALL, SMALL_PIXELS = 40.0, 256  # centimetres of the longest side of a small model, and the pixels of its textures
OWN = {"licence": "CC0-1.0", "creator": "Isovist", "changes": "made in code"}

Row = Mapping[str, Any]


class Catalogue:
    """The furniture libraries of the Debian package, unpacked."""

    def __init__(self, package: Row, libraries: Mapping[str, Row], deb: Path | None, folder: Path) -> None:
        if deb is None:
            subprocess.run(["apt-get", "download", f"{package['name']}={package['version']}"], cwd=folder, check=True)
            (deb,) = folder.glob("*.deb")
        digest = hashlib.sha256(deb.read_bytes()).hexdigest()
        if digest != package["sha256"]:
            raise SystemExit(f"{deb.name} is {digest}, the table pins {package['sha256']}")
        subprocess.run(["dpkg-deb", "-x", str(deb), str(folder / "deb")], check=True)
        self.libraries = libraries
        self._folder = folder
        self._entries: dict[tuple[str, str], dict[str, str]] = {}
        for library in libraries:
            with zipfile.ZipFile(folder / f"deb/usr/share/sweethome3d/furniture/{library}.sh3f") as archive:
                archive.extractall(folder / library)  # a member cannot leave the folder: zipfile sees to it
            self._read(library)

    def _read(self, library: str) -> None:
        by_number: dict[int, dict[str, str]] = defaultdict(dict)
        text = (self._folder / library / "PluginFurnitureCatalog.properties").read_text("latin-1")
        for key, number, value in re.findall(r"^(\w+)#(\d+)=(.*?)\s*$", text, re.MULTILINE):
            by_number[int(number)][key] = value
        for entry in by_number.values():
            if "model" in entry:
                self._entries.setdefault((library, entry["model"].split("/")[2]), entry)

    def entry(self, library: str, model: str) -> dict[str, str]:
        try:
            return self._entries[library, model]
        except KeyError:
            raise SystemExit(f"meshes.toml: {library} has no model {model}") from None

    def path(self, library: str, entry: Mapping[str, str]) -> Path:
        return self._folder / library / entry["model"].lstrip("/")


def pixels(entry: Mapping[str, str]) -> int:
    """The longer side of a model's textures: what is small never fills a picture."""
    return SMALL_PIXELS if max(float(entry[side]) for side in ("width", "height", "depth")) < SMALL else mesh_files.TEXTURE_LIMIT


def from_catalogue(catalogue: Catalogue, row: Row) -> tuple[list[Part], dict[str, str]]:
    """The posed, sized parts of a catalogue's model, and whose it is."""
    library = row["library"]
    entry = catalogue.entry(library, row["model"])
    with tempfile.TemporaryDirectory() as folder:
        obj = obj_files.prepared(catalogue.path(library, entry), Path(folder) / "model", row.get("blank", {}))
        parts, changes = mesh_files.read_obj(obj, row.get("glass") == "out", row.get("pixels", pixels(entry)))
    if row.get("sheets"):
        parts = mesh_files.one_sided(parts)
    if "modelRotation" in entry:
        matrix = np.array([float(v) for v in entry["modelRotation"].split()]).reshape(3, 3)
        parts = mesh_files.turned(parts, matrix)
    size = [float(entry[side]) / 100 for side in ("width", "height", "depth")]
    parts = mesh_files.fitted(parts, size)
    if yaw := row.get("yaw", 0):
        parts = mesh_files.turned(parts, mesh_files.yaw(yaw))
        parts = mesh_files.fitted(parts, size if yaw % 180 == 0 else size[::-1])
        changes.append(f"turned by {yaw} degrees")
    if "blank" in row:
        changes.append("brand marks painted over")
    if "paint" in row or "dye" in row:
        parts = repainted(parts, row)
        changes.append("colours changed")
    name = catalogue.libraries[library]
    whose = {
        "licence": name["licence"],
        "creator": entry.get("creator", library),
        "source": f"sweethome3d-furniture: {library}.sh3f{entry['model']}",
        "title": entry["name"],
        "changes": ", ".join(["scaled, moved to the ground, textures reduced, written as GLB", *changes]),
    }
    return parts, whose


def repainted(parts: list[Part], row: Row) -> list[Part]:
    """The parts in the row's other colours, if it has any."""
    same = (0, 1, 1)
    return mesh_files.repainted(parts, row.get("paint", same), row.get("dye", same))


def from_code(row: Row) -> tuple[list[Part], dict[str, str]]:
    """A model built in code, at the size its own numbers give."""
    module = built_models if hasattr(built_models, row["model"]) else sculpted_models
    make: Callable[[], list[Part]] = getattr(module, row["model"])
    parts = repainted(make(), row)
    low, high = mesh_files.box(parts)
    source = f"tools/{module.__name__}.py: {row['model']}"
    return mesh_files.fitted(parts, high - low), {**OWN, "source": source, "title": row["category"]}


def lightened(parts: list[Part], whose: dict[str, str], target: int) -> tuple[list[Part], dict[str, str]]:
    """The parts with about `target` triangles where they have more, stretched to the size they had."""
    low, high = mesh_files.box(parts)
    fewer = mesh_files.lightened(parts, target)
    if mesh_files.triangles(fewer) == mesh_files.triangles(parts):
        return parts, whose
    return mesh_files.fitted(mesh_files.tidied(fewer), high - low), {
        **whose,
        "changes": whose["changes"] + ", plain surfaces made of fewer triangles",
    }


def told(row: Row) -> dict[str, Any]:
    """What the table alone says of a model, whatever its triangles are."""
    return {name: row[name] for name in ("category", "broad", "front", "symmetry")} | {"upright": row.get("upright", True)}


def entry(name: str, row: Row, parts: list[Part], whose: Mapping[str, str], made: bytes) -> dict[str, Any]:
    low, high = mesh_files.box(parts)
    return {
        "id": name,
        "category": row["category"],
        "broad": row["broad"],
        "size_cm": [round(100 * float(v), 2) for v in high - low],
        **told(row),
        **{key: whose[key] for key in ("licence", "creator", "title", "source", "changes")},
        "triangles": mesh_files.triangles(parts),
        "sha256": hashlib.sha256(made).hexdigest(),
    }


def built(name: str, row: Row, catalogue: Catalogue | None, folder: Path) -> dict[str, Any]:
    """Writes the GLB file of a row; its entry in the manifest."""
    parts, whose = from_code(row) if catalogue is None or row["library"] == "own" else from_catalogue(catalogue, row)
    parts = mesh_files.tidied(parts)
    if row["library"] != "own":
        parts, whose = lightened(parts, whose, row.get("triangles", MANY))
    made = mesh_files.glb(parts)
    (folder / f"{name}.glb").write_bytes(made)
    return entry(name, row, parts, whose, made)


def write_manifest(path: Path, entries: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in entries)
    path.write_text(f'{{"format": 1, "meshes": [\n{lines}\n]}}\n', encoding="utf-8", newline="\n")


def share_alike(out: Path, deb: Path | None) -> None:
    """Writes the pack of `meshes_share_alike.toml` to a new or empty folder outside the package, its licence and creators with it."""
    if out.resolve().is_relative_to(ROOT / "src") or (out.exists() and any(out.iterdir())):
        raise SystemExit(f"{out}: give a new or empty folder outside src/")
    table = tomllib.loads((ROOT / "tools/meshes_share_alike.toml").read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        catalogue = Catalogue(table["package"], table["libraries"], deb, Path(folder))
        entries = [built(name, row, catalogue, out) for name, row in sorted(table["meshes"].items())]
        for library in sorted({row["library"] for row in table["meshes"].values()}):
            text = (Path(folder) / library / "LICENSE.TXT").read_bytes()
            (out / f"LICENSE-{library}.txt").write_bytes(text)
    write_manifest(out / "manifest.json", entries)
    lines = [
        f"- `{row['id']}`: {row['title']} by {row['creator']}, {row['source']} ({row['licence']}); {row['changes']}" for row in entries
    ]
    head = "# Attribution\n\nMeshes under the Free Art License 1.3 (https://artlibre.org/licence/lal/en/), changed as told. What shows them may have to be\npassed on under the same licence.\n\n"
    (out / "ATTRIBUTION.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    weight = sum(path.stat().st_size for path in out.glob("*.glb"))
    print(f"{len(entries)} meshes, {weight / 1e6:.1f} MB in {out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deb", type=Path, help="the Debian package, already fetched")
    parser.add_argument("--share-alike", type=Path, metavar="FOLDER", help="write the share-alike pack there, and nothing else")
    parser.add_argument(
        "--only", nargs="*", metavar="ID", help="build only these; none: only bring what the table tells into the manifest and the texts"
    )
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.share_alike is not None:
        share_alike(arguments.share_alike, arguments.deb)
        return
    table = tomllib.loads((ROOT / "tools/meshes.toml").read_text(encoding="utf-8"))
    rows: dict[str, Row] = table["meshes"]
    MESHES.mkdir(parents=True, exist_ok=True)
    manifest = MESHES / "manifest.json"
    kept = {m["id"]: m for m in json.loads(manifest.read_text(encoding="utf-8"))["meshes"]} if manifest.exists() else {}
    wanted = list(rows) if arguments.only is None else arguments.only
    entries: dict[str, Any] = {name: row | told(rows[name]) for name, row in kept.items() if name in rows and name not in wanted}
    with tempfile.TemporaryDirectory() as folder:
        catalogue = None
        if any(rows[name]["library"] != "own" for name in wanted):
            catalogue = Catalogue(table["package"], table["libraries"], arguments.deb, Path(folder))
        with ProcessPoolExecutor(arguments.processes) as pool:
            made = pool.map(built, wanted, [rows[name] for name in wanted], repeat(catalogue), repeat(MESHES))
            entries |= dict(zip(wanted, made, strict=True))
    for stale in {path.stem for path in MESHES.glob("*.glb")} - set(entries):
        (MESHES / f"{stale}.glb").unlink()
    ordered = [entries[name] for name in sorted(entries)]
    write_manifest(manifest, ordered)
    attribution_texts.write()
    weight = sum(path.stat().st_size for path in MESHES.glob("*.glb"))
    print(f"{len(ordered)} meshes of {len({m['category'] for m in ordered})} categories, {weight / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
