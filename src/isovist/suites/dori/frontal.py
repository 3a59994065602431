"""Frontal alignment: view parallelism and directional facing (sections 3.1, 6 and 13 of the paper).

View parallelism asks how far the front is turned out of the picture plane, coarsely for towards, away or sideways; directional
facing to which side. Both are about the turn around the vertical axis alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from isovist.core.rotation import wrapped
from isovist.core.scene3d import Camera, Scene3D, facing
from isovist.core.task import Question, SamplingContext, identity
from isovist.reasoning.templates import phrasing
from isovist.scenes.scene_transforms import Span, across_and_back, marked
from isovist.suites.dori import cot_facing
from isovist.suites.dori.task_factory import (
    FACING_SHORTCUTS,
    UNKNOWN,
    Scene,
    about_face,
    dori,
    from_another_side,
    has_front,
    in_a_mirror,
    named,
    question,
    sample_one,
    shows_front,
)

_ROOT = 0.7071067811865476  # cosine of 45 degrees

PARALLEL_COARSE = ("Towards the camera", "Away from the camera", "Sideways, to the left or the right of the camera")
PARALLEL_GRANULAR = ("0 to 45 degrees", "45 to 90 degrees", "90 to 135 degrees", "135 to 180 degrees", UNKNOWN)
FACING_COARSE = ("Towards the camera", "Away from the camera", "To the left of the picture", "To the right of the picture", UNKNOWN)
FACING_GRANULAR = (
    "Towards the camera (0 degrees)",
    "About 30 degrees to the left",
    "About 30 degrees to the right",
    "Another direction, more than 45 degrees off the camera",
    UNKNOWN,
)


@dataclass(frozen=True, slots=True)
class Classes:
    """The options of a level, the spans of angles of each that has any, and one question's words."""

    options: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    task: str
    concept: str
    example: str

    @property
    def edges(self) -> tuple[float, ...]:
        """The degrees off the camera, to either side, at which the options change; from 0 to 180."""
        return tuple(sorted({0.0, 180.0} | {abs(wrapped(edge)) for spans in self.spans for span in spans for edge in span}))

    def of(self, angle: float) -> str:
        """The option whose span holds an angle."""
        (index,) = [i for i, spans in enumerate(self.spans) if any((angle - low) % 360 < high - low for low, high in spans)]
        return self.options[index]


_FRONT = "The front of an object is the side that it is used from or moves towards: a face, headlights, a screen, the open side of a seat."

PARALLEL = {
    "coarse": Classes(
        PARALLEL_COARSE,
        (((-45, 45),), ((135, 225),), ((45, 135), (-135, -45))),
        "Find out which way the front of {it} is turned, as seen from the camera.",
        _FRONT + " It is turned towards the camera if it is within 45 degrees of it, away if it is within 45 degrees of the opposite direction, and sideways between these. An object may consist of two alike things that both face the same way.",
        "A car that drives towards you, with both headlights in view, is turned towards the camera.",
    ),
    "granular": Classes(
        PARALLEL_GRANULAR,
        (((-45, 45),), ((45, 90), (-90, -45)), ((90, 135), (-135, -90)), ((135, 225),)),
        "Find out by how many degrees the front of {it} is turned out of the plane of the picture.",
        _FRONT + " At 0 degrees the front is parallel to the picture and looks at the camera, at 90 degrees it looks to one side, at 180 degrees it looks straight away. Only the turn about the vertical axis counts. An object may consist of two alike things: it has one front if both face the same way, and none if they face opposite ways. An object without one front has no such angle, and where so much is hidden that its front may be on either side, it cannot be told.",
        "A chair seen from behind, and a little of one side too, is turned by 135 to 180 degrees.",
    ),
}  # fmt: skip

FACING = {
    "coarse": Classes(
        FACING_COARSE,
        (((-45, 45),), ((135, 225),), ((-135, -45),), ((45, 135),)),
        "Find out in which direction the front of {it} points, as seen from the camera.",
        _FRONT + " Left and right are those of the picture. The direction is the nearest of the four. An object may consist of two alike things: it has one front if both face the same way, and none if they face opposite ways. An object without one front has no such direction, and where so much is hidden that its front may be on either side, it cannot be told.",
        "A horse whose head is at the left and whose tail is at the right of it faces to the left of the picture.",
    ),
    "granular": Classes(
        FACING_GRANULAR,
        (((-15, 15),), ((-45, -15),), ((15, 45),), ((45, 315),)),
        "Find out the precise direction of the front of {it}, as seen from the camera.",
        _FRONT + " Left and right are those of the picture: a front that is turned to the left points past the camera on the left side. An object may consist of two alike things: it has one front if both face the same way, and none if they face opposite ways. An object without one front has no such direction, and where so much is hidden that its front may be on either side, it cannot be told.",
        "A person whose chest looks at a point a little left of the camera is turned about 30 degrees to the left.",
    ),
}  # fmt: skip

_STEPS = (
    "Find {it} and see what kind of object it is.",
    "Find the parts that tell its front from its back and sides, if it has one front.",
    "Judge how the front is turned against the camera.",
)


