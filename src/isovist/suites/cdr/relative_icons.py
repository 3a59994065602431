"""Relative spatial and compass direction of a thing from a directed icon (Table II, rows 6 and 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from isovist.core.task import PICTURES, Preset, Question, SamplingContext
from isovist.scenes.compass import COMPASS_DIRECTIONS
from isovist.scenes.distractor_types import HEADING_AS_IMAGE_TOP, HEADING_AS_NORTH, LEFT_RIGHT, UP_DOWN
from isovist.suites.cdr import cot, layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Surrounded
from isovist.suites.cdr.options import choice, direction_name, directions, errors, renamed, turn_of_the_compass, turned
from isovist.suites.cdr.task_factory import direction

_FEWEST, _MOST = 6, 7  # things around the centre: the fewer there are, the fewer answers are possible


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Surrounded
    front: str
    target_position: int  # the direction of the target from the centre in the picture
    stated_heading: int | None  # the wind to which the centre icon points, if the question is about the compass
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.layout.center.category}"

    @property
    def target(self) -> str:
        thing = self.layout.around[self.target_position]
        assert thing is not None
        return f"the {thing.category}"

    @property
    def up(self) -> int | None:
        """The wind of the picture's upper side, if the question is about the compass."""
        return None if self.stated_heading is None else (self.stated_heading - self.layout.center.heading) % 8

    @property
    def answer(self) -> str:
        return direction_name(self.target_position, self.up)


def _sample_spatial(plan: SamplingContext) -> Scene:
    icon, kind = layouts.directed(plan)
    rng, place = plan.image_rng, plan.stratum
    others = [p for p in range(8) if p != place]
    filled = [place, *rng.sample(others, rng.integer(_FEWEST, _MOST) - 1)]
    layout = plan.check_split(Surrounded(icon, layouts.surroundings(rng, filled)))
    return Scene(layout, kind.front, place, None, directions(plan, place, compass=False), question_templates.phrasing(plan))


def _sample_compass(plan: SamplingContext) -> Scene:
    icon, kind = layouts.directed(plan)
    rng = plan.image_rng
    filled = rng.sample(range(8), rng.integer(_FEWEST, _MOST))
    layout = plan.check_split(Surrounded(icon, layouts.surroundings(rng, filled)))
    # in one order for all questions about a picture, so that none comes twice
    asked = [(place, phrasing) for place in filled for phrasing in range(question_templates.PHRASINGS)]
    place, phrasing = rng.shuffled(asked)[plan.question_index % len(asked)]
    heading_is = (plan.stratum - place + icon.heading) % 8
    return Scene(layout, kind.front, place, heading_is, directions(plan, plan.stratum, compass=True), phrasing)


def _ask(scene: Scene) -> Question:
    if scene.stated_heading is None:
        text = question_templates.SPATIAL_RELATION_OF_ICON[scene.phrasing].format(origin=scene.origin, target=scene.target)
    else:
        text = question_templates.COMPASS_RELATION_BY_HEADING[scene.phrasing].format(
            front=scene.front, origin=scene.origin, target=scene.target, wind=COMPASS_DIRECTIONS[scene.stated_heading]
        )
    return Question(text, choice(scene.options, scene.answer))


def _moved(scene: Scene, steps: int) -> Scene:
    """The whole scene turned clockwise by steps of 45 degrees about its centre."""
    around = scene.layout.around
    layout = Surrounded(layouts.turn(scene.layout.center, steps), (*around[-steps:], *around[:-steps]))
    return replace(scene, layout=layout, target_position=(scene.target_position + steps) % 8)


def _turn_spatial(scene: Scene):  # the picture turns, and so does the answer
    return _moved(scene, 3), renamed(turned, 3)


def _turn_compass(scene: Scene):  # icon and things turn together: nothing changes relative to the heading
    return _moved(scene, 3), renamed(turned, 0)


def _turn_icon(scene: Scene):  # the icon alone turns clockwise: everything falls back by as much
    layout = replace(scene.layout, center=layouts.turn(scene.layout.center, 1))
    return replace(scene, layout=layout), renamed(turned, -1)


def _facets(scene: Scene) -> dict[str, str]:
    things = sum(thing is not None for thing in scene.layout.around)
    return {"things around": str(things), "way": "slanted" if scene.target_position % 2 else "straight"} | turn_of_the_compass(scene.up)


def _errors(scene: Scene) -> list[str]:
    if scene.stated_heading is None:
        return errors(scene.options, scene.target_position, None)
    heading, wind = scene.layout.center.heading, scene.stated_heading
    mirrored = (wind + heading - scene.target_position) % 8  # who sees the picture mirrored, in either way, sees the icon so as well
    more = {
        LEFT_RIGHT: mirrored,
        UP_DOWN: mirrored,
        HEADING_AS_IMAGE_TOP: (wind + scene.target_position) % 8,
        HEADING_AS_NORTH: (scene.target_position - heading) % 8,
    }
    return errors(scene.options, scene.target_position, scene.up, more)


_SHARED: dict[str, Any] = {
    "version": 2,
    "distractor_types": _errors,
    "attributes": _facets,
    "shortcuts": shortcuts.ICONS,
    "chain_of_thought": cot.of_icons,
    "verify_chain": cot.replay_icons,
}
_SPATIAL_SKILLS = ("symbol recognition", "relative position")

TASKS = (
    direction(
        "relative-spatial-icon",
        "Name the image direction from the centre icon to another object.",
        _sample_spatial,
        layouts.draw_surrounded,
        _ask,
        skills=_SPATIAL_SKILLS,
        source="CDR, Table I row 4 and Table II row 6",
        symmetries=(_turn_spatial,),
        published_sizes={"test": Preset(4000, note="the paper does not tell this number of questions; as many as for the compass")},
        **_SHARED,
    ),
    direction(
        "relative-compass-icon",
        "Name the compass direction from an icon to an object, given the compass heading of the icon.",
        _sample_compass,
        layouts.draw_surrounded,
        _ask,
        image_family=layouts.FAMILY_ICONS,
        skills=(*_SPATIAL_SKILLS, "heading", "frame rotation", "compass naming"),
        source="CDR, Table I row 5 and Table II row 9",
        settings={"pictures": PICTURES},
        symmetries=(_turn_compass, _turn_icon),
        published_sizes={
            "test": Preset(4000, {"pictures": 200}, "200 pictures: what the 8,944 for training leave of the paper's 9,144"),
            "train": Preset(71_552, {"pictures": 8944}, "8,944 pictures: eight questions each"),
        },
        **_SHARED,
    ),
)
