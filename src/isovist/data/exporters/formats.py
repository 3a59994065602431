"""The export formats: purpose, input, and changes that the tool makes to the images.

`isovist export --help` and the table in the documentation are generated from this list. The writer modules are imported on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Takes = Literal["examples", "judged", "rows"]
"""Input of a format: examples; examples with a key for rewards ("judged"); or the rows of a dataset folder, for an evaluation."""


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    module: str
    """Module in this package; its function `write` writes the folder."""
    tool: str
    takes: Takes
    summary: str
    checked: str
    """How the compatibility with the tool is tested."""
    warning: str = ""
    """What the tool changes in the images or omits."""


_VLMEVALKIT_PICTURES = (
    "VLMEvalKit re-encodes every image: models behind an API get JPEG with a shorter side of at least 100 pixels, so thin lines "
    "change colour. Set the options of the model, if any, or use `isovist run`."
)
_LIMITS = "{} resizes images outside its limits {} and {}; set these to the sizes of your images."

FORMATS: Mapping[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "hf", "hf", "Hugging Face `datasets`", "examples",
            "Parquet files with the columns of a training mixture; `load_dataset` decodes the images",
            "loaded with `datasets.load_dataset`",
        ),
        Format(
            "trl-sft", "trl", "TRL, `SFTTrainer`", "examples",
            "Parquet: `prompt` and `completion` as messages, `images`; the loss applies to the completion only",
            "loaded with `datasets`, and through TRL's own collator",
        ),
        Format(
            "trl-grpo", "trl", "TRL, `GRPOTrainer`", "judged",
            "Parquet: `prompt` as messages, `images`, and `ground_truth` for the reward function",
            "loaded with `datasets`, and through TRL's own preparation of messages",
        ),
        Format(
            "verl", "verl", "verl, PPO and GRPO", "judged",
            "Parquet: `data_source`, `prompt`, `images`, `ability`, `reward_model`, `extra_info`",
            "loaded with verl's own `RLHFDataset`",
        ),
        Format(
            "easyr1", "easyr1", "EasyR1", "judged",
            "Parquet: `problem`, `answer` (the key), `images`",
            "as documented, and loaded with `datasets` as EasyR1 does; it is on no package index",
            _LIMITS.format("EasyR1", "max_pixels", "min_pixels"),
        ),
        Format(
            "llava", "llava", "LLaVA, LLaVA-NeXT, VLM-R1", "examples",
            "one JSON list of `conversations`, images as files",
            "loaded with LLaVA 1.5's own dataset class, except for examples with several images",
            "LLaVA 1.5's own loader takes one picture an example and moves it to the front; LLaVA-NeXT's takes several.",
        ),
        Format(
            "llama-factory", "llama_factory", "LLaMA-Factory", "examples",
            "ShareGPT messages as JSON lines with their entry in `dataset_info.json`, images as files",
            "loaded with LLaMA-Factory's own loader and converter",
            _LIMITS.format("LLaMA-Factory", "image_max_pixels", "image_min_pixels"),
        ),
        Format(
            "vlmevalkit", "vlmevalkit", "VLMEvalKit", "rows",
            "TSV with images as base64, one file for choices and one for other answers, with a module that scores them",
            "run with VLMEvalKit, with its own classes and with Isovist's module",
            _VLMEVALKIT_PICTURES,
        ),
        Format(
            "lmms-eval", "lmms_eval", "lmms-eval", "rows",
            "one YAML file per task and one for the group, Parquet, with a module that scores every answer",
            "run with lmms-eval",
            "lmms-eval decodes every picture; most of its models encode it again, some as JPEG, and resize it to their own limits.",
        ),
        Format(
            "evalscope", "evalscope", "evalscope, `general_vmcq` and `general_vqa`", "rows",
            "Parquet, one file per task; import answers other than choices with `isovist import predictions` to score them",
            "run with evalscope",
        ),
        Format(
            "folder", "folder", "anything else", "examples",
            "images as files and one file of JSON lines",
            "read with Python's `json` and Pillow",
        ),
    )
}  # fmt: skip


def table() -> str:
    """Return the formats as a Markdown table for the documentation."""
    lines = ["| `--format` | for | what is written | takes |", "|---|---|---|---|"]
    words: dict[Takes, str] = {"examples": "examples", "judged": "examples with a key", "rows": "items of a dataset folder"}
    lines += [f"| `{entry.name}` | {entry.tool} | {entry.summary} | {words[entry.takes]} |" for entry in FORMATS.values()]
    return "\n".join(lines)
