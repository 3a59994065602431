"""PEFT adapters and their base models."""

from __future__ import annotations

import importlib
import json
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isovist.common.errors import MissingDependencyError, UserError
from isovist.evaluation.models.local.settings import ADAPTER, HUB_ID, Settings

_WEIGHTS = "adapter_model.safetensors"
_PROCESSOR = ("processor_config.json", "preprocessor_config.json")


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter of a model."""

    folder: Path
    base: Settings
    """The base model."""

    @property
    def processor(self) -> Settings:
        """Settings of the processor: that of the adapter if it has one, else of the base model."""
        has_processor = any((self.folder / name).is_file() for name in _PROCESSOR)
        return replace(self.base, path=str(self.folder), hub=False) if has_processor else self.base

    def put_on(self, model: Any) -> None:
        """Add the adapter to the model, in place. Raises UserError for an incompatible one."""
        try:
            peft: Any = importlib.import_module("peft")
            safetensors: Any = importlib.import_module("safetensors")
        except ImportError:
            raise MissingDependencyError(f"the adapter {self.folder}", "hf") from None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing weights are checked below
            adapted = peft.PeftModel.from_pretrained(model, str(self.folder), is_trainable=False)
        with safetensors.safe_open(self.folder / _WEIGHTS, framework="pt") as file:
            held = set(file.keys())
        missing = sorted(set(peft.get_peft_model_state_dict(adapted)) - held)
        if missing:  # PEFT only warns and keeps random weights
            raise UserError(
                f"Adapter has no weights for {len(missing)} of its parts, such as {missing[0]}: --model {self.base.name}. Save the whole adapter."
            )
        adapted.eval()


def adapter(settings: Settings) -> Adapter | None:
    """The adapter of a folder without a whole model; None otherwise. Raises UserError for an invalid adapter."""
    folder = Path(settings.path)
    if settings.hub or (folder / "config.json").is_file():
        return None
    try:
        config: dict[str, Any] = json.loads((folder / ADAPTER).read_bytes())
        base, revision = config["base_model_name_or_path"], config.get("revision")
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"No base model in {folder / ADAPTER}: --model {settings.name}. Add base_model_name_or_path.") from None
    if not (folder / _WEIGHTS).is_file():  # pickle files could run code
        raise UserError(f"Missing {_WEIGHTS}: --model {settings.name}. Save the adapter as safetensors.")
    if config.get("megatron_config"):  # such a configuration names modules to import
        raise UserError(f"Megatron adapters are not supported: --model {settings.name}. Use a PEFT adapter.")
    is_local = isinstance(base, str) and (Path(base) / "config.json").is_file()
    if not is_local and not (isinstance(base, str) and HUB_ID.fullmatch(base)):
        raise UserError(
            f"Base model of the adapter does not exist ({base}): --model {settings.name}. Restore it, or write its new path into "
            f"{folder / ADAPTER}."
        )
    return Adapter(folder, replace(settings, path=base, hub=not is_local, revision=revision or settings.revision))
