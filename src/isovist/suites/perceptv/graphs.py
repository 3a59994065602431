"""Graph Counting.

A graph with one or two nodes has only one possible answer, so sizes begin at three nodes. Some graphs of the authors' release are
disconnected. Here all graphs are connected, no edge passes near another node, and crossings are rare, away from nodes and at clear angles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import CountTuple
from isovist.core.drawing2d import Circle, Drawing, Line, Point
from isovist.core.rng import Rng
from isovist.core.task import Checks, Exemption, Preset, RejectSample, SamplingContext, Task, identity
from isovist.suites.perceptv import cot_counting as reasoning
from isovist.suites.perceptv import shortcuts
from isovist.suites.perceptv.shared_parts import COUNTING, HEIGHT, PAPERS, SHEET, SIZES, SKILLS, WIDTH, asking, equally_likely, sheet, size
from isovist.world.scenes.palette import HUES
from isovist.world.scenes.random_placement import Field, scatter

_SIZES = SIZES[2:]
_MOST = len(SIZES)
_EXTRA = 6  # edges beyond those of a tree, at most
NODE_HUES = ("blue", "green", "orange", "purple", "red", "cyan")
INK = "#4a4f57"  # of the edges
_NODE = 0.028  # its radius: 11 pixels
_LINE = 0.0075  # 3 pixels
_ROOM = 0.07  # about a node's centre, where no other node's room may reach
_LARGE_ROOM, _FEW = 0.11, 9  # the same of few nodes
_GAP = 0.02
_CLEAR = 0.055  # from a node's centre to any edge that is not its own: 11 pixels from its rim
_FORK = 0.93  # the largest cosine between two edges of a node: 21 degrees
_SLANT = 0.25  # the squared sine at a crossing, at least: 30 degrees
_AWAY = 0.06  # from a crossing to a node's centre, or to another crossing
_CROSSINGS = 5  # at most
_PLACINGS = 40


Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Graph:
    colour: str
    nodes: tuple[Point, ...]
    edges: tuple[Pair, ...]


def _squared_distance(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def crossing(a: Point, b: Point, c: Point, d: Point) -> tuple[Point, float] | None:
    """The crossing of the segments a-b and c-d and the squared sine of its angle; None if they do not cross."""
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    turn = ux * vy - uy * vx
    if turn == 0:
        return None
    s = ((c[0] - a[0]) * vy - (c[1] - a[1]) * vx) / turn
    t = ((c[0] - a[0]) * uy - (c[1] - a[1]) * ux) / turn
    if not (0 < s < 1 and 0 < t < 1):
        return None
    return (a[0] + s * ux, a[1] + s * uy), turn * turn / ((ux * ux + uy * uy) * (vx * vx + vy * vy))


class _Sketch:
    """Placed nodes, and the edges added so far."""

    def __init__(self, nodes: list[Point]) -> None:
        self.nodes = nodes
        self.edges: list[Pair] = []
        self.crossings: list[Point] = []

    def clear(self, pair: Pair) -> bool:
        """Whether an edge would keep clear of all other nodes."""
        a, b = (self.nodes[i] for i in pair)
        squared_length = _squared_distance(a, b)
        (ax, ay), (dx, dy) = a, (b[0] - a[0], b[1] - a[1])
        for i, (x, y) in enumerate(self.nodes):
            if i not in pair:
                t = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / squared_length))  # the nearest point of the edge, from 0 to 1
                if (x - (ax + t * dx)) ** 2 + (y - (ay + t * dy)) ** 2 <= _CLEAR * _CLEAR:
                    return False
        return True

    def add(self, pair: Pair, crossings: int) -> bool:
        """Add an edge unless it makes a small angle with another edge, more than `crossings` crossings, or an unclear crossing."""
        a, b = (self.nodes[i] for i in pair)
        new: list[Point] = []
        for other in self.edges:
            shared = set(pair) & set(other)
            if shared:
                (i,) = shared
                if self._cosine(i, sum(pair) - i, sum(other) - i) > _FORK:
                    return False
                continue
            intersection = crossing(a, b, *(self.nodes[k] for k in other))
            if intersection:
                at, slant = intersection
                if slant < _SLANT or any(_squared_distance(at, p) < _AWAY * _AWAY for p in (*self.nodes, *self.crossings, *new)):
                    return False
                new.append(at)
        if len(new) > crossings:
            return False
        self.edges.append(pair)
        self.crossings += new
        return True

    def _cosine(self, at: int, a: int, b: int) -> float:
        (x, y), p, q = self.nodes[at], self.nodes[a], self.nodes[b]
        dot = (p[0] - x) * (q[0] - x) + (p[1] - y) * (q[1] - y)
        return dot / (_squared_distance((x, y), p) * _squared_distance((x, y), q)) ** 0.5


def _connected(rng: Rng, nodes: list[Point], edges: int) -> list[Pair] | None:
    """Connect the nodes with this number of edges, preferring short edges and few crossings; None if this fails."""
    sketch, n = _Sketch(nodes), len(nodes)
    weighed = [(_squared_distance(nodes[i], nodes[j]) ** 0.5 * rng.uniform(1, 2), (i, j)) for i in range(n) for j in range(i + 1, n)]
    pairs = [pair for _, pair in sorted(weighed) if sketch.clear(pair)]
    part = list(range(n))
    for i, j in pairs:
        if part[i] != part[j] and sketch.add((i, j), 0):
            old, new = part[i], part[j]
            part = [new if node == old else node for node in part]
    if len(set(part)) > 1:
        return None
    for most in range(3):
        for pair in pairs:
            if len(sketch.edges) == edges:
                return sketch.edges
            if pair not in sketch.edges:
                sketch.add(pair, min(most, _CROSSINGS - len(sketch.crossings)))
    return sketch.edges if len(sketch.edges) == edges else None


def _sample(plan: SamplingContext) -> Graph:
    n, rng = size(plan), plan.image_rng
    hue = rng.pick(NODE_HUES)
    for _ in range(_PLACINGS):
        nodes = scatter(rng, [Field(0, 0, WIDTH, HEIGHT)] * n, [_ROOM if n > _FEW else _LARGE_ROOM] * n, _GAP)
        edges = _connected(rng, nodes, n - 1 + plan.stratum)
        if edges is not None:
            return plan.check_split(Graph(hue, tuple(nodes), tuple(sorted(edges))))
    raise RejectSample


def _draw(scene: Graph) -> tuple[Drawing, ...]:
    edges = (Line((scene.nodes[i], scene.nodes[j]), _LINE, INK) for i, j in scene.edges)
    return (sheet((*edges, *(Circle(at, _NODE, HUES[scene.colour]) for at in scene.nodes))),)


def _read(picture: Drawing) -> str:
    """Count dots and lines between dots, and check that every dot is reachable from the first."""
    dots = [shape.center for shape in picture.shapes if isinstance(shape, Circle)]
    joined = {frozenset(dots.index(end) for end in shape.points) for shape in picture.shapes if isinstance(shape, Line)}
    reached, pending = {0}, [0]
    while pending:
        at = pending.pop()
        neighbours = {other for pair in joined if at in pair for other in pair} - reached
        reached |= neighbours
        pending += neighbours
    assert len(reached) == len(dots) and all(len(pair) == 2 for pair in joined), "no connected graph"  # noqa: PT018
    return f"{len(dots)}, {len(joined)}"


def _flip(scene: Graph) -> tuple[Graph, Callable[[str], str]]:
    """Mirror left and right. The graph does not change."""
    return Graph(scene.colour, tuple((round(WIDTH - x, 4), y) for x, y in scene.nodes), scene.edges), identity


def _n_edge_counts(n: int) -> int:
    """The number of possible edge counts for `n` nodes: from a tree up to `_EXTRA` more, as far as a planar graph allows."""
    return 1 + min(_EXTRA, 3 * n - 6 - (n - 1))


def _key(scene: Graph) -> CountTuple:
    return CountTuple((len(scene.nodes), len(scene.edges)), ("nodes", "edges"), 0, _MOST + _EXTRA - 1)


TASKS: tuple[Task[Any], ...] = (
    Task(
        id="perceptv/graph-counting",
        version=3,
        summary="Count the nodes and edges of a connected graph.",
        sample=_sample,
        draw=_draw,
        ask=asking(
            "The image shows a graph. Nodes are drawn as dots. Edges are drawn as straight lines between two nodes.",
            "Count the nodes and the edges of the graph. A point where two lines cross without a dot is not a node.",
            _key,
        ),
        rederive=lambda drawings, _: _read(*drawings),
        answers=equally_likely("counts", _n_edge_counts, _SIZES),
        skills=SKILLS["graph-counting"],
        levels=_SIZES,
        images=SHEET,
        paper=replace(
            PAPERS["graph-counting"],
            sizes={"test": Preset(180, note="without size 1 and 2, which has only one possible answer")},
        ),
        checks=Checks(symmetries=(_flip,), shortcuts=shortcuts.GRAPHS, exemptions={"pixels": Exemption(COUNTING, 1.0, {"": 0.25})}),
        reasoning=reasoning.GRAPH.of(_draw, _key),
    ),
)
