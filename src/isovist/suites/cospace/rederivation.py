"""Re-derivation of answers from the 3-D scenes and the question text: directions by dot and cross products of cameras and box corners.

This module does not use the bearings in degrees from which scenes are sampled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from isovist.core.rotation import Vector, cosine, sine
from isovist.core.scene3d import Camera, Scene3D, SceneObject, place, project
from isovist.core.summation import sum_in_order
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import BODY_HEADINGS, COMPASS_HEADINGS
from isovist.world.scenes.environments.bounding_boxes import standing_corners

Flat = tuple[float, float]
"""Components of a horizontal vector: along a direction and to the right of it."""
_HEADING = re.compile(rf"({'|'.join(COMPASS_HEADINGS + BODY_HEADINGS)}) in image (\d)")


def extract(pattern: re.Pattern[str], text: str) -> str:
    """The first group of a pattern in the text of a question. Raises ValueError without a match."""
    match = pattern.search(text)
    if match is None:
        raise ValueError(f"question does not match {pattern.pattern}: {text}")
    return match[1]


def camera(picture: Scene3D) -> Camera:
    assert isinstance(picture.camera, Camera)
    return picture.camera


def ahead(picture: Scene3D) -> tuple[float, float]:
    """The horizontal heading of a camera: x and z of a unit vector."""
    eye, target = camera(picture).eye, camera(picture).target
    x, z = target[0] - eye[0], target[2] - eye[2]
    length = (x * x + z * z) ** 0.5
    return x / length, z / length


def parts(direction: tuple[float, float], x: float, z: float) -> Flat:
    """The components of a horizontal vector along a direction and to the right of it. Seen from above with north up, x points right and
    z down, so (1, 0) is to the right of (0, -1).
    """
    ax, az = direction
    return ax * x + az * z, ax * z - az * x


def fronts(pictures: Sequence[Scene3D], text: str) -> list[tuple[float, float]]:
    """Direction 0 (x and z) according to each image whose heading the text states."""
    directions: list[tuple[float, float]] = []
    for name, number in _HEADING.findall(text):
        n_rotations = (COMPASS_HEADINGS if name in COMPASS_HEADINGS else BODY_HEADINGS).index(name)
        x, z = ahead(pictures[int(number) - 1])
        for _ in range(n_rotations):  # 90 degrees counterclockwise
            x, z = z, -x
        directions.append((x, z))
    return directions


def front(pictures: Sequence[Scene3D], text: str) -> tuple[float, float]:
    """Direction 0 (x and z), which must be the same for all stated headings."""
    directions = fronts(pictures, text)
    assert directions, "the text states no heading"
    assert all(abs(x - directions[0][0]) + abs(z - directions[0][1]) < 1e-4 for x, z in directions), "the stated headings disagree"
    return directions[0]


def sector(front_direction: tuple[float, float], eye: Vector, point: Vector) -> int:
    """The direction (0 to 7) of a point."""
    along, right = parts(front_direction, point[0] - eye[0], point[2] - eye[2])
    # the unit vector with the largest dot product
    return max(range(8), key=lambda k: along * cosine(STEP * k) + right * sine(STEP * k))


def direction(pictures: Sequence[Scene3D], text: str, target: SceneObject) -> int | None:
    """The direction of all corners of an object's box; None if the corners are in several directions."""
    front_direction, eye = front(pictures, text), camera(pictures[0]).eye
    sectors = {sector(front_direction, eye, corner) for corner in standing_corners(target)}
    return sectors.pop() if len(sectors) == 1 else None


def facing(pictures: Sequence[Scene3D], text: str, target: SceneObject) -> int:
    """The direction of the front of an object, its local +Z."""
    return sector(front(pictures, text), place(target, (0.0, 0.0, 0.0)), place(target, (0.0, 0.0, 1.0)))


def quarters(pictures: Sequence[Scene3D], text: str, image: int) -> int:
    """The clockwise angle from direction 0 to the heading of an image (index from 0), in multiples of 90 degrees."""
    along, right = parts(front(pictures, text), *ahead(pictures[image]))
    return {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}[round(along), round(right)]


def named(pictures: Sequence[Scene3D], name: str) -> tuple[SceneObject, ...]:
    """The objects of a name. All images must show the same objects."""
    assert all(picture.objects == pictures[0].objects for picture in pictures), "the images show different places"
    return tuple(candidate for candidate in pictures[0].objects if candidate.name == name)


def only(pictures: Sequence[Scene3D], name: str) -> SceneObject:
    """The only object of a name."""
    (match,) = named(pictures, name)
    return match


def shows(picture: Scene3D, target: SceneObject) -> bool:
    """Whether the centre of an object's box is between the left and right edges of an image."""
    points = standing_corners(target)
    centre = tuple(sum_in_order(point[axis] for point in points) / 8 for axis in range(3))
    image_camera = camera(picture)
    try:
        x, _, _ = project(image_camera, centre)  # pyright: ignore[reportArgumentType] - three
    except ValueError:
        return False
    return 0 <= x <= image_camera.width


def rotation_steps(pictures: Sequence[Scene3D]) -> list[complex]:
    """The rotation from each image to the next as a unit complex number. A clockwise rotation has a positive imaginary part."""
    headings = [ahead(picture) for picture in pictures]
    return [complex(*parts(a, *b)) for a, b in pairwise(headings)]


def touches(pictures: Sequence[Scene3D], text: str, target: SceneObject, wanted: int) -> bool:
    """Whether any corner of an object's box is in the direction `wanted`."""
    front_direction, eye = front(pictures, text), camera(pictures[0]).eye
    return any(sector(front_direction, eye, corner) == wanted for corner in standing_corners(target))


def walked(actions: Sequence[str]) -> int | None:
    """The direction of the final position after these actions on a plane, with straight moves of equal length.

    None if moves of unequal lengths lead in another direction.
    """
    ends = {_end(actions, lengths) for lengths in ((1.0, 1.0), (1.0, 2.0), (2.0, 1.0))}
    return ends.pop() if len(ends) == 1 else None


def _end(actions: Sequence[str], lengths: Sequence[float]) -> int | None:
    """The final direction. A step to the front is 1, a step to the right is 1j, and a right turn multiplies by 1j."""
    position, facing, n_moves = 0j, 1 + 0j, 0
    for action in actions:
        if action == "go ahead":
            position += facing * lengths[n_moves % len(lengths)]
            n_moves += 1
        else:
            facing *= {"turn right": 1j, "turn back": -1, "turn left": -1j}[action]
    signs = (position.real > 0) - (position.real < 0), (position.imag > 0) - (position.imag < 0)
    return None if signs == (0, 0) else sector((0.0, -1.0), (0.0, 0.0, 0.0), (signs[1], 0.0, -signs[0]))
