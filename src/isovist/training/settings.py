"""What a run of training is told: a TOML file, read strictly. Paths in it are relative to its own folder."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Literal, get_args

from isovist.errors import UserError
from isovist.json_decoding import decode
from isovist.prompts import STYLES

Objective = Literal["sft", "grpo"]
"""Supervised fine-tuning on replies, or group relative policy optimisation on rewards."""
WAYS: tuple[Objective, ...] = get_args(Objective)
Dtype = Literal["float32", "bfloat16", "float16"]
Schedule = Literal["constant", "linear", "cosine"]
OwnKind = Literal["answer", "reasoning"]


@dataclass(frozen=True, slots=True)
class Model:
    """What is trained."""

    path: str
    """A folder as transformers saves a model, or an id of the Hugging Face hub."""
    dtype: Dtype = "float32"
    """How its weights are held."""
    revision: str = "main"
    template: str = ""
    """A file with a chat template in Jinja, in place of the model's own."""
    trust_remote_code: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    """What it is trained on: a mix folder; or a data folder, whose rows become examples of one kind."""

    path: str
    kind: OwnKind = "answer"
    """What the rows of a data folder teach; the examples of a mix have their kinds."""
    style: str = ""
    """The prompt style in which rows of a data folder are asked; empty for that of the kind."""
    tasks: tuple[str, ...] = ()
    """Ids or globs of tasks of a data folder; all without any."""
    n: int | None = None
    """At most so many examples, chosen by the seed."""


@dataclass(frozen=True, slots=True)
class Method:
    """What of the model changes."""

    kind: Literal["lora", "full"] = "lora"
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    targets: str | tuple[str, ...] = "all-linear"
    """Where adapters go: endings of module names, one regular expression, or all linear layers."""
    whole: tuple[str, ...] = ()
    """Modules that are trained whole beside the adapters, by the endings of their names."""
    frozen: tuple[str, ...] = ()
    """For `full`: parts of the names of parameters that stay as they are, such as ``vision_tower``."""


@dataclass(frozen=True, slots=True)
class TrainingArguments:
    """How long and how fast. One of `epochs` and `steps`."""

    epochs: float | None = None
    steps: int | None = None
    batch: int = 8
    """Rows on one device at a time; for GRPO these are replies."""
    accumulate: int = 1
    """Batches to a step."""
    learning_rate: float = 1e-4
    schedule: Schedule = "cosine"
    warmup: float = 0.03
    """The share of the steps over which the rate rises from nought."""
    weight_decay: float = 0.0
    clip: float = 1.0
    """The longest gradient."""
    max_length: int = 2048
    """Tokens of a row with its pictures, for `sft`; 0 for no bound."""
    seed: int = 0
    autocast: Literal["", "bfloat16", "float16"] = ""
    """The type in which a model of another dtype is computed."""
    save_every: int = 500
    """Steps between two checkpoints."""
    keep: int = 2
    """Checkpoints that stay."""
    log_every: int = 10
    workers: int = 2
    """Processes that read and decode pictures; 0 for none beside the training itself."""
    recompute: bool = False
    """Trades time for memory: activations are computed again on the way back."""


@dataclass(frozen=True, slots=True)
class ValidationSettings:
    """Held-out examples whose loss (for GRPO: reward) is told as the training goes on."""

    data: Data
    every: int = 500
    """Steps between two looks."""


@dataclass(frozen=True, slots=True)
class Group:
    """Of GRPO: replies to one question are compared with each other."""

    size: int = 8
    """Replies to each question."""
    max_tokens: int = 512
    """Longest reply."""
    temperature: float = 1.0
    beta: float = 0.0
    """How strongly the model is held to where it began."""
    format: float = 0.1
    """The weight of the reward for the form of a reply, beside 1 for a right answer."""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """What `isovist train evaluate` asks before and after: fresh items of the test split."""

    tasks: tuple[str, ...]
    n: int = 200
    """Items of each task."""
    seed: int = 0
    style: str = "final-line"
    max_tokens: int = 1024
    batch: int = 8


@dataclass(frozen=True, slots=True)
class Settings:
    model: Model
    data: Data
    train: TrainingArguments
    method: Method = field(default_factory=Method)
    check: ValidationSettings | None = None
    grpo: Group | None = None
    evaluate: EvaluationSettings | None = None


