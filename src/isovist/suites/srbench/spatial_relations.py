"""Spatial relations: positions and facing directions of one or two objects (section 3.3 of the paper, after Spatial-Obj).

The relations are those that geometry determines (`relation_types`). `relation_scenes` builds a scene for each relation.
Keys come from the poses in the 3-D scene: bearings, yaws and heights. `relation_rederivation` derives them again by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import copysign, hypot
from typing import Any

from isovist.core.answers import Choice
from isovist.core.rotation import Vector, azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Group, Scene3D, SceneObject, facing
from isovist.core.task import Answers, Checks, Images, Paper, Preset, Question, Reported, Sampling, SamplingContext, Task, identity
from isovist.suites.srbench.published_prompt import PUBLISHED_PROMPT
from isovist.suites.srbench.published_scorer import published
from isovist.suites.srbench.relation_rederivation import read
from isovist.suites.srbench.relation_scenes import placed
from isovist.suites.srbench.relation_shortcuts import EXEMPTIONS, FEATURES, SHORTCUTS
from isovist.suites.srbench.relation_types import COLOURS, DEPTHS, KINDS, LEVELS, RelationType, mirrored, parse_question, relations_of_level
from isovist.world.scenes import scene_transforms
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.distractor_types import OTHER_REFERENCE_FRAME
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.scene_builder import Setting
from isovist.world.scenes.scene_transforms import flat_camera, marked_stage

_ROUNDING = 2e-3  # metres
_MIDDLE = 0.15
"""Angle in parts of the field of view that separates the middle of the image from a corner."""
_NEXT_TO = 2.5
"""Distance in sums of reaches that separates objects next to each other from those far apart."""
_LYING, _OVER_HEAD = 0.03, 0.15
"""Maximum height of an object on the ground, and maximum horizontal distance from a person to an object on the head, in metres."""
KEY, OTHER = "key", "other relation"


@dataclass(frozen=True, slots=True)
class Scene:
    """One relation in one 3-D scene.

    `kind` is a name in `KINDS`. `targets` are the indices of the one to three target objects in the 3-D scene, red first; `names` and
    `broad_categories` belong to them. `order` holds the options in the order shown, as indices in the options of the relation.
    """

    kind: str
    setting: Setting
    targets: tuple[int, ...]
    names: tuple[str, ...]
    broad_categories: tuple[str, ...]
    order: tuple[int, ...]
    scene3d: Scene3D

    @property
    def target_objects(self) -> tuple[SceneObject, ...]:
        """The target objects, red first."""
        return tuple(self.scene3d.objects[i] for i in self.targets)


def _sample(plan: SamplingContext) -> Scene:
    """Sample a scene: relations of a level, their keys and the option labels of the keys are balanced."""
    relations = relations_of_level(plan.level)
    n = len(relations[0].options)
    index, truth = divmod(plan.image_stratum("relation", len(relations) * n), n)
    kind = relations[index]
    setting, camera, bodies, n_targets = placed(plan, kind, truth)
    marked_scene, targets = marked_stage(plan.image_rng, setting, camera, bodies, n_targets)
    scene3d = replace(marked_scene, markers=())  # the question names the objects: frames would show where both are
    catalog_objects = [body.thing for body in bodies[:n_targets]]
    order = with_key_at(plan.stratum, truth, [i for i in range(n) if i != truth], plan.item_rng)
    categories, broad = tuple(entry.category for entry in catalog_objects), tuple(entry.broad for entry in catalog_objects)
    return Scene(kind.name, setting, targets, categories, broad, order, scene3d)


# The key -----------------------------------------------------------------------------------------------------------


def _bearing(a: Vector, b: Vector) -> float:
    """Return the bearing of point b from point a, in degrees."""
    return azimuth((b[0] - a[0], 0.0, b[2] - a[2]))


def _quarter(angle: float) -> int:
    """Return the quadrant of an angle: 0 to the right (90 degrees), 1 to the left, 2 ahead, 3 behind."""
    return (2, 0, 3, 1)[round(angle / 90) % 4]


def _key(scene: Scene, frame: str) -> int:
    """Return the index of the correct option, in the given reference frame if the relation has two."""
    kind, scene3d = KINDS[scene.kind], scene.scene3d
    red, *others = scene.target_objects
    match kind.scenery:
        case "quarters":
            return _part_of_image(scene3d, red, kind)
        case "heights" if not others:
            return int(red.pose.position[1] == 0)
        case "alone":
            side = (1, 0, 2, 3)[_quarter(facing(scene3d.camera, red.pose))]  # left, right, toward, away; the same in its own frame
            return side % 2 if len(kind.options) == 2 else side
        case "around":
            (blue,) = others
            if frame == "viewer" and kind.options in DEPTHS:
                return int(abs(_bearing_from_camera_line(scene3d, red, blue)) > 90)
            return _direction_from(scene3d, red, blue, frame) % (2 if len(kind.options) == 2 else 4)
        case "stances":
            return _relative_facing(red, others[0], kind)
        case "heights":
            return int(red.pose.position[1] < others[0].pose.position[1])
        case "held":
            return _carried(red, others[0])
        case "held or not" | "panel":
            return int(_stands_on_block(scene3d, red))
        case "nearness":
            return int(_ground_distance(red, others[0]) > _NEXT_TO * (_reach(red) + _reach(others[0])))
        case "row":
            ways = [_bearing(red.pose.position, other.pose.position) for other in others]
            return int(abs(wrapped(ways[0] - ways[1])) < 90)
        case _:
            return _supported(scene3d, red, others[0], kind)


def _part_of_image(scene3d: Scene3D, target: SceneObject, kind: RelationType) -> int:
    """Return the half or quarter of the image, from the bearing and elevation of the object centre relative to the camera axis."""
    camera = flat_camera(scene3d)
    (x, y, z), axis_point = camera.eye, camera.target
    centre = target.pose.position[0], target.pose.position[1] + bounds(target.geometry)[1][1] / 2, target.pose.position[2]
    across = wrapped(_bearing(camera.eye, centre) - _bearing(camera.eye, axis_point))
    right = int(across < 0)
    # slopes of two lines from the eye: the steeper one is lower in the image
    slopes = [(y - point[1]) / ((point[0] - x) ** 2 + (point[2] - z) ** 2) ** 0.5 for point in (centre, axis_point)]
    lower = int(slopes[0] > slopes[1])
    if "corner" in kind.name:
        return int(abs(across) > _MIDDLE * camera.fov)
    if len(kind.options) == 4:
        return right + 2 * lower
    return lower if "upper" in kind.name else right


def _direction_from(scene3d: Scene3D, red: SceneObject, blue: SceneObject, frame: str) -> int:
    """Return the direction of red from blue: 0 left, 1 right, 2 in front, 3 behind.

    The reference is the line from the midpoint of both to the camera, or the front of blue where `frame` is "own".
    """
    bearing = _bearing(blue.pose.position, red.pose.position)
    if frame == "own":
        return (0, 1, 2, 3)[_quarter(wrapped(bearing - blue.pose.yaw))]  # own left is 90 degrees from its front
    return (1, 0, 2, 3)[_quarter(_bearing_from_camera_line(scene3d, red, blue))]


def _bearing_from_camera_line(scene3d: Scene3D, red: SceneObject, blue: SceneObject) -> float:
    """Return the bearing of red from blue in degrees, relative to the line from the midpoint of both to the camera."""
    (a, _, c), (d, _, f) = red.pose.position, blue.pose.position
    return wrapped(_bearing(blue.pose.position, red.pose.position) - _bearing(((a + d) / 2, 0.0, (c + f) / 2), scene3d.camera.eye))


def _ground_distance(red: SceneObject, blue: SceneObject) -> float:
    """Return the horizontal distance of two poses in metres."""
    (x, _, z), (u, _, w) = red.pose.position, blue.pose.position
    return hypot(x - u, z - w)


def _reach(solid: SceneObject) -> float:
    """Return half the diagonal of the footprint in metres."""
    _, (x, _, z) = bounds(solid.geometry)
    return hypot(x, z) * solid.scale


def _carried(thing: SceneObject, person: SceneObject) -> int:
    """Return where a person has an object: 0 in the left hand, 1 in the right hand, 2 on the head, 3 on the ground."""
    if thing.pose.position[1] < _LYING:
        return 3
    if _ground_distance(thing, person) < _OVER_HEAD:
        return 2
    return int(wrapped(_bearing(person.pose.position, thing.pose.position) - person.pose.yaw) < 0)


def _stands_on_block(scene3d: Scene3D, thing: SceneObject) -> bool:
    """Return whether the origin of an object is on the top of the block."""
    (block,) = (solid for solid in scene3d.objects if solid.name == "block")
    level = abs(thing.pose.position[1] - bounds(block.geometry)[1][1]) < _ROUNDING
    return level and _ground_distance(thing, block) < _ROUNDING


def _relative_facing(red: SceneObject, blue: SceneObject, kind: RelationType) -> int:
    """Return the key of a relation between two facing directions."""
    difference = _quarter(wrapped(red.pose.yaw - blue.pose.yaw))
    faces_blue = abs(wrapped(red.pose.yaw - _bearing(red.pose.position, blue.pose.position))) < 90
    match kind.name:
        case "faces toward or away from":
            return int(not faces_blue)
        case "same or opposite direction":
            return difference - 2
        case "parallel or perpendicular":
            return int(difference < 2)
        case _:
            return 3 if difference < 2 else 2 if difference == 2 else int(not faces_blue)


def _corner_is_walled(thing: SceneObject, walls: SceneObject) -> bool:
    """Return whether a wall is at the corner of the bounding rectangle of the walls whose quarter contains an object."""
    (x, _, z), (u, _, v) = thing.pose.position, walls.pose.position
    c, s = cosine(walls.pose.yaw), sine(walls.pose.yaw)
    across, ahead = (x - u) * c - (z - v) * s, (x - u) * s + (z - v) * c
    _, (wide, _, deep) = bounds(walls.geometry)
    if abs(across) > wide or abs(ahead) > deep or not isinstance(walls.geometry, Group):
        return False
    corner = copysign(wide, across), copysign(deep, ahead)
    ends = [(part.pose.position, bounds(part.geometry)[1]) for part in walls.geometry.parts]
    return any(abs(corner[0] - at[0]) <= size[0] + _ROUNDING and abs(corner[1] - at[2]) <= size[2] + _ROUNDING for at, size in ends)


def _supported(scene3d: Scene3D, red: SceneObject, blue: SceneObject, kind: RelationType) -> int:
    """Return the key of a support relation from the height of red and the distance of the centres, compared with the width of blue."""
    raised = red.pose.position[1] > 0
    near = _ground_distance(red, blue) < bounds(blue.geometry)[1][0]
    if kind.scenery == "block":
        high = bounds(blue.geometry)[1][1]
        widths = bounds(red.geometry)[1][0] + bounds(blue.geometry)[1][0]  # both half as wide
        flush = not raised and _ground_distance(red, blue) < widths + _ROUNDING
        return int(not (flush or (raised and near and abs(red.pose.position[1] - high) < _ROUNDING)))
    if kind.scenery == "pen":
        return int(not _corner_is_walled(red, blue))
    return 0 if raised else 1 if near else 2 + _direction_from(scene3d, red, blue, "viewer")


# The question -------------------------------------------------------------------------------------------------------------


def _ask(scene: Scene) -> Question:
    kind = KINDS[scene.kind]
    options = tuple(kind.options[i] for i in scene.order)
    names = {colour: f"the {name}" for colour, name in zip(COLOURS, scene.names, strict=False)}
    return Question(kind.text.format(**names), Choice(options, scene.order.index(_key(scene, kind.frame))))


def _read(pictures: tuple[Any, ...], text: str) -> str:
    (scene3d,) = pictures
    kind, names = parse_question(text)
    return read(scene3d, kind, names)


# Symmetries --------------------------------------------------------------------------------------------------------


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, scene3d=scene_transforms.from_another_side(scene.scene3d)), identity


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Mirror the scene: left and right change places in either reference frame."""
    return replace(scene, scene3d=scene_transforms.in_a_mirror(scene.scene3d)), mirrored


