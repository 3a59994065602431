"""Is a picture upright, and if not, how is it made so?

Every picture is drawn upright first, and then flipped or turned by quarters. A word on a board shows flips. Scenes in rooms, in
streets and on open land are seen from the height of a person, others from higher up, some from straight above. From there a scene
with an ornament in place of the word has no upright orientation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import dist, sqrt

from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.solid import Camera, Group, Pose, Solid, Stage, place, project
from isovist.core.task import Plan, Question
from isovist.kits import errors, objects
from isovist.kits.framing import Body, Extent, aimed, extent, standing, viewpoint
from isovist.kits.objects import Place, Thing
from isovist.kits.scenery import TINTS, stage
from isovist.suites.dori.frame import UNKNOWN, Scene, dori, from_another_side, question
from isovist.suites.dori.signboard import COLOURS, ORNAMENTS, WORDS, mirrored_alike, signboard

COARSE = ("It is in its canonical orientation", "It is not in its canonical orientation", UNKNOWN)
LEVEL, LOW, HIGH, ABOVE = (7.0, 20.0), (26.0, 45.0), (45.0, 85.0), (89.0, 89.0)
"""Degrees by which the camera looks down: little, so that walls, houses, land and sky show, or so much that no horizon does."""
VIEWS = (LEVEL, LOW, HIGH, ABOVE, ABOVE, ABOVE)
"""From where a scene with a word is seen; one without is seen from above. More views with a horizon would tell too well where there
is a word.
"""
MOST_ASIDE = 20.0
"""Degrees by which the word faces past the camera at most."""
_BOARD = "board"  # houses and trees consist of parts as it does
_FOVS = (34.0, 40.0)
_SHARE = (0.36, 0.44)
_PLACES: tuple[Place, ...] = ("indoors", "outdoors")
_WHOLE = Extent(0.0, 0.0, 1.0, 1.0)
_MOST_COVERED = 0.1
"""Of the box of the board or of the object beside it: the share that the box of any other object may cover."""
_MOST_LARGE, _TRIES = 0.45, 40
_LEAN = (5.0, 20.0)  # degrees from upright, less than the camera looks down
_OFF = 3.0  # degrees of the targets from the middle of the picture, at most

State = tuple[bool, int]
"""What was done to an upright picture: mirrored left to right, then turned clockwise by so many degrees."""
STATES: tuple[State, ...] = tuple((mirrored, angle) for mirrored in (False, True) for angle in (0, 90, 180, 270))
AS_IT_IS = "Leave it as it is"
_UPRIGHT: State = (False, 0)
_FLIPS = ("flip it left to right", "flip it top to bottom")
_TURNS = {90: "rotate it 90 degrees clockwise", 180: "rotate it 180 degrees", 270: "rotate it 90 degrees counterclockwise"}

_TASK = "Tell {} its canonical orientation. The picture shows a scene; it may have been flipped or rotated as a whole."
_CONCEPT = (
    "A picture is in its canonical orientation when things stand as they do in the world, with up at the top, and when words read from "
    "left to right and are not mirrored. To flip left to right is to exchange left and right, as a mirror beside the picture does; to "
    "flip top to bottom is to exchange top and bottom. To rotate is to turn the whole picture in its plane. A scene that is seen from "
    "straight above and shows no word (an ornament is none) has no canonical orientation: it cannot be determined."
)
_STEPS = (
    "Find what tells up from down: what things stand on, and which way their tops point.",
    "Find a word, and see whether it reads from left to right or is mirrored.",
    "{}",
)
_LAST = (
    "Choose the option that fits.",
    "Choose what brings up to the top and makes the word readable; where there are two operations, do them in the order told.",
)
_EXAMPLES = (
    "A person who stands on their head in the picture tells that it is not in its canonical orientation.",
    "A picture in which people stand with their feet to the left, and the words are not mirrored, needs a rotation by 90 degrees counterclockwise.",
)


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`unknown`: seen from above, without a word. `turns`: degrees clockwise that the options rotate by, alone and together with a flip. `flip`: the
    place in `_FLIPS`.
    """

    unknown: bool
    state: State
    turns: tuple[int, int]
    flip: int


def flipped(state: State, flip: int) -> State:
    """A state after a further flip, left to right (0) or top to bottom (1)."""
    mirrored, angle = state
    return not mirrored, (180 * flip - angle) % 360


def rotated(state: State, angle: int) -> State:
    """A state after a further turn clockwise."""
    return state[0], (state[1] + angle) % 360


def options(turns: tuple[int, int], flip: int) -> tuple[str, ...]:
    """The granular options. No two of the first five do the same to a picture, whichever the turns and the flip."""
    alone, beside = (_TURNS[angle] for angle in turns)
    told = _FLIPS[flip]
    texts = (alone, told, f"{beside}, then {told}", f"{told}, then {beside}")
    return (AS_IT_IS, *(text[0].upper() + text[1:] for text in texts), UNKNOWN)


