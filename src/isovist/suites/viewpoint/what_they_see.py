"""What they see: which of four images shows what a person in the scene sees (after the three mountains task and Guay's viewpoints).

The options are true views from four sides, 90 degrees apart. The side of the main view's camera relative to the person is balanced, so that
the image most like the main view is the answer in one of four items. A scene is used only if the person could stand at each of the four
sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.reasoning.templates import phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.scene3d import Scene3D, front
from isovist.core.scene_labels import ImageLabel
from isovist.core.task import Answers, Checks, Images, Question, Reasoning, Reported, Sampling, SamplingContext, Task, identity, renamed
from isovist.suites.viewpoint import cot_views, view_shortcuts, views_around
from isovist.suites.viewpoint.views_around import LIGHTS, TURNING, main_camera, side_camera, spot_at
from isovist.world.scenes import object_catalog, open_ground, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import Body, standing
from isovist.world.scenes.distractor_types import LEFT_RIGHT, VIEWERS_SIDE, direction_types
from isovist.world.scenes.open_ground import PEOPLE, Spot
from isovist.world.scenes.scene_transforms import flat_camera

DIFFERENT, ALIKE = "different", "alike"
NOUN = "image"
_OBJECTS = {DIFFERENT: 4, ALIKE: 6}
SIDES = 4
_STEP = 90
_JITTER = 12.0
"""Largest angle between the camera of the main view and its side, in degrees."""
_AWAY, _EYE = (4.8, 5.0), 1.7
"""Distance of the person from the middle, and the height of the eyes, in metres."""

_FRAME = (
    "The first image shows some objects and a person who looks at the middle between them. The other four images, labelled A, B, C and D, "
    "show the same objects from four sides, without the person. Nothing else was changed, but the sun may have moved."
)
_WORDINGS = (
    "Which of the four images shows what the person sees?",
    "Which of the four images was taken from the place where the person stands?",
    "The person takes a photograph of the objects. Which of the four images is it?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`asked`: the side of the person; `options`: the sides in the order shown; `images`: the main view and the options."""

    level: str
    wording: int
    light: str
    asked: int
    options: tuple[int, ...]
    images: tuple[Scene3D, ...]


def _sample(plan: SamplingContext) -> Scene:
    rng = plan.image_rng
    asked = plan.image_stratum("side", SIDES)
    light = LIGHTS[plan.item_stratum("light", 2)]
    side, away, n = rng.uniform(-180, 180), rng.uniform(*_AWAY), _OBJECTS[plan.level]
    angles = [side - _STEP * k for k in range(SIDES)]
    cameras = [side_camera(angle, away, _EYE) for angle in angles]
    main = main_camera(side + rng.uniform(-_JITTER, _JITTER))
    person = rng.pick(PEOPLE)
    people = [standing(person, spot_at(angle, away), angle + 180) for angle in angles]

    def fits(bodies: Sequence[Body]) -> bool:
        in_sides = all(views_around.are_visible(camera, bodies) for camera in cameras)
        return in_sides and all(views_around.are_visible(main, [*bodies, someone]) for someone in people)

    bodies = views_around.arranged(rng, n, cameras, fits, alike=plan.level == ALIKE)
    land, sky = open_ground.ground(rng, bodies)
    suns = open_ground.suns(rng, [side, *angles], turning=light == TURNING)
    objects = tuple(body.solid for body in bodies)
    options = with_key_at(plan.stratum, asked, [k for k in range(SIDES) if k != asked], plan.item_rng)
    shown = [Scene3D((*objects, people[asked].solid), main, land, suns[0], sky)]
    for place, k in enumerate(options):
        shown.append(Scene3D(objects, cameras[k], land, suns[1 + k], sky, (ImageLabel(LETTERS[place]),)))
    return Scene(plan.level, plan.item_stratum("wording", len(_WORDINGS)), light, asked, options, tuple(shown))


def _ask(scene: Scene) -> Question:
    key = scene.options.index(scene.asked)
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", ImageOptionChoice.of(NOUN, SIDES, key))


# The second key ------------------------------------------------------------------------------------------------------------


def _expected(eye: Spot, facing: Spot, plan: Sequence[tuple[str, Spot]]) -> views_around.Shown:
    """What one with the eyes above a spot sees who faces a direction."""
    return views_around.seen_from(eye, (eye[0] + _AWAY[0] * facing[0], eye[1] + _AWAY[0] * facing[1]), _EYE, plan)


