"""Chains of thought about where a front points: what is seen of it, by how much it is turned, and what that means.

The writer goes by the scene. The verifier takes the object and the camera from the drawn stage, and measures the front with a dot and a
cross product on a map seen from above. Whether the front is hidden it finds out by rays from the eye.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import atan2, degrees, floor

from isovist.core.answers import Answer
from isovist.core.scene3d import Camera, Scene3D, SceneObject, facing
from isovist.reasoning.templates import WORDS, Step, StepTemplate, write_chain
from isovist.reasoning.verifier import step_errors
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.scenes.scene_transforms import ahead, marked
from isovist.suites.dori.task_factory import UNKNOWN, Scene, has_front, named, shows_front

Edges = tuple[float, ...]
"""Degrees off the camera at which the options change."""

_SEATS = frozenset({"armchair", "bidet", "chair", "high chair", "office chair", "sofa", "toilet", "wheelchair"})
_DOORS = frozenset({
    "bedside table", "bookcase", "dresser", "filing cabinet", "microwave oven", "refrigerator", "safe", "stove", "wardrobe", "washing machine",
})  # fmt: skip
_PARTS = {
    "arrow": "its tip",
    "camera": "its lens",
    "computer": "its screen",
    "helmet": "its opening for the face",
    "laptop": "its screen",
    "rocking horse": "the head end",
    "snowman": "its face",
    "stop sign": "the side with the sign",
    "teddy bear": "its face",
    "TV": "its screen",
}
_BROAD = {"Person": "the face and the chest", "Animals": "the head end", "Vehicle": "the end that leads when it moves"}
_SIDE = "the side that it is used from"
_ROUND = ("all the way round", "after half a turn", "after a quarter turn")


def part(thing: CatalogObject) -> str:
    """What is the front of an object that has one."""
    if thing.category in _SEATS:
        return "the open side of its seat"
    if thing.category in _DOORS:
        return "the side that opens or is reached into"
    return _PARTS.get(thing.category) or _BROAD.get(thing.broad, _SIDE)


def article(name: str) -> str:
    """A name with "a" or "an" before it."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def called(thing: CatalogObject) -> str:
    """An object, or two of a kind, as a chain names it."""
    return f"{article(thing.category)}{' twice' if thing.made else ''}"


_TOWARDS, _AWAY = "towards the viewer", "away from the viewer"
_LOOKS = (
    "straight {near}",
    "almost straight {near}, a little to the {side}",
    *["mostly {near}, and to the {side}"] * 3,
    *["mostly to the {side}, and {near}"] * 3,
    "almost straight to the {side}, a little {near}",
    "straight to the {side}",
)
"""What is seen of a front, ten degrees at a time from the camera to one side."""

_template = partial(
    StepTemplate,
    **dict.fromkeys(("it", "thing", "part", "sense", "turned"), WORDS),
    **dict.fromkeys(("low", "high"), r"\d+(?:\.5)?"),
    look="[a-z, ]{1,80}",
    option="[^.]{1,80}",
)
_FRONT = _template(
    "{it} is {thing}, and its front is {part}.",
    "I see that {it} is {thing}; what counts as its front is {part}.",
    "{it}: {thing}. Its front is {part}.",
)
_POINTS = _template(
    "In the picture this front points {look}.",
    "That front is turned {look}.",
    "Here it looks {look}.",
)
_OFF = _template(
    "So it is about {degrees} degrees off the direction to the camera.",
    "From the line to the camera that is a turn of about {degrees} degrees.",
    "I take that for about {degrees} degrees between the front and the line to the camera.",
)
_BETWEEN = _template(
    "Between {low} and {high} degrees off means: {option}.",
    "From {low} up to {high} degrees the fitting description is: {option}.",
    "{option}: that is what {low} to {high} degrees off the camera are called.",
)
_RANGE = _template(
    "Of the ranges on offer, {degrees} degrees falls into {option}.",
    "About {degrees} degrees belongs to {option}.",
    "The range that holds {degrees} degrees is {option}.",
)
_TURN = _template(
    "Seen from above with the camera below, it has to turn by about {degrees} degrees {sense} to face the camera.",
    "On a map with the camera at the lower edge, about {degrees} degrees {sense} bring the front round to the camera.",
    "Looking down from above, the camera below: the way back to the camera is about {degrees} degrees {sense}.",
)
_NEAREST = _template(
    "Of the clockwise turns on offer, {option} comes nearest.",
    "The clockwise turn on offer that is closest: {option}.",
)
_ALIKE = _template(
    "{it} is {thing}. It looks the same {turned}, so no side of it is its one front.",
    "I see that {it} is {thing}, which looks just as before {turned}; none of its sides is the front alone.",
)
_FRONTLESS = _template(
    "{it} is {thing}, a kind of thing that has no front.",
    "I see that {it} is {thing}; no side of such a thing is called its front.",
)
_HIDDEN = _template(
    "A screen stands before {it} and leaves only its top in sight.",
    "Of {it} no more than the top is seen over a screen.",
)
_EITHER = _template(
    "Seen from there it could face one way as well as the opposite one.",
    "That top looks the same whether the front is on this side or on the far one.",
)
_CANNOT = _template(
    "So nobody can tell where a front of it points.",
    "Therefore what is asked of its front has no certain reply.",
)

