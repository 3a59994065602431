"""The compass direction in which an object lies, one of eight (direction recognition, level `position`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.reasoning.templates import phrasing
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, SamplingContext, identity
from isovist.suites.cospace import cot_directions, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import compass_name, errors, left_right, listed, moved, offered
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.shared_parts import QuestionKind, in_drawn_place, target_attributes
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.view_sets import Views, shuffled, stages
from isovist.world.scenes.compass import opposite

_QUESTION = "In which compass direction is the {} from the camera position?"
_TARGET = re.compile(re.escape(_QUESTION).replace(r"\{\}", "(.+?)"))


@dataclass(frozen=True, slots=True)
class PositionScene:
    """`target`: name of the target object; `offered_directions`: directions of the options; `shuffled_order`: shuffled order of the images."""

    views: Views
    target: str
    offered_directions: tuple[int, ...]
    shuffled_order: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> PositionScene:
    """Sample the scene of a question about a place. Raises RejectSample."""
    objects = environments.visible_objects(place)
    rng, truth, paper = plan.item_rng, plan.stratum, environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    target_object, heading, fov = target(rng, askable(objects), truth, four, paper=paper)
    options = listed(rng, four, truth, plan.item_stratum("letter", 4))
    return PositionScene(
        Views(place, environments.world(place).place, heading, fov, objects=objects), target_object.name, options, shuffled(rng)
    )


def question_text(scene: PositionScene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(scene.target)}"


def answer(scene: PositionScene) -> Choice:
    return Choice(tuple(map(compass_name, scene.offered_directions)), scene.offered_directions.index(scene.views.direction(scene.target)))


def read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """By the box corners of the target, all of which must be in one direction."""
    direction = rederivation.direction(pictures, text, rederivation.only(pictures, rederivation.extract(_TARGET, text)))
    return "several directions" if direction is None else compass_name(direction)


def explain(scene: PositionScene, question: Question) -> str:
    return cot_directions.of_object(scene.views, scene.target, question.answer, phrasing(scene))


def replay(scene: PositionScene, question: Question, text: str) -> list[str]:
    return cot_directions.replay_object(stages(scene.views), question.text, scene.target, question.answer, text)


def option_errors(scene: PositionScene) -> Sequence[str]:
    truth = scene.views.direction(scene.target)
    return [errors(truth, direction) for direction in scene.offered_directions]


def about_face(scene: PositionScene) -> tuple[PositionScene, Callable[[str], str]]:
    """Exchange north and south, and east and west."""
    return replace(scene, views=views.about_face(scene.views), offered_directions=tuple(map(opposite, scene.offered_directions))), moved(
        compass_name, opposite
    )


def mirrored(scene: PositionScene) -> tuple[PositionScene, Callable[[str], str]]:
    """Exchange east and west."""
    other = views.mirrored(scene.views)
    if other is None:
        return scene, identity
    return replace(scene, views=other, offered_directions=tuple(map(left_right, scene.offered_directions))), moved(compass_name, left_right)


def item_attributes(scene: PositionScene) -> dict[str, str]:
    return target_attributes(scene.views, scene.target) | {
        "direction": compass_name(scene.views.direction(scene.target)),
        "object": scene.target,
    }


KIND = QuestionKind(
    scene=PositionScene,
    strata=8,
    sample=in_drawn_place(about),
    question=_QUESTION,
    question_text=question_text,
    answer=answer,
    read=read,
    errors=option_errors,
    turned=about_face,
    mirrored=mirrored,
    attributes=item_attributes,
    category=lambda scene: scene.target,
    explain=explain,
    replay=replay,
    shortcuts=shortcuts.OFFERED,
)
