"""Direction recognition: in which of eight directions a thing lies (section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, SamplingContext, identity
from isovist.reasoning.templates import phrasing
from isovist.suites.cospace import cot_directions, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import errors, left_right, listed, offered, wind
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.task_factory import cospace, seen_facets
from isovist.suites.cospace.view_sets import Views, orders, round_told, shuffled, stages

_NAMED = re.compile(r"is the (.+?) from")


@dataclass(frozen=True, slots=True)
class Scene:
    """`thing`: the name of what is asked about; `offered`: the directions of the options; `mixed`: the pictures' order when shuffled."""

    views: Views
    thing: str
    offered: tuple[int, ...]
    mixed: tuple[int, ...]


def _sample(plan: SamplingContext) -> Scene:
    return about(plan, environments.drawn(plan))


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """A question about a place. Raises RejectSample."""
    seen = environments.things(place)
    rng, truth, paper = plan.item_rng, plan.stratum, environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    thing, heading, fov = target(rng, askable(seen), truth, four, paper=paper)
    shown = listed(rng, four, truth, plan.item_stratum("letter", 4))
    return Scene(Views(place, environments.world(place).place, heading, fov, things=seen), thing.name, shown, shuffled(rng))


def _asked(scene: Scene, opening: str) -> str:
    return f"{opening}\nIn which direction is the {scene.thing} from where the pictures were taken?"


def _ask(scene: Scene) -> Question:
    truth = scene.offered.index(scene.views.direction(scene.thing))
    opening = round_told(scene.views.fov, range(4))
    return Question(_asked(scene, opening), Choice(tuple(map(wind, scene.offered)), truth))


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the corners of the named thing, all of which lie in one direction."""
    match = _NAMED.search(words)
    assert match
    lies = rederivation.direction(pictures, words, rederivation.only(pictures, match[1]))
    return "several directions" if lies is None else wind(lies)


def _explain(scene: Scene) -> str:
    return cot_directions.of_thing(scene.views, scene.thing, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    return cot_directions.replay_thing(stages(scene.views), question.text, scene.thing, question.answer, text)


def _errors(scene: Scene) -> Sequence[str]:
    truth = scene.views.direction(scene.thing)
    return [errors(truth, direction) for direction in scene.offered]


def _turned(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, views=views.turned(scene.views)), identity


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """North is where south was: every direction becomes the opposite one."""
    new = {wind(direction): wind((direction + 4) % 8) for direction in range(8)}
    moved = replace(scene, views=views.about_face(scene.views), offered=tuple((direction + 4) % 8 for direction in scene.offered))
    return moved, new.__getitem__


def _mirrored(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """West is where east was."""
    moved = views.mirrored(scene.views)
    if moved is None:
        return scene, identity
    new = {wind(direction): wind(left_right(direction)) for direction in range(8)}
    return replace(scene, views=moved, offered=tuple(map(left_right, scene.offered))), new.__getitem__


TASK = cospace(
    "direction-recognition",
    "Name the direction of an object from views facing north, east, south, and west.",
    _sample,
    _ask,
    _read,
    chain_of_thought=_explain,
    verify_chain=_replay,
    colour_vision="partial",
    skills=("direction", "direction recognition"),
    paper=250,
    chance=1 / 4,
    strata=8,
    symmetries=(_turned, _about_face, _mirrored),
    image_orders=lambda scene: orders(scene.views.fov, scene.mixed, lambda opening: _asked(scene, opening), starts=True),
    attributes=lambda scene: (
        seen_facets(scene.views, scene.thing) | {"direction": wind(scene.views.direction(scene.thing)), "thing": scene.thing}
    ),
    distractor_types=_errors,
    shortcuts=shortcuts.DIRECTIONS,
    category=lambda scene: scene.thing,
)
