"""What the tasks of CoSpace share: their description, their facets, where a thing lies in a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from isovist.core.answers import Answer
from isovist.core.scene3d import Stage
from isovist.core.task import Orders, Plan, Preset, Question, Symmetry, Task
from isovist.suites.cospace.environments import SETTINGS
from isovist.suites.cospace.published_scorer import published
from isovist.suites.cospace.target_objects import pictures_of
from isovist.suites.cospace.view_sets import Views

PIXELS = 512


class Shown(Protocol):
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


S = TypeVar("S", bound=Shown)


def cospace(
    name: str,
    summary: str,
    sample: Callable[[Plan], S],
    ask: Callable[[S], Question],
    read: Callable[[tuple[Stage, ...], str], str],
    *,
    skills: tuple[str, ...],
    paper: int,
    chance: float,
    cells: int | tuple[int, ...],
    symmetries: tuple[Symmetry[S], ...],
    facets: Callable[[S], Mapping[str, str]],
    orders: Callable[[S], Orders] | None = None,
    errors: Callable[[S], Sequence[str]] | None = None,
    category: Callable[[S], str] | None = None,
    balance: Callable[[Answer], str] = lambda answer: answer.bin(),
    answer_type: str = "choice",
    rounds: tuple[str, ...] = (),
    note: str = "",
    **more: Any,
) -> Task[Any]:
    """A task of the suite; `paper` is its published size, going round the levels `rounds`."""

    def again(pictures: Sequence[object], words: str) -> str:
        return read(tuple(picture for picture in pictures if isinstance(picture, Stage)), words)

    return Task(
        id=f"cospace/{name}",
        version=2,
        summary=summary,
        sample=sample,
        draw=lambda scene: scene.views.stages(),
        ask=ask,
        read=again,
        cells=cells,
        chance=chance,
        answer_type=answer_type,
        layout=lambda scene: scene.views.place,
        skills=skills,
        source="CoSpace, sections 3.2 and B",
        size=PIXELS,
        settings=SETTINGS,
        symmetries=symmetries,
        facets=facets,
        orders=orders,
        errors=errors,
        category=category,
        balance=balance,
        published=published,
        paper={"test": Preset(paper, note=note, levels=rounds)},
        **more,
    )
