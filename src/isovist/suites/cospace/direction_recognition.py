"""Direction recognition: the compass direction of an object, one of eight (section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import SamplingContext, identity
from isovist.reasoning.templates import phrasing
from isovist.scenes.compass import opposite
from isovist.suites.cospace import cot_directions, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import compass_name, errors, left_right, listed, moved, offered
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.task_factory import cospace, four_views, in_drawn_place, target_attributes
from isovist.suites.cospace.view_sets import Views, shuffled, stages

_QUESTION = "In which compass direction is the {} from the camera position?"
_TARGET = re.compile(re.escape(_QUESTION).replace(r"\{\}", "(.+?)"))


@dataclass(frozen=True, slots=True)
class Scene:
    """`target`: name of the target object; `offered_directions`: directions of the options; `shuffled_order`: shuffled order of the images."""

    views: Views
    target: str
    offered_directions: tuple[int, ...]
    shuffled_order: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """Sample the scene of a question about a place. Raises RejectSample."""
    objects = environments.visible_objects(place)
    rng, truth, paper = plan.item_rng, plan.stratum, environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    target_object, heading, fov = target(rng, askable(objects), truth, four, paper=paper)
    options = listed(rng, four, truth, plan.item_stratum("letter", 4))
    return Scene(Views(place, environments.world(place).place, heading, fov, objects=objects), target_object.name, options, shuffled(rng))


def _question_text(scene: Scene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(scene.target)}"


def _answer(scene: Scene) -> Choice:
    return Choice(tuple(map(compass_name, scene.offered_directions)), scene.offered_directions.index(scene.views.direction(scene.target)))


_ask, _orders = four_views(_question_text, _answer)


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """By the box corners of the target, all of which must be in one direction."""
    direction = rederivation.direction(pictures, text, rederivation.only(pictures, rederivation.extract(_TARGET, text)))
    return "several directions" if direction is None else compass_name(direction)


def _explain(scene: Scene) -> str:
    return cot_directions.of_object(scene.views, scene.target, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    return cot_directions.replay_object(stages(scene.views), question.text, scene.target, question.answer, text)


def _errors(scene: Scene) -> Sequence[str]:
    truth = scene.views.direction(scene.target)
    return [errors(truth, direction) for direction in scene.offered_directions]


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange north and south, and east and west."""
    return replace(scene, views=views.about_face(scene.views), offered_directions=tuple(map(opposite, scene.offered_directions))), moved(
        compass_name, opposite
    )


def _mirrored(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange east and west."""
    mirrored = views.mirrored(scene.views)
    if mirrored is None:
        return scene, identity
    return replace(scene, views=mirrored, offered_directions=tuple(map(left_right, scene.offered_directions))), moved(
        compass_name, left_right
    )


TASK = cospace(
    "direction-recognition",
    "Name the direction of an object from views facing north, east, south, and west.",
    in_drawn_place(about),
    _ask,
    _read,
    _about_face,
    _mirrored,
    chain_of_thought=_explain,
    verify_chain=_replay,
    colour_vision="partial",
    skills=("direction", "direction recognition"),
    paper=250,
    chance=1 / 4,
    strata=8,
    image_orders=_orders,
    attributes=lambda scene: (
        target_attributes(scene.views, scene.target)
        | {"direction": compass_name(scene.views.direction(scene.target)), "object": scene.target}
    ),
    distractor_types=_errors,
    shortcuts=shortcuts.OFFERED,
    category=lambda scene: scene.target,
)
