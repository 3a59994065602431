"""Importer of SpatialEval, of which SRBench samples Maze-Nav (arXiv 2406.14852; Hugging Face `MilaWang/SpatialEval`).

Columns `id`, `text`, `oracle_answer`, `oracle_option`, `oracle_full_answer`, and `image` in two of the three configurations: `vqa`
(image), `vtqa` (image and text); `tqa` has text only. The ids name task, configuration, maze and question, as in `mazenav.vqa.12.0`. The
answer columns must agree; each may hold the option, its label, both ("3 (option B)"), or a sentence about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable, kebab

_ANSWERS = ("oracle_option", "oracle_answer", "oracle_full_answer")
_MODES = ("vtqa", "tqa", "vqa")
_TASKS = {"mazenav": "maze-nav", "spatialmap": "spatial-map", "spatialgrid": "spatial-grid", "spatialreal": "spatial-real"}


def _read(record: Record, *, all_tasks: bool = False) -> Sequence[ImportedItem]:
    name, text = record.text("id"), record.text("text")
    first = kebab(name.partition(".")[0])
    task = _TASKS.get(first.replace("-", ""), first)
    if not task:
        raise Unusable("the id names no task", name[:40])
    if task != "maze-nav" and not all_tasks:
        raise Unusable("not of Maze-Nav (--all-tasks imports it)", task)
    words = f"{kebab(record.file.replace('/', '-')[-40:])}-{kebab(name)}".split("-")
    mode = next((mode for mode in _MODES if mode in words), "")
    picture = record.metadata.get("image")
    if picture is None and mode != "tqa":
        raise Unusable("no picture")
    answers = [record.text(column) for column in _ANSWERS if record.metadata.get(column) is not None]
    if not answers:
        raise Unusable("no answer")
    question, options = option_parser.lettered(text)
    return [
        ImportedItem(
            f"{task}-{mode}" if mode else task,
            question,
            option_parser.agreed(options, answers),
            () if mode == "tqa" else (picture,),
            {"id": name, "text": text, "oracle_answer": " | ".join(answers)},
            name.rpartition(".")[0] or name,
            published_prompt=text,
        )
    ]


FORMAT = Format(
    "spatialeval",
    "SpatialEval",
    "https://huggingface.co/datasets/MilaWang/SpatialEval",
    columns=("id", "text", "oracle_option"),
    wanted=("oracle_answer", "oracle_full_answer", "image"),
    read=_read,
)
ALL_TASKS = replace(FORMAT, read=partial(_read, all_tasks=True))
