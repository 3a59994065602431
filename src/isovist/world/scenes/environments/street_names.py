"""Names of street objects: countable categories and confusable names."""

from __future__ import annotations

STREET_COUNTABLE: tuple[tuple[str, int], ...] = (
    ("car", 6),
    ("person", 11),
    ("tree", 11),
    ("street lamp", 11),
    ("bench", 5),
    ("bicycle", 4),
    ("litter bin", 5),
    ("traffic cone", 11),
    ("flag", 11),
    ("motorcycle", 4),
)
"""Countable categories with the greatest number of objects."""

CONFUSABLE: tuple[frozenset[str], ...] = (
    frozenset({"bus", "coach", "tram"}),
    frozenset({"motorcycle", "motor scooter", "bicycle"}),
    frozenset({"truck", "van"}),
    frozenset({"man", "boy"}),
    frozenset({"kiosk", "market stall"}),
    frozenset({"bus stop shelter", "kiosk"}),
    frozenset({"billboard", "advertising column"}),
    frozenset({"post box", "telephone box", "fire hydrant"}),
    frozenset({"litter bin", "wheelie bin"}),
    frozenset({"church", "water tower"}),
    frozenset({"bench", "picnic table"}),
    frozenset({"bench", "bus stop shelter"}),  # a shelter has a bench
    frozenset({"swing set", "slide"}),
    frozenset({"fountain", "statue"}),
    frozenset({"flower tub", "tree"}),
    frozenset({"stop sign", "warning sign"}),
    # these colours are confusable with red-green colour blindness
    frozenset({"red car", "green car"}),
    frozenset({"green car", "orange car"}),
    frozenset({"orange car", "yellow car"}),
    frozenset({"car", "van"}),
    frozenset({"car", "truck"}),
    frozenset({"person", "statue"}),
    frozenset({"flag", "umbrella"}),
    frozenset({"street lamp", "street clock"}),
    frozenset({"street lamp", "traffic light"}),
    frozenset({"horse", "dog"}),
)
"""Sets of confusable names. Two names of one set never occur in the same street."""
