"""Data to export: selected items of a dataset folder or the examples of a mixture, read one at a time in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os.path import lexists
from pathlib import Path
from typing import Literal

from isovist.common.errors import UserError
from isovist.data.dataset import mixture
from isovist.data.dataset.load import chosen, load
from isovist.data.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.data.dataset.mixture import MIX, Mix
from isovist.data.dataset.rows import ItemRow, Unusable
from isovist.data.dataset.training_examples import Kind, TrainingExample, of_row
from isovist.data.prompts import style_of_text

Kinds = Literal["answer", "reasoning", "both"]
_OF: dict[Kinds, tuple[Kind, ...]] = {"answer": ("answer",), "reasoning": ("reasoning",), "both": ("answer", "reasoning")}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Selection and presentation of the exported items. None: the default."""

    tasks: tuple[str, ...] = ()
    split: str | None = None
    n: int | None = None
    """Maximum number of items per task."""
    kind: Kinds | None = None
    style: str | None = None


def is_mix(folder: Path) -> bool:
    """Whether a folder holds a mixture. Raises UserError if it holds neither a mixture nor a dataset."""
    if lexists(folder / MIX):
        return True
    if not lexists(folder / MANIFEST):
        fault = "neither a data folder" if folder.is_dir() else "no such folder" if not folder.exists() else "a file, not a folder"
        raise UserError(f"{folder}: {fault} with {MANIFEST} nor a mix with {MIX}." if folder.is_dir() else f"{folder}: {fault}.")
    return False


@dataclass(slots=True)
class Items:
    """Items of a dataset folder."""

    folder: Path
    parts: Sequence[DataPart]
    n: int | None
    style: str | None
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Items that cannot be exported, by reason."""

    @staticmethod
    def of(folder: Path, wanted: ExportRequest, split: str) -> Items:
        """Return the selected items, of the split `split` unless another is requested. Raises UserError if there are none."""
        manifest = Manifest.read(folder)
        parts = [part for part in chosen(folder, manifest, wanted.tasks, wanted.split or split) if part.n]
        if not parts:
            splits = sorted({part.split for part in manifest.parts})
            words = " and ".join(splits) or "no"
            other = f"; --split {splits[0]} exports those" if splits and wanted.split is None else ""
            raise UserError(f"{folder}: has no {wanted.split or split} items to export, but {words} ones{other}.")
        return Items(folder, parts, wanted.n, wanted.style)

    def __len__(self) -> int:
        return sum(part.n if self.n is None else min(self.n, part.n) for part in self.parts)

    @property
    def splits(self) -> set[str]:
        return {part.split for part in self.parts}

    def of_part(self, part: DataPart) -> Items:
        """Return the items of one part."""
        return replace(self, parts=[part])

    def rows(self, progress: Callable[[], object] = lambda: None, *, pictures: bool = True) -> Iterator[ItemRow]:
        """Yield the rows and call `progress` for each. Raises UserError for an unreadable row or one without question or key."""
        for row in load(self.folder, self.parts, self.n, pictures=pictures):
            progress()
            yield row

    def prompt(self, row: ItemRow) -> str:
        """Return the prompt of an item."""
        return row.prompt_in_style(self.style)

    def examples(self, kind: Kinds | None) -> Iterator[TrainingExample]:
        """Yield the training examples of the items, one for each kind.

        Without a kind, the prompt has the style of the data and no response; this is the form for rewards.
        """
        for row in self.rows():
            for one in _OF[kind or "answer"]:
                if one == "reasoning" and row.metadata.reasoning is None:
                    self.skipped["examples without a chain of thought (their tasks have none)"] += 1
                    continue
                style = self.style or (row.metadata.style if kind is None else None)
                try:
                    yield of_row(row, one, style)
                except UserError:
                    raise
                except ValueError as error:
                    raise Unusable(row, str(error)) from error


@dataclass(slots=True)
class Mixed:
    """The examples of a training mixture."""

    folder: Path
    mix: Mix
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Examples that cannot be exported, by reason."""

    @staticmethod
    def of(folder: Path, wanted: ExportRequest) -> Mixed:
        """Raises UserError if a selection is requested: the content of a mixture is fixed when it is built."""
        options = {"tasks": wanted.tasks, "split": wanted.split, "n": wanted.n, "target": wanted.kind, "prompt-style": wanted.style}
        for name, value in options.items():
            if value:
                raise UserError(f"--{name} is for dataset folders, not for a training mixture: {folder}. Build another mixture.")
        return Mixed(folder, Mix.read(folder))

    def __len__(self) -> int:
        return len(self.mix)

    def examples(self) -> Iterator[TrainingExample]:
        """Yield the examples in training order. Raises UserError for an unreadable example."""
        return mixture.read_examples(self.folder)


def style_of(example: TrainingExample) -> str:
    """Return the prompt style of an example with a key, from which a reward derives the response format; "" for an unknown style."""
    key, text = example.answer, example.asked[-1].content
    return style_of_text(text, key) if key else ""
