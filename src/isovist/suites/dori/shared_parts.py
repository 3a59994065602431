"""Shared parts of the DORI tasks: prompts with five parts, scenes, and values of the groups of a task.

Angles are degrees as in `core.scene3d`. The angle of a front is `facing`: 0 toward the camera, positive counterclockwise as seen from
above, so 90 points to the right of the image. Every angle keeps `MARGIN` from the edges of its class, whether it is measured from the
direction to the camera or from the image plane.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from isovist.core.answers import Choice
from isovist.core.scene3d import Camera, Scene3D, SceneObject
from isovist.core.task import Checks, Images, Paper, Preset, Question, RejectSample, SamplingContext, Shortcut, identity
from isovist.core.task import Setting as TaskSetting
from isovist.suites.dori.published_prompt import PUBLISHED_PROMPT
from isovist.world.scenes import habitats, object_catalog, scene_transforms
from isovist.world.scenes.answer_options import letters_where
from isovist.world.scenes.camera_framing import RAISED, Body, Viewpoint, aimed, at_height, photograph, standing
from isovist.world.scenes.habitats import Habitat
from isovist.world.scenes.object_catalog import CatalogObject, Place
from isovist.world.scenes.occlusion import ALIKE_ON_TOP, clear_of, front_hidden, hiding
from isovist.world.scenes.scene_builder import SETTINGS, TINTS, Setting, crowd
from isovist.world.scenes.scene_transforms import ALONE_SHARE, CROWD_SHARE, MARGIN, Span, marked_stage, within

LEVELS = ("coarse", "granular")
SQUARE: Images[Any] = Images(size_px=384, least_px=192)
"""The width and the height of an image are equal. At the least size, 99% of the objects in question have 400 pixels, and in pairs
of images 260.
"""
UNKNOWN = "It cannot be determined"
UNKNOWN_TWO, UNKNOWN_TWO_ALONE, UNKNOWN_HIDDEN = 0.75, 0.87, 0.15
"""Shares of the items whose answer is unknown: a pair of objects that face opposite directions (with other objects, and alone); in a room
or a street, a screen hides the front. In the others, the category has no front. So most categories have a front in other items.
"""
KNOWN_TWO = 0.7
"""Share of the other items with a pair of objects that face the same direction."""
BLANK_SHARE = 0.12
"""Share of visible fronts of objects that look like a box from behind; about equal to the share of hidden fronts."""
SCREEN_SHARE = 0.25
"""Share of the other items in rooms and streets that contain a screen."""
_TRIES = 120
DESIGN = {
    "design": TaskSetting(
        "balanced",
        "balanced: shortcuts stay near chance; paper: images and options like those of the published benchmark, with its shortcuts",
        choices=("balanced", "paper"),
    )
}
"""The settings of every task; `as_published` reads them."""
PAPER = Paper(
    source="DORI, sections 3 and 13",
    prompt=PUBLISHED_PROMPT,
    sizes={"test": Preset(33_656 // 7, note="33,656 questions in equal parts; the paper does not state how many each task has")},
)
"""The paper states only the total number of questions, which seven tasks share equally: 4,808 each. Each task has its scorer."""
FACTORS: Mapping[str, Callable[[Any], str]] = {
    "category": lambda scene: scene.categories[0],
    "setting": lambda scene: scene.setting,
    "ground": lambda scene: _ground(scene.scenes3d[0]),
    "number of objects": lambda scene: str(sum(object_catalog.of(solid.geometry) is not None for solid in scene.scenes3d[0].objects)),
}
CHECKS: Checks[Any] = Checks(factors=FACTORS)

SKILLS = {
    "view-parallelism": ("frontal alignment", "view parallelism"),
    "directional-facing": ("frontal alignment", "directional facing"),
    "single-axis-rotation": ("rotational transformation", "single-axis rotation"),
    "compound-rotation": ("rotational transformation", "compound rotation"),
    "inter-object-direction": ("relative orientation", "inter-object direction"),
    "viewer-scene-direction": ("relative orientation", "viewer-scene direction"),
    "canonical-orientation": ("canonical orientation", "canonical orientation"),
}
"""The dimension of the paper, and the name of the task."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`targets`: indices of the objects of the question in each 3-D scene, with their `categories` and `broad_categories`.

    `front_is_hidden`: the front of the first target is occluded.
    """

    level: str
    setting: Setting
    targets: tuple[int, ...]
    categories: tuple[str, ...]
    broad_categories: tuple[str, ...]
    scenes3d: tuple[Scene3D, ...]
    front_is_hidden: bool = field(default=False, kw_only=True)


S = TypeVar("S", bound=Scene)


def as_published(plan: SamplingContext) -> bool:
    """Whether the item follows the paper's design with its shortcuts."""
    return plan.settings["design"] == "paper"


