"""Models by name: simulated models, the built-in test model, local weights, and every provider of Inspect AI."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from isovist.core.answers import Answer
from isovist.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.models.baselines.simulated_models import PREFIX as SIMULATED
from isovist.models.baselines.simulated_models import SimulatedModel, simulated_model
from isovist.models.embedded import PREFIX as EMBEDDED
from isovist.models.embedded import Embedded, embedded
from isovist.models.inspect_ai import InspectModel, inspected
from isovist.models.local import PREFIX, Local, local
from isovist.models.python_function import FunctionModel
from isovist.models.request_errors import without_keys

Model = Embedded | SimulatedModel | InspectModel | Local | FunctionModel


def model(name: str, options: GenerationConfig) -> Model:
    """The model of that name.

    Raises:
        UserError: for an unknown name, and for a provider without its key, its package or its server.
    """
    if name.startswith(SIMULATED):
        return simulated_model(name)
    if name.startswith(EMBEDDED) and not options.base_url:
        return embedded(name, options)
    if name.startswith(PREFIX) and not options.base_url:  # a server may use any name
        return local(name, options)
    return inspected(name, options)


async def ask(model: Model, request: ModelRequest, answer: Answer) -> ModelResponse:
    """The response of the model, with API keys of this process redacted. Only a simulated model receives `answer`."""
    match model:
        case SimulatedModel():
            return model.reply(request, answer)
        case Embedded() | InspectModel() | Local() | FunctionModel():
            reply = await model.reply(request)
        case _:
            assert_never(model)
    return replace(reply, text=without_keys(reply.text), reasoning=without_keys(reply.reasoning), served_by=without_keys(reply.served_by))


__all__ = [
    "Embedded",
    "FunctionModel",
    "GenerationConfig",
    "InspectModel",
    "Local",
    "Model",
    "ModelRequest",
    "ModelResponse",
    "SimulatedModel",
    "ask",
    "model",
]
