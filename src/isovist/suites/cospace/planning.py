"""Planning: where a thing is relative to you, and which actions lead there; alone or both in one reply (section 3.2).

The three tasks are one family: at one index they show the same pictures, ask about the same thing and offer the same options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import Answer, Choice, JointAnswer
from isovist.core.scene3d import Scene3D
from isovist.core.task import SamplingContext, Symmetry, Task, identity
from isovist.scenes.answer_options import listed_options
from isovist.scenes.compass import opposite
from isovist.suites.cospace import action_sequences, environments, rederivation, shortcuts
from isovist.suites.cospace import view_sets as views
from isovist.suites.cospace.action_sequences import SAME_ACTIONS, Route
from isovist.suites.cospace.directions import errors, left_right, listed, moved, offered, side
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.target_objects import askable, target
from isovist.suites.cospace.task_factory import cospace, four_views, in_drawn_place, seen_facets
from isovist.suites.cospace.view_sets import Views, shuffled

POSITION, ACTIONS = "position", "actions"
_WHERE = re.compile(r"Where is the (.+?),")
_REACH = re.compile(r"bring you to the (.+?)\?")


@dataclass(frozen=True, slots=True)
class Scene:
    """`target`: the name of the target; `sides`: the directions offered to the question; `routes`: the ways offered to the decision;
    `shuffled_order`: the pictures' order when shuffled.
    """

    views: Views
    target: str
    sides: tuple[int, ...]
    routes: tuple[Route, ...]
    shuffled_order: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """A question about a place, from the streams of the picture alone, which the three tasks share. Raises RejectSample."""
    seen = environments.things(place)
    rng, truth, paper = plan.image_rng.at("question"), plan.image_stratum("direction", 8), environments.as_published(plan)
    four = offered(rng, truth, paper=paper)
    # ways to the same four directions: else what both questions offer would tell the direction
    goals = offered(rng, truth, paper=True) if paper else four
    thing, heading, fov = target(rng, askable(seen), truth, four, paper=paper)
    sides, ends = (listed(rng, directions, truth, plan.image_stratum(name, 4)) for name, directions in ((POSITION, four), (ACTIONS, goals)))
    ways = action_sequences.chosen(rng, ends)
    return Scene(Views(place, environments.world(place).place, heading, fov, objects=seen), thing.name, sides, ways, shuffled(rng))


# Asking ------------------------------------------------------------------------------------------------------------


def _opened(opening: str) -> str:
    return f"You stand where the pictures were taken and look to the front.\n{opening}"


def _position(scene: Scene) -> Choice:
    return Choice(tuple(map(side, scene.sides)), scene.sides.index(scene.views.direction(scene.target)))


def _actions(scene: Scene) -> Choice:
    (truth,) = [i for i, way in enumerate(scene.routes) if action_sequences.leads_to(way) == scene.views.direction(scene.target)]
    return Choice(tuple(map(action_sequences.action_text, scene.routes)), truth)


_RULES = (
    "You can turn on the spot (left or right by a quarter turn, back by half a turn) and go straight ahead, each time as far as is needed. "
    "Leave out of account what stands in the way. What counts is where you are at the end."
)


def _asked_position(scene: Scene, opening: str) -> str:
    return f"{_opened(opening)}\nWhere is the {scene.target}, seen from you?"


def _asked_actions(scene: Scene, opening: str) -> str:
    return f"{_opened(opening)}\n{_RULES}\nWhich actions bring you to the {scene.target}?"


def _asked_both(scene: Scene, opening: str) -> str:
    return (
        f'{_opened(opening)}\n{_RULES}\nThere are two questions. "{POSITION}": Where is the {scene.target}, seen from you? '
        f'"{ACTIONS}": Which actions bring you to the {scene.target}?'
    )


# Reading -----------------------------------------------------------------------------------------------------------


def _lies(pictures: tuple[Scene3D, ...], words: str, pattern: re.Pattern[str]) -> int | None:
    return rederivation.direction(pictures, words, rederivation.only(pictures, rederivation.asked(pattern, words)))


def _read_position(pictures: tuple[Scene3D, ...], words: str) -> str:
    lies = _lies(pictures, words, _WHERE)
    return "several directions" if lies is None else side(lies)


def _read_actions(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The one way that, walked step by step on a plane, ends in the direction of the thing."""
    lies = _lies(pictures, words, _REACH)
    fits = [text for text in listed_options(words) if rederivation.walked(action_sequences.parsed(text)) == lies]
    return fits[0] if len(fits) == 1 else "not one way"


