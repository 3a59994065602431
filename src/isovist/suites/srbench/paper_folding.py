"""Paper folding: which open sheet comes of a sheet that was folded and punched?

The top row shows the paper before each fold, with the crease and the part that is folded over it shaded, and at last the
folded paper with its holes; the bottom row shows the options. As in the paper, a fold halves what is there of the sheet;
here that means that one half comes to lie exactly on the other, so diagonal folds follow and precede straight ones only
where that is so. A sheet is folded for real: holes go through all layers under them, and opening it is computed layer by
layer (the authors' generator reflects some folds about the wrong line, and draws options that equal the key).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.drawing2d import Circle, Drawing, Label, Line, Point, Polygon, Shape
from isovist.core.rng import Rng
from isovist.core.task import Preset, Question, RejectSample, SamplingContext, Setting, Task, split_of_layout
from isovist.reasoning.templates import phrasing
from isovist.scenes.folded_paper import (
    CREASES,
    SHEET,
    SIDE,
    WAYS,
    Corners,
    Fold,
    Motion,
    Spot,
    Stack,
    clipped,
    crease_ends,
    fold,
    folded,
    halvings,
    mirror_through,
    moved,
    turn_about,
    unfold,
)
from isovist.suites.srbench import cot_folding, folding_sets, shortcuts
from isovist.suites.srbench.cot_folding import GRID, DrawnFold
from isovist.suites.srbench.folding_distractors import STEP, Holes, Punched, paper_errors, punched
from isovist.suites.srbench.folding_geometry import mirrored, near, offset
from isovist.suites.srbench.published_scorer import published

LEVELS = {f"{folds}-fold{'s' * (folds > 1)}-{holes}-hole{'s' * (holes > 1)}": (folds, holes) for folds in (1, 2, 3) for holes in (1, 2, 3)}
MOST_FOLDS = 3
SETTINGS = {
    "options": Setting("3", "how many sheets to choose from", choices=("3", "4")),
    "distractors": Setting(
        "errors", "wrong sheets of other folds, or the paper's: a missing hole and a mirror", choices=("errors", "paper")
    ),
    "lines": Setting("half", "creases that halve the sheet at first, or anywhere through it", choices=("half", "any")),
}
KEY = "key"

# What is seen. Lengths are in units; at the default size a unit has 400 pixels and the sheet 160.
PIXELS = 400
LEAST_PIXELS = 200  # a hole is 5 wide then, a letter 12 high, and holes that tell two options apart lie 6 from each other
SHEET_SIDE = 0.4
GAP = 0.08  # between two sheets of a row
EDGE = 0.06  # between sheets and the picture's sides
TOP, BOTTOM = 0.56, 0.1  # the lower edges of the sheets of both rows
HEIGHT = 1.03
LETTER = (0.2, -0.045)  # from the lower left corner of an option
HOLE = 0.0125  # the radius
BACKGROUND, FILL, SHADE = "#ffffff", "#fff8e6", "#ced3d9"
INK, PLACE, CREASE, RULE = "#2b3138", "#c9ced4", "#2962cc", "#e4e7ea"

_LEAST = SIDE // 4  # how wide and high the paper must stay
_FLAP = 5 * CREASES  # how far the paper reaches from a crease on either side, where creases may lie anywhere
_MOST = 24  # holes in the open sheet
_TRIES = 60
_TRIES_OF_SETS = 300  # most sets of three folds and three holes do not fit


@dataclass(frozen=True, slots=True)
class Folding:
    """The folds, and where holes are punched in the folded paper, in steps of `scenes.folded_paper`."""

    folds: tuple[Fold, ...]
    holes: Holes


@dataclass(frozen=True, slots=True)
class Scene:
    """The folding, the holes of each option and its error: `KEY`, or what went wrong, with "+" between two that came together."""

    folding: Folding
    options: tuple[Holes, ...]
    errors: tuple[str, ...]


def _anywhere(rng: Rng, stack: Stack) -> Fold:
    """A crease somewhere through the paper, after which no part of it lies outside the place of the flat sheet."""
    for _ in range(_TRIES):
        way = rng.pick(tuple(WAYS))
        low, high = stack.range(way)
        if high - low < 2 * _FLAP:
            continue
        first, last = -(-(low + _FLAP) // CREASES), (high - _FLAP) // CREASES
        if first > last:
            continue
        crease = Fold(way, rng.integer(first, last) * CREASES, rng.pick((1, -1)))
        if all(0 <= v <= SIDE for outline in fold(stack, crease).outlines for corner in outline for v in corner):
            return crease
    raise RejectSample


def _folding(rng: Rng, count: int, holes: int, *, anywhere: bool) -> Punched | None:
    """A sheet that is folded and punched; None if a fold could be left out, as no hole goes through it, or holes become too many."""
    folds: tuple[Fold, ...] = ()
    for _ in range(count):
        folds = (*folds, _anywhere(rng, folded(folds)) if anywhere else rng.pick(halvings(folds, _LEAST)))
    marks = punched(rng, folded(folds), holes)
    if marks is None:
        return None
    needed = {number for mark in marks for number in mark.layer.path}
    return Punched(folds, marks, unfold(marks)) if len(needed) == count and len(marks) <= _MOST else None


Options = list[tuple[str, Holes]]


def _from_the_key(plan: SamplingContext, options: int, *, anywhere: bool) -> tuple[Folding, Options]:
    """A folding and the paper's wrong sheets, each made from the right one; the key first."""
    rng = plan.image_rng
    cases = (_folding(rng.at("folding", i), *LEVELS[plan.level], anywhere=anywhere) for i in range(_TRIES))
    case = next((case for case in cases if case), None)
    if case is None:
        raise RejectSample
    folding = plan.check_split(Folding(case.folds, tuple(case.holes)))
    return folding, [(KEY, case.key), *rng.shuffled(paper_errors(rng, case, options - 1))]


