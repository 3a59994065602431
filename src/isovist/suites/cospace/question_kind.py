"""A kind of question of a task with several: its scene type and the functions of the task for this type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from isovist.core.answers import Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, SamplingContext, Shortcut
from isovist.suites.cospace.shared_parts import FourViews

S = TypeVar("S", bound=FourViews)


@dataclass(frozen=True, slots=True)
class QuestionKind(Generic[S]):
    """`question`: the question with a placeholder for the name; `turned` and `mirrored`: metamorphic relations; `errors`: the distractor
    type of each option. For the other fields see `Task`.
    """

    scene: type[S]
    strata: int
    sample: Callable[[SamplingContext], S]
    question: str
    question_text: Callable[[S, str], str]
    answer: Callable[[S], Choice]
    read: Callable[[tuple[Scene3D, ...], str], str]
    errors: Callable[[S], Sequence[str]]
    turned: Callable[[S], tuple[S, Callable[[str], str]]]
    mirrored: Callable[[S], tuple[S, Callable[[str], str]]]
    attributes: Callable[[S], Mapping[str, str]]
    category: Callable[[S], str]
    explain: Callable[[S, Question], str]
    replay: Callable[[S, Question, str], list[str]]
    shortcuts: Mapping[str, Shortcut[S]]

    def asks(self, text: str) -> bool:
        """Whether a text contains the question of this kind."""
        start, _, end = self.question.partition("{}")
        return f"\n{start}" in text and end in text
