"""Taken from: from which of eight lettered posts around a place an image was taken.

The place of the post relative to the camera of the main view is balanced, so that the post at this camera is the answer in
one of eight items. A scene is used only if the image could have been taken from each of the posts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.reasoning.templates import Step, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.scene3d import Camera, Cylinder, Pose, Scene3D, SceneObject, project, projections
from isovist.core.scene_labels import ObjectLabel
from isovist.core.summation import sum_in_order
from isovist.core.task import Answers, Checks, Images, Question, Reasoning, Reported, Sampling, SamplingContext, Task, identity
from isovist.suites.viewpoint import cot_views, view_shortcuts, views_around
from isovist.suites.viewpoint.views_around import LIGHTS, MIDDLE_NAME, TURNING, main_camera, side_camera, spot_at
from isovist.world.scenes import open_ground, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import Body, Extent, extent
from isovist.world.scenes.distractor_types import FRONT_BACK, LEFT_RIGHT, VIEWERS_SIDE, direction_types
from isovist.world.scenes.open_ground import Spot
from isovist.world.scenes.scene_transforms import flat_camera

THREE, FIVE, ALIKE = "three", "five", "alike"
NOUN = "post"
_OBJECTS = {THREE: 3, FIVE: 5, ALIKE: 7}
POSTS = 8
_STEP = 45
_JITTER = 8.0
"""Largest angle between the camera of the main view and the nearest post, in degrees."""
_AWAY, _HEIGHT = (4.8, 5.0), 3.6
"""Distance of the posts from the middle, and the height of the camera above a post, in metres."""
_POST = Cylinder(0.1, 1.1)
_COLOUR = "#3465d8"
_LABEL = 0.07
"""Height and width of a letter above a post, in image heights."""

_FRAME = (
    "The first image shows some objects and eight lettered posts around them. The second image shows the same objects from above one of the "
    "posts, looking at the middle of the place. The posts are left out of the second image. Nothing else was changed, but the sun may have "
    "moved."
)
_WORDINGS = (
    "From above which post was the second image taken?",
    "Above which post must a camera be to take the second image?",
    "Which post marks the place of the camera of the second image?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`asked`: the side of the post; `options`: the sides of the posts in the order of their letters; `images`: both images."""

    level: str
    wording: int
    light: str
    asked: int
    options: tuple[int, ...]
    images: tuple[Scene3D, ...]


def _sample(plan: SamplingContext) -> Scene:
    rng = plan.image_rng
    asked = plan.image_stratum("side", POSTS)
    light = LIGHTS[plan.item_stratum("light", 2)]
    side, away, n = rng.uniform(-180, 180), rng.uniform(*_AWAY), _OBJECTS[plan.level]
    angles = [side - _STEP * k for k in range(POSTS)]
    cameras = [side_camera(angle, away, _HEIGHT) for angle in angles]
    main = main_camera(side + rng.uniform(-_JITTER, _JITTER))
    posts = [_post(spot_at(angle, away)) for angle in angles]
    boxes = [_post_box(main, post) for post in posts]

    def fits(bodies: Sequence[Body]) -> bool:
        free = not any(box.common(extent(main, body)) for box in boxes for body in bodies)
        return free and all(views_around.are_visible(camera, bodies) for camera in (main, *cameras))

    bodies = views_around.arranged(rng, n, cameras, fits, alike=plan.level == ALIKE, middle=True)
    land, sky = open_ground.ground(rng, bodies)
    suns = open_ground.suns(rng, [side, angles[asked]], turning=light == TURNING)
    objects = tuple(body.solid for body in bodies)
    options = with_key_at(plan.stratum, asked, [k for k in range(POSTS) if k != asked], plan.item_rng)
    labels = tuple(ObjectLabel(n + place, LETTERS[place]) for place in range(POSTS))
    shown = (
        Scene3D((*objects, *(posts[k] for k in options)), main, land, suns[0], sky, labels),
        Scene3D(objects, cameras[asked], land, suns[1], sky),
    )
    return Scene(plan.level, plan.item_stratum("wording", len(_WORDINGS)), light, asked, options, shown)


def _post(spot: Spot) -> SceneObject:
    return SceneObject(_POST, Pose((round(spot[0], 3), 0.0, round(spot[1], 3))), colour=_COLOUR, name=NOUN)


def _post_box(camera: Camera, post: SceneObject) -> Extent:
    """The image box of a post and its letter."""
    x, _, z = post.pose.position
    (left, bottom, depth), (_, top, _) = projections(camera, [(x, 0.0, z), (x, _POST.height, z)])
    unit = camera.height
    half = max(_LABEL / 2, _POST.radius / depth)
    return Extent(left / unit - half, top / unit - _LABEL, left / unit + half, bottom / unit + 0.01)


