"""Chains of thought about piles: heights of columns, outlines, and what each view excludes.

The writer takes the pile of the scene; the verifier takes that of the drawn polygons.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from isovist.core.reasoning.templates import Step, StepTemplate, listed, one_of
from isovist.world.scenes import pile
from isovist.world.scenes.pile import Heights, Profile

_LIST = r"\d+(?:, \d+)*"
_template = partial(
    StepTemplate,
    heights=_LIST,
    lines=rf"{_LIST}(?:; {_LIST})*",
    **dict.fromkeys(("view", "side"), one_of(pile.SIDES)),
    letter="[A-Z]",
    letters=r"none|[A-Z](?:, [A-Z])*",
)

# ---- the number of cubes -------------------------------------------------------------------------------------------------

_ROW = _template(
    "Row {row} from the back, from upper left to lower right: the columns are {heights} cubes high, together {sum}.",
    "The columns of row {row}, counted from the back and read from upper left to lower right, have the heights {heights}, which makes {sum} cubes.",
)
_TOTAL = _template(
    "All rows together have {sum} cubes.",
    "The sum of the rows is {sum}.",
)


def _listed(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))


def count_steps(heights: Heights) -> list[Step]:
    """The heights of the columns of each row, its sum, and the sum of all."""
    rows = [_ROW(row=place + 1, heights=_listed(row), sum=sum(row)) for place, row in enumerate(heights)]
    return [*rows, _TOTAL(sum=pile.total(heights))]


# ---- views -----------------------------------------------------------------------------------------------------------------

_VIEW = _template(
    "In the view from the {view}, the columns from left to right are {heights} squares high.",
    "The view from the {view} has columns of {heights} squares, from left to right.",
)
_SEEN = _template(
    "Solid {letter}, seen from the {view}: the highest columns from left to right are {heights}.",
    "From the {view}, the lines of sight through solid {letter} end at heights of {heights}, from left to right.",
)
_LEFT = _template(
    "The view from the {view} leaves the solids {letters}.",
    "These solids agree with the view from the {view}: {letters}.",
)


def view_steps(solids: Mapping[str, Heights], front: Profile, right: Profile) -> list[Step]:
    """What the view from the front leaves of the solids, and what that from the right leaves of these."""
    steps: list[Step] = []
    left = list(solids)
    for view, profile, seen in (("front", front, pile.front), ("right", right, pile.right)):
        steps.append(_VIEW(view=view, heights=_listed(profile)))
        steps += [_SEEN(letter=letter, view=view, heights=_listed(seen(solids[letter]))) for letter in left]
        left = [letter for letter in left if seen(solids[letter]) == profile]
        steps.append(_LEFT(view=view, letters=listed(left)))
    return steps


_EYE = _template(
    "The eye is at the side {side}. Along its lines of sight, from its left to its right, the columns are {lines} cubes high, the near ones first.",
    "Seen from the side {side}, from left to right and from near to far, the lines of sight meet columns with the heights {lines}.",
)
_HIGHEST = _template(
    "The highest of each line are {heights}.",
    "On each line the highest column counts: {heights}.",
)
_OPTION = _template(
    "View {letter} has columns of {heights}.",
    "In view {letter}, the columns are {heights} squares high.",
)


def eye_steps(heights: Heights, side: str, views: Mapping[str, Profile]) -> list[Step]:
    """The lines of sight of the eye, the highest column of each, and the columns of the flat views."""
    lines = (
        [row[::-1] for row in reversed(heights)] if side in ("right", "left") else [column[::-1] for column in zip(*heights, strict=True)]
    )
    if side in ("back", "left"):
        lines = [line[::-1] for line in reversed(lines)]
    return [
        _EYE(side=side, lines="; ".join(map(_listed, lines))),
        _HIGHEST(heights=_listed(pile.seen_from(heights, side))),
        *(_OPTION(letter=letter, heights=_listed(profile)) for letter, profile in sorted(views.items())),
    ]
