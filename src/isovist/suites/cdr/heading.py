"""Spatial and compass direction of a single icon (Table II, rows 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from isovist.core.task import Preset, Question, SamplingContext, Task
from isovist.suites.cdr import cot, layouts, question_templates
from isovist.suites.cdr.layouts import Icon
from isovist.suites.cdr.options import choice, compass_rotation, direction_name, directions, renamed, rotated
from isovist.suites.cdr.task_factory import direction
from isovist.world.scenes.compass import COMPASS_DIRECTIONS


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Icon
    front: str
    up_direction: int | None  # the compass direction of the image top, for compass questions
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.layout.category}"

    @property
    def place(self) -> int:
        """The image direction in which the icon points."""
        return self.layout.heading

    @property
    def answer(self) -> str:
        return direction_name(self.place, self.up_direction)


def _sample(plan: SamplingContext, *, compass: bool) -> Scene:
    layout, kind = layouts.single_icon(plan)
    up = (plan.stratum - layout.heading) % 8 if compass else None
    options = directions(plan, plan.stratum if compass else layout.heading, compass=compass)
    return Scene(layout, kind.front, up, options, question_templates.phrasing(plan))


def _question(scene: Scene) -> Question:
    if scene.up_direction is None:
        text = question_templates.SPATIAL_HEADING[scene.phrasing].format(front=scene.front, origin=scene.origin)
    else:
        top = COMPASS_DIRECTIONS[scene.up_direction]
        text = question_templates.COMPASS_HEADING[scene.phrasing].format(front=scene.front, origin=scene.origin, compass=top)
    return Question(text, choice(scene.options, scene.answer))


def _rotate_90(scene: Scene):  # the icon and the answer rotate by 90 degrees clockwise
    return replace(scene, layout=layouts.rotate(scene.layout, 2)), renamed(rotated, 2)


def _rotate_compass(scene: Scene):  # the compass rotates, the icon does not
    assert scene.up_direction is not None
    return replace(scene, up_direction=(scene.up_direction + 3) % 8), renamed(rotated, 3)


def _attributes(scene: Scene) -> dict[str, str]:
    return {"heading": "diagonal" if scene.place % 2 else "axis-aligned"} | compass_rotation(scene.up_direction)


def _task(name: str, summary: str, rows: str, skills: tuple[str, ...] = (), *, compass: bool, **more: Any) -> Task[Scene]:
    return direction(
        name,
        summary,
        partial(_sample, compass=compass),
        layouts.draw_icon,
        _question,
        version=3,
        image_family=layouts.FAMILY_ICON,
        skills=("symbol recognition", "heading", *skills),
        source=f"CDR, Table I {rows}",
        attributes=_attributes,
        published_sizes={"test": Preset(1580, note="the paper does not state its number of questions; one for each of its 1,580 icons")},
        **more,
    )


TASKS = (
    _task(
        "spatial-direction-icon",
        "Name the image direction in which an icon points.",
        "row 2 and Table II row 4",
        compass=False,
        symmetries=(_rotate_90,),
        audit_exemptions={
            "pixels": "a diagonal outline needs more bytes than an axis-aligned one, and the question asks for the heading of the icon",
            "coarse image features (learned)": "the centre of mass of an icon correlates with its heading",
        },
    ),
    _task(
        "compass-direction-icon",
        "Name the compass direction in which an icon points, given the compass direction of the image top.",
        "row 3 and Table II row 5",
        ("frame rotation", "compass naming"),
        compass=True,
        symmetries=(_rotate_90, _rotate_compass),
        chain_of_thought=cot.of_heading,
        verify_chain=cot.replay_heading,
    ),
)
