"""Objectron (Ahmadyan and others, CVPR 2021; GitHub `google-research-datasets/Objectron`).

Layout: annotations are protocol buffers, `NAME.pbdata`, one message `Sequence` a video. Frames are cut from the videos by the user, as
`NAME/FRAME.png` (or .jpg) beside the annotation, where FRAME is the number `frame_id`, with or without zeros before it; NAME may also
be the last folder of the video. Fields used, with their numbers: Sequence.objects 1 (Object.id 1, category 2) and frame_annotations
2 (frame_id 1, annotations 2: object_id 1, keypoints 2, visibility 3, a keypoint: id 1, point_3d 2, point_2d 3).

The nine key points of a box: its middle, and the corners with x, then y, then z from - to +. **+y is the top of an object, +z its
front** (face 4 of the box in the project's own code is called front).

`point_3d` is in metres in the frame of the sensor: right-handed, looking along -z. The phone was held upright and its sensor lies on its
side: the sensor's **y points to the right of the picture and its x down**, as the project's own projection shows. `point_2d` is in
parts of the picture's width and height, from the upper left corner. Each annotation is checked: its points in space have to lie where
its points in the picture are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from isovist.core.rotation import Vector, dot, unit
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose import file_reader, framed_image
from isovist.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line
from isovist.importers.object_pose.category_map import kind
from isovist.importers.object_pose.protobuf import Message, parsed

_POINTS = 9
_AGREE = 0.9
"""How well points in space and in the picture have to correlate, along each side of the picture."""
_SQUARE = 0.05  # the cosine of the angle between the axes of a box, at most


def _read(path: Path, labels: Path | None) -> Iterator[Photograph]:
    del labels
    files = [file for file in file_reader.listed(path, ".pbdata") if file.name != "geometry.pbdata"]
    if not files:
        raise file_reader.none(path, SOURCE.title, "*.pbdata beside folders of frames")
    for file in files:
        sequence = parsed(file.read_bytes(), file)
        names = {one.number(1): one.text(2) for one in sequence.messages(1)}
        frames = _frames(file.with_suffix(""))
        for frame in sequence.messages(2):
            number = frame.number(1)
            picture = frames.get(number)
            if picture is None:
                continue  # few of the frames of a video are cut out
            yield Photograph(f"{file_reader.name(file, path)}#{number}", picture, tuple(_lines(frame, names, picture)))


def _frames(folder: Path) -> dict[int, Path]:
    """The pictures of a video by the number in their names."""
    if not folder.is_dir():
        return {}
    pictures = (file for file in sorted(folder.iterdir()) if file.suffix.lower() in file_reader.PICTURES and file.stem.isdecimal())
    return {int(file.stem): file for file in pictures}


def _lines(frame: Message, names: Mapping[int, str], picture: Path) -> Iterator[AnnotationLine]:
    try:
        size = framed_image.size(picture)
    except Unusable as fault:
        yield from (AnnotationLine(number, fault=fault) for number, _ in enumerate(frame.messages(2)))
        return
    for number, one in enumerate(frame.messages(2)):
        yield line(number, lambda n=number, o=one: _seen(n, o, names, size), lambda o=one: _box(o, size))


def _points(one: Message) -> list[tuple[Vector, tuple[float, float]]]:
    """The key points in their order: in space, in our frame of the camera, and in the picture."""
    points = sorted(one.messages(2), key=lambda point: point.number(1))
    if len(points) != _POINTS:
        raise Unusable("not a box of nine points", str(len(points)))
    key_points: list[tuple[Vector, tuple[float, float]]] = []
    for point in points:
        at, on = point.message(2), point.message(3)
        x, y, z = at.real(1), at.real(2), at.real(3)
        key_points.append(((y, -x, z), (on.real(1), on.real(2))))
    return key_points


def _box(one: Message, size: tuple[int, int]) -> Box:
    xs, ys = zip(*(on for _, on in _points(one)), strict=True)
    return Box(min(xs) * size[0], min(ys) * size[1], max(xs) * size[0], max(ys) * size[1])


def _seen(number: int, one: Message, names: Mapping[int, str], size: tuple[int, int]) -> AnnotatedObject:
    name = names.get(one.number(1))
    if name is None:
        raise Unusable("no object has its object_id")
    object_kind = kind(name)
    points = _points(one)
    if any(at[2] >= 0 for at, _ in points):
        raise Unusable("no pose", "a point lies behind the camera")
    for axis in (0, 1):
        space = [at[axis] / -at[2] * (1, -1)[axis] for at, _ in points]
        if _correlation(space, [on[axis] for _, on in points]) < _AGREE:
            raise Unusable("points in space and in the picture contradict each other")
    corners = [at for at, _ in points]
    up, front = _axis(corners, 2), _axis(corners, 1)
    if abs(dot(up, front)) > _SQUARE:
        raise Unusable("no pose", "the box has no right angles")
    middle, span = corners[0], _length(corners[1], corners[8])
    return AnnotatedObject(
        number,
        object_kind,
        _box(one, size),
        front if object_kind.front == "clear" else None,
        middle,
        up,
        hidden=1.0 - one.real(3),
        span=span,
    )


def _axis(corners: list[Vector], step: int) -> Vector:
    """The direction from the four corners with - to those with +, which stand `step` places later."""
    low = [i for i in range(8) if not i & step]
    sums = [sum(corners[1 + i + step][axis] - corners[1 + i][axis] for i in low) for axis in range(3)]
    try:
        return unit((sums[0], sums[1], sums[2]))
    except ValueError:
        raise Unusable("no pose", "the box has no extent") from None


def _length(a: Vector, b: Vector) -> float:
    return sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5


def _correlation(a: list[float], b: list[float]) -> float:
    """Pearson's; 0 where one of the two does not vary."""
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    size = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return both / size if size else 0.0


SOURCE = Source(
    "objectron",
    "Objectron",
    "https://github.com/google-research-datasets/Objectron",
    ("single-axis-rotation",),
    _read,
)
