"""Exports of training examples, one function for each format.

Sources of the columns and fields: https://huggingface.co/docs/trl (dataset formats), version 1.16; https://verl.readthedocs.io (data
preparation), version 0.9; the README of https://github.com/hiyouga/EasyR1 (custom dataset); https://github.com/haotian-liu/LLaVA
(docs/Finetune_Custom_Data.md), lists of images as in LLaVA-NeXT and VLM-R1; https://github.com/hiyouga/LLaMA-Factory (data/README.md),
version 0.9.5; https://github.com/OpenRLHF/OpenRLHF (datasets/prompts_dataset.py), version 0.11; https://github.com/NVIDIA-NeMo/Gym
(resources_servers), version 0.5.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.data.dataset.pictures import data_url
from isovist.data.dataset.training_examples import EXAMPLES, ChatMessage, TrainingExample
from isovist.data.exporters.export_source import style_of
from isovist.data.exporters.file_writers import (
    PICTURE,
    TEXT,
    example_pictures,
    json_lines,
    json_list,
    messages,
    parquet,
    picture_files,
    pieces,
    schema,
)

_PARTS = pa.list_(pa.struct([("role", TEXT), ("content", pa.list_(pa.struct([("type", TEXT), ("text", TEXT)])))]))
_ABOUT = {"id": TEXT, "kind": TEXT, "source": TEXT, "level": TEXT}
_TRL_SFT = schema(prompt=_PARTS, completion=_PARTS, images=pa.list_(PICTURE), **_ABOUT)
_TRL_GRPO = schema(prompt=_PARTS, images=pa.list_(PICTURE), ground_truth=TEXT, style=TEXT, **_ABOUT)
_VERL = schema(
    data_source=TEXT,
    prompt=pa.list_(pa.struct([("role", TEXT), ("content", TEXT)])),
    images=pa.list_(PICTURE),
    ability=TEXT,
    reward_model=pa.struct([("style", TEXT), ("ground_truth", TEXT)]),
    extra_info=pa.struct(
        [("split", TEXT), ("index", pa.int64()), ("id", TEXT), ("level", TEXT), ("style", TEXT), ("answer", TEXT), ("question", TEXT)]
    ),
)
_EASYR1 = schema(problem=TEXT, answer=TEXT, images=pa.list_(PICTURE), style=TEXT, id=TEXT, source=TEXT, level=TEXT)
_LLAMA_FACTORY = {
    "isovist": {
        "file_name": "isovist.jsonl",
        "formatting": "sharegpt",
        "columns": {"messages": "messages", "images": "images"},
        "tags": {
            "role_tag": "role",
            "content_tag": "content",
            "user_tag": "user",
            "assistant_tag": "assistant",
            "system_tag": "system",
        },
    }
}
"""The entry of `dataset_info.json` that names the columns."""


def export_hf(examples: Iterable[TrainingExample], folder: Path) -> None:
    """The columns of a mixture in Parquet files, with a card that `datasets.load_dataset` reads."""
    rows = (
        {**_about(example), "images": example_pictures(example), "turns": messages(example.turns), "key": example.key}
        for example in examples
    )
    parquet(rows, EXAMPLES, folder)


def export_folder(examples: Iterable[TrainingExample], folder: Path) -> None:
    """Images as files, and one JSON line per example."""
    entries = (
        {
            **_about(example),
            "images": picture_files(example.images, folder),
            "turns": messages(example.turns),
            "key": json.loads(example.key) if example.key else None,
        }
        for example in examples
    )
    json_lines(entries, folder / "examples.jsonl")


def _about(example: TrainingExample) -> dict[str, Any]:
    return {"id": example.id, "kind": example.kind, "source": example.source, "level": example.level}


def export_trl_sft(examples: Iterable[TrainingExample], folder: Path) -> None:
    """`prompt` and `completion` as messages with a list of parts, so every image is at its position in the text.

    TRL moves all images to the start of messages with plain text content. `SFTTrainer` computes the loss on the completion only.
    """
    parquet(({"completion": _in_parts(example.turns[-1:]), **_prompt_row(example)} for example in examples), _TRL_SFT, folder)


def export_trl_grpo(examples: Iterable[TrainingExample], folder: Path) -> None:
    """`prompt` as for `SFTTrainer`; `GRPOTrainer` passes `ground_truth` to the reward function as a keyword."""
    parquet(({"ground_truth": example.key, "style": style_of(example), **_prompt_row(example)} for example in examples), _TRL_GRPO, folder)


def _prompt_row(example: TrainingExample) -> dict[str, Any]:
    return {"prompt": _in_parts(example.asked), "images": example_pictures(example), **_about(example)}


def _in_parts(turns: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    return [
        {
            "role": turn.role,
            "content": [{"type": "text" if piece is not None else "image", "text": piece} for piece in pieces(turn.content)],
        }
        for turn in turns
    ]


def export_verl(examples: Iterable[TrainingExample], folder: Path) -> None:
    """The prompt as messages, ``<image>`` in their text, and the key as input of `compute_score`."""
    parquet((verl_row(example, index) for index, example in enumerate(examples)), _VERL, folder)


def verl_row(example: TrainingExample, index: int) -> dict[str, Any]:
    """The row of an example for verl, with its number."""
    return {
        "data_source": example.source,
        "prompt": messages(example.asked),
        "images": example_pictures(example),
        "ability": example.source.partition("/")[0],
        "reward_model": {"style": "rule", "ground_truth": example.key},
        "extra_info": {
            "split": "train",
            "index": index,
            "id": example.id,
            "level": example.level,
            "style": style_of(example),
            "answer": example.answer.canonical() if example.answer else "",
            "question": example.asked[-1].content,
        },
    }


def export_easyr1(examples: Iterable[TrainingExample], folder: Path) -> None:
    """`problem`, `answer` and `images`. `answer` is the typed key; the reward gets it as `ground_truth`."""
    rows = (
        {
            "problem": "\n\n".join(turn.content for turn in example.asked),
            "answer": example.key,
            "images": example_pictures(example),
            "style": style_of(example),
            "id": example.id,
            "source": example.source,
            "level": example.level,
        }
        for example in examples
    )
    parquet(rows, _EASYR1, folder)


def export_openrlhf(examples: Iterable[TrainingExample], folder: Path) -> None:
    """`input` as messages with ``<image>`` in their text, `label`, which is the typed key, and `images` as data URLs."""
    entries = (
        {
            "input": messages(example.asked),
            "label": example.key,
            "images": [data_url(image) for image in example.images],
            "datasource": example.source,
            "id": example.id,
        }
        for example in examples
    )
    json_lines(entries, folder / "openrlhf.jsonl")


def export_nemo_gym(examples: Iterable[TrainingExample], folder: Path) -> None:
    """`responses_create_params` with the images as data URLs at their positions, and the inputs of `verify`."""
    json_lines(map(_nemo_gym_row, examples), folder / "nemo_gym.jsonl")


def _nemo_gym_row(example: TrainingExample) -> dict[str, Any]:
    images = ({"type": "input_image", "image_url": data_url(image), "detail": "auto"} for image in example.images)
    talk = [
        {
            "role": turn.role,
            "content": [next(images) if piece is None else {"type": "input_text", "text": piece} for piece in pieces(turn.content)],
        }
        for turn in example.asked
    ]
    return {
        "responses_create_params": {"input": talk},
        "ground_truth": example.key,
        "style": style_of(example),
        "id": example.id,
        "agent_ref": {"type": "responses_api_agents", "name": "isovist_simple_agent"},
    }


def export_llava(examples: Iterable[TrainingExample], folder: Path) -> None:
    """One JSON list of conversations between `human` and `gpt`; `image` is a path or a list of paths."""
    json_list((_conversation(example, picture_files(example.images, folder)) for example in examples), folder / "llava.json")


def _conversation(example: TrainingExample, paths: list[str]) -> dict[str, Any]:
    conversations: list[dict[str, str]] = []
    before = ""
    for turn in example.turns:
        if turn.role == "system":  # LLaVA has its own system prompt and only two roles
            before += f"{turn.content}\n"
            continue
        conversations.append({"from": "human" if turn.role == "user" else "gpt", "value": before + turn.content})
        before = ""
    image = {"image": paths[0] if len(paths) == 1 else paths} if paths else {}
    return {"id": example.id, **image, "conversations": conversations}


def export_llama_factory(examples: Iterable[TrainingExample], folder: Path) -> None:
    """ShareGPT messages in JSON Lines, with image paths relative to the folder."""
    entries = (
        {
            "messages": messages(example.turns),
            "images": picture_files(example.images, folder),
            "id": example.id,
            "source": example.source,
        }
        for example in examples
    )
    json_lines(entries, folder / "isovist.jsonl")
    (folder / "dataset_info.json").write_text(json.dumps(_LLAMA_FACTORY, indent=2) + "\n", encoding="utf-8")
