"""Viewer-scene direction: whether, or by how many degrees, an object on the floor was rotated between two images.

The viewer may have moved around the object; posts on the floor show the viewer's position. The same appearance means no rotation only if the
viewer did not move, and a different appearance means a rotation only then. If the posts do not determine the position of the viewer, or
the object looks the same from several sides, a rotation may not be distinguishable from none. In the paper's design (section 6), the viewer
does not move, and there are no posts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from isovist.core.rotation import azimuth, turn, wrapped
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Exemption, Question, RejectSample, Reported, SamplingContext, Shortcut, Task, renamed
from isovist.suites.dori import image_pairs, option_angles
from isovist.suites.dori.image_pairs import QUARTERS, Posts, Turned
from isovist.suites.dori.published_scorer import published
from isovist.suites.dori.shared_parts import (
    DESIGN,
    LEVELS,
    PAPER,
    SKILLS,
    SQUARE,
    UNKNOWN,
    as_published,
    attributes,
    known,
    question,
    unknown,
)
from isovist.world.scenes import object_catalog
from isovist.world.scenes.answer_options import letters_where
from isovist.world.scenes.object_catalog import CatalogObject

COARSE = ("It was rotated", "It was not rotated", UNKNOWN)
FINE = (*(f"{angle} degrees clockwise" for angle in QUARTERS), UNKNOWN)
_LOOKS: Mapping[int, tuple[tuple[bool, bool], ...]] = {
    0: ((False, True), (True, False), (True, True)),
    1: ((False, False), (True, True), (True, True)),
    2: ((False, False), (True, True), (True, True), (False, True), (True, False), (True, True)),
}
"""Whether the object looks different, and whether the viewer moved, for each answer of the coarse level; equal shares for all answers."""
_TRIES = 60

_TASK = "The two images show an object on a floor, before (first image) and after (second image) a possible rotation. Determine {}."
_CONCEPT = (
    "The object may have been rotated about its vertical axis, as on a turntable. Determine the rotation relative to the floor{}. Clockwise is "
    "as seen from above: for a viewer who does not move, the part nearest to the viewer moves to the left. {} The answer cannot be determined "
    "if more than one of the other options is possible. {}"
)
_WITH_POSTS = _CONCEPT.format(" and to the four posts around the object", image_pairs.VIEWER, image_pairs.CAUSES)
_WITHOUT_POSTS = _CONCEPT.format("", image_pairs.FIXED, image_pairs.SYMMETRIC)
_STEPS = (
    "Identify parts that distinguish the sides of the object, such as its front, and the posts to which they point in the first image.",
    "Find the same posts in the second image. They show the position of the viewer.",
    "Determine in which direction the parts point, relative to the posts, in the second image.",
    "Compare both images and choose the option that matches.",
)
_STEPS_WITHOUT_POSTS = (
    "Identify parts that distinguish the sides of the object, such as its front.",
    "Determine in which direction the parts point in the first image and in the second image.",
    "Compare both images and choose the option that matches.",
)
_EXAMPLES = (
    (
        "Two equal posts are next to each other. A chair that faces one of them in the first image, and one of the other two posts in the "
        "second image, was rotated, regardless of the position of the viewer."
    ),
    (
        "A chair that faces the viewer in the first image and to the left in the second image was rotated 90 degrees clockwise if the "
        "viewer did not move."
    ),
)
_EXAMPLE_WITHOUT_POSTS = "A chair that faces the viewer in the first image and to the left in the second image was rotated{}."


def possible(thing: CatalogObject, angle: int, posts: Posts) -> set[int]:
    """All rotations in degrees that agree with the images, given the symmetries of the object and of the posts."""
    spins = range(0, 360, thing.turns) if thing.turns else (0,)
    return {(angle + spin + side) % 360 for spin in spins for side in range(0, 360, posts or 360)}


def key_of(thing: CatalogObject, angle: int, posts: Posts = 360, *, fine: bool) -> str:
    """The key for two images of an object that was rotated clockwise by `angle` degrees."""
    fitting = possible(thing, angle, posts)
    if fine:
        return FINE[QUARTERS.index(angle)] if len(fitting) == 1 else UNKNOWN
    if 0 not in fitting:
        return COARSE[0]
    return COARSE[1] if len(fitting) == 1 else UNKNOWN


def another_look(thing: CatalogObject, angle: int, walked: int) -> bool:
    """Whether the object looks different: a viewer who moves to the right sees it as if rotated clockwise."""
    return bool((angle + walked) % (thing.turns or 360))


def _turn(plan: SamplingContext, thing: CatalogObject, *, open_posts: bool) -> tuple[int, Posts, int]:
    """Rotation clockwise, posts and viewer movement in degrees, for the answer of the plan's stratum. Raises RejectSample without any."""
    rng, granular = plan.image_rng, plan.level == "granular"
    key = (FINE if granular else COARSE)[plan.stratum]
    fixed = as_published(plan)
    looks = None if granular or fixed else _LOOKS[plan.stratum][plan.image_stratum(f"look {plan.stratum}", len(_LOOKS[plan.stratum]))]
    if thing.turns and key == UNKNOWN and looks == (True, False):
        looks = True, True  # a symmetric object looks different only from another side
    posts: Posts = 0 if fixed else 180 if open_posts else 360
    for _ in range(_TRIES):
        angle, walked = rng.pick(QUARTERS), 0 if fixed else rng.pick(QUARTERS)
        fits = not looks or (another_look(thing, angle, walked), bool(walked)) == looks
        if fits and key_of(thing, angle, posts, fine=granular) == key:
            return angle, posts, walked
    raise RejectSample


