"""The images of a place, the text that states their headings, and the other orders in which they can be shown.

Headings are degrees clockwise, seen from above. The rotation of an image is relative to the first image.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import exp

from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.suites.cospace import environments, symmetries
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.environments import Somewhere
from isovist.world.scenes.environments.environment import Environment, VisibleObject, shot

FOVS = (100, 105, 110)
"""Degrees: neighbouring images of a full circle of four overlap by 10 to 20 degrees."""
NARROW_FOVS = (92, 94, 96)
"""The same for objects in diagonal directions that only one image may show: neighbouring images overlap by 2 to 6 degrees."""
AROUND = (0.0, 90.0, 180.0, 270.0)
COMPASS_HEADINGS = ("north", "east", "south", "west")
BODY_HEADINGS = ("to your front", "to your right", "to your back", "to your left")
BODY_POSITION = "You stand at the position from which the images were taken and face forward."
ROUND = "start"
SHUFFLED = "shuffled"

TURNED, MIRRORED = "turned", "mirrored"


@dataclass(frozen=True, slots=True)
class Lit:
    """Changes of the light of a place: factors of the sun strength and of the ambient light, and the relative shift of the sky from blue to red."""

    sun_strength: float
    ambient: float
    warmth: float


_SUN, _AROUND, _WARM = 0.35, 0.25, 0.08


def some_fov(rng: Rng, least: int, most: int) -> int:
    """A field of view, a multiple of five degrees."""
    return 5 * rng.integer(least // 5, most // 5)


def varied(rng: Rng, n: int) -> tuple[Lit, ...]:
    """Sample `n` lights, so that images of one place differ in more than their heading."""
    return tuple(
        Lit(
            round(exp(rng.uniform(-_SUN, _SUN)), 3),
            round(exp(rng.uniform(-_AROUND, _AROUND)), 3),
            round(rng.uniform(-_WARM, _WARM), 3),
        )
        for _ in range(n)
    )


def lit(world: Environment, light: Lit) -> Environment:
    """The environment with a changed light."""
    strength, ambient = round(world.light.strength * light.sun_strength, 4), round(world.light.ambient * light.ambient, 4)
    sky = replace(world.sky, top=_tinted(world.sky.top, light.warmth), bottom=_tinted(world.sky.bottom, light.warmth))
    return replace(world, light=replace(world.light, strength=strength, ambient=ambient), sky=sky)


def _tinted(colour: str, warm: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"#{min(255, round(red * (1 + warm))):02x}{green:02x}{min(255, round(blue * (1 - warm))):02x}"


@dataclass(frozen=True, slots=True)
class Views:
    """Images from the camera position of a place. `heading`: heading of the first image in the environment, in degrees; `fov`:
    horizontal and vertical field of view in degrees; `place_kind`: name of the kind of place; `objects`: the visible named objects, if the
    task asks about objects; `changes`: changes by metamorphic relations, in order; `lights`: the light of each image, if changed.
    """

    place: Somewhere
    place_kind: str
    heading: float
    fov: int
    rotations_deg: tuple[float, ...] = AROUND
    objects: tuple[VisibleObject, ...] = ()
    changes: tuple[str, ...] = ()
    lights: tuple[Lit, ...] = ()

    def world(self) -> Environment:
        """The environment after all changes."""
        environment = environments.world(self.place)
        for change in self.changes:
            name, _, detail = change.partition(":")
            if name == TURNED:
                environment = symmetries.rotated_environment(environment, float(detail))
            elif name == MIRRORED:
                environment = symmetries.mirrored_environment(environment)
            else:
                environment = symmetries.without_one(environment, detail)
        return environment

    def stages(self) -> tuple[Scene3D, ...]:
        """One 3-D scene for each image."""
        world = self.world()
        environments_by_image = [lit(world, light) for light in self.lights] or [world] * len(self.rotations_deg)
        return tuple(
            shot(environment, round((self.heading + rotation) % 360, 2), self.fov)
            for environment, rotation in zip(environments_by_image, self.rotations_deg, strict=True)
        )

    def visible_object(self, name: str) -> VisibleObject:
        """The only visible object of a name."""
        (match,) = [candidate for candidate in self.objects if candidate.name == name]
        return match

    def direction(self, name: str) -> int:
        """The direction (0 to 7) nearest to the only object of a name, relative to the heading of the first image."""
        return round(wrapped(self.visible_object(name).bearing - self.heading) / STEP) % 8


@lru_cache(maxsize=64)
def stages(views: Views) -> tuple[Scene3D, ...]:
    """`Views.stages` with a cache."""
    return views.stages()


def turned(views: Views, angle: float = symmetries.SPIN) -> Views:
    """Rotate the environment and the cameras counterclockwise. Only the ground changes in the images."""
    changes = (*views.changes, f"{TURNED}:{angle}")
    return replace(views, heading=(views.heading - angle) % 360, objects=symmetries.rotated_objects(views.objects, angle), changes=changes)


def about_face(views: Views) -> Views:
    """Rotate the heading of the first image by 180 degrees: front and back change places."""
    return replace(views, heading=(views.heading + 180) % 360)


def mirrored(views: Views) -> Views | None:
    """Mirror the environment along the first image's line of sight, which exchanges left and right. None if a named object does not
    have equal extents to the left and to the right of its origin.
    """
    if not symmetries.can_be_mirrored(views.world()):
        return None
    north = turned(views, views.heading)
    return replace(north, heading=0.0, objects=symmetries.mirrored_objects(north.objects), changes=(*north.changes, MIRRORED))


def without_one(views: Views, name: str) -> Views:
    """Remove the first object of a name."""
    first = next(i for i, candidate in enumerate(views.objects) if candidate.name == name)
    remaining = views.objects[:first] + views.objects[first + 1 :]
    return replace(views, objects=remaining, changes=(*views.changes, f"without:{name}"))


def headings_text(order: Sequence[int], *, body: bool = False) -> str:
    """State the headings of the images shown in this order, relative to a body or as compass directions."""
    names = [(BODY_HEADINGS if body else COMPASS_HEADINGS)[i] for i in order]
    headings = [f"{name} in image {number}" for number, name in enumerate(names, 1)]
    return (
        f"The camera points {', '.join(headings[:-1])}, and {headings[-1]}." if len(headings) > 1 else f"The camera points {headings[0]}."
    )


def clockwise_preamble(fov: int, order: Sequence[int], *, body: bool = False) -> str:
    """The preamble of a question with four images of a full circle in clockwise order."""
    return (
        "The four images were taken from the same position. From each image to the next, the camera was rotated 90 degrees clockwise "
        f"(seen from above). Each image has a horizontal field of view of {fov} degrees, so neighbouring images overlap at their edges. "
        f"{headings_text(order, body=body)}"
    )


def shuffled_preamble(fov: int, order: Sequence[int], *, body: bool = False) -> str:
    """The preamble for four images in shuffled order. It states the heading of the first image shown only."""
    return (
        "The four images were taken from the same position and cover all horizontal directions. Their headings are 90 degrees apart. The "
        f"images are in no particular order. Each image has a horizontal field of view of {fov} degrees, so images with neighbouring "
        f"headings overlap at their edges. {headings_text(order[:1], body=body)} Determine the headings of the other images from the "
        "overlaps."
    )


def shuffled(rng: Rng) -> tuple[int, ...]:
    """Sample an order of four images that is not the clockwise order from any start."""
    while True:
        order = tuple(rng.shuffled(range(4)))
        if any((b - a) % 4 != 1 for a, b in pairwise(order)):
            return order


def orders(
    fov: int, shuffled_order: tuple[int, ...], question_text: Callable[[str], str], *, body: bool = False
) -> Mapping[str, tuple[tuple[int, ...], str]]:
    """The other orders of a task's four images. `question_text` makes the text of the question from its preamble.

    With `body`, there is the shuffled order only: its preamble states the heading of the first image shown.
    """
    by_name: dict[str, tuple[tuple[int, ...], str]] = {}
    for first in () if body else (1, 2, 3):
        order = tuple((first + k) % 4 for k in range(4))
        by_name[f"{ROUND}-{first + 1}"] = (order, question_text(clockwise_preamble(fov, order)))
    by_name[SHUFFLED] = (shuffled_order, question_text(shuffled_preamble(fov, shuffled_order, body=body)))
    return by_name