def sample(plan: SamplingContext, tables: dict[str, Classes]) -> Scene:
    """A scene whose target has an angle of the cell's class, or no one front for the last option of some levels."""
    spans = tables[plan.level].spans
    return sample_one(plan, spans[plan.stratum] if plan.stratum < len(spans) else None)


def _told(scene: Scene, tables: dict[str, Classes]) -> str:
    """The option that fits the angle between the front and the line to the camera."""
    picture = scene.stages[0]
    solid = picture.solids[scene.targets[0]]
    return tables[scene.level].of(facing(picture.camera, solid.pose)) if has_front(solid) and not scene.hidden else UNKNOWN


def ask(scene: Scene, tables: dict[str, Classes]) -> Question:
    table, subject, key = tables[scene.level], named(scene), _told(scene, tables)
    steps = [step.format(it=subject) for step in _STEPS]
    return question(table.task.format(it=subject), table.concept, steps, table.example, table.options, table.options.index(key))


def _explain(scene: Scene, tables: dict[str, Classes]) -> str:
    return cot_facing.chain(scene, ask(scene, tables).answer, tables[scene.level].edges, phrasing(scene))


def _replay(scene: Scene, text: str, tables: dict[str, Classes], read: Callable[[tuple[Scene3D, ...], str], str]) -> list[str]:
    question = ask(scene, tables)
    answer = read(scene.stages, f"{question.text}\n{question.answer.options_text()}")
    return cot_facing.replay(scene.stages[0], answer, question.answer, tables[scene.level].edges, text)


def _seen(pictures: tuple[Scene3D, ...]) -> tuple[float, float] | None:
    """What the front of the marked object shows to the right and out of the picture, see `across_and_back`."""
    (picture,) = pictures
    solid = marked(picture)
    assert isinstance(picture.camera, Camera)
    return across_and_back(picture.camera, solid) if shows_front(picture, solid) else None


def read_parallel(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By how much of the front's direction comes out of the picture plane."""
    seen = _seen(pictures)
    if seen is None:
        return UNKNOWN
    back = seen[1]
    if "135 to 180" not in words:
        return PARALLEL_COARSE[0 if back > _ROOT else 1 if back < -_ROOT else 2]
    return PARALLEL_GRANULAR[sum(back < edge for edge in (_ROOT, 0.0, -_ROOT))]


def read_facing(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the signs and sizes of what the front's direction shows to the right and out of the picture."""
    seen = _seen(pictures)
    if seen is None:
        return UNKNOWN
    right, back = seen
    if "30 degrees" not in words:
        if abs(back) > abs(right):
            return FACING_COARSE[0 if back > 0 else 1]
        return FACING_COARSE[3 if right > 0 else 2]
    if back < abs(right):
        return FACING_GRANULAR[3]
    aside = right / back
    return FACING_GRANULAR[0 if abs(aside) < 0.2679 else 2 if aside > 0 else 1]  # the tangent of 15 degrees


def _the_other_way(scene: Scene, renamed: dict[str, str]) -> tuple[Scene, Callable[[str], str]]:
    return about_face(scene), lambda before: renamed.get(before, before)


def _back_to_front(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    options = PARALLEL_COARSE[:2] if scene.level == "coarse" else PARALLEL_GRANULAR[:4]
    return _the_other_way(scene, dict(zip(options, reversed(options), strict=True)))


def _mirrored_parallel(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """In a mirror nothing is turned further out of the picture plane."""
    return in_a_mirror(scene), identity


def _mirrored_facing(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """In a mirror left becomes right."""
    a, b = FACING_COARSE[2:4] if scene.level == "coarse" else FACING_GRANULAR[1:3]
    new = {a: b, b: a}
    return in_a_mirror(scene), lambda answer: new.get(answer, answer)


def _faced_about(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """At the granular level half a turn brings the three near directions to the fourth, and where the fourth goes is not told."""
    if scene.level == "granular":
        near = FACING_GRANULAR[:3]
        direction = _told(scene, FACING)
        return (about_face(scene), lambda _: FACING_GRANULAR[3]) if direction in near else (scene, identity)
    a, b, c, d, _ = FACING_COARSE
    return _the_other_way(scene, {a: b, b: a, c: d, d: c})


TASKS = (
    dori(
        "view-parallelism",
        "Classify the angle between an object's facing direction and the image plane.",
        partial(sample, tables=PARALLEL),
        partial(ask, tables=PARALLEL),
        read_parallel,
        chain_of_thought=partial(_explain, tables=PARALLEL),
        verify_chain=partial(_replay, tables=PARALLEL, read=read_parallel),
        strata=(len(PARALLEL_COARSE), len(PARALLEL_GRANULAR)),
        shortcuts=FACING_SHORTCUTS,
        symmetries=(from_another_side, _back_to_front, _mirrored_parallel),
    ),
    dori(
        "directional-facing",
        "Name the facing direction of an object relative to the camera.",
        partial(sample, tables=FACING),
        partial(ask, tables=FACING),
        read_facing,
        chain_of_thought=partial(_explain, tables=FACING),
        verify_chain=partial(_replay, tables=FACING, read=read_facing),
        strata=(len(FACING_COARSE), len(FACING_GRANULAR)),
        shortcuts=FACING_SHORTCUTS,
        symmetries=(from_another_side, _faced_about, _mirrored_facing),
    ),
)
