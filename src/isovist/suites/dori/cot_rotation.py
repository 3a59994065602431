"""Chains of thought about an object that was turned horizontally and then vertically between two pictures.

Where its front and its top point is seen in both pictures, and the odd post tells from where the second one is seen: then it is thought
of as seen from where the first one is. A vertical turn changes nothing to left or right, which tells the
horizontal turns that are possible; the vertical one has to do the rest. The verifier takes landmarks from both stages and turns
them by Rodrigues' formula, while the writer goes by the matrices of the poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.core.answers import Answer
from isovist.core.rotation import Vector, apply, azimuth, turn, wrapped
from isovist.core.scene3d import Scene3D, front, own_left, up
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of, parse_chain
from isovist.reasoning.verifier import Due, render_chain
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.suites.dori import image_pairs
from isovist.suites.dori.cot_facing import PART, THING, article, part
from isovist.suites.dori.directions import WORDS, aside, direction
from isovist.suites.dori.image_pairs import QUARTERS, Landmarks, Turned

Two = tuple[Vector, Vector]
"""Where two sides of an object point: x to the right, y up, z towards the viewer."""

_ONE = one_of(word for words in WORDS for word in words)
_DIRECTION = rf"straight (?:{_ONE})|mainly (?:{_ONE}), partly (?:{_ONE})|half (?:{_ONE}), half (?:{_ONE})"
_ASIDE = "neither right nor left|(?:straight|mainly|half|partly) (?:right|left)"
_PAIR = {"first": _DIRECTION, "second": _DIRECTION}
_SIDE = "front|long end"
_KIND = one_of(("no turn", "a horizontal turn alone", "a vertical turn alone", "a horizontal and a vertical turn"))

_OTHER = StepTemplate(
    "other",
    (
        "The first picture shows {one}, the second one {two}: that is not the same object.",
        "What was {one} would now be {two}; no turn does that.",
    ),
    {"one": THING, "two": THING},
)
_BOTH = StepTemplate(
    "both",
    (
        "Both pictures show {thing}; its front is {part}.",
        "It is {thing} in either picture, and {part} is its front.",
        "I see {thing} twice. Its front: {part}.",
    ),
    {"thing": THING, "part": PART},
)
_EVEN = StepTemplate(
    "even",
    (
        "Both pictures show {thing}, longer one way than the other; half a turn about its own upright axis changes nothing of its look.",
        "It is {thing} in either picture. Its two long ends are alike: half a turn about its own upright axis is not seen.",
    ),
    {"thing": THING},
)
_SEEN = StepTemplate(
    "seen",
    (
        "In the {nth} picture its {side} points {first}, its top {second}.",
        "The {nth} picture: {side} {first}; top {second}.",
        "Seen in the {nth} picture, the {side} is directed {first}, and the top {second}.",
    ),
    _PAIR | {"nth": "first|second", "side": _SIDE},
)
_STANDS = {0: "the same side", 90: "the right side", 180: "the opposite side", 270: "the left side"}
"""From where the second picture is seen, by how far the viewer has walked."""
_BEARINGS = {-45: "near left", 45: "near right", -135: "far left", 135: "far right"}
_POSTED = one_of(("nowhere", *_BEARINGS.values(), *(f"{a} and {b}" for a in _BEARINGS.values() for b in _BEARINGS.values())))
_STOOD = one_of(_STANDS.values())
_POSTS = StepTemplate(
    "posts",
    (
        "What tells the posts apart stands {first} in the first picture and {second} in the second, so the second picture is seen from {sides}.",
        "The post or the posts that show where the viewer is: {first} at first, then {second}; that makes the second picture a view from {sides}.",
    ),
    {"first": _POSTED, "second": _POSTED, "sides": rf"(?:{_STOOD})(?: or (?:{_STOOD}))*"},
)
_UNDONE = StepTemplate(
    "undone",
    (
        "Seen from where the first picture is seen, its {side} would then point {first}, its top {second}.",
        "From the side of the first picture that is: {side} {first}; top {second}.",
    ),
    _PAIR | {"side": _SIDE},
)
_SIDES = StepTemplate(
    "sides",
    (
        "A vertical turn moves nothing right or left, so the horizontal one alone must make the {side} point {first} and the top {second}.",
        "Only the horizontal turn changes what is right and left; after it the {side} has to point {first} and the top {second}.",
    ),
    {"side": _SIDE, "first": _ASIDE, "second": _ASIDE},
)
_CHOICES = StepTemplate(
    "choices",
    (
        "That is so after a horizontal turn of {angles} degrees.",
        "Horizontal turns that do so: {angles} degrees.",
    ),
    {"angles": rf"{NUMBER}(?: or {NUMBER})*"},
)
_AFTER = StepTemplate(
    "after",
    (
        "Turned horizontally by {angle} degrees, its {side} points {first} and its top {second}.",
        "After {angle} degrees horizontally the {side} is directed {first}, the top {second}.",
    ),
    _PAIR | {"angle": NUMBER, "side": _SIDE},
)
_FAILS = StepTemplate(
    "fails",
    (
        "From there no vertical turn leads to the second picture.",
        "No vertical turn makes the second picture of that.",
    ),
)
_LEADS = StepTemplate(
    "leads",
    (
        "A vertical turn of {angle} degrees then brings the {side} {first} and the top {second}, as in the second picture.",
        "Then {angle} degrees vertically make the {side} point {first} and the top {second}: the second picture.",
    ),
    _PAIR | {"angle": NUMBER, "side": _SIDE},
)
_FIT = StepTemplate(
    "fit",
    (
        "Turns after which it looks as in the second picture: {turns}.",
        "What leads to the look of the second picture: {turns}.",
    ),
    {"turns": rf"{NUMBER} horizontally and {NUMBER} vertically(?:, or {NUMBER} horizontally and {NUMBER} vertically)*"},
)
_KINDS = StepTemplate(
    "kinds",
    ("Such a turn is {kind}.", "That is called {kind}.", "It comes down to {kind}."),
    {"kind": _KIND},
)
_UNSURE = StepTemplate(
    "unsure",
    ("They are not of one kind, so which axes it was cannot be told.", "Since these differ in kind, the axes stay open."),
)
_CANNOT = StepTemplate(
    "cannot",
    ("So the turn cannot be told.", "Therefore nothing is known of a turn."),
)


def _kind(horizontal: int, vertical: int) -> str:
    if horizontal and vertical:
        return "a horizontal and a vertical turn"
    return "a horizontal turn alone" if horizontal else "a vertical turn alone" if vertical else "no turn"


def _pointing(two: Two) -> dict[str, object]:
    return {"first": direction(two[0]), "second": direction(two[1])}


def _matches(a: Two, b: Two) -> bool:
    return all(abs(x - y) < 1e-3 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


Move = Callable[[Two, int], Two]
"""Where two sides point after a turn by so many degrees."""


def _steps(start: Two, end: Two, horizontally: Move, vertically: Move) -> tuple[list[Due], tuple[int, int]]:
    """From what is seen from one side in both pictures to the one turn; of an object that looks like itself in no other way."""
    side = {"side": "front"}
    choices = [angle for angle in QUARTERS if all(abs(p[0] - q[0]) < 1e-3 for p, q in zip(horizontally(start, angle), end, strict=True))]
    steps: list[Due] = [
        (_SIDES, side | {"first": aside(end[0]), "second": aside(end[1])}),
        (_CHOICES, {"angles": " or ".join(map(str, choices))}),
    ]
    turns: list[tuple[int, int]] = []
    for horizontal in choices:
        between = horizontally(start, horizontal)
        steps.append((_AFTER, {"angle": horizontal} | side | _pointing(between)))
        fitting = [vertical for vertical in QUARTERS if _matches(vertically(between, vertical), end)]
        turns += [(horizontal, vertical) for vertical in fitting]
        steps += [(_LEADS, {"angle": vertical} | side | _pointing(end)) for vertical in fitting] or [(_FAILS, {})]
    (only,) = turns
    return steps, only


def _left_open(fitting: Sequence[tuple[int, int]]) -> list[Due]:
    """The same where several turns fit: these, and what they have in common."""
    turns = ", or ".join(f"{a} horizontally and {b} vertically" for a, b in fitting)
    kinds = {_kind(*turn) for turn in fitting}
    return [(_FIT, {"turns": turns}), (_KINDS, {"kind": kinds.pop()}) if len(kinds) == 1 else (_UNSURE, {})]


def _named(bearings: Sequence[int]) -> str:
    return " and ".join(name for bearing, name in _BEARINGS.items() if bearing in bearings) or "nowhere"


def _seen(scene: Turned, start: Two, end: Two, side: str) -> list[Due]:
    """What both pictures show, and from where the second one is seen; `end`: as seen from where the first one is."""
    walked = scene.walked % 360
    shown = _by_matrix("y", -1)(end, walked)
    posts = {round(azimuth(solid.pose.at)): solid.colour for solid in scene.stages[0].solids if solid.name == image_pairs.POST}
    colours = list(posts.values())
    telling = {360: min(colours, key=colours.count), 180: posts[-45], 90: ""}[scene.posts]
    first = [bearing for bearing, colour in posts.items() if colour == telling]
    stands = {"first": _named(first), "second": _named([round(wrapped(bearing - walked)) for bearing in first])}
    sides = sorted((walked + by) % 360 for by in range(0, 360, scene.posts))
    steps: list[Due] = [
        (_SEEN, {"nth": "first", "side": side} | _pointing(start)),
        (_SEEN, {"nth": "second", "side": side} | _pointing(shown)),
        (_POSTS, stands | {"sides": " or ".join(_STANDS[by] for by in sides)}),
    ]
    return [*steps, (_UNDONE, {"side": side} | _pointing(end))] if scene.posts == 360 and walked else steps


def _opening(things: tuple[CatalogObject, CatalogObject], *, other: bool) -> list[Due]:
    first, second = things
    if other:
        return [(_OTHER, {"one": article(first.category), "two": article(second.category)}), (_CANNOT, {})]
    thing = {"thing": article(first.category)}
    return [(_EVEN, thing)] if first.turns else [(_BOTH, thing | {"part": part(first)})]


def chain(scene: Turned, fitting: Sequence[tuple[int, int]], key: Answer, phrasing: int) -> str:
    """The chain of a pair of pictures; `fitting` are all turns after which the object looks as in the second one."""
    first, second = (image_pairs.shown(picture) for picture in scene.stages)
    one, two = (object_catalog.of(solid.form) for solid in (first, second))
    assert one is not None
    assert two is not None
    steps = _opening((one, two), other=scene.other)
    if not scene.other:
        start, end = ((own_left(body.pose) if one.turns else front(body.pose), up(body.pose)) for body in (first, second))
        steps += _seen(scene, start, end, "long end" if one.turns else "front")
        if one.turns or scene.posts != 360:
            steps += _left_open(fitting)
        else:
            more, turned = _steps(start, end, _by_matrix("y", -1), _by_matrix("x", 1))
            steps += [*more, (_KINDS, {"kind": _kind(*turned)})] if scene.level == "coarse" else more
    return render_chain(steps, key, phrasing)


def _by_matrix(axis: str, sense: int) -> Move:
    def move(two: Two, angle: int) -> Two:
        matrix = turn(axis, sense * angle)
        return apply(matrix, two[0]), apply(matrix, two[1])

    return move


# ---- the verifier ------------------------------------------------------------------------------------------------------

_ALL = (_OTHER, _BOTH, _EVEN, _SEEN, _POSTS, _UNDONE, _SIDES, _CHOICES, _AFTER, _FAILS, _LEADS, _FIT, _KINDS, _UNSURE, _CANNOT)
_MEANT: dict[str, Vector] = {
    "right": (1.0, 0.0, 0.0), "left": (-1.0, 0.0, 0.0), "up": (0.0, 1.0, 0.0), "down": (0.0, -1.0, 0.0),
    "towards the viewer": (0.0, 0.0, 1.0), "away from the viewer": (0.0, 0.0, -1.0),
}  # fmt: skip
_SHARES = {"straight": 1.0, "mainly": 0.866, "half": 0.707, "partly": 0.5}
_SLACK = 2e-3


def _meant(words: str) -> Vector:
    """The direction that words name."""
    x = y = z = 0.0
    for piece in words.split(", "):
        share, _, name = piece.partition(" ")
        (u, v, w), much = _MEANT[name], _SHARES[share]
        x, y, z = x + much * u, y + much * v, z + much * w
    return x, y, z


def _near(a: Sequence[float], b: Sequence[float]) -> bool:
    return all(abs(p - q) < _SLACK for p, q in zip(a, b, strict=True))


def _shows(step: Step, marks: Landmarks, side: int) -> bool:
    """Whether the directions that a step tells are those of landmarks; `side`: 0 for the front, 2 for the own left."""
    named = step["side"] == ("front" if side == 0 else "long end")
    return named and _near(_meant(step["first"]), marks[side]) and _near(_meant(step["second"]), marks[1])


def replay(pictures: tuple[Scene3D, ...], read: str, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain; `read` is the option that the pictures give by themselves."""
    steps, faults = parse_chain(text, _ALL, key)
    if read != key.balance_bin():
        faults.append(f"the pictures say {read!r}")
    if faults:
        return faults
    one, two = (object_catalog.of(image_pairs.shown(picture).form) for picture in pictures)
    assert one is not None
    assert two is not None
    names = [step.statement for step in steps]
    if not image_pairs.same_object(tuple(pictures)):
        fits = names == ["other", "cannot"] and (steps[0]["one"], steps[0]["two"]) == (article(one.category), article(two.category))
        return [] if fits else ["it does not tell what either picture shows"]
    if not names or names[0] != ("even" if one.turns else "both") or steps[0]["thing"] != article(one.category):
        return ["it does not begin with what both pictures show"]
    if not one.turns and steps[0]["part"] != part(one):
        return [f"{steps[0].line!r}: the front is {part(one)}"]
    start, shown = (image_pairs.landmarks(picture) for picture in pictures)
    if names[1:4] != ["seen", "seen", "posts"] or (steps[1]["nth"], steps[2]["nth"]) != ("first", "second"):
        return ["it does not tell what is seen in the first picture and in the second, and from where"]
    side = 2 if one.turns else 0
    wrong = [step for step, marks in ((steps[1], start), (steps[2], shown)) if not _shows(step, marks, side)]
    if wrong:
        return [f"{step.line!r} is not what the picture shows" for step in wrong]
    sides = image_pairs.sides(pictures)
    first, second = _telling(pictures)
    if dict(steps[3].values) != {"first": first, "second": second, "sides": " or ".join(_STANDS[by] for by in sides)}:
        return [f"{steps[3].line!r} is not what the posts show"]
    ends = [image_pairs.from_first(pictures, by) for by in sides]
    rest = steps[4:]
    if len(sides) == 1 and sides != [0]:
        if not rest or rest[0].statement != "undone" or not _shows(rest[0], ends[0], side):
            return ["it does not tell how the second picture would look from where the first one is seen"]
        rest = rest[1:]
    if one.turns or len(sides) > 1:
        return _replay_open(rest, image_pairs.spun(pictures[0], 90), ends)
    return _replay_turns(rest, start, ends[0], kinds="horizontally, then" not in key.balance_bin())


