"""Chains of thought about the direction of a front: its appearance, its angle to the camera, and the option for this angle.

The writer uses the sampled scene. The verifier takes the object and the camera from the drawn 3-D scene, and measures the angle of the
front with dot and cross products on a map. It determines by ray casting whether the front is hidden.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import atan2, degrees, floor

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import WORDS, Step, StepTemplate, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.scene3d import Camera, Scene3D, SceneObject, facing
from isovist.suites.dori.shared_parts import UNKNOWN, Scene, has_front, named, shows_front
from isovist.world.scenes import object_catalog
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.plurals import plural
from isovist.world.scenes.scene_transforms import ahead, marked

Edges = tuple[float, ...]
"""Angles from the camera direction, in degrees, at which the option changes."""

_FRONTS = {
    "the open side of its seat": (
        "armchair", "bidet", "chair", "deck chair", "high chair", "office chair", "park bench", "sofa", "toilet", "wheelchair",
    ),
    "the side that opens or gives access": (
        "bedside table", "bookcase", "chest freezer", "cupboard", "dresser", "filing cabinet", "kitchen cabinet", "kitchen sink", "locker",
        "microwave oven", "oven", "refrigerator", "safe", "sideboard", "stove", "tumble dryer", "wardrobe", "washing machine", "wood stove",
    ),
    "the side at which people stand to use it": ("changing table", "workbench"),
    "the side at which people sit to use it": ("dressing table",),
    "the side with the controls": ("printer", "rice cooker", "stereo"),
    "the side with the entrance": ("dog house", "tent"),
    "the side with the door": ("house", "shed"),
    "the end that leads when it moves": ("lawn mower",),
    "the end at which the player stands": ("pinball machine",),
    "the face of its board with the ring": ("basketball hoop",),
    "the face with the numbers": ("clock", "kitchen scale"),
    "the side on which cups or a pot are filled": ("coffee maker",),
    "the side on which cups are filled": ("water cooler",),
    "the side with the strings": ("electric guitar",),
    "the side from which the air blows": ("fan",),
    "the side with the fire": ("fireplace",),
    "the side with the picture": ("picture frame",),
    "the side with the sign": ("stop sign",),
    "the open side of its bowl": ("urinal",),
    "the opening for the face": ("helmet",),
    "the head end": ("rocking horse",),
    "its face": ("doll", "snowman", "teddy bear"),
    "its lens": ("camera", "projector"),
    "its nose with the propeller": ("toy plane",),
    "its screen": ("computer", "laptop", "TV"),
    "its tip": ("arrow",),
}  # fmt: skip
_PARTS = {category: part for part, categories in _FRONTS.items() for category in categories}
_BROAD = {"Person": "the face and the chest", "Animals": "the head end", "Vehicle": "the end that leads when it moves"}
_SYMMETRIES = {1: "after any rotation", 180: "after a rotation by 180 degrees", 90: "after a rotation by 90 degrees"}


def part(thing: CatalogObject) -> str:
    """The name of the front of an object that has one beyond dispute."""
    return _PARTS.get(thing.category) or _BROAD[thing.broad]


def article(name: str) -> str:
    """A name with "a" or "an" before it."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def called(thing: CatalogObject) -> str:
    """An object or a pair, as a chain names it."""
    return f"a pair of identical {plural(thing.category)}" if thing.made else article(thing.category)


_TOWARD, _AWAY = "toward the viewer", "away from the viewer"
_LOOKS = (
    "straight {near}",
    "almost straight {near}, slightly to the {side}",
    *["mostly {near}, partly to the {side}"] * 3,
    *["mostly to the {side}, partly {near}"] * 3,
    "almost straight to the {side}, slightly {near}",
    "straight to the {side}",
)
"""The apparent direction of a front, in steps of 10 degrees from the camera direction to one side."""

_template = partial(
    StepTemplate,
    **dict.fromkeys(("it", "thing", "part", "sense", "symmetry"), WORDS),
    **dict.fromkeys(("low", "high"), r"\d+(?:\.5)?"),
    look="[a-z, ]{1,80}",
    option="[^.]{1,80}",
)
_FRONT = _template(
    "{it} is {thing}, and the front is {part}.",
    "{it} is {thing}. The front of this object is {part}.",
    "The image shows that {it} is {thing}; the front is {part}.",
)
_POINTS = _template(
    "In the image, the front points {look}.",
    "As seen by the viewer, the front points {look}.",
    "The visible direction of the front is {look}.",
)
_OFF = _template(
    "So the front is about {degrees} degrees from the camera direction.",
    "The angle between the front and the camera direction is about {degrees} degrees.",
    "Relative to the camera direction, this is an angle of about {degrees} degrees.",
)
_BETWEEN = _template(
    "An angle between {low} and {high} degrees means: {option}.",
    "For angles from {low} to {high} degrees, the matching option is: {option}.",
    "{option}: this option covers the angles from {low} to {high} degrees.",
)
_RANGE = _template(
    "Of the given ranges, {degrees} degrees is in {option}.",
    "About {degrees} degrees belongs to {option}.",
    "The range that contains {degrees} degrees is {option}.",
)
_TURN = _template(
    "Seen from above with the camera at the bottom, it must rotate about {degrees} degrees {sense} to face the camera.",
    "On a map with the camera at the bottom edge, a rotation by about {degrees} degrees {sense} makes the front point toward the camera.",
    "Seen from above, the shortest rotation toward the camera is about {degrees} degrees {sense}.",
)
_NEAREST = _template(
    "Of the clockwise rotations in the options, {option} is the nearest.",
    "The nearest clockwise rotation in the options is {option}.",
)
_ALIKE = _template(
    "{it} is {thing}. It looks the same {symmetry}, so it has no single front.",
    "The image shows that {it} is {thing}, which looks the same {symmetry}; no side is its single front.",
)
_FRONTLESS = _template(
    "{it} is {thing}, and objects of this kind have no front.",
    "The image shows that {it} is {thing}; such an object has no front.",
)
_HIDDEN = _template(
    "A screen in front of {it} hides everything except its top.",
    "Only the top of {it} is visible above a screen.",
)
_EITHER = _template(
    "The visible part would look the same if the object faced the opposite direction.",
    "The top looks the same whether the front is on this side or on the opposite side.",
)
_CANNOT = _template(
    "So the direction of the front cannot be determined.",
    "Therefore the question about the front has no certain answer.",
)

