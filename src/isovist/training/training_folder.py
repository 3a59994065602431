"""The folder of a training run: what was asked for, checkpoints to go on from, log and curves, and in the end the model.

`settings.json` is written before the first step. A checkpoint counts once it holds the trainer's state, which is written last, so that
one which was being written when the machine stopped is never gone on from. The model moves to its place whole.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from isovist.atomic_write import write_atomically
from isovist.dataset.json_documents import document
from isovist.errors import UserError
from isovist.training.settings import Objective, Settings

SETTINGS, MODEL, CHECKPOINTS = "settings.json", "model", "checkpoints"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class DataFingerprint:
    """Examples that a run reads."""

    path: str
    digest: str
    """A hash of the folder's manifest, of which a copy lies in the run's folder."""
    examples: int
    """How many of them the run may see."""
    counts: dict[str, int]
    """How many the folder has of each source and kind."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """What a run came to."""

    steps: int
    seconds: float
    """Of the session that ended the run."""
    parameters: int
    trained: int
    """Parameters that changed."""
    device: str
    finished: str


@dataclass(frozen=True, slots=True)
class Training:
    """What stands in `settings.json`."""

    objective: Objective
    settings: Settings
    model: str
    """Where the weights came from, with the commit of one of the hub."""
    data: DataFingerprint
    check: DataFingerprint | None
    started: str
    versions: dict[str, str]
    outcome: TrainingOutcome | None = None
    isovist: str = ""
    format: int = FORMAT

    def differs(self, other: Training) -> list[str]:
        """The names of what would make it another run."""
        mine, theirs = _compared(self), _compared(other)
        return [name for name in mine | theirs if mine.get(name) != theirs.get(name)]


_MANNER = ("train.workers", "train.keep", "train.save_every")
"""Settings that change nothing of what a model learns."""


def _compared(training: Training) -> dict[str, object]:
    """What makes a run another one, by name; what is measured afterwards does not."""
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
        """Raises UserError if it is no training run, or one that this version cannot read."""
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
        """Takes the folder for a run, or up again for the same run. Raises UserError for one of another run, or of something else."""
        if self.exists():
            before = self.read()
            if differs := before.differs(training):
                raise UserError(f"{self.path}: holds a training run with another {' and '.join(differs)}; give another folder.")
            return before
        strangers = [path.name for path in self.path.iterdir() if path.name != ".lock"] if self.path.is_dir() else []
        if strangers:
            raise UserError(f"{self.path}: not empty and no training run (it holds {strangers[0]}); give an empty or a new folder.")
        self.path.mkdir(parents=True, exist_ok=True)
        self.write(training)
        return training

    def last(self) -> Path | None:
        """The last whole checkpoint; what is not whole is removed."""
        steps: list[int] = []
        for path in self.checkpoints.glob("checkpoint-*"):
            if _is_whole(path):
                steps.append(int(path.name.rpartition("-")[2]))
            else:
                shutil.rmtree(path)
        return self.checkpoints / f"checkpoint-{max(steps)}" if steps else None

    def place_model(self, save: Callable[[Path], object]) -> None:
        """Puts the model where it is looked for, whole or not at all."""
        hidden = self.path / f".{MODEL}"
        for old in (hidden, self.model):
            shutil.rmtree(old, ignore_errors=True)
        save(hidden)
        hidden.replace(self.model)


def _is_whole(checkpoint: Path) -> bool:
    """Whether the trainer's state, which it writes last, can be read."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_bytes())
    except (OSError, ValueError):
        return False
    return True


def trained_model_info(model: Path) -> dict[str, int] | None:
    """Of the model of a training run, how many examples of each source and kind its data hold; None for another folder."""
    folder = TrainingFolder(model.parent)
    return folder.read().data.counts if model.name == MODEL and folder.exists() else None
