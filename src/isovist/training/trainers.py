"""TRL trainers, configured from the settings of a run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from isovist.common.errors import MissingDependencyError, UserError
from isovist.evaluation.models.local.settings import ADAPTER
from isovist.evaluation.models.local.settings import settings as of_name
from isovist.evaluation.models.local.weights import Weights, load
from isovist.training.chat_collator import ChatCollator
from isovist.training.example_dataset import ExampleDataset
from isovist.training.settings import Group, Method, Model, Objective, Settings, TrainingArguments

_LIBRARIES = ("trl", "peft", "datasets", "matplotlib")


def libraries() -> None:
    """Raises MissingDependencyError if a library for training is missing."""
    for name in _LIBRARIES:
        try:
            import_module(name)
        except ImportError:
            raise MissingDependencyError("isovist train", "train") from None


def weights(model: Model) -> Weights:
    """Load the model to train on the CPU; the trainer moves it to the device. Raises UserError."""
    if (Path(model.path) / ADAPTER).is_file() and not (Path(model.path) / "config.json").is_file():
        raise UserError(f"model {model.path}: an adapter; training begins from a whole model, so merge it into its model with PEFT first.")
    name = model.name("cpu")
    try:
        return load(of_name(name))
    except MissingDependencyError:
        raise MissingDependencyError("isovist train", "train") from None
    except UserError as error:
        raise UserError(str(error).replace(f"--model {name}", f"model {model.path}")) from error


def examples_of_run(course: TrainingArguments, examples: int, group: Group | None) -> int:
    """Return the number of examples in a run over all epochs. The last step of an `sft` run may be smaller; responses to one question stay
    in one step.
    """
    per_step = course.batch * course.accumulate // (group.size if group else 1)
    if course.epochs is None:
        return (course.steps or 0) * per_step
    count = max(1, round(course.epochs * examples))
    return -(-count // per_step) * per_step if group else count


def trainer(
    objective: Objective, settings: Settings, model: Weights, dataset: ExampleDataset, check: ExampleDataset | None, checkpoints: Path
) -> Any:
    """Return a trainer that writes its checkpoints to a folder. Raises UserError if the method does not fit the model."""
    trl: Any = import_module("trl")
    group = settings.grpo if objective == "grpo" else None
    course = settings.train
    common = _arguments(settings, model, group, checkpoints)
    train = dataset.ordered(examples_of_run(course, len(dataset), group), course.seed).to_trainer(objective)
    held = check.to_trainer(objective) if check else None
    adapters = _adapters(settings.method, model) if settings.method.kind == "lora" else None
    if settings.method.kind == "full":
        _freeze(settings.method, model)
    try:
        if group is None:
            arguments = trl.SFTConfig(**common, max_length=None, dataset_kwargs={"skip_prepare_dataset": True}, completion_only_loss=False)
            return trl.SFTTrainer(
                model=model.model,
                args=arguments,
                data_collator=ChatCollator(model, course.max_length),
                train_dataset=train,
                eval_dataset=held,
                processing_class=model.processor,
                peft_config=adapters,
            )
        arguments = trl.GRPOConfig(
            **common,
            num_generations=group.size,
            max_completion_length=group.max_tokens,
            temperature=group.temperature,
            beta=group.beta,
            reward_weights=[1.0, group.format] if group.format else [1.0],
            shuffle_dataset=False,
        )
        return trl.GRPOTrainer(
            model=model.model,
            reward_funcs=_rewards(group),
            args=arguments,
            train_dataset=train,
            eval_dataset=held,
            processing_class=model.processor,
            peft_config=adapters,
        )
    except ValueError as error:
        if "arget module" in str(error):  # PEFT found no module to adapt
            raise UserError(f"method.targets: {' '.join(str(error).split())[:300]}") from error
        raise


def _arguments(settings: Settings, model: Weights, group: Group | None, checkpoints: Path) -> dict[str, Any]:
    course, check = settings.train, settings.check
    return {
        "output_dir": str(checkpoints),
        "per_device_train_batch_size": course.batch,
        "per_device_eval_batch_size": group.size if group else course.batch,
        "gradient_accumulation_steps": course.accumulate,
        "num_train_epochs": 1,
        "learning_rate": course.learning_rate,
        "lr_scheduler_type": course.schedule,
        "warmup_steps": course.warmup,
        "weight_decay": course.weight_decay,
        "max_grad_norm": course.clip,
        "seed": course.seed,
        "bf16": course.autocast == "bfloat16",
        "fp16": course.autocast == "float16",
        "gradient_checkpointing": course.recompute,
        "logging_steps": course.log_every,
        "logging_first_step": True,
        "save_strategy": "steps",
        "save_steps": course.save_every,
        "save_total_limit": course.keep,
        "eval_strategy": "steps" if check else "no",
        "eval_steps": check.every if check else None,
        "dataloader_num_workers": course.workers,
        "dataloader_pin_memory": bool(model.torch.cuda.is_available()),
        "train_sampling_strategy": "sequential",  # all epochs are already shuffled, so runs on rewards can resume
        "remove_unused_columns": False,
        "report_to": "none",
        "disable_tqdm": True,
    }


def _rewards(group: Group) -> list[Any]:
    try:
        rewards: Any = import_module("isovist.training.rewards")
    except ImportError as error:
        raise UserError(f"isovist.training.rewards cannot be imported ({error}); install the whole package.") from error
    return [rewards.reward, rewards.format_reward] if group.format else [rewards.reward]


def _adapters(method: Method, model: Weights) -> Any:
    peft: Any = import_module("peft")
    targets = method.targets if isinstance(method.targets, str) else list(method.targets)
    names = [name for name, _ in model.model.named_modules()]
    for ending in (*(targets if isinstance(targets, list) else ()), *method.whole):
        if not any(name == ending or name.endswith(f".{ending}") for name in names):
            raise UserError(f"method: the model has no module whose name ends in {ending!r}.")
    return peft.LoraConfig(
        revision=model.served_by.partition("@")[2].partition(",")[0] or None,
        r=method.rank,
        lora_alpha=method.alpha,
        lora_dropout=method.dropout,
        target_modules=targets,
        modules_to_save=list(method.whole) or None,
        task_type="CAUSAL_LM",
    )


def _freeze(method: Method, model: Weights) -> None:
    named = list(model.model.named_parameters())
    for part in method.frozen:
        parameters = [parameter for name, parameter in named if part in name]
        if not parameters:
            raise UserError(f"method.frozen: the model has no parameter with {part!r} in its name.")
        for parameter in parameters:
            parameter.requires_grad_(False)
    if not any(parameter.requires_grad for _, parameter in named):
        raise UserError("All parameters are frozen: method.frozen. Remove some names.")
