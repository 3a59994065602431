"""Small annotated photographs in the forms of other data sets; the pictures are noise, since nothing looks at them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image


def picture(path: Path, width: int, height: int, seed: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), dtype=np.uint8)
    Image.fromarray(pixels).resize((width, height), Image.Resampling.BICUBIC).save(path)


def kitti(folder: Path, **labels: Sequence[str]) -> Path:
    """`training/label_2/NAME.txt` and pictures of KITTI's size."""
    for name, lines in labels.items():
        file = folder / "training" / "label_2" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))
        picture(folder / "training" / "image_2" / f"{name}.png", 1242, 375)
    return folder


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def integer(key: int, value: int) -> bytes:
    return varint(key << 3) + varint(value)


def real(key: int, value: float) -> bytes:
    return varint(key << 3 | 5) + struct.pack("<f", value)


def held(key: int, value: bytes) -> bytes:
    return varint(key << 3 | 2) + varint(len(value)) + value
