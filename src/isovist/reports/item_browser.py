"""The page on which every item of some runs can be looked at: items.html, with its data and pictures in the folder items/.

It opens from a disk, without a server: data are scripts that call a function, in pieces that are loaded when they are shown, and
pictures are files named by their content, so that what several items or runs show is there once.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from isovist.analysis.collect import RunResults
from isovist.analysis.scored_item import scored_item
from isovist.analysis.variants import answer_text, in_words, words
from isovist.atomic_write import write_atomically
from isovist.core.answers import LETTERS, Choice
from isovist.dataset.rows import ItemRow
from isovist.render.image_encoding import media_type
from isovist.reports.html import resource
from isovist.reports.report_folder import ReportFolder
from isovist.run.captions import read as captions
from isovist.run.records import AttemptRecord, TrialResult, scored
from isovist.run.run_folder import RunFolder
from isovist.run.variants import STANDARD, Trial, family, trials

PAGE, FOLDER = "items.html", "items"
LIGHT = 200_000_000
"""Bytes of data up to which the page is written unasked: it holds a copy of every picture."""
_LISTED = 20_000  # items of a file of the list
_TOLD = 400  # items of a file of texts
_HEAVY = 400_000  # or so many characters
_LONGEST = 12_000  # characters of a reply that are kept, from both of its ends
_SHORT = 120  # characters of a key or an answer in the list
_FACETS = ("run", "task", "level", "asked", "outcome", "key", "answer", "error")
_COLUMNS = (*_FACETS, "variant")
_PLAIN = "as it is"
_PENDING = ".items.partial"


def weight(folders: Sequence[Path]) -> int:
    """The bytes of the data files behind some runs, each once: about those of their pictures."""
    sizes: dict[Path, int] = {}
    for path in folders:
        folder = RunFolder(path)
        info = folder.info()
        data = folder.data(info)
        for part in folder.parts(info):
            sizes |= {(data / name).resolve(): (data / name).stat().st_size for name in part.files()}
    return sum(sizes.values())


def write(
    folders: Sequence[Path], runs: Sequence[RunResults], report: ReportFolder, ticked: Callable[[], object] = lambda: None
) -> set[str]:
    """Writes the page and its folder into that of the report; the paths of its files. `ticked` is called for each item.

    What was there before stays until all is written. Raises UserError for data or records that cannot be read.
    """
    out = report.path
    pending = out / _PENDING
    shutil.rmtree(pending, ignore_errors=True)
    pending.mkdir(parents=True)
    try:
        browser = _Browser(pending)
        for path, run in zip(folders, runs, strict=True):
            folder = RunFolder(path)
            for entry in _asked(folder, run):
                browser.add(entry)
                if entry.asked.variant == STANDARD:
                    ticked()
        browser.close()
        for name in ("page.css", "page.js"):
            (pending / name).write_text(resource(f"item_browser{Path(name).suffix}"), encoding="utf-8")
        names = {f"{FOLDER}/{path.relative_to(pending).as_posix()}" for path in pending.rglob("*") if path.is_file()} | {PAGE}
        report.claim(names)
        shutil.rmtree(out / FOLDER, ignore_errors=True)  # it was looked through for files of others
        pending.rename(out / FOLDER)
    finally:
        shutil.rmtree(pending, ignore_errors=True)
    write_atomically(out / PAGE, resource("item_browser.html"))
    return names


@dataclass(frozen=True, slots=True)
class _Told:
    """One item as it was asked, in one variant, with what came of it; without a verdict if it was not."""

    run: str
    asked: Trial
    verdict: TrialResult | None
    record: AttemptRecord | None
    notes: Sequence[str]

    @property
    def row(self) -> ItemRow:
        return self.asked.row

    @property
    def key(self) -> str:
        """By what it says: for a choice the text of the option, as letters change places."""
        return self.row.key.balance_bin() if isinstance(self.row.key, Choice) else self.row.key.canonical()

    @property
    def choices(self) -> Sequence[str]:
        """The options in the order in which they were shown."""
        key = self.asked.key
        return self.row.choices if key is self.row.key or not isinstance(key, Choice) else key.options

    @property
    def parsed(self) -> str | None:
        """What was read; where options were turned, the letter that the chosen one has in the item as it is."""
        return answer_text(self.row.key, self.asked.variant, self.verdict)

    @property
    def answer(self) -> str | None:
        parsed = self.parsed
        if parsed is None or not isinstance(self.row.key, Choice):
            return parsed
        return dict(zip(LETTERS, self.row.key.options, strict=False)).get(parsed, parsed)

    @property
    def error(self) -> str | None:
        return scored_item(self.row, replace(self.verdict, parsed=self.parsed)).chosen_distractor_type if self.verdict else None


def _asked(folder: RunFolder, run: RunResults) -> Iterator[_Told]:
    """Item by item: as it is, then in its variants."""
    info, notes = run.info, _notes(folder)
    for trial in trials(folder.rows(info), info.variants, info.style):
        asked = replace(trial, prompt=trial.row.prompt_in_style(None)) if info.source_tool else trial
        verdict = run.reading.verdicts.get(asked.trial_id)
        record = scored(folder.records, verdict) if verdict else None
        yield _Told(run.name, asked, verdict, record, notes.get(asked.trial_id, ()))


def _notes(folder: RunFolder) -> Mapping[tuple[str, str], Sequence[str]]:
    """What the model wrote about each picture of an item, in each variant, before it was asked, where it saw them one at a time."""
    notes: dict[tuple[str, str], list[str]] = {}
    for caption in captions(folder.captions):
        texts = notes.setdefault((caption.item_id, caption.variant), [])
        del texts[caption.picture - 1 :]  # of a picture that was described again, the last counts
        texts.append(_shortened(caption.reply))
    return notes


@dataclass(slots=True)
class _Browser:
    """Writes the folder, item by item, in bounded memory but for the words of keys and answers."""

    folder: Path
    n: int = 0
    values: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in _COLUMNS})
    columns: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in _COLUMNS})
    ids: list[str] = field(default_factory=list[str])
    lists: int = 0
    texts: list[str] = field(default_factory=list[str])
    """The items that wait to be written, as JSON."""
    starts: list[int] = field(default_factory=list[int])
    """The first item of each file of texts."""
    pictures: set[str] = field(default_factory=set[str])

    def add(self, entry: _Told) -> None:
        row, record = entry.row, entry.record
        outcome = record.outcome if record else "not asked"
        cells = {
            "run": entry.run,
            "task": row.task,
            "level": row.level,
            "asked": words(family(entry.asked.variant)) if entry.asked.variant else _PLAIN,
            "outcome": outcome,
            "key": entry.key[:_SHORT],
            "answer": None if entry.answer is None else entry.answer[:_SHORT],
            "error": entry.error,
            "variant": entry.asked.variant,
        }
        for name, value in cells.items():
            known = self.values[name]
            self.columns[name].append(-1 if value is None else known.setdefault(value, len(known)))
        self.ids.append(row.id.removeprefix(row.task))
        text = {
            "asked": in_words(entry.asked.variant),
            "prompt": entry.asked.prompt,
            "options": list(entry.choices),
            "key": entry.asked.key.canonical() if entry.asked.variant else row.answer,
            "parsed": record.parsed if record else None,
            "value": record.value if record else 0.0,
            "reply": _shortened(record.reply) if record else "",
            "reasoning": _shortened(record.reasoning) if record else "",
            "fault": _shortened(record.error) if record else "",
            "notes": entry.notes,
            "pictures": [self._picture(image) for image in entry.asked.images],
        }
        if not self.texts:
            self.starts.append(self.n)
        self.texts.append(json.dumps(text))
        self.n += 1
        if len(self.texts) >= _TOLD or sum(map(len, self.texts)) >= _HEAVY:
            self._write_texts()
        if len(self.ids) >= _LISTED:
            self._write_list()

    def _picture(self, image: bytes) -> str:
        name = sha256(image).hexdigest()[:24]
        path = f"{name[:2]}/{name[2:]}.{'jpg' if media_type(image) == 'image/jpeg' else 'png'}"
        if path not in self.pictures:
            self.pictures.add(path)
            file = self.folder / "pictures" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(image)
        return path

    def _write_texts(self) -> None:
        chunk = len(self.starts) - 1
        self._script(f"text-{chunk:05d}.js", f"isovist.text({chunk},[{','.join(self.texts)}]);\n")
        self.texts.clear()

    def _write_list(self) -> None:
        columns = {**self.columns, "ids": self.ids}
        self._script(f"list-{self.lists:05d}.js", f"isovist.list({json.dumps(columns, separators=(',', ':'))});\n")
        self.lists += 1
        self.ids.clear()
        for column in self.columns.values():
            column.clear()

    def close(self) -> None:
        """Writes what waits, and the index."""
        if self.texts:
            self._write_texts()
        if self.ids:
            self._write_list()
        values = {name: list(known) for name, known in self.values.items()}
        index = {"values": values, "lists": self.lists, "texts": self.starts}
        self._script("index.js", f"isovist.index({json.dumps(index, separators=(',', ':'))});\n")

    def _script(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="ascii")  # JSON writes all else as escapes, lone surrogates too


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} more characters ...]\n{text[-half:]}"