def _read_both(pictures: tuple[Scene3D, ...], words: str) -> str:
    """Each question by its own options, which stand under its name."""
    head, first, rest = words.partition(f"\n{POSITION}:\n")
    assert first
    one, _, two = rest.partition(f"\n{ACTIONS}:\n")
    letters: list[str] = []
    for asked, read in ((one, _read_position), (two, _read_actions)):
        answer = read(pictures, f"{head}\n{asked}")
        letters.append("ABCD"[listed_options(asked).index(answer)])
    return JointAnswer(
        tuple((name, Choice(tuple("ABCD"), "ABCD".index(letter))) for name, letter in zip((POSITION, ACTIONS), letters, strict=True))
    ).canonical()


# Errors, symmetries ------------------------------------------------------------------------------------------------


def _position_errors(scene: Scene) -> Sequence[str]:
    truth = scene.views.direction(scene.target)
    return [errors(truth, direction) for direction in scene.sides]


def _action_errors(scene: Scene) -> Sequence[str]:
    """The order of the actions, where that is all that is wrong; else by where a way leads."""
    truth, answer = scene.views.direction(scene.target), _actions(scene)
    key = scene.routes[answer.truth]
    directions = [action_sequences.leads_to(way) for way in scene.routes]
    return [
        SAME_ACTIONS if action_sequences.reordered(key, way) else errors(truth, end if end is not None else truth)
        for way, end in zip(scene.routes, directions, strict=True)
    ]


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """You look the other way: every direction becomes the opposite one."""
    return replace(scene, views=views.about_face(scene.views), sides=tuple(map(opposite, scene.sides))), moved(side, opposite)


def _mirrored_position(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Left is right."""
    mirrored = _mirror(scene)
    return (mirrored, moved(side, left_right)) if mirrored else (scene, identity)


def _mirrored_actions(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Left is right, in the ways too."""
    mirrored = _mirror(scene) or scene
    new = {action_sequences.action_text(a): action_sequences.action_text(b) for a, b in zip(scene.routes, mirrored.routes, strict=True)}
    return mirrored, new.__getitem__


def _mirrored_both(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Left is right, in the options too: the letters stay."""
    return _mirror(scene) or scene, identity


def _mirror(scene: Scene) -> Scene | None:
    mirrored = views.mirrored(scene.views)
    if mirrored is None:
        return None
    other = {action_sequences.LEFT: action_sequences.RIGHT, action_sequences.RIGHT: action_sequences.LEFT}
    ways = tuple(tuple(other.get(action, action) for action in way) for way in scene.routes)
    return replace(scene, views=mirrored, sides=tuple(map(left_right, scene.sides)), routes=ways)


def _facets(scene: Scene) -> dict[str, str]:
    return seen_facets(scene.views, scene.target) | {"direction": side(scene.views.direction(scene.target)), "thing": scene.target}


def _task(
    name: str,
    summary: str,
    asked: Callable[[Scene, str], str],
    answer: Callable[[Scene], Answer],
    rederive: Callable[[tuple[Scene3D, ...], str], str],
    *symmetries: Symmetry[Scene],
    skills: tuple[str, ...],
    balance: Callable[[Answer], str] = lambda answer: answer.balance_bin(),
    **more: Any,
) -> Task[Any]:
    ask, orders = four_views(asked, answer, body=True)
    return cospace(
        name,
        summary,
        in_drawn_place(about),
        ask,
        rederive,
        *symmetries,
        colour_vision="partial",
        skills=("planning", *skills),
        paper=213,
        chance=1 / 4,
        strata=8,
        image_family="cospace/planning",
        image_orders=orders,
        attributes=_facets,
        balance=balance,
        category=lambda scene: scene.target,
        **more,
    )


TASKS = (
    _task(
        "planning-question",
        "Name the direction of an object relative to the viewer, from front, right, back, and left views.",
        _asked_position,
        _position,
        _read_position,
        _about_face,
        _mirrored_position,
        skills=("planning question",),
        distractor_types=_position_errors,
        shortcuts=shortcuts.SIDES,
    ),
    _task(
        "planning-decision",
        "Choose the actions that reach an object, from front, right, back, and left views.",
        _asked_actions,
        _actions,
        _read_actions,
        _mirrored_actions,
        skills=("planning decision",),
        balance=lambda answer: str(action_sequences.leads_to(action_sequences.parsed(answer.balance_bin()))),
        prerequisite="cospace/planning-question",
        distractor_types=_action_errors,
        shortcuts=shortcuts.WAYS,
    ),
    _task(
        "planning",
        "Name the direction of an object and the actions that reach it (joint answer).",
        _asked_both,
        lambda scene: JointAnswer(((POSITION, _position(scene)), (ACTIONS, _actions(scene)))),
        _read_both,
        _mirrored_both,
        skills=("planning question", "planning decision"),
        # the words tell which four pairs of letters name one direction
        best_constant=(1 / 4,),
        answer_type="fields",
        balance=lambda answer: answer.parts[0][1].balance_bin() if isinstance(answer, JointAnswer) else "",
        shortcuts=shortcuts.BOTH,
    ),
)
