"""What all tasks of DORI share: prompts in five parts, scenes, classes of angles, the description of a task.

Angles are degrees as in `core.solid`: that of a front is `facing`, 0 towards the camera and positive counterclockwise seen from
above, so that 90 faces the right of the picture. Every angle keeps `MARGIN` from the edges of its class, whether it is
measured from the line to the camera or from the picture plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import Choice
from isovist.core.rng import Rng
from isovist.core.rotation import Vector, apply, turn
from isovist.core.solid import Camera, Mark, Solid, Stage, place, turned, view
from isovist.core.task import Plan, Preset, Question, Task, same
from isovist.kits.mesh_table import Front
from isovist.suites.dori import objects
from isovist.suites.dori.angles import angles
from isovist.suites.dori.framing import Body, Viewpoint, aimed, standing, viewpoint
from isovist.suites.dori.objects import Thing
from isovist.suites.dori.published import published
from isovist.suites.dori.scenery import SETTINGS, TINTS, Setting, crowd, stage

LEVELS = ("coarse", "granular")
MARGIN = 10.0
"""Degrees that an angle keeps from every edge of its class."""
PIXELS = 384
"""Of a picture's side by default."""
UNKNOWN = "It cannot be determined"
RED, BLUE = "#e6002e", "#0050ff"
ALONE_SHARE, CROWD_SHARE = (0.4, 0.55), (0.3, 0.42)
ITEMS = 400
"""Of a task in the size called paper: the paper tells only that there are 33,656 questions in all."""

SKILLS = {
    "view-parallelism": ("frontal alignment", "view parallelism"),
    "directional-facing": ("frontal alignment", "directional facing"),
    "single-axis-rotation": ("rotational transformation", "single-axis rotation"),
    "compound-rotation": ("rotational transformation", "compound rotation"),
    "inter-object-direction": ("relative orientation", "inter-object direction"),
    "viewer-scene-direction": ("relative orientation", "viewer-scene direction"),
    "canonical-orientation": ("canonical orientation", "canonical orientation"),
}
"""The paper's dimension of each task, and the task."""

Span = tuple[float, float]
"""Angles from the first up to the second, which may lie beyond 180."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`targets`: what is asked about, places in the stages' solids. `categories` and `broad` are theirs."""

    level: str
    setting: Setting
    targets: tuple[int, ...]
    categories: tuple[str, ...]
    broad: tuple[str, ...]
    stages: tuple[Stage, ...]


def question(task: str, concept: str, steps: Sequence[str], example: str, options: tuple[str, ...], truth: int) -> Question:
    """The five parts of a prompt; the options stand last, where a prompt lists them."""
    numbered = "\n".join(f"{i}. {step}" for i, step in enumerate(steps, 1))
    return Question(f"Task: {task}\nConcept: {concept}\nSteps:\n{numbered}\nExample: {example}\nOptions:", Choice(options, truth))


def named(scene: Scene) -> str:
    """What the one target of a scene is called."""
    return "the object in the red frame" if scene.stages[0].marks else "the object"


def within(rng: Rng, spans: Sequence[Span], across: float = 0.0, margin: float = MARGIN) -> float:
    """An angle to the line to the camera in one of the spans, to a tenth of a degree, that keeps the margin from both ends.

    So does the same angle measured from the picture plane, for an object `across` degrees right of the middle.
    """
    low, high = rng.pick(spans)
    # measured from the picture plane the angle is smaller by `across`
    least, most = low + margin + max(across, 0.0), high - margin + min(across, 0.0)
    assert least <= most, f"no angle between {low} and {high} keeps {margin} degrees from both"
    return round(rng.uniform(least, most), 1)


def target(plan: Plan, setting: Setting, fronts: tuple[Front, ...], angle: float) -> Thing:
    """An object with such a front, beyond doubt, that belongs to the setting and shows where it faces at an angle to the camera."""
    return objects.pick(plan.picture, objects.telling(objects.chosen(fronts, None if setting == "alone" else setting), angle))


def setting_of(plan: Plan) -> Setting:
    """One in three items shows a lone object, one a room, one a street."""
    return SETTINGS[plan.picture_cell("setting", len(SETTINGS))]


def seen_alone(thing: Thing, yaw: float, looked: Viewpoint, colour: str | None = None) -> tuple[Body, Camera]:
    """An object at the origin, and its camera."""
    body = standing(thing, (0.0, 0.0), yaw, colour)
    return body, aimed(looked, [body])


def sample_one(plan: Plan, fronts: tuple[Front, ...], spans: Sequence[Span] | None, margin: float = MARGIN) -> Scene:
    """A scene whose target has such a front and faces the camera at an angle in one of the spans; at any angle without them."""
    rng, setting = plan.picture, setting_of(plan)
    looked = viewpoint(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE)
    angle = rng.uniform(-180, 180) if spans is None else within(rng, spans, looked.across, margin)
    thing = target(plan, setting, fronts, angle)
    body, camera = seen_alone(thing, looked.azimuth + angle, looked, rng.pick(TINTS))
    return staged(plan, setting, camera, (body, *crowd(rng, setting, camera, [body], rng.integer(3, 6))), 1)