def _sample(plan: SamplingContext) -> Turned:
    rng, granular = plan.image_rng, plan.level == "granular"
    clear = image_pairs.telling(upright=True)
    start = rng.pick(image_pairs.OBLIQUE)
    is_unknown = plan.stratum == len(FINE if granular else COARSE) - 1
    cause = "symmetry" if is_unknown and as_published(plan) else image_pairs.cause_of_unknown(plan)
    if is_unknown and cause == "another object":
        thing = object_catalog.pick(rng, clear)
        shown, angle, walked = image_pairs.another(rng, thing, clear), rng.pick(QUARTERS), rng.pick(QUARTERS)
        posts: Posts = 360
    else:
        rotated = not granular and plan.stratum == 0
        alike = (is_unknown or rotated) and cause == "symmetry"
        # at the coarse level the same for both answers; others than oblong objects look similar in all oblique views
        even = image_pairs.even(lambda thing: granular or (thing.turns == 180 and image_pairs.oblong(thing)))
        thing = shown = object_catalog.pick(rng, even if alike else clear)
        angle, posts, walked = _turn(plan, thing, open_posts=(is_unknown or rotated) and cause == "posts")
    ends = turn("y", start), turn("y", start - angle)
    return image_pairs.turned_scene(plan, (thing, shown), ends, (angle,), ground=True, posts=posts, walked=walked)


