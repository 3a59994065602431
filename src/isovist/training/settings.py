"""Settings of a training run: a strictly parsed TOML file. Paths are relative to its folder."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.data.prompts import STYLES
from isovist.evaluation.models.local.settings import PREFIX

Objective = Literal["sft", "grpo"]
"""Supervised fine-tuning on responses, or group relative policy optimization (GRPO) on rewards."""
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
    """The model to train."""

    path: str
    """A folder in the format of transformers, or a Hugging Face model id."""
    dtype: Dtype = "float32"
    """Data type of the weights."""
    revision: str = "main"
    template: str = ""
    """File with a Jinja chat template that replaces that of the model."""
    trust_remote_code: bool = False

    def name(self, device: str) -> str:
        """Return the name by which `isovist run` loads the model."""
        query = {"dtype": self.dtype, "device": device, "revision": "" if Path(self.path).exists() else self.revision}
        query |= {"template": self.template, "trust_remote_code": "1" if self.trust_remote_code else ""}
        return f"{PREFIX}{self.path}?{'&'.join(f'{name}={value}' for name, value in query.items() if value)}"


@dataclass(frozen=True, slots=True)
class Data:
    """The training data: a mixture, or a dataset folder whose rows become examples of one kind."""

    path: str
    kind: OwnKind = "answer"
    """Kind of the examples from a dataset folder; examples of a mixture have their own kinds."""
    style: Style = ""
    """Prompt style of rows of a dataset folder; "": that of the kind."""
    tasks: tuple[str, ...] = ()
    """Ids or globs of tasks of a dataset folder; empty: all tasks."""
    n: PositiveInt | None = None
    """Maximum number of examples, sampled by the seed."""


@dataclass(frozen=True, slots=True)
class Method:
    """The parameters that are trained."""

    kind: Literal["lora", "full"] = "lora"
    rank: PositiveInt = 16
    alpha: PositiveInt = 32
    dropout: Share = 0.05
    targets: str | tuple[str, ...] = "all-linear"
    """Modules with adapters: suffixes of module names, a regular expression, or all linear layers."""
    whole: tuple[str, ...] = ()
    """Modules that are trained completely besides the adapters, by suffixes of their names."""
    frozen: tuple[str, ...] = ()
    """For `full`: substrings of the names of frozen parameters, such as ``vision_tower``."""


@dataclass(frozen=True, slots=True)
class TrainingArguments:
    """Duration and optimizer settings. Either `epochs` or `steps`."""

    epochs: Positive | None = None
    steps: PositiveInt | None = None
    batch: PositiveInt = 8
    """Rows per device and batch; for GRPO the number of responses."""
    accumulate: PositiveInt = 1
    """Batches per optimizer step (gradient accumulation)."""
    learning_rate: Positive = 1e-4
    schedule: Schedule = "cosine"
    warmup: Share = 0.03
    """Proportion of the steps with linear learning rate warm-up."""
    weight_decay: NotNegative = 0.0
    clip: Positive = 1.0
    """Maximum gradient norm."""
    max_length: NonNegativeInt = 2048
    """Maximum number of tokens of a row for `sft`, including images; 0: unlimited."""
    seed: int = 0
    autocast: Literal["", "bfloat16", "float16"] = ""
    """Data type of mixed-precision computation."""
    save_every: PositiveInt = 500
    """Steps between two checkpoints."""
    keep: PositiveInt = 2
    """Number of checkpoints to keep."""
    log_every: PositiveInt = 10
    workers: NonNegativeInt = 2
    """Data worker processes; 0: load in the main process."""
    recompute: bool = False
    """Gradient checkpointing: less memory, more time."""


@dataclass(frozen=True, slots=True)
class ValidationSettings:
    """Validation examples whose loss (for GRPO: reward) is logged during training."""

    data: Data
    every: PositiveInt = 500
    """Steps between two validations."""


@dataclass(frozen=True, slots=True)
class Group:
    """GRPO: responses to the same question are compared."""

    size: Annotated[int, Field(ge=2)] = 8
    """Responses per question."""
    max_tokens: PositiveInt = 512
    """Maximum response length in tokens."""
    temperature: Positive = 1.0
    beta: NotNegative = 0.0
    """Weight of the KL divergence from the initial model."""
    format: NotNegative = 0.1
    """Weight of the format reward, relative to 1 for a correct answer."""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """Settings of `isovist train evaluate`: new items of the test split, before and after training."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    n: PositiveInt = 200
    """Items per task."""
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
    """Read settings from a TOML file and resolve its paths. Raises UserError."""
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
    """Yield a sentence for each inconsistency."""
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
    """Resolve the paths. A value that is not an existing path is used as a Hugging Face id."""

    def whole(path: str) -> str:
        return str((folder / Path(path).expanduser()).resolve())

    model = settings.model
    if Path(whole(model.path)).exists():
        model = replace(model, path=whole(model.path))
    if model.template:
        model = replace(model, template=whole(model.template))
    check = replace(settings.check, data=replace(settings.check.data, path=whole(settings.check.data.path))) if settings.check else None
    return replace(settings, model=model, data=replace(settings.data, path=whole(settings.data.path)), check=check)
