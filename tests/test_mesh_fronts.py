"""Front, symmetry and look of every bundled mesh are those that were checked by eye on contact sheets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mesh_views import PINNED, numbers, views

from isovist.world.scenes.mesh_catalog import MESHES, Mesh

ROWS: dict[str, tuple[str, int, bool, str]] = json.loads(PINNED.read_text(encoding="utf-8"))
SAME = 1
"""Most difference of a cell between two builds of one mesh, of 36 steps."""
COARSE = {
    "bed-child", "bedside-table", "bookcase-white", "dresser-white", "dresser-wood", "filing-cabinet", "sideboard", "sofa-orange", "washbasin",
}  # fmt: skip
"""Meshes whose turned views differ by less than can be told from a new build; the digests of their files stand in the manifest."""


def test_every_mesh_is_pinned() -> None:
    assert sorted(ROWS) == sorted(mesh.id for mesh in MESHES)


@pytest.mark.parametrize("mesh", MESHES, ids=lambda mesh: mesh.id)
def test_a_mesh_shows_the_sides_that_were_checked(mesh: Mesh) -> None:
    front, symmetry, upright, text = ROWS[mesh.id]
    assert (mesh.front, mesh.symmetry, mesh.upright) == (front, symmetry, upright)
    assert np.abs(views(mesh) - numbers(text)).max() <= SAME


@pytest.mark.parametrize("mesh", [mesh for mesh in MESHES if mesh.front == "clear" and mesh.id not in COARSE], ids=lambda mesh: mesh.id)
def test_the_pinned_views_would_show_that_a_mesh_was_turned(mesh: Mesh) -> None:
    seen = numbers(ROWS[mesh.id][3])
    assert min(np.abs(np.roll(seen, turn, axis=0) - seen).max() for turn in (1, 2, 3)) > SAME
