"""The bundled meshes, skies and textures: there, unchanged, allowed, of the told size, and credited; folders of a user's own."""

from __future__ import annotations

import io
import json
import math
import struct
from collections import Counter
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import binary_dilation

from isovist.common.errors import UserError
from isovist.core.scene3d import Box, Camera, Ground, Group, MeshRef, Part, Scene3D, SceneObject, Sky, Texture
from isovist.data.dataset.asset_attribution import assets, credits_for
from isovist.world import attribution
from isovist.world.render import mesh_packs, meshes
from isovist.world.scenes.mesh_catalog import MESHES, Broad, Mesh, by_category, mesh

ROOT = Path(__file__).parent.parent
ASSETS = Path(str(files("isovist.world"))) / "assets"
ENTRIES: dict[str, dict[str, Any]] = attribution.manifest("meshes")
ALLOWED = {"CC0-1.0", "CC-BY-3.0", "CC-BY-3.0-US"}

every_mesh = pytest.mark.parametrize("id", ENTRIES)


class Glb:
    """A GLB file read by hand, by another road than the one that wrote it."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.tree: dict[str, Any] = json.loads(data[20 : 20 + size])
        self.chunk = data[28 + size :]
        self.primitives: list[dict[str, Any]] = [p for m in self.tree["meshes"] for p in m["primitives"]]

        self.scale: float = self.tree["nodes"][0].get("scale", [1.0])[0]

    def bytes_of(self, view: int) -> bytes:
        buffer_view = self.tree["bufferViews"][view]
        return self.chunk[buffer_view["byteOffset"] : buffer_view["byteOffset"] + buffer_view["byteLength"]]

    def values(self, accessor: int) -> NDArray[Any]:
        accessor_json = self.tree["accessors"][accessor]
        kind = {5120: "i1", 5122: "<i2", 5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor_json["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor_json["type"]]
        rows = np.frombuffer(self.bytes_of(accessor_json["bufferView"]), kind).reshape(accessor_json["count"], -1)
        return rows[:, :width] / 127 if accessor_json.get("normalized") else rows[:, :width]

    def attribute(self, name: str) -> list[NDArray[Any]]:
        """Of each primitive; positions in metres."""
        step = self.scale if name == "POSITION" else 1
        return [self.values(p["attributes"][name]) * step for p in self.primitives]

    def triangles(self) -> int:
        return sum(len(self.values(p["indices"])) // 3 for p in self.primitives)


def stored(id: str) -> Glb:
    return Glb((ASSETS / f"meshes/{id}.glb").read_bytes())


# ---- the files and the manifest tell the same ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", attribution.KINDS)
def test_every_file_is_in_the_manifest_and_is_the_one_that_was_built(kind: attribution.Kind) -> None:
    manifest = attribution.manifest(kind)
    assert {path.stem for path in (ASSETS / kind).iterdir()} - {"manifest"} == set(manifest)
    for path in (ASSETS / kind).iterdir():
        if path.stem != "manifest":
            assert sha256(path.read_bytes()).hexdigest() == manifest[path.stem]["sha256"], path.name


def test_all_assets_together_stay_small() -> None:
    assert sum(path.stat().st_size for kind in attribution.KINDS for path in (ASSETS / kind).iterdir()) <= 62_000_000
    assert all(path.stat().st_size <= 200_000 for path in (ASSETS / "skies").glob("*.jpg"))


@every_mesh
def test_a_mesh_has_the_stated_size_and_is_centred_on_its_footprint(id: str) -> None:
    glb = stored(id)
    corners = [at[np.unique(glb.values(p["indices"]))] for at, p in zip(glb.attribute("POSITION"), glb.primitives, strict=True)]
    low, high = np.concatenate(corners).min(axis=0), np.concatenate(corners).max(axis=0)
    size = np.array(ENTRIES[id]["size_cm"]) / 100
    assert high - low == pytest.approx(size, rel=0.01)
    assert (low + high)[[0, 2]] / 2 == pytest.approx([0, 0], abs=0.01 * size.max())
    assert low[1] == pytest.approx(0, abs=0.01 * size.max())
    assert glb.triangles() == ENTRIES[id]["triangles"] <= 35_000
    assert mesh(id).size == pytest.approx(tuple(size), abs=1e-4)


@every_mesh
def test_a_mesh_can_be_drawn_by_any_reader(id: str) -> None:
    glb = stored(id)
    for at, normals, primitive in zip(glb.attribute("POSITION"), glb.attribute("NORMAL"), glb.primitives, strict=True):
        assert np.isfinite(at).all()
        assert np.linalg.norm(normals, axis=1) == pytest.approx(1, abs=0.01)
        assert glb.values(primitive["indices"]).max() < len(at)
        look = glb.tree["materials"][primitive["material"]]["pbrMetallicRoughness"]
        assert ("baseColorTexture" in look) == ("TEXCOORD_0" in primitive["attributes"])
    for picture in glb.tree.get("images", []):
        with Image.open(io.BytesIO(glb.bytes_of(picture["bufferView"]))) as image:
            assert max(image.size) <= 512
            assert image.mode == "RGB"


def test_skies_are_panoramas_and_tell_where_their_light_stands() -> None:
    for id, entry in attribution.manifest("skies").items():
        with Image.open(ASSETS / f"skies/{id}.jpg") as image:
            assert image.size == (1024, 512)
            pixels = np.asarray(image.convert("L"), float)
        light = entry["light"]
        x, y, z = light["towards"]
        assert math.hypot(x, y, z) == pytest.approx(1, abs=1e-3)
        assert light["yaw"] == pytest.approx(math.degrees(math.atan2(x, z)), abs=0.1)
        assert light["elevation"] == pytest.approx(math.degrees(math.asin(y)), abs=0.1)
        # the middle column looks along -Z, those to its right towards +X
        column, line = (math.atan2(x, -z) / math.tau + 0.5) * 1024, (0.5 - math.asin(y) / math.pi) * 512
        near = pixels[max(round(line) - 40, 0) : round(line) + 40, max(round(column) - 40, 0) : round(column) + 40]
        assert near.max() > 0.97 * pixels.max(), id
        window = pixels[max(round(line) - 15, 0) : round(line) + 15, max(round(column) - 15, 0) : round(column) + 15]
        white = np.median(np.lib.stride_tricks.sliding_window_view(window, (7, 7)), axis=(2, 3)) > 225
        assert window[3:-3, 3:-3][white].min(initial=255) > 60, f"{id}: black pixels in the light"


@pytest.mark.parametrize("id", attribution.manifest("textures"))
def test_a_texture_repeats_without_a_seam(id: str) -> None:
    with Image.open(ASSETS / f"textures/{id}.jpg") as image:
        pixels = np.asarray(image.convert("RGB"), float)
    assert pixels.shape == (512, 512, 3)
    for axis in (0, 1):
        steps = np.abs(pixels - np.roll(pixels, 1, axis=axis)).mean(axis=(1 - axis, 2))  # the first is across the seam
        assert steps[0] <= 1.5 * steps[1:].max() + 1


# ---- what they may be used for ---------------------------------------------------------------------------------------


def test_there_are_many_categories_in_every_broad_class() -> None:
    assert len(MESHES) >= 400
    assert len(by_category()) >= 150
    assert {mesh.broad for mesh in MESHES} == set(get_args(Broad))
    assert all(len({one.broad for one in meshes}) == 1 for meshes in by_category().values())
    assert {mesh.front for mesh in MESHES} == {"clear", "symmetric", "none"}


def test_the_vocabulary_agrees_with_the_manifest() -> None:
    assert [mesh.id for mesh in MESHES] == list(ENTRIES)
    assert [mesh_packs.mesh(mesh.id) for mesh in MESHES] == list(MESHES)


@pytest.mark.parametrize("one", MESHES, ids=lambda one: one.id)
def test_a_front_and_a_symmetry_do_not_contradict_each_other(one: Mesh) -> None:
    assert one.symmetry in {0, 1, 90, 180}
    if one.front == "clear":
        assert one.symmetry == 0
    if one.front == "symmetric":
        assert one.symmetry in {90, 180}
    if one.symmetry in {1, 90}:
        width, _, depth = one.size
        assert width == pytest.approx(depth, rel=0.12)


def filled(id: str, turn: float) -> NDArray[np.bool_]:
    """Which cells of a grid hold some of the skin of the mesh turned about +Y."""
    glb = stored(id)
    points = [at[glb.values(p["indices"]).reshape(-1, 3)] for at, p in zip(glb.attribute("POSITION"), glb.primitives, strict=True)]
    corners = np.concatenate(points)
    weights = np.array([(a, b, 12 - a - b) for a in range(13) for b in range(13 - a)]) / 12
    at = np.einsum("wk,fkd->fwd", weights, corners).reshape(-1, 3)
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    x, y, z = at.T
    reach = max(np.hypot(x, z).max(), y.max() / 2) * 1.01
    cells = ((np.stack([x * cos + z * sin, y - y.max() / 2, z * cos - x * sin]) / reach + 1) * 10).astype(int)
    grid = np.zeros((20, 20, 20), bool)
    grid[tuple(cells)] = True
    return grid


def unlike(id: str, turn: float) -> float:
    """The share of the mesh's cells that have no cell of the turned mesh in them or beside them."""
    ours, turned = filled(id, 0.0), filled(id, turn)
    return float((ours & ~binary_dilation(turned, np.ones((3, 3, 3), np.bool_))).sum() / ours.sum())


