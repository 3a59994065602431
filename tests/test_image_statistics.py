"""Statistics of natural images: known values, and the command that prints them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from workbench import done, isovist, refused

from isovist.audit.image_statistics import ImageStatistics, Picture, Spread, measure, spreads

SIDE = 256


def encoded(luminance: np.ndarray) -> Picture:
    """A grey sRGB image of linear luminance from 0 to 1, by the inverse of the curve that `measure` uses."""
    curve = np.where(luminance <= 0.0031308, luminance * 12.92, 1.055 * np.maximum(luminance, 1e-9) ** (1 / 2.4) - 0.055)
    return np.repeat((curve * 255).round().astype(np.uint8)[..., None], 3, axis=2)


def noise(exponent: float, seed: int = 0) -> Picture:
    """Noise whose amplitude falls with the frequency to this power."""
    rng = np.random.default_rng(seed)
    cycles = np.fft.fftfreq(SIDE, 1 / SIDE)
    radius = np.maximum(np.hypot(cycles[:, None], cycles), 1)
    waves = np.fft.ifft2(np.fft.fft2(rng.normal(size=(SIDE, SIDE))) * radius**exponent).real
    return encoded(np.clip(0.5 + 0.12 * (waves - waves.mean()) / waves.std(), 0, 1))


@pytest.mark.parametrize("exponent", [0.0, -1.0, -1.5])
def test_the_slope_is_that_of_the_amplitude_spectrum(exponent: float) -> None:
    assert measure(noise(exponent)).spectral_slope == pytest.approx(exponent, abs=0.1)


def test_a_flat_grey_image_has_nothing() -> None:
    assert measure(np.full((SIDE, SIDE, 3), 90, np.uint8)) == ImageStatistics(0.0, 0.0, 0.0, 0.0, 0.0)


def test_entropy_counts_grey_levels_and_edges_their_pixels() -> None:
    halves = np.zeros((SIDE, SIDE, 3), np.uint8)
    halves[:, SIDE // 2 :] = 255
    found = measure(halves)
    assert found.entropy == pytest.approx(1.0)
    assert found.edge_share == pytest.approx(2 / SIDE)  # the columns on both sides of the edge
    assert found.gradient_kurtosis == pytest.approx(2 * (SIDE - 1), rel=0.02)  # one of so many differences is not 0
    ramp = np.broadcast_to(np.arange(256, dtype=np.uint8)[None, :, None], (256, 256, 3))
    assert measure(ramp).entropy == pytest.approx(8.0)


def test_colourfulness_is_that_of_the_paper() -> None:
    half_red = np.zeros((SIDE, SIDE, 3), np.uint8)
    half_red[: SIDE // 2, :, 0] = 200
    red_green, yellow_blue = np.array([200.0, 0.0]), np.array([100.0, 0.0])
    expected = np.hypot(red_green.std(), yellow_blue.std()) + 0.3 * np.hypot(red_green.mean(), yellow_blue.mean())
    assert measure(half_red).colourfulness == pytest.approx(expected)


def test_it_measures_the_central_square() -> None:
    wide = np.zeros((SIDE, 2 * SIDE, 3), np.uint8)
    wide[:, SIDE // 2 : -SIDE // 2] = noise(-1.0)
    assert measure(wide) == measure(noise(-1.0))
    with pytest.raises(ValueError, match="64 x 64"):
        measure(wide[:60])


def test_distances_are_in_standard_deviations_of_the_other() -> None:
    two = spreads([ImageStatistics(-1, 10, 3, 0.1, 7), ImageStatistics(-2, 10, 3, 0.1, 7)])
    assert (two["spectral_slope"].mean, two["spectral_slope"].deviation) == (-1.5, pytest.approx(0.5**0.5))
    assert Spread(3.0, 1.0).distance(Spread(1.0, 0.5)) == 4.0
    assert Spread(3.0, 1.0).distance(two["colourfulness"]) is None  # it does not vary


def test_the_command_prints_items_and_photographs_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for i in range(3):
        Image.fromarray(noise(-1.2, i).repeat(3, 0).repeat(4, 1)).save(tmp_path / "photos" / f"{i}.png")
    out = done("audit", "cdr/relative-compass-icon", "--pictures", "--photos", tmp_path / "photos", "--n", 40, "--json").out
    (record,) = json.loads(out)
    assert (record["images"], record["side"]) == (40, 200)
    assert record["edge_share_of_photos"]["mean"] < record["edge_share"]["mean"] < 0.5
    text = done("audit", "cdr/relative-compass-icon", "--pictures", "--n", 40).out
    assert "published spectral slope: -1.2" in text
    assert "photographs " not in text.partition("40 images")[2]


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "small").mkdir()
    Image.fromarray(noise(-1.0)[:100, :100]).save(tmp_path / "small" / "a.png")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.jpg").write_bytes(b"no image")
    task = "cdr/relative-compass-icon"
    refused(isovist("audit", task, "--photos", tmp_path / "none"), "--photos", "--pictures")
    refused(isovist("audit", task, "--pictures", "--shortcuts"), "--pictures", "--shortcuts")
    refused(isovist("audit", task, "--pictures", "--photos", tmp_path / "none"), "No photographs", "none")
    refused(isovist("audit", task, "--pictures", "--photos", tmp_path / "small"), "a.png", "100 x 100")
    refused(isovist("audit", task, "--pictures", "--photos", tmp_path / "broken"), "a.jpg", "cannot be decoded")
