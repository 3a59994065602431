"""Was an object turned on the floor between two pictures, and by how much?

The pictures look from the same side; the floor tells so. An object that looks the same after half a turn may have been turned
where it looks the same: then nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isovist.core.rotation import azimuth, turn, wrapped
from isovist.core.solid import Stage
from isovist.core.task import Plan, Question
from isovist.kits import objects
from isovist.kits.objects import Thing
from isovist.suites.dori import pair
from isovist.suites.dori.frame import UNKNOWN, Scene, dori, in_a_mirror, question
from isovist.suites.dori.pair import Turned

COARSE = ("It was turned", "It was not turned", UNKNOWN)
QUARTERS = (0, 90, 180, 270)
FINE = (*(f"{angle} degrees clockwise" for angle in QUARTERS), UNKNOWN)
LEAST = 60
"""Degrees by which an object was turned, at least, from every turn after which it looks the same."""
OTHER_SHARE = 0.7
"""Of the items whose answer is unknown: the second picture shows another object."""
OTHER_EVEN_SHARE = 0.1
"""Of these: both objects look the same after part of a turn."""
EVEN_SHARE = 0.3
"""How often an object that looks the same after part of a turn was turned to look different, coarse level."""

_TASK = "The two pictures show an object on a floor, before (first picture) and after (second picture). Find out {}."
_CONCEPT = (
    "The object may have been turned about its upright axis, as on a turntable. Clockwise means seen from above: what is nearest to the "
    "viewer moves to the left. The viewer looks from the same side in both pictures; the floor stays as it is. Light and distance may "
    "differ, and do not count as a turn. Where the object looks the same from several sides so that several answers are possible, or "
    "where the second picture shows another object, it cannot be determined."
)
_STEPS = (
    "Find parts of the object that tell its sides apart, such as its front.",
    "See which way they point in the first picture.",
    "See which way they point in the second picture.",
    "Compare, and choose the option that fits.",
)
_EXAMPLES = (
    "A chair that faces the viewer in the first picture and the left in the second was turned.",
    "A chair that faces the viewer in the first picture and the left in the second was turned by 90 degrees clockwise.",
)


def possible(thing: Thing, angle: int, angles: tuple[int, ...]) -> list[int]:
    """Those of some turns after which the object looks as it does after this one."""
    return [other for other in angles if pair.like(thing, turn("y", -angle), turn("y", -other))]


def told(thing: Thing, angle: int, *, fine: bool) -> str:
    """What two pictures of an object tell, that was turned by so many degrees clockwise."""
    if fine:
        fitting = possible(thing, angle, QUARTERS)
        return FINE[QUARTERS.index(fitting[0])] if len(fitting) == 1 else UNKNOWN
    fitting = possible(thing, angle, tuple(range(360)))
    if 0 not in fitting:
        return COARSE[0]
    return COARSE[1] if len(fitting) == 1 else UNKNOWN


def _angle(plan: Plan, thing: Thing, start: int) -> int:
    """Degrees clockwise, so that the answer is that of the plan's cell, or, where it is unknown, any."""
    rng, last = plan.picture, len(FINE if plan.level == "granular" else COARSE) - 1
    if plan.level == "granular":
        return rng.pick(QUARTERS) if plan.cell == last else QUARTERS[plan.cell]
    if plan.cell == 1:
        return 0
    every = thing.turns or 360
    if plan.cell == last:  # where it looks the same; a round one does so everywhere
        return rng.pick(range(0, 360, pair.STEP if thing.turns == 1 else every))
    apart = [end for end in pair.OBLIQUE if min((start - end) % every, (end - start) % every) >= min(LEAST, every / 2)]
    return (start - rng.pick(apart)) % 360


def _sample(plan: Plan) -> Turned:
    rng, granular = plan.picture, plan.level == "granular"
    clear, even = pair.telling(upright=True), pair.even(lambda thing: True)
    start = rng.pick(pair.OBLIQUE)
    unknown = plan.cell == len(FINE if granular else COARSE) - 1
    other = unknown and rng.chance(OTHER_SHARE)
    turned_even = pair.even(lambda thing: thing.turns > 2 * LEAST and pair.oblong(thing))  # others look much the same in all oblique views
    if other:
        groups = even if rng.chance(OTHER_EVEN_SHARE) else clear
        thing = objects.pick(rng, groups)
        shown, angle = pair.another(rng, thing, groups), rng.pick(QUARTERS)
    else:
        different = not granular and plan.cell == 0 and rng.chance(EVEN_SHARE)
        thing = shown = objects.pick(rng, even if unknown else turned_even if different else clear)
        angle = _angle(plan, thing, start)
    made = pair.stages(rng, (thing, shown), (turn("y", start), turn("y", start - angle)), ground=True)
    return Turned(plan.level, "alone", (0, 0), (thing.category, shown.category), (thing.broad, shown.broad), made, (angle,), other)


def _ask(scene: Scene) -> Question:
    assert isinstance(scene, Turned)
    thing, fine = objects.of(scene.stages[0].solids[0].form), scene.level == "granular"
    assert thing is not None
    key = UNKNOWN if scene.other else told(thing, scene.angles[0], fine=fine)
    options = FINE if fine else COARSE
    task = _TASK.format("by how many degrees it was turned" if fine else "whether it was turned")
    return question(task, _CONCEPT, _STEPS, _EXAMPLES[fine], options, options.index(key))


def _read(pictures: tuple[Stage, ...], words: str) -> str:
    """From the bearings of the front: all that the object would look the same with, before, against the one after."""
    if not pair.same_object(pictures):
        return UNKNOWN
    fine = FINE[0] in words
    after = azimuth(pair.landmarks(pictures[1])[0])
    turns = {round(wrapped(azimuth(marks[0]) - after)) % 360 for marks in pair.spun(pictures[0], pair.STEP)}
    found = {FINE[QUARTERS.index(a)] for a in turns if a in QUARTERS} if fine else {COARSE[a == 0] for a in turns}
    # one that was turned to look different was turned, however far
    return found.pop() if len(found) == 1 else UNKNOWN


def _backwards(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The pictures exchanged: turned as far the other way."""
    assert isinstance(scene, Turned)
    moved = replace(
        scene, stages=scene.stages[::-1], categories=scene.categories[::-1], broad=scene.broad[::-1], angles=(-scene.angles[0] % 360,)
    )
    other_way = {FINE[1]: FINE[3], FINE[3]: FINE[1]}
    return moved, lambda key: other_way.get(key, key)


def _looks_swapped(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Distance and light of the pictures exchanged: the same answer."""
    assert isinstance(scene, Turned)
    return pair.cameras_swapped(scene), str


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """A quarter turn goes the other way."""
    assert isinstance(scene, Turned)
    return replace(in_a_mirror(scene), angles=(-scene.angles[0] % 360,)), _backwards(scene)[1]


TASK = dori(
    "viewer-scene-direction",
    "Tell whether an object was turned on the floor between two pictures, and by how much.",
    _sample,
    _ask,
    _read,
    cells=(len(COARSE), len(FINE)),
    symmetries=(_backwards, _looks_swapped, _in_a_mirror),
)
