"""General data in LLaVA's JSON, made up, with pictures; some of it cannot be used."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def talk(*turns: str) -> list[dict[str, str]]:
    return [{"from": ("human", "gpt")[k % 2], "value": text} for k, text in enumerate(turns)]


def picture(seed: int, kind: str) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, kind)
    return file.getvalue()


def good(images: Path, n: int) -> list[dict[str, Any]]:
    """`n` records that can be used: with one picture, with two, with none, going round."""
    (images / "coco").mkdir(parents=True, exist_ok=True)
    records: list[dict[str, Any]] = []
    for k in range(n):
        names = [f"coco/{k}-{i}.{('jpg', 'png')[i]}" for i in range((1, 2, 0)[k % 3])]
        for i, name in enumerate(names):
            (images / name).write_bytes(picture(10 * k + i, ("JPEG", "PNG")[i]))
        marks = "<image>\n" * len(names)
        record: dict[str, Any] = {"id": f"r{k}", "conversations": talk(f"{marks}What of {k}?", f"It is {k}.", "And now?", "Now é.")}
        if names:
            record["image"] = names[0] if len(names) == 1 else names
        records.append(record)
    return records


ONE = talk("<image>\nWhat?", "This.")
BAD: dict[str, Any] = {
    "the image is missing": {"id": "b", "image": "coco/none.jpg", "conversations": ONE},
    "the numbers of <image> placeholders and images differ": {"id": "b", "conversations": ONE},
    "an image path leaves the folder": {"id": "b", "image": "../secret.png", "conversations": ONE},
    "the image cannot be decoded": {"id": "b", "image": "coco/cut.jpg", "conversations": ONE},
    "the image cannot be read": {"id": "b", "image": "coco", "conversations": ONE},
    "no conversation": {"id": "b", "image": "coco/0-0.jpg"},
    "a turn is empty": {"id": "b", "conversations": talk("Hello?", " ")},
    "the role of a turn is not human, gpt or system": {"id": "b", "conversations": [{"from": "robot", "value": "Hello"}]},
    "the turns of human and gpt do not alternate": {"id": "b", "conversations": talk("Hello?")},
    "an image placeholder outside of a human turn": {"id": "b", "conversations": talk("Hello?", "<image>")},
    "an image name is not text": {"id": "b", "image": 3, "conversations": ONE},
    "not a record": ["b"],
}


def bad(images: Path) -> list[Any]:
    """One record for each reason for which one cannot be used."""
    (images.parent / "secret.png").write_bytes(picture(0, "PNG"))
    (images / "coco" / "cut.jpg").write_bytes(picture(1, "JPEG")[:300])
    return list(BAD.values())


def written(path: Path, records: list[Any]) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path
