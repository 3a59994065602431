"""A folder with an adapter, as PEFT saves one, and the model that it was trained on."""

from __future__ import annotations

import importlib
import json
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isovist.errors import MissingDependencyError, UserError
from isovist.models.local.settings import ADAPTER, HUB_ID, Settings

_WEIGHTS = "adapter_model.safetensors"
_PROCESSOR = ("processor_config.json", "preprocessor_config.json")


@dataclass(frozen=True, slots=True)
class Adapter:
    """What is put on a model."""

    folder: Path
    base: Settings
    """The model below it, to be loaded as its own name would be."""

    @property
    def processor(self) -> Settings:
        """Where the processor is: with the adapter if it brings one, else with the model."""
        has_processor = any((self.folder / name).is_file() for name in _PROCESSOR)
        return replace(self.base, path=str(self.folder), hub=False) if has_processor else self.base

    def put_on(self, model: Any) -> None:
        """Adds the adapter to the model's layers, in place. Raises UserError for one that does not fit."""
        try:
            peft: Any = importlib.import_module("peft")
            safetensors: Any = importlib.import_module("safetensors")
        except ImportError:
            raise MissingDependencyError(f"the adapter {self.folder}", "hf") from None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # between PEFT and transformers; and what is missing is told below
            adapted = peft.PeftModel.from_pretrained(model, str(self.folder), is_trainable=False)
        with safetensors.safe_open(self.folder / _WEIGHTS, framework="pt") as file:
            held = set(file.keys())
        missing = sorted(set(peft.get_peft_model_state_dict(adapted)) - held)
        if missing:  # PEFT would only warn, and leave them as they were drawn
            raise UserError(
                f"--model {self.base.name}: {self.folder} holds no weights for {len(missing)} of its parts, such as {missing[0]}."
            )
        adapted.eval()


def adapter(settings: Settings) -> Adapter | None:
    """The adapter that a folder holds, if it holds no whole model. Raises UserError for one that cannot be used."""
    folder = Path(settings.path)
    if settings.hub or (folder / "config.json").is_file():
        return None
    try:
        config: dict[str, Any] = json.loads((folder / ADAPTER).read_bytes())
        base, revision = config["base_model_name_or_path"], config.get("revision")
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"--model {settings.name}: {folder / ADAPTER} does not tell the model it belongs to.") from None
    if not (folder / _WEIGHTS).is_file():  # others are pickles, which could run code
        raise UserError(f"--model {settings.name}: {folder} holds no {_WEIGHTS}; save the adapter as safetensors.")
    if config.get("megatron_config"):  # it names modules to import
        raise UserError(f"--model {settings.name}: {folder / ADAPTER} is for Megatron, which is not supported.")
    is_local = isinstance(base, str) and (Path(base) / "config.json").is_file()
    if not is_local and not (isinstance(base, str) and HUB_ID.fullmatch(base)):
        raise UserError(
            f"--model {settings.name}: its adapter was trained on {base}, which is not there; put the model back, or write its new place "
            f"into {folder / ADAPTER}."
        )
    return Adapter(folder, replace(settings, path=base, hub=not is_local, revision=revision or settings.revision))
