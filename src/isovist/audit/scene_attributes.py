"""Attributes of the parts of an item's images that must not tell its key: colour, glyph, size and place; camera and light.

They are read from the images as data, without rendering, so each attribute is known without error. Rotations are left out: most tasks
that rotate something ask about the rotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import quantiles

from isovist.core.drawing2d import Circle, Drawing, IconShape, Label, Line, Polygon, Shape
from isovist.core.scene3d import Camera, MeshRef, Panorama, Scene3D, SceneObject, view
from isovist.data.item import Item

Value = str | float | tuple[float, float]
"""A category, a number, or a place."""
RULE = "{} (look-up of the {})"
"""The name of a rule: an attribute, and whether it looks up the answer or the letter of the key."""
_NAME = re.compile(r"(?P<attribute>[a-z ]+?)(?: of (?:part \d|the asked part))?(?: of image \d)? \(look-up of the \w+\)")
_PARTS = 3  # parts in painting order, first ones
_PICTURES = 2
_COUNTED = 8  # images
_BINS = 3  # of a number; of each axis of a place


def attributes(item: Item) -> dict[str, Value]:
    """Return the attributes of an item by name, such as "colour of part 1".

    Parts count in the order of the data, from 1, in each of the first two images. "The asked part" is the one part whose glyph or name
    occurs in the question.
    """
    values_by_name: dict[str, Value] = {}
    words = set(re.findall(r"\w+", item.question.text))
    for number, picture in enumerate(item.pictures[:_PICTURES], 1):
        of_picture = f" of image {number}" if len(item.pictures) > 1 else ""
        parts = list(_parts(picture))
        values_by_name |= {f"{name}{of_picture}": value for name, value in _whole(picture).items()} | {
            f"parts{of_picture}": float(len(parts))
        }
        named = {f"part {k}": part for k, part in enumerate(parts[:_PARTS], 1)}
        asked = [part for part in parts if part["glyph"] and words.issuperset(str(part["glyph"]).split("-")[:1])]
        if len(asked) == 1:
            named["the asked part"] = asked[0]
        values_by_name |= {f"{name} of {part}{of_picture}": value for part, values in named.items() for name, value in values.items()}
    return values_by_name


def numbers(item: Item) -> Sequence[float]:
    """Return the number of shapes in each of several drawings."""
    drawings = [picture for picture in item.pictures[:_COUNTED] if isinstance(picture, Drawing)]
    return [float(len(drawing.shapes)) for drawing in drawings] if len(item.pictures) > 1 else ()


def attribute_of(rule: str) -> str:
    """Return the attribute by which a rule looks up the answer, such as "colour"; "" for another rule."""
    match = _NAME.fullmatch(rule)
    return match["attribute"] if match else ""


def categories(
    train: Sequence[Mapping[str, Value]], test: Sequence[Mapping[str, Value]]
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the attributes as categories: a number by its third among those of `train`, a place by the thirds of both axes."""
    borders: dict[tuple[str, int], list[float]] = {}
    for name in dict.fromkeys(name for values in train for name in values):
        numbers = [_numbers(values[name]) for values in train if name in values]
        for axis in range(max(map(len, numbers))):
            on_axis = [each[axis] for each in numbers if len(each) > axis]
            borders[name, axis] = quantiles(on_axis, n=_BINS) if len(on_axis) > 1 else []

    def category(name: str, value: Value) -> str:
        if isinstance(value, str):
            return value
        return " ".join(
            str(sum(number > border for border in borders.get((name, axis), []))) for axis, number in enumerate(_numbers(value))
        )

    return tuple([{name: category(name, value) for name, value in values.items()} for values in each] for each in (train, test))  # pyright: ignore[reportReturnType] - two


def _numbers(value: Value) -> tuple[float, ...]:
    return () if isinstance(value, str) else value if isinstance(value, tuple) else (value,)


def _whole(picture: Drawing | Scene3D) -> dict[str, Value]:
    if isinstance(picture, Drawing):
        return {"width": picture.width, "height": picture.height, "background": picture.background}
    camera, light = picture.camera, picture.light
    values: dict[str, Value] = {
        "camera height": camera.eye[1],
        "camera place": (camera.eye[0], camera.eye[2]),
        "sun": (light.sun_direction[0], light.sun_direction[2]),
        "sunlight": light.strength,
        "exposure": picture.capture.exposure,
        "noise": picture.capture.noise,
        "sky": picture.sky.image or picture.sky.top,
        "ground": "" if picture.ground is None else f"{picture.ground.texture} {picture.ground.colour}",
    }
    return values if isinstance(camera, Panorama) else values | {"field of view": camera.fov}


def _parts(picture: Drawing | Scene3D) -> Iterator[dict[str, Value]]:
    if isinstance(picture, Drawing):
        yield from map(_of_shape, picture.shapes)
    else:
        yield from (_of_object(solid, picture.camera) for solid in picture.objects)


def _of_shape(shape: Shape) -> dict[str, Value]:
    match shape:
        case Circle():
            return {"glyph": "circle", "colour": str(shape.fill), "size": shape.radius, "place": shape.center}
        case Polygon() | Line():
            xs, ys = zip(*shape.points, strict=True)
            middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
            size = max(max(xs) - min(xs), max(ys) - min(ys))
            glyph = f"corners {len(shape.points)}" if isinstance(shape, Polygon) else "line"  # the course of a line is content
            return {"glyph": glyph, "colour": str(shape.fill), "size": size, "place": middle}
        case Label():
            return {"glyph": shape.text, "colour": shape.fill, "size": shape.size, "place": shape.position}
        case IconShape():
            return {"glyph": shape.name, "colour": shape.colour, "size": shape.size, "place": shape.position}


def _of_object(solid: SceneObject, camera: Camera | Panorama) -> dict[str, Value]:
    geometry = solid.geometry
    offset = [a - b for a, b in zip(solid.pose.position, camera.eye, strict=True)]
    right, up, back = view(camera) if isinstance(camera, Camera) else ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    x, y, z = (sum(a * b for a, b in zip(axis, offset, strict=True)) for axis in (right, up, back))
    return {
        "glyph": solid.name or (geometry.name if isinstance(geometry, MeshRef) else geometry.kind),
        "colour": str(solid.colour),
        "texture": str(solid.texture),
        "size": solid.scale,
        "place": (x / max(abs(z), 0.01), y / max(abs(z), 0.01)),
        "distance": (x * x + z * z) ** 0.5,
    }
