"""How was an object turned between two pictures, about one axis or about two after each other?

The object hangs in the air and lies any way up in both pictures, so that neither tells the answer without the other. An
object that looks the same after half a turn can show several of the sixteen turns at once; the key goes by all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import product

from isovist.core.rotation import Matrix, after, cosine, sine, turn
from isovist.core.solid import Stage, rotation
from isovist.core.task import Plan, Question, Reject
from isovist.kits import objects
from isovist.kits.chains import phrasing
from isovist.kits.objects import Thing
from isovist.suites.dori import pair, reasoning_turns
from isovist.suites.dori.frame import UNKNOWN, Scene, dori, in_a_mirror, question
from isovist.suites.dori.pair import Turned

QUARTERS = (0, 90, 180, 270)
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
EVEN_SHARE = 0.28
"""How often an object that looks the same after half a turn stands in for one that does not; an unturned one never can."""
OTHER_SHARE, OTHER_EVEN_SHARE = 0.8, 0.1
"""Of the items whose answer is unknown: how often the second picture shows another object, and how often both are such objects then.
With the others it makes the same share of such objects as there is among the items with other answers.
"""
_STARTS = 40  # tried for an object
UNEVEN = ("table", "table tennis table", "basket", "bowl")
"""The categories that look the same after half a turn, but not upside down."""

_TASK = "The two pictures show an object before (first picture) and after (second picture) it was turned. Find out {}."
_CONCEPT = (
    "A horizontal turn is about the upright axis through the middle of the object, as a dancer spins; it is clockwise seen from "
    "above, so that 90 degrees bring what is nearest to the viewer to the left. A vertical turn is about the axis that runs through "
    "its middle from left to right in the picture, as a wheel rolls towards the viewer; 90 degrees bring the top to the viewer. "
    "Both axes stay as they are while the object turns. If there are both turns, the horizontal one comes first. Each is of 0, 90, "
    "180 or 270 degrees. The object hangs in the air; the viewer looks a little down on it, from the same side in both pictures. "
    "Light and distance may differ."
)
_UNKNOWN = (
    " Where the object looks the same from several sides so that more than one of the first four answers is possible, or where the "
    "second picture shows another object, the turn cannot be determined."
)
_STEPS = (
    "Find parts of the object that tell its sides apart: its front, top and left.",
    "See which way each of them points in the first picture, and in the second.",
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


def possible(thing: Thing, start: Matrix, angles: tuple[int, int]) -> list[tuple[int, int]]:
    """All turns from a start that end looking as this one does."""
    end = after(start, turning(*angles))
    return [other for other in TURNS if pair.like(thing, after(start, turning(*other)), end)]


def told(thing: Thing, start: Matrix, angles: tuple[int, int]) -> int:
    """The place in `KINDS` of what two pictures of an object tell."""
    kinds = {kind(*other) for other in possible(thing, start, angles)}
    return kinds.pop() if len(kinds) == 1 else len(KINDS) - 1


def even() -> tuple[tuple[Thing, ...], ...]:
    """The objects that look the same after half a turn about their upright axis, and only then."""
    return pair.even(lambda thing: thing.turns == 180 and thing.category in UNEVEN)


def _sample(plan: Plan) -> Turned:
    rng, granular = plan.picture, plan.level == "granular"
    unknown = not granular and plan.cell == len(KINDS) - 1
    other = unknown and rng.chance(OTHER_SHARE)
    if granular or plan.cell == 0:
        halves = 0.0
    elif unknown:
        halves = OTHER_EVEN_SHARE if other else 1.0
    else:
        halves = EVEN_SHARE
    groups = even() if rng.chance(halves) else pair.telling(upright=False)
    thing = objects.pick(rng, groups)
    second = pair.another(rng, thing, groups) if other else thing
    for _ in range(_STARTS):
        start = after(turn("y", rng.pick(pair.OBLIQUE)), rng.pick(tumbles()))
        angles = TURNS[plan.cell] if granular else rng.pick([t for t in TURNS if unknown or kind(*t) == plan.cell])
        if granular or other or told(thing, start, angles) == plan.cell:
            break
    else:
        raise Reject
    ends = start, after(start, turning(*angles))
    made = pair.stages(rng, (thing, second), ends, ground=False)
    return Turned(plan.level, "alone", (0, 0), (thing.category, second.category), (thing.broad, second.broad), made, angles, other)


def _ask(scene: Scene) -> Question:
    assert isinstance(scene, Turned)
    horizontal, vertical = scene.angles
    if scene.level == "granular":
        return _question(FINE, TURNS.index((horizontal, vertical)))
    solid = pair.shown(scene.stages[0])
    thing = objects.of(solid.form)
    assert thing is not None
    return _question(KINDS, len(KINDS) - 1 if scene.other else told(thing, rotation(solid.pose), (horizontal, vertical)))


def _question(options: tuple[str, ...], truth: int) -> Question:
    fine = options == FINE
    task = _TASK.format("by which angles" if fine else "about which axes")
    example = _EXAMPLE.format(FINE[TURNS.index((90, 90))] if fine else "horizontally and vertically")
    return question(task, _CONCEPT + ("" if fine else _UNKNOWN), _STEPS, example, options, truth)


def _read(pictures: tuple[Stage, ...], words: str) -> str:
    """By turning landmarks: vertically first, then about what the vertical turn made of the upright axis, which is the same."""
    fine = FINE[0] in words
    if not pair.same_object(pictures):
        return UNKNOWN
    starts, end = pair.spun(pictures[0], 90), pair.landmarks(pictures[1])
    found: set[str] = set()
    for place, (horizontal, vertical) in enumerate(TURNS):
        tipped = 0.0, cosine(vertical), sine(vertical)
        for start in starts:
            if pair.same(pair.about(tipped, -horizontal, pair.about((1.0, 0.0, 0.0), vertical, start)), end):
                found.add(FINE[place] if fine else KINDS[kind(horizontal, vertical)])
    assert found, "no turn leads from the first picture to the second"
    return found.pop() if len(found) == 1 else UNKNOWN


def _explain(scene: Scene) -> str:
    assert isinstance(scene, Turned)
    solid = pair.shown(scene.stages[0])
    thing = objects.of(solid.form)
    assert thing is not None
    fitting = possible(thing, rotation(solid.pose), (scene.angles[0], scene.angles[1])) if thing.turns else []
    return reasoning_turns.chain(scene, fitting, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    question = _ask(scene)
    found = _read(scene.stages, f"{question.text}\n{question.answer.listing()}")
    return reasoning_turns.replay(scene.stages, found, question.answer, text)


def _looks_swapped(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Distance and light of the pictures exchanged: the same answer."""
    assert isinstance(scene, Turned)
    return pair.cameras_swapped(scene), str


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """A horizontal turn goes the other way, a vertical one stays."""
    assert isinstance(scene, Turned)
    horizontal, vertical = scene.angles
    new = {FINE[TURNS.index((a, b))]: FINE[TURNS.index((-a % 360, b))] for a, b in TURNS}
    return replace(in_a_mirror(scene), angles=(-horizontal % 360, vertical)), lambda told: new.get(told, told)


TASK = dori(
    "compound-rotation",
    "Tell how an object was turned between two pictures, about one axis or about two after each other.",
    _sample,
    _ask,
    _read,
    explain=_explain,
    replay=_replay,
    cells=(len(KINDS), len(FINE)),
    symmetries=(_looks_swapped, _in_a_mirror),
)
