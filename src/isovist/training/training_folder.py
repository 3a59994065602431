"""The folder of a training run: settings, checkpoints, log, curves, and finally the model.

`settings.json` is written before the first step. A checkpoint is valid if it holds the trainer state, which is written last, so
an incomplete checkpoint is never resumed. The model is moved to its final place when it is complete.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.dataset.json_documents import document
from isovist.training.settings import Objective, Settings

SETTINGS, MODEL, CHECKPOINTS = "settings.json", "model", "checkpoints"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class DataFingerprint:
    """The identity of the training or validation examples."""

    path: str
    digest: str
    """A hash of the folder's manifest, of which a copy is in the run folder."""
    examples: int
    """Number of examples used."""
    counts: dict[str, int]
    """Number of examples in the folder by source and kind."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """The outcome of a run."""

    steps: int
    seconds: float
    """Duration of the last session in seconds."""
    parameters: int
    trained: int
    """Number of trained parameters."""
    device: str
    finished: str


@dataclass(frozen=True, slots=True)
class Training:
    """The content of `settings.json`."""

    objective: Objective
    settings: Settings
    model: str
    """Origin of the weights, with the commit for a Hugging Face model."""
    data: DataFingerprint
    check: DataFingerprint | None
    started: str
    versions: dict[str, str]
    outcome: TrainingOutcome | None = None
    isovist: str = ""
    format: int = FORMAT

    def differs(self, other: Training) -> list[str]:
        """Return the names of the differences that make `other` another run."""
        mine, theirs = _compared(self), _compared(other)
        return [name for name in mine | theirs if mine.get(name) != theirs.get(name)]


_MANNER = ("train.workers", "train.keep", "train.save_every")
"""Settings without effect on the trained model."""


def _compared(training: Training) -> dict[str, object]:
    """Return the identifying settings of a run by name, without measurements."""
    tables: dict[str, dict[str, object] | None] = asdict(replace(training.settings, evaluate=None))
    settings = {f"{table}.{name}": value for table, values in tables.items() for name, value in (values or {}).items()}
    kept = {name: value for name, value in settings.items() if name not in _MANNER}
    digests = {"the content of data": training.data.digest, "the content of check.data": training.check and training.check.digest}
    return {"objective": training.objective, "model": training.model, **kept, **digests}


class TrainingFolder:
    """A training run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = path / MODEL
        self.checkpoints = path / CHECKPOINTS

    def exists(self) -> bool:
        return (self.path / SETTINGS).is_file()

    def read(self) -> Training:
        """Raises UserError if the folder is not a training run or has an unsupported format."""
        return document(
            Training,
            self.path / SETTINGS,
            FORMAT,
            content="a training run",
            missing=f"no training run ({SETTINGS} is missing); `isovist train sft` makes one",
        )

    def write(self, training: Training) -> None:
        write_atomically(self.path / SETTINGS, json.dumps(asdict(training), indent=1, ensure_ascii=False) + "\n")

    def claim(self, training: Training) -> Training:
        """Start a run in the folder, or resume the same run. Raises UserError if the folder holds another run or other files."""
        if self.exists():
            before = self.read()
            if differs := before.differs(training):
                raise UserError(f"Training run with another {' and '.join(differs)}: {self.path}. Choose another folder.")
            return before
        strangers = [path.name for path in self.path.iterdir() if path.name != ".lock"] if self.path.is_dir() else []
        if strangers:
            raise UserError(f"{self.path}: not empty and no training run (it holds {strangers[0]}); give an empty or a new folder.")
        self.path.mkdir(parents=True, exist_ok=True)
        self.write(training)
        return training

    def last(self) -> Path | None:
        """Return the last complete checkpoint; incomplete ones are removed."""
        steps: list[int] = []
        for path in self.checkpoints.glob("checkpoint-*"):
            if _is_whole(path):
                steps.append(int(path.name.rpartition("-")[2]))
            else:
                shutil.rmtree(path)
        return self.checkpoints / f"checkpoint-{max(steps)}" if steps else None

    def place_model(self, save: Callable[[Path], object]) -> None:
        """Save the model to its final place, completely or not at all."""
        hidden = self.path / f".{MODEL}"
        for old in (hidden, self.model):
            shutil.rmtree(old, ignore_errors=True)
        save(hidden)
        hidden.replace(self.model)


def _is_whole(checkpoint: Path) -> bool:
    """Whether the trainer state, which is written last, is readable."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_bytes())
    except (OSError, ValueError):
        return False
    return True


def trained_model_info(model: Path) -> dict[str, int] | None:
    """Return, for the model of a training run, the number of training examples by source and kind; None for another folder."""
    folder = TrainingFolder(model.parent)
    return folder.read().data.counts if model.name == MODEL and folder.exists() else None
