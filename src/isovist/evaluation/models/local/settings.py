"""Names of local models with loading options: `hf/PATH?dtype=bfloat16&device=cpu`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from isovist.common.errors import UserError

PREFIX = "hf/"
ADAPTER = "adapter_config.json"
"""The file that marks a folder with a PEFT adapter."""
HUB_ID = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")
_FLAGS = {"1": True, "true": True, "0": False, "false": False}
_VALUES = {
    "dtype": ("auto|float32|float16|bfloat16", "auto, float32, float16 or bfloat16"),
    "device": (r"auto|cpu|mps|cuda(:\d+)?", "auto, cpu, cuda, cuda:1 or mps"),
    "revision": (r"[\w./-]+", "a branch, tag or commit of the hub"),
    "trust_remote_code": ("|".join(_FLAGS), "1 or 0"),
    "template": (".+", "a file with a chat template in Jinja"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What to load. `hub`: whether `path` is a Hugging Face model id."""

    name: str
    path: str
    hub: bool
    dtype: str = "auto"
    device: str = "auto"
    revision: str = "main"
    trust_remote_code: bool = False
    template: str | None = None
    """The text of a chat template that replaces that of the model."""


def settings(name: str) -> Settings:
    """Parse a model name. Raises UserError for an unknown setting or value, and for a folder without a model."""
    path, _, query = name.removeprefix(PREFIX).partition("?")
    values = _values(name, query)
    folder = Path(path).expanduser()
    hub = not folder.exists()
    if not path or (hub and not HUB_ID.fullmatch(path)):
        raise UserError(f"No folder and no Hugging Face model id: --model {name}. Use a name such as hf/llava-hf/llava-1.5-7b-hf.")
    if not hub and not any((folder / named).is_file() for named in ("config.json", ADAPTER)):
        raise UserError(f"Folder has no config.json: --model {name}. Name a model folder of transformers.")
    if not hub and "revision" in values:
        raise UserError(f"Setting revision has no effect on a folder: --model {name}. Remove it.")
    return Settings(
        name=name,
        path=path if hub else str(folder),
        hub=hub,
        dtype=values.get("dtype", "auto"),
        device=values.get("device", "auto"),
        revision=values.get("revision", "main"),
        trust_remote_code=_FLAGS[values.get("trust_remote_code", "0")],
        template=_template(name, values["template"]) if "template" in values else None,
    )


def _values(name: str, query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise UserError(f"Invalid settings: --model {name}. Write settings such as ?dtype=bfloat16&device=cpu.") from None
    values: dict[str, str] = {}
    for key, value in pairs:
        if key not in _VALUES:
            raise UserError(f"Unknown setting {key!r}: --model {name}. Choose from {', '.join(_VALUES)}.")
        pattern, meant = _VALUES[key]
        if key in values or not re.fullmatch(pattern, value):
            raise UserError(f"Invalid {key}={value}: --model {name}. Give {key} once, as {meant}.")
        values[key] = value
    return values


def _template(name: str, path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"Cannot read template {path} ({getattr(error, 'strerror', None) or error}): --model {name}. Correct the path."
        ) from None