def _telling(pictures: tuple[Scene3D, ...]) -> tuple[str, str]:
    """Where the post stands that differs from all others, or those that are like the one at the near left, in both pictures."""
    one, two = (image_pairs.spots(picture) for picture in pictures)
    kinds = [post for post in one.values() if list(one.values()).count(post) < len(one) - 1]
    if not kinds:
        return "nowhere", "nowhere"
    telling = kinds[0] if len(kinds) == 1 else one[-45]
    first, second = (_named([round(bearing) for bearing, post in spots.items() if post == telling]) for spots in (one, two))
    return first, second


def _horizontally(marks: Landmarks, angle: int) -> Landmarks:
    return image_pairs.about((0.0, 1.0, 0.0), -angle, marks)


def _vertically(marks: Landmarks, angle: int) -> Landmarks:
    return image_pairs.about((1.0, 0.0, 0.0), angle, marks)


def _replay_turns(steps: Sequence[Step], start: Landmarks, end: Landmarks, *, kinds: bool) -> list[str]:
    """Of an object with a front: the steps after what is seen."""
    choices = [angle for angle in QUARTERS if all(abs(_horizontally(start, angle)[k][0] - end[k][0]) < _SLACK for k in (0, 1))]
    due = ["sides", "choices", *["after", ""] * len(choices), *["kinds"] * kinds]
    if len(steps) != len(due) or any(name and step.statement != name for step, name in zip(steps, due, strict=True)):
        return ["its steps are not: what the horizontal turn has to do, which ones do it, and what a vertical one then does"]
    sides, named = steps[0], steps[1]
    faults: list[str] = []
    asides = [_meant(sides[mark])[0] if sides[mark][:7] != "neither" else 0.0 for mark in ("first", "second")]
    if sides["side"] != "front" or not _near(asides, (end[0][0], end[1][0])):
        faults.append(f"{sides.line!r}: in the second picture it is otherwise")
    if [int(angle) for angle in named["angles"].split(" or ")] != choices:
        faults.append(f"{named.line!r}: it is {choices}")
    turned: list[tuple[int, int]] = []
    for place, horizontal in enumerate(choices):
        after, then = steps[2 + 2 * place : 4 + 2 * place]
        between = _horizontally(start, horizontal)
        if after.number("angle") != horizontal or not _shows(after, between, 0):
            faults.append(f"{after.line!r} does not hold")
        fitting = [vertical for vertical in QUARTERS if image_pairs.same(_vertically(between, vertical), end)]
        if then.statement != ("leads" if fitting else "fails"):
            faults.append(f"{then.line!r} does not hold")
        elif fitting and not (then.number("angle") == fitting[0] and _shows(then, end, 0)):
            faults.append(f"{then.line!r}: it takes {fitting[0]} degrees")
        turned += [(horizontal, vertical) for vertical in fitting]
    if kinds and (len(turned) != 1 or steps[-1]["kind"] != _kind(*turned[0])):
        faults.append(f"{steps[-1].line!r} does not follow")
    return faults


def _replay_open(steps: Sequence[Step], starts: Sequence[Landmarks], ends: Sequence[Landmarks]) -> list[str]:
    """The same where the object or the posts leave sides open, by all places of the landmarks that would look so."""
    pairs = [(start, end) for start in starts for end in ends]
    turns = [
        (a, b)
        for a in QUARTERS
        for b in QUARTERS
        if any(image_pairs.same(_vertically(_horizontally(marks, a), b), end) for marks, end in pairs)
    ]
    kinds = {_kind(*turn) for turn in turns}
    if [step.statement for step in steps] != ["fit", "kinds" if len(kinds) == 1 else "unsure"]:
        return ["its steps are not: which turns fit, and whether they are of one kind"]
    faults: list[str] = []
    if steps[0]["turns"] != ", or ".join(f"{a} horizontally and {b} vertically" for a, b in turns):
        faults.append(f"{steps[0].line!r}: it is {turns}")
    if len(kinds) == 1 and steps[1]["kind"] not in kinds:
        faults.append(f"{steps[1].line!r} does not follow")
    return faults
