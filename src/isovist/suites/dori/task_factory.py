"""What all tasks of DORI share: prompts in five parts, scenes, classes of angles, the description of a task.

Angles are degrees as in `core.solid`: that of a front is `facing`, 0 towards the camera and positive counterclockwise seen from
above, so that 90 faces the right of the picture. Every angle keeps `MARGIN` from the edges of its class, whether it is
measured from the line to the camera or from the picture plane.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from isovist.core.answers import Choice
from isovist.core.scene3d import Camera, Scene3D, SceneObject
from isovist.core.task import Preset, Question, RejectSample, SamplingContext, Shortcut, Task, identity
from isovist.scenes import object_catalog, scene_transforms
from isovist.scenes.camera_framing import Body, Viewpoint, aimed, standing, viewpoint
from isovist.scenes.object_catalog import CatalogObject, Place
from isovist.scenes.occlusion import ALIKE_ON_TOP, clear_of, front_hidden, hiding
from isovist.scenes.scene_builder import SETTINGS, TINTS, Setting, crowd
from isovist.scenes.scene_transforms import ALONE_SHARE, CROWD_SHARE, MARGIN, Span, marked_stage, within
from isovist.suites.dori.option_angles import angles
from isovist.suites.dori.published_scorer import published
from isovist.suites.dori.shortcuts import UNKNOWN_OPTION, known, unknown

LEVELS = ("coarse", "granular")
PIXELS = 384
"""Of a picture's side by default."""
UNKNOWN = UNKNOWN_OPTION
UNKNOWN_TWO, UNKNOWN_TWO_ALONE, UNKNOWN_HIDDEN = 0.75, 0.87, 0.15
"""Of the items whose answer is unknown: how often two of a kind face opposite ways; and, in a room or a street, how often a
screen hides the front. In the others the object has no front by what it is. So nearly all are of kinds that have a front elsewhere.
"""
KNOWN_TWO = 0.65
"""Of the other items: how often two of a kind face the same way."""
BLANK_SHARE = 0.12
"""How often an object that looks like a box from behind is shown where its front is seen well: as often as one has a hidden front."""
SCREEN_SHARE = 0.25
"""Of the other items there: how often a screen stands around."""
_TRIES = 120
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


@dataclass(frozen=True, slots=True)
class Scene:
    """`targets`: what is asked about, places in the stages' solids. `categories` and `broad_categories` are theirs. `front_is_hidden`: the front of the first
    cannot be seen.
    """

    level: str
    setting: Setting
    targets: tuple[int, ...]
    categories: tuple[str, ...]
    broad_categories: tuple[str, ...]
    scenes3d: tuple[Scene3D, ...]
    front_is_hidden: bool = field(default=False, kw_only=True)


S = TypeVar("S", bound=Scene)


def question(task: str, concept: str, steps: Sequence[str], example: str, options: tuple[str, ...], truth: int) -> Question:
    """The five parts of a prompt; the options stand last, where a prompt lists them."""
    numbered = "\n".join(f"{i}. {step}" for i, step in enumerate(steps, 1))
    return Question(f"Task: {task}\nConcept: {concept}\nSteps:\n{numbered}\nExample: {example}\nOptions:", Choice(options, truth))


def named(scene: Scene) -> str:
    """What the one target of a scene is called."""
    return "the object in the red frame" if scene.scenes3d[0].markers else "the object"


def target(plan: SamplingContext, setting: Setting, angle: float) -> CatalogObject:
    """An object with one front, beyond doubt, that belongs to the setting and shows where it faces at an angle to the camera; or two."""
    rng = plan.image_rng
    groups = object_catalog.chosen(("clear",), None if setting == "alone" else setting)
    blank = abs(angle) <= object_catalog.FRONT_SEEN and rng.chance(BLANK_SHARE)
    if blank:
        return object_catalog.pick(rng, [things for things in groups if things[0].category in object_catalog.BLANK])
    thing = object_catalog.pick(rng, with_backs(groups))
    return object_catalog.two_of(rng, thing, angle, front=True) if rng.chance(KNOWN_TWO) and in_twos(thing, setting) else thing


def with_backs(groups: Sequence[Sequence[CatalogObject]]) -> list[Sequence[CatalogObject]]:
    """Those that show which way they face from all sides."""
    return [things for things in groups if things[0].category not in object_catalog.BLANK]


