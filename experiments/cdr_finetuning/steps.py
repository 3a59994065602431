"""Which steps of its chains of thought an arm gets right, by the verifier that judges the chains of items (`Task.reasoning`).

A chain of the target has five lines: the cells of the two letters, the direction between them in the picture, what each direction of
the picture is on the compass, the direction on the compass, and the option. An answer is right only if the last line is; the lines
before it tell how far a model has come.
"""

from __future__ import annotations

import csv
from pathlib import Path

import torch

import isovist
from cdr_finetuning import training
from cdr_finetuning.arms import Arm, Food, said
from cdr_finetuning.schooling import tiny
from cdr_finetuning.settings import Settings
from cdr_finetuning.shelf import Shelf

STEPS = ("places", "relation", "compass", "wind", "option")


def steps(settings: Settings, given: Food, held_out: Shelf, which: Arm, folder: Path, device: torch.device) -> None:
    """Asks a finished arm the held-out items once more and writes `steps.csv`: the share of replies in which each line holds."""
    path = folder / "steps.csv"
    if path.exists():
        return
    model = tiny(settings, given.words, device)
    training.read(folder / "checkpoint.pt", model)
    replies = said(model, given.words, held_out, which, settings.reply)
    held = [holds(text.id, reply) for text, reply in zip(held_out.texts, replies, strict=True)]
    shares = [round(sum(column) / len(column), 4) for column in zip(*held, strict=True)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([("n", *STEPS), (len(held), *shares)])


def holds(id: str, reply: str) -> tuple[bool, ...]:
    """For each step of an item's chain, whether the line of a reply that stands there holds. In a reply of more or fewer lines none does."""
    item = isovist.item(id)
    lines = reply.split("\n")
    wrong = item.task.reasoning.verify(item.scene, reply)
    return tuple(
        len(lines) == len(STEPS) and not any(f"'{line}'" in problem for problem in wrong) for line in (*lines, *STEPS)[: len(STEPS)]
    )