_Opening = tuple[tuple[Step, ...], float | None]
"""The steps up to the angle off the camera, and that angle, positive to the right; all steps and None if nothing tells a front."""


def _opening(subject: str, solid: SceneObject, angle: float, *, hidden: bool) -> _Opening:
    thing = object_catalog.of(solid.geometry)
    assert thing is not None
    named = {"it": subject, "thing": called(thing)}
    if has_front(solid) and not hidden:
        tens = _tens(angle)
        near, place = (_TOWARDS, tens) if tens <= 9 else (_AWAY, 18 - tens)
        look = _LOOKS[place].format(near=near, side="right" if angle > 0 else "left")
        return (_FRONT(**named, part=part(thing)), _POINTS(look=look), _OFF(degrees=10 * tens)), angle
    if hidden:
        return (_HIDDEN(it=subject), _EITHER(), _CANNOT()), None
    if thing.turns:
        return (_ALIKE(**named, turned=_ROUND[{1: 0, 180: 1, 90: 2}[thing.turns]]), _CANNOT()), None
    return (_FRONTLESS(**named), _CANNOT()), None


def _tens(angle: float) -> int:
    """An angle off the camera to either side in tens of degrees."""
    return floor(abs(angle) / 10 + 0.5 + 1e-6)


def _steps(opening: _Opening, edges: Edges, option: str, *, turn: bool) -> list[Step]:
    """The steps to an option. They tell the turn to the camera if that is asked, and what span of angles off the camera the option means:
    it may be that span itself, or the turn on offer that is nearest where there are no edges.
    """
    steps, angle = opening
    if angle is None:
        return [*steps]
    tens = _tens(angle)
    sense = "either way round" if tens in (0, 18) else "clockwise" if angle > 0 else "counterclockwise"
    turned = [*steps, _TURN(degrees=10 * tens, sense=sense)] if turn else [*steps]
    if not edges:
        return [*turned, _NEAREST(option=option)]
    if option[0].isdecimal():
        return [*turned, _RANGE(degrees=10 * tens, option=option)]
    low = max(edge for edge in edges[:-1] if edge <= abs(angle))
    high = min(edge for edge in edges if edge > low)
    return [*turned, _BETWEEN(low=f"{low:g}", high=f"{high:g}", option=option)]


def _of_scene(scene: Scene) -> _Opening:
    stage = scene.scenes3d[0]
    solid = stage.objects[scene.targets[0]]
    return _opening(named(scene), solid, facing(stage.camera, solid.pose), hidden=scene.front_is_hidden)


def chain(scene: Scene, key: Answer, edges: Edges, phrasing: int, *, turn: bool = False) -> str:
    """The chain of a question whose options are spans of angles off the camera, which change at the edges, or of one for the turn to it."""
    return write_chain(_steps(_of_scene(scene), edges, key.balance_bin(), turn=turn), key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)  # whether a front is hidden takes long to find out
def _of_picture(picture: Scene3D) -> _Opening:
    solid = marked(picture)
    assert isinstance(picture.camera, Camera)
    (fx, _, fz), eye, at = ahead(solid), picture.camera.eye, solid.pose.position
    cx, cz = eye[0] - at[0], eye[2] - at[2]
    # counterclockwise, seen from above, from the line to the camera
    angle = degrees(atan2(fx * cz - fz * cx, fx * cx + fz * cz))
    subject = "the object in the red frame" if picture.markers else "the object"
    return _opening(subject, solid, angle, hidden=has_front(solid) and not shows_front(picture, solid))


def replay(picture: Scene3D, read: str, key: Answer, edges: Edges, text: str, *, turn: bool = False) -> list[str]:
    """What is wrong with a chain; `read` is the option that the picture gives by itself."""
    opening = _of_picture(picture)
    conclusion = read if (read == UNKNOWN) == (opening[1] is None) else "something else"  # an angle is told just where an option needs it
    return step_errors(text, _steps(opening, edges, read, turn=turn), conclusion, key)
