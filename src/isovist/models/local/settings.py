"""`hf/PATH?dtype=bfloat16&device=cpu`: a model's name and how to load it, in one word that a run's folder keeps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from isovist.errors import UserError

PREFIX = "hf/"
ADAPTER = "adapter_config.json"
"""In a folder that holds an adapter, as PEFT saves one, and no whole model."""
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
    """What to load and how. `hub` tells an id of the hub from a folder."""

    name: str
    path: str
    hub: bool
    dtype: str = "auto"
    device: str = "auto"
    revision: str = "main"
    trust_remote_code: bool = False
    template: str | None = None
    """The words of a chat template that stands in for the model's own."""


def settings(name: str) -> Settings:
    """Reads a name. Raises UserError for a setting or value that is not known and a folder that holds no model."""
    path, _, query = name.removeprefix(PREFIX).partition("?")
    values = _told(name, query)
    folder = Path(path).expanduser()
    hub = not folder.exists()
    if not path or (hub and not HUB_ID.fullmatch(path)):
        raise UserError(f"--model {name}: there is no folder {path!r}, and that is no id of the hub such as llava-hf/llava-1.5-7b-hf.")
    if not hub and not any((folder / named).is_file() for named in ("config.json", ADAPTER)):
        raise UserError(f"--model {name}: {path} holds no config.json; give the folder of a model as transformers saves it.")
    if not hub and "revision" in values:
        raise UserError(f"--model {name}: revision belongs to ids of the hub, and {path} is a folder; leave it out.")
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


def _told(name: str, query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise UserError(f"--model {name}: after the question mark stand settings such as dtype=bfloat16&device=cpu.") from None
    values: dict[str, str] = {}
    for key, value in pairs:
        if key not in _VALUES:
            raise UserError(f"--model {name}: no setting is called {key!r}; there are {', '.join(_VALUES)}.")
        pattern, meant = _VALUES[key]
        if key in values or not re.fullmatch(pattern, value):
            raise UserError(f"--model {name}: give {key} once, as {meant}; not {value!r}.")
        values[key] = value
    return values


def _template(name: str, path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--model {name}: the template {path} cannot be read ({getattr(error, 'strerror', None) or error}).") from None
