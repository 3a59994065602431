"""Steps of training that can stop at any moment: what a step does depends on its number alone, and a checkpoint is whole or absent."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cdr_finetuning.batches import Batch, loss, mixed
from cdr_finetuning.model import Tiny, parameters
from isovist.evaluation.models.embedded import network
from isovist.evaluation.models.embedded.tokenizer import Words

_WARM = 50
_DECAY = 0.01


def flop(model: Tiny, tokens: int) -> float:
    """The operations of training on tokens: six for each weight of the blocks (attention itself, the eye and the table of words, which
    are small beside them, are left out).
    """
    return 6.0 * parameters(model.blocks) * tokens


@dataclass
class Counts:
    """How far a run has come."""

    step: int = 0
    samples: int = 0
    tokens: int = 0
    seconds: float = 0.0
    marks: dict[str, float] = field(default_factory=dict[str, float])
    """What else has to be known to go on."""


class Run:
    """A model that learns, its optimizers, and its checkpoint in a folder."""

    def __init__(self, model: Tiny, rates: tuple[float, float], folder: Path, save_s: float) -> None:
        self.model, self.folder, self.counts = model, folder, Counts()
        self._save_s, self._saved = save_s, time.monotonic()
        matrices = [weight for name, weight in model.named_parameters() if _is_matrix(name)]
        others = [weight for name, weight in model.named_parameters() if not _is_matrix(name)]
        self._optimizers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(others, rates[0], betas=(0.9, 0.98), weight_decay=_DECAY),
            torch.optim.Muon(matrices, rates[1], weight_decay=_DECAY, adjust_lr_fn="match_rms_adamw"),
        ]
        self._rates = rates
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "checkpoint.pt"
        if self._path.exists():
            held = torch.load(self._path, map_location=next(model.parameters()).device, weights_only=True)
            model.load_state_dict(held["model"])
            for optimizer, state in zip(self._optimizers, held["optimizers"], strict=True):
                optimizer.load_state_dict(state)
            self.counts = Counts(**held["counts"])

    def step(self, given: Batch, share: float = 1.0) -> float:
        """One step at a share of the learning rates. Returns the loss."""
        start = time.monotonic()
        for optimizer, rate in zip(self._optimizers, self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * share * min(1.0, (self.counts.step + 1) / _WARM)
            optimizer.zero_grad()
        with mixed(given.tokens.device):
            surprise = loss(self.model, given)
        surprise.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self._optimizers:
            optimizer.step()
        found = surprise.item()
        self.counts.step += 1
        self.counts.samples += len(given.tokens)
        self.counts.tokens += given.read
        self.counts.seconds += time.monotonic() - start
        return found

    def look(self, pictures: Tensor, shown: Tensor, symbols: Tensor) -> float:
        """One step of the eye and the words alone: each patch (n, patches) is to look like the word for what it shows, by its place
        among `symbols`, the ids of those words.
        """
        start = time.monotonic()
        patches = self.model.last(self.model.eye(pictures.float() / 255))
        scores = patches @ self.model.words.weight[symbols].T * self.model.shape.width**-0.5
        surprise = F.cross_entropy(scores.flatten(0, 1), shown.flatten())
        optimizer = self._optimizers[0]
        for group in optimizer.param_groups:
            group["lr"] = self._rates[0]
        optimizer.zero_grad()
        surprise.backward()
        optimizer.step()
        self.counts.step += 1
        self.counts.samples += len(pictures)
        self.counts.seconds += time.monotonic() - start
        return surprise.item()

    def save(self, *, at_once: bool = False) -> None:
        """Writes the checkpoint, if the last one is old enough."""
        if not at_once and time.monotonic() - self._saved < self._save_s:
            return
        held = {
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "counts": {**vars(self.counts)},
        }
        beside = self._path.with_suffix(".new")
        torch.save(held, beside)
        beside.replace(self._path)
        self._saved = time.monotonic()


def _is_matrix(name: str) -> bool:
    return name.startswith("blocks.") and name.endswith((".ask.weight", ".told.weight", ".wide.weight", ".narrow.weight"))


def log(path: Path, row: Mapping[str, object]) -> None:
    """Adds a row to a CSV file. A row of a step that is there already (made again after a stop) takes its place, and later ones go."""
    rows: list[dict[str, object]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = [{**held} for held in csv.DictReader(file) if int(held["step"]) < int(str(row["step"]))]
    beside = path.with_suffix(".new")
    with beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerows([*rows, row])
    beside.replace(path)


def write(path: Path, words: Words, model: Tiny) -> None:
    """The weights as `embedded/PATH.npz` takes them."""
    arrays = {name: array.detach().float().cpu().numpy() for name, array in model.state_dict().items()}
    beside = path.with_suffix(".new")
    network.write(beside, words, model.shape.heads, arrays)
    beside.replace(path)


def read(path: Path, model: Tiny) -> None:
    """Takes weights over from a checkpoint. Words that the model knows beyond those of the checkpoint stay as they are."""
    held = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)["model"]
    known = held["words.weight"]
    held["words.weight"] = torch.cat([known, model.words.weight.detach()[len(known) :]])
    model.load_state_dict(held)
