"""How was an object turned between two pictures, about one axis or about two after each other?

The object hangs in the air over four posts and lies any way up in both pictures, so that neither tells the answer without the other.
The viewer may have walked around it, which the posts tell. An object that looks the same after half a turn, or posts that leave two
or four sides open, can show several of the sixteen turns at once; the key goes by all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import product

from isovist.core.answers import LETTERS
from isovist.core.rotation import Matrix, after, cosine, sine, turn
from isovist.core.scene3d import Scene3D, rotation
from isovist.core.task import Question, RejectSample, SamplingContext, Shortcut, renamed
from isovist.reasoning.templates import phrasing
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.suites.dori import cot_rotation, image_pairs
from isovist.suites.dori.image_pairs import QUARTERS, Posts, Turned
from isovist.suites.dori.shortcuts import known, unknown
from isovist.suites.dori.task_factory import UNKNOWN, dori, question

TURNS = tuple(product(QUARTERS, QUARTERS))
"""Degrees horizontally, then vertically."""
KINDS = (
    "It was not turned",
    "It was turned horizontally only",
    "It was turned vertically only",
    "It was turned horizontally and vertically",
    UNKNOWN,
)
FINE = tuple(f"{a} degrees horizontally, then {b} degrees vertically" for a, b in TURNS)
EVEN_SHARE = 0.15
"""How often an object that looks the same after half a turn stands in for one that does not; an unturned one never can."""
OTHER_SHARE, ALIKE_SHARE = 0.1, 0.2
"""Of the items whose answer is unknown: the second picture shows another object; the object looks the same after half a turn. In the
others the posts do not tell.
"""
OPEN_SHARE = 0.4
"""How often posts that leave sides open are tried where the answer is known for all that, coarse level."""
STAYED_SHARE = 0.5
"""How often the viewer has stayed, granular level; at the coarse level each quarter of the way comes equally often."""
_STARTS = 40  # tried for an object
UNEVEN = ("table", "table tennis table", "basket", "bowl")
"""The categories that look the same after half a turn, but not upside down."""

_TASK = "The two pictures show an object before (first picture) and after (second picture) it was turned. Find out {}."
_CONCEPT = (
    "A horizontal turn is about the upright axis through the middle of the object, as a dancer spins; it is clockwise seen from "
    "above, so that 90 degrees bring what is nearest to the viewer to the left. A vertical turn is about the axis that runs through "
    "its middle from left to right in the first picture, as a wheel rolls towards the viewer; 90 degrees bring the top to the viewer. "
    "Both axes stay as they are while the object turns. If there are both turns, the horizontal one comes first. Each is of 0, 90, "
    "180 or 270 degrees. The object hangs in the air over four posts, which stay where they are; the viewer looks a little down on it. "
    "Between the pictures the viewer may have walked a quarter, half or three quarters of the way around, which the posts tell. That is no "
    "turn of the object. Light and distance may differ, too."
)
_UNKNOWN = (
    " Where the object looks the same from several sides, or the posts leave open from where the second picture is seen, so that more than "
    "one of the first four answers is possible, or where the second picture shows another object, the turn cannot be determined."
)
_STEPS = (
    "Find parts of the object that tell its sides apart: its front, top and left.",
    "See which way each of them points in the first picture, and in the second.",
    "Find out by the posts from where the second picture is seen, and think of it as seen from where the first one is.",
    "Imagine the horizontal turn, and then the vertical one.",
    "Choose the option that brings every part where the second picture shows it.",
)
_EXAMPLE = "A chair that faces the viewer and then, in the second picture, points its seat's front to the left and its top to the viewer was turned {}."


def kind(horizontal: int, vertical: int) -> int:
    """The place of a turn in `KINDS`."""
    return (horizontal > 0) + 2 * (vertical > 0)


@lru_cache(maxsize=16)
def turning(horizontal: int, vertical: int) -> Matrix:
    """The rotation of both turns, about axes of the world."""
    return after(turn("y", -horizontal), turn("x", vertical))


@lru_cache(maxsize=1)
def tumbles() -> tuple[Matrix, ...]:
    """The 24 ways in which a cube can lie: six faces on top, four turns of each."""
    tops = [turn("x", angle) for angle in QUARTERS] + [turn("z", angle) for angle in (90, 270)]
    return tuple(after(top, turn("y", angle)) for top in tops for angle in QUARTERS)


def possible(thing: CatalogObject, start: Matrix, angles: tuple[int, int], posts: Posts = 360) -> list[tuple[int, int]]:
    """All turns from a start that end looking as this one does, from any side that looks the same."""
    end = after(start, turning(*angles))
    ends = [after(end, turn("y", side)) for side in range(0, 360, posts)]
    return [other for other in TURNS if any(image_pairs.like(thing, after(start, turning(*other)), end_pose) for end_pose in ends)]


def key_of(thing: CatalogObject, start: Matrix, angles: tuple[int, int], posts: Posts = 360) -> int:
    """The place in `KINDS` of what two pictures of an object tell."""
    kinds = {kind(*other) for other in possible(thing, start, angles, posts)}
    return kinds.pop() if len(kinds) == 1 else len(KINDS) - 1


def even() -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects that look the same after half a turn about their upright axis, and only then."""
    return image_pairs.even(lambda thing: thing.turns == 180 and thing.category in UNEVEN)