def _from_other_folds(plan: SamplingContext, options: int, *, anywhere: bool) -> tuple[Folding, Options]:
    """A folding, and the sheets of other ways to fold that go with the same holes; the key first."""
    rng = plan.image_rng
    count, holes = LEVELS[plan.level]
    middle = count == MOST_FOLDS and plan.image_stratum("differs", 2) == 0
    tries = (
        folding_sets.drawn(rng.at("folding", i), count, holes, options, middle=middle, anywhere=anywhere) for i in range(_TRIES_OF_SETS)
    )
    for ways in tries:
        if ways is None:
            continue
        # in random order: the first one of this split could be any of them
        for shown in ways.all:
            folding = Folding(shown.folds, ways.holes)
            if split_of_layout(folding) == plan.split:
                wrong = [(folding_sets.error(shown.folds, way.folds), way.sheet) for way in ways.all if way is not shown]
                return plan.check_split(folding), [(KEY, shown.sheet), *rng.shuffled(wrong)]
    raise RejectSample


def _sample(plan: SamplingContext) -> Scene:
    options, anywhere = int(plan.settings["options"]), plan.settings["lines"] == "any"
    drawn = _from_the_key if plan.settings["distractors"] == "paper" else _from_other_folds
    folding, (key, *shown) = drawn(plan, options, anywhere=anywhere)
    shown.insert(plan.stratum if options == 3 else plan.image_stratum("place", options), key)
    return Scene(folding, tuple(holes for _, holes in shown), tuple(name for name, _ in shown))


def columns(across: int, shown: int) -> tuple[float, ...]:
    """The left edges of the sheets of a row, in the middle of a picture that is `across` sheets wide."""
    pitch = SHEET_SIDE + GAP
    return tuple(round(EDGE + pitch * ((across - shown) / 2 + i), 4) for i in range(shown))


def _at(left: float, bottom: float, spot: Spot) -> Point:
    return round(left + spot[0] * SHEET_SIDE / SIDE, 6), round(bottom + spot[1] * SHEET_SIDE / SIDE, 6)


def _piece(left: float, bottom: float, corners: Corners, fill: str | None, stroke: str = INK) -> Polygon:
    return Polygon(tuple(_at(left, bottom, corner) for corner in corners), fill, stroke, 0.004)


@lru_cache(maxsize=512)
def _stage(left: float, before: tuple[Fold, ...], crease: Fold | None) -> tuple[Shape, ...]:
    """The folded paper, and how it is folded next."""
    stack = folded(before)
    if crease is None:
        return tuple(_piece(left, TOP, outline, FILL) for outline in stack.outlines)
    shapes: list[Shape] = []
    for outline in stack.outlines:
        near, far = (clipped(outline, crease, beyond=beyond) for beyond in (False, True))
        shapes += [_piece(left, TOP, part, fill) for part, fill in ((near, FILL), (far, SHADE)) if part]
    (ax, ay), (bx, by) = crease_ends(stack, crease)
    over = 6 * STEP  # the crease sticks out of the paper
    dx, dy = ((bx > ax) - (bx < ax)) * over, ((by > ay) - (by < ay)) * over
    return (*shapes, Line((_at(left, TOP, (ax - dx, ay - dy)), _at(left, TOP, (bx + dx, by + dy))), 0.006, CREASE))


