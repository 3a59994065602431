"""Planning: the direction of an object relative to the viewer and the actions that reach it, alone or jointly (section 3.2).

The three tasks are one image family: items with the same index have the same images, target and options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Choice, JointAnswer
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Exemption, Preset, Reported, SamplingContext, Task, identity
from isovist.suites.cospace import action_sequences, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.action_sequences import SAME_ACTIONS, Route
from isovist.suites.cospace.directions import errors, left_right, listed, moved, offered, side
from isovist.suites.cospace.environments import SETTINGS, Somewhere
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, four_views, in_drawn_place, target_attributes, turned_world
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.view_sets import BODY_POSITION, Views, shuffled
from isovist.world.scenes.answer_options import listed_options
from isovist.world.scenes.compass import opposite

POSITION, ACTIONS = "position", "actions"
_POSITION_QUESTION = "Where is the {} relative to you?"
_ACTIONS_QUESTION = "Which sequence of actions brings you closest to the {}?"
_POSITION_TARGET, _ACTIONS_TARGET = (
    re.compile(re.escape(question).replace(r"\{\}", "(.+?)")) for question in (_POSITION_QUESTION, _ACTIONS_QUESTION)
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`target`: name of the target; `sides`: offered directions of the position question; `routes`: offered action sequences of the actions
    question; `shuffled_order`: shuffled order of the images.
    """

    views: Views
    target: str
    sides: tuple[int, ...]
    routes: tuple[Route, ...]
    shuffled_order: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """Sample the scene of a question about a place from the image stream, which the three tasks share. Raises RejectSample."""
    objects = environments.visible_objects(place)
    rng, truth, paper = plan.image_rng.at("question"), plan.image_stratum("direction", 8), environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    # both questions offer the same four directions: otherwise their intersection would determine the direction
    goals = offered(rng, truth, paper=True) if paper else four
    target_object, heading, fov = target(rng, askable(objects), truth, four, paper=paper)
    sides, ends = (listed(rng, directions, truth, plan.image_stratum(name, 4)) for name, directions in ((POSITION, four), (ACTIONS, goals)))
    routes = action_sequences.chosen(rng, ends)
    views = Views(place, environments.world(place).place, heading, fov, objects=objects)
    return Scene(views, target_object.name, sides, routes, shuffled(rng))


# Questions ------------------------------------------------------------------------------------------------------------


def _with_position(preamble: str) -> str:
    return f"{BODY_POSITION}\n{preamble}"


def _position(scene: Scene) -> Choice:
    return Choice(tuple(map(side, scene.sides)), scene.sides.index(scene.views.direction(scene.target)))


def _actions(scene: Scene) -> Choice:
    (truth,) = [i for i, route in enumerate(scene.routes) if action_sequences.leads_to(route) == scene.views.direction(scene.target)]
    return Choice(tuple(map(action_sequences.action_text, scene.routes)), truth)


_RULES = (
    "You can turn left or right by 90 degrees, turn back by 180 degrees, or go ahead in a straight line. You can go ahead by any distance, "
    "but this distance is the same throughout one sequence of actions. Ignore obstacles. Only your final position matters, not the direction "
    "in which you face."
)


def _position_text(scene: Scene, preamble: str) -> str:
    return f"{_with_position(preamble)}\n{_POSITION_QUESTION.format(scene.target)}"


def _actions_text(scene: Scene, preamble: str) -> str:
    return f"{_with_position(preamble)}\n{_RULES}\n{_ACTIONS_QUESTION.format(scene.target)}"


def _joint_text(scene: Scene, preamble: str) -> str:
    return (
        f'{_with_position(preamble)}\n{_RULES}\nThere are two questions. "{POSITION}": {_POSITION_QUESTION.format(scene.target)} '
        f'"{ACTIONS}": {_ACTIONS_QUESTION.format(scene.target)}'
    )


# Re-derivation -----------------------------------------------------------------------------------------------------------


