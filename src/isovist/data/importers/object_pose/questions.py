"""DORI questions about objects in photographs, with the texts, options, classes, margins and rederivation of the suite.

Each question uses a 3-D scene with a substitute for every object in question, at the annotated position and with the annotated
rotation. The task generates the question from this scene and rederives its key. The scene is never rendered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, degrees, sqrt
from typing import Any

from isovist.core.answers import Choice
from isovist.core.rotation import Vector, azimuth, cross, dot, sine, unit, wrapped
from isovist.core.scene3d import Camera, MeshRef, ObjectMarker, Pose, Scene3D, SceneObject, facing
from isovist.core.task import Question, Task
from isovist.data import prompts
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject
from isovist.suites import registry
from isovist.suites.dori import frontal, inter_object, single_axis
from isovist.suites.dori.shared_parts import Scene
from isovist.world.scenes.scene_transforms import BLUE, RED, Span, is_within

Spans = Sequence[Sequence[Span]]
"""Angle ranges of each option that has any."""

PAIR = "inter-object-direction"
TASKS = ("view-parallelism", "directional-facing", "single-axis-rotation", PAIR)
LEVELS = ("coarse", "granular")
MOST_TILT = 20.0
"""Maximum roll of the camera in degrees. Rendered images have none."""
MOST_LEAN = 10.0
"""Maximum angle in degrees between the up directions of two objects."""
STEEPEST = 60.0
"""Maximum pitch of the camera in degrees, up or down. Seen from above, left, right, toward and away are undefined."""
MARGIN = 10.0
"""Minimum angle to the edges of a class in degrees; less than in generated items, because annotated photographs are few."""

_FRONT, _NO_FRONT = MeshRef("armchair-cream"), MeshRef("barrel")  # any mesh with a front, and any without
_FAR, _EYE = 10.0, 1.6


@dataclass(frozen=True, slots=True)
class PoseQuestion:
    """A question about one or two objects. `truth`: the text of the correct option."""

    task: str
    level: str
    about: tuple[AnnotatedObject, ...]
    question: Question
    answer: Choice

    @property
    def truth(self) -> str:
        return self.answer.options[self.answer.truth]


def ask(name: str, level: str, about: tuple[AnnotatedObject, ...]) -> PoseQuestion:
    """Return the question of a task and level. Raises Unusable if no answer keeps the margins or the annotations are insufficient."""
    if level == "granular" and any(seen.coarse for seen in about):
        raise Unusable("the label is too coarse for the granular level")
    if name != PAIR and any(seen.rotational_symmetry for seen in about):
        raise Unusable("the format does not define the front", about[0].kind.category)
    if name == "view-parallelism" and level == "coarse" and about[0].front is None:
        raise Unusable("no option fits", "it has no front")
    stage = _stage(about)
    if all(seen.front for seen in about):
        _clear(name, level, stage, about)
    scene = Scene(
        level, "alone", tuple(range(len(about))), tuple(s.kind.category for s in about), tuple(s.kind.broad for s in about), (stage,)
    )
    task: Task[Any] = registry.task(f"dori/{name}")
    question = task.ask(scene)
    answer = question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI questions are choices, not {answer.kind}")
    read = task.rederive((stage,), prompts.prompt(question.text, answer, 1))
    if read != answer.balance_bin():
        raise Unusable("the two derivations of the key differ", f"{answer.balance_bin()} / {read}")
    return PoseQuestion(name, level, about, question, answer)


def _stage(about: tuple[AnnotatedObject, ...]) -> Scene3D:
    """Return a scene with substitutes for the objects and a level camera at the same position.

    Raises Unusable for too large camera angles.
    """
    up = _up(about)
    # columns of the level frame in the camera frame: right, up, and out of the image along the ground
    down = degrees(asin(max(-1.0, min(1.0, up[2]))))
    if abs(down) > STEEPEST:
        raise Unusable("the camera pitch is too large", f"{abs(down):.0f} degrees")
    back = unit((-up[0] * up[2], -up[1] * up[2], 1 - up[2] * up[2]))
    right = cross(up, back)
    if right[0] < sqrt(1 - sine(MOST_TILT) ** 2):
        raise Unusable("the camera roll is too large", f"{degrees(asin(min(1.0, abs(right[1])))):.0f} degrees")
    solids: list[SceneObject] = []
    for seen in about:
        x, z = _level(seen.at, right, back)
        yaw = azimuth((ahead[0], 0.0, ahead[1])) if seen.front and (ahead := _level(seen.front, right, back)) else 0.0
        at = (round(_FAR * x, 6), 0.0, round(_FAR * z, 6))
        solids.append(SceneObject(_FRONT if seen.front else _NO_FRONT, Pose(at, yaw=round(yaw, 6))))
    eye = (0.0, _EYE, 0.0)
    target = (0.0, round(_EYE - sine(down), 6), round(-sine(90 - abs(down)), 6))
    marks = tuple(ObjectMarker(i, colour) for i, colour in zip(range(len(about)), (RED, BLUE), strict=False))
    return Scene3D(tuple(solids), Camera(eye, target), markers=marks)


def _up(about: tuple[AnnotatedObject, ...]) -> Vector:
    """Return the direction against gravity; both objects of a pair must agree. Raises Unusable."""
    try:
        ups = [unit(seen.up) for seen in about]
    except ValueError:
        raise Unusable("no pose", "no direction is up") from None
    if any(dot(ups[0], up) < sine(90 - MOST_LEAN) for up in ups):
        raise Unusable("one of the two objects is not upright")
    return ups[0]


def _level(vector: Vector, right: Vector, back: Vector) -> tuple[float, float]:
    """Return the horizontal components of a vector: right, and out of the image. Raises Unusable for a vertical vector."""
    x, z = dot(vector, right), dot(vector, back)
    length = sqrt(x * x + z * z)
    if length <= 0.3 * sqrt(dot(vector, vector)):
        raise Unusable("the front or the line to the object is nearly upright")
    return x / length, z / length


def _clear(name: str, level: str, stage: Scene3D, about: tuple[AnnotatedObject, ...]) -> None:
    """Raises Unusable unless all ways to measure the direction give the same class, with the margin from its limits."""
    if name == PAIR:
        red, blue = (solid.pose.yaw for solid in stage.objects)
        angles, margin, spans = (wrapped(blue - red),), inter_object.MARGIN, inter_object.CLASSES[level].spans
    else:
        pose = stage.objects[0].pose
        # relative to the line to the camera, and relative to the image plane
        angles, margin, spans = (facing(stage.camera, pose), wrapped(pose.yaw)), MARGIN, _spans(name, level)
        if not about[0].kind.tells(angles[0]):
            raise Unusable("the front is not visible from this side", about[0].kind.category)
    angles_text = " and ".join(f"{angle:.1f}" for angle in angles)
    classes = [{i for i, ranges in enumerate(spans) if any(is_within(angle, span) for span in ranges)} for angle in angles]
    if any(not indices for indices in classes):
        raise Unusable("no option fits", f"{angles_text} degrees")
    if not any(all(any(is_within(angle, span, margin) for span in ranges) for angle in angles) for ranges in spans):
        raise Unusable("the direction is too near the limit of a class", f"{angles_text} degrees")


def _spans(name: str, level: str) -> Spans:
    match name:
        case "view-parallelism":
            return frontal.PARALLEL[level].spans
        case "directional-facing":
            return frontal.FACING[level].spans
        case _:
            return single_axis.CLASSES[level].spans