def staged(plan: Plan, setting: Setting, camera: Camera, bodies: Sequence[Body], targets: int) -> Scene:
    """The scene of these objects, of which the first are the targets; they are marked if there are others, or several."""
    shown = stage(plan.picture, setting, camera, bodies)
    order = plan.picture.shuffled(range(len(bodies)))  # the place in the list of solids tells nothing
    solids = (*(shown.solids[i] for i in order), *shown.solids[len(bodies) :])
    places = tuple(order.index(i) for i in range(targets))
    marks = tuple(Mark(i, colour) for i, colour in zip(places, (RED, BLUE), strict=False)) if len(bodies) > 1 else ()
    things = [body.thing for body in bodies[:targets]]
    made = Stage(solids, shown.camera, shown.ground, shown.light, shown.sky, marks)
    return Scene(plan.level, setting, places, tuple(t.category for t in things), tuple(t.broad for t in things), (made,))


# Reading a picture -------------------------------------------------------------------------------------------------


def marked(picture: Stage, colour: str = RED) -> Solid:
    """What the frame of a colour marks; the only object where nothing is marked."""
    if picture.marks:
        (found,) = [mark for mark in picture.marks if mark.colour == colour]
        return picture.solids[found.solid]
    (alone,) = [solid for solid in picture.solids if objects.of(solid.form)]
    return alone


def has_front(solid: Solid) -> bool:
    """Whether it has one front, by what it is."""
    thing = objects.of(solid.form)
    return thing is not None and thing.front == "clear"


def ahead(solid: Solid) -> Vector:
    """The direction of the front in the world, from two points of the solid: one a metre before the other."""
    a, b = place(solid, (0.0, 0.0, 0.0)), place(solid, (0.0, 0.0, 1.0 / solid.scale))
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def across_and_back(camera: Camera, solid: Solid) -> tuple[float, float]:
    """How far the front points to the right of the picture, and how far out of it: parts of a horizontal metre."""
    x, _, z = ahead(solid)
    (rx, _, rz), _, (bx, _, bz) = view(camera)
    level = (bx * bx + bz * bz) ** 0.5  # the camera looks down, the front points along the ground
    return rx * x + rz * z, (bx * x + bz * z) / level


# Symmetries --------------------------------------------------------------------------------------------------------


def from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The whole world, camera and sun included, a third of a turn about +Y: nothing changes."""
    spin = turn("y", 120)

    def spun(stage: Stage) -> Stage:
        solids = tuple(replace(solid, pose=replace(turned(solid.pose, "y", 120), at=apply(spin, solid.pose.at))) for solid in stage.solids)
        assert isinstance(stage.camera, Camera)
        camera = replace(stage.camera, eye=apply(spin, stage.camera.eye), target=apply(spin, stage.camera.target))
        return replace(stage, solids=solids, camera=camera, light=replace(stage.light, sun=apply(spin, stage.light.sun)))

    return replace(scene, stages=tuple(spun(stage) for stage in scene.stages)), same


def about_face(scene: Scene, nth: int = 0) -> Scene:
    """One of the targets faces the other way."""
    picture, who = scene.stages[0], scene.targets[nth]
    solid = picture.solids[who]
    other = replace(solid, pose=turned(solid.pose, "y", 180))
    return replace(scene, stages=(replace(picture, solids=(*picture.solids[:who], other, *picture.solids[who + 1 :])), *scene.stages[1:]))


def _facets(scene: Scene) -> dict[str, str]:
    """Of what is asked about, the first where there are several."""
    return {"category": scene.categories[0], "broad class": scene.broad[0], "setting": scene.setting}


def dori(
    name: str,
    summary: str,
    sample: Callable[[Plan], Scene],
    ask: Callable[[Scene], Question],
    read: Callable[[tuple[Stage, ...], str], str],
    *,
    cells: tuple[int, int],
    **more: Any,
) -> Task[Any]:
    """A task of the suite; `cells` are its numbers of options, coarse and granular."""
    return Task(
        id=f"dori/{name}",
        version=1,
        summary=summary,
        sample=sample,
        draw=lambda scene: scene.stages,
        ask=ask,
        read=lambda pictures, words: read(tuple(picture for picture in pictures if isinstance(picture, Stage)), words),
        cells=cells,
        chance=sum(1 / k for k in cells) / len(cells),
        answer_type="choice",
        levels=LEVELS,
        skills=SKILLS[name],
        source="DORI, sections 3 and 13",
        size=PIXELS,
        published=published(name),
        angles=angles(name),
        facets=_facets,
        paper={"test": Preset(ITEMS, note="the paper does not tell how many of its 33,656 questions each task has")},
        **more,
    )
