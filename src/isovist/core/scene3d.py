"""3-D scenes as data: objects, poses, cameras and lights.

World frame: right-handed, **+Y up, metres**. The front of a geometry faces **+Z** (as in glTF), so its own left is at +X. A camera at
+Z that looks along -Z sees the front, with +X at the right of the image.

Poses: degrees about fixed axes, right-handed; roll is applied first, then pitch, then yaw: Ry(yaw) Rx(pitch) Rz(roll). Yaw 90
rotates the front to +X (counterclockwise seen from above); positive pitch rotates the front down (+Y toward +Z); positive roll is
counterclockwise seen from the front.

The origin of a geometry is the centre of its footprint, at the height of its lowest point. Colours are ``"#rrggbb"`` in sRGB.
Image frame: x to the right, **y down**, in pixels of the camera, origin at the upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    tangent,
    transposed,
    turn,
    unit,
    wrapped,
)
from isovist.core.scene_labels import ImageLabel, ObjectLabel

ORIGIN: Vector = (0.0, 0.0, 0.0)
NEAR = 0.05
"""Near plane: points less than this many metres in front of a camera are not rendered."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The position of the origin of a geometry in metres, and its rotation in degrees."""

    position: Vector = ORIGIN
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0


@dataclass(frozen=True, slots=True)
class Box:
    """A box. `size`: width (x), height (y) and depth (z) in metres. All lengths of geometries are above 0."""

    size: Vector
    kind: str = field(default="box", init=False)


@dataclass(frozen=True, slots=True)
class Wedge:
    """A ramp: one half of a box of this size, with its full height at the back and height 0 at the front."""

    size: Vector
    kind: str = field(default="wedge", init=False)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """An upright cylinder. It has `sides` flat sides with smooth shading; with few sides it is a prism with edges."""

    radius: float
    height: float
    sides: int = 48
    kind: str = field(default="cylinder", init=False)


@dataclass(frozen=True, slots=True)
class Cone:
    """An upright cone. `tip` is the radius at the top: 0 for a point."""

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
class Prism:
    """An upright prism. `outline`: the corners (x, z) of its footprint in metres, around the centre of its bounding box.

    The outline must be visible as a whole from the mean of its corners, as that of a convex polygon, a star or a cross.
    """

    outline: tuple[tuple[float, float], ...]
    height: float
    kind: str = field(default="prism", init=False)


@dataclass(frozen=True, slots=True)
class MeshRef:
    """A mesh of the asset pack, or of a folder of the user, by name; ``piece#part`` is a part of a piece of furniture."""

    name: str
    kind: str = field(default="mesh", init=False)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a `Group`, scaled along its own axes and then posed. Its texture replaces those of a mesh."""

    geometry: Box | Wedge | Cylinder | Cone | Sphere | Prism | MeshRef
    pose: Pose = Pose()
    scale: Vector = (1.0, 1.0, 1.0)
    colour: str | None = None
    texture: Texture | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Several parts of one object. A part without a colour or texture has that of the object."""

    parts: tuple[Part, ...]
    kind: str = field(default="group", init=False)


Geometry = Box | Wedge | Cylinder | Cone | Sphere | Prism | MeshRef | Group


@dataclass(frozen=True, slots=True)
class Texture:
    """A pattern that repeats every `size_m` metres and is multiplied with the surface colour. "checker" is built in; other names
    are images of the asset pack.
    """

    name: str
    size_m: float = 1.0


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object of a 3-D scene.

    Attributes:
        pivot: The point that is moved to `pose.position` and about which the object rotates, in the frame of the geometry before
            scaling.
        colour: A tint for a mesh, the colour of any other geometry. Without it, a mesh has its own colours, another geometry is grey.
        texture: A texture for any geometry except a mesh.
        casts_shadow: False for an object that receives shadows but casts none. Large floors and walls should cast none, because the
            resolution of the shadows decreases with the extent of the objects that cast them.
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
    """An upright camera at `eye` that looks at `target`, both in metres. It must not look vertically.

    `fov` is the vertical field of view in degrees. With a `span` the camera is orthographic and the image is `span` metres high.
    `width` and `height` are in pixels.
    """

    eye: Vector
    target: Vector = ORIGIN
    fov: float = 40.0
    span: float | None = None
    width: int = 512
    height: int = 512


