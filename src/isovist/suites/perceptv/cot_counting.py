"""Chains of thought that count objects by thirds of the image or by kind, each object with its position and a running number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from isovist.core.drawing2d import Circle, Drawing, Line, Point
from isovist.core.reasoning.templates import NUMBER, SPOT, Step, StepTemplate, list_of, listed, one_of
from isovist.suites.perceptv.cot import PLACES, THIRDS, TOTAL, FactChains, Spot, placed, spot, stated
from isovist.suites.perceptv.shared_parts import HEIGHT, WIDTH
from isovist.world.scenes.palette import NAMES
from isovist.world.scenes.shapes2d import Mark, kind_of

_COUNTED = list_of(f"{NUMBER} {SPOT}")
_QUADRANTS = ("upper left", "upper right", "lower left", "lower right")

THIRD = StepTemplate(
    "{third} third, x from {low} to {high}: {found}.",
    "in the {third} third (x {low} to {high}) I find: {found}.",
    "x {low} to {high}, the {third} third: {found}.",
    third=one_of(THIRDS),
    found=_COUNTED,
)
GROUP = StepTemplate(
    "{kind}: {found}; total {n}.",
    "{kind}: {found}. The count is {n}.",
    "considering only {kind}: {found}, so {n}.",
    "{kind}, one by one: {found}; {n} in total.",
    kind="[a-z ]+",
    found=_COUNTED,
)
PLANK = StepTemplate("the plank is at y {at}.", "the plank crosses the image at y {at}.", "the horizontal plank is at y {at}.")
LINE = StepTemplate("the vertical line is at x {at}.", "the line between the boxes is at x {at}.", "the image is divided at x {at}.")
AXES = StepTemplate(
    "the axes cross at {at}.", "the two black axes intersect at {at}.", "the quadrants meet at {at}, where the axes cross.", at=SPOT
)
MOST = StepTemplate(
    "the largest count is {n}, in the {quadrant} quadrant.",
    "no other quadrant has as many as the {quadrant} quadrant, which has {n}.",
    "with {n}, the {quadrant} quadrant has more than each of the others.",
    quadrant=one_of(_QUADRANTS),
)
MOVES = StepTemplate(
    "the difference is {difference}. Each circle that moves to the other box reduces it by 2. Moves: {moves}; remaining difference: {rest}.",
    "the boxes differ by {difference}, and each move reduces the difference by 2. Number of moves: {moves}. The difference is then {rest}.",
    "the two counts differ by {difference}. Moving one circle reduces the difference by 2. Circles to move: {moves}; difference after that: {rest}.",
)
EDGES = StepTemplate(
    "edges from dots in the {third} third to dots with higher numbers: {pairs}; edges so far: {n}.",
    "from each dot in the {third} third to dots with higher numbers: {pairs}. The edge count is now {n}.",
    "lines from a dot in the {third} third to a dot with a higher number: {pairs}; total so far {n}.",
    third=one_of(THIRDS),
    pairs=list_of(f"{NUMBER}-{NUMBER}"),
)


# ---- third by third ------------------------------------------------------------------------------------------------


def _thirds(spots: Sequence[Spot]) -> list[Step]:
    """The steps for each third of the image, and the total. Positions are numbered from left to right."""
    numbered = list(enumerate(sorted(spots), 1))
    places = {name: listed(f"{n} {at}" for n, at in numbered if low <= at[0] <= high) for name, (low, high) in THIRDS.items()}
    thirds = [THIRD(third=name, low=low, high=high, found=places[name]) for name, (low, high) in THIRDS.items()]
    return [PLACES(), *thirds, TOTAL(n=len(spots))]


def _at(point: Point) -> Spot:
    return spot(point, WIDTH, HEIGHT)


def _discs(pictures: tuple[Drawing, ...]) -> list[tuple[Spot, Circle]]:
    return [(at, shape) for at, shape in placed(pictures[0]) if isinstance(shape, Circle)]


CIRCLES = FactChains(
    _thirds,
    lambda scene: [_at(mark.center) for mark in scene.marks],
    lambda pictures: [at for at, _ in _discs(pictures)],
    stated((TOTAL, "n")),
)

_Graph = tuple[Sequence[Spot], Iterable[Sequence[int]]]
"""The positions of the dots from left to right, and the edges as pairs of indices into them, from 0."""


def _graph_steps(graph: _Graph) -> list[Step]:
    spots, edges = graph
    pairs = sorted(tuple(sorted(pair)) for pair in edges)
    steps = _thirds(spots)
    n = 0
    for third, (low, high) in THIRDS.items():
        first = [f"{a + 1}-{b + 1}" for a, b in pairs if low <= spots[a][0] <= high]
        n += len(first)
        steps.append(EDGES(third=third, pairs=listed(first), n=n))
    return steps


def _graph_of_scene(scene: Any) -> _Graph:
    nodes = sorted((_at(at), node) for node, at in enumerate(scene.nodes))
    order = [node for _, node in nodes]
    return [at for at, _ in nodes], [(order.index(a), order.index(b)) for a, b in scene.edges]


def _graph_of_pictures(pictures: tuple[Drawing, ...]) -> _Graph:
    """Identify edges by the circles at the ends of the drawn lines."""
    discs = _discs(pictures)
    centers = [disc.center for _, disc in discs]
    lines = [shape.points for shape in pictures[0].shapes if isinstance(shape, Line)]
    return [at for at, _ in discs], [[centers.index(end) for end in ends] for ends in lines]


GRAPH = FactChains(_graph_steps, _graph_of_scene, _graph_of_pictures, lambda steps: f"{stated((TOTAL, 'n'))(steps)}, {steps[-1]['n']}")


# ---- kind by kind --------------------------------------------------------------------------------------------------

_Groups = Mapping[str, Sequence[Spot]]
"""Positions by the name of the objects there."""
_Cut = tuple[Spot, _Groups]
"""The position of a line or of the crossing of two axes, and the objects on their sides."""


def _grouped(names: Iterable[str], entries: Iterable[tuple[Spot, str]]) -> _Groups:
    """Group positions by name."""
    named = sorted(entries)
    return {name: [at for at, other in named if other == name] for name in names}


def _groups(groups: _Groups) -> list[Step]:
    places = {kind: listed(f"{n} {at}" for n, at in enumerate(spots, 1)) for kind, spots in groups.items()}
    return [GROUP(kind=kind, found=places[kind], n=len(spots)) for kind, spots in groups.items()]


def coloured(hues: Sequence[str]) -> FactChains[_Groups]:
    """Count circles by colour."""
    names = [f"{hue} circles" for hue in hues]
    return FactChains(
        lambda groups: [PLACES(), *_groups(groups)],
        lambda scene: _grouped(names, ((_at(mark.center), f"{mark.colour} circles") for mark in scene.marks)),
        lambda pictures: _grouped(names, ((at, f"{NAMES.get(disc.fill or '')} circles") for at, disc in _discs(pictures))),
        stated((GROUP, "n")),
    )


def shapes(kinds: Sequence[str]) -> FactChains[_Groups]:
    """Count marks by kind."""
    names = [f"{kind}s" for kind in kinds]
    return FactChains(
        lambda groups: [PLACES(), *_groups(groups)],
        lambda scene: _grouped(names, ((_at(mark.center), f"{mark.shape}s") for mark in scene.marks)),
        lambda pictures: _grouped(names, ((at, f"{kind_of(shape)}s") for at, shape in placed(pictures[0]))),
        stated((GROUP, "n")),
    )


_Sides = Mapping[str, int]
"""The names of the sides of a line, with 1 for larger coordinates and -1 for smaller ones."""


def _sides_of_marks(marks: Iterable[Mark], sides: _Sides, axis: int, at: float) -> _Groups:
    spots = sorted((_at(mark.center), mark.center[axis] - at) for mark in marks)
    return {name: [spot for spot, beyond in spots if sign * beyond > 0] for name, sign in sides.items()}


def _sides_of_discs(pictures: tuple[Drawing, ...], sides: _Sides, axis: int) -> _Cut:
    """The drawn line, and the circles that are entirely on one side of it."""
    (line,) = [shape.points for shape in pictures[0].shapes if isinstance(shape, Line)]
    discs = [(at, disc.center[axis] - line[0][axis], disc.radius) for at, disc in _discs(pictures)]
    groups = {name: [at for at, beyond, radius in discs if sign * beyond > radius] for name, sign in sides.items()}
    return spot(line[0], pictures[0].width, pictures[0].height), groups


_PLANK_SIDES = {"circles above the plank": 1, "circles below the plank": -1}
BY_PLANK = FactChains[_Cut](
    lambda cut: [PLACES(), PLANK(at=cut[0][1]), *_groups(cut[1])],
    lambda scene: (_at((0, scene.height)), _sides_of_marks(scene.marks, _PLANK_SIDES, 1, scene.height)),
    lambda pictures: _sides_of_discs(pictures, _PLANK_SIDES, 1),
    stated((GROUP, "n")),
)

_BOX_SIDES = {"circles left of the line": -1, "circles right of the line": 1}


def _box_steps(cut: _Cut) -> list[Step]:
    """The steps for moving circles one by one to the other box."""
    (x, _), sides = cut
    left, right = map(len, sides.values())
    difference = abs(left - right)
    return [PLACES(), LINE(at=x), *_groups(sides), MOVES(difference=difference, moves=difference // 2, rest=difference % 2)]


BOXES = FactChains(
    _box_steps,
    lambda scene: (_at((scene.line, 0)), _sides_of_marks(scene.marks, _BOX_SIDES, 0, scene.line)),
    lambda pictures: _sides_of_discs(pictures, _BOX_SIDES, 0),
    stated((MOVES, "moves")),
)


def _in_quadrant(name: str) -> str:
    return f"circles in the {name} quadrant"


def _quadrant_steps(cut: _Cut) -> list[Step]:
    cross, groups = cut
    most = max(_QUADRANTS, key=lambda name: len(groups[_in_quadrant(name)]))
    return [PLACES(), AXES(at=cross), *_groups(groups), MOST(n=len(groups[_in_quadrant(most)]), quadrant=most)]


def quadrants(x: float, y: float) -> FactChains[_Cut]:
    """Count circles by quadrant of a sheet whose axes cross at (x, y)."""

    def of_scene(scene: Any) -> _Cut:
        names = (f"{'upper' if mark.center[1] > y else 'lower'} {'right' if mark.center[0] > x else 'left'}" for mark in scene.marks)
        marks = ((_at(mark.center), _in_quadrant(name)) for mark, name in zip(scene.marks, names, strict=True))
        return _at((x, y)), _grouped(map(_in_quadrant, _QUADRANTS), marks)

    return FactChains(_quadrant_steps, of_scene, _quadrants_of_pictures, stated((MOST, "quadrant")))


def _quadrants_of_pictures(pictures: tuple[Drawing, ...]) -> _Cut:
    """Assign each circle to the quadrant that contains all of it."""
    (picture,) = pictures
    lines = [shape.points for shape in picture.shapes if isinstance(shape, Line)]
    (upright,) = [a for a, b in lines if a[0] == b[0]]
    (level,) = [a for a, b in lines if a[0] != b[0]]
    corners = {"upper left": (-1, 1), "upper right": (1, 1), "lower left": (-1, -1), "lower right": (1, -1)}

    def inside(disc: Circle, right: int, up: int) -> bool:
        return right * (disc.center[0] - upright[0]) > disc.radius and up * (disc.center[1] - level[1]) > disc.radius

    groups = {_in_quadrant(name): [at for at, disc in _discs(pictures) if inside(disc, *corners[name])] for name in _QUADRANTS}
    return spot((upright[0], level[1]), picture.width, picture.height), groups
