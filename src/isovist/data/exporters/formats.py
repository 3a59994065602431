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
    """Module in this package; its function `export_NAME` writes the folder."""
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
            "hf", "training_writers", "Hugging Face `datasets`", "examples",
            "Parquet files with the columns of a training mixture; `load_dataset` decodes the images",
            "loaded with `datasets.load_dataset`",
        ),
        Format(
            "trl-sft", "training_writers", "TRL, `SFTTrainer`", "examples",
            "Parquet: `prompt` and `completion` as messages, `images`; the loss applies to the completion only",
            "loaded with `datasets`, and through TRL's own collator",
        ),
        Format(
            "trl-grpo", "training_writers", "TRL, `GRPOTrainer`", "judged",
            "Parquet: `prompt` as messages, `images`, and `ground_truth` for the reward function",
            "loaded with `datasets`, and through TRL's own preparation of messages",
        ),
        Format(
            "verl", "training_writers", "verl, PPO and GRPO", "judged",
            "Parquet: `data_source`, `prompt`, `images`, `ability`, `reward_model`, `extra_info`",
            "loaded with verl's own `RLHFDataset`",
        ),
        Format(
            "easyr1", "training_writers", "EasyR1", "judged",
            "Parquet: `problem`, `answer` (the key), `images`",
            "as documented, and loaded with `datasets` as EasyR1 does; it is on no package index",
            _LIMITS.format("EasyR1", "max_pixels", "min_pixels"),
        ),
        Format(
            "openrlhf", "training_writers", "OpenRLHF", "judged",
            "JSON lines: `input` as messages, `label` (the key), `images` as data URLs",
            "loaded with OpenRLHF's own `PromptDataset`, and scored through its own executor",
        ),
        Format(
            "nemo-gym", "training_writers", "NeMo Gym", "judged",
            "JSON lines: `responses_create_params` with images as data URLs, `ground_truth`, `style`, `agent_ref`",
            "sent to the server in `environments/nemo_gym`, which runs NeMo Gym's own classes",
        ),
        Format(
            "llava", "training_writers", "LLaVA, LLaVA-NeXT, VLM-R1", "examples",
            "one JSON list of `conversations`, images as files",
            "loaded with LLaVA 1.5's own dataset class, except for examples with several images",
            "LLaVA 1.5's own loader takes one picture an example and moves it to the front; LLaVA-NeXT's takes several.",
        ),
        Format(
            "llama-factory", "training_writers", "LLaMA-Factory", "examples",
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
            "folder", "training_writers", "anything else", "examples",
            "images as files and one file of JSON lines",
            "read with Python's `json` and Pillow",
        ),
    )
}  # fmt: skip


_USE_OF_TRL = """```python
from datasets import load_dataset

dataset = load_dataset("{out}", split="train")
```

Keep `max_length=None`: a prompt that is cut loses the marks of its pictures. In `trl-grpo`, `ground_truth` is the typed key as JSON and
`style` the prompt style; the reward function gets both as keywords."""
USE: Mapping[str, str] = {
    "hf": """```python
from datasets import load_dataset

examples = load_dataset("{out}", split="train")
```

`images` are decoded; the n-th `<image>` in the `content` of the turns is the n-th of them. `key` is the typed key as JSON, from which
`isovist.core.answers.from_json` makes an answer that scores replies.""",
    "trl-sft": _USE_OF_TRL,
    "trl-grpo": _USE_OF_TRL,
    "verl": """```sh
python3 -m verl.trainer.main_ppo data.train_files={out}/{first} data.image_key=images ...
```

Several files go into a list. `reward_model.ground_truth` is the typed key as JSON, `data_source` the task.""",
    "easyr1": """```sh
python3 -m verl.trainer.main data.train_files={out} data.prompt_key=problem data.answer_key=answer data.image_key=images data.format_prompt=null ...
```

The folder's path must hold no `@`, which EasyR1 reads as the mark before a split. The prompt asks for its form of reply itself, so
no `format_prompt` is needed. `answer` is the typed key as JSON.""",
    "openrlhf": """```sh
python3 -m openrlhf.cli.train_ppo_ray --data.prompt_dataset {out}/openrlhf.jsonl --data.input_key input --data.label_key label \\
    --data.image_key images --data.max_images_per_prompt 8 --data.apply_chat_template \\
    --reward.remote_url "$(python3 -c 'import isovist.training.rewards.openrlhf as it; print(it.__file__)')" ...
```

`label` is the typed key as JSON. Set `max_images_per_prompt` to at least the largest number of images.""",
    "nemo-gym": """```sh
gym eval run --no-serve --agent isovist_simple_agent --input {out}/nemo_gym.jsonl --output rollouts.jsonl
```

The resource server is in `environments/nemo_gym` of Isovist's repository. `ground_truth` is the typed key as JSON.""",
    "llava": """```sh
--data_path {out}/llava.json --image_folder {out}
```""",
    "llama-factory": """```yaml
dataset_dir: {out}
dataset: isovist
```""",
    "vlmevalkit": """```sh
export LMUData=$(realpath {out})
python3 run.py --data Isovist_choice --model MODEL --judge exact_matching      # its own words and its own reading of letters
python3 $LMUData/isovist_vlmevalkit.py --data Isovist_choice Isovist_open --model MODEL   # our words, our scores; needs isovist installed
```

Run both where VLMEvalKit is. `PRED_FORMAT=json` keeps replies whole, which its usual xlsx cuts off at 32,767 characters.
`isovist import predictions` makes a run of the result files.""",
    "lmms-eval": """```sh
cd {out}
lmms-eval --include_path . --tasks isovist --model MODEL --log_samples --output_path results   # needs isovist installed
```

`isovist_credit` is the mean credit by the parser of Isovist. `isovist_unparsed` is the share of responses without a parsed answer.
`isovist import predictions` makes a run of the samples that `--log_samples` writes.""",
    "evalscope": """```python
from evalscope import TaskConfig, run_task

run_task(TaskConfig(model="MODEL", datasets={datasets}, dataset_args={args}))
```

Leave `max_image_bytes` unset: `isovist import predictions`, which makes a run of the folder that it writes, finds items by the pictures sent.""",
    "folder": """Each line of `examples.jsonl` has `id`, `kind`, `source`, `level`, `images` (paths in this folder), `turns` (`role` and `content`, with one
`<image>` for each picture, in order) and `key` (the typed answer; null for general data).""",
}
"""The use of an export for its README, by format; `{out}` and `{first}` are the names of its folder and its first file."""


def table() -> str:
    """Return the formats as a Markdown table for the documentation."""
    lines = ["| `--format` | for | what is written | takes |", "|---|---|---|---|"]
    words: dict[Takes, str] = {"examples": "examples", "judged": "examples with a key", "rows": "items of a dataset folder"}
    lines += [f"| `{entry.name}` | {entry.tool} | {entry.summary} | {words[entry.takes]} |" for entry in FORMATS.values()]
    return "\n".join(lines)
