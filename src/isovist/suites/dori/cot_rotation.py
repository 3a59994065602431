"""Chains of thought about an object that was rotated horizontally and then vertically between two images.

The chain states where the front and the top point in both images. The posts show the viewer's position in the second image, so the chain
converts its directions to the viewpoint of the first image. A vertical rotation does not change the left-right components, which limits
the possible horizontal rotations; the vertical rotation accounts for the rest. The verifier takes landmarks from both 3-D scenes and
rotates them by Rodrigues' formula; the writer uses the matrices of the poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import WORDS, Step, StepTemplate, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rotation import Vector, apply, azimuth, turn, wrapped
from isovist.core.scene3d import Scene3D, front, own_left, up
from isovist.suites.dori import image_pairs
from isovist.suites.dori.cot_facing import article, part
from isovist.suites.dori.image_pairs import QUARTERS, Turned
from isovist.world.scenes import object_catalog
from isovist.world.scenes.object_catalog import CatalogObject

_VIEWER_SIDES = {0: "the same side", 90: "the right side", 180: "the opposite side", 270: "the left side"}
"""The viewer's position in the second image, by the movement in degrees."""
_AXES = (("to the right", "to the left"), ("up", "down"), ("toward the viewer", "away from the viewer"))
"""The positive and the negative direction of each axis: x to the right, y up, z toward the viewer."""
_BEARINGS = {-45: "near left", 45: "near right", -135: "far left", 135: "far right"}

_template = partial(
    StepTemplate,
    **dict.fromkeys(("one", "two", "thing", "part", "nth", "sides", "angles", "kind"), WORDS),
    **dict.fromkeys(("first", "second"), "[a-z, ]{1,80}"),
    side="front|long end",
    turns=r"[\w, ]+",
)
_OTHER = _template(
    "The first image shows {one}, but the second image shows {two}: these are different objects.",
    "The object is {one} in the first image and {two} in the second image. No rotation does that.",
)
_BOTH = _template(
    "Both images show {thing}, and the front is {part}.",
    "The object is {thing} in both images. The front is {part}.",
    "The first and the second image show {thing}; the front is {part}.",
)
_EVEN = _template(
    "Both images show {thing}, which is longer in one direction; it looks the same after a rotation by 180 degrees about its own vertical axis.",
    "The object is {thing} in both images. Its two long ends are identical, so a rotation by 180 degrees about its own vertical axis is not visible.",
)
_SEEN = _template(
    "In the {nth} image, its {side} points {first}, and its top points {second}.",
    "The {nth} image shows that the {side} points {first}, and the top points {second}.",
    "As seen in the {nth} image, the {side} is directed {first}, and the top is directed {second}.",
)
_POSTS = _template(
    "Two equal posts are at the {first} in the first image and at the {second} in the second image, so the second image is seen from {sides}.",
    "The two posts of one kind are at the {first} in the first image and at the {second} in the second image. So the second image is a view from "
    "{sides}.",
)
_UNDONE = _template(
    "As seen from the viewpoint of the first image, its {side} now points {first}, and its top points {second}.",
    "Converted to the viewpoint of the first image, the {side} points {first}, and the top points {second}.",
)
_SIDES = _template(
    "A vertical rotation does not change left and right. After the horizontal rotation, the {side} must point {first}, and the top must point {second}.",
    "Only the horizontal rotation changes left and right. It must make the {side} point {first}, and the top point {second}.",
)
_CHOICES = _template(
    "This is the case after a horizontal rotation by {angles} degrees.",
    "A horizontal rotation by {angles} degrees does this.",
)
_AFTER = _template(
    "After a horizontal rotation by {angle} degrees, its {side} points {first}, and its top points {second}.",
    "A horizontal rotation by {angle} degrees makes the {side} point {first}, and the top point {second}.",
)
_FAILS = _template(
    "From there, no vertical rotation leads to the second image.",
    "No vertical rotation of this orientation gives the second image.",
)
_LEADS = _template(
    "A vertical rotation by {angle} degrees then makes the {side} point {first}, and the top point {second}, as in the second image.",
    "After a further vertical rotation by {angle} degrees, the {side} points {first}, and the top points {second}, which matches the second image.",
)
_FIT = _template(
    "The rotations that match the second image are, in degrees: {turns}.",
    "These rotations, in degrees, give the appearance in the second image: {turns}.",
)
_KINDS = _template(
    "This is {kind}.",
    "The type is {kind}.",
    "This corresponds to {kind}.",
)
_UNSURE = _template(
    "They are of different types, so the axes cannot be determined.",
    "Since their types differ, the axes remain unknown.",
)
_CANNOT = _template("So the rotation cannot be determined.", "Therefore nothing is known about a rotation.")

