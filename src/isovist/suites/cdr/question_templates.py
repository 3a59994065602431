"""Question templates: four phrasings of each question. The paper has four too but does not list them."""

from __future__ import annotations

from isovist.core.task import SamplingContext

PHRASINGS = 4


def phrasing(plan: SamplingContext) -> int:
    """Return the index of the phrasing of an item."""
    return plan.item_rng.integer(0, PHRASINGS - 1)


CLASSIFY_ICON = (
    "Which of these objects does the image show?",
    "What kind of object is drawn in the image?",
    "To which category does the object in the image belong?",
    "Name the object in the image.",
)
CLASSIFY_SYMBOL = (
    "Which of these {noun}s is in the image?",
    "Exactly one of the {noun}s below is in the image. Which one?",
    "The image contains several {noun}s. Which of the following is one of them?",
    "Look for each of the {noun}s below. Which one does the image contain?",
)
SPATIAL_HEADING = (
    "In which direction does the {front} of {origin} point in the image?",
    "Look at {origin}. Toward which side or corner of the image does its {front} point?",
    "The {front} of {origin} points in one direction. Which direction is it in the image?",
    "Suppose that {origin} moves straight ahead, {front} first. In which direction does it move in the image?",
)
COMPASS_HEADING = (
    "Treat the image as a map on which up is {compass}. In which compass direction does the {front} of {origin} point?",
    "Suppose that the top edge of the image faces {compass}. Toward which compass direction does the {front} of {origin} point?",
    "Moving up in the image means moving {compass}. In which compass direction does the {front} of {origin} point?",
    (
        "The image is a map with {compass} at the top. Suppose that {origin} moves straight ahead, {front} first. "
        "In which compass direction does it move?"
    ),
)
SPATIAL_RELATION = (
    "Compare two positions in the image. In which direction is {target} relative to {origin}?",
    "Use {origin} as the reference point. In which direction in the image is {target}?",
    "Relative to {origin}, in which direction in the image is {target}?",
    "Suppose that you move from {origin} straight to {target}. In which direction do you move in the image?",
)
SPATIAL_RELATION_OF_ICON = (  # excludes the frame of the icon, which has its own left and right
    *SPATIAL_RELATION[:2],
    "Up means toward the top edge of the image. In which direction is {target} from {origin}?",
    SPATIAL_RELATION[3],
)
COMPASS_RELATION = (
    "Treat the image as a map on which up is {compass}. In which compass direction is {target} relative to {origin}?",
    "Suppose that the top edge of the image faces {compass}. Use {origin} as the reference point. In which compass direction is {target}?",
    "Moving up in the image means moving {compass}. Relative to {origin}, in which compass direction is {target} located?",
    "The image is a map with {compass} at the top. In which compass direction must you move from {origin} to reach {target}?",
)
COMPASS_RELATION_BY_HEADING = (
    "Treat the image as a map on which the {front} of {origin} points {compass}. In which compass direction is {target} from {origin}?",
    "Use {origin} as the reference point. Suppose that its {front} points {compass}. In which compass direction is {target}?",
    "Suppose that the {front} of {origin} points {compass}. Relative to {origin}, in which compass direction is {target}?",
    (
        "The image is a map on which the {front} of {origin} points {compass}. Suppose that you move from {origin} straight to {target}. "
        "In which compass direction do you move?"
    ),
)
CELL = (
    "Which {noun} is in the {row} row and the {column} column of the grid?",
    "Look at the cell of the grid where the {row} row crosses the {column} column. Which {noun} is in it?",
    "Find the cell in the {column} column of the {row} row. Which of these {noun}s does it contain?",
    "The grid has three rows and three columns. Which {noun} is where the {column} column crosses the {row} row?",
)
ROTATED_FRAME = (
    "Treat the image as a map on which up is {compass}. Suppose that you move {toward}. In which compass direction do you move?",
    "Suppose that the top edge of the image faces {compass}. Imagine an arrow that points {toward}. In which compass direction does it point?",
    "Moving up in the image means moving {compass}. If you move {toward}, in which compass direction do you move?",
    "The image is a map with {compass} at the top. Imagine a straight road that runs {toward}. In which compass direction does it run?",
)
