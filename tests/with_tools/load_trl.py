"""EXPORT MIX FORMAT FOLDER: loads an export with TRL's own preparation of messages and, for trl-sft, its own collator."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import tiny_vlm
from absent import stand_in
from PIL import Image

stand_in("torchvision")

import datasets  # noqa: E402
from transformers import AutoProcessor  # noqa: E402
from trl.data_utils import is_conversational, prepare_multimodal_messages  # noqa: E402
from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling  # noqa: E402

from isovist.data.dataset.mixture import read_examples  # noqa: E402
from isovist.data.exporters.file_writers import pieces  # noqa: E402

export, mix, to, folder = sys.argv[1:]
loaded = datasets.load_dataset(export, split="train", cache_dir=f"{folder}/cache")
wanted = [one for one in read_examples(Path(mix)) if one.key or to == "trl-sft"]
assert len(loaded) == len(wanted)


def shown(part: dict[str, Any]) -> object:
    """A part of a message: the pixels of a picture, or words."""
    return part["image"].convert("RGB").tobytes() if part["type"] == "image" else part["text"]


for one, row in zip(wanted, loaded, strict=True):
    assert is_conversational(row)
    images = iter(Image.open(io.BytesIO(image)).convert("RGB").tobytes() for image in one.images)
    messages = prepare_multimodal_messages(row["prompt"], images=row["images"])
    said = [(turn.role, [next(images) if piece is None else piece for piece in pieces(turn.content)]) for turn in one.asked]
    assert [(message["role"], [shown(part) for part in message["content"]]) for message in messages] == said
    if to == "trl-grpo":
        assert row["ground_truth"] == one.key
if to == "trl-sft":
    tiny_vlm.llava(Path(folder) / "model")
    processor = AutoProcessor.from_pretrained(f"{folder}/model")
    collator = DataCollatorForVisionLanguageModeling(processor=processor, max_length=None, completion_only_loss=True)
    for one, row in zip(wanted, loaded, strict=True):
        batch = collator([dict(row)])
        learnt = batch["labels"][0][batch["labels"][0] != -100]
        assert one.reply in processor.tokenizer.decode(learnt)
        assert one.asked[-1].content[-40:] not in processor.tokenizer.decode(learnt)
        tokens = (batch["input_ids"][0] == processor.tokenizer.convert_tokens_to_ids("<image>")).sum()
        assert tokens == tiny_vlm.IMAGE_TOKENS["llava"] * len(one.images)
print("loaded", len(wanted))
