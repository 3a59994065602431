"""Directional object perception: which of four objects is in a given direction (section 3.2). The others are in other directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.reasoning.templates import phrasing
from isovist.core.rng import Rng
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Exemption, Preset, Reasoning, RejectSample, Reported, SamplingContext, Task, identity
from isovist.suites.cospace import cot_directions, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.directions import compass_name, errors, front_back, left_right
from isovist.suites.cospace.environments import SETTINGS, PhotographedPlace, Somewhere
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, four_views, target_attributes, turned_world
from isovist.suites.cospace.target_objects import askable, direction_of, heading_once, heading_twice, images_of, is_outside, widest_once
from isovist.suites.cospace.view_sets import FOVS, NARROW_FOVS, Views, shuffled, stages
from isovist.world.scenes.answer_options import listed_options, with_key_at
from isovist.world.scenes.compass import opposite
from isovist.world.scenes.environments.environment import VisibleObject

ViewGeometry = tuple[float, int]
"""Heading of the first image and field of view, in degrees."""
NEAR = 2
"""Number of distractors in the images that cover the direction; one in a photograph without enough such objects."""
_ONE_NEAR = 0.05
"""Share of the attempts that accept one fewer."""
_TRIES = 20
_PLACES = 4
"""Places tried for one item: few rooms have two objects near an object in a cardinal direction."""
_QUESTION = "Each of the eight compass directions covers 45 degrees. Which of these objects is {} of the camera position?"
_DIRECTION = re.compile(re.escape(_QUESTION).replace(r"\{\}", r"(\w+)"))


@dataclass(frozen=True, slots=True)
class Scene:
    """`asked_direction`: direction in the question; `candidates`: object names of the options; `truth`: index of the object in that direction;
    `shuffled_order`: shuffled order of the images.
    """

    views: Views
    asked_direction: int
    candidates: tuple[str, ...]
    truth: int
    shuffled_order: tuple[int, ...]


def _sharing(objects: Sequence[VisibleObject], direction: int, geometry: ViewGeometry) -> list[VisibleObject]:
    """The objects in other directions that are visible in one image only, and that image covers `direction`."""
    covering = [{direction // 2}, {direction // 2, (direction // 2 + 1) % 4}][direction % 2]
    heading, fov = geometry
    by_object = [(candidate, images_of(candidate, heading, fov)) for candidate in objects if is_outside(candidate, direction, heading)]
    return [candidate for candidate, images in by_object if len(images) == 1 and images[0] in covering]


def _others(
    rng: Rng, objects: Sequence[VisibleObject], direction: int, heading: float, first: Sequence[VisibleObject]
) -> list[VisibleObject]:
    """Three objects in other directions: `first`, then objects in the mirrored and opposite directions, then any others."""
    outside = rng.shuffled([candidate for candidate in objects if is_outside(candidate, direction, heading)])
    chosen = list(first)
    for wanted in rng.shuffled(sorted({left_right(direction), front_back(direction), opposite(direction)} - {direction})):
        chosen += [candidate for candidate in outside if direction_of(candidate, heading) == wanted and candidate not in chosen][:1]
    return (chosen + [candidate for candidate in outside if candidate not in chosen])[:3]


def _sample(plan: SamplingContext) -> Scene:
    for nth in range(_PLACES):
        try:
            return about(plan, environments.drawn(plan, nth=nth))
        except RejectSample:
            continue
    raise RejectSample


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """Sample the scene of a question about a place. Raises RejectSample."""
    visible = environments.visible_objects(place)
    objects = askable(visible)
    rng, direction = plan.item_rng, plan.item_stratum("direction", 8)
    if environments.as_published(plan):
        key, geometry, others = _published(rng, objects, direction)
    else:
        more = None if isinstance(place, PhotographedPlace) else bool(plan.item_stratum("more", 2))
        key, geometry, others = _balanced(rng, objects, direction, more)
    options = with_key_at(plan.stratum, key, others, rng)
    heading, fov = geometry
    views = Views(place, environments.world(place).place, heading, fov, objects=visible)
    return Scene(views, direction, tuple(option.name for option in options), plan.stratum, shuffled(rng))


def _published(rng: Rng, objects: Sequence[VisibleObject], direction: int) -> tuple[VisibleObject, ViewGeometry, list[VisibleObject]]:
    """The key, the view geometry and the distractors of the paper's design. An object in a diagonal direction is visible in two images.

    Raises RejectSample.
    """
    fov = rng.pick(FOVS)
    for key in rng.shuffled(objects):
        heading = heading_twice(rng, key, direction, fov)
        others = _others(rng, objects, direction, heading, ())
        if len(others) == 3:
            return key, (heading, fov), others
    raise RejectSample


def _balanced(
    rng: Rng, objects: Sequence[VisibleObject], direction: int, more: bool | None
) -> tuple[VisibleObject, ViewGeometry, list[VisibleObject]]:
    """The key, the view geometry and the distractors of the default design.

    The key is visible in one image only. `NEAR` distractors are visible in the images that cover the direction, so the image alone does not
    determine the key. `more`: whether the key must be among the two widest objects (cardinal direction) or the two farthest (diagonal
    direction), which would otherwise be too frequent; None for a photograph. Raises RejectSample.
    """
    fov = rng.pick(NARROW_FOVS)
    image = rng.pick((direction // 2, (direction // 2 + 1) % 4))
    narrow = [candidate for candidate in objects if candidate.width <= widest_once(fov)]  # also distractors: the key is not the narrowest
    near = (NEAR, NEAR - 1) if more is None else (NEAR - rng.at("near").chance(_ONE_NEAR),)
    for n_sharing in near:
        for key in rng.shuffled(narrow):
            for _ in range(_TRIES):
                heading = heading_once(rng, key, direction, image, fov)
                sharing = rng.shuffled(_sharing(narrow, direction, (heading, fov)))[:n_sharing]
                others = _others(rng, narrow, direction, heading, sharing)
                if len(sharing) == n_sharing and len(others) == 3 and more in (None, _among_most(key, others, direction)):
                    return key, (heading, fov), others
    raise RejectSample


def _among_most(key: VisibleObject, others: Sequence[VisibleObject], direction: int) -> bool:
    """Whether the key is wider (cardinal direction) or farther (diagonal direction) than two of the others."""
    return sum(other.distance < key.distance if direction % 2 else other.width < key.width for other in others) > 1


def _question_text(scene: Scene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(compass_name(scene.asked_direction).lower())}"


def _answer(scene: Scene) -> Choice:
    return Choice(tuple(f"the {name}" for name in scene.candidates), scene.truth)


_ask, _orders = four_views(_question_text, _answer)


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """The only option with all box corners in the direction. No corner of another option may be in the direction."""
    wanted = [compass_name(direction).lower() for direction in range(8)].index(rederivation.extract(_DIRECTION, text))
    matching: list[str] = []
    for option in listed_options(text):
        candidate = rederivation.only(pictures, option.removeprefix("the "))
        if rederivation.touches(pictures, text, candidate, wanted):
            matching.append(option if rederivation.direction(pictures, text, candidate) == wanted else "in part")
    return matching[0] if len(matching) == 1 else "not one object"


def _explain(scene: Scene) -> str:
    return cot_directions.of_direction(
        scene.views, scene.asked_direction, scene.candidates, scene.truth, _ask(scene).answer, phrasing(scene)
    )


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    return cot_directions.replay_direction(stages(scene.views), question.text_with_options, scene.asked_direction, question.answer, text)


def _errors(scene: Scene) -> Sequence[str]:
    """By the nearest direction of each option's object."""
    return [errors(scene.asked_direction, scene.views.direction(name)) for name in scene.candidates]


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange north and south, and east and west, also in the question."""
    return replace(scene, views=views.about_face(scene.views), asked_direction=opposite(scene.asked_direction)), identity


def _mirrored(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange east and west, also in the question."""
    mirrored = views.mirrored(scene.views)
    return (scene if mirrored is None else replace(scene, views=mirrored, asked_direction=left_right(scene.asked_direction))), identity


TASK = Task(
    id="cospace/directional-object",
    version=6,
    summary="Name the object in a given direction from views facing north, east, south, and west.",
    sample=_sample,
    draw=lambda scene: scene.views.stages(),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=4, balance=lambda answer: answer.canonical()),
    skills=("direction", "directional object perception"),
    settings=SETTINGS,
    images=replace(SQUARE, colour_vision="partial", orders=_orders),
    sampling=BY_PLACE,
    paper=replace(PAPER, sizes={"test": Preset(250)}),
    reported=Reported(
        attributes=lambda scene: (
            target_attributes(scene.views, scene.candidates[scene.truth]) | {"direction": compass_name(scene.asked_direction)}
        ),
        distractor_types=_errors,
    ),
    checks=Checks(
        symmetries=(turned_world, _about_face, _mirrored),
        shortcuts=shortcuts.OBJECTS,
        exemptions={
            "all rules together (learned)": Exemption(
                "a model trained on sizes and distances of the four objects has an accuracy of 31 to 33% (chance 25%); the cause is unknown",
                0.33,
            )
        },
    ),
    reasoning=Reasoning(_explain, _replay),
)
