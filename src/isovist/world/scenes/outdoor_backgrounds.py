"""Outdoor backgrounds: a street with houses, open land with trees and hills, or a shore, below a sky. Lengths are metres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine, tangent
from isovist.core.scene3d import Box, Camera, Cone, Geometry, Light, Pose, SceneObject, Sky, Texture
from isovist.world.scenes.environments import facades
from isovist.world.scenes.environments.primitives import mixed
from isovist.world.scenes.environments.street_furniture import OLD_LAMP, STREET_LAMP, fence, hedge
from isovist.world.scenes.environments.street_trees import bush, whole

_PAVING = (("paving", 1.6), ("concrete", 3.0))
_HILLS = ("#7d9379", "#8a9a86", "#74887c", "#6f8a68")
_FENCES = ("#8a6a48", "#e8e4da", "#6a5040", "#b8a888")
_PLAIN = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#a8adb8", "#d8d8d8"), ("#86b4d0", "#eef2e2"))
_IMAGES = {
    "city": (144.0, ("#8fa9c8", "#b9bcc2")),
    "sunrise": (144.1, ("#7f92b4", "#c9c3bd")),
}
"""Panoramas of the pack without near objects: yaw of their sun in degrees, and the colours of their zenith and horizon."""
_WIDTHS: dict[facades.Style, tuple[float, float]] = {"town": (6, 11), "flats": (9, 14), "office": (9, 14), "cottage": (8, 11)}
_DETAILED = 40.0
"""Maximum distance in metres of a house with window bars and sills."""
_SIDEWAYS = 68.0
"""Maximum angle in degrees at which the end of a row is computed: a row that runs along the viewing direction has no end."""
_LONGEST = 70.0  # metres of a row to each side


def sky(rng: Rng, light: Light, town: bool) -> Sky:
    """Return a plain sky, or the panorama of a town or of open land, rotated so that its sun is in the direction of the light."""
    if rng.chance(0.6):
        return Sky(*rng.pick(_PLAIN))
    name = "city" if town else "sunrise"
    sun, (top, bottom) = _IMAGES[name]
    return Sky(top, bottom, name, round(sun - azimuth(light.sun_direction), 1))


@dataclass(frozen=True, slots=True)
class Backdrop:
    """The line behind all objects: `facing` is the azimuth of its normal toward the camera in degrees, `off` its distance from the origin
    along the normal. `scale`: 1 for objects up to the size of a bus, more for ships and aeroplanes.
    """

    facing: float
    off: float
    camera: Camera
    scale: float

    def at(self, along: float, back: float, y: float = 0.0) -> tuple[float, float, float]:
        """A point `back` metres behind the line, and `along` metres to the right of the world origin for a viewer."""
        nx, nz = sine(self.facing), cosine(self.facing)
        away = self.off - back
        return round(away * nx + along * nz, 3), y, round(away * nz - along * nx, 3)

    @property
    def distance(self) -> float:
        """From the camera to the line."""
        return self.camera.eye[0] * sine(self.facing) + self.camera.eye[2] * cosine(self.facing) - self.off

    def visible(self, back: float = 0.0) -> tuple[float, float]:
        """The part of the line, or of a line behind it, that the image shows."""
        (ex, _, ez), (tx, _, tz) = self.camera.eye, self.camera.target
        turned = (azimuth((tx - ex, 0.0, tz - ez)) - self.facing) % 360 - 180
        start = ex * cosine(self.facing) - ez * sine(self.facing)
        ends = (turned + side * (self.camera.fov / 2 + 2) for side in (1, -1))
        # azimuths grow counterclockwise as seen from above, so a larger one is further to the left
        left, right = (start - tangent(max(-_SIDEWAYS, min(_SIDEWAYS, end))) * (self.distance + back) for end in ends)
        return left, right

    def place(self, form: Geometry, along: float, back: float, turned: float = 0.0, y: float = 0.0, **looks: str) -> SceneObject:
        colour = looks.get("colour")
        return SceneObject(form, Pose(self.at(along, back, y), round(self.facing + turned, 1)), colour=colour, casts_shadow=False)


def street(rng: Rng, view: Backdrop, horizon: str) -> tuple[SceneObject, ...]:
    """A pavement behind a kerb with houses, trees and street lamps, or front gardens behind hedges and fences."""
    kerb, tint = 0.12, rng.pick(("#ffffff", "#e8e0d4", "#dcdcdc"))
    texture, metres = rng.pick(_PAVING)
    wide = round(rng.uniform(2.2, 4.0), 2)
    left, right = view.visible(wide)
    left, right = max(left, right - 2 * _LONGEST), min(right, left + 2 * _LONGEST)
    length, middle = round(right - left + 30, 1), (left + right) / 2
    solids = [
        SceneObject(
            Box((length, kerb, wide)),
            Pose(view.at(middle, wide / 2), round(view.facing, 1)),
            colour=tint,
            texture=Texture(texture, metres),
            casts_shadow=False,
        ),
        view.place(Box((length, kerb + 0.01, 0.16)), middle, 0.06, colour="#c9c5ba"),
    ]
    style = rng.pick(("town", "town", "flats", "office", "cottage"))
    setback = round(rng.uniform(3.0, 6.0), 1) if style == "cottage" else 0.0
    shops, plain = rng.uniform(0.2, 0.8), view.distance + wide > _DETAILED
    along = left - rng.uniform(0, 8)
    while along < right + 2:
        width = round(rng.uniform(*_WIDTHS[style]), 1)
        storeys = rng.pick((1, 2, 2)) if style == "cottage" else rng.integer(2, 5)
        ground: facades.Ground = "shop" if style != "cottage" and rng.chance(shops) else "home"
        made = facades.house(rng, style, width, storeys, ground, plain=plain, free=style == "cottage")
        at = along + width / 2, wide + setback + made.depth / 2
        solids += [view.place(form, *at, y=kerb) for form in (made.form, made.over) if form]
        along += width + (rng.uniform(2, 5) if style == "cottage" else rng.pick((0.0, 0.0, 0.0, 2.5)))
    if setback:
        border: Geometry = hedge(length, round(rng.uniform(0.7, 1.2), 2)) if rng.chance(0.5) else fence(max(length, 8.0), rng.pick(_FENCES))
        solids.append(view.place(border, middle, wide + 0.4, y=kerb))
        lawn = Texture("grass", 1.5)
        solids.append(
            SceneObject(
                Box((length, kerb, setback)),
                Pose(view.at(middle, wide + setback / 2 + 0.1), round(view.facing, 1)),
                colour="#ffffff",
                texture=lawn,
                casts_shadow=False,
            )
        )
        solids += [view.place(whole(rng), rng.uniform(left, right), wide + 1.8, rng.uniform(-180, 180)) for _ in range(rng.integer(0, 2))]
    solids += [view.place(whole(rng), rng.uniform(left, right), 0.9, rng.uniform(-180, 180), kerb) for _ in range(rng.integer(0, 3))]
    if rng.chance(0.5):
        lamp = rng.pick((STREET_LAMP, OLD_LAMP))
        solids += [view.place(lamp, rng.uniform(left, right), 0.5, y=kerb) for _ in range(rng.integer(1, 2))]
    return (*solids, *_far(rng, view, horizon, _HILLS))


def land(rng: Rng, view: Backdrop, horizon: str, *, dry: bool = False) -> tuple[SceneObject, ...]:
    """Scattered trees and bushes with a fence, a hedge or a path in front of them, and woods and hills behind. `dry`: a savanna."""
    left, right = view.visible(10 * view.scale)
    left, right = max(left, right - 3 * _LONGEST * view.scale), min(right, left + 3 * _LONGEST * view.scale)
    solids: list[SceneObject] = []
    border = "" if dry or view.scale > 1 else rng.pick(("fence", "hedge", "path", ""))
    length, middle = round(min(right - left + 12, 120.0), 1), (left + right) / 2
    if border == "path":
        strip = Box((round(rng.uniform(1.2, 2.6), 2), 0.02, 120.0))
        place = Pose(view.at(rng.uniform(left, right), 58.0), round(view.facing + rng.uniform(-35, 35), 1))
        solids.append(SceneObject(strip, place, colour="#e0d0b0", texture=Texture("sand", 2.0), casts_shadow=False))
    elif border:
        form = hedge(length, round(rng.uniform(0.8, 1.6), 2)) if border == "hedge" else fence(max(length, 8.0), rng.pick(_FENCES))
        solids.append(view.place(form, middle, rng.uniform(0.5, 4.0)))
    makers: tuple[Callable[[Rng], Geometry], ...] = (bush,) if dry else (whole, whole, bush)
    for _ in range(rng.integer(3, 8) if dry else rng.integer(5, 11)):
        back = view.scale * rng.uniform(4.0, 45.0)
        low, high = view.visible(back)
        solids.append(view.place(rng.pick(makers)(rng), rng.uniform(low, high), back, rng.uniform(-180, 180)))
    return (*solids, *_far(rng, view, horizon, ("#b09a70", "#a08c68") if dry else _HILLS, woods=not dry and rng.chance(0.7)))


def shore(rng: Rng, view: Backdrop, horizon: str) -> tuple[SceneObject, ...]:
    """Water up to a far shore with woods and hills, or up to the horizon."""
    if rng.chance(0.25):
        return ()
    back = view.scale * rng.uniform(60, 140)
    low, high = view.visible(back)
    strip = Box((round(high - low + 60 * view.scale, 1), round(1.2 * view.scale, 1), round(60 * view.scale, 1)))
    bank = view.place(strip, (low + high) / 2, back + 30 * view.scale, colour=mixed("#6f8a5a", horizon, 0.25))
    return (bank, *_far(rng, view, horizon, _HILLS, woods=True, from_m=back + 12 * view.scale))


def _far(
    rng: Rng, view: Backdrop, horizon: str, colours: tuple[str, ...], *, woods: bool = False, from_m: float = 70.0
) -> list[SceneObject]:
    """Hills at the horizon, and in front of them the edge of a wood; paler at larger distances."""
    solids: list[SceneObject] = []
    back = max(from_m, 60.0 * view.scale)
    low, high = view.visible(back)
    trees = min(60, round((high - low) / (4.5 * view.scale))) if woods else 0
    for k in range(trees):
        along = low + (k + rng.uniform(-0.5, 0.5)) * (high - low) / trees
        tree = view.place(whole(rng, plain=True), along, back + view.scale * rng.uniform(0, 14), rng.uniform(-180, 180))
        solids.append(replace(tree, scale=round(view.scale * rng.uniform(0.8, 1.3), 2)))
    back = max(3.2 * from_m, 320.0 * view.scale)
    low, high = view.visible(back)
    for k in range(rng.integer(3, 6)):
        radius = round(rng.uniform(0.25, 0.5) * (high - low), 1)
        form = Cone(radius, round(min(radius * rng.uniform(0.08, 0.2), 60.0 * view.scale), 1), round(0.2 * radius, 1), 28)
        at = low + rng.uniform(0, 1) * (high - low), back + radius * rng.uniform(0.6, 1.0)
        solids.append(view.place(form, *at, colour=mixed(rng.pick(colours), horizon, 0.45 + 0.04 * k)))
    return solids
