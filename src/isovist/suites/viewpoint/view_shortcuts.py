"""Shortcuts of the tasks with several views of one place: rules that leave out the standpoint, or a part of the work.

The rules take the places of the objects in the images and on the ground from the scene, without error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from typing import Any

from isovist.core.rotation import azimuth, wrapped
from isovist.core.scene3d import Scene3D, view
from isovist.core.summation import sum_in_order
from isovist.core.task import Question, Shortcut
from isovist.suites.viewpoint import views_around
from isovist.suites.viewpoint.views_around import Shown
from isovist.world.scenes import open_ground
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.open_ground import Spot
from isovist.world.scenes.scene_transforms import flat_camera

Rule = Callable[[Any, Question], Collection[str]]
_EQUAL, _SAME_SUN = 1e-9, 1.0
_STANDPOINT = "the standpoint"


def _best(values: Sequence[float]) -> Collection[str]:
    """The options with the largest value; none if all have it."""
    best = [place for place, value in enumerate(values) if value > max(values) - _EQUAL]
    return letters_of(best) if len(best) < len(values) else ()


def _inversions(one: Shown, other: Shown) -> int:
    """The number of pairs in another left-to-right order, visible or not."""
    matched = [(x, y) for (_, x), (_, y) in zip(*(sorted((look, x) for look, x, _ in shown) for shown in (one, other)), strict=True)]
    return sum((x < u) != (y < v) for (x, y), (u, v) in combinations(matched, 2))


def _nearest(shown: Shown) -> str:
    return max(shown, key=lambda thing: thing[2])[0]


def _spots(picture: Scene3D) -> list[tuple[str, Spot]]:
    return [(thing.id, (solid.pose.position[0], solid.pose.position[2])) for solid, thing in views_around.things_in(picture)]


def _nearest_to(spot: Spot, picture: Scene3D) -> str:
    return min(_spots(picture), key=lambda thing: open_ground.distance(spot, thing[1]))[0]


def _sun(picture: Scene3D, ahead: float) -> float:
    """The azimuth of the sun relative to a direction."""
    return wrapped(azimuth(picture.light.sun_direction) - ahead)


def _ahead(picture: Scene3D) -> float:
    x, _, z = view(flat_camera(picture))[2]
    return azimuth((-x, 0.0, -z))


# What they see ----------------------------------------------------------------------------------------------------------


def _normalized(shown: Shown) -> list[float]:
    """X and y of all objects, each with mean 0 and variance 1."""
    values: list[float] = []
    for axis in (1, 2):
        at = [float(thing[axis]) for thing in shown]
        mean = sum_in_order(at) / len(at)
        spread = (sum_in_order((value - mean) ** 2 for value in at) / len(at)) ** 0.5
        values += [(value - mean) / spread for value in at]
    return values


def _unlike(one: Shown, other: Shown) -> float:
    return sum_in_order(abs(a - b) for a, b in zip(_normalized(one), _normalized(other), strict=True))


def _by_main(measure: Callable[[Shown, Shown], float]) -> Rule:
    """The option with the largest value of a measure of the main view and an option."""

    def rule(scene: Any, _question: Question) -> Collection[str]:
        main, *options = map(views_around.shown_in, scene.images)
        return _best([measure(main, option) for option in options])

    return rule


def _by_options(sign: int) -> Rule:
    """The option least like the others, or with -1 most like them."""

    def rule(scene: Any, _question: Question) -> Collection[str]:
        options = [views_around.shown_in(image) for image in scene.images[1:]]
        return _best([sign * sum_in_order(_unlike(one, other) for other in options) for one in options])

    return rule


def _person(scene: Any) -> Spot:
    x, _, z = scene.images[0].objects[-1].pose.position
    return x, z


def _near_person(scene: Any, _question: Question) -> Collection[str]:
    look = _nearest_to(_person(scene), scene.images[0])
    return _best([float(_nearest(views_around.shown_in(image)) == look) for image in scene.images[1:]])


def _near_or_far_side(scene: Any, _question: Question) -> Collection[str]:
    """A person near the camera or opposite: the same or the reversed order; a person to the left or right: any other option."""
    main, *options = map(views_around.shown_in, scene.images)
    inversions = [_inversions(main, option) for option in options]
    same, opposite = _best([-n for n in inversions]), _best(inversions)
    return {0: same, 2: opposite}.get(scene.asked) or letters_of(
        place for place in range(len(options)) if not {*letters_of([place])} & {*same, *opposite}
    )


def _sun_of_person(scene: Any, _question: Question) -> Collection[str]:
    """The option in which the sun is as far to the left or right as it is for the person in the main view."""
    main, *options = scene.images
    wanted = _sun(main, open_ground.direction(_person(scene), views_around.MIDDLE))
    return letters_of(k for k, image in enumerate(options) if abs(wrapped(_sun(image, _ahead(image)) - wanted)) < _SAME_SUN)


OF_WHAT_THEY_SEE: dict[str, Shortcut[Any]] = {
    "most like the main view": Shortcut(_by_main(lambda main, option: -_unlike(main, option)), _STANDPOINT),
    "least like the main view": Shortcut(_by_main(_unlike), _STANDPOINT),
    "most like the other options": Shortcut(_by_options(-1), "the main view"),
    "least like the other options": Shortcut(_by_options(1), "the main view"),
    "same left-to-right order as in the main view": Shortcut(_by_main(lambda main, option: -_inversions(main, option)), _STANDPOINT),
    "reversed left-to-right order": Shortcut(_by_main(_inversions), _STANDPOINT),
    "same nearest look as in the main view": Shortcut(
        _by_main(lambda main, option: float(_nearest(main) == _nearest(option))), _STANDPOINT
    ),
    "the look nearest to the person is nearest in the image": Shortcut(_near_person, "all objects but one", partial=True, bound=0.85),
    "near side: same order, far side: reversed order": Shortcut(_near_or_far_side, "left and right of the person", partial=True, bound=0.8),
    "the sun from the person's side": Shortcut(_sun_of_person, "the objects", partial=True, bound=0.65),
}


# Taken from -------------------------------------------------------------------------------------------------------------


def _posts(scene: Any) -> list[Spot]:
    """The posts in the order of their letters."""
    main = scene.images[0]
    places = [main.objects[mark.object_index].pose.position for mark in main.markers]
    return [(x, z) for x, _, z in places]


def _side(k: int) -> Rule:
    """The post at the k-th side from the camera."""
    return lambda scene, _question: letters_of([scene.options.index(k)])


def _near_second(scene: Any, _question: Question) -> Collection[str]:
    """The posts nearest to an object of the look that is nearest in the second image."""
    look, posts = _nearest(views_around.shown_in(scene.images[1])), _posts(scene)
    spots = [spot for name, spot in _spots(scene.images[0]) if name == look]
    return letters_of({min(range(len(posts)), key=lambda k: open_ground.distance(posts[k], spot)) for spot in spots})


def _posts_with_nearest(scene: Any, _question: Question) -> Collection[str]:
    """The posts to which an object of the look is nearest that is nearest in the second image."""
    look = _nearest(views_around.shown_in(scene.images[1]))
    return _best([float(_nearest_to(post, scene.images[0]) == look) for post in _posts(scene)])


def _same_or_opposite(scene: Any, question: Question) -> Collection[str]:
    """The post at the camera if the order is more alike than reversed, else the opposite one."""
    main, second = map(views_around.shown_in, scene.images)
    pairs = len(main) * (len(main) - 1) / 2
    return _side(0 if _inversions(main, second) < pairs / 2 else 4)(scene, question)


def _sun_of_post(scene: Any, _question: Question) -> Collection[str]:
    main, second = scene.images
    seen = _sun(second, _ahead(second))
    aheads = [open_ground.direction(post, views_around.MIDDLE) for post in _posts(scene)]
    return letters_of(k for k, ahead in enumerate(aheads) if abs(wrapped(_sun(main, ahead) - seen)) < 22.5)


OF_TAKEN_FROM: dict[str, Shortcut[Any]] = {
    "the post at the camera": Shortcut(_side(0), "the second image"),
    "the opposite post": Shortcut(_side(4), "the second image"),
    "the post to the left": Shortcut(_side(2), "the second image"),
    "the post to the right": Shortcut(_side(6), "the second image"),
    "the post at the look that is nearest in the second image": Shortcut(_near_second, "all objects but one", partial=True, bound=0.55),
    "a post with the look nearest that is nearest in the second image": Shortcut(
        _posts_with_nearest, "all objects but one", partial=True, bound=0.55
    ),
    "same order: the post at the camera, else the opposite one": Shortcut(_same_or_opposite, "depth", partial=True, bound=0.3),
    "the sun from the posts": Shortcut(_sun_of_post, "the objects", partial=True, bound=0.6),
}
