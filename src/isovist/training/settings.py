"""What a run of training is told: a TOML file, read strictly. Paths in it are relative to its own folder."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt

from isovist.errors import UserError
from isovist.json_decoding import decode
from isovist.models.local.settings import PREFIX
from isovist.prompts import STYLES

Objective = Literal["sft", "grpo"]
"""Supervised fine-tuning on replies, or group relative policy optimisation on rewards."""
WAYS: tuple[Objective, ...] = get_args(Objective)
Dtype = Literal["float32", "bfloat16", "float16"]
Schedule = Literal["constant", "linear", "cosine"]
OwnKind = Literal["answer", "reasoning"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1)]


def _known(style: str) -> str:
    if style and style not in STYLES:
        raise ValueError(f"{style!r} is none of {', '.join(STYLES)}")
    return style


Style = Annotated[str, AfterValidator(_known)]


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

    def name(self, device: str) -> str:
        """The name by which `isovist run` loads it."""
        query = {"dtype": self.dtype, "device": device, "revision": "" if Path(self.path).exists() else self.revision}
        query |= {"template": self.template, "trust_remote_code": "1" if self.trust_remote_code else ""}
        return f"{PREFIX}{self.path}?{'&'.join(f'{name}={value}' for name, value in query.items() if value)}"


@dataclass(frozen=True, slots=True)
class Data:
    """What it is trained on: a mix folder; or a data folder, whose rows become examples of one kind."""

    path: str
    kind: OwnKind = "answer"
    """What the rows of a data folder teach; the examples of a mix have their kinds."""
    style: Style = ""
    """The prompt style in which rows of a data folder are asked; empty for that of the kind."""
    tasks: tuple[str, ...] = ()
    """Ids or globs of tasks of a data folder; all without any."""
    n: PositiveInt | None = None
    """At most so many examples, chosen by the seed."""


@dataclass(frozen=True, slots=True)
class Method:
    """What of the model changes."""

    kind: Literal["lora", "full"] = "lora"
    rank: PositiveInt = 16
    alpha: PositiveInt = 32
    dropout: Share = 0.05
    targets: str | tuple[str, ...] = "all-linear"
    """Where adapters go: endings of module names, one regular expression, or all linear layers."""
    whole: tuple[str, ...] = ()
    """Modules that are trained whole beside the adapters, by the endings of their names."""
    frozen: tuple[str, ...] = ()
    """For `full`: parts of the names of parameters that stay as they are, such as ``vision_tower``."""


@dataclass(frozen=True, slots=True)
class TrainingArguments:
    """How long and how fast. One of `epochs` and `steps`."""

    epochs: Positive | None = None
    steps: PositiveInt | None = None
    batch: PositiveInt = 8
    """Rows on one device at a time; for GRPO these are replies."""
    accumulate: PositiveInt = 1
    """Batches to a step."""
    learning_rate: Positive = 1e-4
    schedule: Schedule = "cosine"
    warmup: Share = 0.03
    """The share of the steps over which the rate rises from nought."""
    weight_decay: NotNegative = 0.0
    clip: Positive = 1.0
    """The longest gradient."""
    max_length: NonNegativeInt = 2048
    """Tokens of a row with its pictures, for `sft`; 0 for no bound."""
    seed: int = 0
    autocast: Literal["", "bfloat16", "float16"] = ""
    """The type in which a model of another dtype is computed."""
    save_every: PositiveInt = 500
    """Steps between two checkpoints."""
    keep: PositiveInt = 2
    """Checkpoints that stay."""
    log_every: PositiveInt = 10
    workers: NonNegativeInt = 2
    """Processes that read and decode pictures; 0 for none beside the training itself."""
    recompute: bool = False
    """Trades time for memory: activations are computed again on the way back."""


@dataclass(frozen=True, slots=True)
class ValidationSettings:
    """Held-out examples whose loss (for GRPO: reward) is told as the training goes on."""

    data: Data
    every: PositiveInt = 500
    """Steps between two looks."""


@dataclass(frozen=True, slots=True)
class Group:
    """Of GRPO: replies to one question are compared with each other."""

    size: Annotated[int, Field(ge=2)] = 8
    """Replies to each question."""
    max_tokens: PositiveInt = 512
    """Longest reply."""
    temperature: Positive = 1.0
    beta: NotNegative = 0.0
    """How strongly the model is held to where it began."""
    format: NotNegative = 0.1
    """The weight of the reward for the form of a reply, beside 1 for a right answer."""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """What `isovist train evaluate` asks before and after: fresh items of the test split."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    n: PositiveInt = 200
    """Items of each task."""
    seed: int = 0
    style: Style = "final-line"
    max_tokens: PositiveInt = 1024
    batch: PositiveInt = 8


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
    """What does not fit together, one sentence each."""
    train, method, group = settings.train, settings.method, settings.grpo
    if (train.epochs is None) == (train.steps is None):
        yield "train: give one of epochs and steps."
    if method.kind == "lora" and method.frozen:
        yield 'method.frozen is for kind = "full"; adapters leave all else as it is.'
    if method.kind == "full" and (method.whole or method.targets != "all-linear"):
        yield 'method.targets and method.whole are for kind = "lora".'
    if group and (train.batch * train.accumulate) % group.size:
        yield f"train: batch times accumulate is {train.batch * train.accumulate}, which is no multiple of grpo.size = {group.size}."


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
