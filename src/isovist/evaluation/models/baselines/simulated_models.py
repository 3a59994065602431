"""Simulated models: responses without weights or network, for tests of the whole chain and as baselines of known accuracy.

The names of the random streams (``Rng("fake/...")``) differ from those of the models: another name would change every response.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.core.answers.structured import structured_response
from isovist.core.rng import Rng
from isovist.data.prompts import IMAGE, last_question
from isovist.evaluation.models.base import LONGEST, ModelRequest, ModelResponse
from isovist.evaluation.models.baselines import psychometric_model, simulated_deficits
from isovist.evaluation.models.baselines.random_guessing import guess
from isovist.suites.cdr.subtasks import SUBTASKS

PREFIX = "simulated/"
_CONSTANT, _FAILED_SUBTASK = f"{PREFIX}constant:", f"{PREFIX}failed-subtask:"
_ANSWER = "Answer: "
_JUNK = ("lorem", "ipsum", "Answer:", "?!", "the", "B or C", "{}", "42 or 43", "direction", "...", "**", "maybe", "\\boxed{}")

Respond = Callable[[ModelRequest, Answer], str]
"""A function from a request and the typed answer with its key to the text of a response."""


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    """A model whose responses are computed by a function. Only simulated models receive the answer key."""

    name: str
    respond: Respond
    longest: int = LONGEST

    def reply(self, request: ModelRequest, answer: Answer) -> ModelResponse:
        text = self.respond(request, answer)
        if request.schema is not None and text.startswith(_ANSWER):
            text = structured_response(answer, text.removeprefix(_ANSWER))
        return ModelResponse(text, served_by=self.name)


def _line(answer: str) -> str:
    return _ANSWER + answer


def _oracle(request: ModelRequest, answer: Answer) -> str:
    del request
    return _line(answer.canonical())


def _random(request: ModelRequest, answer: Answer) -> str:
    return _line(guess(request.item_id, answer, Rng("fake/random", request.item_id, request.variant)))


def _garbled(request: ModelRequest, answer: Answer) -> str:
    del answer
    rng = Rng("fake/garbled", request.item_id, request.variant)
    return " ".join(("lorem", *(rng.pick(_JUNK) for _ in range(rng.integer(1, 8)))))


def _pixel_solver(request: ModelRequest, answer: Answer) -> str:
    del answer  # the solver reads the images and the prompt alone
    from isovist.evaluation.models.baselines.pixel_solvers import solve_from_pixels

    question = last_question(request.prompt)
    n = question.count(IMAGE)
    return solve_from_pixels(replace(request, prompt=question, images=request.images[len(request.images) - n :]))


def _constant(name: str) -> Respond:
    text = _line(name.removeprefix(_CONSTANT))
    return lambda request, answer: text


def _failed_subtask(name: str) -> Respond:
    """Answers the subtasks before the failed one correctly, and that one and all later ones at random."""
    failed, subtasks = name.removeprefix(_FAILED_SUBTASK), [subtask.name for subtask in SUBTASKS]
    if failed not in subtasks:
        raise UserError(f"Unknown subtask: {name}. Choose one of {', '.join(subtasks)}.")
    solved = [subtask.task for subtask in SUBTASKS[: subtasks.index(failed)]]
    return lambda request, answer: (_oracle if request.item_id.partition("@")[0] in solved else _random)(request, answer)


_MODELS: dict[str, tuple[str, Respond]] = {
    f"{PREFIX}oracle": ("returns the key", _oracle),
    f"{PREFIX}random": ("returns a random answer, the same for the same item", _random),
    f"{PREFIX}silent": ("returns an empty reply", lambda request, answer: ""),
    f"{PREFIX}garbled": ("returns text without an answer", _garbled),
    f"{PREFIX}pixel-solver": ("answers from the pixels alone", _pixel_solver),
}
_FAMILIES: dict[str, tuple[str, Callable[[str], Respond]]] = {
    _CONSTANT: ("B", _constant),
    _FAILED_SUBTASK: ("rotate-compass", _failed_subtask),
    simulated_deficits.PREFIX: ("left-right", simulated_deficits.respond),
    psychometric_model.PREFIX: ("threshold=9", psychometric_model.respond),
}
"""Models with a parameter after a colon: an example of the parameter, and the function of the full name."""


def names() -> dict[str, str]:
    """The names of the models, or the prefixes of parametrized ones, each with what the model does."""
    return {
        **{name: summary for name, (summary, _) in _MODELS.items()},
        _CONSTANT: "always returns the answer after the colon, as in constant:B",
        **{f"{_FAILED_SUBTASK}{subtask.name}": "returns the key before this subtask, else a random answer" for subtask in SUBTASKS},
        **{f"{simulated_deficits.PREFIX}{name}": summary for name, (summary, _) in simulated_deficits.DEFICITS.items()},
        psychometric_model.PREFIX: "returns the key along a psychometric function of size, as in psychometric:threshold=9,slope=4",
    }


def simulated_model(name: str) -> SimulatedModel:
    """The simulated model of that name.

    Raises:
        UserError: for an unknown name or parameter.
    """
    for prefix, (_, respond_by_name) in _FAMILIES.items():
        if name.startswith(prefix) and len(name) > len(prefix):
            return SimulatedModel(name, respond_by_name(name))
    if name not in _MODELS:
        available = [*_MODELS, *(f"{prefix}{example}" for prefix, (example, _) in _FAMILIES.items())]
        raise UserError(f"Unknown simulated model: {name}. Choose one of {', '.join(available)}.")
    return SimulatedModel(name, _MODELS[name][1])
