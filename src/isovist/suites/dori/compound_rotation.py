"""Compound rotation: about which axes, or by which angles, an object was rotated between two images.

The object is in the air above four posts and has any of 24 orientations in both images, so that neither image alone gives the answer.
The viewer may have moved around the object; the posts show the viewer's position. If the object looks the same after a rotation by 180
degrees, or the posts allow two or four viewer positions, several of the sixteen rotations can fit. The key accounts for all of them.

In the paper's design (section 6), the object is upright in the first image, the viewer does not move, and there are no posts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from itertools import product

from isovist.core.answers import LETTERS
from isovist.core.reasoning.templates import phrasing
from isovist.core.rotation import Matrix, after, cosine, sine, turn
from isovist.core.scene3d import Scene3D, rotation
from isovist.core.task import Answers, Exemption, Question, Reasoning, RejectSample, Reported, SamplingContext, Shortcut, Task, renamed
from isovist.suites.dori import cot_rotation, image_pairs, option_angles
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
from isovist.world.scenes.object_catalog import CatalogObject

TURNS = tuple(product(QUARTERS, QUARTERS))
"""Horizontal and vertical rotation in degrees."""
KINDS = (
    "It was not rotated",
    "It was rotated horizontally only",
    "It was rotated vertically only",
    "It was rotated horizontally and vertically",
    UNKNOWN,
)
FINE = tuple(f"{a} degrees horizontally, then {b} degrees vertically" for a, b in TURNS)
EVEN_SHARE = OPEN_SHARE = 1 / 3
"""Share of items with a known answer other than "not rotated" whose object looks the same after 180 degrees, and for which
ambiguous posts are tried. Both are as frequent as among the unknown answers.
"""
STAYED_SHARE = 0.5
"""Share of granular items in which the viewer did not move; at the coarse level the four positions are equally frequent."""
_STARTS = 40  # start orientations that are tried for an object
UNEVEN = ("table", "table tennis table", "basket", "bowl")
"""Categories that look the same after 180 degrees about their vertical axis, but not upside down."""

_TASK = "The first image shows an object before a possible rotation. The second image shows it after the rotation. Determine {}."
_CONCEPT = (
    "A horizontal rotation is about the vertical axis through the centre of the object. It is clockwise as seen from above: 90 degrees "
    "move the part nearest to the viewer to the left. A vertical rotation is about the axis that runs from left to right through the "
    "centre of the object in the first image: 90 degrees move the top toward the viewer. Both axes are fixed in space and do not rotate "
    "with the object. If both rotations occur, the horizontal rotation is first. Each rotation is by 0, 90, 180 or 270 degrees. "
    "The object is in the air{}, and the camera looks slightly down at it. {}"
)
_INDETERMINABLE = " The answer cannot be determined if more than one of the other options is possible. {}"
_STEPS = (
    "Identify parts that distinguish the sides of the object, such as its front, its top and its left side.",
    "Determine in which direction each part points in the first image and in the second image.",
    "Imagine the horizontal rotation first and the vertical rotation second.",
    "Choose the option that gives every part the direction that it has in the second image.",
)
_STEP_OF_POSTS = (
    "Use the posts to determine the position of the viewer in the second image. Convert the directions in the second image to the viewpoint of "
    "the first image."
)
_EXAMPLE = (
    "A chair faces the viewer in the first image. In the second image, seen from the same position, its front points to the left and its top "
    "points toward the viewer. It was rotated {}."
)


def kind(horizontal: int, vertical: int) -> int:
    """The index of a rotation in `KINDS`."""
    return (horizontal > 0) + 2 * (vertical > 0)


@lru_cache(maxsize=16)
def turning(horizontal: int, vertical: int) -> Matrix:
    """The matrix of both rotations, about axes of the world."""
    return after(turn("y", -horizontal), turn("x", vertical))


@lru_cache(maxsize=1)
def tumbles() -> tuple[Matrix, ...]:
    """The 24 orientations of a cube: six faces on top, four rotations of each."""
    tops = [turn("x", angle) for angle in QUARTERS] + [turn("z", angle) for angle in (90, 270)]
    return tuple(after(top, turn("y", angle)) for top in tops for angle in QUARTERS)


def possible(thing: CatalogObject, start: Matrix, angles: tuple[int, int], posts: Posts = 360) -> list[tuple[int, int]]:
    """All rotations from `start` whose result looks like that of `angles`, from any viewer position that the posts allow."""
    end = after(start, turning(*angles))
    ends = [after(end, turn("y", side)) for side in range(0, 360, posts or 360)]
    return [other for other in TURNS if any(image_pairs.like(thing, after(start, turning(*other)), end_pose) for end_pose in ends)]


def key_of(thing: CatalogObject, start: Matrix, angles: tuple[int, int], posts: Posts = 360) -> int:
    """The index in `KINDS` of the answer for two images of an object."""
    kinds = {kind(*other) for other in possible(thing, start, angles, posts)}
    return kinds.pop() if len(kinds) == 1 else len(KINDS) - 1


def even(*, oblong: bool = False) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects that look the same after 180 degrees about their vertical axis, and after no smaller rotation.

    `oblong`: only those that look clearly different after 90 degrees from any start.
    """
    return image_pairs.even(lambda thing: thing.turns == 180 and thing.category in UNEVEN and (not oblong or image_pairs.oblong(thing)))


