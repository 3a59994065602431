"""Three-dimensional scenes as data: solids, poses, cameras and lights, before any pixel exists.

Frame: right-handed, **+Y up, metres**. The front of a form faces **+Z** (as in glTF), so its own left is at +X. A camera at
+Z that looks along -Z sees the front, with +X at the right of the picture.

Poses: degrees about the fixed axes, right-handed each; roll is applied first, then pitch, then yaw, that is
Ry(yaw) Rx(pitch) Rz(roll). Yaw 90 turns the front to +X (counterclockwise seen from above); positive pitch turns the front
down (+Y towards +Z); positive roll is counterclockwise seen from the front.

Forms stand on the ground: their origin is the middle of their footprint, at the height of their lowest point. Colours are
``"#rrggbb"`` in sRGB. Pictures: x to the right, **y down**, pixels of the camera, origin at the upper left corner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import atan2, degrees, sqrt

from isovist.core.rotation import (
    Matrix,
    Vector,
    after,
    angles,
    apply,
    azimuth,
    composed,
    cross,
    dot,
    tangent,
    transposed,
    turn,
    unit,
    wrapped,
)

ORIGIN: Vector = (0.0, 0.0, 0.0)
NEAR = 0.05
"""What lies less than this many metres in front of a camera is not seen."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the origin of a form stands, and how it is turned there."""

    position: Vector = ORIGIN
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0


@dataclass(frozen=True, slots=True)
class Box:
    """`size` is its width (x), height (y) and depth (z), each above 0, as are the lengths of all forms."""

    size: Vector
    kind: str = field(default="box", init=False)


@dataclass(frozen=True, slots=True)
class Wedge:
    """A ramp that fills half of a box of this size: the full height at the back, nothing at the front."""

    size: Vector
    kind: str = field(default="wedge", init=False)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Upright. Drawn with round shading over `sides` flat sides; few sides make a prism with edges."""

    radius: float
    height: float
    sides: int = 48
    kind: str = field(default="cylinder", init=False)


@dataclass(frozen=True, slots=True)
class Cone:
    """Upright, with the radius `tip` at its top: 0 for a point."""

    radius: float
    height: float
    tip: float = 0.0
    sides: int = 48
    kind: str = field(default="cone", init=False)


@dataclass(frozen=True, slots=True)
class Sphere:
    radius: float
    kind: str = field(default="sphere", init=False)


@dataclass(frozen=True, slots=True)
class MeshRef:
    """A mesh of the asset pack, or of a folder of the user's own, by name; ``piece#part`` is a part of the pack's furniture."""

    name: str
    kind: str = field(default="mesh", init=False)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a `Group`, stretched along its own axes before it is posed."""

    geometry: Box | Wedge | Cylinder | Cone | Sphere | MeshRef
    pose: Pose = Pose()
    scale: Vector = (1.0, 1.0, 1.0)
    colour: str | None = None
    texture: Texture | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Several pieces that are one solid; each may have a colour and texture of its own, else it takes those of the solid."""

    parts: tuple[Part, ...]
    kind: str = field(default="group", init=False)


Geometry = Box | Wedge | Cylinder | Cone | Sphere | MeshRef | Group


@dataclass(frozen=True, slots=True)
class Texture:
    """A pattern that repeats every `size_m`, multiplied with the colour of what it lies on. "checker" is always there;
    other names are pictures of the asset pack.
    """

    name: str
    size_m: float = 1.0


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object. `pivot`, in the frame of the form before scaling, is the point that comes to `pose.at` and about which it turns.

    A `colour` tints a mesh; without one, a mesh keeps its own colours and any other form is grey. A `texture` is for the other
    forms. A solid that `casts_shadow` no shadow still lies in the shadow of others; large floors and walls better cast none, because
    the shadows are as fine as what casts them is small.
    """

    geometry: Geometry
    pose: Pose = Pose()
    scale: float = 1.0
    colour: str | None = None
    texture: Texture | None = None
    pivot: Vector = ORIGIN
    casts_shadow: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Camera:
    """Looks from `eye` at `target`, upright. The picture is `fov` degrees high; with a `span` it is orthographic and `span`
    metres high instead. It must not look straight up or down.
    """

    eye: Vector
    target: Vector = ORIGIN
    fov: float = 40.0
    span: float | None = None
    width: int = 512
    height: int = 512


@dataclass(frozen=True, slots=True)
class Panorama:
    """All that is seen from `eye`, equirectangular, half as high as wide. Its middle looks along -Z, turned clockwise (seen from
    above) by `heading` degrees: 90 is +X, which else is halfway between the middle and the right edge.
    """

    eye: Vector
    heading: float = 0.0
    width: int = 1024


@dataclass(frozen=True, slots=True)
class Light:
    """A sun in the direction `sun_direction` (towards it, any length), with its strength and that of the light from all around."""

    sun_direction: Vector = (-0.55, 0.9, 0.65)
    strength: float = 1.0
    ambient: float = 1.0
    shadows: bool = True


@dataclass(frozen=True, slots=True)
class Sky:
    """What is seen beyond everything, and what the light from all around is tinted by: one colour at the zenith and one at the
    horizon, or a panorama of the asset pack, turned clockwise by `heading` degrees.
    """

    top: str = "#7fa8d8"
    bottom: str = "#e8eef4"
    image: str | None = None
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Ground:
    """The endless plane y = 0, seen from above only; `haze` is the distance in metres at which half of it has become the sky's
    lower colour, 0 for never.
    """

    colour: str = "#a9a9a4"
    texture: Texture | None = None
    haze: float = 60.0


