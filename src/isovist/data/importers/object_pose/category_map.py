"""Object categories of other datasets: common name, broad class, and whether the front is unambiguous.

Categories that are not listed, or whose front is ambiguous, get no questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from isovist.data.importers.benchmark_format import Unusable
from isovist.world.scenes.mesh_catalog import Broad
from isovist.world.scenes.object_catalog import BLANK, FRONT_SEEN

Front = Literal["clear", "none"]


@dataclass(frozen=True, slots=True)
class PoseCategory:
    """An object category. `front`: "clear" if the front is unambiguous, "none" if the object has none."""

    category: str
    broad: Broad
    front: Front

    def tells(self, angle: float) -> bool:
        """Whether the facing direction is visible when the front is `angle` degrees from the camera.

        Some objects are plain boxes from behind.
        """
        return self.category not in BLANK or abs(angle) <= FRONT_SEEN


_CLEAR: dict[Broad, str] = {
    "Vehicle": "airplane|bicycle|bus|car|caravan|cyclist|motorcycle|truck|van",
    "Person": "person",
    "Animals": "bear|bird|cat|cow|dog|elephant|giraffe|horse|sheep|zebra",
    "Furniture": "armchair|bedside table|bookcase|chair|dresser|loveseat|sofa|toilet|wardrobe",
    "Electronics": "camera|laptop|microwave oven|oven|refrigerator|TV",
    "Miscellaneous": "bench|teddy bear",
}
_NONE: dict[Broad, str] = {
    "Containers": "bottle|bowl|can|vase",
    "Food": "apple|orange",
    "Miscellaneous": "ball|frisbee|potted plant",
}
_KINDS: dict[str, PoseCategory] = {
    **{name: PoseCategory(name, broad, "clear") for broad, names in _CLEAR.items() for name in names.split("|")},
    **{name: PoseCategory(name, broad, "none") for broad, names in _NONE.items() for name in names.split("|")},
}
_OTHER_NAMES = {
    "bike": "bicycle",
    "motorbike": "motorcycle",
    "pedestrian": "person",
    "person sitting": "person",
    "human": "person",
    "rider": "cyclist",
    "lorry": "truck",
    "couch": "sofa",
    "microwave": "microwave oven",
    "nightstand": "bedside table",
    "sports ball": "ball",
    "tv": "TV",
    "three seat / multi seat sofa": "sofa",
    "three-seat / multi-seat sofa": "sofa",
    "two seat sofa": "loveseat",
    "loveseat sofa": "loveseat",
    "lazy sofa": "sofa",
    "dining chair": "chair",
    "lounge chair / cafe chair / office chair": "chair",
    "lounge chair / book chair / computer chair": "chair",
    "classic chinese chair": "chair",
    "dressing chair": "chair",
    "bookcase / jewelry armoire": "bookcase",
    "children cabinet": "wardrobe",
}
"""Synonyms: names in the datasets for a category with another name."""


def kind(name: str) -> PoseCategory:
    """Return the category for a name in a dataset, in any case, with "_" or spaces. Raises Unusable."""
    category = re.sub(r"[\s_]+", " ", name).strip().casefold()
    category = _OTHER_NAMES.get(category, category)
    if (category_kind := _KINDS.get(category)) is None:
        raise Unusable("a category with an ambiguous front, or an unknown category", name[:40])
    return category_kind
