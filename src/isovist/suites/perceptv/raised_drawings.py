"""The domains whose drawings can be shown as 3-D scenes: their shapes are separate, and become pieces on a sheet of paper.

The scene keeps the drawing up to a vertical compression that is the same everywhere (`isovist.world.render.raised_drawing`). The authors built 3-D
scenes of six domains: change-colour, colours-present, count-coloured-circles, counting-circles, counting-shapes, numbered-shapes.
"""

from __future__ import annotations

from isovist.core.drawing2d import Raised

BAND = "#eef1f4"
"""The colour of every other row of Identifying Shapes."""

_NUMBER = "the number of pieces"
_PLACE = "the cell of a piece in a printed grid"
_SIDE = "the number of pieces on each side of a raised bar"
_LENGTH = "the length along horizontal lines, which keep their scale"
_SIZE = "the ratio of the sizes of two discs, which are compressed equally"

RAISED: dict[str, Raised] = {
    "change-colour": Raised("the colour of the piece at a place, in two images with one camera"),
    "circle-boxes": Raised(_SIDE),
    "circle-location": Raised(_SIDE),
    "circle-right-triangle": Raised("the order of pieces within a row of a printed grid"),
    "colours-present": Raised("the colour of a piece: its top is lit evenly"),
    "comparing-size": Raised(_SIZE),
    "count-coloured-circles": Raised(f"{_NUMBER} of each colour"),
    "counting-circles": Raised(_NUMBER),
    "counting-locations": Raised(_SIDE),
    "counting-shapes": Raised(f"{_NUMBER} of each shape: discs, triangles and squares"),
    "cross-and-knots": Raised(_PLACE),
    "identifying-shapes": Raised("the shape of each piece, from top to bottom", printed=(BAND,)),
    "locate-circles-colour": Raised(_PLACE),
    "locate-circles-shape": Raised(_PLACE),
    "numbered-shapes": Raised("the shape of a piece and the number printed on it"),
    "sort-circles": Raised(_SIZE),
    "sort-lines": Raised(_LENGTH),
    "vanishing-objects": Raised(f"{_NUMBER} in two images with one camera"),
}
NOT_RAISED: dict[str, str] = {
    **dict.fromkeys(("graph-counting", "grid-path"), "lines and arrows lie over the shapes"),
    **dict.fromkeys(("inside-circles", "layered-colours", "layered-shapes"), "shapes cross or contain each other"),
    **dict.fromkeys(("list-colours", "list-shapes"), "the shapes lie over a drawn background"),
    **dict.fromkeys(("match-outline", "match-shadow"), "flat outlines and shadows are the question"),
    "maze-solving": "the walls would hide parts of the path",
    **dict.fromkeys(("mirror-image", "water-image"), "the sides of the pieces and their shadows are not mirrored"),
}
"""Why the drawings of the other domains are not shown as 3-D scenes."""
