"""Was an object turned on the floor between two pictures, and by how much?

The viewer may have walked around the object meanwhile; posts on the floor tell so. The same look means no turn only if the viewer stayed,
and another look means a turn only then. Where the posts leave open from where the second picture is seen, or the object looks the
same from several sides, nobody can tell a turn apart from none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from isovist.core.rotation import azimuth, turn, wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, RejectSample, SamplingContext, Shortcut, renamed
from isovist.scenes import object_catalog
from isovist.scenes.answer_options import letters_where
from isovist.scenes.object_catalog import CatalogObject
from isovist.suites.dori import image_pairs
from isovist.suites.dori.image_pairs import QUARTERS, Posts, Turned
from isovist.suites.dori.shortcuts import known, unknown
from isovist.suites.dori.task_factory import UNKNOWN, dori, question

COARSE = ("It was turned", "It was not turned", UNKNOWN)
FINE = (*(f"{angle} degrees clockwise" for angle in QUARTERS), UNKNOWN)
LEAST = 60
"""Degrees by which an object was turned, at least, from every turn after which it looks the same."""
OTHER_SHARE, ALIKE_SHARE = 0.06, 0.2
"""Of the items whose answer is unknown: the second picture shows another object; the object looks the same after part of a turn. In the
others the posts do not tell.
"""
EVEN_SHARE = 0.12
"""How often an object that looks the same after part of a turn was turned to look different, coarse level."""
OPEN_SHARE = 0.4
"""How often posts leave sides open where the object was turned for all that, coarse level."""
_LOOKS: Mapping[int, tuple[tuple[bool, bool], ...]] = {
    0: ((False, True), (True, False), (True, True)),
    1: ((False, False), (True, True), (True, True)),
    2: ((False, False), (True, True), (True, True), (False, True), (True, False), (True, True)),
}
"""Whether the object looks another way, and whether the viewer walked, for each answer of the coarse level: equally often for all."""
_TRIES = 60

_TASK = "The two pictures show an object on a floor, before (first picture) and after (second picture). Find out {}."
_CONCEPT = (
    "The object may have been turned about its upright axis, as on a turntable. What counts is how it stands on the floor, among the four "
    "posts, which stay where they are. Clockwise means seen from above: for a viewer who stays, what is nearest moves to the left. The "
    "viewer may have walked a quarter, half or three quarters of the way around between the pictures; light and distance may differ, too. "
    "None of these is a turn of the object. Where it looks the same from several sides, or the posts do not tell from where the second "
    "picture is seen, so that several answers are possible, or where the second picture shows another object, it cannot be determined."
)
_STEPS = (
    "Find parts of the object that tell its sides apart, such as its front, and the posts they point to in the first picture.",
    "Find the same posts in the second picture: they tell where the viewer stands now.",
    "See which way the parts point among the posts in the second picture.",
    "Compare, and choose the option that fits.",
)
_EXAMPLES = (
    "A chair that faces the odd post in the first picture and the post opposite it in the second was turned, wherever the viewer stands.",
    "A chair that faces the viewer in the first picture and the left in the second was turned by 90 degrees clockwise if the viewer has stayed.",
)


def possible(thing: CatalogObject, angle: int, posts: Posts) -> set[int]:
    """All turns that show what this one shows: of an object that looks the same after a part of a turn, among posts that do."""
    spins = range(0, 360, thing.turns) if thing.turns else (0,)
    return {(angle + spin + side) % 360 for spin in spins for side in range(0, 360, posts)}


def key_of(thing: CatalogObject, angle: int, posts: Posts = 360, *, fine: bool) -> str:
    """What two pictures of an object tell, that was turned by so many degrees clockwise."""
    fitting = possible(thing, angle, posts)
    if fine:
        return FINE[QUARTERS.index(angle)] if len(fitting) == 1 else UNKNOWN
    if 0 not in fitting:
        return COARSE[0]
    return COARSE[1] if len(fitting) == 1 else UNKNOWN


def another_look(thing: CatalogObject, angle: int, walked: int) -> bool:
    """Whether the object looks another way to the camera: seen from further to the right it is as if turned clockwise."""
    return bool((angle + walked) % (thing.turns or 360))


def _turn(plan: SamplingContext, thing: CatalogObject, start: int, open_posts: bool) -> tuple[int, Posts, int]:
    """Degrees clockwise, posts and a way around, so that the answer is that of the plan's cell. Raises RejectSample if there are none."""
    rng, granular = plan.image_rng, plan.level == "granular"
    key, every = (FINE if granular else COARSE)[plan.stratum], thing.turns or 360
    looks = None if granular else _LOOKS[plan.stratum][plan.image_stratum(f"look {plan.stratum}", len(_LOOKS[plan.stratum]))]
    for _ in range(_TRIES):
        posts: Posts = rng.pick((180, 90)) if open_posts else 360
        walked = rng.pick(QUARTERS)
        if granular and key != UNKNOWN:
            return QUARTERS[plan.stratum], posts, walked
        angle = (start - rng.pick(image_pairs.OBLIQUE)) % 360
        if key != COARSE[0] or granular or (looks and not looks[0]):
            angle = rng.pick(QUARTERS)
        if looks and (bool(walked), another_look(thing, angle, walked)) != looks[::-1]:
            continue
        far = granular or all(
            min(a % every, -a % every) >= min(LEAST, every / 2) for a in possible(thing, angle, posts) | {angle + walked} if a % every
        )
        if far and key_of(thing, angle, posts, fine=granular) == key:
            return angle, posts, walked
    raise RejectSample


