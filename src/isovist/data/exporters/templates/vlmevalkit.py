"""Prompts and scorer of Isovist items for VLMEvalKit; responses are parsed by Isovist.

Run this file instead of `run.py` of VLMEvalKit, with the same arguments: it registers its class and then runs `run.py`. The package
`isovist` must be installed.
"""

# pyright: basic, reportMissingImports=false
# its base classes are from VLMEvalKit, which is not a dependency of Isovist
from __future__ import annotations

import json
import runpy
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
from vlmeval import dataset as datasets
from vlmeval.dataset.image_base import ImageBaseDataset
from vlmeval.smp import LMUDataRoot, load

from isovist.core.answers import from_json
from isovist.data.exporters.file_writers import pieces


class IsovistDataset(ImageBaseDataset):
    """The files Isovist_*.tsv of the data folder, with the prompts of Isovist and every image at its position in the text."""

    TYPE = "VQA"
    DEFAULT_JUDGE = "exact_matching"
    force_use_dataset_prompt = True

    @classmethod
    def supported_datasets(cls) -> list[str]:
        return sorted(path.stem for path in Path(LMUDataRoot()).glob("Isovist_*.tsv"))

    def load_data(self, dataset: str) -> Any:
        # read every cell as text: an option "3" stays "3", and "NA" is not empty
        return pd.read_csv(Path(LMUDataRoot()) / f"{dataset}.tsv", sep="\t", dtype=str, keep_default_na=False)

    def build_prompt(self, line: Any) -> list[dict[str, str]]:
        line = self.data.iloc[line] if isinstance(line, int) else line
        shown = iter(self.dump_image(line))
        return [
            {"type": "image", "value": next(shown)} if piece is None else {"type": "text", "value": piece}
            for piece in pieces(line["prompt"])
        ]

    def evaluate(self, eval_file: str, **judge_kwargs: Any) -> Any:
        """Return mean credit and proportion of unparsed responses by task and overall.

        The scores of all items are written to another file.
        """
        del judge_kwargs
        keys = dict(zip(self.data["index"], self.data["key"], strict=True))
        results = load(eval_file)
        results = results if isinstance(results, pd.DataFrame) else pd.DataFrame(results)
        verdicts: list[dict[str, Any]] = []
        for line in results.to_dict("records"):
            reply = "" if pd.isna(line["prediction"]) else str(line["prediction"])
            score = from_json(json.loads(keys[line["index"]])).score(reply)
            verdicts.append(
                {
                    "id": line["id"],
                    "task": line["task"],
                    "credit": score.credit,
                    "outcome": score.outcome,
                    "parsed_answer": score.parsed_answer,
                }
            )
        stem = Path(eval_file).with_suffix("")
        Path(f"{stem}_isovist.jsonl").write_text("".join(json.dumps(one) + "\n" for one in verdicts), encoding="utf-8")
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for one in verdicts:
            groups["Overall"].append(one)
            groups[one["task"]].append(one)
        table = pd.DataFrame(
            [
                {
                    "task": name,
                    "items": len(group),
                    "credit": sum(one["credit"] for one in group) / len(group),
                    "unparsed": sum(one["parsed_answer"] is None for one in group) / len(group),
                }
                for name, group in groups.items()
            ]
        )
        table.to_csv(f"{stem}_acc.csv", index=False)
        return table


def register() -> None:
    """Register the class with VLMEvalKit."""
    if IsovistDataset not in datasets.DATASET_CLASSES:
        datasets.DATASET_CLASSES.insert(0, IsovistDataset)


if __name__ == "__main__":
    register()
    if find_spec("vlmeval.run"):
        runpy.run_module("vlmeval.run", run_name="__main__")
    else:
        runpy.run_path("run.py", run_name="__main__")