def question(task: str, concept: str, steps: Sequence[str], example: str, options: tuple[str, ...], truth: int) -> Question:
    """A question with the five parts of the paper's prompts; the options follow the text."""
    numbered = "\n".join(f"{i}. {step}" for i, step in enumerate(steps, 1))
    return Question(f"Task: {task}\nConcept: {concept}\nSteps:\n{numbered}\nExample: {example}\nOptions:", Choice(options, truth))


def named(scene: Scene) -> str:
    """The phrase for the only target of a scene."""
    return "the object in the red frame" if scene.scenes3d[0].markers else "the object"


def target(plan: SamplingContext, setting: Setting, angle: float) -> CatalogObject:
    """An object, or a pair, with one unambiguous front that belongs to the setting and is visible at an angle to the camera.

    The paper's design has no pairs.
    """
    rng = plan.image_rng
    groups = object_catalog.chosen(("clear",), None if setting == "alone" else setting)
    blank = abs(angle) <= object_catalog.FRONT_SEEN and rng.chance(BLANK_SHARE)
    if blank:
        return object_catalog.pick(
            rng, object_catalog.telling([things for things in groups if things[0].category in object_catalog.BLANK], angle)
        )
    thing = object_catalog.pick(rng, object_catalog.telling(with_backs(groups), angle))
    as_pair = not as_published(plan) and rng.chance(KNOWN_TWO) and in_twos(thing, setting)
    return object_catalog.two_of(rng, thing, angle, front=True) if as_pair else thing


def with_backs(groups: Sequence[Sequence[CatalogObject]]) -> list[Sequence[CatalogObject]]:
    """The groups whose facing direction is visible from all sides."""
    return [things for things in groups if things[0].category not in object_catalog.BLANK]


def in_twos(thing: CatalogObject, setting: Setting) -> bool:
    """Whether a pair of an object fits into a setting, with fronts that are visible from any side."""
    return thing.category not in object_catalog.BLANK and (setting == "alone" or 2.2 * thing.span <= object_catalog.LARGEST)


def _frontless(plan: SamplingContext, setting: Setting, angle: float, cause: float) -> CatalogObject:
    """An object without a single front: in most cases a pair of objects that have one."""
    rng, place = plan.image_rng, None if setting == "alone" else setting
    if cause >= (UNKNOWN_TWO_ALONE if setting == "alone" else UNKNOWN_TWO):
        return object_catalog.pick(rng, object_catalog.chosen(("none", "symmetric"), place))
    backed = with_backs(object_catalog.chosen(("clear",), place))
    groups = object_catalog.fitting(backed, lambda thing: thing.plain and in_twos(thing, setting))
    return object_catalog.two_of(rng, object_catalog.pick(rng, groups), angle, front=False)


def setting_of(plan: SamplingContext) -> Setting:
    """The setting: a single object, a room or a street, each in a third of the items."""
    return SETTINGS[plan.image_stratum("setting", len(SETTINGS))]


def place_of(setting: Setting) -> Place | None:
    """The place of a setting; None for a single object, which may be in any."""
    return None if setting == "alone" else setting


def body_with_camera(thing: CatalogObject, yaw: float, view: Viewpoint, colour: str | None = None) -> tuple[Body, Camera]:
    """An object at the origin, and its camera."""
    body = standing(thing, (0.0, 0.0), yaw, colour)
    return body, aimed(view, [body])


def sample_one(plan: SamplingContext, spans: Sequence[Span] | None, margin: float = MARGIN) -> Scene:
    """A scene whose front has an angle to the camera in one of the spans. Without spans, the front is not determinable: missing or hidden.

    In the paper's design, the object alone is the cause: its category has no front.
    """
    rng, setting, published = plan.image_rng, setting_of(plan), as_published(plan)
    cause = 0.0 if spans is not None else 1.0 if published else rng.random()
    if setting != "alone" and UNKNOWN_TWO <= cause < UNKNOWN_TWO + UNKNOWN_HIDDEN:
        return _sample_hidden(plan, setting)
    view = photograph(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE)
    angle = rng.uniform(-180, 180) if spans is None else within(rng, spans, view.across, margin)
    thing = _frontless(plan, setting, angle, cause) if spans is None else target(plan, setting, angle)
    habitat = habitats.draw(rng, thing, place_of(setting))
    view = at_height(view, habitats.eye_height(rng, thing, habitat), thing)
    body, camera = body_with_camera(thing, view.azimuth + angle, view, rng.pick(TINTS))
    screened = not published and rng.chance(SCREEN_SHARE)
    around = crowd(rng, setting, camera, [body], rng.integer(3, 6), screened and not habitat.table_m, habitat)
    return build_scene(plan, setting, camera, (body, *around), 1, habitat)


