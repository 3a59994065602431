"""What the tasks of CoSpace share: their description, their facets, where a thing lies in a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from isovist.core.answers import Answer
from isovist.core.scene3d import Scene3D
from isovist.core.task import Orders, Preset, Question, SamplingContext, Symmetry, Task, identity
from isovist.suites.cospace.environments import SETTINGS, Place, drawn
from isovist.suites.cospace.published_scorer import published
from isovist.suites.cospace.target_objects import pictures_of
from isovist.suites.cospace.view_sets import Views, orders, round_told, turned

PIXELS = 512


class FourViews(Protocol):
    """What every scene of four pictures all around has."""

    @property
    def views(self) -> Views: ...
    @property
    def shuffled_order(self) -> tuple[int, ...]: ...


S = TypeVar("S", bound=FourViews)
T = TypeVar("T")


def facets(views: Views) -> dict[str, str]:
    """What a report may group every task's items by."""
    return {"where": views.place.setting, "place": views.place_kind}


def seen_facets(views: Views, name: str) -> dict[str, str]:
    """The same, and in how many pictures the only thing of a name is seen."""
    n = len(pictures_of(views.thing(name), views.heading, views.fov))
    return facets(views) | {"pictures it is seen in": str(n), "straddles two pictures": "yes" if n > 1 else "no"}


def _turned(scene: Any) -> tuple[Any, Callable[[str], str]]:
    """The world and the cameras turned."""
    return replace(scene, views=turned(scene.views)), identity


def four_views(
    asked: Callable[[S, str], str], answer: Callable[[S], Answer], *, body: bool = False
) -> tuple[Callable[[S], Question], Callable[[S], Orders]]:
    """How a task with four pictures all around asks: its question, and the other orders of the pictures.

    `asked` makes the words of a question of its opening words; `body`: directions are told in the frame of a body. A scene has `views`, and
    its shuffled order as `shuffled_order`.
    """

    def ask(scene: S) -> Question:
        return Question(asked(scene, round_told(scene.views.fov, range(4), body=body)), answer(scene))

    def image_orders(scene: S) -> Orders:
        return orders(scene.views.fov, scene.shuffled_order, lambda opening: asked(scene, opening), body=body)

    return ask, image_orders


def in_drawn_place(about: Callable[[SamplingContext, Place], T]) -> Callable[[SamplingContext], T]:
    """Samples a scene about the first place drawn."""
    return lambda plan: about(plan, drawn(plan))


def cospace(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], Any],
    ask: Callable[[Any], Question],
    rederive: Callable[[tuple[Scene3D, ...], str], str],
    *symmetries: Symmetry[Any],
    paper: int,
    attributes: Callable[[Any], Mapping[str, str]],
    balance: Callable[[Answer], str] = lambda answer: answer.balance_bin(),
    category: Callable[[Any], str] | None = None,
    answer_type: str = "choice",
    rounds: tuple[str, ...] = (),
    note: str = "",
    **more: Any,
) -> Task[Any]:
    """A task of the suite. `symmetries` are those beside a turn of the world; `paper` is the
    published size, going round the levels `rounds`.
    """
    return Task(
        id=f"cospace/{name}",
        version=3,
        summary=summary,
        sample=sample,
        draw=lambda scene: scene.views.stages(),
        ask=ask,
        rederive=lambda pictures, words: rederive(tuple(picture for picture in pictures if isinstance(picture, Scene3D)), words),
        answer_type=answer_type,
        layout=lambda scene: scene.views.place,
        source="CoSpace, sections 3.2 and B",
        image_size_px=PIXELS,
        settings=SETTINGS,
        symmetries=(_turned, *symmetries),
        attributes=attributes,
        balance=balance,
        category=category,
        published_scorer=published,
        published_sizes={"test": Preset(paper, note=note, levels=rounds)},
        **more,
    )
