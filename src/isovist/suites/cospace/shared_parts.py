"""Shared parts of the CoSpace tasks: values of the groups of a task, item attributes, kinds of questions and image orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from isovist.core.answers import Answer, Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import Images, Orders, Paper, Question, Sampling, SamplingContext, Shortcut, identity
from isovist.suites.cospace.environments import Place, drawn
from isovist.suites.cospace.published_prompt import PUBLISHED_PROMPT
from isovist.suites.cospace.published_scorer import published
from isovist.suites.cospace.target_objects import images_of
from isovist.suites.cospace.view_sets import Views, clockwise_preamble, orders, turned

SQUARE: Images[Any] = Images(
    size_px=512, least_px=256
)  # 99% of the objects in question have at least 110 pixels, and their kind is visible
"""The width and the height of an image are equal."""
BY_PLACE: Sampling[Any] = Sampling(layout=lambda scene: scene.views.place)
PAPER = Paper(source="CoSpace, sections 3.2 and B", prompt=PUBLISHED_PROMPT, scorer=published)


class FourViews(Protocol):
    """The fields of every scene with four images of a full circle."""

    @property
    def views(self) -> Views: ...
    @property
    def shuffled_order(self) -> tuple[int, ...]: ...


S = TypeVar("S", bound=FourViews)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuestionKind(Generic[S]):
    """A kind of question of a task with several: its scene type and the functions of the task for this type.

    `question`: the question with a placeholder for the name; `turned` and `mirrored`: metamorphic relations; `errors`: the distractor
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


def attributes(views: Views) -> dict[str, str]:
    """The item attributes of every task."""
    return {"environment": views.place.setting, "place": views.place_kind}


def target_attributes(views: Views, name: str) -> dict[str, str]:
    """The item attributes of a task with a target object: `attributes` and the number of images that show the target."""
    n = len(images_of(views.visible_object(name), views.heading, views.fov))
    return attributes(views) | {"images that show the target": str(n), "target in two images": "yes" if n > 1 else "no"}


def turned_world(scene: Any) -> tuple[Any, Callable[[str], str]]:
    """Rotate the environment and the cameras: the answer is unchanged."""
    return replace(scene, views=turned(scene.views)), identity


def four_views(
    question_text: Callable[[S, str], str], answer: Callable[[S], Answer], *, body: bool = False
) -> tuple[Callable[[S], Question], Callable[[S], Orders]]:
    """The functions `ask` and `images.orders` of a task with four images of a full circle.

    `question_text` makes the text of a question from its preamble. `body`: headings are stated relative to a body, not as compass
    directions.
    """

    def ask(scene: S) -> Question:
        return Question(question_text(scene, clockwise_preamble(scene.views.fov, range(4), body=body)), answer(scene))

    def image_orders(scene: S) -> Orders:
        return orders(scene.views.fov, scene.shuffled_order, lambda preamble: question_text(scene, preamble), body=body)

    return ask, image_orders


def in_drawn_place(about: Callable[[SamplingContext, Place], T]) -> Callable[[SamplingContext], T]:
    """A sampling function that samples a scene of the first sampled place."""
    return lambda plan: about(plan, drawn(plan))
