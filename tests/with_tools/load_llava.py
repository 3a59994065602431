"""EXPORT MIX FORMAT FOLDER: loads those examples of an export that have at most one picture with LLaVA 1.5's own data set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import tiny_vlm
from absent import _Module, stand_in

stand_in("torchvision")
for name in ("llava.model", "llava.train.llava_trainer"):  # written for a transformers of long ago
    sys.modules[name] = _Module(name)

from llava.train import train  # noqa: E402
from transformers import AutoProcessor  # noqa: E402

from isovist.data.dataset.mixture import read_examples  # noqa: E402

export, mix, _, folder = sys.argv[1:]
tiny_vlm.llava(Path(folder) / "model")
processor = AutoProcessor.from_pretrained(f"{folder}/model")
processor.tokenizer.legacy = True  # it asks, of tokenizers of its time
listed = json.loads((Path(export) / "llava.json").read_text(encoding="utf-8"))
wanted = list(read_examples(Path(mix)))
assert [len(one.images) for one in wanted] == [len(told) if isinstance(told := entry.get("image", []), list) else 1 for entry in listed]
told = SimpleNamespace(image_folder=export, image_processor=processor.image_processor, image_aspect_ratio="square", is_multimodal=True)
told.mm_use_im_start_end = False
loaded = train.LazySupervisedDataset(f"{export}/llava.json", processor.tokenizer, told)
count = 0
for i, one in enumerate(wanted):
    if len(one.images) < 2:
        row = loaded[i]
        assert (row["input_ids"] == train.IMAGE_TOKEN_INDEX).sum() == len(one.images)
        count += 1
print("loaded", count)
