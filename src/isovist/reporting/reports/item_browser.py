"""The item browser: items.html shows every item of some runs; its data and images are in the folder items/.

The page opens from a disk without a server: the data are scripts that are loaded on demand, and images are files named by their content,
so an image of several items or runs is stored once.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any

from isovist.common import canary
from isovist.common.atomic_write import write_atomically
from isovist.core.answers import Choice
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.run.captions import descriptions
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.variants import STANDARD, Trial, family
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.run_names import short_names
from isovist.reporting.analysis.runs import RunPart
from isovist.reporting.analysis.variants import family_label, variant_label
from isovist.reporting.reports.answer_spans import Span, answer_spans
from isovist.reporting.reports.html import CANARY, resource
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.reports.samples import MOST_BROWSED, browser_sample, n_items, record_of
from isovist.suites.abilities import ability_of
from isovist.world.render.image_encoding import media_type

PAGE, FOLDER = "items.html", "items"
LIGHT = 200_000_000
"""The bytes of data up to which the page is written by default: it copies every image."""
_ITEMS_PER_LIST = 20_000  # in a file of the list
_ITEMS_PER_TEXT = 400  # in a file of texts
_CHARACTERS_PER_TEXT = 400_000
_MAX_RESPONSE = 12_000  # characters of a response, from both of its ends
_MAX_CELL = 120  # characters of a key or an answer in the list
_FILTERS = ("run", "ability", "task", "level", "condition", "outcome", "key", "answer", "distractor_type")
_COLUMNS = (*_FILTERS, "variant")
_STANDARD = "standard"
_PENDING = ".items.partial"
_PARTS = {"page.css": ("tokens.css", "item_browser.css"), "page.js": ("item_browser.js", "item_browser_item.js")}


def weight(runs: Sequence[RunResults]) -> int:
    """The bytes of the data files of some runs, each counted once; for a sample, its share of them."""
    sizes: dict[Path, int] = {}
    for part in (part for run in runs for part in run.run.parts):
        data = part.folder.data(part.info)
        for design in part.folder.parts(part.info):
            sizes |= {(data / name).resolve(): (data / name).stat().st_size for name in design.files()}
    return int(sum(sizes.values()) * min(1.0, MOST_BROWSED / max(1, n_items(runs))))


def write(runs: Sequence[RunResults], report: ReportFolder, progress: Callable[[], object] = lambda: None) -> set[str]:
    """Write the page and its folder to the report folder; returns the paths of its files. `progress` is called for each item.

    Existing files stay until all is written. Raises UserError for unreadable data or records.
    """
    out = report.path
    pending = out / _PENDING
    shutil.rmtree(pending, ignore_errors=True)
    pending.mkdir(parents=True)
    try:
        browser, ids = _Browser(pending), browser_sample(runs)
        for name, part in ((run.name, part) for run in runs for part in run.run.parts):
            for entry in _entries(name, part, ids):
                browser.add(entry)
                if entry.trial.variant == STANDARD:
                    progress()
        findings = {run.name: {finding.sentence: finding.items for finding in run.findings} for run in runs}
        browser.close({result.task: result.summary for run in runs for result in run.tasks}, 0 if ids is None else n_items(runs), findings)
        for name, parts in _PARTS.items():
            (pending / name).write_text("".join(map(resource, parts)), encoding="utf-8")
        names = {f"{FOLDER}/{path.relative_to(pending).as_posix()}" for path in pending.rglob("*") if path.is_file()} | {PAGE}
        report.claim(names)
        shutil.rmtree(out / FOLDER, ignore_errors=True)  # checked for files of others before
        pending.rename(out / FOLDER)
    finally:
        shutil.rmtree(pending, ignore_errors=True)
    page = resource("item_browser.html")
    write_atomically(out / PAGE, page.replace("<title>", f"{CANARY}\n<title>") if browser.has_test_items else page)
    return names


@dataclass(frozen=True, slots=True)
class _Entry:
    """One trial with its result."""

    run: str
    trial: Trial
    chosen: int | None
    """The place of the chosen option in the standard order."""
    distractor_type: str | None
    record: AttemptRecord | None
    """None if it was not presented."""
    notes: Sequence[str]

    @property
    def row(self) -> ItemRow:
        return self.trial.row

    @property
    def key(self) -> str:
        """For a choice the text of the option, as labels change their order."""
        return self.row.key.balance_bin() if isinstance(self.row.key, Choice) else self.row.key.canonical()

    @property
    def choices(self) -> Sequence[str]:
        """The options in the presented order."""
        key = self.trial.key
        return self.row.choices if key is self.row.key or not isinstance(key, Choice) else key.options

    @property
    def answer(self) -> str | None:
        """The parsed answer; for a choice the text of the chosen option."""
        if isinstance(self.row.key, Choice):
            return None if self.chosen is None else self.row.key.options[self.chosen]
        return self.record.parsed_answer if self.record else None


def _entries(run: str, part: RunPart, ids: Collection[str] | None) -> Iterator[_Entry]:
    """Item by item, of the items with these ids or of all: the standard condition, then the variants."""
    folder, info, notes = part.folder, part.info, descriptions(part.folder.captions)
    rows = part.rows
    places = {name: place for place, name in enumerate(zip(rows.texts("item_id"), rows.texts("variant"), strict=True))}
    chosen, types = rows.column("chosen_place").tolist(), rows.chosen_distractor_types
    for trial in folder.trials(info):
        if ids is not None and trial.row.id not in ids:
            continue
        presented = replace(trial, prompt=trial.row.prompt_in_style(None)) if info.source_tool else trial
        place = places[trial.trial_id]
        option = None if isnan(chosen[place]) else int(chosen[place])
        shown = list(map(_shortened, notes.get(trial.trial_id, ())))
        yield _Entry(run, presented, option, types[place], record_of(part, place), shown)


@dataclass(slots=True)
class _Browser:
    """Writes the folder, item by item, in bounded memory except for the texts of keys and answers."""

    folder: Path
    n: int = 0
    values: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in _COLUMNS})
    columns: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in _COLUMNS})
    ids: list[str] = field(default_factory=list[str])
    thumbnails: list[str] = field(default_factory=list[str])
    """The file of the first image of each item; "" for one without images."""
    places: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """The number of each item of a run in the standard condition."""
    lists: int = 0
    texts: list[str] = field(default_factory=list[str])
    """The items that are not written yet, as JSON."""
    starts: list[int] = field(default_factory=list[int])
    """The first item of each file of texts."""
    images: set[str] = field(default_factory=set[str])
    image_folders: set[str] = field(default_factory=set[str])
    has_test_items: bool = False
    has_unwritten_test_items: bool = False

    def add(self, entry: _Entry) -> None:
        row, record = entry.row, entry.record
        outcome = record.outcome.replace("_", " ") if record else "not presented"
        cells = {
            "run": entry.run,
            "ability": ability_of(row.task) or None,
            "task": row.task,
            "level": row.level,
            "condition": family_label(family(entry.trial.variant)) if entry.trial.variant else _STANDARD,
            "outcome": outcome,
            "key": entry.key[:_MAX_CELL],
            "answer": None if entry.answer is None else entry.answer[:_MAX_CELL],
            "distractor_type": entry.distractor_type,
            "variant": entry.trial.variant,
        }
        for name, value in cells.items():
            numbers = self.values[name]
            self.columns[name].append(-1 if value is None else numbers.setdefault(value, len(numbers)))
        self.ids.append(row.id.removeprefix(row.task))
        if entry.trial.variant == STANDARD:
            self.places[entry.run, row.id] = self.n
        images = [self._image(image) for image in entry.trial.images]
        self.thumbnails.append(images[0] if images else "")
        text = {
            "variant": variant_label(entry.trial.variant),
            "prompt": entry.trial.prompt,
            "options": list(entry.choices),
            "key": entry.trial.key.canonical() if entry.trial.variant else row.answer,
            "parsed_answer": record.parsed_answer if record else None,
            "credit": record.credit if record else 0.0,
            "response": _shortened(record.response) if record else "",
            "marks": _marks(entry),
            "reasoning": _shortened(record.reasoning) if record else "",
            "request_error": _shortened(record.error) if record else "",
            "captions": entry.notes,
            "images": images,
        }
        if not self.texts:
            self.starts.append(self.n)
        self.texts.append(json.dumps(text))
        if canary.is_test(row.split):
            self.has_test_items = self.has_unwritten_test_items = True
        self.n += 1
        if len(self.texts) >= _ITEMS_PER_TEXT or sum(map(len, self.texts)) >= _CHARACTERS_PER_TEXT:
            self._write_texts()
        if len(self.ids) >= _ITEMS_PER_LIST:
            self._write_list()

    def _image(self, image: bytes) -> str:
        name = sha256(image).hexdigest()[:24]
        path = f"{name[:2]}/{name[2:]}.{'jpg' if media_type(image) == 'image/jpeg' else 'png'}"
        if path not in self.images:
            self.images.add(path)
            if name[:2] not in self.image_folders:
                self.image_folders.add(name[:2])
                (self.folder / "images" / name[:2]).mkdir(parents=True)
            (self.folder / "images" / path).write_bytes(image)
        return path

    def _write_texts(self) -> None:
        chunk = len(self.starts) - 1
        comment = f"// {canary.NOTICE}\n" if self.has_unwritten_test_items else ""
        self._script(f"text-{chunk:05d}.js", f"{comment}isovist.text({chunk},[{','.join(self.texts)}]);\n")
        self.has_unwritten_test_items = False
        self.texts.clear()

    def _write_list(self) -> None:
        columns = {**self.columns, "ids": self.ids, "images": self.thumbnails}
        self._script(f"list-{self.lists:05d}.js", f"isovist.list({json.dumps(columns, separators=(',', ':'))});\n")
        self.lists += 1
        self.ids.clear()
        self.thumbnails.clear()
        for column in self.columns.values():
            column.clear()

    def close(self, summaries: Mapping[str, str], sampled_from: int, findings: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Writes the remaining items, and the index: a sentence on each task, the items of the findings of each run by their sentences, and
        for a sample the number of all items.
        """
        if self.texts:
            self._write_texts()
        if self.ids:
            self._write_list()
        values = {name: list(numbers) for name, numbers in self.values.items()}
        index: dict[str, Any] = {"values": values, "summaries": dict(summaries), "lists": self.lists, "texts": self.starts}
        index["short"] = short_names(values["run"])
        index["findings"] = {
            run: {sentence: [self.places[run, id] for id in ids if (run, id) in self.places] for sentence, ids in of_run.items()}
            for run, of_run in findings.items()
        }
        index |= {"sampled_from": sampled_from} if sampled_from else {}
        self._script("index.js", f"isovist.index({json.dumps(index, separators=(',', ':'))});\n")

    def _script(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="ascii")  # JSON escapes all other characters


def _marks(entry: _Entry) -> list[Span]:
    """The spans of the parsed answer in the shortened response, as JavaScript counts characters (UTF-16)."""
    if entry.record is None:
        return []
    response = entry.record.response
    shortened = _shortened(response)
    half, cut = _MAX_RESPONSE // 2, len(response) - len(shortened)
    marks: list[Span] = []
    for start, end in answer_spans(entry.trial.key, response, entry.record.parsed_answer):
        moved = cut if cut > 0 and end > half else 0
        if moved and start - moved < len(shortened) - half:
            return []  # in the part that is cut
        marks.append((_utf16(shortened[: start - moved]), _utf16(shortened[: end - moved])))
    return marks


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _shortened(text: str) -> str:
    if len(text) <= _MAX_RESPONSE:
        return text
    half = _MAX_RESPONSE // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} more characters ...]\n{text[-half:]}"
