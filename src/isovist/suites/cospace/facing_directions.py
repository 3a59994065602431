"""The compass direction that an object faces, one of eight (direction recognition, level `facing`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.reasoning.templates import phrasing
from isovist.core.rotation import azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Group, MeshRef, Scene3D, SceneObject
from isovist.core.task import Question, RejectSample, SamplingContext, Shortcut, identity
from isovist.suites.cospace import cot_axes, environments, rederivation
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import MIDDLE_MARGIN, STEP, compass_name, left_right, listed, moved, offered
from isovist.suites.cospace.directions import errors as direction_errors
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.shared_parts import QuestionKind, target_attributes
from isovist.suites.cospace.target_objects import direction_of, plain, share_in
from isovist.suites.cospace.view_sets import AROUND, FOVS, Views, shuffled, stages
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.compass import opposite
from isovist.world.scenes.environments.environment import VisibleObject, once

_QUESTION = "Which compass direction does the {} face?"
TARGET = re.compile(re.escape(_QUESTION).replace(r"\{\}", "(.+?)"))
FRONTS = frozenset({
    "bicycle", "motorcycle", "motor scooter", "truck", "van", "coach", "bench", "bus stop shelter", "dog", "horse", "man", "woman",
    *(f"{paint} car" for paint in ("red", "blue", "yellow", "green", "white", "black", "orange")),
})  # fmt: skip
"""Names of objects whose front is visible from every side."""
_ALIKE = frozenset({"car-sedan"})
"""Meshes whose front and rear look alike."""
NARROWEST, LEAST_AREA = 5.0, 90.0
"""Degrees and square degrees: an object is larger than for the other questions, because its orientation must be visible."""
WHOLE = 0.95
"""Least share of the width of the object that one image shows."""
_PLACES, _TRIES = 8, 6


@dataclass(frozen=True, slots=True)
class FacingScene:
    """`target`: name of the object; `front_deg`: the clockwise angle in degrees from the heading of the first image to the direction that
    it faces; `offered_directions`: directions of the options; `shuffled_order`: shuffled order of the images.
    """

    views: Views
    target: str
    front_deg: float
    offered_directions: tuple[int, ...]
    shuffled_order: tuple[int, ...]

    @property
    def direction(self) -> int:
        """The direction (0 to 7) nearest to the front."""
        return round(self.front_deg / STEP) % 8


def sample(plan: SamplingContext) -> FacingScene:
    """Sample the scene of a question in the first sampled place with a suitable object. Raises RejectSample."""
    for nth in range(_PLACES):
        try:
            return about(plan, environments.drawn_outdoors(plan, nth))
        except RejectSample:
            continue
    raise RejectSample


def about(plan: SamplingContext, where: Somewhere) -> FacingScene:
    """Sample the scene of a question about an object of a place. Raises RejectSample.

    The direction that the object faces and the direction in which it lies are independent: each of the eight angles between them has the
    same frequency.
    """
    world, objects = environments.world(where), environments.visible_objects(where)
    rng, truth, paper = plan.item_rng, plan.stratum, environments.as_published(plan)
    fov, turn = rng.pick(FOVS), plan.item_stratum("turn", 8)
    suitable = [
        (candidate, faces(world.objects[candidate.object_index]))
        for candidate in once(objects)
        if has_front(world.objects[candidate.object_index]) and plain(candidate, NARROWEST, LEAST_AREA, 0.85)
    ]
    most = STEP / 2 - MIDDLE_MARGIN
    for target, front in rng.shuffled(suitable):
        for _ in range(_TRIES):
            heading = round((front - STEP * truth - rng.uniform(-most, most)) % 360, 1) % 360
            if (truth - direction_of(target, heading)) % 8 == turn and _is_whole(target, heading, fov):
                options = listed(rng, offered(rng, truth, paper=paper), truth, plan.item_stratum("letter", 4))
                scene_views = Views(where, world.place, heading, fov, objects=objects)
                return FacingScene(scene_views, target.name, round((front - heading) % 360, 1) % 360, options, shuffled(rng))
    raise RejectSample


def has_front(solid: SceneObject) -> bool:
    """Whether the direction that an object faces is visible."""
    form = solid.geometry
    meshes = [form] if isinstance(form, MeshRef) else [part.geometry for part in form.parts] if isinstance(form, Group) else []
    return solid.name in FRONTS and not any(isinstance(one, MeshRef) and one.name in _ALIKE for one in meshes)


def faces(solid: SceneObject) -> float:
    """The bearing of the front of an upright object in degrees, above -180 and up to 180."""
    return wrapped(180.0 - azimuth((sine(solid.pose.yaw), 0.0, cosine(solid.pose.yaw))))


def _is_whole(target: VisibleObject, heading: float, fov: float) -> bool:
    return max(share_in(target, heading + turn, fov) for turn in AROUND) >= WHOLE


def question_text(scene: FacingScene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(scene.target)}"


def answer(scene: FacingScene) -> Choice:
    return Choice(tuple(map(compass_name, scene.offered_directions)), scene.offered_directions.index(scene.direction))


def explain(scene: FacingScene, question: Question) -> str:
    return cot_axes.of_front(scene.views, scene.target, scene.front_deg, question.answer, phrasing(scene))


def replay(scene: FacingScene, question: Question, text: str) -> list[str]:
    return cot_axes.replay_front(stages(scene.views), question, scene.target, text)


def read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """By the front axis of the object with the name in the question."""
    return compass_name(rederivation.facing(pictures, text, rederivation.only(pictures, rederivation.extract(TARGET, text))))


def errors(scene: FacingScene) -> Sequence[str]:
    return [direction_errors(scene.direction, direction) for direction in scene.offered_directions]


def about_face(scene: FacingScene) -> tuple[FacingScene, Callable[[str], str]]:
    """Exchange north and south, and east and west."""
    rotated = replace(
        scene,
        views=views.about_face(scene.views),
        front_deg=(scene.front_deg + 180) % 360,
        offered_directions=tuple(map(opposite, scene.offered_directions)),
    )
    return rotated, moved(compass_name, opposite)


def mirrored(scene: FacingScene) -> tuple[FacingScene, Callable[[str], str]]:
    """Exchange east and west."""
    other = views.mirrored(scene.views)
    if other is None:
        return scene, identity
    offered_directions = tuple(map(left_right, scene.offered_directions))
    reflected = replace(scene, views=other, front_deg=-scene.front_deg % 360, offered_directions=offered_directions)
    return reflected, moved(compass_name, left_right)


def item_attributes(scene: FacingScene) -> dict[str, str]:
    return target_attributes(scene.views, scene.target) | {
        "direction": compass_name(scene.direction),
        "object": scene.target,
        "side seen": _SIDES[(scene.direction - opposite(scene.views.direction(scene.target))) % 8],
    }


_SIDES = ("front", "front left", "left", "back left", "back", "back right", "right", "front right")
"""The side of the object that faces the camera, by the clockwise angle in steps of 45 degrees from the camera to the front."""


# Shortcuts ----------------------------------------------------------------------------------------------------------


def toward_camera(scene: FacingScene) -> Collection[str]:
    """Opposite to the direction in which the object lies."""
    return _fitting(scene, opposite(scene.views.direction(scene.target)))


def where_it_lies(scene: FacingScene) -> Collection[str]:
    """The direction in which the object lies."""
    return _fitting(scene, scene.views.direction(scene.target))


def heading_of_image(scene: FacingScene) -> Collection[str]:
    """The heading of the image that shows most of the object."""
    target = scene.views.visible_object(scene.target)
    image = min(range(4), key=lambda i: abs(wrapped(target.bearing - scene.views.heading - AROUND[i])))
    return _fitting(scene, 2 * image)


def _fitting(scene: FacingScene, direction: int) -> Collection[str]:
    return letters_of(index for index, offered_direction in enumerate(scene.offered_directions) if offered_direction == direction)


KIND = QuestionKind(
    scene=FacingScene,
    strata=8,
    sample=sample,
    question=_QUESTION,
    question_text=question_text,
    answer=answer,
    read=read,
    errors=errors,
    turned=about_face,
    mirrored=mirrored,
    attributes=item_attributes,
    category=lambda scene: scene.target,
    explain=explain,
    replay=replay,
    shortcuts={
        "the object faces the camera": Shortcut(lambda scene, _: toward_camera(scene), "orientation of the object"),
        "the object faces away from the camera": Shortcut(lambda scene, _: where_it_lies(scene), "orientation of the object"),
        "heading of the image that shows the object": Shortcut(lambda scene, _: heading_of_image(scene), "orientation of the object"),
    },
)
