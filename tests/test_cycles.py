"""Photoreal pictures of the same stages. Those that need Blender are slow, and skipped without `ISOVIST_BLENDER_PYTHON`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from workbench import done, isovist

from isovist.common.errors import UserError
from isovist.core.scene3d import (
    Box,
    Camera,
    Cone,
    Cylinder,
    Ground,
    Light,
    ObjectMarker,
    Panorama,
    Pose,
    Scene3D,
    SceneObject,
    Sky,
    Sphere,
    Texture,
)
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.items import generate
from isovist.world import render
from isovist.world.render import cycles, rasterizer3d, scene_image
from isovist.world.render.cycles import client

SOLIDS = (
    SceneObject(Box((0.8, 1.4, 0.8)), Pose((-1.5, 0, -2), yaw=20), texture=Texture("bricks", 0.7)),
    SceneObject(Cylinder(0.4, 1.2), Pose((1, 0, -2)), texture=Texture("checker", 0.3), colour="#80c0ff"),
    SceneObject(Cone(0.5, 1.2), Pose((0, 0, -3)), colour="#c03030"),
    SceneObject(Sphere(0.6), Pose((2.2, 0, 1)), colour="#30a030"),
    SceneObject(Box((1, 1, 1)), Pose((-3, 0, 2), yaw=40, pitch=15, roll=90)),
)
FLAT = Camera((0, 1.4, 5), (0, 0.9, -1), fov=60)
WALLS = (
    SceneObject(Box((8.0, 0.1, 12.0)), Pose((0, -0.1, 0)), texture=Texture("planks", 1.0), colour="#ffffff", casts_shadow=False),
    SceneObject(Box((8.0, 0.1, 12.0)), Pose((0, 3, 0)), colour="#e8e6e0", casts_shadow=False),
    SceneObject(Box((8.0, 3.0, 0.1)), Pose((0, 0, -4)), colour="#c0b090", casts_shadow=False),
    SceneObject(Box((0.1, 3.0, 12.0)), Pose((-3.6, 0, 0)), colour="#90a0c0", casts_shadow=False),
    SceneObject(Box((0.1, 3.0, 12.0)), Pose((4, 0, 0)), colour="#90a0c0", casts_shadow=False),
    SceneObject(Box((8.0, 3.0, 0.1)), Pose((0, 0, 6)), colour="#c0b090", casts_shadow=False),
)
"""Around a room: the light passes them."""
VIEWS = {
    "room": Scene3D((*SOLIDS, *WALLS), FLAT, None, Light((0.2, 0.9, 0.4), 0.4, 2.3)),
    "perspective": Scene3D(
        SOLIDS, FLAT, Ground(texture=Texture("planks", 1.0), haze=0), Light((0.8, 0.5, 0.3)), Sky(image="city", heading=75)
    ),
    "orthographic": Scene3D(SOLIDS, Camera((3, 3, 4), (0, 0.4, -1), span=6), sky=Sky("#102040", "#ffffff")),
    "panorama": Scene3D(
        SOLIDS, Panorama((0, 1.4, 0), heading=40), Ground(texture=Texture("grass", 1.5)), Light(), Sky(image="sunset", heading=30)
    ),
}
SIDE = 256

with_blender = pytest.mark.skipif(not os.environ.get(client.PYTHON), reason=f"needs Blender: set {client.PYTHON}")


def agreement(ours: NDArray[np.int32], theirs: NDArray[np.int32], least: int) -> dict[int, float]:
    """For each solid of so many pixels or more: pixels that both show, of those that one of them does."""
    seen = [int(v) for v in np.unique(ours) if (ours == v).sum() >= least]
    return {v: float(((ours == v) & (theirs == v)).sum() / ((ours == v) | (theirs == v)).sum()) for v in seen}


@pytest.mark.slow
@with_blender
@pytest.mark.parametrize("name", [*VIEWS])
def test_the_same_is_seen_at_the_same_place(name: str) -> None:
    stage = VIEWS[name]
    ours, theirs = rasterizer3d.render(stage, 2 * SIDE).solid, client.blender().solids(stage, 2 * SIDE)
    shares = agreement(ours, theirs, 2500)
    assert len(shares) >= 4
    assert min(shares.values()) > 0.97, shares
    for solid in shares:
        middles = [np.argwhere(seen == solid).mean(axis=0) for seen in (ours, theirs)]
        # pixels; what a pixel of a panorama sees is the nearest of one side of a cube
        assert np.abs(middles[0] - middles[1]).max() < (0.6 if name == "panorama" else 0.4), solid


@pytest.mark.slow
@with_blender
def test_items_of_the_suite_are_seen_alike() -> None:
    for item in generate("dori/inter-object-direction", n=2):
        (stage,) = item.scenes3d
        ours, theirs = rasterizer3d.render(stage, 384).solid, client.blender().solids(stage, 384)
        assert min(agreement(ours, theirs, 1500).values()) > 0.9  # between the slats of a bench, gaps are narrower than a pixel
        for solid in np.unique(ours):
            seen = ours == solid, theirs == solid
            apart = (seen[0] & ~grown(seen[1])) | (seen[1] & ~grown(seen[0]))
            assert apart.sum() <= 2 + 0.002 * seen[0].sum(), solid


def grown(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a pixel or one of its eight neighbours is shown."""
    padded = np.pad(shown, 1)
    rows, columns = shown.shape
    return np.any([padded[i : i + rows, k : k + columns] for i in range(3) for k in range(3)], axis=0)


