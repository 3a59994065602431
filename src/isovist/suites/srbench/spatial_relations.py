"""Spatial relations: where objects are in a picture, to each other, and which way they face (section 3.3 of the paper, after Spatial-Obj).

What is asked are those relations that geometry decides, see `relation_types`; how scenes are built around them, `relation_scenes`.
Keys come from the poses on the stage: bearings, yaws, heights, and are read again by other means, `relation_rederivation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import Choice
from isovist.core.rotation import Vector, azimuth, wrapped
from isovist.core.scene3d import Scene3D, SceneObject, facing
from isovist.core.task import Preset, Question, SamplingContext, Task, identity
from isovist.scenes import scene_transforms
from isovist.scenes.answer_options import with_key_at
from isovist.scenes.distractor_types import OTHER_REFERENCE_FRAME
from isovist.scenes.environments.bounding_boxes import bounds
from isovist.scenes.scene_builder import Setting
from isovist.scenes.scene_transforms import flat_camera, marked_stage
from isovist.suites.srbench.published_scorer import published
from isovist.suites.srbench.relation_rederivation import read
from isovist.suites.srbench.relation_scenes import placed
from isovist.suites.srbench.relation_shortcuts import SHORTCUTS
from isovist.suites.srbench.relation_types import DEPTHS, KINDS, LEVELS, RelationType, at, mirrored, parse_question

PIXELS = 384
ITEMS = 400
_ROUNDING = 2e-3  # metres
KEY, OTHER = "key", "another relation"


@dataclass(frozen=True, slots=True)
class Scene:
    """`kind`: a name in `KINDS`. `targets`: the one or two objects asked about, red first, as places in the stage's solids;
    `names` and `broad_categories` are theirs. `order`: the options as shown, as places in those of the kind.
    """

    kind: str
    setting: Setting
    targets: tuple[int, ...]
    names: tuple[str, ...]
    broad_categories: tuple[str, ...]
    order: tuple[int, ...]
    scene3d: Scene3D

    @property
    def solids(self) -> tuple[SceneObject, ...]:
        """Those asked about."""
        return tuple(self.scene3d.objects[i] for i in self.targets)


def _sample(plan: SamplingContext) -> Scene:
    """Every relation of a level equally often, each of its answers equally often, at every letter equally often."""
    kinds = at(plan.level)
    n = len(kinds[0].options)
    nth, truth = divmod(plan.image_stratum("relation", len(kinds) * n), n)
    kind = kinds[nth]
    setting, camera, bodies, targets = placed(plan, kind, truth)
    marked, places = marked_stage(plan.image_rng, setting, camera, bodies, targets)
    stage = replace(marked, markers=())  # names must do: frames alone would tell where both are
    things = [body.thing for body in bodies[:targets]]
    order = with_key_at(plan.stratum, truth, [i for i in range(n) if i != truth], plan.item_rng)
    return Scene(kind.name, setting, places, tuple(t.category for t in things), tuple(t.broad for t in things), order, stage)


# The key -----------------------------------------------------------------------------------------------------------


def _way(a: Vector, b: Vector) -> float:
    """The bearing of one point from another."""
    return azimuth((b[0] - a[0], 0.0, b[2] - a[2]))


def _quarter(angle: float) -> int:
    """0 to the right (90 degrees), 1 to the left, 2 ahead, 3 behind."""
    return (2, 0, 3, 1)[round(angle / 90) % 4]


def _key(scene: Scene, frame: str) -> int:
    """The place of the right option, in a frame of reference if the relation has two."""
    kind, stage = KINDS[scene.kind], scene.scene3d
    red, *others = scene.solids
    match kind.scenery:
        case "quarters":
            return _part_of_picture(stage, red, kind)
        case "alone":
            side = (1, 0, 2, 3)[_quarter(facing(stage.camera, red.pose))]  # left, right, towards, away; in its own frame as well
            return side % 2 if len(kind.options) == 2 else side
        case "around":
            (blue,) = others
            if frame == "viewer" and kind.options in DEPTHS:
                return int(abs(_off_camera(stage, red, blue)) > 90)
            return _around(stage, red, blue, frame) % (2 if len(kind.options) == 2 else 4)
        case "stances":
            return _stance(red, others[0], kind)
        case "heights":
            return int(red.pose.position[1] < others[0].pose.position[1])
        case _:
            return _supported(stage, red, others[0], kind)


def _part_of_picture(stage: Scene3D, solid: SceneObject, kind: RelationType) -> int:
    """By the bearing and the height of the middle, as seen from the eye, against the direction in which the camera looks."""
    camera = flat_camera(stage)
    (x, y, z), target = camera.eye, camera.target
    middle = solid.pose.position[0], solid.pose.position[1] + bounds(solid.geometry)[1][1] / 2, solid.pose.position[2]
    right = int(wrapped(_way(camera.eye, middle) - _way(camera.eye, target)) < 0)
    # slopes of two lines from the eye: the steeper one falls lower in the picture
    slopes = [(y - point[1]) / ((point[0] - x) ** 2 + (point[2] - z) ** 2) ** 0.5 for point in (middle, target)]
    lower = int(slopes[0] > slopes[1])
    if len(kind.options) == 4:
        return right + 2 * lower
    return lower if "upper" in kind.name else right


def _around(stage: Scene3D, red: SceneObject, blue: SceneObject, frame: str) -> int:
    """Left, right, in front or behind: of the line to the camera from the middle between both, or of blue's own front."""
    bearing = _way(blue.pose.position, red.pose.position)
    if frame == "own":
        return (0, 1, 2, 3)[_quarter(wrapped(bearing - blue.pose.yaw))]  # own left is 90 degrees from its front
    return (1, 0, 2, 3)[_quarter(_off_camera(stage, red, blue))]