def _target_direction(pictures: tuple[Scene3D, ...], text: str, pattern: re.Pattern[str]) -> int | None:
    return rederivation.direction(pictures, text, rederivation.only(pictures, rederivation.extract(pattern, text)))


def _read_position(pictures: tuple[Scene3D, ...], text: str) -> str:
    direction = _target_direction(pictures, text, _POSITION_TARGET)
    return "several directions" if direction is None else side(direction)


def _read_actions(pictures: tuple[Scene3D, ...], text: str) -> str:
    """The only action sequence that, executed step by step on a plane, ends in the direction of the target."""
    direction = _target_direction(pictures, text, _ACTIONS_TARGET)
    matching = [option for option in listed_options(text) if rederivation.walked(action_sequences.parsed(option)) == direction]
    return matching[0] if len(matching) == 1 else "not one sequence"


def _read_both(pictures: tuple[Scene3D, ...], text: str) -> str:
    """Each question by its own options, which are listed under its name."""
    head, heading, rest = text.partition(f"\n{POSITION}:\n")
    assert heading
    position_options, _, action_options = rest.partition(f"\n{ACTIONS}:\n")
    letters: list[str] = []
    for options, read in ((position_options, _read_position), (action_options, _read_actions)):
        answer = read(pictures, f"{head}\n{options}")
        letters.append("ABCD"[listed_options(options).index(answer)])
    return JointAnswer(
        tuple((name, Choice(tuple("ABCD"), "ABCD".index(letter))) for name, letter in zip((POSITION, ACTIONS), letters, strict=True))
    ).canonical()


# Distractor types, metamorphic relations ------------------------------------------------------------------------------------------------


def _position_errors(scene: Scene) -> Sequence[str]:
    truth = scene.views.direction(scene.target)
    return [errors(truth, direction) for direction in scene.sides]


def _action_errors(scene: Scene) -> Sequence[str]:
    """The order of the actions, if only the order is incorrect; otherwise by the direction of the final position."""
    truth, answer = scene.views.direction(scene.target), _actions(scene)
    key = scene.routes[answer.truth]
    directions = [action_sequences.leads_to(route) for route in scene.routes]
    return [
        SAME_ACTIONS if action_sequences.reordered(key, route) else errors(truth, end if end is not None else truth)
        for route, end in zip(scene.routes, directions, strict=True)
    ]


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the viewer by 180 degrees: every direction becomes the opposite direction."""
    return replace(scene, views=views.about_face(scene.views), sides=tuple(map(opposite, scene.sides))), moved(side, opposite)


def _mirrored_position(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange left and right."""
    mirrored = _mirror(scene)
    return (mirrored, moved(side, left_right)) if mirrored else (scene, identity)


