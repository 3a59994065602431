"""Shortcuts of the CoSpace tasks: rules that omit the tested skill or a part of it.

A rule takes its inputs from the scene, such as the images that show an object or the number of objects in an image. Its accuracy is therefore an
upper bound for a model with these inputs only. `benchmarks/cospace_shortcuts.py` has rules on pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from isovist.core.answers import Choice, JointAnswer
from isovist.core.rotation import wrapped
from isovist.core.summation import sum_in_order
from isovist.core.task import Question, Shortcut
from isovist.suites.cospace import action_sequences, count_designs
from isovist.suites.cospace.directions import CARDINAL, DIAGONAL
from isovist.suites.cospace.target_objects import images_of, share_in
from isovist.suites.cospace.view_sets import AROUND, Views
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.environments.environment import VisibleObject

Rule = Callable[[Any, Question], Collection[str]]
Shortcuts = dict[str, Shortcut[Any]]


# Directions ---------------------------------------------------------------------------------------------------------

DirectionRule = Callable[[Views, str, Sequence[int | None]], Collection[str]]
"""A rule from the views, the name of the target, and the direction of each option."""


def _target_images(views: Views, name: str) -> tuple[int, ...]:
    return images_of(views.visible_object(name), views.heading, views.fov)


def _diagonal(images: Sequence[int]) -> int:
    """The direction between two neighbouring images."""
    return 1 + 2 * (images[0] if images[1] - images[0] == 1 else images[1])


def _fitting(directions: Sequence[int | None], wanted: Collection[int]) -> tuple[str, ...]:
    return letters_of(index for index, direction in enumerate(directions) if direction in wanted)


def cardinal_if_once(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """The heading of the image that shows the target, or the direction between the two images that show it."""
    images = _target_images(views, name)
    return _fitting(directions, {2 * images[0]} if len(images) == 1 else {_diagonal(images)})


def any_in_images(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """Any direction that the image with the target covers, or the direction between the two images that show it."""
    images = _target_images(views, name)
    covered = {(2 * images[0] + k) % 8 for k in (-1, 0, 1)}
    return _fitting(directions, covered if len(images) == 1 else {_diagonal(images)})


def largest_share(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """The heading of the image that shows the largest share of the target."""
    target = views.visible_object(name)
    image = max(range(4), key=lambda i: share_in(target, views.heading + AROUND[i], views.fov))
    return _fitting(directions, {2 * image})


def position_alone(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """By the position in an image, ignoring which image: cardinal directions near the centre, diagonal directions near the edges."""
    difference = min(abs(wrapped(views.visible_object(name).bearing - views.heading - turn)) for turn in AROUND)
    return _fitting(directions, CARDINAL if difference < 22.5 else DIAGONAL)


def any_cardinal(_views: Views, _name: str, directions: Sequence[int | None]) -> Collection[str]:
    """Any cardinal direction, without the images."""
    return _fitting(directions, CARDINAL)


def nearest_to_others(_views: Views, _name: str, directions: Sequence[int | None]) -> Collection[str]:
    """The direction nearest to the other options, without the images."""
    sums = [sum(min(((a or 0) - (b or 0)) % 8, ((b or 0) - (a or 0)) % 8) for b in directions) for a in directions]
    return letters_of(index for index, value in enumerate(sums) if value == min(sums))


def _of_directions(directions_of: Callable[[Any], Sequence[int | None]]) -> Shortcuts:
    """The rules for options with directions. `directions_of` returns the direction of each option of a scene."""

    def of(rule: DirectionRule) -> Rule:
        return lambda scene, _: rule(scene.views, scene.target, directions_of(scene))

    return {name: Shortcut(of(rule), without, is_partial) for name, (rule, without, is_partial) in _DIRECTIONS.items()}


def same_direction_twice(scene: Any, question: Question) -> Collection[str]:
    """The joint question without its images: any pair of options with the same direction."""
    assert isinstance(question.answer, JointAnswer)
    ends = [action_sequences.leads_to(route) for route in scene.routes]
    names = [name for name, _ in question.answer.parts]
    matches = [(index, ends.index(side)) for index, side in enumerate(scene.sides) if side in ends]
    return tuple(
        JointAnswer(tuple((name, Choice(tuple("ABCD"), index)) for name, index in zip(names, pair, strict=True))).canonical()
        for pair in matches
    )


# Objects in a direction ---------------------------------------------------------------------------------------------


def in_covering_image(scene: Any, _question: Question) -> Collection[str]:
    """An option in an image that covers the direction in the question; for a diagonal direction in both images, if there is one."""
    return letters_of(_sharing(scene))


def _sharing(scene: Any) -> list[int]:
    covering = (
        [scene.asked_direction // 2]
        if scene.asked_direction % 2 == 0
        else [scene.asked_direction // 2, (scene.asked_direction // 2 + 1) % 4]
    )
    images_by_option = [_target_images(scene.views, name) for name in scene.candidates]
    both = [index for index, images in enumerate(images_by_option) if scene.asked_direction % 2 and set(images) == set(covering)]
    return both or [index for index, images in enumerate(images_by_option) if len(images) == 1 and images[0] in covering]


def _extreme(scene: Any, _question: Question, *, measure: Callable[[VisibleObject], float], sharing: bool) -> Collection[str]:
    """The option with the greatest measure among all options, or among those of `in_covering_image`."""
    among = _sharing(scene) if sharing else range(len(scene.candidates))
    return letters_of([max(among, key=lambda index: measure(scene.views.visible_object(scene.candidates[index])))] if among else [])


_SIZES: dict[str, Callable[[VisibleObject], float]] = {
    "widest": lambda option: option.width,
    "narrowest": lambda option: -option.width,
    "tallest": lambda option: option.height,
    "largest": lambda option: option.width * option.height,
    "smallest": lambda option: -option.width * option.height,
    "nearest": lambda option: -option.distance,
    "farthest": lambda option: option.distance,
}


# Counting -----------------------------------------------------------------------------------------------------------


def shown(scene: Any) -> list[int]:
    """The number of objects of the category in each image."""
    views = scene.views
    images_by_object = [images_of(counted, views.heading, views.fov) for counted in views.objects if counted.name == scene.category]
    return [sum(image in images for images in images_by_object) for image in range(4)]


def _number(scene: Any, _question: Question, *, count_of: Callable[[list[int]], int], more: int) -> Collection[str]:
    return (str(max(scene.limits[0], count_of(shown(scene)) + more)),)


def of_its_group(scene: Any, _question: Question) -> Collection[str]:
    """1 or 2 if the sum over the images is at most two, otherwise 3 to 5. For 0 to 11: the counts with the same number of objects in each
    image.
    """
    each = shown(scene)
    group = (range(1, 3) if sum(each) <= 2 else range(3, 6)) if scene.limits == (1, 5) else count_designs.counts_with(scene.category, each)
    return tuple(map(str, group))


_NUMBERS: dict[str, tuple[Callable[[list[int]], int], range]] = {
    "sum over all images": (sum, range(-3, 1)),
    "largest number in one image": (max, range(3)),
    "number of images with at least one": (lambda each: sum(n > 0 for n in each), range(-1, 2)),
}


# Camera rotations ---------------------------------------------------------------------------------------------------


def full_rotation(scene: Any, _question: Question) -> Collection[str]:
    """The angle that makes a full rotation if the last image equals the first; otherwise any other angle."""
    rotations, n = scene.views.rotations_deg, len(scene.views.rotations_deg) - 1
    is_same = wrapped(rotations[-1] - rotations[0]) == 0
    return letters_of([index for index, angle in enumerate(scene.offered_angles) if (angle * n % 360 == 0) == is_same])


def wide_view(scene: Any, _question: Question) -> Collection[str]:
    """The largest angle for a field of view of at least 100 degrees, otherwise the smallest."""
    wanted = max(scene.offered_angles) if scene.views.fov >= 100 else min(scene.offered_angles)
    return letters_of([scene.offered_angles.index(wanted)])


def _heading_differences(scene: Any) -> list[list[float]]:
    rotations = scene.views.rotations_deg
    return [[abs(wrapped(a - b)) for b in rotations] for a in rotations]


Extreme = Callable[[list[float]], float]


def _outlier(scene: Any, wanted: Extreme) -> Collection[str]:
    """The image with the largest or smallest sum of heading differences to the others, ignoring the order."""
    sums = [sum_in_order(differences) for differences in _heading_differences(scene)]
    return tuple(str(index + 1) for index, value in enumerate(sums) if abs(value - wanted(sums)) < 1e-6)


def _one_of_a_pair(scene: Any, wanted: Extreme) -> Collection[str]:
    """Either image of the pair of neighbours with the smallest or largest rotation."""
    differences = _heading_differences(scene)
    rotations = [differences[i][i + 1] for i in range(len(differences) - 1)]
    first = rotations.index(wanted(rotations))
    return str(first + 1), str(first + 2)


# All of them --------------------------------------------------------------------------------------------------------

_POSITION, _IMAGE, _IMAGES = "position within the image", "which image shows the target", "the images"
_ORDER, _OTHER_ROTATIONS, _MATCHING = "the order of the images", "the other rotations", "matching objects across images"
_DIRECTIONS: dict[str, tuple[DirectionRule, str, bool]] = {
    "cardinal if in one image, diagonal if in two": (cardinal_if_once, _POSITION, True),
    "any direction that the images with the target cover": (any_in_images, _POSITION, True),
    "heading of the image that shows most of the target": (largest_share, _POSITION, True),
    "position within an image, ignoring which image": (position_alone, _IMAGE, True),
    "any cardinal direction": (any_cardinal, _IMAGES, False),
    "direction nearest to the other options": (nearest_to_others, _IMAGES, False),
}

OFFERED: Shortcuts = _of_directions(lambda scene: scene.offered_directions)
SIDES: Shortcuts = _of_directions(lambda scene: scene.sides)
ROUTES: Shortcuts = _of_directions(lambda scene: [action_sequences.leads_to(route) for route in scene.routes])
BOTH: Shortcuts = {"two options with the same direction": Shortcut(same_direction_twice, _IMAGES)}
OBJECTS: Shortcuts = {
    "in an image that covers the direction": Shortcut(in_covering_image, _POSITION, partial=True),
    **{name: Shortcut(partial(_extreme, measure=measure, sharing=False), "directions") for name, measure in _SIZES.items()},
    **{
        f"in an image that covers the direction, {name}": Shortcut(
            partial(_extreme, measure=_SIZES[name], sharing=True), _POSITION, partial=True
        )
        for name in ("narrowest", "nearest", "farthest")
    },
}
COUNTS: Shortcuts = {
    "counts that are possible with the number in each image": Shortcut(of_its_group, _MATCHING, partial=True, bound=0.42),
    **{
        f"{name} {more:+d}" if more else name: Shortcut(partial(_number, count_of=count_of, more=more), _MATCHING, partial=True)
        for name, (count_of, mores) in _NUMBERS.items()
        for more in mores
    },
}
ANGLES: Shortcuts = {
    "first and last image are equal": Shortcut(full_rotation, "overlaps of neighbouring images"),
    "large angle for a wide field of view": Shortcut(wide_view, _IMAGES),
}
ODD_ONES: Shortcuts = {
    "heading farthest from the others": Shortcut(lambda scene, _: _outlier(scene, max), _ORDER),
    "heading nearest to the others": Shortcut(lambda scene, _: _outlier(scene, min), _ORDER),
    "one of the two neighbours with the largest overlap": Shortcut(
        lambda scene, _: _one_of_a_pair(scene, min), _OTHER_ROTATIONS, partial=True
    ),
    "one of the two neighbours with the smallest overlap": Shortcut(
        lambda scene, _: _one_of_a_pair(scene, max), _OTHER_ROTATIONS, partial=True
    ),
}