def restored(state: State, turns: tuple[int, int], flip: int) -> tuple[State, ...]:
    """What the first five options make of a state."""
    alone, beside = turns
    return (
        state,
        rotated(state, alone),
        flipped(state, flip),
        flipped(rotated(state, beside), flip),
        rotated(flipped(state, flip), beside),
    )


def _sample(plan: Plan) -> Turned:
    rng, fine = plan.picture, plan.level == "granular"
    turns, flip = (rng.pick((90, 180, 270)), rng.pick((90, 270))), rng.integer(0, 1)
    unknown = plan.cell == (5 if fine else 2)
    if unknown:
        state = rng.pick(STATES)
    elif fine:
        (state,) = (s for s in STATES if restored(s, turns, flip)[plan.cell] == _UPRIGHT)
    else:
        state = _UPRIGHT if plan.cell == 0 else rng.pick(STATES[1:])
    made, thing = _scene(plan, unknown=unknown)
    made = replace(made, mirrored=state[0], turn=state[1])
    return Turned(plan.level, "alone", (1,), (thing.category,), (thing.broad,), (made,), unknown, state, turns, flip)


def _scene(plan: Plan, *, unknown: bool) -> tuple[Stage, Thing]:
    """An upright picture of an object beside a board, among others; `unknown`: from above, with an ornament for a word."""
    rng = plan.picture
    view = ABOVE if unknown else VIEWS[plan.picture_cell("view", len(VIEWS))]
    where = rng.pick(_PLACES)
    thing = objects.pick(rng, objects.chosen(("clear",), where))
    word, colours = rng.pick(ORNAMENTS if unknown else WORDS), rng.pick(COLOURS)
    measures, form = signboard(word, colours, round(thing.span * rng.uniform(0.7, 0.95), 2))
    looked = replace(viewpoint(rng, _SHARE, view, 0.0 if view == ABOVE else _OFF), fov=round(rng.uniform(*_FOVS), 1))
    aside = rng.uniform(-180, 180) if unknown else rng.uniform(-MOST_ASIDE, MOST_ASIDE)
    lean = 90.0 if view == ABOVE else max(0.0, looked.elevation - rng.uniform(*_LEAN))
    pose = Pose((0.0, _lift(measures, lean), 0.0), round(looked.azimuth + aside, 1), -round(lean, 1))
    sign = Body(measures, Solid(form, pose, name=_BOARD))
    beside = looked.azimuth + rng.pick((-90, 90)) + rng.uniform(-35, 35)
    body = standing(thing, _off(beside, (measures.reach + thing.reach) * rng.uniform(1.02, 1.12)), rng.uniform(-180, 180), rng.pick(TINTS))
    camera = aimed(looked, [sign, body])
    return stage(rng, where if view == LEVEL else "alone", camera, _around(rng, camera, where, [sign, body])), thing


def _lift(board: Thing, lean: float) -> float:
    """How high the lower edge of a board's middle plane stands, so that no part of the leaning board is below the ground."""
    return round(board.size[2] / 2 * sine(lean), 4)


def _off(azimuth: float, far: float) -> tuple[float, float]:
    """The x and z of a place at a distance in a direction."""
    return far * sine(azimuth), far * cosine(azimuth)


def _around(rng: Rng, camera: Camera, where: Place, targets: list[Body]) -> list[Body]:
    """The targets and a few objects around them, in the picture, that hide little of them."""
    bodies = list(targets)
    groups = objects.chosen(("clear", "symmetric", "none"), where, targets[1].thing.span, sure=False)
    boxes = [extent(camera, target) for target in targets]
    widest = max(target.thing.span for target in targets)
    wanted = len(targets) + rng.integer(1, 4)
    for _ in range(_TRIES):
        if len(bodies) == wanted:
            break
        thing = objects.pick(rng, groups)
        body = standing(thing, _off(rng.uniform(-180, 180), widest * rng.uniform(0.6, 2.2)), rng.uniform(-180, 180), rng.pick(TINTS))
        if any(dist(body.solid.pose.at, other.solid.pose.at) < 1.05 * (thing.reach + other.thing.reach) for other in bodies):
            continue
        try:
            box = extent(camera, body)
        except ValueError:  # behind the camera
            continue
        inside = box.common(_WHOLE) > 0.6 * box.area and sqrt(box.area) < _MOST_LARGE
        if inside and all(box.common(own) <= _MOST_COVERED * own.area for own in boxes):
            bodies.append(body)
    return bodies


