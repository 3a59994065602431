"""Objects that a question may name: sufficiently visible, unique, and unambiguously in one direction.

Angles are in degrees. An offset is the clockwise angle from the centre of a direction to the centre of an object.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng
from isovist.core.rotation import wrapped
from isovist.core.task import RejectSample
from isovist.suites.cospace.directions import MIDDLE_MARGIN, SIDE_MARGIN, STEP, WIDEST, shown_by
from isovist.suites.cospace.environments import UNFIT
from isovist.suites.cospace.view_sets import AROUND, FOVS, NARROW_FOVS
from isovist.world.scenes.environments.environment import VisibleObject, once

LEAST_SEEN = 0.6
"""Least unoccluded share of an object."""
NARROWEST, LEAST_AREA = 4.5, 60.0
"""Degrees and square degrees: about 15 pixels, and 27 x 27 pixels, at the centre of an image of 512 pixels."""
STEEPEST, LEAST_WITHIN = 40.0, 0.7
"""Degrees above or below the horizon that every image covers, and the least share of an object's height within them."""
IN_BOTH = 0.35
"""Least share of the width of an object in a diagonal direction that each of two images shows (paper's design)."""
SEEN_IN = 0.15
"""Least share of its width for which an object counts as visible in an image."""
_CLEAR = 0.4
"""Degrees between an object that one image shows and the edge of the neighbouring image that does not show it."""
_ROUNDING = 0.1


def plain(target_object: VisibleObject, width: float = NARROWEST, area: float = LEAST_AREA, inside: float = LEAST_WITHIN) -> bool:
    """Whether an object is large enough, mostly unoccluded, mostly within the vertical field of view, and has a usable name."""
    within = min(target_object.high, STEEPEST) - max(target_object.low, -STEEPEST)
    return (
        target_object.visible_share >= LEAST_SEEN
        and min(target_object.width, target_object.height) >= width
        and target_object.width * target_object.height >= area
        and within >= inside * target_object.height
        and target_object.name not in UNFIT
    )


def countable(target_object: VisibleObject) -> bool:
    """`plain` with lower limits for objects to be counted: smaller, and up to half outside the vertical field of view."""
    return plain(target_object, 2.6, 30.0, 0.5)


def askable(objects: Sequence[VisibleObject]) -> tuple[VisibleObject, ...]:
    """The unique and sufficiently visible objects that fit into one direction at a suitable heading."""
    return tuple(candidate for candidate in once(objects) if plain(candidate) and candidate.width <= WIDEST)


def share_in(target_object: VisibleObject, image_heading: float, fov: float) -> float:
    """The share of an object's width within an image with the heading `image_heading`."""
    if target_object.width == 0:
        return float(abs(wrapped(target_object.bearing - image_heading)) <= fov / 2)
    centre, half = wrapped(target_object.bearing - image_heading), target_object.width / 2
    return max(0.0, min(centre + half, fov / 2) - max(centre - half, -fov / 2)) / target_object.width


def images_of(target_object: VisibleObject, heading: float, fov: float) -> tuple[int, ...]:
    """Indices of the images, of four in a full circle, in which the object is visible."""
    return tuple(i for i, turn in enumerate(AROUND) if share_in(target_object, heading + turn, fov) >= SEEN_IN)


def widest_once(fov: float) -> float:
    """The greatest width at which an object in a diagonal direction can be visible in only one of two neighbouring images."""
    overlap = fov / 2 - STEP + _CLEAR + _ROUNDING
    return min(2 * (STEP / 2 - MIDDLE_MARGIN - overlap), STEP / 2 - SIDE_MARGIN - overlap)


def heading_once(rng: Rng, target_object: VisibleObject, direction: int, image: int, fov: float) -> float:
    """A heading of the first image for which an object is in a direction with all margins and visible in one image only.

    For a cardinal direction that is the image with this heading; for a diagonal direction `image` selects one of the two neighbours.
    """
    half = target_object.width / 2
    most = min(STEP / 2 - MIDDLE_MARGIN, STEP / 2 - SIDE_MARGIN - half) - _ROUNDING
    if direction % 2 == 0:
        off = rng.uniform(-most, most)
    else:
        least = fov / 2 - STEP + _CLEAR + half
        assert least <= most, f"{target_object.name} is too wide for one image"
        off = rng.uniform(least, most) * (1 if wrapped(AROUND[image] - STEP * direction) > 0 else -1)
    return round((target_object.bearing - STEP * direction - off) % 360, 1) % 360


def heading_twice(rng: Rng, target_object: VisibleObject, direction: int, fov: float) -> float:
    """`heading_once` for the paper's design: an object in a diagonal direction is visible in two images. To a tenth of a degree."""
    half = target_object.width / 2
    most = min(STEP / 2 - MIDDLE_MARGIN, STEP / 2 - SIDE_MARGIN - half)
    if direction % 2:
        most = min(most, fov / 2 - STEP + half * (1 - 2 * IN_BOTH))
    most -= _ROUNDING
    assert most > 0, f"{target_object.name} is too wide for one direction"
    return round((target_object.bearing - STEP * direction - rng.uniform(-most, most)) % 360, 1) % 360


def target(rng: Rng, objects: Sequence[VisibleObject], truth: int, four: Sequence[int], *, paper: bool) -> tuple[VisibleObject, float, int]:
    """A target, the heading for which it is in the direction `truth` of the `four` offered, and the field of view.

    The target and the field of view do not depend on the direction. Raises RejectSample.
    """
    fov = rng.pick(FOVS if paper else NARROW_FOVS)
    fitting = [candidate for candidate in objects if paper or candidate.width <= widest_once(fov)]
    if not fitting:
        raise RejectSample
    chosen = rng.pick(fitting)
    if paper:
        return chosen, heading_twice(rng, chosen, truth, fov), fov
    return chosen, heading_once(rng, chosen, truth, shown_by(truth, four), fov), fov


def direction_of(target_object: VisibleObject, heading: float) -> int:
    """The direction (0 to 7) nearest to the centre of an object."""
    return round(wrapped(target_object.bearing - heading) / STEP) % 8


def is_outside(target_object: VisibleObject, direction: int, heading: float) -> bool:
    """Whether an object is completely outside a direction, with the margins."""
    off = abs(wrapped(target_object.bearing - heading - STEP * direction))
    return off >= STEP / 2 + MIDDLE_MARGIN and off - target_object.width / 2 >= STEP / 2 + SIDE_MARGIN
