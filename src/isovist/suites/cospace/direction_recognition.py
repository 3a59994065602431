"""Direction recognition: in which of eight directions a thing lies (section 3.2)."""

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
from isovist.suites.cospace.directions import errors, left_right, listed, moved, offered, wind
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.task_factory import cospace, four_views, in_drawn_place, seen_facets
from isovist.suites.cospace.view_sets import Views, shuffled, stages

_NAMED = re.compile(r"is the (.+?) from")


@dataclass(frozen=True, slots=True)
class Scene:
    """`target`: the name of what is asked about; `offered_directions`: the directions of the options; `shuffled_order`: the pictures' order when shuffled."""

    views: Views
    target: str
    offered_directions: tuple[int, ...]
    shuffled_order: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """A question about a place. Raises RejectSample."""
    seen = environments.things(place)
    rng, truth, paper = plan.item_rng, plan.stratum, environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    thing, heading, fov = target(rng, askable(seen), truth, four, paper=paper)
    shown = listed(rng, four, truth, plan.item_stratum("letter", 4))
    return Scene(Views(place, environments.world(place).place, heading, fov, objects=seen), thing.name, shown, shuffled(rng))


def _asked(scene: Scene, opening: str) -> str:
    return f"{opening}\nIn which direction is the {scene.target} from where the pictures were taken?"


def _answer(scene: Scene) -> Choice:
    return Choice(tuple(map(wind, scene.offered_directions)), scene.offered_directions.index(scene.views.direction(scene.target)))


_ask, _orders = four_views(_asked, _answer)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the corners of the named thing, all of which lie in one direction."""
    lies = rederivation.direction(pictures, words, rederivation.only(pictures, rederivation.asked(_NAMED, words)))
    return "several directions" if lies is None else wind(lies)


def _explain(scene: Scene) -> str:
    return cot_directions.of_thing(scene.views, scene.target, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    return cot_directions.replay_thing(stages(scene.views), question.text, scene.target, question.answer, text)


def _errors(scene: Scene) -> Sequence[str]:
    truth = scene.views.direction(scene.target)
    return [errors(truth, direction) for direction in scene.offered_directions]


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """North is where south was: every direction becomes the opposite one."""
    return replace(scene, views=views.about_face(scene.views), offered_directions=tuple(map(opposite, scene.offered_directions))), moved(
        wind, opposite
    )


def _mirrored(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """West is where east was."""
    mirrored = views.mirrored(scene.views)
    if mirrored is None:
        return scene, identity
    return replace(scene, views=mirrored, offered_directions=tuple(map(left_right, scene.offered_directions))), moved(wind, left_right)


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
        seen_facets(scene.views, scene.target) | {"direction": wind(scene.views.direction(scene.target)), "thing": scene.target}
    ),
    distractor_types=_errors,
    shortcuts=shortcuts.OFFERED,
    category=lambda scene: scene.target,
)