def _ask(scene: Turned) -> Question:
    thing, fine = image_pairs.thing_in(scene.scenes3d[0]), scene.level == "granular"
    key = UNKNOWN if scene.is_other_object else key_of(thing, scene.angles_deg[0], scene.posts, fine=fine)
    options = FINE if fine else COARSE
    task = _TASK.format("by how many degrees it was rotated" if fine else "whether it was rotated")
    if scene.posts:
        return question(task, _WITH_POSTS, _STEPS, _EXAMPLES[fine], options, options.index(key))
    example = _EXAMPLE_WITHOUT_POSTS.format(" 90 degrees clockwise" if fine else "")
    return question(task, _WITHOUT_POSTS, _STEPS_WITHOUT_POSTS, example, options, options.index(key))


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from all bearings of the front that look the same in the first image, and the bearing in the second."""
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
    return options.pop() if len(options) == 1 else UNKNOWN


_REVERSED = {FINE[1]: FINE[3], FINE[3]: FINE[1]}


def _backwards(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """Exchange the images: the rotation is reversed."""
    moved = replace(
        scene,
        scenes3d=scene.scenes3d[::-1],
        categories=scene.categories[::-1],
        broad_categories=scene.broad_categories[::-1],
        angles_deg=(-scene.angles_deg[0] % 360,),
        camera_walk_deg=-scene.camera_walk_deg,
    )
    return moved, renamed(_REVERSED)


def _in_a_mirror(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """Mirror the scene: the rotation is reversed."""
    return image_pairs.in_a_mirror(scene, -scene.angles_deg[0] % 360), renamed(_REVERSED)


# Shortcuts ---------------------------------------------------------------------------------------------------------


def _by_look(scene: Turned, question: Question) -> Collection[str]:
    """Same appearance: not rotated. Another object: cannot be determined."""
    if scene.is_other_object:
        return unknown(question)
    still = letters_where(question, lambda option: option in (COARSE[1], FINE[0]))
    looks_other = another_look(image_pairs.thing_in(scene.scenes3d[0]), scene.angles_deg[0], scene.camera_walk_deg)
    return set(known(question)) - set(still) if looks_other else still


def _by_look_and_kind(scene: Turned, question: Question) -> Collection[str]:
    return unknown(question) if image_pairs.thing_in(scene.scenes3d[0]).turns else _by_look(scene, question)


def _by_camera_rotation(scene: Turned, question: Question) -> Collection[str]:
    """The rotation of the object relative to the camera, as if the viewer had not moved."""
    rotation = (scene.angles_deg[0] + scene.camera_walk_deg) % 360
    if scene.is_other_object:
        return unknown(question)
    return letters_where(question, lambda option: option.startswith(f"{rotation} degrees") or option == COARSE[rotation == 0])


BY_LOOK = "same appearance: not rotated; another object: cannot be determined"
BY_CAMERA = "rotation relative to the camera"
_SHORTCUTS = {
    BY_LOOK: Shortcut(_by_look, "the position of the viewer"),
    "the same, and symmetric objects: cannot be determined": Shortcut(
        _by_look_and_kind, "the position of the viewer", partial=True, bound=0.56
    ),
    BY_CAMERA: Shortcut(_by_camera_rotation, "the position of the viewer"),
    image_pairs.BY_POSTS: Shortcut(image_pairs.by_posts, "the direction of the object", partial=True, bound=0.45),
    image_pairs.BY_SYMMETRY: Shortcut(image_pairs.by_symmetry, "the poses of the object", partial=True, bound=0.45),
}
_OTHER = Exemption("of the items that cannot be determined, a third show another object", 0.27, {"coarse": 0.45, "": 0.36})
_EXEMPTIONS = {
    BY_LOOK: _OTHER,
    BY_CAMERA: _OTHER,
    "glyph": Exemption("of the items that cannot be determined, a third show a symmetric object", 0.27, {"coarse": 0.45, "": 0.36}),
    "all rules together (learned)": Exemption("another object, or a symmetric one, as above", 0.3, {"coarse": 0.5, "": 0.4}),
}


TASK = Task(
    id="dori/viewer-scene-direction",
    version=6,
    summary="Determine whether and how far an object was rotated between two images.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=(len(COARSE), len(FINE))),
    skills=SKILLS["viewer-scene-direction"],
    levels=LEVELS,
    settings=DESIGN,
    images=SQUARE,
    paper=replace(PAPER, scorer=published("viewer-scene-direction")),
    reported=Reported(
        attributes=lambda scene: attributes(scene, "viewer-scene-direction", (len(COARSE), len(FINE))) | image_pairs.attributes(scene),
        option_angles=option_angles.angles("viewer-scene-direction"),
    ),
    checks=replace(
        image_pairs.CHECKS, symmetries=(_backwards, image_pairs.looks_swapped, _in_a_mirror), shortcuts=_SHORTCUTS, exemptions=_EXEMPTIONS
    ),
)
