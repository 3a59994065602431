"""Models by name: simulated models, the built-in test model, local weights, and every provider of Inspect AI."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from isovist.common import plug_ins
from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.baselines.simulated_models import PREFIX as SIMULATED
from isovist.evaluation.models.baselines.simulated_models import SimulatedModel, simulated_model
from isovist.evaluation.models.embedded import PREFIX as EMBEDDED
from isovist.evaluation.models.embedded import Embedded, embedded
from isovist.evaluation.models.inspect_ai import inspected
from isovist.evaluation.models.local import OPTIONS as LOCAL_OPTIONS
from isovist.evaluation.models.local import PREFIX, Local, local
from isovist.evaluation.models.openai_server import server_model
from isovist.evaluation.models.option_support import require_support
from isovist.evaluation.models.plug_in_models import RESERVED, plug_in_model
from isovist.evaluation.models.python_function import FunctionModel
from isovist.evaluation.models.remote import RemoteModel
from isovist.evaluation.models.request_errors import strip_keys, without_keys

Model = Embedded | SimulatedModel | RemoteModel | Local | FunctionModel


def model(name: str, options: GenerationConfig) -> Model:
    """The model of that name. White space around keys of the environment is removed.

    Raises:
        UserError: for an unknown name, for a provider without its key, its package or its server, for a plug-in that cannot be used, and
            for an option without effect.
    """
    strip_keys()
    if name.startswith(SIMULATED):
        require_support(f"--model {name}", options)
        return simulated_model(name)
    if name.startswith(EMBEDDED) and not options.base_url:
        require_support(f"--model {name}", options)
        return embedded(name, options)
    if name.startswith(PREFIX) and not options.base_url:  # a server may use any name
        require_support(f"--model {name}", options, LOCAL_OPTIONS)
        if options.temperature is None:
            raise UserError(f"--temperature none is for servers that refuse a temperature: --model {name}. Give a number.")
        return local(name, options)
    prefix, slash, _ = name.partition("/")
    if slash and not options.base_url and prefix not in RESERVED and (plug_in := plug_ins.named(plug_ins.MODELS, prefix)):
        return plug_in_model(plug_in, name, options)
    return server_model(name, options) if options.base_url else inspected(name, options)


async def ask(model: Model, request: ModelRequest, answer: Answer) -> ModelResponse:
    """The response of the model, with API keys of this process redacted. Only a simulated model receives `answer`."""
    match model:
        case SimulatedModel():
            return model.reply(request, answer)
        case Embedded() | RemoteModel() | Local() | FunctionModel():
            reply = await model.reply(request)
        case _:
            assert_never(model)
    whole = f"{reply.text}\n{reply.reasoning}\n{reply.served_by}\n{reply.error}"
    if without_keys(whole) == whole:  # the environment is read once, not for each text
        return reply
    return replace(reply, **{name: without_keys(getattr(reply, name)) for name in ("text", "reasoning", "served_by", "error")})


def require_schemas(model: Model) -> None:
    """Raises UserError for a model that cannot be requested to respond in a JSON schema."""
    if not isinstance(model, RemoteModel | SimulatedModel):
        raise UserError(f"Model without structured replies: {model.name}. Remove --structured, or serve the model and use --base-url.")


__all__ = [
    "Embedded",
    "FunctionModel",
    "GenerationConfig",
    "Local",
    "Model",
    "ModelRequest",
    "ModelResponse",
    "RemoteModel",
    "SimulatedModel",
    "ask",
    "model",
    "require_schemas",
]