@lru_cache(maxsize=16)
def _backdrop(top: tuple[float, ...], bottom: tuple[float, ...], width: float) -> tuple[Shape, ...]:
    """What all pictures with as many sheets share: where the whole sheet lay, and the open sheets with their letters."""
    sheet = SHEET.outlines[0]
    places = [_piece(left, TOP, sheet, None, PLACE) for left in top]
    sheets = [_piece(left, BOTTOM, sheet, FILL) for left in bottom]
    letters = [
        Label(letter, (round(x + LETTER[0], 4), round(BOTTOM + LETTER[1], 4)), 0.06, INK)
        for letter, x in zip(LETTERS, bottom, strict=False)
    ]
    return (Line(((EDGE, 0.53), (width - EDGE, 0.53)), 0.004, RULE), *places, *sheets, *letters)


def _holes(left: float, bottom: float, holes: Sequence[Spot]) -> list[Shape]:
    return [Circle(_at(left, bottom, hole), HOLE, INK) for hole in holes]


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    folds, options = scene.folding.folds, scene.options
    across = max(len(folds) + 1, len(options))
    width = round(2 * EDGE + across * SHEET_SIDE + (across - 1) * GAP, 4)
    top, bottom = columns(across, len(folds) + 1), columns(across, len(options))
    shapes: list[Shape] = []
    for number, left in enumerate(top):
        shapes += _stage(left, folds[:number], folds[number] if number < len(folds) else None)
    shapes += _holes(top[-1], TOP, scene.folding.holes)
    for left, holes in zip(bottom, options, strict=True):
        shapes += _holes(left, BOTTOM, holes)
    return (Drawing(tuple(shapes), _backdrop(top, bottom, width), width, HEIGHT, BACKGROUND),)


def _ask(scene: Scene) -> Question:
    return Question(
        "The top row shows, from left to right, how a square sheet of paper is folded. In each step the grey part is folded over the blue "
        "line and comes to lie on the other side of it; a pale outline marks where the whole sheet lay. The last picture of the row shows "
        "the folded paper with holes punched through all layers that lie under them.\n"
        "The bottom row shows open sheets, each above its letter. Which of them is the paper when it is completely unfolded again?",
        _key(scene),
    )


def _key(scene: Scene) -> ImageOptionChoice:
    return ImageOptionChoice.of("sheet", len(scene.options), scene.errors.index(KEY))


def _explain(scene: Scene) -> str:
    folding = scene.folding
    return cot_folding.opening(folding.folds, folding.holes, scene.options, _key(scene), phrasing(folding.holes))


def _replay(scene: Scene, text: str) -> list[str]:
    return cot_folding.replay(*_drawn(scene), _key(scene), text)


@lru_cache(maxsize=128)
def _drawn(scene: Scene) -> tuple[list[DrawnFold], list[Point], dict[str, list[Point]]]:
    """The folds, the holes in the folded paper, and those of each option by letter, from the drawn shapes; in squares of the grid."""
    (picture,) = _draw(scene)
    creases = sorted((shape for shape in picture.shapes if isinstance(shape, Line)), key=lambda line: line.points[0])
    pieces = [shape for shape in picture.shapes if isinstance(shape, Polygon)]
    discs = [shape.center for shape in picture.shapes if isinstance(shape, Circle)]
    pitch = SHEET_SIDE + GAP
    first = picture.width / 2 - pitch * (len(creases) + 1) / 2 + GAP / 2  # the left edge of the top row

    def on(left: float, bottom: float, points: Sequence[Point]) -> tuple[Point, ...]:
        """Points of a sheet, from its lower left corner."""
        return tuple(((x - left) * GRID / SHEET_SIDE, (y - bottom) * GRID / SHEET_SIDE) for x, y in points)

    def holes(left: float, bottom: float) -> list[Point]:
        return [hole for hole in on(left, bottom, discs) if all(0 < v < GRID for v in hole)]

    folds: list[DrawnFold] = []
    for number, line in enumerate(creases):
        left = first + pitch * number
        mine = [polygon for polygon in pieces if all(-GAP / 2 < x - left < SHEET_SIDE + GAP / 2 for x, _ in polygon.points)]
        stays, grey = (tuple(on(left, TOP, polygon.points) for polygon in mine if polygon.fill == fill) for fill in (FILL, SHADE))
        folds.append(DrawnFold(replace(line, points=on(left, TOP, line.points)), stays, grey))
    letters = [shape for shape in picture.backdrop if isinstance(shape, Label)]
    options = {label.text: holes(label.at[0] - LETTER[0], label.at[1] - LETTER[1]) for label in letters}
    return folds, holes(first + pitch * len(creases), TOP), options