def read(path: Path) -> Settings:
    """The settings that a TOML file holds, with its paths made whole. Raises UserError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        settings = decode(Settings, json.dumps(data, default=str).encode())
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; give the TOML file of a training run (docs/training.md shows one).") from None
    except (ValueError, OSError) as error:
        raise UserError(f"{path}: cannot be read as a training run ({' '.join(str(error).split())}).") from None
    for fault in _faults(settings):
        raise UserError(f"{path}: {fault}")
    return _placed(settings, path.resolve().parent)


def _faults(settings: Settings) -> Iterator[str]:
    """What does not fit, one sentence each."""
    train, method = settings.train, settings.method
    if (train.epochs is None) == (train.steps is None):
        yield "train: give one of epochs and steps."
    counts = {"epochs": train.epochs, "steps": train.steps, "batch": train.batch, "accumulate": train.accumulate}
    more = {"save_every": train.save_every, "keep": train.keep, "log_every": train.log_every, "learning_rate": train.learning_rate}
    for name, value in (counts | more | {"clip": train.clip}).items():
        if value is not None and not (isfinite(value) and value > 0):
            yield f"train.{name} is {value}; give a number above 0."
    if train.max_length < 0:
        yield f"train.max_length is {train.max_length}; give a number of tokens, or 0 for no bound."
    if not 0 <= train.warmup < 1:
        yield f"train.warmup is {train.warmup}; it is the share of the steps, from 0 to below 1."
    if train.workers < 0 or not (isfinite(train.weight_decay) and train.weight_decay >= 0):
        yield "train.workers and train.weight_decay are numbers from 0."
    if method.kind == "lora" and (method.rank < 1 or method.alpha < 1 or not 0 <= method.dropout < 1):
        yield "method: rank and alpha are at least 1, and dropout is from 0 to below 1."
    if method.kind == "lora" and method.frozen:
        yield 'method.frozen is for kind = "full"; adapters leave all else as it is.'
    if method.kind == "full" and (method.whole or method.targets != "all-linear"):
        yield 'method.targets and method.whole are for kind = "lora".'
    for name, data in (("data", settings.data), ("check.data", settings.check.data if settings.check else None)):
        if data is not None:
            yield from _faults_of_data(name, data)
    if settings.check and settings.check.every < 1:
        yield "check.every is a number of steps above 0."
    if settings.grpo and (
        settings.grpo.size < 2
        or settings.grpo.max_tokens < 1
        or settings.grpo.temperature <= 0
        or settings.grpo.beta < 0
        or settings.grpo.format < 0
    ):
        yield "grpo: size is at least 2, max_tokens and temperature are above 0, beta and format from 0."
    if settings.grpo and (train.batch * train.accumulate) % settings.grpo.size:
        yield f"train: batch times accumulate is {train.batch * train.accumulate}, which is no multiple of grpo.size = {settings.grpo.size}."
    if settings.evaluate:
        if not settings.evaluate.tasks or min(settings.evaluate.n, settings.evaluate.max_tokens, settings.evaluate.batch) < 1:
            yield "evaluate: name at least one task; n, max_tokens and batch are above 0."
        if settings.evaluate.style not in STYLES:
            yield f"evaluate.style is {settings.evaluate.style!r}; there are {', '.join(STYLES)}."


def _faults_of_data(name: str, data: Data) -> Iterator[str]:
    if data.style and data.style not in STYLES:
        yield f"{name}.style is {data.style!r}; there are {', '.join(STYLES)}."
    if data.n is not None and data.n < 1:
        yield f"{name}.n is {data.n}; give a number above 0, or leave it out for all there are."


def _placed(settings: Settings, folder: Path) -> Settings:
    """The settings with whole paths. What is no folder beside the file is taken for an id of the hub."""

    def whole(path: str) -> str:
        return str((folder / Path(path).expanduser()).resolve())

    model = settings.model
    if Path(whole(model.path)).exists():
        model = replace(model, path=whole(model.path))
    if model.template:
        model = replace(model, template=whole(model.template))
    check = replace(settings.check, data=replace(settings.check.data, path=whole(settings.check.data.path))) if settings.check else None
    return replace(settings, model=model, data=replace(settings.data, path=whole(settings.data.path)), check=check)