@dataclass(frozen=True, slots=True)
class Panorama:
    """An equirectangular panorama from `eye`, `width` pixels wide and half as high.

    Its centre looks along -Z, rotated clockwise (seen from above) by `heading` degrees. At heading 90 it looks along +X, which at
    heading 0 is halfway between the centre and the right edge.
    """

    eye: Vector
    heading: float = 0.0
    width: int = 1024


@dataclass(frozen=True, slots=True)
class Light:
    """A directional light, and the light of the sky. `sun_direction` points toward the sun (any length); `strength` scales the sun,
    `ambient` the light of the sky, whatever the brightness of its image.
    """

    sun_direction: Vector = (-0.55, 0.9, 0.65)
    strength: float = 1.0
    ambient: float = 1.0
    shadows: bool = True


@dataclass(frozen=True, slots=True)
class Sky:
    """The background, which also lights the scene: a gradient from `top` (zenith) to `bottom` (horizon), or a panorama `image` of the
    asset pack, rotated clockwise by `heading` degrees. In a scene without a ground, such as a room with the image behind its windows,
    the gradient gives the light, and neutral light comes from below.
    """

    top: str = "#7fa8d8"
    bottom: str = "#e8eef4"
    image: str | None = None
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Ground:
    """The infinite plane y = 0, visible from above only. `haze`: the distance in metres at which the colour is half that of the sky's
    `bottom`; 0 for no haze.
    """

    colour: str = "#a9a9a4"
    texture: Texture | None = None
    haze: float = 60.0


@dataclass(frozen=True, slots=True)
class ObjectMarker:
    """A frame around the visible part of an object, given by its index in `Scene3D.objects`."""

    object_index: int
    colour: str = "#e6002e"


@dataclass(frozen=True, slots=True)
class Capture:
    """How the camera records the light. `exposure`: in stops, each doubles the light. `noise`: standard deviation of the sensor noise in
    8-bit levels; photographs in daylight have about 1 to 3. `seed`: of the noise.

    Markers have no noise. There is no JPEG compression, because its pixels differ between versions of the decoder.
    """

    exposure: float = 0.0
    noise: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Scene3D:
    """The content of one 3-D image. The rendered image, markers included, is mirrored left-right if `mirrored`, then rotated
    clockwise by `image_rotation_deg` degrees, a multiple of 90.
    """

    objects: tuple[SceneObject, ...]
    camera: Camera | Panorama
    ground: Ground | None = Ground()
    light: Light = Light()
    sky: Sky = Sky()
    markers: tuple[ObjectMarker | ObjectLabel | ImageLabel, ...] = ()
    mirrored: bool = False
    image_rotation_deg: int = 0
    capture: Capture = Capture()


@lru_cache(maxsize=4096)
def _cached_rotation(yaw: float, pitch: float, roll: float) -> Matrix:
    return composed(yaw, pitch, roll)


def rotation(pose: Pose) -> Matrix:
    """The rotation matrix of a pose."""
    return _cached_rotation(pose.yaw, pose.pitch, pose.roll)


def posed(matrix: Matrix, at: Vector = ORIGIN) -> Pose:
    """The pose with this rotation at the position `at`."""
    return Pose(at, *angles(matrix))


def turned(pose: Pose, axis: str, angle: float) -> Pose:
    """The pose after a further rotation by `angle` degrees about a world axis through `pose.position`."""
    return posed(after(rotation(pose), turn(axis, angle)), pose.position)


def turned_own(pose: Pose, axis: str, angle: float) -> Pose:
    """The pose after a further rotation by `angle` degrees about an axis of the geometry, which rotates with it."""
    return posed(after(turn(axis, angle), rotation(pose)), pose.position)


