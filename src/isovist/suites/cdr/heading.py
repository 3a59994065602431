"""Spatial and compass direction of a single icon (Table II, rows 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from isovist.core.task import Checks, Exemption, Images, Preset, Question, Reasoning, SamplingContext, Task
from isovist.suites.cdr import cot, layouts, question_templates
from isovist.suites.cdr.layouts import LoneIcon
from isovist.suites.cdr.options import ORDER, choice, compass_rotation, direction_name, directions, renamed, rotated
from isovist.suites.cdr.rederivation import rederive
from isovist.suites.cdr.shared_parts import BY_LAYOUT, DIRECTIONS, DIRECTIONS_REPORTED, PAPER, wording
from isovist.world.scenes.compass import COMPASS_DIRECTIONS


@dataclass(frozen=True, slots=True)
class Scene:
    layout: LoneIcon
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
    return {"heading": "diagonal" if scene.place % 2 else "axis-aligned"} | compass_rotation(scene.up_direction) | wording(scene)


_SKILLS = ("symbol recognition", "heading")
_REPORTED = replace(DIRECTIONS_REPORTED, attributes=_attributes)
_SIZES = {"test": Preset(1580, note="the paper does not state its number of questions; one for each of its 1,580 icons")}

TASKS = (
    Task(
        id="cdr/spatial-direction-icon",
        version=4,
        summary="Name the image direction in which an icon points.",
        sample=partial(_sample, compass=False),
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_SKILLS,
        settings={"order": ORDER},
        images=Images(family=layouts.FAMILY_ICON),
        sampling=BY_LAYOUT,
        paper=replace(PAPER, source="CDR, Table I row 2 and Table II row 4", sizes=_SIZES),
        reported=_REPORTED,
        checks=Checks(
            symmetries=(_rotate_90,),
            exemptions={
                "pixels": Exemption(
                    "the proportions of the outline show whether the icon is diagonal, and the question asks for its heading", 0.3
                )
            },
        ),
    ),
    Task(
        id="cdr/compass-direction-icon",
        version=4,
        summary="Name the compass direction in which an icon points, given the compass direction of the image top.",
        sample=partial(_sample, compass=True),
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=(*_SKILLS, "frame rotation", "compass naming"),
        settings={"order": ORDER},
        images=Images(family=layouts.FAMILY_ICON),
        sampling=BY_LAYOUT,
        paper=replace(PAPER, source="CDR, Table I row 3 and Table II row 5", sizes=_SIZES),
        reported=_REPORTED,
        checks=Checks(symmetries=(_rotate_90, _rotate_compass)),
        reasoning=Reasoning(cot.of_heading, cot.replay_heading),
    ),
)
