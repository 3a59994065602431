"""What is exported: the chosen items of a data folder, or the examples of a mix, read one by one in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from isovist.dataset import mixture
from isovist.dataset.load import chosen, load
from isovist.dataset.manifest import MANIFEST, DataPart, Manifest
from isovist.dataset.mixture import MIX, Mix
from isovist.dataset.rows import ItemRow, Unusable
from isovist.dataset.training_examples import Kind, TrainingExample, of_row
from isovist.errors import UserError
from isovist.prompts import STYLES

Kinds = Literal["answer", "reasoning", "both"]
_OF: dict[Kinds, tuple[Kind, ...]] = {"answer": ("answer",), "reasoning": ("reasoning",), "both": ("answer", "reasoning")}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What of a folder is exported, and how it is asked; None stands for what is usual."""

    tasks: tuple[str, ...] = ()
    split: str | None = None
    n: int | None = None
    """At most so many items of each task."""
    kind: Kinds | None = None
    style: str | None = None


def is_mix(folder: Path) -> bool:
    """Whether a folder holds a mix. Raises UserError if it holds neither a mix nor a data set."""
    if (folder / MIX).is_file():
        return True
    if not (folder / MANIFEST).is_file():
        fault = "neither a data folder" if folder.is_dir() else "no such folder" if not folder.exists() else "a file, not a folder"
        raise UserError(f"{folder}: {fault} with {MANIFEST} nor a mix with {MIX}." if folder.is_dir() else f"{folder}: {fault}.")
    return False


@dataclass(slots=True)
class Items:
    """Items of a data folder."""

    folder: Path
    parts: Sequence[DataPart]
    n: int | None
    style: str | None
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Those that cannot be exported, by the reason."""

    @staticmethod
    def of(folder: Path, wanted: ExportRequest, split: str) -> Items:
        """Those that are wanted, of a split that is usual unless another is named. Raises UserError if there are none."""
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
        """Those of one part."""
        return replace(self, parts=[part])

    def rows(self, progress: Callable[[], object] = lambda: None, *, pictures: bool = True) -> Iterator[ItemRow]:
        """Calls `progress` for each. Raises UserError for a row that cannot be read, or that holds no question or key."""
        for row in load(self.folder, self.parts, self.n, pictures=pictures):
            progress()
            yield row

    def prompt(self, row: ItemRow) -> str:
        """The words in which an item is asked."""
        return row.prompt_in_style(self.style)

    def examples(self, kind: Kinds | None) -> Iterator[TrainingExample]:
        """The examples of the items, each of every kind.

        Without a kind, the items are asked in the style of the data, which is for rewards: nothing is learnt from a reply.
        """
        for row in self.rows():
            for one in _OF[kind or "answer"]:
                if one == "reasoning" and row.metadata.reasoning is None:
                    self.skipped["examples without a chain of thought (their tasks have none)"] += 1
                    continue
                style = self.style or (row.metadata.style if kind is None else None)
                try:
                    yield of_row(row, one, style)
                except ValueError as error:
                    raise Unusable(row, str(error)) from error


@dataclass(slots=True)
class Mixed:
    """The examples of a mix."""

    folder: Path
    mix: Mix
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Those that cannot be exported, by the reason."""

    @staticmethod
    def of(folder: Path, wanted: ExportRequest) -> Mixed:
        """Raises UserError if only some of the mix is wanted: what is in it was settled when it was made."""
        options = {"tasks": wanted.tasks, "split": wanted.split, "n": wanted.n, "target": wanted.kind, "prompt-style": wanted.style}
        for name, value in options.items():
            if value:
                raise UserError(f"{folder}: a mix, which is exported whole; --{name} is for data folders. Make another mix instead.")
        return Mixed(folder, Mix.read(folder))

    def __len__(self) -> int:
        return len(self.mix)

    def examples(self) -> Iterator[TrainingExample]:
        """In the order of training. Raises UserError for an example that cannot be read."""
        return mixture.read_examples(self.folder)


def style_of(one: TrainingExample) -> str:
    """The style in which an example with a key is asked, by which a reward knows the form that a reply should have; empty for none of ours."""
    key, words = one.answer, one.asked[-1].content
    return next((name for name, style in STYLES.items() if key and words.endswith(style.closing.format(form=key.format_instruction()))), "")
