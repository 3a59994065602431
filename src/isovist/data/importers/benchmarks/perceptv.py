"""Importer of Percept-V (arXiv 2508.21143; GitHub `dair-iitd/Percept-V`).

Layout: one folder for each of the 30 domains, with `data.json` (a list), `data/K.png`, or `data/firstK.png` and `data/secondK.png` for
image pairs, and the question in `prompts/input_prompt.txt` and `prompts/rules.txt`. A record has `id`, the name of its (second)
image, its problem size, and the key, whose column name differs between domains. The format instruction is that of Isovist; the prompt
style `published` sends that of `prompts/output_prompt.txt`.

The answer vocabulary is not published: counts range up to the largest key of the file, words are all keys of the file. Cells are (row,
column): `cross_and_knots` counts them from 0, as its images and its question state, and the two domains that locate circles from 1, as the
numbers beside their grids. A maze is answered with the labels of its cells, from S to E.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, cast

from isovist.core.answers import Answer, CellSet, Count, CountTuple, WordSequence, WordSubset, YesNo, ZeroBasedCell
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable, kebab

_ONE: Mapping[str, tuple[str, ...]] = {
    "change-colour": ("num_differences",),
    "circle-boxes": ("answer",),
    "circle-right-triangle": ("right",),
    "count-coloured-circles": ("red_circle",),
    "counting-circles": ("num_objects",),
    "inside-circles": ("inside_circles",),
    "match-outline": ("Gold_output",),
    "match-shadow": ("Gold_output",),
    "mirror-image": ("mirror_image",),
    "vanishing-objects": ("vanished",),
    "water-image": ("water_image",),
}
_SEVERAL: Mapping[str, Mapping[str, str]] = {
    "circle-location": {"quadrant": "quadrant", "count": "count"},
    "counting-locations": {"num_objects_over_table": "above", "num_objects_under_table": "below"},
    "counting-shapes": {"circles": "circles", "triangles": "triangles", "squares": "squares"},
    "graph-counting": {"num_nodes": "nodes", "num_edges": "edges"},
}
"""Columns and their roles."""
_LISTS = {
    "colours-present": "colours_present",
    "comparing-size": "Gold_output",
    "grid-path": "gold_output",
    "identifying-shapes": "Gold_output",
    "layered-colours": "colors",
    "layered-shapes": "order",
    "maze-solving": "path",
    "sort-circles": "Gold_output",
    "sort-lines": "Gold_output",
}
_SETS = {"list-colours": "list_colours", "list-shapes": "list_shapes", "numbered-shapes": "circles"}
_CELLS = {"cross-and-knots": "n", "locate-circles-colour": "rows", "locate-circles-shape": "rows"}
"""The column with the number of rows and columns. The cells are in the column `gold_output`."""
_COLUMNS = {
    *(c for one in _ONE.values() for c in one),
    *(c for several in _SEVERAL.values() for c in several),
    *_LISTS.values(),
    *_SETS.values(),
    *_CELLS.values(),
    "gold_output",
}
_MOST_WORDS, _LONGEST, _LARGEST_GRID = 60, 20_000, 30
_WORDS, _MOST = "(words)", "(most)"  # columns added to records; no column of a file has such a name


def _domain(record: Record) -> str:
    path = PurePosixPath(record.file)
    if path.name != "data.json":
        raise Unusable("not of a data.json", path.name[:40])
    name = kebab(path.parent.name).replace("color", "colour")
    if name not in {*_ONE, *_SEVERAL, *_LISTS, *_SETS, *_CELLS}:
        raise Unusable("not a domain of Percept-V", path.parent.name[:40])
    return name


def _gather(records: Iterable[Record]) -> Iterator[Record]:
    """Add to each record the set of words and the largest number of all keys in its file."""
    by_file: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_file[record.file].append(record)
    for of_file in by_file.values():
        words: set[str] = set()
        most = 0
        for record in of_file:
            try:
                name = _domain(record)
            except Unusable:
                continue
            column = {**_LISTS, **_SETS}.get(name, "").lower()
            listed = record.metadata.get(column)
            words |= {_word(name, word) for word in cast("list[Any]", listed)} if isinstance(listed, list) else set()
            for key in (*_ONE.get(name, ()), *_SEVERAL.get(name, ())):
                value = record.metadata.get(key.lower())
                most = max(most, value) if isinstance(value, int) else most
        for record in of_file:
            yield replace(record, metadata={**record.metadata, _WORDS: tuple(sorted(words, key=_order)), _MOST: most})


def _word(name: str, word: object) -> str:
    text = str(word).strip()
    return text if name == "maze-solving" else text.lower()  # the labels S and E are as in the image


def _order(word: str) -> tuple[int, int, str]:
    return (0, int(word), "") if word.isdecimal() else (1, 0, word)


def _read(record: Record) -> Sequence[ImportedItem]:
    name = _domain(record)
    picture = record.text("id")
    folder = PurePosixPath(record.file).parent
    second = picture.startswith("second")
    cells: tuple[object, ...] = (f"data/first{picture.removeprefix('second')}", f"data/{picture}") if second else (f"data/{picture}",)
    key = _key(name, record)
    kept = {"id": picture, "domain": folder.name}
    question = _question(record.root, folder)
    try:
        prompt = f"{question}\n{_question(record.root, folder, ('output_prompt',))}"
    except Unusable:
        prompt = ""
    return [ImportedItem(name, question, key, cells, kept, published_prompt=prompt)]


def _question(root: Path, folder: PurePosixPath, parts: Sequence[str] = ("input_prompt", "rules")) -> str:
    """Return the text of these files of a domain. Raises Unusable."""
    texts: list[str] = []
    for part in parts:
        file = root / folder / "prompts" / f"{part}.txt"
        try:
            inside = file.resolve().is_relative_to(root)
            if not inside or not file.is_file() or file.stat().st_size > _LONGEST:
                raise Unusable("no question", f"prompts/{part}.txt is missing or too long")
            texts.append(file.read_text(encoding="utf-8-sig").strip())
        except (OSError, UnicodeDecodeError) as error:
            raise Unusable("no question", str(error)[:60]) from None
    return "\n".join(texts)


def _key(name: str, record: Record) -> Answer:
    most = max(int(record.metadata.get(_MOST, 0)), 1)
    words: tuple[str, ...] = record.metadata.get(_WORDS, ())
    try:
        if name in _ONE:
            value = _key_column(record, _ONE[name][0])
            return YesNo(value) if isinstance(value, bool) else Count(_whole(value), 0, most)
        if name in _SEVERAL:
            values = tuple(_whole(_key_column(record, column)) for column in _SEVERAL[name])
            return CountTuple(values, tuple(_SEVERAL[name].values()), 0, most)
        if name in _CELLS:
            return _cells_key(name, record)
        value = _key_column(record, _LISTS.get(name) or _SETS[name])
        if not isinstance(value, list):
            raise Unusable("the key is no list", type(value).__name__)
        listed = tuple(_word(name, word) for word in cast("list[Any]", value))
        if len(words) > _MOST_WORDS:
            raise Unusable("too many different words in the keys of the file", str(len(words)))
        return WordSubset(tuple(word for word in words if word in listed), words) if name in _SETS else WordSequence(listed, words)
    except ValueError as error:
        if isinstance(error, Unusable):
            raise
        raise Unusable("the key does not fit", str(error)[:80]) from None


def _cells_key(name: str, record: Record) -> Answer:
    """Return any of the safe cells, counted from 0, or the set of the cells with a circle, counted from 1. Raises Unusable or ValueError."""
    side = _whole(_key_column(record, _CELLS[name]))
    if not 2 <= side <= _LARGEST_GRID:
        raise Unusable("not a grid of 2 to 30 rows", str(side))
    value = _key_column(record, "gold_output")
    pairs = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(pair, list) and len(cast("list[object]", pair)) == 2 for pair in pairs):
        raise Unusable("the key is no list of cells", repr(pairs)[:40])
    cells = [(_whole(row), _whole(column)) for row, column in cast("list[list[object]]", pairs)]
    if not cells:
        raise Unusable("no cell is correct, which no answer type can state")
    return ZeroBasedCell(tuple(cells), side, side) if name == "cross-and-knots" else CellSet(tuple(cells), side, side)


def _key_column(record: Record, column: str) -> Any:
    value = record.metadata.get(column.lower())
    if value is None:
        raise Unusable("no key", column)
    return value


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unusable("the key is not a whole number", repr(value)[:40])
    return value


FORMAT = Format(
    "perceptv",
    "Percept-V",
    "https://github.com/dair-iitd/Percept-V",
    columns=("id",),
    wanted=tuple(sorted({column.lower() for column in _COLUMNS})),
    read=_read,
    gather=_gather,
)
