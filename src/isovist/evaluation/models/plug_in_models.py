"""Models of plug-ins: the entry point is a factory, its name the prefix of the model names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, cast

from isovist.common.errors import UserError
from isovist.common.plug_ins import PlugIn
from isovist.evaluation.models.base import LONGEST, GenerationConfig
from isovist.evaluation.models.python_function import FunctionModel, function_model

Factory = Callable[[str, GenerationConfig], object]
"""Takes the name after the prefix, and the options of the requests. Returns an object with `generate(images, prompt)`, or a function."""
RESERVED: Final = frozenset(
    {
        "simulated", "embedded", "python", "anthropic", "azureai", "bedrock", "cloudflare", "deepseek", "fireworks", "google", "grok",
        "groq", "hf", "hf-inference-providers", "litellm-proxy", "llama-cpp-python", "meta", "mistral", "mockllm", "moonshot",
        "nnterp", "none", "ollama", "openai", "openai-api", "openai-api-completions", "openrouter", "perplexity", "sagemaker",
        "sambanova", "sglang", "together", "transformer_lens", "vllm", "vllm-completions",
    }
)  # fmt: skip
"""Prefixes of Isovist and of Inspect AI."""


def factory_of(plug_in: PlugIn) -> Factory:
    """The factory of a plug-in. Raises PlugInError if the import fails, and for a reserved prefix."""
    if plug_in.name in RESERVED:
        raise plug_in.error(f"the prefix {plug_in.name}/ is reserved")
    factory = plug_in.load()
    if not callable(factory):
        raise plug_in.error("not a function f(name, options)")
    return cast("Factory", factory)


def plug_in_model(plug_in: PlugIn, name: str, options: GenerationConfig) -> FunctionModel:
    """The model `name` of a plug-in.

    Raises:
        UserError: The factory fails; a UserError of the factory is unchanged.
    """
    factory = factory_of(plug_in)
    try:
        made = factory(name.partition("/")[2], replace(options, max_tokens=options.max_tokens or LONGEST))
        return function_model(made, name, options.concurrency)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"Cannot use model ({type(error).__name__}: {error}): --model {name} of {plug_in.release}.") from error