def front(pose: Pose) -> Vector:
    """The direction of the front in the world frame."""
    return apply(rotation(pose), (0.0, 0.0, 1.0))


def up(pose: Pose) -> Vector:
    """The direction of the top in the world frame."""
    return apply(rotation(pose), (0.0, 1.0, 0.0))


def own_left(pose: Pose) -> Vector:
    """The direction of the geometry's own left in the world frame."""
    return apply(rotation(pose), (1.0, 0.0, 0.0))


def place(solid: SceneObject, point: Vector) -> Vector:
    """The world position of a point of an object's geometry, given in the frame of the geometry before scaling."""
    x, y, z = (solid.scale * (a - b) for a, b in zip(point, solid.pivot, strict=True))
    moved = apply(rotation(solid.pose), (x, y, z))
    return tuple(a + b for a, b in zip(moved, solid.pose.position, strict=True))  # pyright: ignore[reportReturnType] - three


def view(camera: Camera) -> Matrix:
    """The axes of the camera frame as unit vectors of the world: right and up in the image, and backward (toward the camera).

    Raises ValueError if the camera looks vertically or if `eye` equals `target`.
    """
    return _view_axes(camera.eye, camera.target)


@lru_cache(maxsize=256)
def _view_axes(eye: Vector, target: Vector) -> Matrix:
    back = unit((eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]))
    right = unit(cross((0.0, 1.0, 0.0), back))
    return right, cross(back, right), back


def project(camera: Camera | Panorama, point: Vector) -> tuple[float, float, float]:
    """Project a world point: x and y in the image in pixels, and its depth along the viewing direction in metres.

    For a panorama the depth is the distance. Raises ValueError for a point nearer than `NEAR` or behind the camera, and for the eye
    of a panorama.
    """
    if isinstance(camera, Panorama):
        x, y, z = (a - b for a, b in zip(point, camera.eye, strict=True))
        flat = sqrt(x * x + z * z)
        unit((x, y, z))  # raises ValueError for the eye itself
        across = wrapped(180.0 - azimuth((x, 0.0, z)) - camera.heading) / 360
        down = -degrees(atan2(y, flat)) / 180
        return (across + 0.5) * camera.width, (down + 0.5) * camera.width / 2, sqrt(flat * flat + y * y)
    (projected,) = projections(camera, (point,))
    return projected


def projections(camera: Camera, points: Iterable[Vector]) -> list[tuple[float, float, float]]:
    """`project` for several points of one image that is not a panorama, in less time."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = view(camera)  # right, up and back
    (ex, ey, ez), middle_x, middle_y = camera.eye, camera.width / 2, camera.height / 2
    size = camera.height / camera.span if camera.span is not None else middle_y / tangent(camera.fov / 2)
    projected: list[tuple[float, float, float]] = []
    for point in points:
        x, y, z = point[0] - ex, point[1] - ey, point[2] - ez
        depth = -(cx * x + cy * y + cz * z)  # `dot`, inlined for speed: a framing needs thousands of points
        if depth < NEAR:
            raise ValueError(f"the point {point} is not in front of the camera")
        scale = size if camera.span is not None else size / depth
        projected.append((middle_x + scale * (ax * x + ay * y + az * z), middle_y - scale * (bx * x + by * y + bz * z), depth))
    return projected


def facing(camera: Camera | Panorama, pose: Pose) -> float:
    """The yaw of the front relative to the horizontal line from the object to the camera, in (-180, 180] degrees.

    0: it faces the camera. Positive angles are counterclockwise seen from above: at 90 it faces the right of the image. For an
    orthographic camera the line is opposite to the viewing direction. Raises ValueError if the front points vertically, and if the
    object is vertically above or below the eye.
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
    """The rotation of an object in the camera frame: the columns are its left, top and front in right, up and backward components."""
    return after(rotation(pose), view(camera))


def back_from(camera: Camera, matrix: Matrix, at: Vector = ORIGIN) -> Pose:
    """The pose at `at` whose rotation in the camera frame is `matrix`: the inverse of `seen_from`."""
    return posed(after(matrix, transposed(view(camera))), at)
