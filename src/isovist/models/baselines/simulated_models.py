"""Models that need no network: they try out the whole chain, and the observer shows that the pictures carry the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.errors import UserError
from isovist.models.base import LONGEST, ModelRequest, ModelResponse
from isovist.models.baselines import psychometric_model, simulated_deficits
from isovist.models.baselines.random_guessing import guess
from isovist.suites.cdr.subtasks import SUBTASKS

_JUNK = ("lorem", "ipsum", "Answer:", "?!", "the", "B or C", "{}", "42 or 43", "direction", "...", "**", "maybe", "\\boxed{}")


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    name: str
    words: Callable[[ModelRequest, Answer], str]
    longest: int = LONGEST

    def reply(self, request: ModelRequest, answer: Answer) -> ModelResponse:
        return ModelResponse(self.words(request, answer), served_by=self.name)


def _line(answer: str) -> str:
    return f"Answer: {answer}"


def _random(request: ModelRequest, answer: Answer) -> str:
    return _line(guess(request.item_id, answer, Rng("fake/random", request.item_id, request.variant)))


def _garbled(request: ModelRequest, answer: Answer) -> str:
    del answer
    rng = Rng("fake/garbled", request.item_id, request.variant)
    return " ".join(("lorem", *(rng.pick(_JUNK) for _ in range(rng.integer(1, 8)))))


def _observer(request: ModelRequest, answer: Answer) -> str:
    del answer  # it has only its eyes
    from isovist.models.baselines.pixel_solvers import solve_from_pixels

    return solve_from_pixels(request)


_FAKES: dict[str, tuple[str, Callable[[ModelRequest, Answer], str]]] = {
    "fake/oracle": ("knows the key", lambda request, answer: _line(answer.canonical())),
    "fake/random": ("guesses, the same guess for the same question", _random),
    "fake/silent": ("says nothing", lambda request, answer: ""),
    "fake/garbled": ("says words without an answer", _garbled),
    "fake/observer": ("answers from the pixels alone", _observer),
}
_CONSTANT, _STAGE = "fake/constant:", "fake/stage:"


def _constant(name: str) -> Callable[[ModelRequest, Answer], str]:
    """One who always says the same."""
    words = _line(name.removeprefix(_CONSTANT))
    return lambda request, answer: words


def _climber(name: str) -> Callable[[ModelRequest, Answer], str]:
    """Takes each step of relative compass reasoning before the one that is lost, and guesses from there, and elsewhere."""
    lost, steps = name.removeprefix(_STAGE), [step.name for step in SUBTASKS]
    if lost not in steps:
        raise UserError(f"{name}: {lost!r} is no step of compass reasoning; there are {', '.join(steps)}.")
    before = [step.task for step in SUBTASKS[: steps.index(lost)]]

    def words(request: ModelRequest, answer: Answer) -> str:
        return _line(answer.canonical()) if request.item_id.partition("@")[0] in before else _random(request, answer)

    return words


_KINDS: dict[str, tuple[str, Callable[[str], Callable[[ModelRequest, Answer], str]]]] = {
    _CONSTANT: ("B", _constant),
    _STAGE: ("rotate-compass", _climber),
    simulated_deficits.PREFIX: ("left-right", simulated_deficits.words),
    psychometric_model.PREFIX: ("threshold=9", psychometric_model.words),
}
"""Fakes with something behind a colon: an example of that, and what gives their words."""


def names() -> dict[str, str]:
    """The names there are, or how they begin, and what each does."""
    return {
        **{name: summary for name, (summary, _) in _FAKES.items()},
        _CONSTANT: "always gives the same answer",
        **{f"{_STAGE}{step.name}": "knows the key up to this step, and guesses from there" for step in SUBTASKS},
        **{f"{simulated_deficits.PREFIX}{name}": summary for name, (summary, _) in simulated_deficits.DEFICITS.items()},
        psychometric_model.PREFIX: "knows the key along a curve of sizes",
    }


def fake(name: str) -> SimulatedModel:
    """The fake of that name. Raises UserError if there is none."""
    for prefix, (_, words) in _KINDS.items():
        if name.startswith(prefix) and len(name) > len(prefix):
            return SimulatedModel(name, words(name))
    if name not in _FAKES:
        raise UserError(f"no fake model is called {name!r}; there are {', '.join((*_FAKES, *(p + eg for p, (eg, _) in _KINDS.items())))}.")
    return SimulatedModel(name, _FAKES[name][1])