def in_twos(thing: CatalogObject, setting: Setting) -> bool:
    """Whether two of an object find room in a setting, and show their fronts from any side."""
    return thing.category not in object_catalog.BLANK and (setting == "alone" or 2.2 * thing.span <= object_catalog.LARGEST)


def _frontless(plan: SamplingContext, setting: Setting, angle: float, drawn: float) -> CatalogObject:
    """An object of no one front: mostly two of a kind that has one."""
    rng, place = plan.image_rng, None if setting == "alone" else setting
    if drawn >= (UNKNOWN_TWO_ALONE if setting == "alone" else UNKNOWN_TWO):
        return object_catalog.pick(rng, object_catalog.chosen(("none", "symmetric"), place))
    groups = [
        [thing for thing in things if thing.plain and in_twos(thing, setting)]
        for things in with_backs(object_catalog.chosen(("clear",), place))
    ]
    return object_catalog.two_of(rng, object_catalog.pick(rng, [things for things in groups if things]), angle, front=False)


def setting_of(plan: SamplingContext) -> Setting:
    """One in three items shows a lone object, one a room, one a street."""
    return SETTINGS[plan.image_stratum("setting", len(SETTINGS))]


def seen_alone(thing: CatalogObject, yaw: float, looked: Viewpoint, colour: str | None = None) -> tuple[Body, Camera]:
    """An object at the origin, and its camera."""
    body = standing(thing, (0.0, 0.0), yaw, colour)
    return body, aimed(looked, [body])


def sample_one(plan: SamplingContext, spans: Sequence[Span] | None, margin: float = MARGIN) -> Scene:
    """A scene whose target faces the camera at an angle in one of the spans; without them one whose front cannot be told, because it
    has none or because it is hidden.
    """
    rng, setting = plan.image_rng, setting_of(plan)
    drawn = rng.random() if spans is None else 0.0
    if setting != "alone" and UNKNOWN_TWO <= drawn < UNKNOWN_TWO + UNKNOWN_HIDDEN:
        return _sample_hidden(plan, setting)
    looked = viewpoint(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE)
    angle = rng.uniform(-180, 180) if spans is None else within(rng, spans, looked.across, margin)
    thing = _frontless(plan, setting, angle, drawn) if spans is None else target(plan, setting, angle)
    body, camera = seen_alone(thing, looked.azimuth + angle, looked, rng.pick(TINTS))
    around = crowd(rng, setting, camera, [body], rng.integer(3, 6), screened=rng.chance(SCREEN_SHARE))
    return staged(plan, setting, camera, (body, *around), 1)


def _sample_hidden(plan: SamplingContext, setting: Place) -> Scene:
    """A scene whose target stands behind a screen, so that only its top is seen."""
    rng = plan.image_rng
    thing = object_catalog.known()[rng.pick(ALIKE_ON_TOP[setting])]
    for _ in range(_TRIES):
        looked = viewpoint(rng, CROWD_SHARE)
        try:
            body, camera = seen_alone(thing, rng.uniform(-180, 180), looked, rng.pick(TINTS))
            before = hiding(rng, setting, camera, body)
        except RejectSample:
            continue
        around = clear_of(camera, crowd(rng, setting, camera, [body, before], rng.integer(2, 5)), body, before)
        return replace(staged(plan, setting, camera, (body, before, *around), 1), front_is_hidden=True)
    raise RejectSample


def staged(plan: SamplingContext, setting: Setting, camera: Camera, bodies: Sequence[Body], targets: int) -> Scene:
    """The scene of these objects, of which the first are the targets; they are marked if there are others, or several."""
    made, places = marked_stage(plan.image_rng, setting, camera, bodies, targets)
    things = [body.thing for body in bodies[:targets]]
    return Scene(plan.level, setting, places, tuple(t.category for t in things), tuple(t.broad for t in things), (made,))


# Reading a picture -------------------------------------------------------------------------------------------------


def has_front(solid: SceneObject) -> bool:
    """Whether it has one front, by what it is."""
    thing = object_catalog.of(solid.geometry)
    return thing is not None and thing.front == "clear"


