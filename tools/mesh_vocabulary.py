"""The text of `kits/mesh_table.py`: what the manifest of the meshes tells, for code that may not read files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

HEAD = '''"""Data of the bundled meshes as rows; `scenes/mesh_catalog.py` converts them to objects.

Written by `tools/build_meshes.py` from its table; do not edit by hand. Every front and symmetry was visually inspected.
"""

from __future__ import annotations

from typing import Literal

Front = Literal["clear", "symmetric", "none"]
Broad = Literal["Vehicle", "Person", "Animals", "Food", "Containers", "Furniture", "Electronics", "Miscellaneous"]

Row = tuple[str, str, Broad, tuple[float, float, float], Front, int, bool]
"""id, category, broad class, width, height and depth in metres, front, symmetry in degrees, upright."""

ROWS: tuple[Row, ...] = (
'''


def vocabulary(entries: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (m["id"], m["category"], m["broad"], tuple(round(v / 100, 4) for v in m["size_cm"]), m["front"], m["symmetry"], m["upright"])
        for m in entries
    ]
    return HEAD + "".join(f"    {_row(row)},\n" for row in rows) + ")\n"


def _row(row: tuple[Any, ...]) -> str:
    """As Ruff would write it."""
    return repr(row).replace("'", '"')
