"""Small annotated photographs in the forms of other data sets; the pictures are noise, since nothing looks at them."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image


def picture(path: Path, width: int, height: int, seed: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(path.suffix, width, height, seed))


@cache
def encoded(suffix: str, width: int, height: int, seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height // 64 + 1, width // 64 + 1, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).resize((width, height), Image.Resampling.NEAREST).save(out, Image.registered_extensions()[suffix])
    return out.getvalue()


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


Vector = tuple[float, float, float]


def to_json(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def cityscapes(folder: Path, objects: Sequence[dict[str, object]], sensor: Sequence[Sequence[float]] = ()) -> Path:
    """One picture of Cityscapes' size; its sensor looks along the car's x axis unless told otherwise."""
    stem = "ulm/ulm_000001_000019"
    rows = sensor or [[1, 0, 0, -1.7], [0, 1, 0, -0.1], [0, 0, 1, -1.22]]
    annotation = {
        "imgWidth": 2048,
        "imgHeight": 1024,
        "sensor": {"sensor_T_ISO_8855": rows, "fx": 2262.5, "fy": 2265.3, "u0": 1096.98, "v0": 513.1},
        "objects": objects,
    }
    to_json(folder / "gtBbox3d" / "train" / f"{stem}_gtBbox3d.json", annotation)
    picture(folder / "leftImg8bit" / "train" / f"{stem}_leftImg8bit.png", 2048, 1024)
    return folder


def boxed(
    label: str, left: float, quaternion: Sequence[float], center: Sequence[float] = (12.0, 0.0, 0.8), **more: object
) -> dict[str, object]:
    """An object of Cityscapes 3D whose box is 400 pixels wide and high."""
    box = [left, 400, 400, 400]
    solid = {"center": list(center), "dimensions": [4.2, 1.8, 1.5], "rotation": list(quaternion), "type": "Car", "format": "CRS_ISO8855"}
    return {"label": label, "2d": {"modal": box, "amodal": box}, "3d": solid, "occlusion": 0.0, "truncation": 0.0, **more}


def jta(folder: Path, people: dict[int, tuple[Vector, Vector]], hidden: int = 0) -> Path:
    """One frame. Of each person: where the hips' middle is, and the direction to their own left, in JTA's frame (x right, y down, z forward).

    Every joint lies on the person's middle line, but shoulders, elbows, wrists and legs beside it, and the wrists are 0.2 m before it.
    """
    rows: list[list[float]] = []
    heights = {0: -0.75, 1: -0.65, 2: -0.5, 11: -0.1, 12: -0.2, 13: -0.3, 14: -0.4, 15: -0.45}  # above the hips, y down
    sides = {
        3: -0.08,
        4: -0.18,
        5: -0.24,
        6: -0.3,
        7: 0.08,
        8: 0.18,
        9: 0.24,
        10: 0.3,
        16: -0.1,
        17: -0.1,
        18: -0.1,
        19: 0.1,
        20: 0.1,
        21: 0.1,
    }
    side_heights = {
        3: -0.45,
        4: -0.45,
        5: -0.2,
        6: 0.0,
        7: -0.45,
        8: -0.45,
        9: -0.2,
        10: 0.0,
        16: 0.0,
        17: 0.4,
        18: 0.8,
        19: 0.0,
        20: 0.4,
        21: 0.8,
    }
    for who, (hips, left) in people.items():
        for joint in range(22):
            aside, down = sides.get(joint, 0.0), side_heights.get(joint, heights.get(joint, 0.0))
            ahead = 0.2 * (joint in (6, 10))  # facing the camera is -z for one whose left is +x
            x, y, z = hips[0] + aside * left[0] + ahead * left[2], hips[1] + down, hips[2] + aside * left[2] - ahead * left[0]
            rows.append([3, who, joint, 960 + 1158 * x / z, 540 + 1158 * y / z, x, y, z, int(joint < hidden), 0])
    to_json(folder / "annotations" / "train" / "seq_7.json", rows)
    picture(folder / "frames" / "train" / "seq_7" / "3.jpg", 1920, 1080)
    return folder


def room(folder: Path, furniture: Sequence[tuple[str, Sequence[Sequence[float]], Vector, Sequence[float]]]) -> Path:
    """A scene of 3D-FUTURE: category, rotation, translation and box of each piece."""
    names = sorted({name for name, *_ in furniture})
    dataset = {
        "images": [{"id": 4, "file_name": "0000004", "width": 1200, "height": 1200}],
        "categories": [{"id": i, "category_name": name} for i, name in enumerate(names)],
        "annotations": [
            {
                "id": i,
                "image_id": 4,
                "category_id": names.index(name),
                "bbox": list(box),
                "fov": 0.9,
                "pose": {"rotation": turn, "translation": at, "fov": 0.9},
            }
            for i, (name, turn, at, box) in enumerate(furniture)
        ],
    }
    to_json(folder / "train_set.json", dataset)
    picture(folder / "image" / "0000004.jpg", 1200, 1200)
    return folder


def objectron(folder: Path, category: str, axes: tuple[Vector, Vector, Vector], *, visibility: float = 1.0, swapped: bool = False) -> Path:
    """One frame, 480 x 640, of a cube with edges of 0.4 m, a metre before the camera. `axes`: where its x, y and z point, with x right, y up and
    z out of the picture. The focal length is 500 pixels.
    """
    signs = [(0, 0, 0)] + [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    points = b""
    for number, sign in enumerate(signs):
        x, y, z = (0.2 * sum(s * axis[i] for s, axis in zip(sign, axes, strict=True)) - (i == 2) for i in range(3))
        u, v = (240 + 500 * x / -z) / 480, (320 - 500 * y / -z) / 640
        # the sensor's x is down in the picture, its y is right
        space = real(1, -y) + real(2, x) + real(3, z)
        flat = real(1, v if swapped else u) + real(2, u if swapped else v) + real(3, -z)
        points += held(2, integer(1, number) + held(2, space) + held(3, flat))
    frame = integer(1, 12) + held(2, integer(1, 5) + points + real(3, visibility)) + held(3, b"")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "batch-1_3_0.pbdata").write_bytes(held(1, integer(1, 5) + held(2, category.encode())) + held(2, frame))
    picture(folder / "batch-1_3_0" / "0012.jpg", 480, 640)
    return folder


def nocs(folder: Path, objects: Sequence[tuple[int, Sequence[float], np.ndarray]]) -> Path:
    """One picture of REAL275: class, box as top, left, bottom, right, and the matrix of each object."""
    folder.mkdir(parents=True, exist_ok=True)
    classes, boxes, poses = zip(*objects, strict=True)
    np.savez(
        folder / "results_real_test_scene_2_0007.npz",
        gt_class_ids=np.array(classes),
        gt_bboxes=np.array(boxes, float),
        gt_RTs=np.array(poses),
    )
    picture(folder / "real_test" / "scene_2" / "0007_color.png", 640, 480)
    return folder


def coco(folder: Path, objects: Sequence[tuple[str, Sequence[float], str | None]]) -> tuple[Path, Path]:
    """One picture of COCO: category, box as left, top, width, height, and what it is labelled with; and the file of labels."""
    names = sorted({name for name, *_ in objects})
    dataset = {
        "images": [{"id": 9, "file_name": "000000000009.jpg", "width": 640, "height": 480}],
        "categories": [{"id": 20 + i, "name": name} for i, name in enumerate(names)],
        "annotations": [
            {"id": 100 + i, "image_id": 9, "category_id": 20 + names.index(name), "bbox": list(box), "iscrowd": 0}
            for i, (name, box, _) in enumerate(objects)
        ],
    }
    to_json(folder / "annotations" / "instances_val2017.json", dataset)
    picture(folder / "val2017" / "000000000009.jpg", 640, 480)
    labels = folder / "labels.csv"
    labels.write_text("annotation,facing\n" + "".join(f"{100 + i},{label}\n" for i, (*_, label) in enumerate(objects) if label is not None))
    return folder, labels
