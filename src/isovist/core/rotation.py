"""3-D rotations: 3 x 3 matrices as tuples of rows, right-handed, angles in degrees.

Sines and cosines are exact to the last bit at multiples of 15 degrees and rounded to twelve digits elsewhere. `angles` and `azimuth`
are rounded to nine digits. Keys and pixels are therefore the same on all platforms.
"""

from __future__ import annotations

from functools import lru_cache
from math import acos, asin, atan2, degrees, radians, sin, sqrt, tan

from isovist.core.summation import sum_in_order

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
"""Three rows. Column i is the image of axis i (x, y, z)."""

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
AXES = "xyz"

_QUARTER = (0.0, 0.25881904510252074, 0.5, 0.7071067811865476, 0.8660254037844386, 0.9659258262890683, 1.0)  # sin of 0, 15, ..., 90


@lru_cache(maxsize=4096)  # places and cameras ask for the same angles again and again
def sine(angle: float) -> float:
    """The sine of an angle in degrees, identical on all platforms."""
    turn = angle % 360.0
    return _sine_of_half_turn(turn) if turn < 180.0 else 0.0 - _sine_of_half_turn(turn - 180.0)  # never -0.0


def _sine_of_half_turn(turn: float) -> float:
    """The sine of 0 to 180 degrees."""
    if turn > 90.0:
        turn = 180.0 - turn
    return _QUARTER[int(turn // 15)] if turn % 15 == 0 else round(sin(radians(turn)), 12)


def cosine(angle: float) -> float:
    """The cosine of an angle in degrees, identical on all platforms."""
    return sine(angle + 90.0)


def tangent(angle: float) -> float:
    """The tangent of an angle in degrees, below 90 degrees, identical on all platforms."""
    return round(tan(radians(angle)), 12)


def turn(axis: str, angle: float) -> Matrix:
    """The rotation about a fixed axis ("x", "y" or "z") by `angle` degrees, right-handed.

    It is counterclockwise for a viewer who looks from the positive end of the axis to the origin. Raises ValueError for another name.
    """
    s, c = sine(angle), cosine(angle)
    if axis == "x":
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == "y":
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    if axis == "z":
        return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))
    raise ValueError(f"{axis!r} is no axis; choose one of x, y, z")


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def unit(a: Vector) -> Vector:
    """The unit vector in the direction of `a`. Raises ValueError for the zero vector."""
    length = sqrt(dot(a, a))
    if length == 0:
        raise ValueError("a vector of length 0 has no direction")
    return a[0] / length, a[1] / length, a[2] / length


def rounded(vector: Vector, digits: int = 4) -> Vector:
    """The vector rounded to `digits` decimal places."""
    x, y, z = vector
    return round(x, digits), round(y, digits), round(z, digits)


def apply(matrix: Matrix, vector: Vector) -> Vector:
    """The matrix-vector product: `vector` rotated by `matrix`."""
    return dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector)


def transposed(matrix: Matrix) -> Matrix:
    """The transposed matrix, which is the inverse of a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return (a, d, g), (b, e, h), (c, f, i)


def after(first: Matrix, *then: Matrix) -> Matrix:
    """The composition of rotations about fixed axes, applied in the order of the arguments."""
    total = first
    for matrix in then:
        a, b, c = transposed(total)
        total = transposed((apply(matrix, a), apply(matrix, b), apply(matrix, c)))
    return total


def composed(yaw: float, pitch: float, roll: float) -> Matrix:
    """The rotation with these Euler angles in degrees: Ry(yaw) Rx(pitch) Rz(roll), that is roll about z, pitch about x, yaw about y."""
    return after(turn("z", roll), turn("x", pitch), turn("y", yaw))


def angles(matrix: Matrix) -> tuple[float, float, float]:
    """Yaw, pitch and roll of a rotation in degrees, the inverse of `composed`.

    Yaw and roll are in (-180, 180], pitch in [-90, 90]. If the front points vertically (gimbal lock), roll is 0.
    """
    down = -matrix[1][2]
    if abs(down) > 1 - 1e-12:
        return azimuth((-matrix[2][0], 0.0, matrix[0][0])), 90.0 if down > 0 else -90.0, 0.0
    return (
        azimuth((matrix[0][2], 0.0, matrix[2][2])),
        round(degrees(asin(down)), 9) + 0.0,
        azimuth((matrix[1][0], 0.0, matrix[1][1])),
    )


def azimuth(direction: Vector) -> float:
    """The angle about +Y from +Z to the horizontal part of a direction, in (-180, 180] degrees; +X is at 90.

    It is 0 for a vertical direction.
    """
    return wrapped(round(degrees(atan2(direction[0] + 0.0, direction[2] + 0.0)), 9))


def wrapped(angle: float) -> float:
    """The equivalent angle in (-180, 180] degrees."""
    turned = angle % 360.0
    return turned - 360.0 if turned > 180.0 else turned


def angle_between(a: Matrix, b: Matrix) -> float:
    """The angle of the single rotation from `a` to `b`, in [0, 180] degrees."""
    trace = sum_in_order(dot(p, q) for p, q in zip(a, b, strict=True))
    return round(degrees(acos(max(-1.0, min(1.0, (trace - 1) / 2)))), 6) + 0.0
