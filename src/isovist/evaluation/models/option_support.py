"""Which request options a model accepts, and the parsing of `--model-arg`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn, cast

from isovist.common.errors import UserError
from isovist.common.json_lines import whole
from isovist.common.options import declared, pairs, several
from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig
from isovist.evaluation.models.request_errors import may_hold_key, refused_field, without_keys
from isovist.evaluation.run_spec import RequestOptions

_FIELDS = {"max_connections": "concurrency", "timeout": "timeout_s", "sampling_seed": "seed", "stop": "stop_seqs"}
"""The field of `GenerationConfig` of an option, where the names differ."""
_GENERAL = {"base_url", "max_connections", "temperature", "max_tokens", "timeout"}
FLAGS = {_FIELDS.get(name, name): each.flags[0] for name, each in declared(RequestOptions).items() if name not in _GENERAL}
"""The command line option of each field of `GenerationConfig` that not every model accepts."""
FIELD_REMEDY = "Use --reasoning-effort, or the field of the server with --model-arg."
_OWN = {
    "messages": "",
    "model": "--model",
    "temperature": "--temperature",
    "top_p": "--top-p",
    "seed": "--sampling-seed",
    "stop": "--stop",
    "max_tokens": "--max-tokens",
    "max_completion_tokens": "--max-tokens",
    "reasoning_effort": "--reasoning-effort",
    "n": "--epochs",
    "stream": "",
}
"""Fields of a request that are not for `--model-arg`, with the option that sets them."""
_SECRET_NAME = re.compile(
    r"api[_-]?key|access[_-]?key|secret|passw(?:or)?d|authorization|credential|(?:^|[_-])(?:auth|token)$", re.IGNORECASE
)


def generation_config(options: RequestOptions) -> GenerationConfig:
    """The options as they are stored in `run.json`. Raises UserError for a text or a field that cannot be stored."""
    stops = tuple(dict.fromkeys(several(str, options.stop)))
    texts = pairs(options.model_args, json.dumps) if isinstance(options.model_args, Mapping) else several(str, options.model_args)
    for flag, text in (("--system-prompt", options.system_prompt), *(("--stop", text) for text in stops)):
        check_text(flag, text)
    if "" in stops:
        raise UserError("Empty text: --stop. Give the text that ends a response.")
    values: dict[str, Any] = {_FIELDS.get(name, name): getattr(options, name) for name in declared(RequestOptions)}
    if options.max_connections == "auto":
        values |= {"concurrency": GenerationConfig().concurrency, "auto_concurrency": True}
    values |= {"max_tokens": options.max_tokens or AS_ALLOWED, "stop_seqs": stops, "model_args": model_args(texts)}
    return GenerationConfig(**values)


def named_options(options: GenerationConfig) -> dict[str, str]:
    """The options that the requests have besides server, temperature and token limit, as text, by a name for reports."""
    return {
        FLAGS[name].removeprefix("--").replace("-", " "): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in options.request_options().items()
    }


def require_support(name: str, options: GenerationConfig, supported: Collection[str] = (), remedy: str = "Remove it.") -> None:
    """Raises UserError for an option that the model `name` does not accept; the image format is not an option of the model."""
    for option in options.request_options():
        if option != "image_format" and option not in supported:
            raise UserError(f"Option without effect on {name}: {FLAGS[option]}. {remedy}")


def refused_option(fault: str, options: GenerationConfig) -> str:
    """What to do about an error that refuses a field of the requests, as a sentence; "" for another error."""
    sent = {"max_completion_tokens": "max_tokens", "max_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p"}
    sent |= {"seed": "seed", "stop": "stop_seqs", "reasoning_effort": "reasoning_effort", "reasoning_tokens": "reasoning_tokens"}
    given = {field: name for field, name in sent.items() if getattr(options, name) not in (None, ())}
    field = refused_field(fault, (*options.model_args, *given))
    match given.get(field, "model_args" if field else ""):
        case "":
            return ""
        case "temperature":
            return "The model refuses this temperature. Add --temperature none, which leaves the field out."
        case "max_tokens":
            return f"The model refuses this {field}. Use a lower --max-tokens (now {options.max_tokens})."
        case "model_args":
            return f"The model refuses the field {field}. Remove --model-arg {field}=..."
        case name:
            return f"The model refuses the field {field}. Remove {FLAGS[name]}."


def check_text(flag: str, text: str) -> None:
    """Raises UserError for a text that `run.json` cannot or must not contain."""
    if whole(text) != text:
        raise UserError(f"Invalid characters in {flag}. Give text in UTF-8.")
    if without_keys(text) != text:
        raise UserError(f"API key of the environment in {flag}. run.json would contain it; remove it from the text.")


def model_args(texts: Iterable[str]) -> dict[str, Any]:
    """The fields of the texts `KEY=VALUE`: a value is JSON if it can be parsed as such, else text.

    Raises UserError for an invalid text, a field that another option sets, and a secret, which would be stored in `run.json`.
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        check_text("--model-arg", text)
        if not equals or not name:
            raise UserError(f"Invalid --model-arg: {text}. Write KEY=VALUE, such as top_k=20.")
        if name in _OWN:
            raise UserError(f"Field of Isovist in --model-arg: {name}. {f'Use {_OWN[name]}.' if _OWN[name] else 'Remove it.'}")
        if name in values:
            raise UserError(f"--model-arg given twice: {name}. Give one value.")
        values[name] = _value(name, value)
        _refuse_secrets(name, name, values[name])
    return values


def _value(name: str, text: str) -> Any:
    """True and False are accepted as in Python and YAML."""
    try:
        return json.loads(text.lower() if text in ("True", "False") else text, parse_constant=_not_finite)
    except OverflowError:
        raise UserError(f"Number that is not finite in --model-arg: {name}={text}. Give a finite number.") from None
    except (ValueError, RecursionError):
        return text


def _not_finite(name: str) -> NoReturn:
    raise OverflowError(name)


def _refuse_secrets(arg: str, name: str, value: Any) -> None:
    """Raises UserError for a field whose name or text looks like a key, at any depth. The message does not contain the value."""
    if _SECRET_NAME.search(name) or (isinstance(value, str) and may_hold_key(value)):
        raise UserError(
            f"Secret in --model-arg: {arg}. run.json would contain it; set a key in ISOVIST_API_KEY or the variable of the provider."
        )
    if isinstance(value, dict):
        for inner, one in cast("dict[str, Any]", value).items():
            _refuse_secrets(arg, inner, one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            _refuse_secrets(arg, "", one)
