"""EXPORT MIX FORMAT FOLDER: loads an export with OpenRLHF's own data set, and scores responses through its own executor.

The package `openrlhf` imports deepspeed and vLLM at its top, so its files are loaded without it.
"""

from __future__ import annotations

import asyncio
import io
import sys
import types
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tiny_vlm
from absent import stand_in
from PIL import Image

stand_in("torchvision")

place = Path(find_spec("openrlhf").submodule_search_locations[0])
for name in ("openrlhf", "openrlhf.utils", "openrlhf.datasets"):
    package = types.ModuleType(name)
    package.__path__ = [str(place.joinpath(*name.split(".")[1:]))]
    sys.modules[name] = package

from datasets import load_dataset  # noqa: E402
from openrlhf.datasets.prompts_dataset import PromptDataset  # noqa: E402
from openrlhf.utils.agent import SingleTurnAgentExecutor  # noqa: E402
from openrlhf.utils.vlm_utils import load_images  # noqa: E402
from transformers import AutoProcessor  # noqa: E402

from isovist.core.answers import read_key  # noqa: E402
from isovist.data.dataset.mixture import read_examples  # noqa: E402
from isovist.training.rewards import openrlhf  # noqa: E402

export, mix, _, folder = sys.argv[1:]
rows = load_dataset("json", data_files=f"{export}/openrlhf.jsonl", split="train", cache_dir=f"{folder}/cache")
tiny_vlm.llava(Path(folder) / "model")
processor = AutoProcessor.from_pretrained(f"{folder}/model")
data = SimpleNamespace(input_key="input", label_key="label", image_key="images", apply_chat_template=True)
strategy = SimpleNamespace(args=SimpleNamespace(data=data), is_rank_0=lambda: True)
wanted = [one for one in read_examples(Path(mix)) if one.key]


class Engine:
    """Answers with given tokens."""

    def __init__(self, tokens: list[int]) -> None:
        self.output = SimpleNamespace(token_ids=tokens, finish_reason="stop", logprobs=None)

    async def generate(self, *_: Any, **__: Any) -> SimpleNamespace:
        return SimpleNamespace(outputs=[self.output])


executor = SingleTurnAgentExecutor(openrlhf.__file__)
loaded = PromptDataset(rows, processor, strategy)
assert len(loaded) == len(wanted)
for one, (source, prompt, label, images) in zip(wanted, map(loaded.__getitem__, range(len(loaded))), strict=True):
    assert (source, label) == (one.source, one.key)
    shown = [image.convert("RGB").tobytes() for image in load_images(images)]
    assert shown == [Image.open(io.BytesIO(image)).convert("RGB").tobytes() for image in one.images]
    key = read_key(label)
    for text, reward in ((f"Answer: {key.canonical()}", 1.0), (f"Answer: {key.wrong_answers()[0]}", 0.0), ("", 0.0)):
        engine = Engine(processor.tokenizer(text, add_special_tokens=False)["input_ids"])
        sampling = SimpleNamespace(max_tokens=64, logprobs=None)
        output = asyncio.run(executor.execute(prompt, label, sampling, 100_000, processor, engine, images))
        assert output["reward"] is not None, (prompt, text)
        assert float(output["reward"]) == float(output["scores"]) == reward, (prompt, text)
print("loaded", len(wanted))
