"""The ten abilities of Isovist: one taxonomy over all suites, in which each task has one place.

The names in `Task.skills` are those of a suite's paper, and a task may have several; abilities make results of all suites comparable.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from isovist.core.canonical_json import PUBLISHED
from isovist.suites import registry


@dataclass(frozen=True, slots=True)
class Ability:
    """`tasks`: ids or globs of built-in tasks."""

    name: str
    summary: str
    source: str
    tasks: tuple[str, ...]


ABILITIES = (
    Ability(
        "perception",
        "recognize, list and match shapes, colours and symbols",
        "Martin (2017), Test of Visual Perceptual Skills, 4th edition: discrimination, figure ground, form constancy",
        (
            "cdr/object-classification-*",
            "cdr/step-cell-letter",
            *(
                f"perceptv/{name}"
                for name in ("colours-present", "identifying-shapes", "list-*", "layered-*", "numbered-shapes", "match-*")
            ),
            *(f"perceptv/{name}" for name in ("change-colour", "vanishing-objects")),
        ),
    ),
    Ability(
        "counting",
        "count objects, shapes, nodes and edges",
        "Trick and Pylyshyn (1994), Psychological Review 101",
        (
            *(f"perceptv/{name}" for name in ("counting-*", "count-coloured-circles", "circle-boxes", "graph-counting", "inside-circles")),
            "cospace/counting",
        ),
    ),
    Ability(
        "size",
        "compare and order sizes and lengths",
        "Stevens (1957), Psychological Review 64",
        ("perceptv/comparing-size", "perceptv/sort-*"),
    ),
    Ability(
        "position",
        "state where something is in an image, or relative to something else in it",
        "Kosslyn (1987), Psychological Review 94: categorical spatial relations",
        (
            *(f"perceptv/{name}" for name in ("circle-location", "circle-right-triangle", "cross-and-knots", "locate-circles-*")),
            "cdr/relative-spatial-*",
            "srbench/maze-nav-position",
            "srbench/spatial-relations",
        ),
    ),
    Ability(
        "reference frames",
        "state a direction in another frame than that of the image: a rotated compass, or the heading of an object",
        "Levinson (1996), Frames of reference and Molyneux's question; CDR (arXiv 2412.16599)",
        ("cdr/compass-direction-icon", "cdr/relative-compass-*", "cdr/step-north-up-letter", "cdr/step-turned-frame-letter"),
    ),
    Ability(
        "object orientation",
        "state which way an object faces, or which side of an image is up",
        "DORI (arXiv 2505.21649): frontal alignment, relative and canonical orientation",
        (
            *(f"dori/{name}" for name in ("canonical-orientation", "directional-facing", "inter-object-direction", "view-parallelism")),
            "cdr/spatial-direction-icon",
            "srbench/orientation*",
        ),
    ),
    Ability(
        "mental transformation",
        "imagine a rotation, a reflection, a fold, or a body from drawings",
        "Shepard and Metzler (1971), Science 171; SRBench (arXiv 2503.19707)",
        (
            "srbench/mrt-*",
            "srbench/paper-folding",
            "dori/single-axis-rotation",
            "dori/compound-rotation",
            "perceptv/mirror-image",
            "perceptv/water-image",
            "solids/*",
        ),
    ),
    Ability(
        "viewpoint",
        "state what another place shows, and tell the movement of the camera from that of an object",
        "Hegarty and Waller (2004), Intelligence 32; CoSpace (arXiv 2503.14161): rotation",
        ("cospace/rotation-*", "dori/viewer-scene-direction", "viewpoint/*"),
    ),
    Ability(
        "integration of views",
        "combine views of one place into directions and routes",
        "CoSpace (arXiv 2503.14161): direction and planning",
        ("cospace/direction*", "cospace/planning*"),
    ),
    Ability(
        "paths",
        "follow a path",
        "Jolicoeur, Ullman and Mackay (1986), Memory and Cognition 14: curve tracing",
        ("perceptv/grid-path", "perceptv/maze-solving", "srbench/maze-nav-turns", "srbench/maze-nav-right-turns"),
    ),
)
NAMES = tuple(ability.name for ability in ABILITIES)


def ability_of(task: str) -> str:
    """Return the ability of a task, also of imported items with the name of a built-in task; "" without one.

    A task of a plug-in has the ability that is among its skills.
    """
    suite, slash, name = task.partition("/")
    if ability := _built_in(suite.removesuffix(PUBLISHED) + slash + name):
        return ability
    registered = registry.find(task)  # not cached: the file of a task may be loaded later
    return next((skill for skill in registered.skills if skill in NAMES), "") if registered else ""


@cache
def _built_in(task: str) -> str:
    """The ability of a built-in task; "" for another one."""
    return next((ability.name for ability in ABILITIES if any(fnmatchcase(task, pattern) for pattern in ability.tasks)), "")
