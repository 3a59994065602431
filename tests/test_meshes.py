"""Meshes from files as they are drawn: metres, +Y up, the front to +Z, colours and textures as their formats mean them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from isovist.common.errors import UserError
from isovist.core.scene3d import Box, Camera, Group, Light, MeshRef, Part, Pose, Scene3D, SceneObject, Sky
from isovist.world.render import asset_pool, meshes, rasterizer3d
from isovist.world.render.visibility import sights
from isovist.world.scenes.furniture_meshes import BOXES
from isovist.world.scenes.mesh_catalog import MESHES

FLAT = Light(strength=0.0)
WHITE = Sky("#ffffff", "#ffffff")
FRONT_ON = Camera((0, 0.5, 6), (0, 0.5, 0), span=2.0, width=100, height=100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    meshes.use_folder("own", tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def _no_mesh_is_known() -> None:
    """Each test has a folder of its own, under one name."""
    asset_pool.forget()


def drawn(name: str, camera: Camera = FRONT_ON, **more: Any) -> rasterizer3d.RenderBuffers:
    return rasterizer3d.render(Scene3D((SceneObject(MeshRef(f"own:{name}"), **more),), camera, ground=None, light=FLAT, sky=WHITE))


def block(colour: list[float]) -> Any:
    """One metre wide, half a metre high, its origin in the middle of its footprint."""
    mesh = trimesh.creation.box((1.0, 0.5, 0.25))
    mesh.apply_translation((0, 0.25, 0))
    mesh.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=colour))
    return mesh


def test_a_glb_has_its_size_its_place_and_its_colour_in_linear_light(folder: Path) -> None:
    block([0.5, 0.1, 0.0, 1.0]).export(folder / "block.glb")
    seen = drawn("block")
    rows, columns = np.nonzero(seen.solid == 0)
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (25, 74, 50, 74)
    as_box = Scene3D(
        (SceneObject(Box((1.0, 0.5, 0.25)), colour="#bc5900"),), FRONT_ON, ground=None, light=FLAT, sky=WHITE
    )  # 0.5 and 0.1 as sRGB
    assert np.abs(seen.colour[60, 50].astype(int) - rasterizer3d.render(as_box).colour[60, 50]).max() <= 1


def test_edges_are_sharp_and_round_bodies_smooth_where_a_file_has_no_normals(folder: Path) -> None:
    ball = trimesh.creation.icosphere(3, 0.5)
    ball.apply_translation((0, 0.5, 0))
    for name, mesh in (("ball", ball), ("block", block([1.0, 1.0, 1.0, 1.0]))):
        trimesh.Trimesh(mesh.vertices, mesh.faces).export(folder / f"{name}.glb", include_normals=False)
    sharp, smooth = meshes.load(folder / "block.glb"), meshes.load(folder / "ball.glb")
    assert set(np.abs(sharp.normals).max(axis=2).ravel()) == {1.0}
    out = smooth.corners - np.array([0, 0.5, 0], np.float32)
    assert ((out / np.linalg.norm(out, axis=2, keepdims=True) * smooth.normals).sum(axis=2) > 0.999).all()


def test_nodes_stand_where_their_matrices_put_them(folder: Path) -> None:
    scene = trimesh.Scene()
    for x in (-0.5, 0.5):
        move = np.diag([0.5, 1.0, 1.0, 1.0])
        move[0, 3] = x
        scene.add_geometry(block([1.0, 1.0, 1.0, 1.0]), transform=move)
    scene.export(folder / "two.glb")
    columns = np.nonzero((drawn("two").solid == 0).any(axis=0))[0]
    assert list(columns) == [*range(12, 37), *range(62, 87)] or list(columns) == [*range(13, 38), *range(63, 88)]


def test_a_texture_is_upright_and_not_mirrored(folder: Path) -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    image[:2, :2], image[:2, 2:], image[2:, :2], image[2:, 2:] = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
    corners = [(-0.5, 0, 0), (0.5, 0, 0), (0.5, 1, 0), (-0.5, 1, 0)]
    material = PBRMaterial(baseColorTexture=Image.fromarray(image).resize((64, 64), Image.Resampling.NEAREST))
    uv = [(0, 0), (1, 0), (1, 1), (0, 1)]
    for name in ("sign.glb", "sign.obj"):
        visual = TextureVisuals(uv=np.array(uv), material=material if name == "sign.glb" else material.to_simple())
        trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], visual=visual, process=False).export(folder / name)
        seen = drawn("sign").colour
        channels = [seen[y, x].argsort()[::-1][0] for y, x in ((35, 35), (35, 65), (65, 35))]
        assert channels == [0, 1, 2], name
        assert min(seen[65, 65, :2]) > 100 + seen[65, 65, 2]
        (folder / name).unlink()
        asset_pool.forget()


def test_a_tint_colours_a_mesh_and_no_tint_leaves_it(folder: Path) -> None:
    block([1.0, 1.0, 1.0, 1.0]).export(folder / "white.glb")
    plain, tinted = drawn("white").colour[60, 50], drawn("white", colour="#ff0000").colour[60, 50]
    assert plain[0] == tinted[0]
    assert tinted[1:].max() < 60 < plain[1:].min()


def test_a_mesh_is_scaled_turned_and_grouped_as_any_form(folder: Path) -> None:
    block([1.0, 1.0, 1.0, 1.0]).export(folder / "b.glb")
    turned = drawn("b", pose=Pose((0, 0, 0), yaw=90), scale=2.0)
    rows, columns = np.nonzero(turned.solid == 0)
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (37, 62, 25, 74) or (columns.max() - columns.min()) in (24, 25)
    both = Group((Part(MeshRef("own:b")), Part(Box((0.2, 0.2, 0.2)), Pose((0, 0.5, 0)), colour="#ff0000")))
    (sight,) = sights(Scene3D((SceneObject(both),), FRONT_ON))
    assert sight.pixels == pytest.approx(50 * 25 + 10 * 10, rel=0.05)


def test_a_file_that_is_not_a_mesh_gives_a_one_line_error(folder: Path) -> None:
    with pytest.raises(UserError, match="Unknown mesh folder: 'other'"):
        meshes.locate("other:chair")
    with pytest.raises(UserError, match="Unknown mesh: 'own:chair'"):
        meshes.locate("own:chair")
    (folder / "sub").mkdir()
    block([1, 1, 1, 1]).export(folder / "outside.glb")
    meshes.use_folder("own", folder / "sub")
    with pytest.raises(UserError, match="Unknown mesh"):
        meshes.locate("own:../outside")
    for content in (b"", b"glTF", b"glTF" + bytes(40), (folder / "outside.glb").read_bytes()[:200]):
        (folder / "sub" / "bad.glb").write_bytes(content)
        with pytest.raises(UserError, match=r"bad\.glb"):
            drawn("bad")
    with pytest.raises(UserError, match="Mesh folder does not exist"):
        meshes.use_folder("own", folder / "outside.glb")
    with pytest.raises(UserError, match="Unknown texture or sky: 'marble'"):
        meshes.texture("marble")
    with pytest.raises(UserError, match="Unknown texture or sky"):
        meshes.sky("../x")


def test_a_mesh_comes_in_one_order_however_often_it_is_loaded() -> None:
    """Where faces coincide the first one is seen, and names that a reader makes up must not order them."""
    for mesh in MESHES[::6]:
        once, again = (meshes.load(meshes.locate(mesh.id)) for _ in range(2))
        assert np.array_equal(once.corners, again.corners), mesh.id
        assert np.array_equal(once.normals, again.normals), mesh.id
        assert np.array_equal(once.material, again.material), mesh.id


def test_the_bundled_meshes_are_read_as_trimesh_reads_them() -> None:
    for mesh in MESHES[::9]:
        ours, theirs = meshes.mesh(mesh.id), meshes.load(meshes.locate(mesh.id))
        for field in ("corners", "normals", "uvs", "material"):
            assert np.array_equal(getattr(ours, field), getattr(theirs, field)), (mesh.id, field)
        assert [material.colour for material in ours.materials] == [material.colour for material in theirs.materials], mesh.id
        for one, other in zip(ours.materials, theirs.materials, strict=True):
            assert (one.texture < 0) == (other.texture < 0), mesh.id
            assert one.texture < 0 or np.array_equal(texels(one.texture), texels(other.texture)), mesh.id


def texels(texture: int) -> Any:
    """The size and all mipmap levels of a texture."""
    first, width, height, levels = asset_pool.pool().table.rows[texture].tolist()
    n = sum(max(1, width >> level) * max(1, height >> level) for level in range(levels))
    return [width, height, *asset_pool.pool().texels.rows[first : first + n].ravel().tolist()]


def test_furniture_has_the_triangles_of_its_file() -> None:
    scene: Any = trimesh.load_scene(meshes.ASSETS / "furniture" / "furniture.glb")
    whole = meshes.load(meshes.ASSETS / "furniture" / "furniture.glb")
    parts = [meshes.mesh(name) for name in BOXES]
    assert sum(len(part.corners) for part in parts) == len(whole.corners) == len(scene.triangles)
    triangles = [np.concatenate([part.corners.reshape(-1, 9), part.normals.reshape(-1, 9)], axis=1) for part in (*parts, whole)]
    assert np.array_equal(np.sort(np.concatenate(triangles[:-1]), axis=0), np.sort(triangles[-1], axis=0))


def test_mipmaps_have_the_nearest_srgb_values() -> None:
    edges = asset_pool._edges()
    light = np.concatenate([np.linspace(0, 1, 100_001, dtype=np.float32), edges, np.nextafter(edges, np.float32(2)), asset_pool.linear()])
    assert np.array_equal(asset_pool._texels(light), asset_pool.encoded(light))
    assert asset_pool.encoded(asset_pool.linear()).tolist() == list(range(256))  # the finest level is the image itself


def test_the_pool_has_room_for_all_bundled_assets() -> None:
    for folder, load in (("textures", meshes.texture), ("skies", meshes.sky)):
        for path in (meshes.ASSETS / folder).glob("*.[jp][pn]g"):
            load(path.stem)
    for name in (*(mesh.id for mesh in MESHES), *BOXES):
        asset_pool.pool().add(meshes.mesh(name))
    kept = asset_pool.pool()
    asset_pool.make_room()
    assert asset_pool.pool() is kept


def test_a_name_that_comes_to_stand_for_another_folder_is_drawn_from_there(tmp_path: Path) -> None:
    for name, colour in (("red", [1.0, 0, 0, 1]), ("blue", [0, 0, 1.0, 1])):
        (tmp_path / name).mkdir()
        block(colour).export(tmp_path / name / "block.glb")
    seen: list[list[int]] = []
    for name in ("red", "blue"):
        meshes.use_folder("own", tmp_path / name)
        seen.append(drawn("block").colour[60, 50].tolist())
    assert seen[0][0] > seen[0][2]
    assert seen[1][2] > seen[1][0]


@pytest.mark.parametrize(("opacity", "seen"), [(0.2, "#0000ff"), (0.8, "#ff0000"), (1.0, "#ff0000")])
@pytest.mark.parametrize("suffix", ["obj", "glb"])
def test_glass_is_looked_through(folder: Path, suffix: str, opacity: float, seen: str) -> None:
    """A red pane before a blue block; what is nearly opaque is drawn so."""
    if suffix == "obj":
        pane, back = "v -1 0 1 v 1 0 1 v 1 2 1 v -1 2 1", "v -1 0 -1 v 1 0 -1 v 1 2 -1 v -1 2 -1"
        corners = f"{pane} {back}".replace("v ", "\nv ")
        (folder / "door.obj").write_text(f"mtllib door.mtl{corners}\nusemtl pane\nf 1 2 3\nf 1 3 4\nusemtl back\nf 5 6 7\nf 5 7 8\n")
        (folder / "door.mtl").write_text(f"newmtl pane\nKd 1 0 0\nd {opacity}\nnewmtl back\nKd 0 0 1\n")
    else:
        parts: list[Any] = []
        for z, colour in ((0.5, [255, 0, 0, round(255 * opacity)]), (-0.5, [0, 0, 255, 255])):
            part = trimesh.creation.box((2.0, 2.0, 0.1))
            part.apply_translation((0, 1, z))
            part.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=colour, alphaMode="BLEND"))
            parts.append(part)
        trimesh.Scene(parts).export(folder / "door.glb")
    r, _, b = (int(v) for v in drawn("door").colour[50, 50])
    assert (r > b) == (seen == "#ff0000")


def test_a_mesh_of_nothing_but_glass_is_drawn(folder: Path) -> None:
    pane = trimesh.creation.box((1.0, 1.0, 0.1))
    pane.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=[255, 0, 0, 20], alphaMode="BLEND"))
    pane.export(folder / "pane.glb")
    assert drawn("pane").solid[50, 50] == 0