def _sample(plan: SamplingContext) -> Turned:
    rng, granular = plan.image_rng, plan.level == "granular"
    clear, even = image_pairs.telling(upright=True), image_pairs.even(lambda thing: True)
    start = rng.pick(image_pairs.OBLIQUE)
    is_unknown = plan.stratum == len(FINE if granular else COARSE) - 1
    kind = rng.random()
    if is_unknown and kind < OTHER_SHARE:
        thing = object_catalog.pick(rng, clear)
        shown, angle, walked = image_pairs.another(rng, thing, clear), rng.pick(QUARTERS), rng.pick(QUARTERS)
        posts: Posts = 360
    else:
        alike = is_unknown and kind < OTHER_SHARE + ALIKE_SHARE
        different = not granular and plan.stratum == 0 and rng.chance(EVEN_SHARE)
        turned_even = image_pairs.even(
            lambda thing: thing.turns > 2 * LEAST and image_pairs.oblong(thing)
        )  # others look much the same in all oblique views
        thing = shown = object_catalog.pick(rng, even if alike else turned_even if different else clear)
        open_posts = not alike if is_unknown else not granular and plan.stratum == 0 and rng.chance(OPEN_SHARE)
        angle, posts, walked = _turn(plan, thing, start, open_posts)
    ends = turn("y", start), turn("y", start - angle)
    return image_pairs.turned_scene(plan, (thing, shown), ends, (angle,), ground=True, posts=posts, walked=walked)


def _ask(scene: Turned) -> Question:
    thing, fine = image_pairs.thing_in(scene.scenes3d[0]), scene.level == "granular"
    key = UNKNOWN if scene.is_other_object else key_of(thing, scene.angles_deg[0], scene.posts, fine=fine)
    options = FINE if fine else COARSE
    task = _TASK.format("by how many degrees it was turned" if fine else "whether it was turned")
    return question(task, _CONCEPT, _STEPS, _EXAMPLES[fine], options, options.index(key))


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """From the bearings of the front: all that the object would look the same with, before, against the one after."""
    if not image_pairs.same_object(pictures):
        return UNKNOWN
    fine = FINE[0] in words
    turns: set[int] = set()
    for walked in image_pairs.sides(pictures):
        after = azimuth(image_pairs.from_first(pictures, walked)[0])
        turns |= {round(wrapped(azimuth(marks[0]) - after)) % 360 for marks in image_pairs.spun(pictures[0], image_pairs.STEP)}
    if fine:
        return FINE[QUARTERS.index(turns.pop())] if len(turns) == 1 else UNKNOWN
    options = {COARSE[a == 0] for a in turns}
    # one that was turned to look different was turned, however far
    return options.pop() if len(options) == 1 else UNKNOWN


_OTHER_WAY = {FINE[1]: FINE[3], FINE[3]: FINE[1]}


def _backwards(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """The pictures exchanged: turned as far the other way."""
    moved = replace(
        scene,
        scenes3d=scene.scenes3d[::-1],
        categories=scene.categories[::-1],
        broad_categories=scene.broad_categories[::-1],
        angles_deg=(-scene.angles_deg[0] % 360,),
        camera_walk_deg=-scene.camera_walk_deg,
    )
    return moved, renamed(_OTHER_WAY)


def _in_a_mirror(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """A quarter turn goes the other way."""
    return image_pairs.in_a_mirror(scene, -scene.angles_deg[0] % 360), renamed(_OTHER_WAY)


# Rules that avoid the skill ----------------------------------------------------------------------------------------


def _by_look(scene: Turned, question: Question) -> Collection[str]:
    """The same look: not turned; another object: it cannot be determined."""
    if scene.is_other_object:
        return unknown(question)
    still = letters_where(question, lambda option: option in (COARSE[1], FINE[0]))
    looks_other = another_look(image_pairs.thing_in(scene.scenes3d[0]), scene.angles_deg[0], scene.camera_walk_deg)
    return set(known(question)) - set(still) if looks_other else still


def _by_look_and_kind(scene: Turned, question: Question) -> Collection[str]:
    return unknown(question) if image_pairs.thing_in(scene.scenes3d[0]).turns else _by_look(scene, question)


def _by_turn_seen(scene: Turned, question: Question) -> Collection[str]:
    """How the object is turned to the camera, as if the viewer had stayed."""
    seen = (scene.angles_deg[0] + scene.camera_walk_deg) % 360
    if scene.is_other_object:
        return unknown(question)
    return letters_where(question, lambda option: option.startswith(f"{seen} degrees") or option == COARSE[seen == 0])


def _by_posts(scene: Turned, question: Question) -> Collection[str]:
    """Whether the posts tell where the viewer is; the object is not looked at."""
    return known(question) if scene.posts == 360 else unknown(question)


_SHORTCUTS = {
    "the same look: not turned; another object: it cannot be determined": Shortcut(_by_look, "where the viewer stands"),
    "the same, and what looks the same after half a turn cannot be determined": Shortcut(_by_look_and_kind, "where the viewer stands"),
    "how it is turned to the camera": Shortcut(_by_turn_seen, "where the viewer stands"),
    "whether the posts tell where the viewer stands": Shortcut(_by_posts, "which way the object points", partial=True),
}


TASK = dori(
    "viewer-scene-direction",
    "Determine whether and how far an object was rotated between two images.",
    _sample,
    _ask,
    _read,
    strata=(len(COARSE), len(FINE)),
    attributes=image_pairs.facets,
    shortcuts=_SHORTCUTS,
    symmetries=(_backwards, image_pairs.looks_swapped, _in_a_mirror),
)
