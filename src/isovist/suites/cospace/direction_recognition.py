"""Direction recognition (section 3.2): where an object lies, how a road runs, or where an object faces.

The published set has 190 questions about roads, about 20 about the direction that something faces, and about 40 about positions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from isovist.core.answers import Answer
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Exemption, Preset, Question, Reasoning, Reported, SamplingContext, Shortcut, Task
from isovist.suites.cospace import facing_directions, object_positions, road_directions
from isovist.suites.cospace.environments import SETTINGS, PlaceWithWays
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, QuestionKind, four_views, turned_world

POSITION, ROAD, FACING = "position", "road", "facing"
KINDS: dict[str, QuestionKind[Any]] = {
    POSITION: object_positions.KIND,
    ROAD: road_directions.KIND,
    FACING: facing_directions.KIND,
}
"""The kind of question of each level."""
_PUBLISHED = (
    *(ROAD, ROAD, POSITION, ROAD, ROAD, ROAD),
    *(ROAD, ROAD, POSITION, ROAD, ROAD, FACING),
    *(ROAD, ROAD, POSITION, ROAD, ROAD, ROAD),
    *(ROAD, ROAD, POSITION, ROAD, ROAD, FACING, ROAD),
)
"""The levels of 25 consecutive items in the published shares: 19 about roads, 4 about positions, 2 about facing."""


def _kind(scene: Any) -> QuestionKind[Any]:
    (kind,) = [kind for kind in KINDS.values() if isinstance(scene, kind.scene)]
    return kind


def _sample(plan: SamplingContext) -> Any:
    return KINDS[plan.level].sample(plan)


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    (kind,) = [kind for kind in KINDS.values() if kind.asks(text)]
    return kind.read(pictures, text)


def _question_text(scene: Any, preamble: str) -> str:
    return _kind(scene).question_text(scene, preamble)


def _answer(scene: Any) -> Answer:
    return _kind(scene).answer(scene)


_ask, _orders = four_views(_question_text, _answer)


def _explain(scene: Any) -> str:
    return _kind(scene).explain(scene, _ask(scene))


def _replay(scene: Any, text: str) -> list[str]:
    return _kind(scene).replay(scene, _ask(scene), text)


def _turned(scene: Any) -> tuple[Any, Callable[[str], str]]:
    """Rotate the heading of the first image: by 180 degrees, or by 90 degrees for an axis."""
    return _kind(scene).turned(scene)


def _mirrored(scene: Any) -> tuple[Any, Callable[[str], str]]:
    """Exchange east and west."""
    return _kind(scene).mirrored(scene)


def _of_kind(kind: QuestionKind[Any], shortcut: Shortcut[Any]) -> Shortcut[Any]:
    """A shortcut that makes no guess for other kinds of questions."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        return shortcut.rule(scene, question) if isinstance(scene, kind.scene) else ()

    return replace(shortcut, rule=rule)


def _errors(scene: Any) -> Sequence[str]:
    return _kind(scene).errors(scene)


def _place(scene: Any) -> str:
    """The kind of place of a question about a road."""
    place = scene.views.place
    return place.kind if isinstance(scene, road_directions.RoadScene) and isinstance(place, PlaceWithWays) else ""


def _category(scene: Any) -> str:
    return _kind(scene).category(scene)


TASK: Task[Any] = Task(
    id="cospace/direction-recognition",
    version=6,
    summary="Name the direction of an object, a road or a front from views facing north, east, south, and west.",
    sample=_sample,
    draw=lambda scene: scene.views.stages(),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=tuple(kind.strata for kind in KINDS.values()), chance=1 / 4),
    skills=("direction", "direction recognition"),
    levels=tuple(KINDS),
    settings=SETTINGS,
    images=replace(SQUARE, colour_vision="partial", orders=_orders),
    sampling=BY_PLACE,
    paper=replace(
        PAPER,
        sizes={
            "test": Preset(250, {"place": "outdoors"}, note="190 items about roads, 40 about positions, 20 about facing", levels=_PUBLISHED)
        },
    ),
    reported=Reported(attributes=lambda scene: _kind(scene).attributes(scene), distractor_types=_errors),
    checks=Checks(
        symmetries=(turned_world, _turned, _mirrored),
        shortcuts={name: _of_kind(kind, shortcut) for kind in KINDS.values() for name, shortcut in kind.shortcuts.items()},
        factors={"category": _category},
        kind=_place,
        exemptions={
            "place": Exemption("the place of the object in an image says in which direction it lies", 0.25, {"position": 0.55, "": 0.35}),
            "the numbers of parts of the images (learned)": Exemption(
                "the images that show the object give its direction to 45 degrees", 0.25, {"position": 0.55, "": 0.40}
            ),
            "the rectangles of the objects (learned)": Exemption(
                "where the object appears in each image is the question", 0.25, {"position": 1.0, "": 0.60}
            ),
            "pixels": Exemption(
                "how much asphalt each image shows tells how the road runs, which is the question at a low resolution", 0.45
            ),
        },
    ),
    reasoning=Reasoning(_explain, _replay),
)
