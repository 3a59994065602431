"""EXPORT MIX FORMAT FOLDER: loads an export with verl's own data set."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from absent import stand_in
from PIL import Image

stand_in("torchvision")

from omegaconf import OmegaConf  # noqa: E402
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn  # noqa: E402

from isovist.core.answers import from_json  # noqa: E402
from isovist.data.dataset.mixture import read_examples  # noqa: E402
from isovist.training.verl_dataset import StreamDataset  # noqa: E402

export, mix, _, folder = sys.argv[1:]
files = sorted(map(str, Path(export).glob("*.parquet")))
config = OmegaConf.create({"cache_dir": f"{folder}/cache", "filter_overlong_prompts": False, "image_key": "images"})
processor = SimpleNamespace(image_processor=SimpleNamespace(patch_size=14))  # what is asked of it before a rollout
loaded = RLHFDataset(files, tokenizer=None, config=config, processor=processor)
wanted = [one for one in read_examples(Path(mix)) if one.key]
assert len(loaded) == len(wanted)
for i, one in enumerate(wanted):
    row = loaded[i]
    (message,) = row["raw_prompt"]
    found = [part["image"] for part in message["content"] if part["type"] == "image"]
    assert [image.tobytes() for image in found] == [Image.open(io.BytesIO(image)).convert("RGB").tobytes() for image in one.images]
    assert "".join("<image>" if part["type"] == "image" else part["text"] for part in message["content"]) == one.asked[0].content
    assert from_json(json.loads(row["reward_model"]["ground_truth"])) == one.answer
    assert (row["data_source"], row["index"], row["extra_info"]["id"]) == (one.source, i, one.id)
assert len(collate_fn([loaded[0], loaded[1]])["raw_prompt"]) == 2
of_files = StreamDataset(files, tokenizer=None, config=config, processor=processor)  # as verl makes it for validation
assert (len(of_files), of_files[0]["extra_info"], of_files.state_dict()) == (len(loaded), loaded[0]["extra_info"], {})
print("loaded", len(wanted))
