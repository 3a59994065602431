"""Meshes of a user's own: found by name in every process, checked against their manifest, credited."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual.material import PBRMaterial
from trimesh.visual.texture import TextureVisuals
from workbench import isovist

from isovist.common.errors import UserError
from isovist.core.scene3d import Camera, MeshRef, Scene3D, SceneObject
from isovist.data.dataset.asset_attribution import assets, credits_for
from isovist.world.render import asset_pool, mesh_packs, meshes

BLOCK: dict[str, Any] = {
    "id": "block",
    "category": "block",
    "broad": "Furniture",
    "size_cm": [100, 50, 25],
    "front": "clear",
    "symmetry": 0,
    "licence": "CC-BY-SA-4.0",
    "creator": "Someone",
}


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """No folder is known before a test, and none stays."""
    before = dict(meshes._folders)
    meshes._folders.clear()
    meshes.digest.cache_clear()
    mesh_packs._kept.cache_clear()
    yield
    meshes._folders.clear()
    meshes._folders.update(before)
    asset_pool.forget()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A block one metre wide, half a metre high, red in front and blue behind."""
    mesh_folder = tmp_path / "own"
    mesh_folder.mkdir()
    halves: list[Any] = []
    for z, colour in ((0.0625, [255, 0, 0, 255]), (-0.0625, [0, 0, 255, 255])):
        half = trimesh.creation.box((1.0, 0.5, 0.125))
        half.apply_translation((0, 0.25, z))
        half.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=colour))
        halves.append(half)
    trimesh.Scene(halves).export(mesh_folder / "block.glb")
    tell(mesh_folder, BLOCK)
    return mesh_folder


def tell(folder: Path, *entries: dict[str, Any]) -> None:
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "meshes": entries}), encoding="utf-8")


def test_a_good_folder_is_checked_and_its_sheet_shows_every_side(folder: Path, tmp_path: Path) -> None:
    ended = isovist("meshes", "check", folder, "--out", tmp_path / "sheets")
    assert ended.code == 0, ended
    assert "1 mesh of 1 category, 0 errors" in ended.out
    assert meshes.digest(folder)[:12] in ended.out
    with Image.open(tmp_path / "sheets" / "meshes-00.png") as image:
        sheet = np.asarray(image.convert("RGB")).astype(int)
    views = np.split(sheet[26:], 4, axis=1)
    red, blue = ([int((view[:, :, a] > view[:, :, b] + 60).sum()) for view in views] for a, b in ((0, 2), (2, 0)))
    assert red[0] > 5000  # front
    assert 10 * blue[0] < red[0]  # its top, at a slant
    assert blue[3] > 5000  # back
    assert 10 * red[3] < blue[3]
    assert min(red[1:3]) > 1000
    assert (views[2][:, :100, 0] > views[2][:, :100, 2] + 60).sum() == red[2]  # from its own left the front points to the left


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size_cm": [100, 60, 25]}, "manifest states 100 x 60 x 25"),
        ({"size_cm": [25, 50, 100]}, "the file measures 100 x 50 x 25 cm"),
        ({"symmetry": 180}, "contradiction"),
        ({"licence": ""}, "states no licence"),
    ],
)
def test_a_mesh_that_contradicts_its_manifest_is_reported(folder: Path, change: dict[str, Any], message: str) -> None:
    tell(folder, BLOCK | change)
    ended = isovist("meshes", "check", folder)
    assert ended.code == 1
    assert f"block: {message}" in ended.out or message in ended.out
    assert "1 error" in ended.out


def test_a_mesh_away_from_its_origin_is_reported(folder: Path) -> None:
    block = trimesh.creation.box((1.0, 0.5, 0.25))
    block.apply_translation((0.3, 0.0, 0.0))
    block.export(folder / "block.glb")
    ended = isovist("meshes", "check", folder)
    assert ended.code == 1
    assert "its lowest point is at a height of -0.25 m" in ended.out
    assert "at x 0.3 m, z 0 m" in ended.out


def test_a_folder_that_cannot_be_used_is_one_line_and_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    (folder / "block.glb").write_bytes(b"glTF")
    for wrong in (folder, tmp_path / "nowhere"):
        ended = isovist("meshes", "check", wrong, "--out", tmp_path / "sheets")
        assert ended.code == 2
        assert ended.err.count("\n") == 1
        assert not (tmp_path / "sheets").exists()


def test_the_environment_variable_registers_a_folder_in_every_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=f"{meshes.FOLDERS}=mine="):
        mesh_packs.mesh("mine:block")
    monkeypatch.setenv(meshes.FOLDERS, f"mine={folder}")
    assert mesh_packs.mesh("mine:block").category == "block"
    code = "from isovist.world.render import mesh_packs; print(mesh_packs.locate('mine:block'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == str(
        folder / "block.glb"
    )


def test_a_name_with_a_digest_stands_for_that_content_alone(folder: Path) -> None:
    mesh_packs.use_folder("mine", folder)
    name = f"mine@{meshes.digest(folder)[:12]}:block"
    assert mesh_packs.locate(name) == meshes.locate(name) == folder / "block.glb"
    with (folder / "block.glb").open("ab") as file:
        file.write(b" ")
    meshes.digest.cache_clear()
    with pytest.raises(UserError, match="Mesh folder has changed"):
        meshes.locate(name)
    with pytest.raises(UserError, match="Mesh folder has changed"):
        meshes.locate("mine@:block")


def test_the_digest_is_that_of_names_and_contents_not_of_the_place(folder: Path, tmp_path: Path) -> None:
    before = meshes.digest(folder)
    moved = folder.rename(tmp_path / "moved")
    assert meshes.digest(moved) == before
    (moved / ".hidden").write_text("x", encoding="utf-8")
    meshes.digest.cache_clear()
    assert meshes.digest(moved) == before
    (moved / "block.glb").rename(moved / "other.glb")
    meshes.digest.cache_clear()
    assert meshes.digest(moved) != before


def test_data_that_show_it_name_its_licence(folder: Path) -> None:
    mesh_packs.use_folder("mine", folder)
    stage = Scene3D((SceneObject(MeshRef("mine:block")), SceneObject(MeshRef("dog"))), Camera((0, 1, 4)))
    user_credits, bundled = credits_for(set(assets(stage)))
    assert "mine:block" in user_credits
    assert "Someone, licence CC-BY-SA-4.0" in user_credits
    assert "dog" in bundled