def _mirrored_actions(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange left and right, also in the action sequences."""
    mirrored = _mirror(scene) or scene
    new_text = {
        action_sequences.action_text(a): action_sequences.action_text(b) for a, b in zip(scene.routes, mirrored.routes, strict=True)
    }
    return mirrored, new_text.__getitem__


def _mirrored_both(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange left and right, also in the options. The key letters stay."""
    return _mirror(scene) or scene, identity


def _mirror(scene: Scene) -> Scene | None:
    mirrored = views.mirrored(scene.views)
    if mirrored is None:
        return None
    other = {action_sequences.LEFT: action_sequences.RIGHT, action_sequences.RIGHT: action_sequences.LEFT}
    routes = tuple(tuple(other.get(action, action) for action in route) for route in scene.routes)
    return replace(scene, views=mirrored, sides=tuple(map(left_right, scene.sides)), routes=routes)


def _attributes(scene: Scene) -> dict[str, str]:
    return target_attributes(scene.views, scene.target) | {"direction": side(scene.views.direction(scene.target)), "object": scene.target}


def _both(scene: Scene) -> JointAnswer:
    return JointAnswer(((POSITION, _position(scene)), (ACTIONS, _actions(scene))))


_ask_position, _orders_position = four_views(_position_text, _position, body=True)
_ask_actions, _orders_actions = four_views(_actions_text, _actions, body=True)
_ask_both, _orders_both = four_views(_joint_text, _both, body=True)
_IMAGES = replace(SQUARE, family="cospace/planning", colour_vision="partial")
_CHECKS: Checks[Scene] = Checks(
    factors={"category": lambda scene: scene.target},
    exemptions={
        "place": Exemption("the question is in which direction the object lies, and its place in an image says so", 0.50),
        "the numbers of parts of the images (learned)": Exemption("the images that show the object give its direction to 45 degrees", 0.55),
        "the rectangles of the objects (learned)": Exemption("where the object appears in each image is the question", 1.0),
    },
)

TASKS = (
    Task(
        id="cospace/planning-question",
        version=6,
        summary="Name the direction of an object relative to the viewer, from front, right, back, and left views.",
        sample=in_drawn_place(about),
        draw=lambda scene: scene.views.stages(),
        ask=_ask_position,
        rederive=_read_position,
        answers=Answers(type="choice", strata=8, chance=1 / 4),
        skills=("planning", "planning question"),
        settings=SETTINGS,
        images=replace(_IMAGES, orders=_orders_position),
        sampling=BY_PLACE,
        paper=replace(PAPER, sizes={"test": Preset(213, {"place": "indoors"}, "scanned rooms in the paper")}),
        reported=Reported(attributes=_attributes, distractor_types=_position_errors),
        checks=replace(_CHECKS, symmetries=(turned_world, _about_face, _mirrored_position), shortcuts=shortcuts.SIDES),
    ),
    Task(
        id="cospace/planning-decision",
        version=6,
        summary="Choose the actions that reach an object, from front, right, back, and left views.",
        sample=in_drawn_place(about),
        draw=lambda scene: scene.views.stages(),
        ask=_ask_actions,
        rederive=_read_actions,
        answers=Answers(
            type="choice",
            strata=8,
            balance=lambda answer: str(action_sequences.leads_to(action_sequences.parsed(answer.balance_bin()))),
            chance=1 / 4,
        ),
        skills=("planning", "planning decision"),
        settings=SETTINGS,
        images=replace(_IMAGES, orders=_orders_actions),
        sampling=BY_PLACE,
        paper=replace(PAPER, sizes={"test": Preset(213, {"place": "indoors"}, "scanned rooms in the paper")}),
        reported=Reported(attributes=_attributes, distractor_types=_action_errors, prerequisite="cospace/planning-question"),
        checks=replace(_CHECKS, symmetries=(turned_world, _mirrored_actions), shortcuts=shortcuts.ROUTES),
    ),
    Task(
        id="cospace/planning",
        version=6,
        summary="Name the direction of an object and the actions that reach it (joint answer).",
        sample=in_drawn_place(about),
        draw=lambda scene: scene.views.stages(),
        ask=_ask_both,
        rederive=_read_both,
        answers=Answers(
            type="fields",
            strata=8,
            balance=lambda answer: answer.parts[0][1].balance_bin() if isinstance(answer, JointAnswer) else "",
            best_constant=(1 / 4,),  # the text alone shows which four pairs of letters have the same direction
        ),
        skills=("planning", "planning question", "planning decision"),
        settings=SETTINGS,
        images=replace(_IMAGES, orders=_orders_both),
        sampling=BY_PLACE,
        paper=replace(PAPER, sizes={"test": Preset(213, {"place": "indoors"}, "scanned rooms in the paper")}),
        reported=Reported(attributes=_attributes, distractor_types=lambda scene: [*_position_errors(scene), *_action_errors(scene)]),
        checks=replace(_CHECKS, symmetries=(turned_world, _mirrored_both), shortcuts=shortcuts.BOTH),
    ),
)
