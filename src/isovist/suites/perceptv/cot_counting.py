"""Chains of thought that count: third by third of the picture, or kind by kind, each object with its place and a running number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from isovist.core.drawing2d import Circle, Drawing, Line, Point, Shape
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.palette import NAMES
from isovist.scenes.shapes2d import Mark, kind_of
from isovist.suites.perceptv.cot import COUNTED, PLACES, THIRDS, TOTAL, Reasoning, Spot, counted, holds, order, pointed, spot, spots_of
from isovist.suites.perceptv.task_factory import HEIGHT, WIDTH

THIRD = StepTemplate(
    "third",
    (
        "{third} third, x from {low} to {high}: {found}.",
        "in the {third} third (x {low} to {high}) I see: {found}.",
        "x {low} to {high}, the {third} third: {found}.",
    ),
    {"third": one_of(THIRDS), "low": NUMBER, "high": NUMBER, "found": COUNTED},
)
_COLOURS = one_of(f"{hue} circles" for hue in NAMES.values())
_SIDES = (
    one_of(f"circles {side} the plank" for side in ("above", "below"))
    + "|"
    + one_of(f"circles {side} of the line" for side in ("left", "right"))
)
_QUADRANTS = ("upper left", "upper right", "lower left", "lower right")
_IN_QUADRANT = "circles in the {} quadrant"
GROUP = StepTemplate(
    "group",
    (
        "{kind}: {found}; that makes {n}.",
        "{kind}: {found}. Their number is {n}.",
        "looking only for {kind}: {found}, so {n}.",
        "{kind}, one by one: {found}; {n} in all.",
    ),
    {
        "kind": f"circles|triangles|squares|{_COLOURS}|{_SIDES}|{one_of(_IN_QUADRANT.format(name) for name in _QUADRANTS)}",
        "found": COUNTED,
        "n": NUMBER,
    },
)
PLANK = StepTemplate(
    "plank",
    ("the plank lies at y {at}.", "the plank crosses the picture at y {at}.", "a plank lies across the picture, at y {at}."),
    {"at": NUMBER},
)
LINE = StepTemplate(
    "line",
    ("the vertical line stands at x {at}.", "the line between the boxes is at x {at}.", "the picture is divided at x {at}."),
    {"at": NUMBER},
)
AXES = StepTemplate(
    "axes",
    ("the axes cross at ({x}, {y}).", "the two black axes meet at ({x}, {y}).", "the quadrants meet at ({x}, {y}), where the axes cross."),
    {"x": NUMBER, "y": NUMBER},
)
MOST = StepTemplate(
    "most",
    (
        "the most is {n}, in the {quadrant} quadrant.",
        "no other quadrant has as many as the {quadrant} one with its {n}.",
        "with {n}, the {quadrant} quadrant holds more than each of the others.",
    ),
    {"n": NUMBER, "quadrant": one_of(_QUADRANTS)},
)
MOVES = StepTemplate(
    "moves",
    (
        "the difference is {difference}. Each circle that changes sides takes 2 off it; when {moves} have done so, it is {rest}.",
        "the boxes differ by {difference}; every move makes that 2 less. Moves: {moves}, and what remains is {rest}.",
        "one box has {difference} more. A circle that changes sides lessens the difference by 2; with {moves} changing sides it comes to {rest}.",
    ),
    {"difference": NUMBER, "moves": NUMBER, "rest": "[01]"},
)
_PAIR = rf"{NUMBER}-{NUMBER}"
EDGES = StepTemplate(
    "edges",
    (
        "edges from dots of the {third} third to dots with a higher number: {pairs}; {n} edges so far.",
        "from each dot of the {third} third to those of higher numbers: {pairs}. The edges up to here number {n}.",
        "lines that lead on from a dot of the {third} third to a higher number: {pairs}, and with that {n} lines.",
    ),
    {"third": one_of(THIRDS), "pairs": rf"none|{_PAIR}(?:, {_PAIR})*", "n": NUMBER},
)


class _Marked(Protocol):
    @property
    def marks(self) -> tuple[Mark, ...]: ...


class _Graph(Protocol):
    @property
    def nodes(self) -> tuple[Point, ...]: ...
    @property
    def edges(self) -> tuple[tuple[int, int], ...]: ...


# ---- third by third ------------------------------------------------------------------------------------------------


def _at(point: Point) -> Spot:
    return spot(point, WIDTH, HEIGHT)


def _thirds(spots: Sequence[Spot], way: int) -> list[str]:
    lines: list[str] = []
    before = 0
    for third, (low, high) in THIRDS.items():
        inside = [place for place in spots if low <= place[0] <= high]
        lines.append(THIRD.render(way, third=third, low=low, high=high, found=counted(inside, before + 1)))
        before += len(inside)
    return lines


def _thirds_hold(steps: Sequence[Step], discs: Sequence[Circle], picture: Drawing) -> list[str]:
    faults: list[str] = []
    before = 0
    for step, (third, (low, high)) in zip(steps, THIRDS.items(), strict=True):
        faults += holds(step, (step["third"], step.number("low"), step.number("high")) == (third, low, high))
        inside = [disc for disc, (x, _) in zip(discs, spots_of(discs, picture), strict=True) if low <= x <= high]
        faults += pointed(step["found"], inside, picture, before + 1)
        before += len(inside)
    return faults


def _discs(picture: Drawing) -> list[Circle]:
    return [shape for shape in picture.shapes if isinstance(shape, Circle)]


def _write_circles(scene: _Marked, way: int) -> list[str]:
    return [PLACES.render(way), *_thirds([_at(mark.at) for mark in scene.marks], way >> 3), TOTAL.render(way >> 6, n=len(scene.marks))]


def _check_circles(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    if faults := order(steps, ["places", *["third"] * len(THIRDS), "total"]):
        return faults
    discs = _discs(pictures[0])
    return _thirds_hold(steps[1:-1], discs, pictures[0]) + holds(steps[-1], steps[-1].number("n") == len(discs))


CIRCLES = Reasoning((PLACES, THIRD, TOTAL), _write_circles, _check_circles)


def _write_graph(scene: _Graph, way: int) -> list[str]:
    spots = sorted((_at(at), i) for i, at in enumerate(scene.nodes))
    number = {i: k for k, (_, i) in enumerate(spots, 1)}
    pairs = sorted(tuple(sorted((number[a], number[b]))) for a, b in scene.edges)
    lines = [PLACES.render(way), *_thirds([at for at, _ in spots], way >> 3), TOTAL.render(way >> 6, n=len(spots))]
    before = 0
    for third, (low, high) in THIRDS.items():
        first = [(a, b) for a, b in pairs if low <= spots[a - 1][0][0] <= high]
        before += len(first)
        lines.append(EDGES.render(way >> 9, third=third, pairs=", ".join(f"{a}-{b}" for a, b in first) or "none", n=before))
    return lines


def _check_graph(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """Edges by the dots that their ends lie on."""
    if faults := order(steps, ["places", *["third"] * len(THIRDS), "total", *["edges"] * len(THIRDS)]):
        return faults
    (picture,) = pictures
    discs = sorted(_discs(picture), key=lambda circle: spots_of([circle], picture))
    faults = _thirds_hold(steps[1:4], discs, picture) + holds(steps[4], steps[4].number("n") == len(discs))
    at = {disc.center: i for i, disc in enumerate(discs, 1)}
    joined = {frozenset(at[end] for end in shape.points) for shape in picture.shapes if isinstance(shape, Line)}
    before = 0
    for step, (third, (low, high)) in zip(steps[5:], THIRDS.items(), strict=True):
        pairs = [tuple(map(int, pair.split("-"))) for pair in step["pairs"].split(", ") if pair != "none"]
        indices = {i for i, (x, _) in enumerate(spots_of(discs, picture), 1) if low <= x <= high}
        due = {pair for pair in joined if min(pair) in indices}
        before += len(due)
        faults += holds(step, step["third"] == third and step.number("n") == before and pairs == sorted(pairs))
        faults += holds(step, len(pairs) == len(due) and {frozenset(pair) for pair in pairs} == due and all(a < b for a, b in pairs))
    return faults


GRAPH = Reasoning((PLACES, THIRD, TOTAL, EDGES), _write_graph, _check_graph)


# ---- kind by kind --------------------------------------------------------------------------------------------------

_Kinds = Mapping[str, Callable[[Shape], bool]]


def _groups(marks: Sequence[Mark], kinds: Mapping[str, Callable[[Mark], bool]], way: int) -> list[str]:
    inside = {name: [_at(mark.at) for mark in marks if is_it(mark)] for name, is_it in kinds.items()}
    return [GROUP.render(way, kind=name, found=counted(spots), n=len(spots)) for name, spots in inside.items()]


def _groups_hold(steps: Sequence[Step], picture: Drawing, kinds: _Kinds) -> list[str]:
    faults: list[str] = []
    shapes = [shape for shape in picture.shapes if not isinstance(shape, Line)]
    for step, (name, is_it) in zip(steps, kinds.items(), strict=True):
        those = [shape for shape in shapes if is_it(shape)]
        faults += holds(step, step["kind"] == name and step.number("n") == len(those)) + pointed(step["found"], those, picture)
    return faults


def coloured(hues: Sequence[str]) -> Reasoning:
    """Circles colour by colour."""

    def write(scene: _Marked, way: int) -> list[str]:
        kinds: dict[str, Callable[[Mark], bool]] = {f"{hue} circles": lambda mark, hue=hue: mark.hue == hue for hue in hues}
        return [PLACES.render(way), *_groups(scene.marks, kinds, way >> 3)]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        kinds: _Kinds = {
            f"{hue} circles": lambda shape, hue=hue: isinstance(shape, Circle) and NAMES.get(shape.fill or "") == hue for hue in hues
        }
        return order(steps, ["places", *["group"] * len(kinds)]) or _groups_hold(steps[1:], pictures[0], kinds)

    return Reasoning((PLACES, GROUP), write, check)


def shapes(kinds: Sequence[str]) -> Reasoning:
    """Marks by what they are."""

    def write(scene: _Marked, way: int) -> list[str]:
        due: dict[str, Callable[[Mark], bool]] = {f"{kind}s": lambda mark, kind=kind: mark.kind == kind for kind in kinds}
        return [PLACES.render(way), *_groups(scene.marks, due, way >> 3)]

    def check(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
        due: _Kinds = {f"{kind}s": lambda shape, kind=kind: kind_of(shape) == kind for kind in kinds}
        return order(steps, ["places", *["group"] * len(due)]) or _groups_hold(steps[1:], pictures[0], due)

    return Reasoning((PLACES, GROUP), write, check)


class _Planked(_Marked, Protocol):
    @property
    def height(self) -> float: ...


def _write_plank(scene: _Planked, way: int) -> list[str]:
    sides: dict[str, Callable[[Mark], bool]] = {
        "circles above the plank": lambda mark: mark.at[1] > scene.height,
        "circles below the plank": lambda mark: mark.at[1] < scene.height,
    }
    return [PLACES.render(way), PLANK.render(way >> 3, at=_at((0, scene.height))[1]), *_groups(scene.marks, sides, way >> 6)]


def _check_plank(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    if faults := order(steps, ["places", "plank", "group", "group"]):
        return faults
    (line,) = [shape for shape in pictures[0].shapes if isinstance(shape, Line)]
    height = line.points[0][1]
    sides: _Kinds = {
        "circles above the plank": lambda shape: isinstance(shape, Circle) and shape.center[1] - shape.radius > height,
        "circles below the plank": lambda shape: isinstance(shape, Circle) and shape.center[1] + shape.radius < height,
    }
    right = steps[1].number("at") == spot(line.points[0], pictures[0].width, pictures[0].height)[1]
    return holds(steps[1], right) + _groups_hold(steps[2:], pictures[0], sides)


BY_PLANK = Reasoning((PLACES, PLANK, GROUP), _write_plank, _check_plank)


class _Lined(_Marked, Protocol):
    @property
    def line(self) -> float: ...


def _write_boxes(scene: _Lined, way: int) -> list[str]:
    sides: dict[str, Callable[[Mark], bool]] = {
        "circles left of the line": lambda mark: mark.at[0] < scene.line,
        "circles right of the line": lambda mark: mark.at[0] > scene.line,
    }
    left = sum(map(sides["circles left of the line"], scene.marks))
    difference = abs(len(scene.marks) - 2 * left)
    moves = MOVES.render(way >> 9, difference=difference, moves=difference // 2, rest=difference % 2)
    return [PLACES.render(way), LINE.render(way >> 3, at=_at((scene.line, 0))[0]), *_groups(scene.marks, sides, way >> 6), moves]


def _check_boxes(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """Circles change sides one by one."""
    if faults := order(steps, ["places", "line", "group", "group", "moves"]):
        return faults
    (line,) = [shape for shape in pictures[0].shapes if isinstance(shape, Line)]
    x = line.points[0][0]
    sides: _Kinds = {
        "circles left of the line": lambda shape: isinstance(shape, Circle) and shape.center[0] + shape.radius < x,
        "circles right of the line": lambda shape: isinstance(shape, Circle) and shape.center[0] - shape.radius > x,
    }
    right = steps[1].number("at") == spot(line.points[0], pictures[0].width, pictures[0].height)[0]
    faults = holds(steps[1], right) + _groups_hold(steps[2:4], pictures[0], sides)
    fewer, more = sorted(sum(map(is_it, pictures[0].shapes)) for is_it in sides.values())
    values = [steps[4].number(name) for name in ("difference", "moves", "rest")]
    difference, moves = more - fewer, 0
    while more - fewer > 1:
        fewer, more, moves = fewer + 1, more - 1, moves + 1
    return faults + holds(steps[4], values == [difference, moves, more - fewer])


BOXES = Reasoning((PLACES, LINE, GROUP, MOVES), _write_boxes, _check_boxes)


def quadrants(x: float, y: float) -> Reasoning:
    """Circles quadrant by quadrant of a sheet whose axes cross at a point."""

    def write(scene: _Marked, way: int) -> list[str]:
        def inside(name: str) -> Callable[[Mark], bool]:
            return lambda mark: name == f"{'upper' if mark.at[1] > y else 'lower'} {'right' if mark.at[0] > x else 'left'}"

        kinds = {_IN_QUADRANT.format(name): inside(name) for name in _QUADRANTS}
        most = max(_QUADRANTS, key=lambda name: sum(map(inside(name), scene.marks)))
        n = sum(map(inside(most), scene.marks))
        (across, down) = _at((x, y))
        lines = [PLACES.render(way), AXES.render(way >> 3, x=across, y=down), *_groups(scene.marks, kinds, way >> 6)]
        return [*lines, MOST.render(way >> 9, n=n, quadrant=most)]

    return Reasoning((PLACES, AXES, GROUP, MOST), write, _check_quadrants)


def _check_quadrants(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """By the corner of the picture that lies on the same sides of both axes as all of a circle."""
    if faults := order(steps, ["places", "axes", *["group"] * len(_QUADRANTS), "most"]):
        return faults
    (picture,) = pictures
    (level, upright) = sorted(
        (shape.points for shape in picture.shapes if isinstance(shape, Line)), key=lambda ends: ends[0][0] == ends[1][0]
    )
    cross = (upright[0][0], level[0][1])
    corners = {"upper left": (-1, 1), "upper right": (1, 1), "lower left": (-1, -1), "lower right": (1, -1)}

    def inside(shape: Shape, right: int, up: int) -> bool:
        return (
            isinstance(shape, Circle)
            and right * (shape.center[0] - cross[0]) > shape.radius
            and up * (shape.center[1] - cross[1]) > shape.radius
        )

    kinds: dict[str, Callable[[Shape], bool]] = {
        _IN_QUADRANT.format(name): lambda shape, corner=corners[name]: inside(shape, *corner) for name in _QUADRANTS
    }
    axes = (steps[1].number("x"), steps[1].number("y")) == spot(cross, picture.width, picture.height)
    counts = {name: sum(inside(shape, *corner) for shape in picture.shapes) for name, corner in corners.items()}
    last = steps[-1]
    beaten = all(n < counts[last["quadrant"]] for name, n in counts.items() if name != last["quadrant"])
    most = beaten and last.number("n") == counts[last["quadrant"]]
    return holds(steps[1], axes) + _groups_hold(steps[2:-1], picture, kinds) + holds(last, most)
