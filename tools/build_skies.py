# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "openexr==3.5.3", "pillow==13.0.0"]
# ///
"""Builds the sky panoramas from the environment pictures of Debian's blender-data (CC0, by Poly Haven).

    uv run tools/build_skies.py                 # fetch the package with `apt-get download` (a bookworm machine)
    uv run tools/build_skies.py --deb FILE.deb  # or take it from here; its hash is checked in both cases

A panorama is equirectangular, 1024 x 512, as seen from inside: the top row looks up (+Y), the middle column along -Z,
columns to the right of it towards +X. The manifest tells where the brightest light stands: a unit vector towards it, its
yaw (degrees about +Y, 0 at +Z, 90 at +X) and its elevation above the horizon. Needs `dpkg-deb`.
"""

# OpenEXR carries no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import argparse
import hashlib
import io
import json
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import attribution_texts
import numpy as np
import OpenEXR
from numpy.typing import NDArray
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
SKIES = ROOT / "src/isovist/world/assets/skies"
PACKAGE, VERSION = "blender-data", "3.4.1+dfsg-2"
SHA256 = "5ceaf56a49ba3ded95c751d739aeec3d19e7fad76fba5cb70666986af9303b0e"
INSIDE = "usr/share/blender/datafiles/studiolights/world"
# name here, name there, what it shows, exposure before tone mapping
NAMES = (
    ("city", "city", "outdoors", 1.0),
    ("courtyard", "courtyard", "outdoors", 0.6),
    ("forest", "forest", "outdoors", 1.0),
    ("interior", "interior", "indoors", 1.0),
    ("sunrise", "sunrise", "outdoors", 1.0),
    ("sunset", "sunset", "outdoors", 1.0),
)
WIDTH, HEIGHT = 1024, 512
LIMIT = 200_000  # bytes of one file
BRIGHT = 0.999  # the quantile of brightness from which a pixel belongs to the light
BLACK, SHINING = 0.001, 3.0  # times the median of a picture, of red and green and of all colours, see `mended`


def brightest(light: NDArray[np.float64]) -> tuple[float, float]:
    """Yaw and elevation in degrees of the middle of the brightest pixels, weighed by area and excess brightness."""
    height, width = light.shape
    rows, columns = (np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width
    elevation, aside = np.pi * (0.5 - rows)[:, None], 2 * np.pi * (columns - 0.5)[None, :]
    floor = np.quantile(light, BRIGHT)
    weight = np.clip(light - floor, 0, None) * np.cos(elevation)
    x = (weight * np.cos(elevation) * np.sin(aside)).sum()
    y = (weight * np.sin(elevation)).sum()
    z = (weight * np.cos(elevation) * -np.cos(aside)).sum()
    return math.degrees(math.atan2(x, z)), math.degrees(math.atan2(y, math.hypot(x, z)))


def mended(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The picture without the black pixels that a resampling left in suns and lamps: the median of the pixels around them instead."""
    usual, out = float(np.median(linear.mean(axis=2))), linear.copy()
    for row, column in np.argwhere((linear[:, :, :2] < BLACK * usual).any(axis=2)):
        around = linear[max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3].reshape(-1, 3)
        shining = np.median(around[(around[:, :2] >= BLACK * usual).all(axis=1)], axis=0)
        if shining.mean() > SHINING * usual:
            out[row, column] = shining
    return out


def toned(linear: NDArray[np.float64], exposure: float) -> Image.Image:
    """The picture in 8-bit sRGB: its median brought to a middle grey, highlights rolled off."""
    scaled = linear * exposure * 0.18 / max(float(np.median(linear.mean(axis=2))), 1e-6)
    rolled = scaled * (1 + scaled / 36) / (1 + scaled)
    coded = np.where(rolled <= 0.0031308, 12.92 * rolled, 1.055 * np.clip(rolled, 1e-9, None) ** (1 / 2.4) - 0.055)
    return Image.fromarray((255 * np.clip(coded, 0, 1)).round().astype(np.uint8))


def jpeg(image: Image.Image) -> bytes:
    """The best quality that keeps within LIMIT. Raises SystemExit if none does."""
    for quality in range(92, 50, -4):
        held = io.BytesIO()
        image.save(held, format="JPEG", quality=quality)
        if held.tell() <= LIMIT:
            return held.getvalue()
    raise SystemExit(f"no quality keeps a sky within {LIMIT} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deb", type=Path, help="the Debian package, already fetched")
    deb: Path | None = parser.parse_args().deb
    SKIES.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if deb is None:
            subprocess.run(["apt-get", "download", f"{PACKAGE}={VERSION}"], cwd=folder, check=True)
            (deb,) = folder.glob("*.deb")
        digest = hashlib.sha256(deb.read_bytes()).hexdigest()
        if digest != SHA256:
            raise SystemExit(f"{deb.name} is {digest}, this script pins {SHA256}")
        subprocess.run(["dpkg-deb", "-x", str(deb), str(folder / "deb")], check=True)
        for name, file_stem, shows, exposure in NAMES:
            file = folder / "deb" / INSIDE / f"{file_stem}.exr"
            linear = np.asarray(OpenEXR.File(str(file)).channels()["RGB"].pixels, float)[:, :, :3]
            if linear.shape[:2] != (HEIGHT, WIDTH):
                raise SystemExit(f"{file_stem}.exr is {linear.shape[1]} x {linear.shape[0]}")
            yaw, elevation = brightest(linear.mean(axis=2))
            a, e = math.radians(yaw), math.radians(elevation)
            towards = [math.sin(a) * math.cos(e), math.sin(e), math.cos(a) * math.cos(e)]
            without_rings = mended(linear)
            filled = "" if np.array_equal(without_rings, linear) else "black pixels in the lights filled in, "
            data = jpeg(toned(without_rings, exposure))
            (SKIES / f"{name}.jpg").write_bytes(data)
            rows.append(
                {
                    "id": name,
                    "shows": shows,
                    "light": {"yaw": round(yaw, 1), "elevation": round(elevation, 1), "towards": [round(v, 4) for v in towards]},
                    "licence": "CC0-1.0",
                    "creator": "Greg Zaal, Poly Haven",
                    "source": f"{PACKAGE}: {INSIDE}/{file_stem}.exr",
                    "changes": f"{filled}tone-mapped to 8 bits, written as JPEG",
                    "sha256": hashlib.sha256(data).hexdigest(),
                }
            )
    lines = ",\n".join(json.dumps(row) for row in rows)
    (SKIES / "manifest.json").write_text(f'{{"format": 1, "skies": [\n{lines}\n]}}\n', encoding="utf-8", newline="\n")
    attribution_texts.write()
    print(f"{len(rows)} skies, {sum(path.stat().st_size for path in SKIES.glob('*.jpg')) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
