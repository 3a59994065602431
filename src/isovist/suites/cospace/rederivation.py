"""What the pictures and the words say by themselves: directions by dot and cross products, from cameras and corners.

Nothing here goes by bearings in degrees, by which scenes are made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from isovist.core.rotation import Vector, cosine, sine
from isovist.core.scene3d import Camera, Scene3D, SceneObject, project
from isovist.scenes.environments.bounding_boxes import standing_corners
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import SIDE_NAMES, WIND_NAMES

Flat = tuple[float, float]
"""Parts of a horizontal vector: along, and to the right of, some direction."""
_TOLD = re.compile(r"picture (\d) looks (?:to your )?(\w+)", re.IGNORECASE)


def asked(pattern: re.Pattern[str], words: str) -> str:
    """What the words of a question name, by its pattern. Raises ValueError for another question."""
    match = pattern.search(words)
    if match is None:
        raise ValueError(f"not asked as {pattern.pattern}: {words}")
    return match[1]


def camera(picture: Scene3D) -> Camera:
    assert isinstance(picture.camera, Camera)
    return picture.camera


def ahead(picture: Scene3D) -> tuple[float, float]:
    """Where a camera looks along the ground: x and z of a unit vector."""
    eye, target = camera(picture).eye, camera(picture).target
    x, z = target[0] - eye[0], target[2] - eye[2]
    length = (x * x + z * z) ** 0.5
    return x / length, z / length


def parts(direction: tuple[float, float], x: float, z: float) -> Flat:
    """Of a horizontal vector what lies along a direction and what to the right of it. Seen from above with north up, x is to the
    right and z down, so that the right of (0, -1) is (1, 0).
    """
    ax, az = direction
    return ax * x + az * z, ax * z - az * x


def fronts(pictures: Sequence[Scene3D], words: str) -> list[tuple[float, float]]:
    """Where direction 0 lies by each of the pictures whose direction is told: x and z."""
    directions: list[tuple[float, float]] = []
    for number, name in _TOLD.findall(words):
        quarter = (WIND_NAMES if name in WIND_NAMES else SIDE_NAMES).index(name)
        x, z = ahead(pictures[int(number) - 1])
        for _ in range(quarter):  # a quarter turn counterclockwise
            x, z = z, -x
        directions.append((x, z))
    return directions


def front(pictures: Sequence[Scene3D], words: str) -> tuple[float, float]:
    """Where direction 0 lies, on which all told pictures agree."""
    directions = fronts(pictures, words)
    assert directions, "no picture's direction is told"
    assert all(abs(x - directions[0][0]) + abs(z - directions[0][1]) < 1e-4 for x, z in directions), "the pictures' directions disagree"
    return directions[0]


def sector(towards: tuple[float, float], eye: Vector, point: Vector) -> int:
    """The direction in which a point lies."""
    along, right = parts(towards, point[0] - eye[0], point[2] - eye[2])
    # the direction whose unit vector it has most in common with
    return max(range(8), key=lambda k: along * cosine(STEP * k) + right * sine(STEP * k))


def direction(pictures: Sequence[Scene3D], words: str, solid: SceneObject) -> int | None:
    """The one direction in which all corners of a solid's box lie; None if they lie in several."""
    towards, eye = front(pictures, words), camera(pictures[0]).eye
    sectors = {sector(towards, eye, corner) for corner in standing_corners(solid)}
    return sectors.pop() if len(sectors) == 1 else None


def named(pictures: Sequence[Scene3D], name: str) -> tuple[SceneObject, ...]:
    """The solids of that name, which are those of every picture."""
    assert all(picture.objects == pictures[0].objects for picture in pictures), "the pictures show different places"
    return tuple(solid for solid in pictures[0].objects if solid.name == name)


def only(pictures: Sequence[Scene3D], name: str) -> SceneObject:
    """The one solid of that name."""
    (solid,) = named(pictures, name)
    return solid


def shows(picture: Scene3D, solid: SceneObject) -> bool:
    """Whether the middle of a solid's box lies within a picture's sides."""
    points = standing_corners(solid)
    middle = tuple(sum(point[axis] for point in points) / 8 for axis in range(3))
    eye = camera(picture)
    try:
        x, _, _ = project(eye, middle)  # pyright: ignore[reportArgumentType] - three
    except ValueError:
        return False
    return 0 <= x <= eye.width


def quarter_steps(pictures: Sequence[Scene3D]) -> list[complex]:
    """The turn from each picture to the next as a unit complex number, clockwise turns with a positive imaginary part."""
    looked = [ahead(picture) for picture in pictures]
    return [complex(*parts(a, *b)) for a, b in pairwise(looked)]


def touches(pictures: Sequence[Scene3D], words: str, solid: SceneObject, asked: int) -> bool:
    """Whether any corner of a solid's box lies in a direction."""
    towards, eye = front(pictures, words), camera(pictures[0]).eye
    return any(sector(towards, eye, corner) == asked for corner in standing_corners(solid))


def walked(actions: Sequence[str]) -> int | None:
    """The direction in which one ends who walks these actions on a plane, one metre at each "go ahead" and then once more with
    steps of other lengths; None if that changes it.
    """
    ends = {_end(actions, lengths) for lengths in ((1.0, 1.0), (1.0, 2.0), (2.0, 1.0))}
    return ends.pop() if len(ends) == 1 else None


def _end(actions: Sequence[str], lengths: Sequence[float]) -> int | None:
    """A step to the front is 1, one to the right 1j: so a turn to the right multiplies by 1j."""
    at, facing, gone = 0j, 1 + 0j, 0
    for action in actions:
        if action == "go ahead":
            at += facing * lengths[gone % len(lengths)]
            gone += 1
        else:
            facing *= {"turn right": 1j, "turn back": -1, "turn left": -1j}[action]
    signs = (at.real > 0) - (at.real < 0), (at.imag > 0) - (at.imag < 0)
    return None if signs == (0, 0) else sector((0.0, -1.0), (0.0, 0.0, 0.0), (signs[1], 0.0, -signs[0]))
