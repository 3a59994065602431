"""Reader of Objectron (Ahmadyan et al., CVPR 2021; GitHub `google-research-datasets/Objectron`).

Layout: annotations are protocol buffers, `NAME.pbdata`, one message `Sequence` per video. The user extracts frames from the videos to
`NAME/FRAME.png` (or .jpg) beside the annotation, where FRAME is `frame_id`, with or without leading zeros; NAME may also be the last
folder of the video. Fields used, with their numbers: Sequence.objects 1 (Object.id 1, category 2) and frame_annotations 2
(frame_id 1, annotations 2: object_id 1, keypoints 2, visibility 3; keypoint: id 1, point_3d 2, point_2d 3).

The nine key points of a box: its centre, and the corners ordered by x, then y, then z from - to +. **+y is the top of an object, +z
its front** (face 4 of the box is called front in the code of the dataset).

`point_3d` is in metres in the sensor frame: right-handed, viewing direction -z. The phone was held in portrait orientation and its
sensor is rotated: the **y axis of the sensor points to the right of the image and its x axis down**, as in the projection code of
the dataset. `point_2d` is relative to the width and height of the image, from the upper left corner. Each annotation is validated:
its 3-D and 2-D points must correlate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import dist, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from isovist.common.errors import MissingDependencyError, UserError
from isovist.core.rotation import Vector, dot, unit
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import photo_size
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line
from isovist.data.importers.object_pose.category_map import kind

_POINTS = 9
_AGREE = 0.9
"""Minimum correlation between 3-D and 2-D points along each image axis."""
_SQUARE = 0.05  # maximum cosine of the angle between the axes of a box

Point = tuple[float, float]

_MESSAGES: dict[str, tuple[tuple[int, str, str], ...]] = {
    "Point3D": ((1, "x", "float"), (2, "y", "float"), (3, "z", "float")),
    "Point2D": ((1, "x", "float"), (2, "y", "float")),
    "KeyPoint": ((1, "id", "int32"), (2, "point_3d", "Point3D"), (3, "point_2d", "Point2D")),
    "Annotation": ((1, "object_id", "int32"), (2, "keypoints", "repeated KeyPoint"), (3, "visibility", "float")),
    "Frame": ((1, "frame_id", "int32"), (2, "annotations", "repeated Annotation")),
    "Object": ((1, "id", "int32"), (2, "category", "bytes")),
    "Sequence": ((1, "objects", "repeated Object"), (2, "frame_annotations", "repeated Frame")),
}


def sequence(file: Path) -> Any:
    """Read the message `Sequence` from a file. Raises UserError if it is damaged, MissingDependencyError without `protobuf`."""
    try:
        from google.protobuf.message import DecodeError
    except ImportError:
        raise MissingDependencyError("importing Objectron", "objectron") from None
    message = _message_class("Sequence")()
    try:
        message.ParseFromString(file_reader.data(file))
    except DecodeError:
        raise UserError(f"{file}: not a protocol buffer, or cut off; give the annotations as they are published.") from None
    return message


def _message_class(name: str) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    schema = descriptor_pb2.FileDescriptorProto(name="objectron.proto", package="objectron", syntax="proto3")
    types = descriptor_pb2.FieldDescriptorProto
    for message, fields in _MESSAGES.items():
        described = schema.message_type.add(name=message)
        for number, field, stated in fields:
            label = types.LABEL_REPEATED if stated.startswith("repeated ") else types.LABEL_OPTIONAL
            of = stated.removeprefix("repeated ")
            if of in _MESSAGES:
                described.field.add(name=field, number=number, label=label, type=types.TYPE_MESSAGE, type_name=f".objectron.{of}")
            else:
                described.field.add(name=field, number=number, label=label, type=types.Type.Value(f"TYPE_{of.upper()}"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(schema)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"objectron.{name}"))


def _read(file: Path, name: str) -> Iterator[Photograph] | None:
    return None if file.name == "geometry.pbdata" else _photographs(file, name)


def _photographs(file: Path, name: str) -> Iterator[Photograph]:
    video = sequence(file)
    categories = {thing.id: thing.category.decode(errors="replace") for thing in video.objects}
    pictures = file_reader.numbered_pictures(file.with_suffix(""))
    for frame in video.frame_annotations:
        if (picture := pictures.get(frame.frame_id)) is not None:  # only a few frames of a video are extracted
            yield Photograph(f"{name}#{frame.frame_id}", picture, tuple(_lines(frame.annotations, categories, picture)))


def _lines(annotations: Any, categories: Mapping[int, str], picture: Path) -> Iterator[AnnotationLine]:
    try:
        size = photo_size(picture)
    except Unusable as fault:
        yield from (AnnotationLine(number, fault=fault) for number in range(len(annotations)))
        return
    for number, annotation in enumerate(annotations):
        yield line(number, partial(_annotated_object, number, annotation, categories, size), partial(_box, annotation, size))


def _points(annotation: Any) -> list[tuple[Vector, Point]]:
    """Return the key points in order: in 3-D, in the camera frame of `annotated_objects`, and in the image."""
    if len(annotation.keypoints) != _POINTS:
        raise Unusable("not a box of nine points", str(len(annotation.keypoints)))
    points: list[tuple[Vector, Point]] = []
    for point in sorted(annotation.keypoints, key=lambda point: point.id):
        space, flat = point.point_3d, point.point_2d
        if not all(map(isfinite, (space.x, space.y, space.z, flat.x, flat.y))):
            raise Unusable("a field is not a number", f"key point {point.id}")
        points.append(((space.y, -space.x, space.z), (flat.x, flat.y)))
    return points


def _box(annotation: Any, size: tuple[int, int]) -> Box:
    xs, ys = zip(*(flat for _, flat in _points(annotation)), strict=True)
    return Box(min(xs) * size[0], min(ys) * size[1], max(xs) * size[0], max(ys) * size[1])


def _annotated_object(number: int, annotation: Any, categories: Mapping[int, str], size: tuple[int, int]) -> AnnotatedObject:
    name = categories.get(annotation.object_id)
    if name is None:
        raise Unusable("no object has its object_id")
    object_kind = kind(name)
    points = _points(annotation)
    if any(at[2] >= 0 for at, _ in points):
        raise Unusable("no pose", "a point is behind the camera")
    for axis, sign in ((0, 1), (1, -1)):
        if _correlation([sign * at[axis] / -at[2] for at, _ in points], [flat[axis] for _, flat in points]) < _AGREE:
            raise Unusable("3-D and 2-D points are inconsistent")
    corners = [at for at, _ in points]
    up, front = _axis(corners, 2), _axis(corners, 1)
    if abs(dot(up, front)) > _SQUARE:
        raise Unusable("no pose", "the box has no right angles")
    if not isfinite(annotation.visibility):
        raise Unusable("a field is not a number", "visibility")
    return AnnotatedObject(
        number,
        object_kind,
        _box(annotation, size),
        front if object_kind.front == "clear" else None,
        corners[0],
        up,
        hidden=1.0 - annotation.visibility,
        span=dist(corners[1], corners[8]),
    )


def _axis(corners: list[Vector], step: int) -> Vector:
    """Return the direction from the four corners with - to those with +, which are `step` indices later."""
    low = [i for i in range(8) if not i & step]
    sums = [sum(corners[1 + i + step][axis] - corners[1 + i][axis] for i in low) for axis in range(3)]
    try:
        return unit((sums[0], sums[1], sums[2]))
    except ValueError:
        raise Unusable("no pose", "the box has no extent") from None


def _correlation(a: list[float], b: list[float]) -> float:
    """Return Pearson's correlation; 0 if one of the two is constant."""
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) and np.ptp(b) else 0.0


SOURCE = Source(
    "objectron",
    "Objectron",
    "https://github.com/google-research-datasets/Objectron",
    ("single-axis-rotation",),
    "*.pbdata",
    "*.pbdata beside folders of frames",
    _read,
)
