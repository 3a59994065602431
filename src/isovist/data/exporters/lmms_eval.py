"""Export for lmms-eval: one YAML file per task and one for the group, the items as Parquet, and a module with prompts and scorer.

Keys from https://github.com/EvolvingLMMs-Lab/lmms-eval (docs/task_guide.md), version 0.7.3. Paths are relative to the export folder, so
it can be moved; lmms-eval is started inside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.common import canary
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.parquet import schema_of_split
from isovist.data.dataset.rows import ItemRow
from isovist.data.dataset.training_examples import key_json
from isovist.data.exporters.export_source import Items
from isovist.data.exporters.file_writers import PICTURE, TEXT, copy_template, parquet, row_pictures, schema, within

MODULE = "isovist_lmms_eval.py"
GROUP = "isovist"
COLUMNS = schema(
    id=TEXT, task=TEXT, split=TEXT, level=TEXT, images=pa.list_(PICTURE), prompt=TEXT, choices=pa.list_(TEXT), answer=TEXT, key=TEXT
)
_TASK = """task: {name}
dataset_path: parquet
dataset_kwargs:
  data_files:
    test: {files}
test_split: test
output_type: generate_until
doc_to_visual: !function isovist_lmms_eval.doc_to_visual
doc_to_text: !function isovist_lmms_eval.doc_to_text
doc_to_messages: !function isovist_lmms_eval.doc_to_messages
doc_to_target: answer
process_results: !function isovist_lmms_eval.process_results
generation_kwargs:
  max_new_tokens: 4096
  temperature: 0
  do_sample: false
  until: []
metric_list:
  - metric: isovist_credit
    aggregation: !function isovist_lmms_eval.mean_credit
    higher_is_better: true
  - metric: isovist_unparsed
    aggregation: mean
    higher_is_better: false
metadata:
  version: {version}
"""
_GROUP = f"""group: {GROUP}
task:
{{tasks}}aggregate_metric_list:
  - metric: isovist_credit
    aggregation: mean
    weight_by_size: true
"""


def export_lmms_eval(items: Items, folder: Path, progress: Callable[[], object]) -> list[str]:
    names: list[str] = []
    for part in items.parts:
        names.append(task_name(part))
        file = within(folder, f"{names[-1]}.yaml")
        rows = (_row(items, row) for row in items.of_part(part).rows(progress))
        written = parquet(rows, schema_of_split(COLUMNS, part.split), within(folder, f"data/{part.name}"), "test")
        comment = f"# {canary.NOTICE}\n" if canary.is_test(part.split) else ""
        text = task_yaml(names[-1], [f"data/{part.name}/{name}" for name in written], part.version)
        file.write_text(comment + text, encoding="utf-8")
    tasks = "".join(f"  - {json.dumps(name)}\n" for name in names)
    within(folder, f"{GROUP}.yaml").write_text(_GROUP.format(tasks=tasks), encoding="utf-8")
    copy_template("lmms_eval.py", folder / MODULE)
    return []


def task_yaml(name: str, files: list[str], version: int) -> str:
    """Return the YAML of a task. Names are written as JSON strings, which YAML reads as the same text: they come from the data."""
    return _TASK.format(name=json.dumps(name), files=json.dumps(files), version=version)


def task_name(part: DataPart) -> str:
    """Return the lmms-eval task name of a dataset part."""
    name = f"{GROUP}_{part.task}".replace("/", "_").replace("-", "_")
    return name if part.split == "test" else f"{name}_{part.split}"


def _row(items: Items, row: ItemRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "task": row.task,
        "split": row.split,
        "level": row.level,
        "images": row_pictures(row),
        "prompt": items.prompt(row),
        "choices": list(row.choices),
        "answer": row.answer,
        "key": key_json(row.key),
    }