def _read(pictures: tuple[Drawing, ...], words: str) -> str:
    """Folds points of the flat sheet along the drawn creases, and looks which of them come to lie under a drawn hole."""
    del words
    shapes = pictures[0].shapes
    creases = sorted((shape for shape in shapes if isinstance(shape, Line)), key=lambda line: line.points[0][0] + line.points[1][0])
    shades = [shape for shape in shapes if isinstance(shape, Polygon) and shape.fill == SHADE]
    discs = [shape.center for shape in shapes if isinstance(shape, Circle)]
    letters = sorted((label for label in pictures[0].backdrop if isinstance(label, Label)), key=lambda label: label.at[0])
    pitch = SHEET_SIDE + GAP
    lefts = [pictures[0].width / 2 + pitch * (i - (len(creases) + 1) / 2) + GAP / 2 for i in range(len(creases) + 1)]
    steps: list[tuple[Line, float]] = []  # each crease in the frame of its own sheet, and the side of what is folded
    for line, left in zip(creases, lefts, strict=False):
        moved_line = replace(line, points=tuple((x - left, y - TOP) for x, y in line.points))
        grey = [(x - left, y - TOP) for polygon in shades for x, y in polygon.points if left - 0.01 <= x <= left + SHEET_SIDE + 0.01]
        steps.append((moved_line, sum(offset(spot, moved_line) for spot in grey)))

    def landing(spot: Point) -> Point:
        for line, grey in steps:
            if offset(spot, line) * grey > 0:
                spot = mirrored(spot, line)
        return spot

    opened: list[Point] = []
    for x, y in discs:
        if y > TOP:
            hole = (x - lefts[-1], y - TOP)
            spots = [hole]
            for line, _ in reversed(steps):
                spots += [mirrored(spot, line) for spot in spots]
            for spot in spots:  # where three creases meet, one spot is found twice
                known = any(near(spot, other) for other in opened)
                if not known and all(0 < v < SHEET_SIDE for v in spot) and near(landing(spot), hole):
                    opened.append(spot)
    for letter in letters:
        left, bottom = letter.at[0] - LETTER[0], letter.at[1] - LETTER[1]
        shown = [(x - left, y - bottom) for x, y in discs if y < TOP and left < x < left + SHEET_SIDE]
        if len(shown) == len(opened) and all(any(near(spot, hole) for hole in shown) for spot in opened):
            return f"sheet {letter.text}"
    return "none of the sheets"


def _moved(scene: Scene, motion: Motion) -> Scene:
    """Every sheet of the picture moved alike about its middle."""

    def line(crease: Fold) -> Fold:
        a, b = WAYS[crease.way]
        on = (crease.at * a, 0) if a else (0, crease.at)
        (ax, ay), (bx, by), beyond = (
            moved(motion, (on[0] + dx, on[1] + dy)) for dx, dy in ((0, 0), (-b, a), (crease.side * a, crease.side * b))
        )
        way, (p, q) = next((name, (p, q)) for name, (p, q) in WAYS.items() if p * (bx - ax) + q * (by - ay) == 0)
        at = p * ax + q * ay
        return Fold(way, at, 1 if p * beyond[0] + q * beyond[1] > at else -1)

    folding = Folding(tuple(map(line, scene.folding.folds)), tuple(moved(motion, hole) for hole in scene.folding.holes))
    return replace(scene, folding=folding, options=tuple(tuple(sorted(moved(motion, spot) for spot in option)) for option in scene.options))


def _quarter_turn(scene: Scene):
    return _moved(scene, turn_about(1, (SIDE, SIDE))), str


def _looking_glass(scene: Scene):
    return _moved(scene, mirror_through("vertical", (SIDE, SIDE))), str


def _next_letter(scene: Scene):  # A becomes B, and so on
    count = len(scene.options)
    moved_on = replace(scene, options=scene.options[-1:] + scene.options[:-1], errors=scene.errors[-1:] + scene.errors[:-1])

    def renamed(answer: str) -> str:
        return f"sheet {LETTERS[(LETTERS.index(answer[-1]) + 1) % count]}"

    return moved_on, renamed


TASK = Task(
    id="srbench/paper-folding",
    version=2,
    summary="Identify the unfolded sheet after folding and punching.",
    sample=_sample,
    draw=_draw,
    ask=_ask,
    rederive=_read,
    chain_of_thought=_explain,
    verify_chain=_replay,
    strata=3,
    chance=1 / 3,
    answer_type="drawn-choice",
    levels=tuple(LEVELS),
    layout=lambda scene: scene.folding,
    skills=("spatial visualization",),
    source="SRBench, section 3.1 and appendix 7",
    image_size_px=PIXELS,
    least=LEAST_PIXELS,
    settings=SETTINGS,
    symmetries=(_quarter_turn, _looking_glass, _next_letter),
    published_scorer=published,
    distractor_types=lambda scene: scene.errors,
    shortcuts=shortcuts.FOLDING,
    published_sizes={
        "test": Preset(
            200,
            {"distractors": "paper"},
            "one or two folds; the paper does not tell how many items of each level",
            levels=tuple(level for level, (folds, _) in LEVELS.items() if folds <= 2),
        )
    },
)
