"""The direction in which a road or path runs: one of four axes (direction recognition, level `road`).

Three quarters of the published questions of the task are of this kind. An axis is an index 0 to 3 in steps of 45 degrees, clockwise seen
from above. Axis 0 is the line along the heading of the first image, from north to south.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.reasoning.templates import phrasing
from isovist.core.rotation import azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, RejectSample, SamplingContext, Shortcut, identity
from isovist.suites.cospace import cot_axes, environments, rederivation
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import MIDDLE_MARGIN, STEP, listed, moved
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.shared_parts import QuestionKind, attributes
from isovist.suites.cospace.view_sets import FOVS, Views, shuffled, stages
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.distractor_types import ERROR_45_DEG, ERROR_90_DEG, LEFT_RIGHT, angular_error_types, join_types
from isovist.world.scenes.environments import ways
from isovist.world.scenes.environments.bounding_boxes import bounds, standing_corners

AXES = ("From north to south", "From northeast to southwest", "From east to west", "From northwest to southeast")
_QUESTION = 'In which direction does {} run? "From north to south" also means from south to north, and so on.'
WAY = re.compile(re.escape(_QUESTION).replace(r"\{\}", "(.+?)"))
_PLACES = 4
"""Places tried for one item: in some, parked vehicles hide a road."""
_SEVERAL = {"junction": 2, "path": 3}
"""Kinds of places with several ways, and their number, all visible. The extent of a single road in each image tells how it runs, so only the
paper's design has single roads.
"""
_HOUSE = (5.0, 3.5)
"""Least width and height in metres of an object that `across_nearest_house` takes for a house."""


@dataclass(frozen=True, slots=True)
class RoadScene:
    """`way`: description of the road or path; `end_deg`: the clockwise angle in degrees from the heading of the first image to its end
    that is visible farther away; `offered_axes`: axes of the options; `shuffled_order`: shuffled order of the images.
    """

    views: Views
    way: str
    end_deg: float
    offered_axes: tuple[int, ...]
    shuffled_order: tuple[int, ...]

    @property
    def axis(self) -> int:
        """The axis (0 to 3) nearest to the road."""
        return round(self.end_deg / STEP) % 4


def sample(plan: SamplingContext) -> RoadScene:
    """Sample the scene of a question in the first sampled place with a visible road or path. Raises RejectSample."""
    kinds = tuple(ways.KINDS) if environments.as_published(plan) else tuple(_SEVERAL)
    kind = kinds[plan.item_stratum("kind", len(kinds))]
    for nth in range(_PLACES):
        try:
            return about(plan, environments.drawn_with_ways(plan, kind, nth), _SEVERAL.get(kind, 1))
        except RejectSample:
            continue
    raise RejectSample


def about(plan: SamplingContext, place: Somewhere, least: int = 1) -> RoadScene:
    """Sample the scene of a question about a road of a place. Raises RejectSample if it has fewer than `least`."""
    world = environments.world(place)
    visible = ways.ways(world)
    if len(visible) < least:
        raise RejectSample
    rng, truth = plan.item_rng, plan.stratum
    way, end = rng.pick(visible)
    most = STEP / 2 - MIDDLE_MARGIN
    off = rng.uniform(-most, most)
    # the axis has two opposite directions, and either may be ahead
    heading = round((end - STEP * truth - off + rng.pick((0.0, 180.0))) % 360, 1) % 360
    axes = listed(rng, range(4), truth, plan.item_stratum("letter", 4))
    scene_views = Views(place, world.place, heading, rng.pick(FOVS))
    return RoadScene(scene_views, way.name, round((end - heading) % 360, 1) % 360, axes, shuffled(rng))


def question_text(scene: RoadScene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(scene.way)}"


def answer(scene: RoadScene) -> Choice:
    return Choice(tuple(AXES[axis] for axis in scene.offered_axes), scene.offered_axes.index(scene.axis))


def explain(scene: RoadScene, question: Question) -> str:
    return cot_axes.of_way(scene.views, scene.way, scene.end_deg, AXES[scene.axis], question.answer, phrasing(scene))


def replay(scene: RoadScene, question: Question, text: str) -> list[str]:
    pictures = stages(scene.views)
    side, axis = long_side(pictures, question.text, scene.way), read(pictures, question.text)
    return cot_axes.replay_way(pictures, question, scene.way, side, axis, text)


def read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """By the longer sides of the surface with the name in the question."""
    along, right = long_side(pictures, text, rederivation.extract(WAY, text))
    return AXES[max(range(4), key=lambda k: abs(along * cosine(STEP * k) + right * sine(STEP * k)))]


def long_side(pictures: tuple[Scene3D, ...], text: str, name: str) -> rederivation.Flat:
    """The longer horizontal side of the surface of a way: its parts along direction 0 and to the right of it, in metres."""
    corners = standing_corners(rederivation.only(pictures, name))
    sides = [(corners[k][0] - corners[0][0], corners[k][2] - corners[0][2]) for k in (1, 4)]
    x, z = max(sides, key=lambda side: side[0] ** 2 + side[1] ** 2)
    return rederivation.parts(rederivation.front(pictures, text), x, z)


def errors(scene: RoadScene) -> Sequence[str]:
    return [_error(scene.axis, axis) for axis in scene.offered_axes]


def _error(truth: int, chosen: int) -> str:
    if chosen == truth:
        return ""
    flip = (LEFT_RIGHT,) if chosen == -truth % 4 else ()
    turn = (chosen - truth) % 4
    if turn == 2:
        return join_types((*flip, ERROR_90_DEG))
    return join_types((*flip, ERROR_45_DEG, *angular_error_types(0, 1 if turn == 1 else 7)))


def quarter_turn(scene: RoadScene) -> tuple[RoadScene, Callable[[str], str]]:
    """Rotate the heading of the first image by 90 degrees clockwise."""
    heading = round(scene.views.heading + 90, 1) % 360
    rotated = replace(scene, views=replace(scene.views, heading=heading), end_deg=round(scene.end_deg - 90, 1) % 360)
    return rotated, _moved(lambda axis: axis + 2)


def mirrored(scene: RoadScene) -> tuple[RoadScene, Callable[[str], str]]:
    """Exchange east and west."""
    other = views.mirrored(scene.views)
    if other is None:
        return scene, identity
    return replace(scene, views=other, end_deg=-scene.end_deg % 360), _moved(lambda axis: -axis)


def _moved(move: Callable[[int], int]) -> Callable[[str], str]:
    return moved(lambda axis: AXES[axis % 4], move)


def item_attributes(scene: RoadScene) -> dict[str, str]:
    return attributes(scene.views) | {"direction": AXES[scene.axis].removeprefix("From ").capitalize(), "object": scene.way}


# Shortcuts ----------------------------------------------------------------------------------------------------------


def along_nearest_image(scene: RoadScene) -> Collection[str]:
    """The axis of the images whose centres are nearest to the ends of the road: always a cardinal axis."""
    return _fitting(scene, 0 if abs(wrapped(2 * scene.end_deg)) < 90 else 2)


def across_nearest_house(scene: RoadScene) -> Collection[str]:
    """The axis perpendicular to the front of the nearest house, whatever the road in the question."""
    world = environments.world(scene.views.place)
    width, height = _HOUSE
    houses = [
        (abs(x - world.eye[0]) + abs(z - world.eye[2]), solid.pose.yaw)
        for solid in world.objects
        for (x, _, z), (low, high) in ((solid.pose.position, bounds(solid.geometry)),)
        if not solid.name and high[0] - low[0] >= width and high[2] - low[2] >= width and high[1] >= height
    ]
    if not houses:
        return ()
    front = wrapped(180.0 - azimuth((sine(min(houses)[1]), 0.0, cosine(min(houses)[1]))))
    return _fitting(scene, round((front + 90 - scene.views.heading) / STEP) % 4)


def any_cardinal(scene: RoadScene) -> Collection[str]:
    """From north to south, or from east to west."""
    return _fitting(scene, 0, 2)


def _fitting(scene: RoadScene, *wanted: int) -> Collection[str]:
    return letters_of(index for index, axis in enumerate(scene.offered_axes) if axis in wanted)


KIND = QuestionKind(
    scene=RoadScene,
    strata=4,
    sample=sample,
    question=_QUESTION,
    question_text=question_text,
    answer=answer,
    read=read,
    errors=errors,
    turned=quarter_turn,
    mirrored=mirrored,
    attributes=item_attributes,
    category=lambda scene: scene.way,
    explain=explain,
    replay=replay,
    shortcuts={
        "axis of the images nearest to the ends of the road": Shortcut(
            lambda scene, _: along_nearest_image(scene), "position within the image", partial=True
        ),
        "perpendicular to the front of the nearest house": Shortcut(lambda scene, _: across_nearest_house(scene), "the road", partial=True),
        "any cardinal axis": Shortcut(lambda scene, _: any_cardinal(scene), "the images"),
    },
)
