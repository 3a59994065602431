"""Export a dataset folder or a training mixture for another tool. The output folder is either complete or absent."""

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

from isovist.common import canary
from isovist.common.errors import UserError
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.dataset.mixture import MIX
from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.export_source import ExportRequest, Items, Mixed, is_mix
from isovist.data.exporters.formats import FORMATS, USE, Format
from isovist.data.importers.pipeline import Progress, atomic_folder, check_new

CARD = "DATA-CARD.md"
DESCRIPTION = "isovist-export.json"


@dataclass(slots=True)
class ExportSummary:
    """The result of an export."""

    skipped: Counter[str]
    """Skipped examples or items by reason."""
    count: int = 0
    """Number of exported examples or items."""
    warnings: list[str] = field(default_factory=list[str])


def export(
    folder: Path, to: str, out: Path, wanted: ExportRequest, *, start: Callable[[int], Progress] = lambda total: lambda: None
) -> ExportSummary:
    """Write the folder `out`, which must be new or empty, for the tool `to`.

    `start` is called with the number of items and returns the function that is called for each item. Raises UserError if nothing can
    be exported; then nothing is written.
    """
    target = FORMATS[to]
    check_new(out)
    if out.absolute().is_relative_to(folder.absolute()):
        raise UserError(f"Output folder is inside the data folder: {out}. Choose an --out folder outside {folder}.")
    mixed = is_mix(folder)
    if mixed and target.takes == "rows":
        raise UserError(f"{target.name} exports test items, not a training mixture: {folder}. Give a dataset folder of `isovist generate`.")
    if wanted.kind and target.takes != "examples":
        raise UserError(f"{target.name} has no responses to train on: --target {wanted.kind}. Choose the prompts with --prompt-style.")
    split = "test" if target.takes == "rows" else "train"
    source = Mixed.of(folder, wanted) if mixed else Items.of(folder, wanted, split=split)
    summary = ExportSummary(source.skipped, warnings=[target.warning] if target.warning else [])
    if target.takes != "rows" and isinstance(source, Items) and "test" in source.splits:
        summary.warnings.append("These are test items. A model that is trained on them cannot be evaluated on them.")
    progress = start(len(source))

    def counted() -> None:
        summary.count += 1
        progress()

    module = import_module(f"isovist.data.exporters.{target.module}")
    write = getattr(module, f"export_{to.replace('-', '_')}")
    with atomic_folder(out) as new:
        if target.takes == "rows":
            summary.warnings += write(source, new, counted)
            summary.count -= source.skipped.total()
        else:
            write(_examples(source, target, wanted, counted, summary), new)
        if not summary.count:
            reasons = ", ".join(f"{count} {reason}" for reason, count in source.skipped.items()) or "there is none"
            raise UserError(f"Nothing to export as {to} ({reasons}): {folder}. Choose another --format or other data.")
        is_test = isinstance(source, Items) and any(map(canary.is_test, source.splits))
        _describe(new, folder, out, target, module, summary, is_test=is_test)
    return summary


def _examples(
    source: Items | Mixed, target: Format, wanted: ExportRequest, counted: Progress, summary: ExportSummary
) -> Iterator[TrainingExample]:
    kind = None if target.takes == "judged" else wanted.kind or "answer"
    several = 0
    for example in source.examples() if isinstance(source, Mixed) else source.examples(kind):
        if target.takes == "judged" and not example.key:
            source.skipped["examples without a key (external data have none)"] += 1
            continue
        several += len(example.images) > 1
        counted()
        yield example
    if several and target.name == "llava":
        summary.warnings.append(f"{several} of the examples have several images.")


def _describe(new: Path, folder: Path, out: Path, target: Format, module: ModuleType, summary: ExportSummary, *, is_test: bool) -> None:
    """Write the description and usage of the export, and copy the card and attribution of the data."""
    description = {
        "format": 1,
        "isovist": version("isovist"),
        "to": target.name,
        "source": MIX if (folder / MIX).is_file() else MANIFEST,
        "count": summary.count,
        "skipped": dict(summary.skipped),
    }
    if is_test:
        description[canary.NAME] = canary.NOTICE
    (new / DESCRIPTION).write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    card = (folder / "README.md").is_file()
    if card:
        shutil.copyfile(folder / "README.md", new / CARD)
    files = sorted(path.name for path in new.glob("train-*.parquet"))
    use = USE[target.name]
    for name, value in (("{out}", out.name), ("{first}", files[0] if files else "")):
        use = use.replace(name, value)
    if target.name == "evalscope":
        subsets = module.usage(new)
        args = {kind: {"local_path": f"{out.name}/{kind}", "subset_list": names} for kind, names in subsets.items()}
        use = use.replace("{datasets}", repr(list(subsets))).replace("{args}", repr(args))
    head = _HEAD_OF_HF if target.name == "hf" or target.name.startswith("trl-") else ""
    noun = "items" if target.takes == "rows" else "examples"
    lines = [f"# For {target.tool}", f"{summary.count} {noun}, written by `isovist export` {version('isovist')}: {target.summary}."]
    lines += [f"Skipped: {count} {reason}." for reason, count in summary.skipped.items()]
    lines += [f"Note: {words}" for words in summary.warnings]
    if is_test:
        lines.append(f"Canary: `{canary.NOTICE}`. Remove what holds it from training data.")
    lines += ["## Use", use]
    if card:
        lines += ["## Data, licence and attribution", f"[{CARD}]({CARD}) is the card of the exported data."]
    (new / "README.md").write_text(head + "\n\n".join(lines) + "\n", encoding="utf-8")


_HEAD_OF_HF = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: train-*.parquet
---

"""
