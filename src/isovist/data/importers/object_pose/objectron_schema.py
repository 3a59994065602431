"""Message types of Objectron annotations for `protobuf`: number, name and type of the fields used. Other fields are ignored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.importers import file_reader

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
        for number, field, kind in fields:
            label = types.LABEL_REPEATED if kind.startswith("repeated ") else types.LABEL_OPTIONAL
            kind = kind.removeprefix("repeated ")  # noqa: PLW2901
            if kind in _MESSAGES:
                described.field.add(name=field, number=number, label=label, type=types.TYPE_MESSAGE, type_name=f".objectron.{kind}")
            else:
                described.field.add(name=field, number=number, label=label, type=types.Type.Value(f"TYPE_{kind.upper()}"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(schema)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"objectron.{name}"))