def _ask(scene: Scene) -> Question:
    assert isinstance(scene, Turned)
    return about(scene.level, scene.state, scene.turns, scene.flip, unknown=scene.unknown)


def about(level: str, state: State, turns: tuple[int, int], flip: int, *, unknown: bool = False) -> Question:
    """The question about a picture to which `state` was done, whatever it shows. Raises ValueError if no option of the granular level
    makes it upright again.
    """
    fine = level == "granular"
    if fine:
        listed = options(turns, flip)
        truth = 5 if unknown else restored(state, turns, flip).index(_UPRIGHT)
    else:
        listed = COARSE
        truth = 2 if unknown else int(state != _UPRIGHT)
    asked = "how to bring the picture into" if fine else "whether the picture is in"
    steps = (*_STEPS[:2], _LAST[fine])
    return question(_TASK.format(asked), _CONCEPT, steps, _EXAMPLES[fine], listed, truth)


def _errors(scene: Turned) -> list[str]:
    """What each option takes the picture for: by what it would leave of it that is not upright."""
    if scene.level == "granular":
        left = [_left(state) for state in restored(scene.state, scene.turns, scene.flip)]
    else:  # taken for upright as it is; or for one that is not
        left = [_left(scene.state), "upright picture taken for another" if scene.state == _UPRIGHT else ""]
    return [errors.TELLS] * len(left) + [""] if scene.unknown else [*left, errors.CANNOT_TELL]


def _left(state: State) -> str:
    """What is wrong with a picture in this state; "" if nothing is."""
    mirrored, angle = state
    if not angle:
        return errors.MIRROR if mirrored else ""
    name = errors.OPPOSITE if angle == 180 else errors.QUARTER
    return f"{errors.MIRROR} and {name}" if mirrored else name


# Reading the picture -----------------------------------------------------------------------------------------------

Arrow = tuple[float, float]


def shown(picture: Stage, x: float, y: float) -> tuple[float, float]:
    """Where a point of the upright picture stands in the finished one; both square, x to the right and y down, from the middle."""
    if picture.mirrored:
        x = -x
    for _ in range(picture.turn // 90):
        x, y = -y, x
    return x, y


def arrows(picture: Stage) -> tuple[Arrow, Arrow] | None:
    """Which way the word reads in the finished picture, and which way its letters point up; None from above without a
    word.
    """
    camera = picture.camera
    assert isinstance(camera, Camera)
    (board,) = (solid for solid in picture.solids if solid.name == _BOARD)
    assert isinstance(board.form, Group)
    if mirrored_alike(board.form):
        assert dist(camera.eye[::2], camera.target[::2]) < 0.05 * (camera.eye[1] - camera.target[1]), "it shows what is up"
        return None
    # along the board towards its own left a reader's eye moves to the right
    start, end, top = (project(camera, place(board, point)) for point in ((-0.01, 0.0, 0.0), (0.01, 0.0, 0.0), (0.0, 0.02, 0.0)))
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    return shown(picture, end[0] - start[0], end[1] - start[1]), shown(picture, top[0] - middle[0], top[1] - middle[1])


def _moved(step: str, arrow: Arrow) -> Arrow:
    """An arrow of a picture after an operation told in words."""
    x, y = arrow
    if "flip" in step:
        return (-x, y) if "left to right" in step else (x, -y)
    quarters = int(re.findall(r"\d+", step)[0]) // 90
    for _ in range(-quarters % 4 if "counter" in step else quarters):
        x, y = -y, x
    return x, y


def _read(pictures: tuple[Stage, ...], words: str) -> str:
    """By the two arrows of the word, moved as every option says."""
    found = arrows(pictures[0])
    if found is None:
        return UNKNOWN
    if COARSE[0] in words:
        return COARSE[0] if _reads(*found) else COARSE[1]
    fitting: list[str] = []
    for line in re.findall(r"^[A-E]\. (.*)$", words, re.MULTILINE):
        reading, up = found
        for step in line.lower().split("then") if line != AS_IT_IS else ():
            reading, up = _moved(step, reading), _moved(step, up)
        if _reads(reading, up):
            fitting.append(line)
    (only,) = fitting
    return only


def _reads(reading: Arrow, up: Arrow) -> bool:
    """Whether a word runs to the right with its letters upright."""
    return reading[0] > 1.2 * abs(reading[1]) and -up[1] > 1.2 * abs(up[0])


def _letter(answer: Answer) -> str:
    """What is balanced: the words of an option change from item to item."""
    return answer.canonical()


TASK = dori(
    "canonical-orientation",
    "Tell whether a picture is upright and not mirrored, or how to make it so.",
    _sample,
    _ask,
    _read,
    cells=(len(COARSE), 6),
    balance=_letter,
    errors=_errors,
    symmetries=(from_another_side,),
)