_Opening = tuple[tuple[Step, ...], float | None]
"""The steps to the angle from the camera direction, and the angle in degrees, positive to the right; all steps and None without a front."""


def _opening(subject: str, solid: SceneObject, angle: float, *, hidden: bool) -> _Opening:
    thing = object_catalog.of(solid.geometry)
    assert thing is not None
    named = {"it": subject, "thing": called(thing)}
    if has_front(solid) and not hidden:
        tens = _tens(angle)
        near, place = (_TOWARD, tens) if tens <= 9 else (_AWAY, 18 - tens)
        look = _LOOKS[place].format(near=near, side="right" if angle > 0 else "left")
        return (_FRONT(**named, part=part(thing)), _POINTS(look=look), _OFF(degrees=10 * tens)), angle
    if hidden:
        return (_HIDDEN(it=subject), _EITHER(), _CANNOT()), None
    if thing.turns:
        return (_ALIKE(**named, symmetry=_SYMMETRIES[thing.turns]), _CANNOT()), None
    return (_FRONTLESS(**named), _CANNOT()), None


def _tens(angle: float) -> int:
    """An unsigned angle in tens of degrees, rounded."""
    return floor(abs(angle) / 10 + 0.5 + 1e-6)


def _steps(opening: _Opening, edges: Edges, option: str, *, turn: bool) -> list[Step]:
    """All steps to an option: the rotation to the camera with `turn`, then the span of angles of the option, or the nearest rotation
    among the options if there are no edges.
    """
    steps, angle = opening
    if angle is None:
        return [*steps]
    tens = _tens(angle)
    sense = "in either direction" if tens in (0, 18) else "clockwise" if angle > 0 else "counterclockwise"
    to_camera = [*steps, _TURN(degrees=10 * tens, sense=sense)] if turn else [*steps]
    if not edges:
        return [*to_camera, _NEAREST(option=option)]
    if option[0].isdecimal():
        return [*to_camera, _RANGE(degrees=10 * tens, option=option)]
    low = max(edge for edge in edges[:-1] if edge <= abs(angle))
    high = min(edge for edge in edges if edge > low)
    return [*to_camera, _BETWEEN(low=f"{low:g}", high=f"{high:g}", option=option)]


def chain(scene: Scene, key: Answer, edges: Edges, phrasing: int, *, turn: bool = False) -> str:
    """The chain for options that are spans of angles with these edges, or with `turn` rotations to the camera."""
    scene3d = scene.scenes3d[0]
    solid = scene3d.objects[scene.targets[0]]
    opening = _opening(named(scene), solid, facing(scene3d.camera, solid.pose), hidden=scene.front_is_hidden)
    return write_chain(_steps(opening, edges, key.balance_bin(), turn=turn), key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)  # ray casting is slow
def _of_picture(picture: Scene3D) -> _Opening:
    solid = marked(picture)
    assert isinstance(picture.camera, Camera)
    (fx, _, fz), eye, at = ahead(solid), picture.camera.eye, solid.pose.position
    cx, cz = eye[0] - at[0], eye[2] - at[2]
    # counterclockwise as seen from above, from the direction to the camera
    angle = degrees(atan2(fx * cz - fz * cx, fx * cx + fz * cz))
    subject = "the object in the red frame" if picture.markers else "the object"
    return _opening(subject, solid, angle, hidden=has_front(solid) and not shows_front(picture, solid))


def replay(picture: Scene3D, read: str, key: Answer, edges: Edges, text: str, *, turn: bool = False) -> list[str]:
    """The errors of a chain; `read` is the option that is rederived from the image."""
    opening = _of_picture(picture)
    conclusion = read if (read == UNKNOWN) == (opening[1] is None) else "something else"  # an angle is stated only if the option needs one
    return step_errors(text, _steps(opening, edges, read, turn=turn), conclusion, key)