@dataclass(frozen=True, slots=True)
class ObjectMarker:
    """A frame drawn around what is seen of a solid, which is named by its place in the stage."""

    object_index: int
    colour: str = "#e6002e"


@dataclass(frozen=True, slots=True)
class Scene3D:
    """One picture of a scene. The finished picture, marks included, is mirrored left-right if `mirrored`, then turned clockwise by
    `image_rotation_deg` degrees, a multiple of 90.
    """

    objects: tuple[SceneObject, ...]
    camera: Camera | Panorama
    ground: Ground | None = Ground()
    light: Light = Light()
    sky: Sky = Sky()
    markers: tuple[ObjectMarker, ...] = ()
    mirrored: bool = False
    image_rotation_deg: int = 0


@lru_cache(maxsize=4096)
def _composed(yaw: float, pitch: float, roll: float) -> Matrix:
    return composed(yaw, pitch, roll)


def rotation(pose: Pose) -> Matrix:
    """The rotation that a pose applies to a form."""
    return _composed(pose.yaw, pose.pitch, pose.roll)


def posed(matrix: Matrix, at: Vector = ORIGIN) -> Pose:
    """The pose with this rotation."""
    return Pose(at, *angles(matrix))


def turned(pose: Pose, axis: str, angle: float) -> Pose:
    """The pose after a further turn about an axis of the world through `pose.at`."""
    return posed(after(rotation(pose), turn(axis, angle)), pose.position)


def turned_own(pose: Pose, axis: str, angle: float) -> Pose:
    """The pose after a further turn about the form's own axis, which moves with it."""
    return posed(after(turn(axis, angle), rotation(pose)), pose.position)


def front(pose: Pose) -> Vector:
    """Where the front points, in the world."""
    return apply(rotation(pose), (0.0, 0.0, 1.0))


def up(pose: Pose) -> Vector:
    """Where the top points, in the world."""
    return apply(rotation(pose), (0.0, 1.0, 0.0))


def own_left(pose: Pose) -> Vector:
    """Where the form's own left points, in the world."""
    return apply(rotation(pose), (1.0, 0.0, 0.0))


def place(solid: SceneObject, point: Vector) -> Vector:
    """Where a point of a solid's form, given in the frame of the form before scaling, stands in the world."""
    x, y, z = (solid.scale * (a - b) for a, b in zip(point, solid.pivot, strict=True))
    moved = apply(rotation(solid.pose), (x, y, z))
    return tuple(a + b for a, b in zip(moved, solid.pose.position, strict=True))  # pyright: ignore[reportReturnType] - three


def view(camera: Camera) -> Matrix:
    """Right and up in the picture, and the direction against the view, as unit vectors of the world.

    Raises ValueError if the camera looks straight up or down, or at itself.
    """
    return _viewed(camera.eye, camera.target)


@lru_cache(maxsize=256)
def _viewed(eye: Vector, target: Vector) -> Matrix:
    back = unit((eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]))
    right = unit(cross((0.0, 1.0, 0.0), back))
    return right, cross(back, right), back


def project(camera: Camera | Panorama, point: Vector) -> tuple[float, float, float]:
    """Where a point of the world appears: x and y in the picture, and its depth in metres along the view.

    For a panorama the depth is the distance. Raises ValueError for a point that is not before the camera, and for the
    eye of a panorama.
    """
    x, y, z = (a - b for a, b in zip(point, camera.eye, strict=True))
    if isinstance(camera, Panorama):
        flat = sqrt(x * x + z * z)
        unit((x, y, z))  # the eye has no direction
        across = wrapped(180.0 - azimuth((x, 0.0, z)) - camera.heading) / 360
        down = -degrees(atan2(y, flat)) / 180
        return (across + 0.5) * camera.width, (down + 0.5) * camera.width / 2, sqrt(flat * flat + y * y)
    right, upward, back = view(camera)
    depth = -dot(back, (x, y, z))
    if depth < NEAR:
        raise ValueError(f"the point {point} is not before the camera")
    scale = camera.height / camera.span if camera.span is not None else camera.height / 2 / tangent(camera.fov / 2) / depth
    return camera.width / 2 + scale * dot(right, (x, y, z)), camera.height / 2 - scale * dot(upward, (x, y, z)), depth


def facing(camera: Camera | Panorama, pose: Pose) -> float:
    """The yaw of the front relative to the horizontal line from the solid to the camera, above -180 up to 180 degrees.

    0: it faces the camera; positive: turned counterclockwise seen from above, so that 90 faces the right of the picture.
    For an orthographic camera the line is the direction against the view. Raises ValueError for a front that points straight
    up or down, and for a solid straight above or below the eye.
    """
    ahead = front(pose)
    if isinstance(camera, Camera) and camera.span is not None:
        x, _, z = view(camera)[2]
    else:
        x, _, z = (a - b for a, b in zip(camera.eye, pose.position, strict=True))
    if max(abs(ahead[0]), abs(ahead[2])) < 1e-9 or max(abs(x), abs(z)) < 1e-9:
        raise ValueError("a vertical direction has no yaw")
    return wrapped(round(azimuth(ahead) - azimuth((x, 0.0, z)), 9))


def seen_from(camera: Camera, pose: Pose) -> Matrix:
    """The rotation of a form in the frame of a camera: columns are its left, top and front as right, up and towards the camera."""
    return after(rotation(pose), view(camera))


def back_from(camera: Camera, matrix: Matrix, at: Vector = ORIGIN) -> Pose:
    """The pose whose rotation in the frame of a camera is this: the other way of `seen_from`."""
    return posed(after(matrix, transposed(view(camera))), at)
