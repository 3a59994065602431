"""SRBench's result table: every figure against a second transcription, a model a row as printed."""

from __future__ import annotations

from fnmatch import fnmatchcase

from isovist.data.reference import published, reference
from isovist.reporting.analysis.collect import order

TASKS = (
    "srbench/paper-folding",
    "srbench/mrt-easy",
    "srbench/mrt-hard",
    "srbench/maze-nav-*",
    "srbench/orientation",
    "srbench/spatial-relations",
    "",
)
# arXiv 2503.19707, Table 1
TABLE = """
SmolVLM (500M) | 34.00 | 34.00 | 22.00 | 32.50 | 51.00 | 30.00 | 35.22
MiniCPM-V-2.6 (8B) | 27.50 | 36.00 | 29.00 | 9.75 | 45.00 | 14.75 | 25.72
InternVL2.5 (8B) | 41.50 | 30.00 | 24.50 | 33.25 | 69.00 | 64.50 | 47.72
Llava-1.5 (7B) | 38.00 | 32.50 | 20.00 | 24.75 | 52.50 | 50.25 | 38.39
Idefics3 (8B) | 42.00 | 31.00 | 29.50 | 35.50 | 63.00 | 58.50 | 46.28
InternVL2.5 (26B) | 42.00 | 31.50 | 28.00 | 28.25 | 70.00 | 70.75 | 48.83
o1 (Undisclosed) | 36.50 | 33.00 | 20.50 | 33.25 | 71.00 | 64.75 | 47.56
Qwen2.5VL (7B) | 37.50 | 27.00 | 25.00 | 16.50 | 66.00 | 55.75 | 40.67
Qwen2.5VL (3B) | 46.00 | 31.50 | 25.50 | 13.50 | 63.10 | 33.25 | 35.86
SmolVLM (3B) | 35.50 | 32.00 | 29.00 | 29.75 | 51.75 | 38.50 | 37.39
Llama-3.2-Vision (11B) | 26.00 | 29.50 | 24.00 | 26.25 | 48.00 | 48.75 | 36.17
InstructBLIP (7B) | 36.50 | 32.00 | 21.00 | 10.50 | 51.00 | 17.50 | 27.50
InstructBLIP (13B) | 38.50 | 35.60 | 23.40 | 12.50 | 53.00 | 20.50 | 29.94
GPT-4o (Undisclosed) | 36.00 | 32.50 | 20.00 | 32.75 | 72.50 | 66.50 | 47.44
LlavaNext (7B) | 27.00 | 32.50 | 26.50 | 27.00 | 52.00 | 52.50 | 38.78
Random | 33.33 | 33.33 | 25.00 | 25.00 | 50.00 | 25.00 | 32.37
Instances | 200 | 200 | 200 | 400 | 400 | 400 | 1800
"""
PRINTED = {
    cells[0]: tuple(map(float, cells[1:])) for cells in ([c.strip() for c in line.split("|")] for line in TABLE.strip().splitlines())
}


def test_every_figure_is_that_of_the_paper() -> None:
    by_column: dict[str, list[float | None]] = {}
    for table in reference("srbench").tables:
        assert tuple(entry.task for entry in table.rows) == TASKS
        for place, column in enumerate(table.columns):
            by_column[column] = [entry.values[place] for entry in table.rows]
    assert list(by_column) == list(PRINTED)
    assert {column: tuple(values) for column, values in by_column.items()} == PRINTED


def test_overall_is_the_weighted_mean_but_where_the_notes_say_otherwise() -> None:
    *counts, total = PRINTED["Instances"]
    assert sum(counts) == total
    others = {
        name: f"{printed[-1]:.2f}"
        for name, printed in PRINTED.items()
        if name != "Instances" and abs(sum(v * n for v, n in zip(printed, counts, strict=False)) / total - printed[-1]) > 0.006
    }
    assert others == {"GPT-4o (Undisclosed)": "47.44", "Random": "32.37"}
    notes = " ".join(reference("srbench").notes)
    assert all(figure in notes for figure in (*others.values(), "48.00", "32.41"))


def test_the_row_of_navigation_stands_beside_each_maze_task() -> None:
    models = {name: values[3] for name, values in PRINTED.items() if name not in ("Random", "Instances")}
    for name in ("right-turns", "turns", "position"):
        assert published(f"srbench/maze-nav-{name}") == models
    assert published("srbench/mrt-hard")["Idefics3 (8B)"] == 29.5
    assert published("srbench/none") == published("srbench/") == {}
    listed = sorted(
        ("srbench/none", "srbench/maze-nav-turns", "srbench/orientation", "srbench/paper-folding", "srbench/maze-nav-position"), key=order
    )
    assert [next((i for i, task in enumerate(TASKS) if fnmatchcase(name, task)), 9) for name in listed] == [0, 3, 3, 4, 9]
