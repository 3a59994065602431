"""`eval.yaml` of a dataset folder: the tasks of a benchmark on the Hugging Face Hub.

The fields are those of https://huggingface.co/docs/hub/eval-results.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from isovist.data.dataset.data_card import config
from isovist.data.dataset.manifest import DataPart

EVAL_YAML = "eval.yaml"
OVERALL = "overall"
"""The id of the task that takes the mean over all tasks."""


def benchmark_parts(parts: Sequence[DataPart]) -> list[DataPart]:
    """The parts that a public benchmark may have: generated test items with a public seed, and not those of chosen ids."""
    return [part for part in parts if part.split == "test" and part.n and not (part.imported or part.is_private or part.ids)]


def eval_yaml(parts: Sequence[DataPart]) -> str:
    """The text of `eval.yaml`: one task for each part that a public benchmark may have, and one for their mean; "" without any.

    The ids of the tasks are the configuration names of the data card.
    """
    tested = benchmark_parts(parts)
    if not tested:
        return ""
    suites = ", ".join(sorted({part.task.partition("/")[0] for part in tested}))
    n = sum(part.n for part in tested)
    about = (
        f"Spatial questions about images for vision-language models: {len(tested)} tasks, {n} test items. Scores are accuracy in percent."
    )
    lines = [f"name: {json.dumps(f'Isovist ({suites})')}", f"description: {json.dumps(about)}", "evaluation_framework: isovist", "tasks:"]
    lines += [f"  - id: {OVERALL}"] if len(tested) > 1 else []
    lines += [f"  - id: {name}\n    config: {name}\n    split: test" for name in (json.dumps(config(part.task)) for part in tested)]
    return "\n".join(lines) + "\n"
