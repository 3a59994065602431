"""Square grids with row and column labels for the grid and maze domains, and paths over their cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from isovist.core.drawing2d import Drawing, Label, Line, Point, Shape
from isovist.core.rng import Rng
from isovist.suites.perceptv.shared_parts import sheet
from isovist.world.scenes.grid import RULE

COLUMNS = "ABCDEF"
_HEADING = "#5f6368"
_PAD = 0.06


@dataclass(frozen=True, slots=True)
class Board:
    """A square grid with row and column labels. Cells are numbered from 0, row by row from the top left."""

    side: int
    pitch: float
    margin: float  # space for the labels, on the left and at the top
    letters: bool = False  # letters as column names
    headed: bool = True

    @property
    def span(self) -> float:
        return round(self.margin + self.side * self.pitch + _PAD, 4)

    def center(self, cell: int) -> Point:
        row, column = divmod(cell, self.side)
        return round(self.margin + (column + 0.5) * self.pitch, 4), round(_PAD + (self.side - row - 0.5) * self.pitch, 4)

    def cell_at(self, point: Point) -> int:
        """The cell that contains a point."""
        return int((self.span - self.margin - point[1]) / self.pitch) * self.side + int((point[0] - self.margin) / self.pitch)

    def row_column(self, cell: int) -> tuple[int, int]:
        """The row and the column of a cell, from 1."""
        return cell // self.side + 1, cell % self.side + 1

    def row_column_at(self, point: Point) -> tuple[int, int]:
        """The row and the column that contain a point, from 1."""
        return self.row_column(self.cell_at(point))

    def draw(self, shapes: tuple[Shape, ...]) -> Drawing:
        """Draw the grid with shapes in it."""
        return replace(sheet(shapes, self.span, self.span), backdrop=_backdrop(self))


@lru_cache(maxsize=8)
def _backdrop(board: Board) -> tuple[Shape, ...]:
    n, near, far = board.side, board.margin, board.span - _PAD
    out: list[Shape] = list(sheet((), board.span, board.span).backdrop)
    for i in range(n + 1):
        at = round(near + i * board.pitch, 4)
        low = round(_PAD + i * board.pitch, 4)
        out.append(Line(((at, _PAD), (at, board.span - near)), 0.006, RULE))
        out.append(Line(((near - 0.003, low), (far + 0.003, low)), 0.006, RULE))
    em = round(min(0.4 * board.pitch, 0.07), 4)
    for i in range(n if board.headed else 0):
        across, down = board.center(i)[0], board.center(i * n)[1]
        out.append(Label(COLUMNS[i] if board.letters else str(i + 1), (across, board.span - near / 2), em, _HEADING))
        out.append(Label(str(i + 1), (near / 2, down), em, _HEADING))
    return tuple(out)


def adjacent_cells(cell: int, side: int) -> list[int]:
    """The cells above, right, below and left of a cell."""
    row, column = divmod(cell, side)
    near = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
    return [r * side + c for r, c in near if 0 <= r < side and 0 <= c < side]


def random_path(rng: Rng, n: int, side: int) -> list[int]:
    """A random path over `n` distinct cells. Paths that reach a dead end are restarted."""
    while True:
        path = [rng.integer(0, side * side - 1)]
        while len(path) < n:
            free = [cell for cell in adjacent_cells(path[-1], side) if cell not in path]
            if not free:
                break
            path.append(rng.pick(free))
        else:
            return path
