"""CoSpace-style items about photographs: the tasks of CoSpace with pinhole views of panoramas.

Texts, options, margins, balance of keys and distractor types are those of the suite. The key is rederived by the tasks'
own code from the substitutes of the labelled objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

from isovist.core.answers import JointAnswer
from isovist.core.rng import Rng
from isovist.core.task import RejectSample, SamplingContext, Task, split_of_layout
from isovist.data import prompts
from isovist.data.dataset.external_rows import SPLIT
from isovist.data.importers.panoramas.labels import Label, has_regular_plural, roads, world
from isovist.data.item import Item, make_item
from isovist.suites.cospace import (
    counting,
    direction_recognition,
    directional_object,
    object_positions,
    planning,
    road_directions,
    rotation_angle,
    rotation_difference,
)
from isovist.suites.cospace.environments import PhotographedPlace
from isovist.world.scenes.environments.environment import heading, once, sightings

SUITE = "cospace-photos"
WHERE = "photograph"


@dataclass(frozen=True)
class Place:
    """A photograph as a place: file name, hash and labels."""

    name: str
    digest: str
    labels: tuple[Label, ...] = ()

    @cached_property
    def given(self) -> PhotographedPlace:
        """The place in the type of the suite."""
        return PhotographedPlace(WHERE, world(self.digest, self.labels))

    @cached_property
    def with_roads(self) -> PhotographedPlace:
        """The place with its roads only."""
        return PhotographedPlace(WHERE, roads(self.digest, self.labels))

    @cached_property
    def plurals(self) -> Mapping[str, str]:
        """The plural of each name of objects that can be counted; "" for a regular one."""
        stated = {label.name: label.plural for label in self.labels if not label.is_road}
        return {name: plural for name, plural in stated.items() if plural or has_regular_plural(name)}

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """Number of objects by name, of those that can be counted."""
        return Counter(label.name for label in self.labels if label.name in self.plurals and not label.is_road)

    @cached_property
    def things(self) -> int:
        """Number of objects whose name is unique."""
        return len(once(sightings(self.given.environment)))


@dataclass(frozen=True, slots=True)
class QuestionType:
    """A task, the function that samples its scene in a place, and the requirements of the place at a level. `levels`: the possible levels;
    by default those of the published set.
    """

    task: Task[Any]
    about: Callable[[SamplingContext, Place], Any]
    fits: Callable[[Place, str], bool]
    levels: tuple[str, ...] = ()

    def levels_of(self, places: Sequence[Place]) -> tuple[str, ...]:
        """The levels that at least one place fits; all possible levels if there are none."""
        published = self.task.paper.sizes[SPLIT].levels
        possible = self.levels or tuple(dict.fromkeys(published)) or self.task.levels
        return tuple(level for level in possible if any(self.fits(place, level) for place in places)) or possible


@dataclass(frozen=True, slots=True)
class LabelledCount(counting.Scene):
    """A scene of counting with the plural of its label."""

    plural: str = ""

    @property
    def many(self) -> str:
        return self.plural or counting.plural(self.category)


def _plain(about: Callable[[SamplingContext, PhotographedPlace], Any]) -> Callable[[SamplingContext, Place], Any]:
    return lambda plan, place: about(plan, place.given)


def _counted(plan: SamplingContext, place: Place) -> Any:
    """Sample a scene with an object kind of the required count, if the place has one."""
    least, most = counting.RANGES[plan.level]
    kinds = sorted(name for name, n in place.kinds.items() if n <= most)
    if not kinds:
        raise RejectSample
    wanted = [name for name in kinds if place.kinds[name] == plan.stratum + least]
    scene = counting.about(plan, place.given, plan.image_rng.at("kind").pick(wanted or kinds))
    return LabelledCount(scene.views, scene.category, scene.limits, scene.shuffled_order, place.plurals[scene.category])


def _direction(plan: SamplingContext, place: Place) -> Any:
    """Sample a question about the position of an object or about a road. Labels do not state where objects face."""
    if plan.level == direction_recognition.ROAD:
        return road_directions.about(plan, place.with_roads)
    return object_positions.about(plan, place.given)


def _has_direction(place: Place, level: str) -> bool:
    return any(label.is_road for label in place.labels) if level == direction_recognition.ROAD else place.things >= 1


def _has_count(place: Place, level: str) -> bool:
    """Whether a category has a count of the level that no other level has."""
    return any(level == counting.FEW or n > counting.RANGES[counting.FEW][1] for n in place.kinds.values())


def constant_key(kind: QuestionType, level: str, places: Sequence[Place]) -> str:
    """Why every key of a level would be the same; "" if the labels allow several."""
    if kind.task is not counting.TASK:
        return ""
    counts = {n for place in places for n in place.kinds.values() if n <= counting.RANGES[level][1]}
    if len(counts) != 1:
        return ""
    (only,) = counts
    return f"each key would be {only}, because {'no category has several labels' if only == 1 else f'every category has {only} labels'}"


def _any(place: Place, level: str) -> bool:
    del place, level
    return True


def _labelled(least: int) -> Callable[[Place, str], bool]:
    return lambda place, level: place.things >= least


def kinds() -> tuple[QuestionType, ...]:
    """Return all tasks; the first two need no labels."""
    question, decision, both = planning.TASKS
    directions = (direction_recognition.POSITION, direction_recognition.ROAD)
    return (
        QuestionType(rotation_angle.TASK, _plain(rotation_angle.about), _any),
        QuestionType(rotation_difference.TASK, _plain(rotation_difference.about), _any),
        QuestionType(direction_recognition.TASK, _direction, _has_direction, directions),
        QuestionType(directional_object.TASK, _plain(directional_object.about), _labelled(4)),
        QuestionType(counting.TASK, _counted, _has_count),
        *(QuestionType(task, _plain(planning.about), _labelled(1)) for task in (question, decision, both)),
    )


def items(kind: QuestionType, level: str, places: Sequence[Place], n: int, seed: int) -> list[tuple[Item, Place]]:
    """Return up to `n` items of a level in alternating photographs; fewer if no photograph gives another one."""
    fitting = [place for place in places if kind.fits(place, level)]
    pairs: list[tuple[Item, Place]] = []
    if not fitting:
        return pairs
    family = kind.task.images.family or kind.task.id  # planning tasks share the order of a round, so their items share images
    rounds = (place for turn in count() for place in Rng("panoramas", family, level, seed, turn).shuffled(fitting))
    ahead: list[Place] = []
    for index in range(n):
        # the next photograph that gives a question with the next key in the balance
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


def _item(kind: QuestionType, level: str, place: Place, seed: int, index: int) -> Item | None:
    """Return the item about a photograph, or None if the question is not possible. The key and its rederivation agree."""
    # a substitute for the layout, which puts every photograph in the same split
    layout = next((place.digest, salt) for salt in count() if split_of_layout((place.digest, salt)) == SPLIT)

    def sample(plan: SamplingContext) -> Any:
        return kind.about(plan, place)

    def shown(scene: Any) -> Any:
        del scene
        return layout

    task = replace(kind.task, sample=sample, sampling=replace(kind.task.sampling, layout=shown))
    try:
        made = make_item(task, task.address(SPLIT, level, seed, index, {}))
    except RuntimeError:  # no question keeps the margins
        return None
    words = prompts.prompt(made.question.text, made.answer, len(made.pictures))
    read = task.rederive(made.pictures, words)
    if read != (made.answer.canonical() if isinstance(made.answer, JointAnswer) else made.answer.balance_bin()):
        return None
    return made


def cuts(item: Item) -> list[tuple[float, float]]:
    """Return heading and field of view of each image in degrees."""
    return [(round(heading(stage) % 360, 3) % 360, float(item.scene.views.fov)) for stage in item.scenes3d]
