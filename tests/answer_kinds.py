"""Strategies that build any answer of a kind, from the texts that tasks use to texts that nobody would."""

from __future__ import annotations

from hypothesis import strategies as st

from isovist.core.answers import (
    Answer,
    Cell,
    CellPath,
    CellSet,
    Choice,
    Count,
    CountTuple,
    GridCell,
    ImageOptionChoice,
    JointAnswer,
    Number,
    Part,
    SingleWord,
    WordSequence,
    WordSubset,
    YesNo,
    ZeroBasedCell,
)
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS
from isovist.world.scenes.icons import DIRECTED, UPRIGHT

CATEGORIES = tuple(kind.category for kind in (*DIRECTED, *UPRIGHT))
SYMBOLS = tuple("IJKLMNOPQRSTUVWXYZ")
NUMBERS = tuple(map(str, range(1, 100)))
COLOURS = ("red", "blue", "green", "light blue", "dark-green", "white", "black")
MOVES = ("left", "right", "up", "down", "forward", "turn left", "turn right")
VOCABULARIES = (IMAGE_DIRECTIONS, COMPASS_DIRECTIONS, CATEGORIES, NUMBERS, COLOURS, MOVES, SYMBOLS)

words = st.from_regex(r"[A-Za-zäößéЖ北][a-zäößé]{2,9}([ -][a-z]{3,8})?", fullmatch=True)
vocabularies = st.one_of(
    *(st.lists(st.sampled_from(texts), min_size=2, max_size=min(8, len(texts)), unique=True) for texts in VOCABULARIES),
    st.lists(words, min_size=2, max_size=6, unique_by=lambda text: "".join(c for c in text if c.isalnum()).casefold()),
).map(tuple)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    options = draw(vocabularies)
    return Choice(options, draw(st.integers(0, len(options) - 1)))


@st.composite
def drawn_choices(draw: st.DrawFn) -> ImageOptionChoice:
    n = draw(st.integers(2, 8))
    return ImageOptionChoice.of(draw(st.sampled_from(("sheet", "shape", "picture"))), n, draw(st.integers(0, n - 1)))


@st.composite
def counts(draw: st.DrawFn) -> Count:
    low = draw(st.integers(-3, 20))
    high = low + draw(st.integers(1, 2000))
    return Count(draw(st.integers(max(low, 0), high)) if high >= 0 else high, low, high)


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    sense = draw(st.sampled_from(("", "clockwise", "counterclockwise")))
    thousandths = st.integers(0, 200_000).map(lambda n: n / 1000)  # an item keeps nine digits of a float
    tolerance = draw(thousandths)
    truth = round(draw(st.sampled_from((-1, 1))) * draw(st.sampled_from((0, 180))) + draw(thousandths), 3)
    if draw(st.booleans()):
        return Number(truth, min(tolerance, 80.0), 0.0, 360.0, 360.0, "degrees", sense)
    return Number(truth, tolerance, -200.0, 400.0, sense=sense)


@st.composite
def several_counts(draw: st.DrawFn) -> CountTuple:
    labels = draw(vocabularies.filter(lambda texts: len(texts) < 5))
    return CountTuple(tuple(draw(st.integers(0, 30)) for _ in labels), labels, 0, 30)


@st.composite
def sequences(draw: st.DrawFn) -> WordSequence:
    vocabulary = draw(vocabularies)
    if draw(st.booleans()):
        return WordSequence(tuple(draw(st.permutations(vocabulary))), vocabulary, permutation=True)
    return WordSequence(tuple(draw(st.lists(st.sampled_from(vocabulary), min_size=1, max_size=6))), vocabulary)


@st.composite
def subsets(draw: st.DrawFn) -> WordSubset:
    vocabulary = draw(vocabularies)
    truth = tuple(draw(st.lists(st.sampled_from(vocabulary), unique=True, max_size=len(vocabulary))))
    return WordSubset(truth, vocabulary, draw(st.sampled_from((None, len(truth)))))


def _some_cells(draw: st.DrawFn, rows: int, columns: int, *, most: int, unique: bool) -> tuple[GridCell, ...]:
    cell = st.tuples(st.integers(1, rows), st.integers(1, columns))
    return tuple(draw(st.lists(cell, min_size=1, max_size=most, unique=unique)))


@st.composite
def cells(draw: st.DrawFn) -> Cell:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(2, 12))
    return Cell(_some_cells(draw, rows, columns, most=min(4, rows * columns - 1), unique=True), rows, columns)


@st.composite
def paths(draw: st.DrawFn) -> CellPath:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(2, 12))
    return CellPath(_some_cells(draw, rows, columns, most=9, unique=False), rows, columns)


@st.composite
def zero_based_cells(draw: st.DrawFn) -> ZeroBasedCell:
    cell = draw(cells())
    return ZeroBasedCell(tuple((row - 1, column - 1) for row, column in cell.truth), cell.rows, cell.columns)


@st.composite
def cell_sets(draw: st.DrawFn) -> CellSet:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    return CellSet(_some_cells(draw, rows, columns, most=9, unique=True), rows, columns)


@st.composite
def single_words(draw: st.DrawFn) -> SingleWord:
    vocabulary = draw(vocabularies)
    return SingleWord((draw(st.sampled_from(vocabulary)),), vocabulary)


BY_KIND: dict[str, st.SearchStrategy[Part]] = {
    "choice": choices(),
    "drawn-choice": drawn_choices(),
    "yes-no": st.builds(YesNo, st.booleans()),
    "count": counts(),
    "number": numbers(),
    "counts": several_counts(),
    "sequence": sequences(),
    "subset": subsets(),
    "cell": cells(),
    "path": paths(),
    "cell-from-0": zero_based_cells(),
    "cell-set": cell_sets(),
    "word": single_words(),
}


@st.composite
def fields(draw: st.DrawFn) -> JointAnswer:
    names = draw(st.lists(words, min_size=1, max_size=4, unique_by=lambda text: "".join(c for c in text if c.isalnum()).casefold()))
    parts = st.one_of(*BY_KIND.values())
    return JointAnswer(tuple((name, draw(parts)) for name in names), draw(st.sampled_from(("all", "share"))))


KINDS: dict[str, st.SearchStrategy[Answer]] = {**BY_KIND, "fields": fields()}
