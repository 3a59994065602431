"""Spatial and compass direction of an object relative to a directed icon (Table II, rows 6 and 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from isovist.core.task import PICTURES, Checks, Images, Preset, Question, Reasoning, Reported, SamplingContext, Task
from isovist.suites.cdr import cot, layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Surrounded
from isovist.suites.cdr.options import ORDER, angles, choice, compass_rotation, direction_name, directions, option_types, renamed, rotated
from isovist.suites.cdr.rederivation import rederive
from isovist.suites.cdr.shared_parts import BY_LAYOUT, DIRECTIONS, PAPER, wording
from isovist.world.scenes.compass import COMPASS_DIRECTIONS
from isovist.world.scenes.distractor_types import HEADING_AS_IMAGE_TOP, HEADING_AS_NORTH, LEFT_RIGHT, UP_DOWN

_FEWEST, _MOST = 6, 7  # objects around the centre; fewer objects allow fewer answers


@dataclass(frozen=True, slots=True)
class Scene:
    layout: Surrounded
    front: str
    target_position: int  # the image direction of the target from the centre
    stated_heading: int | None  # the compass direction of the centre icon's heading, for compass questions
    options: tuple[str, ...]
    phrasing: int

    @property
    def origin(self) -> str:
        return f"the {self.layout.center.category}"

    @property
    def target(self) -> str:
        icon = self.layout.around[self.target_position]
        assert icon is not None
        return f"the {icon.category}"

    @property
    def up(self) -> int | None:
        """The compass direction of the image top, for compass questions."""
        return None if self.stated_heading is None else (self.stated_heading - self.layout.center.heading) % 8

    @property
    def answer(self) -> str:
        return direction_name(self.target_position, self.up)


def _sample_spatial(plan: SamplingContext) -> Scene:
    icon, kind = layouts.directed_icon(plan)
    rng, place = plan.image_rng, plan.stratum
    others = [p for p in range(8) if p != place]
    filled = [place, *rng.sample(others, rng.integer(_FEWEST, _MOST) - 1)]
    layout = plan.check_split(Surrounded(icon, layouts.surroundings(rng, filled)))
    return Scene(layout, kind.front, place, None, directions(plan, place, compass=False), question_templates.phrasing(plan))


def _sample_compass(plan: SamplingContext) -> Scene:
    icon, kind = layouts.directed_icon(plan)
    rng = plan.image_rng
    filled = rng.sample(range(8), rng.integer(_FEWEST, _MOST))
    layout = plan.check_split(Surrounded(icon, layouts.surroundings(rng, filled)))
    # one order for all questions about an image, so that no question occurs twice
    questions = [(place, phrasing) for place in filled for phrasing in range(question_templates.PHRASINGS)]
    place, phrasing = rng.shuffled(questions)[plan.question_index % len(questions)]
    stated_heading = (plan.stratum - place + icon.heading) % 8
    return Scene(layout, kind.front, place, stated_heading, directions(plan, plan.stratum, compass=True), phrasing)


def _question(scene: Scene) -> Question:
    if scene.stated_heading is None:
        text = question_templates.SPATIAL_RELATION_OF_ICON[scene.phrasing].format(origin=scene.origin, target=scene.target)
    else:
        text = question_templates.COMPASS_RELATION_BY_HEADING[scene.phrasing].format(
            front=scene.front, origin=scene.origin, target=scene.target, compass=COMPASS_DIRECTIONS[scene.stated_heading]
        )
    return Question(text, choice(scene.options, scene.answer))


def _rotated_scene(scene: Scene, steps: int) -> Scene:
    """Return the scene rotated clockwise by steps of 45 degrees about its centre."""
    around = scene.layout.around
    layout = Surrounded(layouts.rotate(scene.layout.center, steps), (*around[-steps:], *around[:-steps]))
    return replace(scene, layout=layout, target_position=(scene.target_position + steps) % 8)


def _rotate_spatial(scene: Scene):  # the scene and the answer rotate
    return _rotated_scene(scene, 3), renamed(rotated, 3)


def _rotate_map(scene: Scene):  # the scene rotates: the answer relative to the heading stays
    return _rotated_scene(scene, 3), renamed(rotated, 0)


def _rotate_icon(scene: Scene):  # only the icon rotates clockwise: the answer rotates counterclockwise
    layout = replace(scene.layout, center=layouts.rotate(scene.layout.center, 1))
    return replace(scene, layout=layout), renamed(rotated, -1)


def _attributes(scene: Scene) -> dict[str, str]:
    n_objects = sum(icon is not None for icon in scene.layout.around)
    relation = "diagonal" if scene.target_position % 2 else "axis-aligned"
    return {"surrounding objects": str(n_objects), "relation": relation} | compass_rotation(scene.up) | wording(scene)


def _option_types(scene: Scene) -> list[str]:
    if scene.stated_heading is None:
        return option_types(scene.options, scene.target_position, None)
    heading, stated = scene.layout.center.heading, scene.stated_heading
    mirrored = (stated + heading - scene.target_position) % 8  # a mirrored image has a mirrored icon too, about either axis
    more = {
        LEFT_RIGHT: mirrored,
        UP_DOWN: mirrored,
        HEADING_AS_IMAGE_TOP: (stated + scene.target_position) % 8,
        HEADING_AS_NORTH: (scene.target_position - heading) % 8,
    }
    return option_types(scene.options, scene.target_position, scene.up, more)


_SPATIAL_SKILLS = ("symbol recognition", "relative position")
_REPORTED = Reported(attributes=_attributes, distractor_types=_option_types, option_angles=angles)

TASKS = (
    Task(
        id="cdr/relative-spatial-icon",
        version=3,
        summary="Name the image direction from the centre icon to another object.",
        sample=_sample_spatial,
        draw=lambda scene: layouts.draw_surrounded(scene.layout),
        ask=_question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=_SPATIAL_SKILLS,
        settings={"order": ORDER},
        sampling=BY_LAYOUT,
        paper=replace(
            PAPER,
            source="CDR, Table I row 4 and Table II row 6",
            sizes={"test": Preset(4000, note="the paper does not state this number of questions; as many as for the compass")},
        ),
        reported=_REPORTED,
        checks=Checks(symmetries=(_rotate_spatial,), shortcuts=shortcuts.ICONS),
        reasoning=Reasoning(cot.of_icons, cot.replay_icons),
    ),
    Task(
        id="cdr/relative-compass-icon",
        version=3,
        summary="Name the compass direction from an icon to an object, given the compass heading of the icon.",
        sample=_sample_compass,
        draw=lambda scene: layouts.draw_surrounded(scene.layout),
        ask=_question,
        rederive=rederive,
        answers=DIRECTIONS,
        skills=(*_SPATIAL_SKILLS, "heading", "frame rotation", "compass naming"),
        settings={"order": ORDER, "pictures": PICTURES},
        images=Images(family=layouts.FAMILY_ICONS),
        sampling=BY_LAYOUT,
        paper=replace(
            PAPER,
            source="CDR, Table I row 5 and Table II row 9",
            sizes={
                "test": Preset(4000, {"pictures": 200}, "200 images: the paper's 9,144 minus 8,944 for training"),
                "train": Preset(71_552, {"pictures": 8944}, "8,944 images: eight questions each"),
            },
        ),
        reported=_REPORTED,
        checks=Checks(symmetries=(_rotate_map, _rotate_icon), shortcuts=shortcuts.ICONS),
        reasoning=Reasoning(cot.of_icons, cot.replay_icons),
    ),
)