def _renamed(kind: RelationType, new: tuple[int, ...]) -> Callable[[str], str]:
    return lambda answer: kind.options[new[kind.options.index(answer)]]


def _exchanged(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Exchange the roles of the objects in the question: left and right change places, and so do in front and behind."""
    kind = KINDS[scene.kind]
    if not kind.swapped:
        return scene, identity
    exchanged = replace(scene, targets=scene.targets[::-1], names=scene.names[::-1], broad_categories=scene.broad_categories[::-1])
    return exchanged, _renamed(kind, kind.swapped)


def _rotated_180(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the reference object by 180 degrees. In the viewer's frame the key stays the same."""
    kind = KINDS[scene.kind]
    if kind.reversed:
        return replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.targets[kind.reversed_target])), _renamed(
            kind, kind.reversed
        )
    if kind.scenery == "around":
        return replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.targets[1])), identity
    return scene, identity


# Attributes ---------------------------------------------------------------------------------------------------------


def _other_frame(scene: Scene) -> int | None:
    """Return the option that is correct in the other reference frame; None if there is none, or if the relation has only one frame."""
    kind = KINDS[scene.kind]
    if kind.scenery == "held":
        red, blue = scene.target_objects
        side = _direction_from(scene.scene3d, red, blue, "viewer")
        return side if _key(scene, "own") < 2 and side < 2 else None
    if kind.scenery != "around" or kind.name == "nearer or farther":
        return None
    red, blue = scene.target_objects
    direction = _direction_from(scene.scene3d, red, blue, "viewer" if kind.frame == "own" else "own")
    if len(kind.options) == 4:
        return direction
    sideways = "left" in kind.name
    return direction % 2 if sideways == (direction < 2) else None


