"""Chains of thought about an object that was turned horizontally and then vertically between two pictures.

Where its front and its top point is seen in both pictures, and the odd post tells from where the second one is seen: then it is thought
of as seen from where the first one is. A vertical turn changes nothing to left or right, which tells the
horizontal turns that are possible; the vertical one has to do the rest. The verifier takes landmarks from both stages and turns
them by Rodrigues' formula, while the writer goes by the matrices of the poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from isovist.core.answers import Answer
from isovist.core.rotation import Vector, apply, azimuth, turn, wrapped
from isovist.core.scene3d import Scene3D, front, own_left, up
from isovist.reasoning.templates import WORDS, Step, StepTemplate, write_chain
from isovist.reasoning.verifier import step_errors
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.suites.dori import image_pairs
from isovist.suites.dori.cot_facing import article, part
from isovist.suites.dori.directions import aside, direction
from isovist.suites.dori.image_pairs import QUARTERS, Turned

_STANDS = {0: "the same side", 90: "the right side", 180: "the opposite side", 270: "the left side"}
"""From where the second picture is seen, by how far the viewer has walked."""
_BEARINGS = {-45: "near left", 45: "near right", -135: "far left", 135: "far right"}

_template = partial(
    StepTemplate,
    **dict.fromkeys(("one", "two", "thing", "part", "nth", "sides", "angles", "kind"), WORDS),
    **dict.fromkeys(("first", "second"), "[a-z, ]{1,80}"),
    side="front|long end",
    turns=r"[\w, ]+",
)
_OTHER = _template(
    "The first picture shows {one}, the second one {two}: that is not the same object.",
    "What was {one} would now be {two}; no turn does that.",
)
_BOTH = _template(
    "Both pictures show {thing}; its front is {part}.",
    "It is {thing} in either picture, and {part} is its front.",
    "I see {thing} twice. Its front: {part}.",
)
_EVEN = _template(
    "Both pictures show {thing}, longer one way than the other; half a turn about its own upright axis changes nothing of its look.",
    "It is {thing} in either picture. Its two long ends are alike: half a turn about its own upright axis is not seen.",
)
_SEEN = _template(
    "In the {nth} picture its {side} points {first}, its top {second}.",
    "The {nth} picture: {side} {first}; top {second}.",
    "Seen in the {nth} picture, the {side} is directed {first}, and the top {second}.",
)
_POSTS = _template(
    "What tells the posts apart stands {first} in the first picture and {second} in the second, so the second picture is seen from {sides}.",
    "The post or the posts that show where the viewer is: {first} at first, then {second}; that makes the second picture a view from {sides}.",
)
_UNDONE = _template(
    "Seen from where the first picture is seen, its {side} would then point {first}, its top {second}.",
    "From the side of the first picture that is: {side} {first}; top {second}.",
)
_SIDES = _template(
    "A vertical turn moves nothing right or left, so the horizontal one alone must make the {side} point {first} and the top {second}.",
    "Only the horizontal turn changes what is right and left; after it the {side} has to point {first} and the top {second}.",
)
_CHOICES = _template(
    "That is so after a horizontal turn of {angles} degrees.",
    "Horizontal turns that do so: {angles} degrees.",
)
_AFTER = _template(
    "Turned horizontally by {angle} degrees, its {side} points {first} and its top {second}.",
    "After {angle} degrees horizontally the {side} is directed {first}, the top {second}.",
)
_FAILS = _template(
    "From there no vertical turn leads to the second picture.",
    "No vertical turn makes the second picture of that.",
)
_LEADS = _template(
    "A vertical turn of {angle} degrees then brings the {side} {first} and the top {second}, as in the second picture.",
    "Then {angle} degrees vertically make the {side} point {first} and the top {second}: the second picture.",
)
_FIT = _template(
    "Turns after which it looks as in the second picture: {turns}.",
    "What leads to the look of the second picture: {turns}.",
)
_KINDS = _template(
    "Such a turn is {kind}.",
    "That is called {kind}.",
    "It comes down to {kind}.",
)
_UNSURE = _template(
    "They are not of one kind, so which axes it was cannot be told.",
    "Since these differ in kind, the axes stay open.",
)
_CANNOT = _template("So the turn cannot be told.", "Therefore nothing is known of a turn.")

Two = tuple[Vector, Vector]
"""Where two sides of an object point: x to the right, y up, z towards the viewer."""
Move = Callable[[Two, int], Two]
"""Where two sides point after a turn by so many degrees."""


@dataclass(frozen=True)
class _Pair:
    """What two pictures show of one object: where its sides point in the first picture, in the second, and in the second as seen from
    where the first is seen; the bearings of the posts that tell the sides apart in either picture; from which sides the second picture
    may be seen; all turns that fit, horizontal and vertical.
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
        return "a horizontal and a vertical turn"
    return "a horizontal turn alone" if horizontal else "a vertical turn alone" if vertical else "no turn"


def _pointing(two: Two) -> dict[str, str]:
    return {"first": direction(two[0]), "second": direction(two[1])}


