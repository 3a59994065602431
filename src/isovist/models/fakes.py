"""Models that need no network: they try out the whole chain, and the observer shows that the pictures carry the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.errors import BadInput
from isovist.models import planted
from isovist.models.base import Reply, Request
from isovist.suites.cdr.ladder import LADDER

_JUNK = ("lorem", "ipsum", "Answer:", "?!", "the", "B or C", "{}", "42 or 43", "direction", "...", "**", "maybe", "\\boxed{}")


@dataclass(frozen=True, slots=True)
class Fake:
    name: str
    words: Callable[[Request, Answer], str]

    def reply(self, request: Request, answer: Answer) -> Reply:
        return Reply(self.words(request, answer), served_by=self.name)


def _line(answer: str) -> str:
    return f"Answer: {answer}"


def _random(request: Request, answer: Answer) -> str:
    return _line(answer.guess(Rng("fake/random", request.item_id, request.variant)))


def _garbled(request: Request, answer: Answer) -> str:
    del answer
    rng = Rng("fake/garbled", request.item_id, request.variant)
    return " ".join(("lorem", *(rng.pick(_JUNK) for _ in range(rng.integer(1, 8)))))


def _observer(request: Request, answer: Answer) -> str:
    del answer  # it has only its eyes
    from isovist.models.eyes import look

    return look(request)


def _climber(lost: str) -> Callable[[Request, Answer], str]:
    """Takes each step of relative compass reasoning before the one that is `lost`, and guesses from there, and elsewhere."""
    before = [step.task for step in LADDER[: [step.name for step in LADDER].index(lost)]]

    def words(request: Request, answer: Answer) -> str:
        return _line(answer.canonical()) if request.item_id.partition("@")[0] in before else _random(request, answer)

    return words


_FAKES: dict[str, tuple[str, Callable[[Request, Answer], str]]] = {
    "fake/oracle": ("knows the key", lambda request, answer: _line(answer.canonical())),
    "fake/random": ("guesses, the same guess for the same question", _random),
    "fake/silent": ("says nothing", lambda request, answer: ""),
    "fake/garbled": ("says words without an answer", _garbled),
    "fake/observer": ("answers from the pixels alone", _observer),
}
_CONSTANT, _STAGE = "fake/constant:", "fake/stage:"


def fake(name: str) -> Fake:
    """The fake of that name. Raises BadInput if there is none."""
    if name.startswith(_CONSTANT) and len(name) > len(_CONSTANT):
        words = _line(name.removeprefix(_CONSTANT))
        return Fake(name, lambda request, answer: words)
    if name.startswith(planted.PREFIX):
        return Fake(name, planted.words(name))
    if name.removeprefix(_STAGE) in (step.name for step in LADDER) and name.startswith(_STAGE):
        return Fake(name, _climber(name.removeprefix(_STAGE)))
    if name not in _FAKES:
        known = f"{', '.join(_FAKES)}, {_CONSTANT}B, {_STAGE}turn and {planted.PREFIX}left-right"
        raise BadInput(f"no fake model is called {name!r}; there are {known}.")
    return Fake(name, _FAKES[name][1])
