"""EXPORT OUT: asks a model that always says the same through the module of an export, and once more through VLMEvalKit's own classes."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

from absent import stand_in

export, out = sys.argv[1:]
os.environ["LMUData"] = export  # noqa: SIM112 - its name
stand_in("torchvision", "torchvision.io", "torchvision.transforms", "torchvision.transforms.functional", "torchvision.transforms.v2")

import vlmeval.config  # noqa: E402
from vlmeval.dataset import build_dataset  # noqa: E402

own = build_dataset("Isovist_choice")
assert type(own).__name__ == "CustomMCQDataset"
said = own.data.assign(prediction="B").drop(columns="image")
Path(out).mkdir(parents=True)
said.to_excel(f"{out}/plain_Isovist_choice.xlsx", index=False)
right = (said["answer"] == "B").mean()
assert float(own.evaluate(f"{out}/plain_Isovist_choice.xlsx", model="exact_matching")["Overall"][0]) == right
assert type(build_dataset("Isovist_open")).__name__ == "CustomVQADataset"

sent: list[list[dict[str, str]]] = []


class Same:
    is_api = True
    fail_msg = "Failed to obtain answer via API."

    def set_dump_image(self, dump: Any) -> None:
        del dump

    def generate(self, message: list[dict[str, str]], dataset: str | None = None) -> str:
        del dataset
        sent.append(message)
        return "I take B.\nAnswer: B"


vlmeval.config.supported_VLM["same"] = Same
sys.argv = ["run.py", "--data", "Isovist_choice", "Isovist_open", "--model", "same", "--judge", "exact_matching"]
sys.argv += ["--work-dir", f"{out}/run", "--api-nproc", "1"]
runpy.run_path(f"{export}/isovist_vlmevalkit.py", run_name="__main__")
inside = next(message for message in sent if message[0]["value"] == "Look at ")
assert [part["type"] for part in inside] == ["text", "image", "text", "image", "text"]
assert all(Path(part["value"]).is_file() for part in inside if part["type"] == "image")
print("loaded", len(sent))
