"""What the tasks of CoSpace share: their description, their facets, where a thing lies in a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from isovist.core.answers import Answer
from isovist.core.scene3d import Scene3D
from isovist.core.task import Orders, Preset, Question, SamplingContext, Symmetry, Task
from isovist.suites.cospace.environments import SETTINGS
from isovist.suites.cospace.published_scorer import published
from isovist.suites.cospace.target_objects import pictures_of
from isovist.suites.cospace.view_sets import Views

PIXELS = 512


class SceneWithViews(Protocol):
    """What every scene has."""

    @property
    def views(self) -> Views: ...


def facets(views: Views) -> dict[str, str]:
    """What a report may group every task's items by."""
    return {"where": views.place.where, "place": views.kind}


def seen_facets(views: Views, name: str) -> dict[str, str]:
    """The same, and in how many pictures the only thing of a name is seen."""
    n = len(pictures_of(views.thing(name), views.heading, views.fov))
    return facets(views) | {"pictures it is seen in": str(n), "straddles two pictures": "yes" if n > 1 else "no"}


S = TypeVar("S", bound=SceneWithViews)


def cospace(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], S],
    ask: Callable[[S], Question],
    rederive: Callable[[tuple[Scene3D, ...], str], str],
    *,
    skills: tuple[str, ...],
    paper: int,
    chance: float,
    strata: int | tuple[int, ...],
    symmetries: tuple[Symmetry[S], ...],
    attributes: Callable[[S], Mapping[str, str]],
    image_orders: Callable[[S], Orders] | None = None,
    distractor_types: Callable[[S], Sequence[str]] | None = None,
    category: Callable[[S], str] | None = None,
    balance: Callable[[Answer], str] = lambda answer: answer.balance_bin(),
    answer_type: str = "choice",
    rounds: tuple[str, ...] = (),
    note: str = "",
    **more: Any,
) -> Task[Any]:
    """A task of the suite; `paper` is its published size, going round the levels `rounds`."""

    def again(pictures: Sequence[object], words: str) -> str:
        return rederive(tuple(picture for picture in pictures if isinstance(picture, Scene3D)), words)

    return Task(
        id=f"cospace/{name}",
        version=2,
        summary=summary,
        sample=sample,
        draw=lambda scene: scene.views.stages(),
        ask=ask,
        rederive=again,
        strata=strata,
        chance=chance,
        answer_type=answer_type,
        layout=lambda scene: scene.views.place,
        skills=skills,
        source="CoSpace, sections 3.2 and B",
        image_size_px=PIXELS,
        settings=SETTINGS,
        symmetries=symmetries,
        attributes=attributes,
        image_orders=image_orders,
        distractor_types=distractor_types,
        category=category,
        balance=balance,
        published_scorer=published,
        published_sizes={"test": Preset(paper, note=note, levels=rounds)},
        **more,
    )
