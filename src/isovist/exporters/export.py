"""From a data folder or a mix to a folder that another tool loads: all of it is there at the end, or nothing."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from isovist.dataset.manifest import MANIFEST
from isovist.dataset.mixture import MIX
from isovist.dataset.training_examples import TrainingExample
from isovist.errors import UserError
from isovist.exporters.export_source import ExportRequest, Items, Kinds, Mixed, is_mix
from isovist.exporters.formats import FORMATS, Format
from isovist.importers.importer import aside, check_new

CARD = "DATA-CARD.md"
TOLD = "isovist-export.json"

Progress = Callable[[], object]


@dataclass(slots=True)
class ExportSummary:
    """What came of an export."""

    count: int = 0
    """Examples, or items, that were written."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Those that were not, by the reason."""
    warnings: list[str] = field(default_factory=list[str])


def export(
    folder: Path, to: str, out: Path, wanted: ExportRequest, *, start: Callable[[int], Progress] = lambda total: lambda: None
) -> ExportSummary:
    """Writes the folder `out`, which must be new or empty, for the tool `to`.

    `start` is told how many items there are, and gives what is called for each. Raises UserError if nothing can be exported; then
    nothing has been written.
    """
    target = FORMATS[to]
    check_new(out)
    if out.absolute().is_relative_to(folder.absolute()):
        raise UserError(f"{out}: lies inside of {folder}; give a folder beside it for --out.")
    mixed = is_mix(folder)
    _refuse(folder, target, wanted, mixed=mixed)
    done = ExportSummary(warnings=[target.warning] if target.warning else [])
    module = import_module(f"isovist.exporters.{target.module}")
    if mixed:
        source = Mixed.of(folder, wanted)
    else:
        source = Items.of(folder, wanted, split="test" if target.takes == "rows" else "train")
        if target.takes != "rows" and "test" in source.splits:
            done.warnings.append("these are test items: a model that learns from them can no longer be tested on them.")
    counted = _Counted(start(len(source)), done)
    with aside(out) as new:
        if target.takes == "rows":
            assert isinstance(source, Items)  # noqa: S101 - a mix was refused
            done.warnings += module.write(source, new, done.left_out, counted)
            done.count -= done.left_out.total()
        else:
            kind = None if target.takes == "judged" else wanted.kind or "answer"
            module.write(_examples(source, target, kind, counted, done), new, to)
        if not done.count:
            reasons = ", ".join(f"{count} {reason}" for reason, count in done.left_out.items()) or "there is none"
            raise UserError(f"{folder}: nothing to export as {to} ({reasons}).")
        _describe(new, folder, out, target, module, done)
    return done


class _Counted:
    """Counts what is written, and shows it."""

    def __init__(self, progress: Progress, done: ExportSummary) -> None:
        self._progress, self._done = progress, done

    def __call__(self) -> None:
        self._done.count += 1
        self._progress()


def _refuse(folder: Path, target: Format, wanted: ExportRequest, *, mixed: bool) -> None:
    """Raises UserError for what cannot be: an evaluation of a mix, kinds of examples where there are none."""
    if mixed and target.takes == "rows":
        raise UserError(f"{folder}: a mix of training examples; {target.name} is for tests, so give a data folder of `isovist generate`.")
    if wanted.kind and target.takes != "examples":
        raise UserError(
            f"--target {wanted.kind}: {target.name} holds no replies to learn from; --prompt-style says how the items are asked."
        )


def _examples(
    source: Items | Mixed, target: Format, kind: Kinds | None, counted: Progress, done: ExportSummary
) -> Iterator[TrainingExample]:
    several = 0
    for one in source.examples() if isinstance(source, Mixed) else source.examples(kind, done.left_out):
        if target.takes == "judged" and not one.key:
            done.left_out["without a key (general data), which no reward can judge"] += 1
            continue
        several += len(one.images) > 1
        counted()
        yield one
    if several and target.name == "llava":
        done.warnings.append(f"{several} of the examples have several pictures.")


def _describe(new: Path, folder: Path, out: Path, target: Format, module: ModuleType, done: ExportSummary) -> None:
    """Writes what the folder is and how it is used, and takes the card of the data along, with all who have to be named."""
    description = {
        "format": 1,
        "isovist": version("isovist"),
        "to": target.name,
        "source": MIX if (folder / MIX).is_file() else MANIFEST,
        "count": done.count,
        "left_out": dict(done.left_out),
    }
    (new / TOLD).write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    card = (folder / "README.md").is_file()
    if card:
        shutil.copyfile(folder / "README.md", new / CARD)
    files = sorted(path.name for path in new.glob("train-*.parquet"))
    use: str = module.USE
    for name, value in (("{out}", out.name), ("{first}", files[0] if files else "")):
        use = use.replace(name, value)
    if target.name == "evalscope":
        subsets = module.usage(new)
        args = {kind: {"local_path": f"{out.name}/{kind}", "subset_list": names} for kind, names in subsets.items()}
        use = use.replace("{datasets}", repr(list(subsets))).replace("{args}", repr(args))
    head = _HEAD_OF_HF if target.name == "hf" or target.module == "trl" else ""
    noun = "items" if target.takes == "rows" else "examples"
    lines = [f"# For {target.tool}", f"{done.count} {noun}, written by `isovist export` {version('isovist')}: {target.summary}."]
    lines += [f"Left out: {count} {reason}." for reason, count in done.left_out.items()]
    lines += [f"Note: {words}" for words in done.warnings]
    lines += ["## Use", use]
    if card:
        lines += ["## Data, licence and attribution", f"[{CARD}]({CARD}) is the card of the data from which this was made."]
    (new / "README.md").write_text(head + "\n\n".join(lines) + "\n", encoding="utf-8")


_HEAD_OF_HF = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: train-*.parquet
---

"""
