"""Visibility criteria for objects in photographs: those of the rendered images, in pixels of the photograph."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box
from isovist.suites.dori.inter_object import RATIO
from isovist.world.scenes.camera_framing import LEAST_OFF_EDGE, MOST_WIDE_OF_SEVERAL
from isovist.world.scenes.scene_builder import MOST_HIDDEN
from isovist.world.scenes.scene_transforms import CROWD_SHARE

LEAST = CROWD_SHARE[0]
"""Minimum square root of the box area, relative to the shorter side of the image."""
LEAST_OF_TWO = 0.2
"""The same for each of two compared objects: about half of their common share of 0.36 to 0.46 in rendered images."""


def check(annotated: AnnotatedObject, lines: Sequence[AnnotationLine], size: tuple[int, int], least: float = LEAST) -> None:
    """Raises Unusable for an object that is too small, truncated, too large or occluded. `size`: width and height of the image."""
    box, short = annotated.box, min(size)
    if box.area <= 0 or box.left < -1 or box.top < -1 or box.right > size[0] + 1 or box.bottom > size[1] + 1:
        raise Unusable("the box is not inside the picture", f"{box.left:g}, {box.top:g}, {box.right:g}, {box.bottom:g}")
    if (share := box.area**0.5 / short) < least:
        raise Unusable("too small in the picture", f"{share:.2f} of the shorter side")
    edge = LEAST_OFF_EDGE * short
    if box.left < edge or box.top < edge or box.right > size[0] - edge or box.bottom > size[1] - edge:
        raise Unusable("too near the edge of the image")
    if max(box.right - box.left, box.bottom - box.top) > MOST_WIDE_OF_SEVERAL * max(size):
        raise Unusable("too large in the image")
    if (hidden := _hidden(annotated, lines)) > MOST_HIDDEN:
        raise Unusable("hidden too much", f"{hidden:.0%}")


def _hidden(seen: AnnotatedObject, lines: Sequence[AnnotationLine]) -> float:
    """Return the annotated occlusion, else the largest proportion of its box that is covered by the box of a closer object."""
    if seen.hidden is not None:
        return seen.hidden
    covered = 0.0
    for line in lines:
        box: Box | None = line.seen.box if line.seen else line.box
        if box is None or line.number == seen.number or (line.seen and _distance(line.seen) > _distance(seen)):
            continue
        covered = max(covered, seen.box.common(box) / seen.box.area)
    return covered


def _distance(seen: AnnotatedObject) -> float:
    return dist(seen.at, (0.0, 0.0, 0.0))


def check_pair(first: AnnotatedObject, second: AnnotatedObject) -> None:
    """Raises Unusable if one object covers the other or is much larger."""
    if first.box.common(second.box) > MOST_HIDDEN * min(first.box.area, second.box.area):
        raise Unusable("the boxes of the two overlap")
    spans = (first.span, second.span) if first.span and second.span else (first.box.area**0.5, second.box.area**0.5)
    if max(spans) > RATIO * min(spans):
        raise Unusable("one of the two is much larger")