def _drawn(main: Scene3D) -> tuple[Spot, views_around.Shown]:
    """Where the person stands, and what the person sees, read off the main view."""
    camera = flat_camera(main)
    (person,) = [solid for solid in main.objects if (thing := object_catalog.of(solid.geometry)) and thing.broad == "Person"]
    x, _, z = front(person.pose)
    plan = [(thing.id, views_around.foot(camera, solid)) for solid, thing in views_around.things_in(main)]
    eye = views_around.foot(camera, person)
    return eye, _expected(eye, (x, z), plan)


def _read(pictures: tuple[Any, ...], _text: str) -> str:
    """The option with the left-to-right order of the objects as seen by the person, read off the main view."""
    main, *options = pictures
    _, expected = _drawn(main)
    wrong = [views_around.contradictions(expected, views_around.shown_in(option)) for option in options]
    (best,) = [place for place, n in enumerate(wrong) if n == min(wrong)]
    return f"{NOUN} {LETTERS[best]}"


# Chains of thought ------------------------------------------------------------------------------------------------------


def _write(scene: Scene) -> str:
    main, *options = scene.images
    x, _, z = main.objects[-1].pose.position
    plan = [(thing.id, (solid.pose.position[0], solid.pose.position[2])) for solid, thing in views_around.things_in(main)]
    images = {LETTERS[place]: views_around.shown_in(image) for place, image in enumerate(options)}
    length = (x * x + z * z) ** 0.5
    steps = cot_views.person_steps(cot_views.PLACES[scene.asked], _expected((x, z), (-x / length, -z / length), plan), images)
    return write_chain(steps, _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    main, *options = scene.images
    eye, expected = _drawn(main)
    camera = flat_camera(main)
    around = open_ground.direction(views_around.MIDDLE, (camera.eye[0], camera.eye[2])) - open_ground.direction(views_around.MIDDLE, eye)
    images = {LETTERS[place]: views_around.shown_in(image) for place, image in enumerate(options)}
    steps = cot_views.person_steps(cot_views.PLACES[round(around / _STEP) % SIDES], expected, images)
    return step_errors(text, steps, _read(scene.images, ""), _ask(scene).answer)


# Errors, attributes, symmetries -------------------------------------------------------------------------------------


def _errors(scene: Scene) -> Sequence[str]:
    errors = {VIEWERS_SIDE: 0, LEFT_RIGHT: -scene.asked % SIDES}
    return direction_types(2 * scene.asked, [2 * k for k in scene.options], {name: 2 * k for name, k in errors.items() if k != scene.asked})


def _attributes(scene: Scene) -> dict[str, str]:
    disparity = _STEP * min(scene.asked, SIDES - scene.asked)
    return {
        "angular disparity": str(disparity),
        "place of the person": cot_views.PLACES[scene.asked],
        "light": scene.light,
        "wording": str(scene.wording + 1),
    }


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    mirrored = replace(scene, asked=-scene.asked % SIDES, options=tuple(-k % SIDES for k in scene.options))
    return views_around.changed(mirrored, scene_transforms.in_a_mirror), identity


def _moved(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The person on the opposite side: the key is the opposite view."""
    main, *options = scene.images
    asked = (scene.asked + 2) % SIDES
    moved = (*main.objects[:-1], *scene_transforms.turned_solids(main.objects[-1:], 180))
    names = {f"{NOUN} {LETTERS[place]}": f"{NOUN} {LETTERS[scene.options.index((k + 2) % SIDES)]}" for place, k in enumerate(scene.options)}
    return replace(scene, asked=asked, images=(replace(main, objects=moved), *options)), renamed(names)


TASK = Task(
    id="viewpoint/what-they-see",
    version=1,
    summary="Choose the image that shows a place as a person in another image sees it.",
    sample=_sample,
    draw=lambda scene: scene.images,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=SIDES),
    skills=("perspective taking",),
    levels=(DIFFERENT, ALIKE),
    images=Images(size_px=512, least_px=320),
    sampling=Sampling(layout=lambda scene: scene.images[1].objects),
    reported=Reported(attributes=_attributes, distractor_types=_errors),
    checks=Checks(symmetries=(views_around.from_another_side, _in_a_mirror, _moved), shortcuts=view_shortcuts.OF_WHAT_THEY_SEE),
    reasoning=Reasoning(write=_write, verify=_verify),
)
