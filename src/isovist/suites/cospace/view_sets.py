"""The pictures of a place, what the words tell about where they look, and the other orders in which they can be shown.

A picture looks `turn` degrees clockwise from the first one.
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
from isovist.scenes.environments.environment import Environment, VisibleObject, shot
from isovist.suites.cospace import environments, symmetries
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.environments import Somewhere

FOVS = (100, 105, 110)
"""Degrees: neighbours of four pictures all around share 10 to 20 of them."""
NARROW_FOVS = (92, 94, 96)
"""The same where a thing aslant is to be seen in one picture alone: neighbours share 2 to 6."""
AROUND = (0.0, 90.0, 180.0, 270.0)
WIND_NAMES = ("north", "east", "south", "west")
SIDE_NAMES = ("front", "right", "back", "left")
ROUND = "start"
SHUFFLED = "shuffled"


TURNED, MIRRORED = "turned", "mirrored"


@dataclass(frozen=True, slots=True)
class Lit:
    """By what the sun of a place, and its light from all around, are multiplied; and how much redder that light is, and less blue."""

    sun_strength: float
    ambient: float
    warmth: float


_SUN, _AROUND, _WARM = 0.35, 0.25, 0.08


def some_fov(rng: Rng, least: int, most: int) -> int:
    """A field of view, a multiple of five degrees."""
    return 5 * rng.integer(least // 5, most // 5)


def varied(rng: Rng, n: int) -> tuple[Lit, ...]:
    """As many lights: so pictures of one place differ by more than by where they look."""
    return tuple(
        Lit(
            round(exp(rng.uniform(-_SUN, _SUN)), 3),
            round(exp(rng.uniform(-_AROUND, _AROUND)), 3),
            round(rng.uniform(-_WARM, _WARM), 3),
        )
        for _ in range(n)
    )


def lit(world: Environment, light: Lit) -> Environment:
    """A place in another light."""
    strength, ambient = round(world.light.strength * light.sun_strength, 4), round(world.light.ambient * light.ambient, 4)
    sky = replace(world.sky, top=_tinted(world.sky.top, light.warmth), bottom=_tinted(world.sky.bottom, light.warmth))
    return replace(world, light=replace(world.light, strength=strength, ambient=ambient), sky=sky)


def _tinted(colour: str, warm: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"#{min(255, round(red * (1 + warm))):02x}{green:02x}{min(255, round(blue * (1 - warm))):02x}"


@dataclass(frozen=True, slots=True)
class Views:
    """Pictures from the standpoint of a place. `heading`: where the first one looks, in the frame of the world; `fov`: degrees
    that each is wide and high; `place_kind`: what the place is called; `objects`: what is seen of the named things, if the task asks about
    things; `changes`: what was done to the place by a symmetry, in order; `lights`: the light of each picture, if not that of the place.
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
        """The place after its changes."""
        made = environments.world(self.place)
        for change in self.changes:
            name, _, detail = change.partition(":")
            if name == TURNED:
                made = symmetries.world_turned(made, float(detail))
            elif name == MIRRORED:
                made = symmetries.world_mirrored(made)
            else:
                made = symmetries.without_one(made, detail)
        return made

    def stages(self) -> tuple[Scene3D, ...]:
        """One for each picture."""
        world = self.world()
        worlds = [lit(world, light) for light in self.lights] or [world] * len(self.rotations_deg)
        return tuple(
            shot(environment, round((self.heading + turn) % 360, 2), self.fov)
            for environment, turn in zip(worlds, self.rotations_deg, strict=True)
        )

    def thing(self, name: str) -> VisibleObject:
        """How the only thing of a name is seen."""
        (match,) = [thing for thing in self.objects if thing.name == name]
        return match

    def direction(self, name: str) -> int:
        """The nearest direction of the only thing of a name, counted from where the first picture looks."""
        return round(wrapped(self.thing(name).bearing - self.heading) / STEP) % 8


@lru_cache(maxsize=64)
def stages(views: Views) -> tuple[Scene3D, ...]:
    """The same as `Views.stages`, kept for those who look at them again."""
    return views.stages()


def turned(views: Views, angle: float = symmetries.SPIN) -> Views:
    """The world and the cameras turned counterclockwise: nothing changes in the pictures but the ground."""
    changes = (*views.changes, f"{TURNED}:{angle}")
    return replace(views, heading=(views.heading - angle) % 360, objects=symmetries.seen_turned(views.objects, angle), changes=changes)


def about_face(views: Views) -> Views:
    """The first picture looks the other way: what was before is behind."""
    return replace(views, heading=(views.heading + 180) % 360)


def mirrored(views: Views) -> Views | None:
    """Everything stands where a mirror along the first picture's line of sight shows it: left is right. None where a named thing
    is not as wide to one side as to the other.
    """
    if not symmetries.can_be_mirrored(views.world()):
        return None
    north = turned(views, views.heading)
    return replace(north, heading=0.0, objects=symmetries.seen_mirrored(north.objects), changes=(*north.changes, MIRRORED))


def without_one(views: Views, name: str) -> Views:
    """The first thing of a name is gone."""
    first = next(i for i, thing in enumerate(views.objects) if thing.name == name)
    left = views.objects[:first] + views.objects[first + 1 :]
    return replace(views, objects=left, changes=(*views.changes, f"without:{name}"))


def looks(order: Sequence[int], *, body: bool = False) -> str:
    """Where each of the four pictures looks, shown in this order; in the frame of a body, or as winds."""
    names = [f"to your {SIDE_NAMES[i]}" if body else WIND_NAMES[i] for i in order]
    return ", ".join(f"{'picture' if k > 1 else 'Picture'} {k} looks {name}" for k, name in enumerate(names, 1)) + "."


def round_told(fov: int, order: Sequence[int], *, body: bool = False) -> str:
    """The opening words about four pictures all around, in clockwise order."""
    return (
        f"The four pictures were taken from one spot, a quarter turn clockwise from each to the next. Each is {fov} degrees wide, so "
        f"neighbouring pictures share what lies at their edges. {looks(order, body=body)}"
    )


def shuffled_told(fov: int, order: Sequence[int], *, body: bool = False) -> str:
    """The opening words about four pictures all around, where only the direction of the first one shown is told."""
    first = looks(order[:1], body=body)
    return (
        f"The four pictures were taken from one spot and show all around it; they look a quarter turn apart, but stand in no "
        f"particular order. Each is {fov} degrees wide, so pictures that look in neighbouring directions share what lies at their "
        f"edges. {first} Find out from what they share where the others look."
    )


def shuffled(rng: Rng) -> tuple[int, ...]:
    """An order of four pictures in which the second is not the neighbour clockwise of the first, nor so on all around."""
    while True:
        order = tuple(rng.shuffled(range(4)))
        if any((b - a) % 4 != 1 for a, b in pairwise(order)):
            return order


def orders(
    fov: int, mixed: tuple[int, ...], asked: Callable[[str], str], *, body: bool = False
) -> Mapping[str, tuple[tuple[int, ...], str]]:
    """The other orders of a task's four pictures; `asked` makes the question's words of its opening words.

    In the frame of a body the first picture shown is told, wherever it looks, and the others have to be found out.
    """
    by_name: dict[str, tuple[tuple[int, ...], str]] = {}
    for first in () if body else (1, 2, 3):
        order = tuple((first + k) % 4 for k in range(4))
        by_name[f"{ROUND}-{first + 1}"] = (order, asked(round_told(fov, order)))
    by_name[SHUFFLED] = (mixed, asked(shuffled_told(fov, mixed, body=body)))
    return by_name
