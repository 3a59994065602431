"""Importer of CDR, compass direction reasoning (arXiv 2412.16599). File locations and columns are unknown: see `column_mapping`.

The type of a question is derived from its options (the eight image directions, the eight compass directions, or others) and from
whether it asks about one object relative to another.
"""

from __future__ import annotations

import re
from pathlib import Path

from isovist.data.importers import column_mapping
from isovist.data.importers.benchmark_format import Format, Record, kebab
from isovist.data.importers.column_mapping import Columns

_SPATIAL = frozenset({"down", "left", "lower left", "lower right", "right", "up", "upper left", "upper right"})
_COMPASS = frozenset({"east", "west", "south", "north", "northeast", "northwest", "southeast", "southwest"})
_RELATIVE = re.compile(r"\brelative to\b|\bin relation to\b|\bas the origin\b|\bwith respect to\b", re.IGNORECASE)
_KINDS = ("icon", "letter", "number")


def _part(columns: Columns, record: Record, question: str, options: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    words = {option.casefold().replace("_", " ").replace("-", " ").strip() for option in options}
    among = "spatial" if words <= _SPATIAL else "compass" if words <= _COMPASS else ""
    name = "object-classification" if not among else f"relative-{among}" if _RELATIVE.search(question) else f"{among}-direction"
    _, task = columns.get(record, "task")
    name_parts = f"{kebab(task) if isinstance(task, str) else ''}-{kebab(record.file[-60:])}".split("-")
    kind = next((kind for kind in _KINDS if kind in name_parts or f"{kind}s" in name_parts), "")
    return (f"{name}-{kind}" if kind else name), {"symbols": kind} if kind else {}


def source(mapping: Path | None) -> Format:
    """Return the format with the columns of a mapping. Raises UserError."""
    columns = column_mapping.read(mapping) if mapping else column_mapping.USUAL
    return column_mapping.source("cdr", "CDR", "https://arxiv.org/abs/2412.16599", _part, columns)


FORMAT = source(None)
