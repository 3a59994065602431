"""What things in rooms and streets are called fits what they look like, where a name tells of a colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import atan2, degrees, hypot

import numpy as np
import pytest
from colour_science import SURVEY, lab

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine, wrapped
from isovist.core.scene3d import Camera, Light, Pose, Scene3D, SceneObject, Sky
from isovist.core.task import RejectSample
from isovist.world.render import rasterizer3d
from isovist.world.scenes.environments import room_kinds
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.rooms import room
from isovist.world.scenes.environments.street_object_types import KINDS, PAINTS

BOUND = {
    "whiteboard": "white",
    "notice board": "orange",  # cork
    "cardboard box": "orange",
    "fire extinguisher": "red",
    "fire hydrant": "red",
    "post box": "red",
    "telephone box": "red",
    "stop sign": "red",
    "traffic cone": "red",
    "cactus": "green",
    "grand piano": "black",
}
"""Names that promise a colour without telling it, and its hue."""
HUES = ("red", "orange", "yellow", "green", "blue", "purple")
_GREY = 14.0  # the chroma below which a colour has no hue
ROOMS = 60


@lru_cache(maxsize=1)
def things() -> dict[str, tuple[SceneObject, ...]]:
    """All forms of the named things: those of streets that have a colour in their name, and those of many rooms of every kind."""
    forms_by_name: dict[str, dict[str, SceneObject]] = {}
    for kind in KINDS:
        for nth in range(12 if kind.name.endswith(" car") else 4):
            form = kind.draw(Rng("named things", kind.name, nth))
            forms_by_name.setdefault(kind.name, {})[str(form)] = SceneObject(form, Pose((0.0, 0.0, 0.0)), name=kind.name)
    usual = room_kinds.KINDS
    try:
        for which in usual:
            room_kinds.KINDS = (which,)
            for nth in range(ROOMS if which.place == "office" else ROOMS // 6):
                for attempt in range(40):
                    try:
                        world = room(Rng("named things", which.place, nth, attempt))
                    except RejectSample:
                        continue
                    for solid in world.objects:
                        if solid.name:
                            forms_by_name.setdefault(solid.name, {})[str(solid.geometry)] = solid
                    break
    finally:
        room_kinds.KINDS = usual
    return {name: tuple(forms.values()) for name, forms in forms_by_name.items()}


def looks(solid: SceneObject) -> Counter[str]:
    """How many pixels of its picture have which hue, or are white, grey or black; seen a little from the side and from above."""
    (x0, y0, z0), (x1, y1, z1) = bounds(solid.geometry)
    middle = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    far = 3 * ((x1 - x0) ** 2 + (y1 - y0) ** 2 + (z1 - z0) ** 2) ** 0.5
    side, rise = 30.0, 15.0
    eye = (middle[0] + far * sine(side) * cosine(rise), middle[1] + far * sine(rise), middle[2] + far * cosine(side) * cosine(rise))
    alone = replace(solid, pose=Pose((0.0, 0.0, 0.0)), casts_shadow=False)
    seen = rasterizer3d.render(
        Scene3D((alone,), Camera(eye, middle, 20.0), None, Light((0.4, 0.7, 0.6), 0.8, 1.1), Sky("#ffffff", "#ffffff")), 96
    )
    pixels, counts = np.unique(seen.colour[seen.solid == 0], axis=0, return_counts=True)
    names: Counter[str] = Counter()
    for (r, g, b), count in zip(pixels.tolist(), counts.tolist(), strict=True):
        names[_called(r // 8, g // 8, b // 8)] += count
    return names


@lru_cache(maxsize=1 << 14)
def _called(r: int, g: int, b: int) -> str:
    """Light and shade change how light a colour is, not its hue."""
    lightness, *across = lab(f"#{8 * r + 4:02x}{8 * g + 4:02x}{8 * b + 4:02x}")
    if hypot(*across) < _GREY:
        return "white" if lightness > 70 else "black" if lightness < 35 else "grey"
    return min(HUES, key=lambda name: abs(wrapped(_angle(across) - _angle(lab(SURVEY[name])[1:]))))


def _angle(across: Sequence[float]) -> float:
    return degrees(atan2(across[1], across[0]))


def fits(solid: SceneObject, colour: str) -> bool:
    """Whether most of what has a hue has this one; for white and black, whether it is the most frequent of all."""
    shares = looks(solid)
    hued = sum(shares[hue] for hue in HUES)
    if colour in HUES:
        return shares[colour] > 0.6 * hued > 0.06 * shares.total()
    return shares.most_common(1)[0][0] == colour


@pytest.mark.parametrize("paint", PAINTS)
def test_a_car_has_the_colour_of_its_name(paint: str) -> None:
    for solid in things()[f"{paint} car"]:
        assert fits(solid, paint), looks(solid)
        assert [other for other in PAINTS if other != paint and fits(solid, other)] == [], looks(solid)


@pytest.mark.parametrize("name", BOUND)
def test_a_thing_has_the_colour_that_its_name_promises(name: str) -> None:
    for solid in things()[name]:
        assert fits(solid, BOUND[name]), looks(solid)


def test_names_with_a_colour_in_them_are_all_looked_at() -> None:
    names = {name for name in things() for word in name.split() if word in SURVEY}
    assert names == {f"{paint} car" for paint in PAINTS}
    assert {name for name in things() if any(colour in name.replace(" ", "") for colour in ("white", "black"))} == {
        "whiteboard", "white car", "black car",
    }  # fmt: skip


def test_both_boards_hang_in_offices_each_under_its_name() -> None:
    corks = {name: {"board-cork" in str(solid.geometry) for solid in things()[name]} for name in ("whiteboard", "notice board")}
    assert corks == {"whiteboard": {False}, "notice board": {True}}