Two = tuple[Vector, Vector]
"""The directions of two sides of an object: x to the right, y up, z toward the viewer."""
Move = Callable[[Two, int], Two]
"""The directions of two sides after a rotation in degrees."""


@dataclass(frozen=True)
class _Pair:
    """Two images of one object.

    `start`, `shown`, `end`: directions of its sides in the first image, in the second, and in the second converted to the first viewpoint.
    `posts`: bearings, in both images, of the near left post of the first image and of the post equal to it; empty without posts. `sides`: possible viewer movements in degrees. `fitting`: all horizontal and
    vertical rotations that agree with the images.
    """

    thing: CatalogObject
    start: Two
    shown: Two
    end: Two
    posts: tuple[Sequence[int], Sequence[int]]
    sides: Sequence[int]
    fitting: Sequence[tuple[int, int]]
    horizontally: Move
    vertically: Move


def _kind(horizontal: int, vertical: int) -> str:
    if horizontal and vertical:
        return "a horizontal and a vertical rotation"
    return "a horizontal rotation only" if horizontal else "a vertical rotation only" if vertical else "no rotation"


def direction(vector: Vector) -> str:
    """The text of a direction along an axis, or between two axes."""
    parts = sorted(((round(abs(v), 3), -axis, _AXES[axis][v < 0]) for axis, v in enumerate(vector) if abs(v) > 0.1), reverse=True)
    if len(parts) == 1:
        return f"straight {parts[0][2]}"
    (larger, _, main), (smaller, _, minor) = parts
    return f"equally {main} and {minor}" if larger - smaller < 0.1 else f"mainly {main}, partly {minor}"


def aside(vector: Vector) -> str:
    """The text of the left-right component of a direction."""
    size = abs(vector[0])
    if size < 0.1:
        return "neither to the right nor to the left"
    degree = "straight" if size > 0.95 else "mainly" if size > 0.8 else "halfway" if size > 0.6 else "partly"
    return f"{degree} {_AXES[0][vector[0] < 0]}"


def _pointing(two: Two) -> dict[str, str]:
    return {"first": direction(two[0]), "second": direction(two[1])}