def _sample(plan: SamplingContext) -> Turned:
    rng, granular = plan.image_rng, plan.level == "granular"
    is_unknown = not granular and plan.stratum == len(KINDS) - 1
    drawn = rng.random()
    other = is_unknown and drawn < OTHER_SHARE
    alike = is_unknown and not other and drawn < OTHER_SHARE + ALIKE_SHARE
    if is_unknown:
        open_posts = not other and not alike
    else:
        alike = not granular and plan.stratum > 0 and rng.chance(EVEN_SHARE)
        open_posts = not granular and plan.stratum > 0 and rng.chance(OPEN_SHARE)
    thing = object_catalog.pick(rng, even() if alike else image_pairs.telling(upright=False))
    second = image_pairs.another(rng, thing, image_pairs.telling(upright=False)) if other else thing
    for attempt in range(_STARTS):
        start = after(turn("y", rng.pick(image_pairs.OBLIQUE)), rng.pick(tumbles()))
        angles = TURNS[plan.stratum] if granular else rng.pick([t for t in TURNS if is_unknown or kind(*t) == plan.stratum])
        tried = open_posts and (is_unknown or attempt < _STARTS // 2)  # of some kinds few turns are known then
        posts: Posts = rng.pick((180, 90)) if tried else 360
        if granular or other or key_of(thing, start, angles, posts) == plan.stratum:
            break
    else:
        raise RejectSample
    walked = 0 if granular and rng.chance(STAYED_SHARE) else rng.pick(QUARTERS[1:] if granular else QUARTERS)
    ends = start, after(start, turning(*angles))
    return image_pairs.turned_scene(plan, (thing, second), ends, angles, ground=False, posts=posts, walked=walked)


def _ask(scene: Turned) -> Question:
    horizontal, vertical = scene.angles_deg
    if scene.level == "granular":
        return _question(FINE, TURNS.index((horizontal, vertical)))
    start, thing = rotation(image_pairs.shown(scene.scenes3d[0]).pose), image_pairs.thing_in(scene.scenes3d[0])
    return _question(KINDS, len(KINDS) - 1 if scene.is_other_object else key_of(thing, start, (horizontal, vertical), scene.posts))


def _question(options: tuple[str, ...], truth: int) -> Question:
    fine = options == FINE
    task = _TASK.format("by which angles" if fine else "about which axes")
    example = _EXAMPLE.format(FINE[TURNS.index((90, 90))] if fine else "horizontally and vertically")
    return question(task, _CONCEPT + ("" if fine else _UNKNOWN), _STEPS, example, options, truth)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By turning landmarks: vertically first, then about what the vertical turn made of the upright axis, which is the same."""
    fine = FINE[0] in words
    if not image_pairs.same_object(pictures):
        return UNKNOWN
    starts, ends = image_pairs.spun(pictures[0], 90), [image_pairs.from_first(pictures, side) for side in image_pairs.sides(pictures)]
    options: set[str] = set()
    for place, (horizontal, vertical) in enumerate(TURNS):
        tipped = 0.0, cosine(vertical), sine(vertical)
        for start in starts:
            turned = image_pairs.about(tipped, -horizontal, image_pairs.about((1.0, 0.0, 0.0), vertical, start))
            if any(image_pairs.same(turned, end) for end in ends):
                options.add(FINE[place] if fine else KINDS[kind(horizontal, vertical)])
    assert options, "no turn leads from the first picture to the second"
    return options.pop() if len(options) == 1 else UNKNOWN


def _explain(scene: Turned) -> str:
    start, thing = rotation(image_pairs.shown(scene.scenes3d[0]).pose), image_pairs.thing_in(scene.scenes3d[0])
    is_open = thing.turns or scene.posts != 360
    fitting = possible(thing, start, (scene.angles_deg[0], scene.angles_deg[1]), scene.posts) if is_open else []
    return cot_rotation.chain(scene, fitting, _ask(scene).answer, phrasing(scene))


def _replay(scene: Turned, text: str) -> list[str]:
    question = _ask(scene)
    answer = _read(scene.scenes3d, question.text_with_options)
    return cot_rotation.replay(scene.scenes3d, answer, question.answer, text)


def _in_a_mirror(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """A horizontal turn goes the other way, a vertical one stays."""
    horizontal, vertical = scene.angles_deg
    mirrored = {FINE[TURNS.index((a, b))]: FINE[TURNS.index((-a % 360, b))] for a, b in TURNS}
    return image_pairs.in_a_mirror(scene, -horizontal % 360, vertical), renamed(mirrored)


# Rules that avoid the skill ----------------------------------------------------------------------------------------


def _by_look(scene: Turned, question: Question) -> Collection[str]:
    """The same look: not turned; another object: it cannot be determined."""
    if scene.is_other_object:
        return unknown(question)
    return "A" if image_pairs.same(*map(image_pairs.landmarks, scene.scenes3d)) else set(known(question)) - {"A"}


def _by_look_and_kind(scene: Turned, question: Question) -> Collection[str]:
    return unknown(question) or known(question) if image_pairs.thing_in(scene.scenes3d[0]).turns else _by_look(scene, question)


def _by_turn_seen(scene: Turned, question: Question) -> Collection[str]:
    """How the object is turned to the camera, as if the viewer had stayed."""
    if scene.is_other_object:
        return unknown(question)
    start, seen = image_pairs.landmarks(scene.scenes3d[0]), image_pairs.landmarks(scene.scenes3d[1])
    turned = [image_pairs.about((1.0, 0.0, 0.0), v, image_pairs.about((0.0, 1.0, 0.0), -h, start)) for h, v in TURNS]
    fitting = [place for place, landmarks in enumerate(turned) if image_pairs.same(landmarks, seen)]
    if not fitting:
        return ()
    return {LETTERS[place] if scene.level == "granular" else LETTERS[kind(*TURNS[place])] for place in fitting}


def _by_tilt(scene: Turned, question: Question) -> Collection[str]:
    """Whether the top points as high as before: turned horizontally at most, or vertically in any case."""
    one, two = (image_pairs.landmarks(picture)[1][1] for picture in scene.scenes3d)
    if scene.level == "granular" or scene.is_other_object:
        return unknown(question)
    return "AB" if abs(one - two) < 1e-3 else "CD"


_SHORTCUTS = {
    "the same look: not turned; another object: it cannot be determined": Shortcut(_by_look, "turns"),
    "the same, and what looks the same after half a turn cannot be determined": Shortcut(_by_look_and_kind, "turns"),
    "how it is turned to the camera": Shortcut(_by_turn_seen, "where the viewer stands", partial=True),
    "whether its top points as high as before": Shortcut(_by_tilt, "directions", partial=True),
}


TASK = dori(
    "compound-rotation",
    "Determine the rotation of an object between two images, about one axis or two.",
    _sample,
    _ask,
    _read,
    chain_of_thought=_explain,
    verify_chain=_replay,
    strata=(len(KINDS), len(FINE)),
    attributes=image_pairs.facets,
    shortcuts=_SHORTCUTS,
    symmetries=(image_pairs.looks_swapped, _in_a_mirror),
)