def _matches(a: Two, b: Two) -> bool:
    return all(abs(x - y) < 1e-3 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def _posted(bearings: Sequence[int]) -> str:
    return " and ".join(name for bearing, name in _BEARINGS.items() if bearing in bearings) or "nowhere"


def _others(one: CatalogObject, two: CatalogObject) -> list[Step]:
    """The steps of pictures that show two objects."""
    return [_OTHER(one=article(one.category), two=article(two.category)), _CANNOT()]


def _steps(pair: _Pair, *, kinds: bool) -> list[Step]:
    """What both pictures show, from where the second one is seen, and the turns that fit; at the end their kind if that is asked."""
    thing, side = pair.thing, "long end" if pair.thing.turns else "front"
    first, second = map(_posted, pair.posts)
    steps = [
        _EVEN(thing=article(thing.category)) if thing.turns else _BOTH(thing=article(thing.category), part=part(thing)),
        _SEEN(nth="first", side=side, **_pointing(pair.start)),
        _SEEN(nth="second", side=side, **_pointing(pair.shown)),
        _POSTS(first=first, second=second, sides=" or ".join(_STANDS[by] for by in pair.sides)),
    ]
    if len(pair.sides) == 1 and pair.sides[0]:
        steps.append(_UNDONE(side=side, **_pointing(pair.end)))
    if not thing.turns and len(pair.sides) == 1:
        return [*steps, *_turn_steps(pair, kinds=kinds)]
    turns = ", or ".join(f"{a} horizontally and {b} vertically" for a, b in pair.fitting)
    kinds_open = {_kind(*turn) for turn in pair.fitting}
    return [*steps, _FIT(turns=turns), _KINDS(kind=kinds_open.pop()) if len(kinds_open) == 1 else _UNSURE()]


def _turn_steps(pair: _Pair, *, kinds: bool) -> list[Step]:
    """From what is seen from one side in both pictures to the one turn; of an object that looks like itself in no other way."""
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
    one, two = (object_catalog.of(image_pairs.shown(picture).geometry) for picture in pictures)
    assert one is not None
    assert two is not None
    return one, two


def chain(scene: Turned, fitting: Sequence[tuple[int, int]], key: Answer, phrasing: int) -> str:
    """The chain of a pair of pictures; `fitting` are all turns after which the object looks as in the second one."""
    one, two = _things(scene.scenes3d)
    if scene.is_other_object:
        return write_chain(_others(one, two), key, phrasing)
    poses = [image_pairs.shown(picture).pose for picture in scene.scenes3d]
    start, end = ((own_left(pose) if one.turns else front(pose), up(pose)) for pose in poses)
    walked = scene.camera_walk_deg % 360
    posts = {round(azimuth(solid.pose.position)): solid.colour for solid in scene.scenes3d[0].objects if solid.name == image_pairs.POST}
    colours = list(posts.values())
    telling = {360: min(colours, key=colours.count), 180: posts[-45], 90: ""}[scene.posts]
    first = [bearing for bearing, colour in posts.items() if colour == telling]
    second = [round(wrapped(bearing - walked)) for bearing in first]
    sides = sorted((walked + by) % 360 for by in range(0, 360, scene.posts))
    horizontally = _by_matrix("y", -1)
    pair = _Pair(one, start, horizontally(end, walked), end, (first, second), sides, fitting, horizontally, _by_matrix("x", 1))
    return write_chain(_steps(pair, kinds=scene.level == "coarse"), key, phrasing)


def _by_matrix(axis: str, sense: int) -> Move:
    def move(two: Two, angle: int) -> Two:
        matrix = turn(axis, sense * angle)
        return apply(matrix, two[0]), apply(matrix, two[1])

    return move


# ---- the verifier ------------------------------------------------------------------------------------------------------


def replay(pictures: tuple[Scene3D, ...], read: str, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain; `read` is the option that the pictures give by themselves."""
    one, two = _things(pictures)
    kinds = "horizontally, then" not in key.balance_bin()
    due = _steps(_pair(one, pictures), kinds=kinds) if image_pairs.same_object(pictures) else _others(one, two)
    return step_errors(text, due, read, key)


def _pair(thing: CatalogObject, pictures: tuple[Scene3D, ...]) -> _Pair:
    """What the stages show."""
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
    seen, seen_again, end = ((marks[side], marks[1]) for marks in (start, shown, ends[0]))
    return _Pair(thing, seen, seen_again, end, _telling(pictures), sides, fitting, horizontally, vertically)


def _telling(pictures: tuple[Scene3D, ...]) -> tuple[Sequence[int], Sequence[int]]:
    """Where the post stands that differs from all others, or those that are like the one at the near left, in both pictures."""
    one, two = (image_pairs.spots(picture) for picture in pictures)
    kinds = [post for post in one.values() if list(one.values()).count(post) < len(one) - 1]
    telling = kinds[0] if len(kinds) == 1 else one[-45] if kinds else None
    first, second = ([round(bearing) for bearing, post in spots.items() if post == telling] for spots in (one, two))
    return first, second


def _by_formula(axis: Vector, sense: int) -> Move:
    def move(two: Two, angle: int) -> Two:
        first, second, _ = image_pairs.about(axis, sense * angle, (*two, two[1]))
        return first, second

    return move
