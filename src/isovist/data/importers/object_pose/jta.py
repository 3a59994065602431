"""Reader of JTA, Joint Track Auto (Fabbri et al., ECCV 2018; GitHub `fabbrimatteo/JTA-Dataset`): people in a computer game.

Layout: `annotations/SPLIT/seq_N.json`, and frames as extracted by the script of the dataset: `frames/SPLIT/seq_N/F.jpg` or .png, F
counted from 1, with or without leading zeros. A file is a list of rows of ten numbers, one row per joint: frame (from 1), person,
joint (0 to 21), x and y in pixels, x, y and z in metres, occluded by another object (1), by the person itself (1).

Camera frame, "the standard camera coordinate system": right-handed, x right, **y down, z forward**, consistent with the intrinsic
matrix with f = 1158 and principal point (960, 540). Facing direction = left x up, where left points from the right to the left shoulder
(joints 4 and 8) and up points from the hips (16 and 19) to the neck (2). Shoulders and hips must agree, and the head (0, 1) must be
above the hips. The camera tilt is not annotated: the mean up direction of the upright people in a frame stands for the direction
against gravity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.rotation import Vector, azimuth, cross, dot, sine, unit, wrapped
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line, numbers
from isovist.data.importers.object_pose.category_map import kind

_JOINTS = 22
_HEAD, _NECK, _SHOULDERS, _HIPS, _ANKLES = 0, 2, (4, 8), (16, 19), (18, 21)
_TWIST = 30.0
"""Maximum angle in degrees between the fronts of shoulders and hips. A more twisted person has no unique facing direction."""
_LEAN = 25.0
"""Maximum angle in degrees between a person and the mean up direction of the frame."""
_ROUND = 0.06
"""Margin of a body around its joints, relative to the height of the joints (approximate)."""

Joints = Mapping[int, tuple[float, ...]]


def _read(file: Path, name: str) -> Iterator[Photograph]:
    folder = next((folder for folder in _folders(file) if folder.is_dir()), None)
    if folder is None:
        raise UserError(f"{file}: not a sequence with frames; looked for frames/{file.parent.name}/{file.stem}/.")
    pictures = file_reader.numbered_pictures(folder)
    by_frame: dict[int, dict[int, dict[int, tuple[float, ...]]]] = defaultdict(lambda: defaultdict(dict))
    rows = file_reader.read_json(file)
    for row in cast("list[Any]", rows) if isinstance(rows, list) else []:
        try:
            frame, person, joint, *values = numbers(row, 10, "joint")
        except Unusable:
            continue  # the person lacks a joint then, which is reported
        if frame in pictures:
            by_frame[int(frame)][int(person)][int(joint)] = tuple(values)
    for frame, people in sorted(by_frame.items()):
        yield Photograph(f"{name}#{frame}", pictures[frame], _lines(people))


def _folders(file: Path) -> Iterator[Path]:
    """Return the possible folders of the frames of a sequence."""
    split = file.parent.name
    for root in (file.parent.parent.parent, file.parent.parent, file.parent):
        yield root / "frames" / split / file.stem
        yield root / "frames" / file.stem
    yield file.with_suffix("")


def _lines(people: Mapping[int, Joints]) -> tuple[AnnotationLine, ...]:
    tops: list[Vector] = []
    for joints in people.values():
        try:
            tops.append(_top(joints))
        except Unusable:
            continue
    up = unit(tuple(sum(top[i] for top in tops) for i in range(3))) if tops else None  # pyright: ignore[reportArgumentType] - three
    return tuple(line(who, partial(_annotated_object, who, joints, up), partial(_box, joints)) for who, joints in sorted(people.items()))


def _at(joints: Joints, which: int) -> Vector:
    """Return the position of a joint in the frame of `annotated_objects`: y up, z out of the image."""
    if which not in joints:
        raise Unusable("a joint is missing", str(which))
    x, y, z = joints[which][2:5]
    return x, -y, -z


def _middle(joints: Joints, pair: Sequence[int]) -> Vector:
    a, b = (_at(joints, which) for which in pair)
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2


def _from(a: Vector, b: Vector) -> Vector:
    try:
        return unit((b[0] - a[0], b[1] - a[1], b[2] - a[2]))
    except ValueError:
        raise Unusable("no pose", "two joints at one position") from None


def _top(joints: Joints) -> Vector:
    return _from(_middle(joints, _HIPS), _at(joints, _NECK))


def _box(joints: Joints) -> Box:
    xs, ys = zip(*(values[:2] for values in joints.values()), strict=True)
    more = _ROUND * (max(ys) - min(ys))
    return Box(min(xs) - more, min(ys) - more, max(xs) + more, max(ys) + more)


def _annotated_object(number: int, joints: Joints, up: Vector | None) -> AnnotatedObject:
    if len(joints) != _JOINTS:
        raise Unusable("a joint is missing", f"{len(joints)} of {_JOINTS}")
    if up is None or dot(_top(joints), up) < sine(90 - _LEAN) or dot(_from(_middle(joints, _ANKLES), _at(joints, _HEAD)), up) < sine(65):
        raise Unusable("the person is not upright")
    fronts = [cross(_from(_at(joints, right), _at(joints, left)), up) for right, left in (_SHOULDERS, _HIPS)]
    if abs(twist := wrapped(_bearing(fronts[0], up) - _bearing(fronts[1], up))) > _TWIST:
        raise Unusable("shoulders and hips face different directions", f"{abs(twist):.0f} degrees")
    occluded = sum(values[5] != 0 for values in joints.values()) / len(joints)
    at = _middle(joints, _HIPS)
    if at[2] >= 0:
        raise Unusable("no pose", "behind the camera")
    return AnnotatedObject(number, kind("person"), _box(joints), unit(fronts[0]), at, up, hidden=occluded)


def _bearing(front: Vector, up: Vector) -> float:
    """Return the angle of a direction about `up` in degrees, with an arbitrary zero."""
    right = cross(up, (0.0, 0.0, 1.0))
    return azimuth((dot(front, right), 0.0, dot(front, cross(right, up))))


SOURCE = Source(
    "jta",
    "JTA (Joint Track Auto)",
    "https://github.com/fabbrimatteo/JTA-Dataset",
    ("view-parallelism",),
    "seq_*.json",
    "annotations/SPLIT/seq_N.json and frames/SPLIT/seq_N/",
    _read,
    natural=False,
)