def shows_front(picture: Scene3D, solid: SceneObject) -> bool:
    """Whether it has one front that is not hidden by what stands before it."""
    return has_front(solid) and not front_hidden(picture, solid)


# Symmetries --------------------------------------------------------------------------------------------------------


def from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The whole world, camera and sun included, a third of a turn about +Y: nothing changes."""
    return replace(scene, scenes3d=tuple(scene_transforms.from_another_side(stage) for stage in scene.scenes3d)), identity


def about_face(scene: Scene, nth: int = 0, by: float = 180) -> Scene:
    """One of the targets is turned on the spot, counterclockwise seen from above; by default it faces the other way."""
    return replace(scene, scenes3d=(scene_transforms.with_turned(scene.scenes3d[0], scene.targets[nth], by), *scene.scenes3d[1:]))


def in_a_mirror(scene: S) -> S:
    """Everything, cameras and suns included, where a mirror across x shows it. Every form stays itself, only its pose is mirrored."""
    return replace(scene, scenes3d=tuple(scene_transforms.in_a_mirror(stage) for stage in scene.scenes3d))


def _facets(scene: Scene, dimension: str, cells: tuple[int, int]) -> dict[str, str]:
    """Of what is asked about, the first where there are several."""
    return {
        "category": scene.categories[0],
        "broad class": scene.broad_categories[0],
        "setting": scene.setting,
        "dimension": dimension,
        "options": str(cells[LEVELS.index(scene.level)]),
        "pictures": "rendered",  # photographs are taken in from elsewhere
    }


# Rules that avoid the skill ----------------------------------------------------------------------------------------


def _asked(scene: Scene) -> list[CatalogObject]:
    """What is asked about."""
    targets = [object_catalog.of(scene.scenes3d[0].objects[who].geometry) for who in scene.targets]
    return [thing for thing in targets if thing]


def _are_two(thing: CatalogObject) -> bool:
    return thing.made is not None


def _by_kind(scene: Scene, question: Question) -> Collection[str]:
    """By what is asked about, and not by how it stands: what by its kind has no front, or looks like a box from behind."""
    things = _asked(scene)
    if any(thing.front != "clear" and not _are_two(thing) for thing in things):
        return unknown(question)
    return unknown(question) if len(things) == 1 and things[0].category in object_catalog.BLANK else known(question)


def _by_number(scene: Scene, question: Question) -> Collection[str]:
    """Two of a kind: it cannot be determined."""
    return unknown(question) if any(map(_are_two, _asked(scene))) else known(question)


FACING_SHORTCUTS: Mapping[str, Shortcut[Scene]] = {
    "whether its kind has a front that shows from all sides": Shortcut(_by_kind, "which way it faces"),
    "two of a kind cannot be determined": Shortcut(_by_number, "which way they face"),
}


def dori(
    name: str,
    summary: str,
    sample: Callable[[SamplingContext], Any],
    ask: Callable[[Any], Question],
    rederive: Callable[[tuple[Scene3D, ...], str], str],
    *,
    strata: tuple[int, int],
    chance: float | None = None,
    attributes: Callable[[Any], Mapping[str, str]] = lambda _: {},
    **more: Any,
) -> Task[Any]:
    """A task of the suite; `strata` are its numbers of options, coarse and granular, if no `chance` is told. `attributes` are its own beside
    those that all tasks have.
    """
    return Task(
        id=f"dori/{name}",
        version=3,
        summary=summary,
        sample=sample,
        draw=lambda scene: scene.scenes3d,
        ask=ask,
        rederive=lambda pictures, words: rederive(tuple(picture for picture in pictures if isinstance(picture, Scene3D)), words),
        strata=strata,
        chance=sum(1 / k for k in strata) / len(strata) if chance is None else chance,
        answer_type="choice",
        levels=LEVELS,
        skills=SKILLS[name],
        source="DORI, sections 3 and 13",
        image_size_px=PIXELS,
        published_scorer=published(name),
        option_angles=angles(name),
        attributes=lambda scene: {**_facets(scene, SKILLS[name][0], strata), **attributes(scene)},
        category=lambda scene: scene.categories[0],
        published_sizes={"test": Preset(ITEMS, note="the paper does not tell how many of its 33,656 questions each task has")},
        **more,
    )