def _off_camera(stage: Scene3D, red: SceneObject, blue: SceneObject) -> float:
    """The bearing of red from blue, from the line to the camera from the middle between both."""
    (a, _, c), (d, _, f) = red.pose.position, blue.pose.position
    return wrapped(_way(blue.pose.position, red.pose.position) - _way(((a + d) / 2, 0.0, (c + f) / 2), stage.camera.eye))


def _stance(red: SceneObject, blue: SceneObject, kind: RelationType) -> int:
    turned = _quarter(wrapped(red.pose.yaw - blue.pose.yaw))
    towards = abs(wrapped(red.pose.yaw - _way(red.pose.position, blue.pose.position))) < 90
    match kind.name:
        case "faces towards or away from":
            return int(not towards)
        case "same or opposite way":
            return turned - 2
        case "parallel or at right angles":
            return int(turned < 2)
        case _:
            return 3 if turned < 2 else 2 if turned == 2 else int(not towards)


def _supported(stage: Scene3D, red: SceneObject, blue: SceneObject, kind: RelationType) -> int:
    """By the height of red, and whether its middle is nearer to that of blue than blue is wide."""
    raised = red.pose.position[1] > 0
    (x, _, z), (u, _, w) = red.pose.position, blue.pose.position
    near = ((x - u) ** 2 + (z - w) ** 2) ** 0.5 < bounds(blue.geometry)[1][0]
    if kind.scenery == "block":
        high = bounds(blue.geometry)[1][1]
        widths = bounds(red.geometry)[1][0] + bounds(blue.geometry)[1][0]  # both half as wide
        flush = not raised and ((x - u) ** 2 + (z - w) ** 2) ** 0.5 < widths + _ROUNDING
        return int(not (flush or (raised and near and abs(red.pose.position[1] - high) < _ROUNDING)))
    if kind.scenery == "pen":
        return int(not near)
    return 0 if raised else 1 if near else 2 + _around(stage, red, blue, "viewer")


# Words -------------------------------------------------------------------------------------------------------------


def _named(scene: Scene) -> dict[str, str]:
    """What the objects are called."""
    return {colour: f"the {name}" for colour, name in zip(("red", "blue"), scene.names, strict=False)}


