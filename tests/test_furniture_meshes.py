"""Built furniture: its parts are where the table says, it takes sizes and colours, and it is credited."""

from __future__ import annotations

import pytest

from isovist.common.errors import UserError
from isovist.core.scene3d import Camera, Scene3D, SceneObject
from isovist.data.dataset.asset_attribution import assets, credits_for
from isovist.world.render import meshes
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.furniture_meshes import BOXES, PARTS, built, tinted


@pytest.mark.parametrize("piece", PARTS)
def test_each_part_is_in_its_box_and_faces_outwards(piece: str) -> None:
    for part in PARTS[piece]:
        corners = meshes.mesh(f"{piece}#{part}").corners.astype(float)
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        assert (tuple(low), tuple(high)) == tuple(pytest.approx(corner, abs=1e-4) for corner in BOXES[f"{piece}#{part}"])
        a, b, c = (corners[:, k] - corners.mean(axis=(0, 1)) for k in range(3))
        volume = (a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])).sum() + (a[:, 1] * (b[:, 2] * c[:, 0] - b[:, 0] * c[:, 2])).sum()
        assert volume + (a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])).sum() > 0


def test_a_piece_takes_sizes_and_colours() -> None:
    plain, wide = built("table-high", top="#102030"), built("table-high", width=1.7, height=0.8, legs="#405060")
    assert [part.colour for part in plain.parts] == ["#102030", "#ffffff"]
    assert [part.colour for part in wide.parts] == ["#ffffff", "#405060"]
    (x0, y0, z0), (x1, y1, z1) = bounds(wide)
    assert (x1 - x0, y1 - y0, z1 - z0) == pytest.approx((1.7, 0.8, 0.82), abs=2e-4)
    assert built("table-high", width=1.7, height=0.8, legs="#405060") is wide


def test_it_says_what_there_is_not() -> None:
    with pytest.raises(KeyError):
        built("throne")
    with pytest.raises(KeyError, match="has no part"):
        built("table-high", velvet="#ff0000")
    for name in ("table-high#velvet", "throne#own", "table#top"):
        with pytest.raises(UserError, match="Unknown part"):
            meshes.mesh(name)


def test_it_is_credited_once_as_a_whole() -> None:
    stage = Scene3D(
        (SceneObject(built("bench")), SceneObject(built("bed-single-low")), SceneObject(tinted("van", "#ff0000"))), Camera((0, 1, 5))
    )
    assert set(assets(stage)) == {("furniture", "furniture"), ("meshes", "van")}
    lines = credits_for(set(assets(stage)))
    assert sum("furniture (" in line and "Isovist (CC0-1.0" in line for line in lines) == 1