def _sample_hidden(plan: SamplingContext, setting: Place) -> Scene:
    """A scene whose target is behind a screen, so that only its top is visible."""
    rng = plan.image_rng
    thing = object_catalog.known()[rng.pick(ALIKE_ON_TOP[setting])]
    habitat = habitats.draw(rng, thing, setting)
    for _ in range(_TRIES):
        view = replace(photograph(rng, CROWD_SHARE), elevation=round(rng.uniform(*RAISED), 1), height_m=None)
        try:
            body, camera = body_with_camera(thing, rng.uniform(-180, 180), view, rng.pick(TINTS))
            before = hiding(rng, setting, camera, body)
        except RejectSample:
            continue
        around = clear_of(camera, crowd(rng, setting, camera, [body, before], rng.integer(2, 5), habitat=habitat), body, before)
        return replace(build_scene(plan, setting, camera, (body, before, *around), 1, habitat), front_is_hidden=True)
    raise RejectSample


def build_scene(plan: SamplingContext, setting: Setting, camera: Camera, bodies: Sequence[Body], targets: int, habitat: Habitat) -> Scene:
    """The scene of these objects. The first `targets` are the targets; they are marked if the scene has more than one object.

    Raises RejectSample if a single object is in a setting of several.
    """
    if setting != "alone" and len(bodies) == targets == 1:
        raise RejectSample
    scene3d, places = marked_stage(plan.image_rng, setting, camera, bodies, targets, habitat)
    things = [body.thing for body in bodies[:targets]]
    return Scene(plan.level, setting, places, tuple(t.category for t in things), tuple(t.broad for t in things), (scene3d,))


# Rederivation ------------------------------------------------------------------------------------------------------


def has_front(solid: SceneObject) -> bool:
    """Whether an object has one front according to the catalog."""
    thing = object_catalog.of(solid.geometry)
    return thing is not None and thing.front == "clear"


def shows_front(picture: Scene3D, solid: SceneObject) -> bool:
    """Whether an object has one front that is not occluded."""
    return has_front(solid) and not front_hidden(picture, solid)


# Metamorphic relations --------------------------------------------------------------------------------------------------------


def from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the world with camera and sun by 120 degrees about +Y: the answer is unchanged."""
    return replace(scene, scenes3d=tuple(scene_transforms.from_another_side(stage) for stage in scene.scenes3d)), identity


def about_face(scene: Scene, nth: int = 0, by: float = 180) -> Scene:
    """Rotate one target in place, counterclockwise as seen from above, by default by 180 degrees."""
    return replace(scene, scenes3d=(scene_transforms.with_turned(scene.scenes3d[0], scene.targets[nth], by), *scene.scenes3d[1:]))


def in_a_mirror(scene: S) -> S:
    """Mirror the world with cameras and suns across x. Geometries are unchanged; only their poses are mirrored."""
    return replace(scene, scenes3d=tuple(scene_transforms.in_a_mirror(stage) for stage in scene.scenes3d))


def attributes(scene: Scene, task: str, n_options: tuple[int, int]) -> dict[str, str]:
    """The item attributes of all tasks; of several targets, those of the first. `n_options`: at the two levels."""
    return {
        "category": scene.categories[0],
        "broad class": scene.broad_categories[0],
        "setting": scene.setting,
        "dimension": SKILLS[task][0],
        "options": str(n_options[LEVELS.index(scene.level)]),
        "pictures": "rendered",  # importers set other values
    }


# Shortcuts ---------------------------------------------------------------------------------------------------------


def _ground(picture: Scene3D) -> str:
    """The texture of the ground; "" for a plain ground and without ground."""
    texture = picture.ground.texture if picture.ground else None
    return texture.name if texture else ""


def unknown(question: Question) -> tuple[str, ...]:
    """The label of the option "cannot be determined", if the question has it. A rule that leaves several labels is scored as a uniform choice among them."""
    return letters_where(question, lambda option: option == UNKNOWN)


def known(question: Question) -> tuple[str, ...]:
    """The labels of all other options."""
    return letters_where(question, lambda option: option != UNKNOWN)


def _target_objects(scene: Scene) -> list[CatalogObject]:
    """The catalog objects of the targets."""
    targets = [object_catalog.of(scene.scenes3d[0].objects[who].geometry) for who in scene.targets]
    return [thing for thing in targets if thing]


def _is_pair(thing: CatalogObject) -> bool:
    return thing.made is not None


def _by_category(scene: Scene, question: Question) -> Collection[str]:
    """By category, without the pose: categories without a front, or with a plain back, cannot be determined."""
    things = _target_objects(scene)
    if any(thing.front != "clear" and not _is_pair(thing) for thing in things):
        return unknown(question)
    return unknown(question) if len(things) == 1 and things[0].category in object_catalog.BLANK else known(question)


def _by_number(scene: Scene, question: Question) -> Collection[str]:
    """Pairs cannot be determined."""
    return unknown(question) if any(map(_is_pair, _target_objects(scene))) else known(question)


FACING_SHORTCUTS: Mapping[str, Shortcut[Scene]] = {
    "category has a front that is visible from all sides": Shortcut(_by_category, "the facing direction"),
    "pairs: cannot be determined": Shortcut(_by_number, "the facing directions"),
}