def _matches(a: Two, b: Two) -> bool:
    return all(abs(x - y) < 1e-3 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def _post_positions(bearings: Sequence[int]) -> str:
    return " and ".join(name for bearing, name in _BEARINGS.items() if bearing in bearings)


def _other_object_steps(first: CatalogObject, second: CatalogObject) -> list[Step]:
    """The steps if the images show different objects."""
    return [_OTHER(one=article(first.category), two=article(second.category)), _CANNOT()]


def _steps(pair: _Pair, *, kinds: bool) -> list[Step]:
    """The steps for one object; with `kinds`, the last step names the type of the rotation."""
    thing, side = pair.thing, "long end" if pair.thing.turns else "front"
    before, after = map(_post_positions, pair.posts)
    steps = [
        _EVEN(thing=article(thing.category)) if thing.turns else _BOTH(thing=article(thing.category), part=part(thing)),
        _SEEN(nth="first", side=side, **_pointing(pair.start)),
        _SEEN(nth="second", side=side, **_pointing(pair.shown)),
    ]
    if before:
        steps.append(_POSTS(first=before, second=after, sides=" or ".join(_VIEWER_SIDES[by] for by in pair.sides)))
    if len(pair.sides) == 1 and pair.sides[0]:
        steps.append(_UNDONE(side=side, **_pointing(pair.end)))
    if not thing.turns and len(pair.sides) == 1:
        return [*steps, *_turn_steps(pair, kinds=kinds)]
    turns = ", or ".join(f"{a} horizontally and {b} vertically" for a, b in pair.fitting)
    kinds_open = {_kind(*turn) for turn in pair.fitting}
    return [*steps, _FIT(turns=turns), _KINDS(kind=kinds_open.pop()) if len(kinds_open) == 1 else _UNSURE()]


def _turn_steps(pair: _Pair, *, kinds: bool) -> list[Step]:
    """The steps to the only rotation, for an object without symmetry and a known viewer position."""
    start, end = pair.start, pair.end
    choices = [
        angle for angle in QUARTERS if all(abs(p[0] - q[0]) < 1e-3 for p, q in zip(pair.horizontally(start, angle), end, strict=True))
    ]
    steps = [_SIDES(side="front", first=aside(end[0]), second=aside(end[1])), _CHOICES(angles=" or ".join(map(str, choices)))]
    turns: list[tuple[int, int]] = []
    for horizontal in choices:
        between = pair.horizontally(start, horizontal)
        steps.append(_AFTER(angle=horizontal, side="front", **_pointing(between)))
        fitting = [vertical for vertical in QUARTERS if _matches(pair.vertically(between, vertical), end)]
        turns += [(horizontal, vertical) for vertical in fitting]
        steps += [_LEADS(angle=vertical, side="front", **_pointing(end)) for vertical in fitting] or [_FAILS()]
    (only,) = turns
    return [*steps, _KINDS(kind=_kind(*only))] if kinds else steps


def _things(pictures: Sequence[Scene3D]) -> tuple[CatalogObject, CatalogObject]:
    first, second = (object_catalog.of(image_pairs.shown(picture).geometry) for picture in pictures)
    assert first is not None
    assert second is not None
    return first, second


def chain(scene: Turned, fitting: Sequence[tuple[int, int]], key: Answer, phrasing: int) -> str:
    """The chain of a pair of images; `fitting` are all rotations that agree with the second image."""
    first, second = _things(scene.scenes3d)
    if scene.is_other_object:
        return write_chain(_other_object_steps(first, second), key, phrasing)
    poses = [image_pairs.shown(picture).pose for picture in scene.scenes3d]
    start, end = ((own_left(pose) if first.turns else front(pose), up(pose)) for pose in poses)
    walked = scene.camera_walk_deg % 360
    posts = {round(azimuth(solid.pose.position)): solid.colour for solid in scene.scenes3d[0].objects if solid.name == image_pairs.POST}
    before = [bearing for bearing, colour in posts.items() if colour == posts[-45]]
    after = [round(wrapped(bearing - walked)) for bearing in before]
    sides = sorted((walked + by) % 360 for by in range(0, 360, scene.posts or 360))
    horizontally = _by_matrix("y", -1)
    pair = _Pair(first, start, horizontally(end, walked), end, (before, after), sides, fitting, horizontally, _by_matrix("x", 1))
    return write_chain(_steps(pair, kinds=scene.level == "coarse"), key, phrasing)


def _by_matrix(axis: str, sense: int) -> Move:
    def move(two: Two, angle: int) -> Two:
        matrix = turn(axis, sense * angle)
        return apply(matrix, two[0]), apply(matrix, two[1])

    return move


# ---- the verifier ------------------------------------------------------------------------------------------------------


def replay(pictures: tuple[Scene3D, ...], read: str, key: Answer, text: str) -> list[str]:
    """The errors of a chain; `read` is the option that is rederived from the images."""
    first, second = _things(pictures)
    kinds = "horizontally, then" not in key.balance_bin()
    expected = _steps(_pair(first, pictures), kinds=kinds) if image_pairs.same_object(pictures) else _other_object_steps(first, second)
    return step_errors(text, expected, read, key)


def _pair(thing: CatalogObject, pictures: tuple[Scene3D, ...]) -> _Pair:
    """The pair as rederived from the 3-D scenes."""
    side = 2 if thing.turns else 0
    sides = image_pairs.sides(pictures)
    start, shown = (image_pairs.landmarks(picture) for picture in pictures)
    ends = [image_pairs.from_first(pictures, by) for by in sides]
    horizontally, vertically = _by_formula((0.0, 1.0, 0.0), -1), _by_formula((1.0, 0.0, 0.0), 1)
    starts = [(marks[side], marks[1]) for marks in image_pairs.spun(pictures[0], 90)]
    fitting = [
        (a, b)
        for a in QUARTERS
        for b in QUARTERS
        if any(_matches(vertically(horizontally(marks, a), b), (end[side], end[1])) for marks in starts for end in ends)
    ]
    before, after, end = ((marks[side], marks[1]) for marks in (start, shown, ends[0]))
    return _Pair(thing, before, after, end, _equal_posts(pictures), sides, fitting, horizontally, vertically)


def _equal_posts(pictures: tuple[Scene3D, ...]) -> tuple[Sequence[int], Sequence[int]]:
    """Bearings, in both images, of the posts that are equal to the near left one of the first image."""
    first, second = (image_pairs.spots(picture) for picture in pictures)
    before, after = ([round(bearing) for bearing, post in spots.items() if post == first[-45]] for spots in (first, second))
    return before, after


def _by_formula(axis: Vector, sense: int) -> Move:
    def move(two: Two, angle: int) -> Two:
        first, second, _ = image_pairs.about(axis, sense * angle, (*two, two[1]))
        return first, second

    return move
