"""EXPORT MIX FORMAT FOLDER: loads an export with LLaMA-Factory's own loader and converter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["DISABLE_VERSION_CHECK"] = "1"  # it asks for versions that do not go with the other tools'

from absent import stand_in

stand_in("torchvision", "torchaudio")

from llamafactory.data.loader import _get_merged_dataset  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments  # noqa: E402
from transformers import Seq2SeqTrainingArguments  # noqa: E402

from isovist.data.dataset.mixture import read_examples  # noqa: E402

export, mix, _, folder = sys.argv[1:]
data = DataArguments(dataset="isovist", dataset_dir=export, media_dir=export)
model = ModelArguments(model_name_or_path=folder, cache_dir=f"{folder}/cache")
loaded = _get_merged_dataset(["isovist"], model, data, Seq2SeqTrainingArguments(f"{folder}/out"), stage="sft")
wanted = list(read_examples(Path(mix)))
assert len(loaded) == len(wanted)
for one, row in zip(wanted, loaded, strict=True):
    turns = [turn for turn in one.turns if turn.role != "system"]
    assert [(turn["role"], turn["content"]) for turn in row["_prompt"] + row["_response"]] == [(turn.role, turn.content) for turn in turns]
    assert row["_system"] == "".join(turn.content for turn in one.turns if turn.role == "system")
    assert tuple(Path(path).read_bytes() for path in row["_images"] or ()) == one.images
    assert sum(turn["content"].count("<image>") for turn in row["_prompt"]) == len(one.images)
print("loaded", len(wanted))
