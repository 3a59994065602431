"""Orientation: in which of eight directions an object faces (section 3.4 of the paper, after EgoOrientBench).

The reference frame is viewer-centred, also for objects with a left side of their own: front is toward the camera, back is away from it,
left and right are those of the image. Two tasks use the same images: yes or no, as in the paper, and a choice of eight directions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import Choice, YesNo
from isovist.core.option_angles import OptionAngles
from isovist.core.scene3d import Scene3D, facing
from isovist.core.task import (
    Answers,
    Checks,
    Exemption,
    Images,
    Paper,
    Preset,
    Question,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Task,
    identity,
)
from isovist.suites.srbench.published_prompt import EIGHT_WAY, PUBLISHED_PROMPT
from isovist.suites.srbench.published_scorer import published
from isovist.suites.srbench.relation_shortcuts import image_rectangle
from isovist.world.scenes import habitats, object_catalog, scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.camera_framing import aimed, at_height, photograph, standing
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.scene_builder import SETTINGS, TINTS, Setting, crowd
from isovist.world.scenes.scene_transforms import ALONE_SHARE, CROWD_SHARE, Span, across_and_back, marked, marked_stage, within

DIRECTIONS = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
"""Counterclockwise seen from above in steps of 45 degrees, from the direction toward the camera; right is 90 in `core.scene3d.facing`."""
_STEP = 45
_AXIS_RATIO = 2.414213562373095  # tangent of 67.5 degrees
ITEMS = 400
_ODD = (1, 3, 5, 7)
_OFFSETS = ((*_ODD, 2, 6, *[4] * 26), (*_ODD, *[2, 4, 6] * 9, 4))
"""Differences in steps between an incorrect direction in a question and the true one, for a true direction along an axis and for a diagonal.
Most lead to a direction in which the object is as wide in the image: its width does not tell the answer.
"""

_FRAME = (
    "All directions are relative to the viewer of the image. Front is toward the viewer and back is away from the viewer. Left and right are the "
    "left and right sides of the image. Each of the other four directions is halfway between two of these. The front of an object is the side "
    "from which it is used, or the side that leads when it moves. An object faces the one of the eight directions that is closest to the "
    "direction of its front."
)
_YES_NO_QUESTION = 'Is "{direction}" the direction in which {name} faces?'
_YES_NO_PATTERN = re.compile(_YES_NO_QUESTION.replace("?", "[?]").format(name=".+", direction=f"({'|'.join(DIRECTIONS)})"))


@dataclass(frozen=True, slots=True)
class Scene:
    """One object with its environment, and the question about it.

    `target` is the index of the object in the 3-D scene. `asked_direction` is an index in `DIRECTIONS`. It is None where all eight are
    options; `options` are then their indices in the order shown.
    """

    setting: Setting
    target: int
    category: str
    broad_category: str
    scene3d: Scene3D
    asked_direction: int | None = None
    options: tuple[int, ...] = ()


def _sample_scene(plan: SamplingContext) -> tuple[Scene, int]:
    """Sample a scene without a question; return it with the index of the facing direction."""
    rng = plan.image_rng
    setting = SETTINGS[plan.image_stratum("setting", len(SETTINGS))]
    direction = plan.image_stratum("facing", len(DIRECTIONS))
    place = None if setting == "alone" else setting
    view = photograph(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE)
    spans: tuple[Span, ...] = ((_STEP * direction - _STEP / 2, _STEP * direction + _STEP / 2),)
    angle = within(rng, spans, view.across)
    # only objects whose front is recognizable from any side: an object that is shown only from the front would reveal the answer
    catalog_object = object_catalog.pick(rng, object_catalog.plain(object_catalog.chosen(("clear",), place)))
    habitat = habitats.draw(rng, catalog_object, place)
    view = at_height(view, habitats.eye_height(rng, catalog_object, habitat), catalog_object)
    body = standing(catalog_object, (0.0, 0.0), view.azimuth + angle, rng.pick(TINTS))
    camera = aimed(view, [body])
    other_bodies = crowd(rng, setting, camera, [body], rng.integer(2, 5), habitat=habitat)
    if place and not other_bodies:
        raise RejectSample
    scene3d, (index,) = marked_stage(rng, setting, camera, (body, *other_bodies), 1, habitat)
    return Scene(setting, index, catalog_object.category, catalog_object.broad, scene3d), direction


def _facing_index(scene: Scene) -> int:
    """Return the index in `DIRECTIONS` from the yaw of the front relative to the line to the camera."""
    angle = facing(scene.scene3d.camera, scene.scene3d.objects[scene.target].pose)
    return round(angle / _STEP) % len(DIRECTIONS)


def _object_name(scene: Scene) -> str:
    return f"the {scene.category} in the red frame" if scene.scene3d.markers else f"the {scene.category}"


def _sample_yes_no(plan: SamplingContext) -> Scene:
    """Sample a yes-or-no item: half are yes; the other half asks an incorrect direction, see `_OFFSETS`."""
    scene, direction = _sample_scene(plan)
    offsets = _OFFSETS[direction % 2]
    offset = 0 if plan.stratum else offsets[plan.item_stratum("off", len(offsets))]
    return replace(scene, asked_direction=(direction + offset) % len(DIRECTIONS))


def _sample_eight(plan: SamplingContext) -> Scene:
    """Sample an item with all eight directions as options; the key is at each position equally often."""
    scene, direction = _sample_scene(plan)
    others = [other for other in range(len(DIRECTIONS)) if other != direction]
    return replace(scene, options=with_key_at(plan.stratum, direction, others, plan.item_rng))


def _ask_yes_no(scene: Scene) -> Question:
    assert scene.asked_direction is not None
    text = _YES_NO_QUESTION.format(name=_object_name(scene), direction=DIRECTIONS[scene.asked_direction])
    return Question(f"{_FRAME}\n{text}", YesNo(_facing_index(scene) == scene.asked_direction))


def _ask_eight(scene: Scene) -> Question:
    options = tuple(DIRECTIONS[i] for i in scene.options)
    text = f"{_FRAME}\nIn which of the eight directions does {_object_name(scene)} face?"
    return Question(text, Choice(options, scene.options.index(_facing_index(scene))))


def _direction_in_image(pictures: tuple[Any, ...]) -> str:
    """Return the facing direction from two components of the front vector: to the right of the image, and out of the image.

    The direction is on one axis where that component is at least 2.41 times the other one.
    """
    (picture,) = pictures
    right, out = across_and_back(scene_transforms.flat_camera(picture), marked(picture))
    depth = "" if abs(right) > _AXIS_RATIO * abs(out) else "front" if out > 0 else "back"
    side = "" if abs(out) > _AXIS_RATIO * abs(right) else "right" if right > 0 else "left"
    return f"{depth} {side}".strip()


def _read_yes_no(pictures: tuple[Any, ...], text: str) -> str:
    asked = _YES_NO_PATTERN.search(text)
    assert asked, text
    return "yes" if asked[1] == _direction_in_image(pictures) else "no"


def _read_eight(pictures: tuple[Any, ...], _text: str) -> str:
    return _direction_in_image(pictures)


# Symmetries --------------------------------------------------------------------------------------------------------


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, scene3d=scene_transforms.from_another_side(scene.scene3d)), identity


def _rotated(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the object by 45 degrees: the direction in the question, or the answer, rotates with it."""
    rotated = replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.target, _STEP))
    if scene.asked_direction is not None:
        return replace(rotated, asked_direction=(scene.asked_direction + 1) % len(DIRECTIONS)), identity
    return rotated, lambda answer: DIRECTIONS[(DIRECTIONS.index(answer) + 1) % len(DIRECTIONS)]


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Mirror the scene: left and right change places in the question or in the answer."""
    mirrored = replace(scene, scene3d=scene_transforms.in_a_mirror(scene.scene3d))
    if scene.asked_direction is not None:
        return replace(mirrored, asked_direction=-scene.asked_direction % len(DIRECTIONS)), identity
    return mirrored, lambda answer: DIRECTIONS[-DIRECTIONS.index(answer) % len(DIRECTIONS)]


# Attributes ---------------------------------------------------------------------------------------------------------


def deviation(scene: Scene) -> str:
    """Return the angle between the direction in the question and the true one, and whether left and right are swapped."""
    assert scene.asked_direction is not None
    direction = _facing_index(scene)
    angle = min((scene.asked_direction - direction) % 8, (direction - scene.asked_direction) % 8) * _STEP
    return f"{angle} degrees{', left-right mirrored' if angle and (scene.asked_direction + direction) % 8 == 0 else ''}"


def _attributes(scene: Scene) -> dict[str, str]:
    attributes = {
        "direction": DIRECTIONS[_facing_index(scene)],
        "setting": scene.setting,
        "category": scene.category,
        "broad class": scene.broad_category,
    }
    return attributes if scene.asked_direction is None else {**attributes, "deviation": deviation(scene)}


def _angles(answer: Choice) -> Mapping[str, OptionAngles]:
    """Return the angles of the options: a front toward the left of the image is 90 degrees clockwise of the camera, seen from above."""
    angles = tuple(-_STEP * (place if place < 4 else place - 8) + 0.0 for place in map(DIRECTIONS.index, answer.options))
    return {"front": OptionAngles(angles, "clockwise, seen from above")}


_SKILLS = ("egocentric orientation", "left and right")
_IMAGES: Images[Scene] = Images(family="srbench/orientation", size_px=384, least_px=192)
_SAMPLING: Sampling[Scene] = Sampling(layout=lambda scene: scene.scene3d)
_PAPER = Paper(source="SRBench, section 3.4 (EgoOrientBench)", scorer=published)


def _rectangle_and_category(scene: Scene) -> list[float]:
    """Return width, height and their ratio in the image, the category, its ratio of depth to width, and the direction asked."""
    target = scene.scene3d.objects[scene.target]
    box = image_rectangle(scene.scene3d, target)
    _, (wide, _, deep) = bounds(target.geometry)
    asked = [] if scene.asked_direction is None else [scene.asked_direction, scene.asked_direction % 2, scene.asked_direction % 4]
    return [box.width, box.height, box.width / box.height, _CATEGORIES.index(scene.category), deep / wide, *map(float, asked)]


_CATEGORIES = sorted({entry.category for entry in object_catalog.known().values()})
_CHECKS = Checks(
    symmetries=(_from_another_side, _rotated, _in_a_mirror),
    features={"the rectangle and the category": _rectangle_and_category},
    factors={"category": lambda scene: scene.category},
)
_WIDTH = "most objects are wider from the side than from the front, and four of the eight directions are diagonal"

TASKS: tuple[Task[Scene], ...] = (
    Task(
        id="srbench/orientation",
        version=4,
        summary="Decide whether an object faces a given direction, as seen by the viewer.",
        sample=_sample_yes_no,
        draw=lambda scene: (scene.scene3d,),
        ask=_ask_yes_no,
        rederive=_read_yes_no,
        answers=Answers(type="yes-no", strata=2),
        skills=_SKILLS,
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=replace(_PAPER, prompt=PUBLISHED_PROMPT, sizes={"test": Preset(ITEMS, note="the paper's 400 items, yes or no")}),
        reported=Reported(attributes=_attributes),
        checks=_CHECKS,
    ),
    Task(
        id="srbench/orientation-eight-way",
        version=4,
        summary="Name the facing direction of an object, out of eight.",
        sample=_sample_eight,
        draw=lambda scene: (scene.scene3d,),
        ask=_ask_eight,
        rederive=_read_eight,
        answers=Answers(type="choice", strata=len(DIRECTIONS), balance=lambda answer: answer.canonical()),
        skills=_SKILLS,
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=replace(_PAPER, prompt=EIGHT_WAY),
        reported=Reported(attributes=_attributes, option_angles=_angles),
        checks=replace(
            _CHECKS,
            exemptions={
                "the rectangle and the category (learned)": Exemption(_WIDTH, 0.3),
                "the rectangles of the objects (learned)": Exemption(_WIDTH, 0.2),
            },
        ),
    ),
)
