"""The questions, four phrasings a kind (the paper has four and does not list them; these words are ours)."""

from __future__ import annotations

from isovist.core.task import SamplingContext

PHRASINGS = 4


def phrasing(plan: SamplingContext) -> int:
    """Which of the phrasings an item has."""
    return plan.item_rng.integer(0, PHRASINGS - 1)


CLASSIFY_ICON = (
    "Which of these does the picture show?",
    "What kind of thing is drawn in the picture?",
    "To which category does the object in the picture belong?",
    "Name the object in the picture.",
)
CLASSIFY_SYMBOL = (
    "Which of these {what}s can be found in the picture?",
    "One of the {what}s below stands in the picture. Which one?",
    "The picture holds several {what}s. Which of the following is among them?",
    "Look for each of the {what}s below. Which one does the picture contain?",
)
SPATIAL_HEADING = (
    "Which way does the {front} of {origin} point in the picture?",
    "Look at {origin}. Towards which side or corner of the picture is its {front} turned?",
    "The {front} of {origin} points in a direction. Which one is it, as the picture is drawn?",
    "If {origin} moved straight ahead, {front} first, which way would it go across the picture?",
)
COMPASS_HEADING = (
    "Read the picture as a flat map on which up is {wind}. In which compass direction does the {front} of {origin} point?",
    "Suppose the top edge of the picture faces {wind}. Towards which compass direction is the {front} of {origin} turned?",
    "In this plane, moving up means going {wind}. Where on the compass does the {front} of {origin} point?",
    "The picture is a map with {wind} at the top. If {origin} moved straight ahead, {front} first, in which compass direction would it go?",
)
SPATIAL_RELATION = (
    "Compare two places in the picture. In which direction does {target} lie from {origin}?",
    "Take {origin} as the origin. In which direction across the picture is {target}?",
    "Relative to {origin}, where in the picture is {target}?",
    "Starting at {origin} and going straight to {target}, which way does one move across the picture?",
)
SPATIAL_RELATION_OF_ICON = (  # an icon has a left and a right of its own, which are not meant
    *SPATIAL_RELATION[:2],
    "Up means towards the top edge of the picture. In which direction does {target} lie from {origin}?",
    SPATIAL_RELATION[3],
)
COMPASS_RELATION = (
    "Read the picture as a flat map on which up is {wind}. In which compass direction does {target} lie from {origin}?",
    "Suppose the top edge of the picture faces {wind}. Take {origin} as the origin: in which compass direction is {target}?",
    "In this plane, moving up means going {wind}. Relative to {origin}, which compass direction is {target} in?",
    "The picture is a map with {wind} at the top. Starting at {origin}, in which compass direction must one travel to reach {target}?",
)
COMPASS_RELATION_BY_HEADING = (
    "Read the picture as a flat map on which the {front} of {origin} points {wind}. In which compass direction does {target} lie from {origin}?",
    "Take {origin} as the origin. If its {front} points {wind}, in which compass direction is {target}?",
    "Suppose {wind} is where the {front} of {origin} points. Relative to {origin}, which compass direction is {target} in?",
    "The {front} of {origin} points {wind}. Starting at {origin}, in which compass direction must one travel to reach {target}?",
)
CELL = (
    "Which {what} stands in the {row} row, {column} column of the grid?",
    "Look at the cell of the grid in which the {row} row crosses the {column} column. Which {what} is in it?",
    "Find the cell in the {column} column of the {row} row. Which of these {what}s does it hold?",
    "The grid has three rows and three columns. Which {what} stands where the {column} column meets the {row} row?",
)
TURNED_FRAME = (
    "Read the picture as a flat map on which up is {wind}. Going {place} across the picture, in which compass direction does one travel?",
    "Suppose the top edge of the picture faces {wind}. Imagine an arrow that points {place}: in which compass direction is that?",
    "In this plane, moving up means going {wind}. If one moves {place} in the picture, which compass direction does one go in?",
    "The picture is a map with {wind} at the top. Imagine a straight road on it that runs {place}. In which compass direction does it run?",
)
