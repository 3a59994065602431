"""Light of the sky, darkening where surfaces meet, tone curve, exposure and noise of 3-D pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isovist.core.rotation import unit
from isovist.core.scene3d import Box, Camera, Capture, Ground, Light, ObjectMarker, Pose, Scene3D, SceneObject, Sky
from isovist.world.render import ambient_light, rasterizer3d, scene_image
from isovist.world.render.asset_pool import linear
from isovist.world.render.tone_curve import developed, light_of, with_noise

AIR = Scene3D(
    (), Camera((0, 1, 4), (0, 0.5, 0), width=96, height=96), ground=None, light=Light(strength=0.0), sky=Sky("#808080", "#808080")
)
BOX = SceneObject(Box((1, 1, 1)), Pose((0, 0, 0), yaw=30), colour="#b08060")
ON_GROUND = replace(AIR, objects=(BOX,), ground=Ground("#808080", haze=0), light=Light(strength=0.0, shadows=False))


def light_on(coefficients: np.ndarray, x: float, y: float, z: float) -> np.ndarray:
    return np.array(ambient_light.light_on(coefficients, *unit((x, y, z))))


def test_the_light_of_a_sky_is_that_of_its_integral_over_the_half_sphere() -> None:
    """The exact irradiance of the two halves; order 2 is at most a few per cent off (Ramamoorthi and Hanrahan 2001)."""
    coefficients = ambient_light.irradiance(AIR, np.zeros(3))
    above = ambient_light.radiance(AIR)
    below = ambient_light.from_below(AIR, above, np.zeros(3))
    rows = ambient_light._directions()
    for normal in ((0, 1, 0), (0, -1, 0), (1, 0, 0), (0.3, -0.5, 0.8), (-0.5, 0.6, 0.1)):
        exact = sum(
            (light * np.maximum(rows[:, :3] @ (np.array(unit(normal)) * (1, side, 1)), 0)[:, None] * rows[:, 3:]).sum(axis=0) / np.pi
            for light, side in ((above, 1), (np.broadcast_to(below, above.shape), -1))
        )
        assert light_on(coefficients, *normal) == pytest.approx(exact, rel=0.06, abs=0.01)
    assert light_on(coefficients, 0, 1, 0).mean() == pytest.approx(ambient_light.ABOVE, rel=0.02)


def test_a_sky_image_lights_a_scene_with_a_ground_and_turns_with_its_heading() -> None:
    lit = replace(ON_GROUND, sky=Sky(image="sunset"))
    coefficients = [ambient_light.irradiance(replace(lit, sky=replace(lit.sky, heading=h)), np.full(3, 0.2)) for h in (0.0, 90.0)]
    east, south = light_on(coefficients[0], 1, 0, 0), light_on(coefficients[1], 0, 0, 1)
    assert east == pytest.approx(south, rel=0.02)  # clockwise by 90 degrees: from +X to +Z
    assert light_on(coefficients[0], 1, 0, 0) != pytest.approx(light_on(coefficients[0], -1, 0, 0), rel=0.05)
    room = replace(lit, ground=None)
    assert ambient_light.radiance(room) == pytest.approx(ambient_light.radiance(replace(room, sky=Sky())))


def test_the_ground_is_darker_beside_a_box_and_objects_stay_where_they_are() -> None:
    seen = rasterizer3d.render(ON_GROUND)
    bare = rasterizer3d.render(ON_GROUND, textured=False)
    assert (seen.solid == bare.solid).all()
    ratio = linear()[seen.colour].mean(axis=2) / linear()[bare.colour].mean(axis=2)
    low = int(np.flatnonzero((seen.solid == 0).any(axis=1)).max())
    column = int(np.flatnonzero(seen.solid[low] == 0).mean())
    assert ratio[low + 2, column] < 0.9
    assert ratio[-3:, :10].min() > 0.99  # far from everything
    assert ratio[seen.solid == -1] == pytest.approx(1.0)


def test_a_shadow_is_sharp_at_its_object_and_soft_far_from_it() -> None:
    """Pixels between light and shade across the shadow of a tall post, near its foot and near its top."""
    post = SceneObject(Box((0.3, 6, 0.3)), Pose((0, 0, 0)))
    camera = Camera((4, 12, 4.0), (4, 0, 0), span=10, width=1000, height=1000)
    seen = rasterizer3d.render(Scene3D((post,), camera, Ground("#808080", haze=0), Light((-1, 0.8, 0)))).colour[:, :, 1].astype(int)

    def between(x: float) -> int:
        line = seen[300:700, round(500 + (x - 4) * 100)]
        return int(((line > line.min() + 6) & (line < line.max() - 6)).sum())

    assert between(7.0) > between(0.6) + 2


def test_the_tone_curve_shows_a_sky_as_it_is_and_keeps_detail_above_it() -> None:
    values = linear()
    shown = developed(np.repeat(np.array([light_of(float(v)) for v in values], np.float32)[:, None, None], 3, axis=2), Capture())
    assert np.abs(shown[:, 0, 0].astype(int)[1:-1] - np.arange(1, 255)).max() <= 1
    bright = developed(np.array([0.8, 1.0, 1.3, 1.8], np.float32).reshape(4, 1, 1).repeat(3, axis=2), Capture())[:, 0, 0]
    assert (np.diff(bright.astype(int)) > 3).all()
    assert bright[-1] < 255


def test_a_stop_doubles_the_light() -> None:
    values = np.full((4, 4, 3), 0.1, np.float32)
    assert (developed(values, Capture(exposure=1.0)) == developed(2 * values, Capture())).all()


def test_noise_has_the_stated_deviation_is_the_same_again_and_spares_frames() -> None:
    grey = np.full((200, 300, 3), 128, np.uint8)
    noisy = with_noise(grey, 4.0, 7)
    assert noisy.std(axis=(0, 1)) == pytest.approx([4, 4, 4], rel=0.02)
    assert noisy.mean() == pytest.approx(128, abs=0.1)
    assert (noisy == with_noise(grey, 4.0, 7)).all()
    assert (noisy != with_noise(grey, 4.0, 8)).mean() > 0.8
    assert np.abs(np.corrcoef(noisy[:, 1:, 0].ravel(), noisy[:, :-1, 0].ravel())[0, 1]) < 0.01
    assert noisy[:2, :3, 0].ravel().tolist() == [138, 125, 129, 125, 131, 124]  # on every machine
    marked = replace(ON_GROUND, markers=(ObjectMarker(0),))
    clean, noised = (scene_image.pixels(stage, 400) for stage in (marked, replace(marked, capture=Capture(noise=6.0))))
    red = (clean == (0xE6, 0x00, 0x2E)).all(axis=2)
    assert red.sum() > 20
    assert (noised[red] == clean[red]).all()
    assert (noised != clean).mean() > 0.3