@pytest.mark.slow
@with_blender
@pytest.mark.parametrize("name", [*VIEWS])
def test_a_picture_has_the_colours_of_the_rasteriser_and_comes_out_the_same_again(name: str) -> None:
    stage = VIEWS[name]
    ours, theirs = scene_image.pixels(stage, SIDE).astype(int), cycles.pixels(stage, SIDE).astype(int)
    assert ours.shape == theirs.shape
    assert np.abs(ours.mean(axis=(0, 1)) - theirs.mean(axis=(0, 1))).max() < 12
    # in blocks, so that light in corners and the sharpness of textures do not count
    blocks = [picture[: SIDE // 16 * 16, :SIDE].reshape(SIDE // 16, 16, SIDE // 16, 16, 3).mean(axis=(1, 3)) for picture in (ours, theirs)]
    assert np.median(np.abs(blocks[0] - blocks[1])) < 8
    assert np.corrcoef(blocks[0].ravel(), blocks[1].ravel())[0, 1] > 0.97
    assert (cycles.pixels(stage, SIDE) == theirs).all()


@pytest.mark.slow
@with_blender
def test_frames_mirroring_and_turning_are_those_of_the_rasteriser() -> None:
    plain = VIEWS["orthographic"]
    marked = replace(plain, markers=(ObjectMarker(2),))
    frames = [drawn(marked, SIDE).astype(int) - drawn(plain, SIDE) for drawn in (scene_image.pixels, cycles.pixels)]
    where = [np.abs(frame).max(axis=2) > 40 for frame in frames]
    assert where[0].sum() > 100
    assert (where[0] & where[1]).sum() > 0.95 * (where[0] | where[1]).sum()
    moved = cycles.pixels(replace(marked, mirrored=True, image_rotation_deg=90), SIDE)
    assert (moved == np.rot90(cycles.pixels(marked, SIDE)[:, ::-1], -1)).all()


@pytest.mark.slow
@with_blender
def test_data_are_rendered_and_verified_and_the_card_names_the_renderer(tmp_path: Path) -> None:
    asked = ("dori/canonical-orientation", "--n", "2", "--image-size", "96", "--workers", "1")
    done("generate", *asked, "--out", tmp_path / "raster")
    done("generate", *asked, "--out", tmp_path / "cycles", "--renderer", "cycles")
    rows = {}
    for name in ("raster", "cycles"):
        manifest = Manifest.read(tmp_path / name)
        rows[name] = [*load(tmp_path / name, manifest.parts)]
    assert [row.id for row in rows["raster"]] == [row.id for row in rows["cycles"]]
    assert all(a.images != b.images for a, b in zip(*rows.values(), strict=True))
    assert "Cycles" in (tmp_path / "cycles" / "README.md").read_text(encoding="utf-8")
    assert "Cycles" not in (tmp_path / "raster" / "README.md").read_text(encoding="utf-8")
    done("verify", tmp_path / "cycles", "--workers", "1")


def test_without_blender_a_one_line_error_has_instructions_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(client.PYTHON, raising=False)
    client.blender.cache_clear()
    ended = isovist("generate", "dori/view-parallelism", "--n", "1", "--out", tmp_path / "data", "--renderer", "cycles")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "bpy" in ended.err
    assert client.PYTHON in ended.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("named", ["nowhere/python", "false", sys.executable])
def test_a_program_that_is_not_blender_is_reported(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "false"
    program.write_text("#!/bin/sh\necho out of order >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(client.PYTHON, str(program) if named == "false" else named)
    with pytest.raises(UserError, match=r"bpy") as error:
        client.Blender()
    assert "\n" not in str(error.value)
    assert {"false": "out of order", "nowhere/python": "no program"}.get(named, "No module named 'bpy'") in str(error.value)


def test_flat_pictures_are_refused() -> None:
    with pytest.raises(UserError, match="2-D drawings"):
        render.check("cdr/relative-compass-letter", generate("cdr/relative-compass-letter", n=1)[0].pictures, "cycles")


def test_another_renderer_and_another_blender_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="Unknown renderer: 'eevee'"):
        render.full("eevee")
    monkeypatch.setattr(cycles, "version", lambda: "4.5.15")
    assert render.full("cycles") == "cycles-4.5.15"
    with pytest.raises(UserError, match=r"version of Blender: 5\.0\.1, installed 4\.5\.15"):
        render.full("cycles-5.0.1")
