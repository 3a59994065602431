"""Importer of DORI (arXiv 2505.21649; Hugging Face `appledora/DORI-Benchmark`). Its columns are unknown: see `column_mapping`.

Task and level are read from their columns. If the task has the name of a task in the suite `dori`, the item belongs to
`dori-published/NAME` and is also scored by the soft accuracy of the paper.
"""

from __future__ import annotations

from pathlib import Path

from isovist.data.importers import column_mapping
from isovist.data.importers.benchmark_format import Format, Record, Unusable, kebab
from isovist.data.importers.column_mapping import Columns
from isovist.suites.dori.shared_parts import SKILLS

_LEVELS = {"coarse": "coarse", "c": "coarse", "granular": "granular", "g": "granular", "fine": "granular", "fine-grained": "granular"}
_OTHER_NAMES = {
    "view-parallel": "view-parallelism",
    "view-parallelism-perception": "view-parallelism",
    "directional-facing-perception": "directional-facing",
    "frontal-alignment": "directional-facing",
    "inter-object-direction-perception": "inter-object-direction",
    "viewer-scene-direction-perception": "viewer-scene-direction",
    "canonical-orientation-reasoning": "canonical-orientation",
    "canonical": "canonical-orientation",
}
_NATURAL = ("kitti", "cityscapes", "coco", "coco-space-sea", "nocs-real", "nocs", "objectron")
_RENDERED = ("jta", "3d-future", "get3d", "get-3d", "shapenet", "omniobject3d", "omniobject-3d")
"""Source datasets of the paper (section 9), by kind of image."""


def _part(columns: Columns, record: Record, question: str, options: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    del question, options
    _, task = columns.get(record, "task")
    words = kebab(task) if isinstance(task, str) else ""
    level = ""
    for end, name in _LEVELS.items():
        if words.endswith(f"-{end}") and len(end) > 1:
            words, level = words.removesuffix(f"-{end}"), name
    _, level_name = columns.get(record, "level")
    if isinstance(level_name, str):
        level = _LEVELS.get(kebab(level_name), level)
    if isinstance(task, str) and not words:
        raise Unusable("the task is not a name", task[:40])
    part = _OTHER_NAMES.get(words, words) or "all"
    _, category = columns.get(record, "object")
    _, dataset = columns.get(record, "source")
    source = kebab(dataset) if isinstance(dataset, str) else ""
    attributes = {
        "dimension": SKILLS[part][0] if part in SKILLS else "",
        "level": level,
        "category": category.strip().casefold() if isinstance(category, str) else "",
        "source": source,
        "pictures": "natural" if source in _NATURAL else "rendered" if source in _RENDERED else "",
    }
    return part, {name: value for name, value in attributes.items() if value}


def source(mapping: Path | None) -> Format:
    """Return the format with the columns of a mapping. Raises UserError."""
    columns = column_mapping.read(mapping) if mapping else column_mapping.USUAL
    return column_mapping.source("dori", "DORI", "https://huggingface.co/datasets/appledora/DORI-Benchmark", _part, columns)


FORMAT = source(None)
