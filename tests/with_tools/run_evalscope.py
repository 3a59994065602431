"""EXPORT OUT: asks evalscope's own stand-in for a model all that an export holds."""

from __future__ import annotations

import sys
from pathlib import Path

from evalscope import TaskConfig, run_task

export, out = sys.argv[1:]
tasks = {
    kind: {"local_path": f"{export}/{kind}", "subset_list": sorted(path.stem for path in Path(export, kind).glob("*.parquet"))}
    for kind in ("general_vmcq", "general_vqa")
}
run_task(TaskConfig(model="mock", eval_type="mock_llm", datasets=list(tasks), dataset_args=tasks, work_dir=out))
print("loaded", sum(len(task["subset_list"]) for task in tasks.values()))
