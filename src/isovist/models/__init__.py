"""Models by name: the fakes, which need no network, a small network and weights in this process, and all that Inspect AI's model layer reaches."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from isovist.core.answers import Answer
from isovist.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.models.baselines.simulated_models import SimulatedModel, fake
from isovist.models.embedded import PREFIX as EMBEDDED
from isovist.models.embedded import Embedded, embedded
from isovist.models.inspect_ai import InspectModel, inspected
from isovist.models.local import PREFIX, Local, local
from isovist.models.request_errors import without_keys

Model = Embedded | SimulatedModel | InspectModel | Local


def model(name: str, options: GenerationConfig) -> Model:
    """The model of that name. Raises UserError for a name that nothing answers to."""
    if name.startswith("fake/"):
        return fake(name)
    if name.startswith(EMBEDDED) and not options.base_url:
        return embedded(name, options)
    if name.startswith(PREFIX) and not options.base_url:  # a server may call its models as it likes
        return local(name, options)
    return inspected(name, options)


async def ask(model: Model, request: ModelRequest, answer: Answer) -> ModelResponse:
    """The model's reply, without any key of this machine's that a server has put into it. Only a fake is shown the answer."""
    match model:
        case SimulatedModel():
            return model.reply(request, answer)
        case Embedded() | InspectModel() | Local():
            reply = await model.reply(request)
        case _:
            assert_never(model)
    return replace(reply, text=without_keys(reply.text), reasoning=without_keys(reply.reasoning), served_by=without_keys(reply.served_by))


__all__ = [
    "Embedded",
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