@pytest.mark.parametrize("one", [one for one in MESHES if one.symmetry in {90, 180}], ids=lambda one: one.id)
def test_meshes_with_a_stated_symmetry_have_the_same_shape_after_the_rotation(one: Mesh) -> None:
    assert unlike(one.id, one.symmetry) < 0.05


@pytest.mark.parametrize("id", ["chair-red", "dog", "horse-bay", "mug", "sofa-beige", "truck-box", "van"])
def test_what_is_not_has_another(id: str) -> None:
    assert unlike(id, 180) > 0.05


def test_turns_that_cannot_be_seen() -> None:
    table, vase, chair = (Mesh("x", "x", "Furniture", (1, 1, 1), "none", symmetry, True) for symmetry in (180, 1, 0))
    assert table.looks_the_same(180)
    assert table.looks_the_same(-180)
    assert not table.looks_the_same(90)
    assert table.looks_the_same(172, margin=10)
    assert vase.looks_the_same(33.3)
    assert chair.looks_the_same(360)
    assert not chair.looks_the_same(180)


# ---- whose they are --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", attribution.KINDS)
def test_every_asset_may_be_passed_on_and_is_credited(kind: attribution.Kind) -> None:
    text = (ROOT / "ATTRIBUTION.md").read_text(encoding="utf-8")
    rows = Counter(line.split(" | ")[0].strip("| `") for line in text.splitlines() if line.startswith("| `"))
    for id, entry in attribution.manifest(kind).items():
        assert entry["licence"] in ALLOWED
        assert all(entry[name].strip() for name in ("creator", "source", "changes"))
        assert rows[id] == 1
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{id}` |")]
        assert f"| {entry['creator']} |" in row
        assert entry["changes"] in row
        assert entry["creator"] in attribution.sentence()


def test_the_meshes_of_a_data_set_are_credited_and_no_others() -> None:
    ours = [one["id"] for one in ENTRIES.values() if one["creator"] == "Isovist"][:1]
    theirs = [one["id"] for one in ENTRIES.values() if one["licence"] == "CC-BY-3.0"][:2]
    lines = attribution.stage_lines("meshes", [*ours, *theirs, "mine:thing"])
    for id in (*ours, *theirs):
        (line,) = [line for line in lines if f"{id} (" in line]
        assert f"by {ENTRIES[id]['creator']} ({ENTRIES[id]['licence']}, https://" in line
    assert sum(line.count(f"{id} (") for line in lines for id in ENTRIES) == 3
    assert attribution.stage_lines("meshes", []) == []


def test_what_a_stage_shows_is_found_in_all_its_parts() -> None:
    group = Group((Part(MeshRef("van")), Part(Box((1, 1, 1)), texture=Texture("bricks"))))
    solids = (SceneObject(MeshRef("dog")), SceneObject(group), SceneObject(Box((1, 1, 1)), texture=Texture("checker")))
    stage = Scene3D(solids, Camera((0, 1, 5)), ground=Ground(texture=Texture("grass")), sky=Sky(image="city"))
    named = {("meshes", "dog"), ("meshes", "van"), ("skies", "city"), ("textures", "grass"), ("textures", "bricks")}
    assert set(assets(stage)) == {*named, ("textures", "checker")}
    credit_text = "\n".join(credits_for(set(assets(stage))))
    assert all(f"{name} (" in credit_text for _, name in named)
    assert "checker (" not in credit_text  # no asset of the pack
    assert "Scopia (CC-BY-3.0, " in credit_text


# ---- a user's own folder ---------------------------------------------------------------------------------------------


def triangle() -> bytes:
    """The smallest GLB there is: one triangle."""
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    accessor = {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [accessor],
        "bufferViews": [{"buffer": 0, "byteLength": len(corners)}],
        "buffers": [{"byteLength": len(corners)}],
    }
    json_bytes = json.dumps(tree).encode()
    json_bytes += b" " * (-len(json_bytes) % 4)
    body = struct.pack("<I4s", len(json_bytes), b"JSON") + json_bytes + struct.pack("<I4s", len(corners), b"BIN\0") + corners
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


THING: dict[str, Any] = {
    "id": "thing",
    "category": "thing",
    "broad": "Furniture",
    "size_cm": [100, 100, 10],
    "front": "clear",
    "symmetry": 0,
    "licence": "my own",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "thing.glb").write_bytes(triangle())
    return tmp_path


def tell(folder: Path, *entries: Any, **more: Any) -> None:
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "meshes": entries} | more), encoding="utf-8")


def test_a_folder_of_ones_own_has_its_meshes_by_name(folder: Path) -> None:
    tell(folder, THING)
    mesh_packs.use_folder("mine", folder)
    assert mesh_packs.locate("mine:thing") == meshes.locate("mine:thing") == folder / "thing.glb"
    assert mesh_packs.mesh("mine:thing") == Mesh("mine:thing", "thing", "Furniture", (1.0, 1.0, 0.1), "clear", 0, True)
    assert mesh_packs.entry("mine:thing").licence == "my own"
    assert mesh_packs.locate("dog") == meshes.locate("dog") == ASSETS / "meshes/dog.glb"
    for name in ("thing", "mine:other", "yours:thing", "mine:../thing", "", "manifest"):
        with pytest.raises(UserError):
            mesh_packs.locate(name)


@pytest.mark.parametrize(
    ("entries", "more", "message"),
    [
        ([THING | {"id": "../thing"}], {}, "letters"),
        ([THING | {"id": "absent"}], {}, "Unknown mesh 'absent'"),
        ([THING, THING], {}, "duplicate id"),
        ([THING | {"front": "left"}], {}, "meshes.0.front"),
        ([THING | {"size_cm": [1, 2]}], {}, "meshes.0.size_cm"),
        ([THING | {"size_cm": [1, 0, 2]}], {}, "above 0"),
        ([THING | {"size_cm": [1, math.nan, 2]}], {}, "above 0"),
        ([THING | {"symmetry": 400}], {}, "180"),
        ([{"id": "thing"}], {}, "category"),
        ([THING], {"format": 2}, "format 2"),
        (["thing"], {}, "meshes.0"),
    ],
)
def test_an_invalid_manifest_gives_a_one_line_error(folder: Path, entries: list[Any], more: dict[str, Any], message: str) -> None:
    tell(folder, *entries, **more)
    with pytest.raises(UserError, match=r"^[^\n]+$") as error:
        mesh_packs.use_folder("mine", folder)
    assert message in str(error.value)


def test_a_folder_without_a_valid_manifest_gives_a_one_line_error(folder: Path) -> None:
    with pytest.raises(UserError, match=r"^[^\n]*manifest\.json: No such file[^\n]*$"):
        mesh_packs.read(folder)
    (folder / "manifest.json").write_bytes(b"\xff{")
    with pytest.raises(UserError, match=r"^[^\n]+$"):
        mesh_packs.read(folder)
    tell(folder, THING)
    with pytest.raises(UserError, match="Invalid name of a mesh folder"):
        mesh_packs.use_folder("a:b", folder)
