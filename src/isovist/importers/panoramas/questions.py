"""Items about photographs: the tasks of CoSpace, asked about places whose pictures are cut from photographs.

Words, options, margins, balance of the answers and errors are those of the fresh tasks; the key is derived a second time by
the tasks' own reading of what was drawn, from the stand-ins of the labelled things.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

from isovist import prompts
from isovist.core.answers import JointAnswer
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task, split_of_layout
from isovist.dataset.external_rows import SPLIT
from isovist.importers.panoramas.labels import Label, world
from isovist.items import Item, make_item
from isovist.scenes.environments.environment import heading, once, sightings
from isovist.suites.cospace import (
    counting,
    direction_recognition,
    directional_object,
    planning,
    rotation_angle,
    rotation_difference,
)
from isovist.suites.cospace.environments import PhotographedPlace

SUITE = "cospace-photos"
WHERE = "photograph"


@dataclass(frozen=True)
class Place:
    """A photograph as a place: its file's name, its fingerprint, and what is labelled in it."""

    name: str
    digest: str
    labels: tuple[Label, ...] = ()

    @cached_property
    def given(self) -> PhotographedPlace:
        """The place as the suite takes it."""
        return PhotographedPlace(WHERE, world(self.digest, self.labels))

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """How many things there are of each name."""
        return Counter(label.name for label in self.labels)

    @cached_property
    def things(self) -> int:
        """How many things exist once."""
        return len(once(sightings(self.given.environment)))


@dataclass(frozen=True, slots=True)
class QuestionType:
    """A task, how a question about a place is made, and which places it can be asked about."""

    task: Task[Any]
    about: Callable[[SamplingContext, Place], Any]
    fits: Callable[[Place], bool]


def _plain(about: Callable[[SamplingContext, PhotographedPlace], Any]) -> Callable[[SamplingContext, Place], Any]:
    return lambda plan, place: about(plan, place.given)


def _counted(plan: SamplingContext, place: Place) -> Any:
    """Of the kinds of things one of which there are as many as the design asks for, if there is such a one."""
    kinds = sorted(name for name, n in place.kinds.items() if n <= counting.MOST)
    if not kinds:
        raise RejectSample
    wanted = [name for name in kinds if place.kinds[name] == plan.stratum + 1]
    return counting.about(plan, place.given, plan.image_rng.at("kind").pick(wanted or kinds))


def _labelled(least: int) -> Callable[[Place], bool]:
    return lambda place: place.things >= least


def kinds() -> tuple[QuestionType, ...]:
    """All tasks; the first two need no labels."""
    question, decision, both = planning.TASKS
    return (
        QuestionType(rotation_angle.TASK, _plain(rotation_angle.about), lambda place: True),
        QuestionType(rotation_difference.TASK, _plain(rotation_difference.about), lambda place: True),
        QuestionType(direction_recognition.TASK, _plain(direction_recognition.about), _labelled(1)),
        QuestionType(directional_object.TASK, _plain(directional_object.about), _labelled(4)),
        QuestionType(counting.TASK, _counted, lambda place: bool(place.kinds)),
        *(QuestionType(task, _plain(planning.about), _labelled(1)) for task in (question, decision, both)),
    )


def items(kind: QuestionType, level: str, places: Sequence[Place], n: int, seed: int) -> list[tuple[Item, Place]]:
    """Up to `n` items of a level, which go round the photographs that fit; fewer where no photograph gives the next one."""
    fitting = [place for place in places if kind.fits(place)]
    pairs: list[tuple[Item, Place]] = []
    if not fitting:
        return pairs
    rounds = (place for turn in count() for place in _shuffled(kind.task, level, seed, turn, fitting))
    ahead: list[Place] = []
    for index in range(n):
        # the next photograph, or the next after it that gives a question with the answer whose turn it is
        for tried in range(2 * len(fitting)):
            if tried >= len(ahead):
                ahead.append(next(rounds))
            item = _item(kind, level, ahead[tried], seed, index)
            if item is not None:
                pairs.append((item, ahead.pop(tried)))
                break
        else:
            break
    return pairs


def _shuffled(task: Task[Any], level: str, seed: int, turn: int, places: Sequence[Place]) -> list[Place]:
    """The photographs in the order of one round; the planning tasks have the same, so that their items share pictures."""
    return Rng("panoramas", task.image_family or task.id, level, seed, turn).shuffled(places)


def _item(kind: QuestionType, level: str, place: Place, seed: int, index: int) -> Item | None:
    """The item about a photograph; None if it cannot be asked about there. Two derivations of its key agree."""
    layout = _salted(place)

    def sample(plan: SamplingContext) -> Any:
        return kind.about(plan, place)

    def shown(scene: Any) -> Any:
        del scene
        return layout

    task = replace(kind.task, sample=sample, layout=shown)
    try:
        made = make_item(task, task.address(SPLIT, level, seed, index, {}))
    except RuntimeError:  # its margins leave no question
        return None
    words = prompts.prompt(made.question.text, made.answer, len(made.pictures))
    read = task.rederive(made.pictures, words)
    if read != (made.answer.canonical() if isinstance(made.answer, JointAnswer) else made.answer.balance_bin()):
        return None
    return made


def _salted(place: Place) -> tuple[str, int]:
    """What stands for the layout, so that every photograph belongs to the one split that there is."""
    return next((place.digest, salt) for salt in count() if split_of_layout((place.digest, salt)) == SPLIT)


def cuts(item: Item) -> list[tuple[float, float]]:
    """Heading and field of view of each of its pictures."""
    return [(round(heading(stage) % 360, 3) % 360, float(item.scene.views.fov)) for stage in item.scenes3d]