def _distractor_types(scene: Scene) -> tuple[str, ...]:
    """Return the distractor type of each option in the order shown."""
    key, other = _key(scene, KINDS[scene.kind].frame), _other_frame(scene)
    return tuple(KEY if i == key else OTHER_REFERENCE_FRAME if i == other else OTHER for i in scene.order)


def kind(scene: Scene) -> str:
    """Return the name of the relation."""
    return scene.kind


def _attributes(scene: Scene) -> Mapping[str, str]:
    kind = KINDS[scene.kind]
    other = _other_frame(scene)
    agreement = "only one frame" if other is None else "agree" if other == _key(scene, kind.frame) else "differ"
    return {
        "relation": kind.name,
        "reference frame": kind.frame,
        "frame agreement": agreement,
        "objects": str(len(scene.targets)),
        "options": str(len(kind.options)),
        "setting": scene.setting,
    }


TASK: Task[Scene] = Task(
    id="srbench/spatial-relations",
    version=6,
    summary="Determine positions and facing directions of objects, in viewer-centred or object-centred frames.",
    sample=_sample,
    draw=lambda scene: (scene.scene3d,),
    ask=_ask,
    rederive=_read,
    answers=Answers(
        type="choice",
        strata=tuple(len(relations_of_level(level)[0].options) for level in LEVELS),
        balance=lambda answer: answer.canonical(),
    ),
    skills=("spatial relations", "frames of reference"),
    levels=LEVELS,
    images=Images(size_px=384, least_px=192),
    sampling=Sampling(layout=lambda scene: scene.scene3d),
    paper=Paper(
        source="SRBench, section 3.3 (Spatial-Obj)",
        prompt=PUBLISHED_PROMPT,
        scorer=published,
        sizes={
            "test": Preset(400, note="400 items as in the paper; the paper does not state their distribution: here a quarter per level")
        },
    ),
    reported=Reported(attributes=_attributes, distractor_types=_distractor_types),
    checks=Checks(
        symmetries=(_from_another_side, _in_a_mirror, _exchanged, _rotated_180),
        shortcuts=SHORTCUTS,
        features=FEATURES,
        kind=kind,
        exemptions=EXEMPTIONS,
        factors={"category": lambda scene: scene.names[0]},
    ),
)