def _ask(scene: Scene) -> Question:
    kind = KINDS[scene.kind]
    options = tuple(kind.options[i] for i in scene.order)
    return Question(kind.text.format(**_named(scene)), Choice(options, scene.order.index(_key(scene, kind.frame))))


def _read(pictures: tuple[Any, ...], words: str) -> str:
    (picture,) = pictures
    kind, names = parse_question(words)
    return read(picture, kind, names)


# Symmetries --------------------------------------------------------------------------------------------------------


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, scene3d=scene_transforms.from_another_side(scene.scene3d)), identity


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Left becomes right, in either frame of reference."""
    return replace(scene, scene3d=scene_transforms.in_a_mirror(scene.scene3d)), mirrored


def _renamed(kind: RelationType, new: tuple[int, ...]) -> Callable[[str], str]:
    return lambda answer: kind.options[new[kind.options.index(answer)]]


def _exchanged(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The question names the objects the other way round: left becomes right, in front behind."""
    kind = KINDS[scene.kind]
    if not kind.swapped:
        return scene, identity
    moved = replace(scene, targets=scene.targets[::-1], names=scene.names[::-1], broad_categories=scene.broad_categories[::-1])
    return moved, _renamed(kind, kind.swapped)


def _about_face(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The object whose front matters turns round. In the viewer's frame what is around it stays where it is."""
    kind = KINDS[scene.kind]
    if kind.turned:
        return replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.targets[kind.turns])), _renamed(kind, kind.turned)
    if kind.scenery == "around":
        return replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.targets[1])), identity
    return scene, identity


# What reports group by ---------------------------------------------------------------------------------------------


def _other_frame(scene: Scene) -> int | None:
    """The option that the other frame of reference, viewer's or object's own, makes right; None if that is none, or not asked for."""
    kind = KINDS[scene.kind]
    if kind.scenery != "around" or kind.name == "nearer or farther":
        return None
    red, blue = scene.solids
    direction = _around(scene.scene3d, red, blue, "viewer" if kind.frame == "own" else "own")
    if len(kind.options) == 4:
        return direction
    sideways = "left" in kind.name
    return direction % 2 if sideways == (direction < 2) else None


def _errors(scene: Scene) -> tuple[str, ...]:
    """What each option shown stands for."""
    key, other = _key(scene, KINDS[scene.kind].frame), _other_frame(scene)
    return tuple(KEY if i == key else OTHER_REFERENCE_FRAME if i == other else OTHER for i in scene.order)


def _facets(scene: Scene) -> Mapping[str, str]:
    kind = KINDS[scene.kind]
    other = _other_frame(scene)
    agree = "no second frame" if other is None else "agree" if other == _key(scene, kind.frame) else "differ"
    return {
        "relation": kind.name,
        "frame of reference": kind.frame,
        "both frames": agree,
        "objects": str(1 + kind.two),
        "options": str(len(kind.options)),
        "setting": scene.setting,
    }


TASK: Task[Scene] = Task(
    id="srbench/spatial-relations",
    version=2,
    summary="Determine positions and facing directions of objects, in viewer-centred or object-centred frames.",
    sample=_sample,
    draw=lambda scene: (scene.scene3d,),
    ask=_ask,
    rederive=_read,
    strata=tuple(len(at(level)[0].options) for level in LEVELS),
    balance=lambda answer: answer.canonical(),
    chance=sum(1 / len(at(level)[0].options) for level in LEVELS) / len(LEVELS),
    answer_type="choice",
    levels=LEVELS,
    layout=lambda scene: scene.scene3d,
    symmetries=(_from_another_side, _in_a_mirror, _exchanged, _about_face),
    skills=("spatial relations", "frames of reference"),
    source="SRBench, section 3.3 (Spatial-Obj)",
    image_size_px=PIXELS,
    published_scorer=published,
    attributes=_facets,
    distractor_types=_errors,
    shortcuts=SHORTCUTS,
    category=lambda scene: scene.names[0],
    published_sizes={"test": Preset(ITEMS, note="the paper's 400 items; how it shares them out is not told: here a quarter each")},
)
