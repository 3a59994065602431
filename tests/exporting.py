"""Data folders and a mix of a few items, small and quick to make, with pictures that the words place, for tests of exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from workbench import done, parquet, spoil, stored

from isovist.core.answers import from_json
from isovist.data import prompts
from isovist.data.dataset.mixture import Mix, file_names
from isovist.data.dataset.training_examples import ChatMessage, TrainingExample, of_row, table

LETTERS, NUMBERS, COUNT = "cdr/relative-compass-letter", "cdr/object-classification-number", "perceptv/counting-circles"
"""A choice with a chain of thought; one whose options are numbers, here with two pictures inside of its words; and a count."""
N = 4
BETWEEN = "Look at <image> and then at <image>, the second one. "


def generated(folder: Path, split: str) -> Path:
    done("generate", LETTERS, NUMBERS, COUNT, "--n", N, "--split", split, "--workers", 1, "--out", folder)
    spoil(parquet(folder, NUMBERS, split), _placed)
    spoil(parquet(folder, COUNT, split), _unexplained)
    return folder


def _unexplained(rows: list[dict[str, Any]]) -> None:
    """Takes the chains of thought away, as of a task that has none."""
    for row in rows:
        metadata = json.loads(row["metadata"])
        del metadata["reasoning"]
        row["metadata"] = json.dumps(metadata)


def _placed(rows: list[dict[str, Any]]) -> None:
    """Gives each row a second picture, and places both inside of its words."""
    shown = [row["images"][0] for row in rows]
    for i, row in enumerate(rows):
        metadata = json.loads(row["metadata"])
        metadata["question"] = BETWEEN + metadata["question"]
        row["images"] = [shown[i], shown[(i + 1) % len(shown)]]
        row["metadata"] = json.dumps(metadata)
        row["prompt"] = prompts.prompt(metadata["question"], from_json(metadata["answer"]), 2, metadata["style"])


def mixed(folder: Path, data: Path) -> Path:
    """A mix: every item of a data folder, chains of thought, and general data of several turns, with and without a picture."""
    rows = stored(data)
    general = (
        TrainingExample(
            "talk/0",
            "general",
            "talk",
            "",
            (rows[0].images[0],),
            (
                ChatMessage("system", "Be brief."),
                ChatMessage("user", "<image>\nWhat is this?"),
                ChatMessage("assistant", "A picture."),
                ChatMessage("user", "Of what?"),
                ChatMessage("assistant", 'Of letters, said "loudly".'),
            ),
        ),
        TrainingExample("talk/1", "general", "talk", "", (), (ChatMessage("user", "Hello?"), ChatMessage("assistant", "Hello."))),
    )
    examples = [*map(of_row, rows), *(of_row(row, "reasoning") for row in rows if row.metadata.reasoning), *general]
    folder.mkdir()
    (name,) = file_names(1)
    pq.write_table(table(examples), folder / name)
    Mix({}, {"all": len(examples)}, {name: ""}).write(folder)
    return folder


def made(folder: Path, data: Path, to: str, *more: object) -> Path:
    """An export."""
    done("export", data, "--format", to, "--out", folder, *more)
    return folder
