"""Spatial and compass direction of a single icon (Table II, rows 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from isovist.core.task import Preset, Question, SamplingContext, Task
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS
from isovist.suites.cdr import cot, layouts, question_templates
from isovist.suites.cdr.layouts import Icon
from isovist.suites.cdr.options import ORDER, angles, choice, directions, errors, renamed, turn_of_the_compass, turned
from isovist.suites.cdr.rederivation import read

_OURS = "the paper does not tell its number of questions; one for each of its 1,580 icons"
_BYTES = "a diagonal outline costs more bytes than a straight one, and the heading of the icon is the question"


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Icon
    front: str
    up: int | None  # the wind of the picture's upper side, if the question is about the compass
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.layout.category}"

    @property
    def answer(self) -> str:
        if self.up is None:
            return IMAGE_DIRECTIONS[self.layout.heading]
        return COMPASS_DIRECTIONS[(self.up + self.layout.heading) % 8]


def _sample_spatial(plan: SamplingContext) -> Scene:
    layout, kind = layouts.lone(plan)
    options = directions(plan, layout.heading, compass=False)
    return Scene(layout, kind.front, None, options, plan.item_rng.integer(0, question_templates.PHRASINGS - 1))


def _sample_compass(plan: SamplingContext) -> Scene:
    layout, kind = layouts.lone(plan)
    up = (plan.stratum - layout.heading) % 8
    options = directions(plan, plan.stratum, compass=True)
    return Scene(layout, kind.front, up, options, plan.item_rng.integer(0, question_templates.PHRASINGS - 1))


def _ask(scene: Scene) -> Question:
    if scene.up is None:
        text = question_templates.SPATIAL_HEADING[scene.phrasing].format(front=scene.front, origin=scene.origin)
    else:
        text = question_templates.COMPASS_HEADING[scene.phrasing].format(
            front=scene.front, origin=scene.origin, wind=COMPASS_DIRECTIONS[scene.up]
        )
    return Question(text, choice(scene.options, scene.answer))


def _quarter_turn(scene: Scene):  # the icon turns a quarter clockwise, and so does the answer
    icon = layouts.turn(scene.layout, 2)
    return replace(scene, layout=icon), renamed(turned, 2)


def _other_premise(scene: Scene):  # the map turns under the icon
    assert scene.up is not None
    return replace(scene, up=(scene.up + 3) % 8), renamed(turned, 3)


def _facets(scene: Scene) -> dict[str, str]:
    shown = {"heading": "slanted" if scene.layout.heading % 2 else "straight"}
    return shown if scene.up is None else shown | turn_of_the_compass(scene.up)


TASKS = (
    Task(
        id="cdr/spatial-direction-icon",
        version=2,
        summary="Name the image direction in which an icon points.",
        sample=_sample_spatial,
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_ask,
        rederive=read,
        strata=8,
        chance=1 / 8,
        answer_type="choice",
        option_angles=angles,
        distractor_types=lambda scene: errors(scene.options, scene.layout.heading, scene.up),
        image_family=layouts.FAMILY_ICON,
        layout=lambda scene: scene.layout,
        skills=("symbol recognition", "heading"),
        source="CDR, Table I row 2 and Table II row 4",
        settings={"order": ORDER},
        attributes=_facets,
        symmetries=(_quarter_turn,),
        published_sizes={"test": Preset(1580, note=_OURS)},
        audit_exemptions={"pixels": _BYTES, "coarse picture (learned)": "where the mass of an icon lies goes with the way it points"},
    ),
    Task(
        id="cdr/compass-direction-icon",
        version=2,
        summary="Name the compass direction in which an icon points, given the compass direction of the image top.",
        sample=_sample_compass,
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_ask,
        rederive=read,
        strata=8,
        chance=1 / 8,
        answer_type="choice",
        option_angles=angles,
        distractor_types=lambda scene: errors(scene.options, scene.layout.heading, scene.up),
        image_family=layouts.FAMILY_ICON,
        layout=lambda scene: scene.layout,
        skills=("symbol recognition", "heading", "frame rotation", "compass naming"),
        source="CDR, Table I row 3 and Table II row 5",
        settings={"order": ORDER},
        attributes=_facets,
        symmetries=(_quarter_turn, _other_premise),
        chain_of_thought=cot.of_heading,
        verify_chain=cot.replay_heading,
        published_sizes={"test": Preset(1580, note=_OURS)},
    ),
)
