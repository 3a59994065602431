"""Spatial and compass direction of a single icon (Table II, rows 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from isovist.core.task import Preset, Question, SamplingContext, Task
from isovist.scenes.compass import COMPASS_DIRECTIONS
from isovist.suites.cdr import cot, layouts, question_templates
from isovist.suites.cdr.layouts import Icon
from isovist.suites.cdr.options import choice, direction_name, directions, renamed, turn_of_the_compass, turned
from isovist.suites.cdr.task_factory import direction


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Icon
    front: str
    up_direction: int | None  # the wind of the picture's upper side, if the question is about the compass
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.layout.category}"

    @property
    def place(self) -> int:
        """Where it points in the picture."""
        return self.layout.heading

    @property
    def answer(self) -> str:
        return direction_name(self.place, self.up_direction)


def _sample(plan: SamplingContext, *, compass: bool) -> Scene:
    layout, kind = layouts.lone(plan)
    up = (plan.stratum - layout.heading) % 8 if compass else None
    options = directions(plan, plan.stratum if compass else layout.heading, compass=compass)
    return Scene(layout, kind.front, up, options, question_templates.phrasing(plan))


def _ask(scene: Scene) -> Question:
    if scene.up_direction is None:
        text = question_templates.SPATIAL_HEADING[scene.phrasing].format(front=scene.front, origin=scene.origin)
    else:
        wind = COMPASS_DIRECTIONS[scene.up_direction]
        text = question_templates.COMPASS_HEADING[scene.phrasing].format(front=scene.front, origin=scene.origin, wind=wind)
    return Question(text, choice(scene.options, scene.answer))


def _quarter_turn(scene: Scene):  # the icon turns a quarter clockwise, and so does the answer
    return replace(scene, layout=layouts.turn(scene.layout, 2)), renamed(turned, 2)


def _other_premise(scene: Scene):  # the map turns under the icon
    assert scene.up_direction is not None
    return replace(scene, up_direction=(scene.up_direction + 3) % 8), renamed(turned, 3)


def _facets(scene: Scene) -> dict[str, str]:
    return {"heading": "slanted" if scene.place % 2 else "straight"} | turn_of_the_compass(scene.up_direction)


def _task(name: str, summary: str, rows: str, skills: tuple[str, ...] = (), *, compass: bool, **more: Any) -> Task[Scene]:
    return direction(
        name,
        summary,
        partial(_sample, compass=compass),
        layouts.draw_icon,
        _ask,
        version=2,
        image_family=layouts.FAMILY_ICON,
        skills=("symbol recognition", "heading", *skills),
        source=f"CDR, Table I {rows}",
        attributes=_facets,
        published_sizes={"test": Preset(1580, note="the paper does not tell its number of questions; one for each of its 1,580 icons")},
        **more,
    )


TASKS = (
    _task(
        "spatial-direction-icon",
        "Name the image direction in which an icon points.",
        "row 2 and Table II row 4",
        compass=False,
        symmetries=(_quarter_turn,),
        audit_exemptions={
            "pixels": "a diagonal outline costs more bytes than a straight one, and the heading of the icon is the question",
            "coarse picture (learned)": "where the mass of an icon lies goes with the way it points",
        },
    ),
    _task(
        "compass-direction-icon",
        "Name the compass direction in which an icon points, given the compass direction of the image top.",
        "row 3 and Table II row 5",
        ("frame rotation", "compass naming"),
        compass=True,
        symmetries=(_quarter_turn, _other_premise),
        chain_of_thought=cot.of_heading,
        verify_chain=cot.replay_heading,
    ),
)
