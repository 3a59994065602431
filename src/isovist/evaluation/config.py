"""`config.toml` of a run folder: the options that repeat the run with `isovist run FOLDER/config.toml`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sized
from dataclasses import asdict
from pathlib import Path

from isovist.common.atomic_write import write_atomically
from isovist.data.prompts import STYLES
from isovist.evaluation.models.request_errors import without_keys
from isovist.evaluation.run.run_folder import RunMetadata

CONFIG = "config.toml"
TEMPLATE = "prompt_template.jinja"
"""The prompt template of a run, which its `config.toml` names."""
_KEYS = {"prompt_styles": "compare_prompt_styles", "image_orders": "image_order", "renderings": "rendering"}
"""The key of a field of `VariantSettings`, where the names differ."""
_HEAD = "# The options of `isovist run`. Resume: isovist run FOLDER/config.toml. Repeat elsewhere: add --out ANOTHER.\n"


def write_config(folder: Path, given: Mapping[str, object], info: RunMetadata) -> None:
    """Write the options of a run, and its prompt template, into its folder."""
    write_atomically(folder / CONFIG, toml(given, info))
    if info.prompt_template:
        write_atomically(folder / TEMPLATE, info.prompt_template)


def toml(given: Mapping[str, object], info: RunMetadata) -> str:
    """The given options, with the resolved ones of the run, as TOML. API keys of this process are redacted."""
    resolved: dict[str, object] = {
        "out": ".",  # relative to this file, so that the folder can be moved
        "prompt_style": info.style if info.style in STYLES and not (info.prompt_template or given.get("release")) else None,
        "prompt_template": TEMPLATE if info.prompt_template else None,
        "max_tokens": info.options.max_tokens,
        **{_KEYS.get(name, name): value for name, value in asdict(info.variants).items()},
        "compare_prompt_styles": ",".join(info.variants.prompt_styles),
        "epochs": info.variants.epochs if info.variants.epochs > 1 else None,
    }
    values = {name: value for name, value in {**given, **resolved}.items() if not _is_unset(value)}
    return _HEAD + "".join(f"{name} = {_toml_value(value)}\n" for name, value in values.items())


def _is_unset(value: object) -> bool:
    return value is None or value is False or (isinstance(value, Sized) and not len(value))


def _toml_value(value: object) -> str:
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    text = str(value.resolve()) if isinstance(value, Path) else without_keys(str(value))
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # every JSON string without DEL is a TOML string
