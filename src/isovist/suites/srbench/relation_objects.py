"""Selection of the objects of spatial relations: objects that cannot be confused, and the other objects around them."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Camera
from isovist.core.task import RejectSample, SamplingContext
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Body
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import SETTINGS, Setting, crowd

_RATIO = 2.0
"""Maximum ratio of the diagonals of two objects."""
SMALL = 1.3
"""Maximum diagonal in metres of an object that stands on or in another one."""
LEAST_HIGHER = 0.04
"""Minimum vertical distance of the object centres in the image, in image heights, for relations of depth."""
FURTHER = 1.2
"""Factor on the distance of two objects for the next attempt if one occludes too much of the other."""

Placed = tuple[Setting, Camera, tuple[Body, ...], int]
"""The setting, the camera, the objects with the targets first, and how many of them are targets."""


def setting_of(plan: SamplingContext) -> Setting:
    return SETTINGS[plan.image_stratum("setting", len(SETTINGS))]


def any_of(
    setting: Setting, near: float | None = None, *, front: bool = False, most: float | None = None
) -> tuple[tuple[CatalogObject, ...], ...]:
    """Return groups of recognizable objects of a setting; with a clear front if `front`, with a diagonal of at most `most` metres."""
    fronts = ("clear",) if front else ("clear", "symmetric", "none")
    groups = object_catalog.chosen(fronts, None if setting == "alone" else setting, near, ratio=_RATIO)
    groups = object_catalog.plain(groups) if front else groups
    small = (tuple(entry for entry in group if most is None or entry.span <= most) for group in groups)
    return tuple(group for group in small if group)


def pair_of(rng: Rng, setting: Setting, *, fronts: tuple[bool, bool]) -> tuple[CatalogObject, CatalogObject]:
    """Return two objects of different categories and similar size; the second one is sampled first."""
    blue = object_catalog.pick(rng, any_of(setting, front=fronts[1]))
    groups = tuple(things for things in any_of(setting, blue.span, front=fronts[0]) if not confused(things[0].category, blue.category))
    if not groups:
        raise RejectSample
    return object_catalog.pick(rng, groups), blue


_ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split(", "))
    for names in (
        "car, van, truck, bus, tram, locomotive, forklift",
        "moped, motorcycle, bicycle, tricycle, kick scooter, exercise bike, lawn mower",
        "horse, cow, deer, sheep, zebra, giraffe, bear, rocking horse",
        "dog, cat, rabbit, chicken, teddy bear, doll",
        "man, woman, girl, wooden figure, doll",
        "bottle, wine bottle, spray bottle, baby bottle, soap dispenser, milk carton, vase, jug, mug, fire extinguisher, kettle",
        (
            "wardrobe, bookcase, dresser, filing cabinet, bedside table, safe, stove, washing machine, refrigerator, fireplace, water cooler, "
            "tumble dryer, oven, chest freezer, kitchen cabinet, kitchen sink, sideboard, cupboard, changing table, locker, wood stove, shelf unit, "
            "workbench"
        ),
        (
            "crate, cardboard box, suitcase, block, safe, microwave oven, oven, printer, projector, stereo, toaster, loudspeaker, storage box, "
            "gift box, trunk, rice cooker, hot tub, pallet"
        ),
        "TV, computer, laptop",
        "house, shed, dog house, tent, dollhouse, gazebo",
        (
            "sofa, armchair, chair, office chair, high chair, wheelchair, sun lounger, deck chair, bed, hospital bed, loft bed, bench, "
            "park bench, beanbag, air mattress, sleeping bag, hammock"
        ),
        (
            "stool, bar stool, table, round table, desk, TV stand, dressing table, table tennis table, trampoline, bedside table, bar table, "
            "coffee table, bench, workbench, paddling pool, swimming pool, hot tub, sandpit"
        ),
        "toilet, bidet, washbasin, urinal, potty",
        (
            "waste bin, wheelie bin, barrel, basket, bowl, bowl of apples, bowl of fruit, bowl of salad, laundry basket, wash tub, cooking pot, "
            "sugar bowl, storage box"
        ),
        "piano, grand piano, electric piano",
        "helicopter, airliner, toy plane",
        "ship, rowboat, sailing boat",
        "birthday cake, loaf of bread, hot dog, roast chicken, cupcake, steak",
        "pair of shoes, pair of boots",
        "mug, cup of coffee, paper cup, plastic cup, sugar bowl",
        "tree, palm tree, Christmas tree, potted plant, hedge",
        "table lamp, desk lamp, floor lamp, street lamp, candle, paper lantern, camping lantern, stone lantern",
        "railing, fence",
        "climbing frame, swing set, seesaw",
        "whiteboard, folding screen, picture frame",
        "rock, beanbag, pile of logs",
    )
)
"""Groups of categories that look similar from a distance: the question identifies objects by their names alone."""


def confused(a: str, b: str) -> bool:
    """Return whether two names share a word, such as armchair and chair, or name similar-looking categories."""
    return any(x in y or y in x for x in a.split(" ") for y in b.split(" ")) or any(a in names and b in names for names in _ALIKE)


def at_bearing(bearing: float, far: float) -> tuple[float, float]:
    return far * sine(bearing), far * cosine(bearing)


def crowded(rng: Rng, setting: Setting, camera: Camera, targets: Sequence[Body], least: int = 1) -> tuple[Body, ...]:
    """Return the targets and other objects around them; none of these can be confused with a target."""
    around = crowd(rng, setting, camera, targets, rng.integer(least, least + 3))
    named = {target.thing.category for target in targets}
    return (*targets, *(body for body in around if not any(confused(body.thing.category, name) for name in named)))