def _sample(plan: SamplingContext) -> Turned:
    rng, granular = plan.image_rng, plan.level == "granular"
    is_unknown, fixed = not granular and plan.stratum == len(KINDS) - 1, as_published(plan)
    cause = "symmetry" if fixed else image_pairs.cause_of_unknown(plan)
    other = is_unknown and cause == "another object"
    if is_unknown:
        alike, open_posts = cause == "symmetry", cause == "posts"
    else:
        alike = not granular and plan.stratum > 0 and rng.chance(EVEN_SHARE)
        open_posts = not granular and not fixed and plan.stratum > 0 and rng.chance(OPEN_SHARE)
    things = even(oblong=fixed and not is_unknown) if alike else image_pairs.telling(upright=False)
    thing = object_catalog.pick(rng, things)
    second = image_pairs.another(rng, thing, image_pairs.telling(upright=False)) if other else thing
    for attempt in range(_STARTS):
        start = turn("y", rng.pick(image_pairs.OBLIQUE))
        if not fixed:
            start = after(start, rng.pick(tumbles()))
        angles = TURNS[plan.stratum] if granular else rng.pick([t for t in TURNS if is_unknown or kind(*t) == plan.stratum])
        tried = open_posts and (is_unknown or attempt < _STARTS // 2)  # for some answers, few rotations are determinable then
        posts: Posts = 0 if fixed else 180 if tried else 360
        if granular or other or key_of(thing, start, angles, posts) == plan.stratum:
            break
    else:
        raise RejectSample
    walked = 0 if fixed or (granular and rng.chance(STAYED_SHARE)) else rng.pick(QUARTERS[1:] if granular else QUARTERS)
    ends = start, after(start, turning(*angles))
    return image_pairs.turned_scene(plan, (thing, second), ends, angles, ground=False, posts=posts, walked=walked)


def _ask(scene: Turned) -> Question:
    horizontal, vertical = scene.angles_deg
    if scene.level == "granular":
        return _question(FINE, TURNS.index((horizontal, vertical)), scene.posts)
    start, thing = rotation(image_pairs.shown(scene.scenes3d[0]).pose), image_pairs.thing_in(scene.scenes3d[0])
    truth = len(KINDS) - 1 if scene.is_other_object else key_of(thing, start, (horizontal, vertical), scene.posts)
    return _question(KINDS, truth, scene.posts)


def _question(options: tuple[str, ...], truth: int, posts: Posts) -> Question:
    fine = options == FINE
    concept = _CONCEPT.format(" above four posts", image_pairs.VIEWER) if posts else _CONCEPT.format("", image_pairs.FIXED)
    if not fine:
        concept += _INDETERMINABLE.format(image_pairs.CAUSES if posts else image_pairs.SYMMETRIC)
    steps = (*_STEPS[:2], *([_STEP_OF_POSTS] if posts else []), *_STEPS[2:])
    task = _TASK.format("by which angles it was rotated" if fine else "whether it was rotated, and about which axes")
    example = _EXAMPLE.format(FINE[TURNS.index((90, 90))] if fine else "horizontally and vertically")
    return question(task, concept, steps, example, options, truth)


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from landmarks: the vertical rotation first, then one about the tilted vertical axis, which is equivalent."""
    is_granular = FINE[0] in words
    if not image_pairs.same_object(pictures):
        return UNKNOWN
    starts, ends = image_pairs.spun(pictures[0], 90), [image_pairs.from_first(pictures, side) for side in image_pairs.sides(pictures)]
    options: set[str] = set()
    for place, (horizontal, vertical) in enumerate(TURNS):
        tipped = 0.0, cosine(vertical), sine(vertical)
        for start in starts:
            turned = image_pairs.about(tipped, -horizontal, image_pairs.about((1.0, 0.0, 0.0), vertical, start))
            if any(image_pairs.same(turned, end) for end in ends):
                options.add(FINE[place] if is_granular else KINDS[kind(horizontal, vertical)])
    assert options, "no rotation leads from the first image to the second"
    return options.pop() if len(options) == 1 else UNKNOWN


def _explain(scene: Turned) -> str:
    start, thing = rotation(image_pairs.shown(scene.scenes3d[0]).pose), image_pairs.thing_in(scene.scenes3d[0])
    is_open = thing.turns or scene.posts == 180
    fitting = possible(thing, start, (scene.angles_deg[0], scene.angles_deg[1]), scene.posts) if is_open else []
    return cot_rotation.chain(scene, fitting, _ask(scene).answer, phrasing(scene))


def _replay(scene: Turned, text: str) -> list[str]:
    question = _ask(scene)
    answer = _read(scene.scenes3d, question.text_with_options)
    return cot_rotation.replay(scene.scenes3d, answer, question.answer, text)


def _in_a_mirror(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """Mirror the scene: the horizontal rotation is reversed, the vertical one is unchanged."""
    horizontal, vertical = scene.angles_deg
    mirrored = {FINE[TURNS.index((a, b))]: FINE[TURNS.index((-a % 360, b))] for a, b in TURNS}
    return image_pairs.in_a_mirror(scene, -horizontal % 360, vertical), renamed(mirrored)


# Shortcuts ---------------------------------------------------------------------------------------------------------


def _by_look(scene: Turned, question: Question) -> Collection[str]:
    """Same appearance: not rotated. Another object: cannot be determined."""
    if scene.is_other_object:
        return unknown(question)
    return "A" if image_pairs.same(*map(image_pairs.landmarks, scene.scenes3d)) else set(known(question)) - {"A"}


def _by_look_and_kind(scene: Turned, question: Question) -> Collection[str]:
    return unknown(question) or known(question) if image_pairs.thing_in(scene.scenes3d[0]).turns else _by_look(scene, question)


def _by_camera_rotation(scene: Turned, question: Question) -> Collection[str]:
    """The rotation of the object relative to the camera, as if the viewer had not moved."""
    if scene.is_other_object:
        return unknown(question)
    start, end = image_pairs.landmarks(scene.scenes3d[0]), image_pairs.landmarks(scene.scenes3d[1])
    turned = [image_pairs.about((1.0, 0.0, 0.0), v, image_pairs.about((0.0, 1.0, 0.0), -h, start)) for h, v in TURNS]
    fitting = [place for place, landmarks in enumerate(turned) if image_pairs.same(landmarks, end)]
    if not fitting:
        return ()
    return {LETTERS[place] if scene.level == "granular" else LETTERS[kind(*TURNS[place])] for place in fitting}


def _by_tilt(scene: Turned, question: Question) -> Collection[str]:
    """Whether the elevation of the top is unchanged: then there was no vertical rotation, otherwise there was one."""
    before, after_rotation = (image_pairs.landmarks(picture)[1][1] for picture in scene.scenes3d)
    if scene.level == "granular" or scene.is_other_object:
        return unknown(question)
    return "AB" if abs(before - after_rotation) < 1e-3 else "CD"


BY_LOOK = "same appearance: not rotated; another object: cannot be determined"
_SHORTCUTS = {
    BY_LOOK: Shortcut(_by_look, "rotations"),
    "the same, and symmetric objects: cannot be determined": Shortcut(_by_look_and_kind, "rotations", partial=True, bound=0.33),
    "rotation relative to the camera": Shortcut(_by_camera_rotation, "the position of the viewer", partial=True, bound=0.5),
    "unchanged elevation of the top": Shortcut(_by_tilt, "directions", partial=True, bound=0.38),
    image_pairs.BY_POSTS: Shortcut(image_pairs.by_posts, "the directions of the object", partial=True, bound=0.27),
    image_pairs.BY_SYMMETRY: Shortcut(image_pairs.by_symmetry, "the poses of the object", partial=True, bound=0.27),
}
_EXEMPTIONS = {
    BY_LOOK: Exemption("of the items that cannot be determined, a third show another object", 0.1, {"coarse": 0.3, "": 0.2}),
    "glyph": Exemption("of the items that cannot be determined, a third show a symmetric object", 0.07, {"coarse": 0.27, "": 0.17}),
    "all rules together (learned)": Exemption("another object, or a symmetric one, as above", 0.1, {"coarse": 0.33, "": 0.22}),
}


TASK = Task(
    id="dori/compound-rotation",
    version=6,
    summary="Determine the rotation of an object between two images, about one axis or two.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=(len(KINDS), len(FINE))),
    skills=SKILLS["compound-rotation"],
    levels=LEVELS,
    settings=DESIGN,
    images=SQUARE,
    paper=replace(PAPER, scorer=published("compound-rotation")),
    reported=Reported(
        attributes=lambda scene: attributes(scene, "compound-rotation", (len(KINDS), len(FINE))) | image_pairs.attributes(scene),
        option_angles=option_angles.angles("compound-rotation"),
    ),
    checks=replace(image_pairs.CHECKS, symmetries=(image_pairs.looks_swapped, _in_a_mirror), shortcuts=_SHORTCUTS, exemptions=_EXEMPTIONS),
    reasoning=Reasoning(_explain, _replay),
)
