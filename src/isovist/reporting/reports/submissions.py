"""The leaderboard of a folder of checked submissions: their releases, ranks, model cards and check notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isovist.common.errors import UserError
from isovist.evaluation.run.records import latest_trial_results
from isovist.evaluation.run.run_folder import RUN, RunFolder, RunMetadata
from isovist.evaluation.run.variants import STANDARD
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.run_names import run_names
from isovist.reporting.reports.leaderboard import Leaderboard, Score, leaderboard
from isovist.reporting.submissions import model_card
from isovist.reporting.submissions.check import CheckResult, read_check
from isovist.reporting.submissions.model_card import ModelCard
from isovist.reporting.submissions.submission import SUBMISSION, Submission

CARD = "card.toml"
"""The model card of a run that the organiser imported; a submission has its card in `submission.json`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A run folder of the leaderboard: a checked submission, or responses that the organiser imported."""

    folder: Path
    info: RunMetadata
    card: ModelCard | None
    submission: Submission | None
    """None for imported responses."""
    check: CheckResult | None
    notes: tuple[str, ...]

    @property
    def who(self) -> str:
        return self.card.who if self.card else ""

    @property
    def page(self) -> str:
        """The path of its page in the site."""
        return f"models/{self.folder.name}.html"


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of a release, form and seed, with its entries in the order of its models."""

    release: str
    """Release, form and type of the seed."""
    folder: str
    """The folder of its page in the site."""
    commitment: str
    leaderboard: Leaderboard
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model with its entry and place on each board, None where it has none."""

    model: str
    who: str
    places: tuple[tuple[Entry, int] | None, ...]


def entries_of(folder: Path) -> list[Entry]:
    """The run folders in `folder`, by name. Raises UserError if there is none, and for one that is incomplete or of no release."""
    folders = sorted(path.parent for path in folder.glob(f"*/{RUN}")) if folder.is_dir() else []
    if not folders:
        raise UserError(f"Folder has no checked submission: {folder}. `isovist submit check FILE --out {folder}` writes one.")
    entries = [_entry(path) for path in folders]
    copies = Counter(entry.check.responses for entry in entries if entry.check)
    return [entry if entry.check is None or copies[entry.check.responses] == 1 else _with_copies(entry, entries) for entry in entries]


def boards(entries: Sequence[Entry], verifier: Verifier) -> list[Board]:
    """The leaderboards of the releases, by name. Raises UserError and CheckFailed as `leaderboard` does."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.info.release, entry.info.commitment), []).append(entry)
    return [_board(group, verifier) for _, group in sorted(groups.items())]


def model_rows(boards: Sequence[Board]) -> list[ModelRow]:
    """A row for each model of a submitter, the best on the first release first."""
    places: dict[tuple[str, str, int], list[tuple[Entry, int] | None]] = {}
    for number, board in enumerate(boards):
        copies = Counter[tuple[str, str]]()
        for place, entry in enumerate(board.entries):
            name = entry.info.model, entry.who
            row = places.setdefault((*name, copies[name]), [None] * len(boards))
            row[number] = entry, place
            copies[name] += 1
    rows = [ModelRow(model, who, tuple(row)) for (model, who, _), row in places.items()]

    def order(row: ModelRow) -> tuple[object, ...]:
        scores = [score_of(board, place) for board, place in zip(boards, row.places, strict=True)]
        return (*(-score.chance_corrected.estimate if score else 2.0 for score in scores), row.model, row.who)

    return sorted(rows, key=order)


def score_of(board: Board, place: tuple[Entry, int] | None) -> Score | None:
    """The score of an entry over all items of a board."""
    return board.leaderboard.whole.scores[place[1]] if place else None


def _entry(path: Path) -> Entry:
    folder = RunFolder(path)
    info = folder.info()
    if not info.release:
        remedy = "Import responses to all items of a release" if info.source_tool else "Move it out of the folder of submissions"
        raise UserError(f"Run is not of a release: {path}. {remedy}.")
    n = sum(part.n for part in folder.parts(info))
    results = latest_trial_results(folder.records)
    n_scored = sum(result.is_scored for (_, variant), result in results.items() if variant == STANDARD)
    if n_scored != n:
        raise UserError(
            f"Run is incomplete: {n - n_scored:,} of {n:,} items have no score: {path}. Move it out of the folder of submissions."
        )
    if not (path / SUBMISSION).exists():
        card = model_card.read(path / CARD) if (path / CARD).exists() else None
        origin = f"imported by the organiser ({info.source_tool})" if info.source_tool else "run by the organiser"
        return Entry(path, info, card, None, None, (f"Responses were {origin}, not submitted as a checked file.",))
    submission, check = read_check(path)
    if submission.card and (fault := submission.card.fault()):
        raise UserError(f"Invalid model card ({fault}): {path / SUBMISSION}. Check the submission again.")
    return Entry(path, info, submission.card, submission, check, check.notes)


def _with_copies(entry: Entry, entries: Sequence[Entry]) -> Entry:
    """The entry with a note on those with the same responses."""
    check = entry.check
    same = [
        other.folder.name for other in entries if check and other.check and other is not entry and other.check.responses == check.responses
    ]
    note = f"All responses are equal to those of {', '.join(same)}."
    return replace(entry, notes=(*entry.notes, note))


def _board(entries: Sequence[Entry], verifier: Verifier) -> Board:
    board = leaderboard([entry.folder for entry in entries], verifier)
    names: Mapping[str, Entry] = dict(zip(run_names([[(RunFolder(entry.folder), entry.info)] for entry in entries]), entries, strict=True))
    info = entries[0].info
    folder = info.release.replace("/", "-") + (f"-{info.commitment[:8]}" if info.commitment else "")
    return Board(info.release_text, folder, info.commitment, board, tuple(names[name] for name in board.names))