def _ask(scene: Scene) -> Question:
    key = scene.options.index(scene.asked)
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", ImageOptionChoice.of(NOUN, POSTS, key))


# The second key ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """The posts by letter, the objects and the middle on the ground, and what the second image shows."""

    posts: dict[str, Spot]
    things: list[tuple[str, Spot]]
    middle: Spot
    seen: views_around.Shown


def _drawn(pictures: tuple[Any, ...]) -> _Plan:
    """The plan, read off the images."""
    main, second = pictures
    camera = flat_camera(main)
    posts = {mark.letter: views_around.foot(camera, main.objects[mark.object_index]) for mark in main.markers}
    middle = sum_in_order(x for x, _ in posts.values()) / POSTS, sum_in_order(z for _, z in posts.values()) / POSTS
    things = [(thing.id, views_around.foot(camera, solid)) for solid, thing in views_around.things_in(main)]
    x, y, _ = project(flat_camera(second), (middle[0], 0.0, middle[1]))
    height = flat_camera(second).height
    return _Plan(posts, things, middle, [*views_around.shown_in(second), (MIDDLE_NAME, x / height, y / height)])


def _read(pictures: tuple[Any, ...], _text: str) -> str:
    """The post from which the objects have the orders of the second image, read off the main view."""
    plan = _drawn(pictures)
    wrong = {
        letter: views_around.contradictions(
            views_around.seen_from(spot, plan.middle, _HEIGHT, [*plan.things, (MIDDLE_NAME, plan.middle)]), plan.seen, depth=True
        )
        for letter, spot in plan.posts.items()
    }
    (best,) = [letter for letter, n in wrong.items() if n == min(wrong.values())]
    return f"{NOUN} {best}"


# Chains of thought ------------------------------------------------------------------------------------------------------


def _steps(plan: _Plan) -> list[Step]:
    return cot_views.post_steps(plan.posts, plan.things, plan.middle, _HEIGHT, plan.seen)


def _write(scene: Scene) -> str:
    main = scene.images[0]
    n = len(main.objects) - POSTS
    spots = [(solid.pose.position[0], solid.pose.position[2]) for solid in main.objects]
    posts = dict(zip(LETTERS, spots[n:], strict=False))
    things = [(thing.id, spot) for (_, thing), spot in zip(views_around.things_in(main), spots, strict=False)]
    asked = posts[LETTERS[scene.options.index(scene.asked)]]
    seen = views_around.seen_from(asked, views_around.MIDDLE, _HEIGHT, [*things, (MIDDLE_NAME, views_around.MIDDLE)])
    return write_chain(_steps(_Plan(posts, things, views_around.MIDDLE, seen)), _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    return step_errors(text, _steps(_drawn(scene.images)), _read(scene.images, ""), _ask(scene).answer)


# Errors, attributes, symmetries -------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    errors = {VIEWERS_SIDE: 0, LEFT_RIGHT: -scene.asked % POSTS, FRONT_BACK: (4 - scene.asked) % POSTS}
    return direction_types(scene.asked, scene.options, {name: k for name, k in errors.items() if k != scene.asked})


def _attributes(scene: Scene) -> dict[str, str]:
    disparity = _STEP * min(scene.asked, POSTS - scene.asked)
    return {"angular disparity": str(disparity), "light": scene.light, "wording": str(scene.wording + 1)}


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    mirrored = replace(scene, asked=-scene.asked % POSTS, options=tuple(-k % POSTS for k in scene.options))
    return views_around.changed(mirrored, scene_transforms.in_a_mirror), identity


def _relettered(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The letters in the reverse order: the key keeps its post."""
    main, second = scene.images
    objects = (*main.objects[:-POSTS], *main.objects[: -POSTS - 1 : -1])
    names = [f"{NOUN} {letter}" for letter in LETTERS[:POSTS]]
    changed = replace(scene, options=scene.options[::-1], images=(replace(main, objects=objects), second))
    return changed, lambda answer: names[-1 - names.index(answer)]


TASK = Task(
    id="viewpoint/taken-from",
    version=1,
    summary="Find the post, of eight around a place, from which a second image was taken.",
    sample=_sample,
    draw=lambda scene: scene.images,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=POSTS),
    skills=("perspective taking",),
    levels=(THREE, FIVE, ALIKE),
    images=Images(size_px=512, least_px=320),
    sampling=Sampling(layout=lambda scene: scene.images[1].objects),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(views_around.from_another_side, _in_a_mirror, _relettered), shortcuts=view_shortcuts.OF_TAKEN_FROM),
    reasoning=Reasoning(write=_write, verify=_verify),
)
