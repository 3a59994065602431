"""The organiser's check of a submission: everything in the zip file is untrusted."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from math import isfinite
from pathlib import Path

from isovist.common.atomic_write import temporary_path, write_atomically
from isovist.common.errors import CheckFailed, UserError
from isovist.common.json_decoding import decode
from isovist.data.dataset import verify
from isovist.data.dataset.json_documents import document
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.releases.definition import release, release_of, require_release
from isovist.evaluation.models.baselines.simulated_models import PREFIX as SIMULATED
from isovist.evaluation.models.embedded import PREFIX as EMBEDDED
from isovist.evaluation.run.records import RECORDS, hashed, hashed_image, line_of, read
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata, data_hash, folder_name, names, parser, stored
from isovist.evaluation.run.usage_summary import usage_summary
from isovist.reporting.submissions import archive
from isovist.reporting.submissions.pack import without_servers
from isovist.reporting.submissions.replies_check import ExpectedItem, RepliesCheck, responses_digest, shown
from isovist.reporting.submissions.submission import FORMAT, SUBMISSION, Submission

CHECK = "check.json"
SAMPLE = 40
"""Items of the organiser's data that are regenerated with their images before a check."""
_MOST_TEXT = 300  # characters of the name of a model
_FEW = 20  # items from which equal responses are noted
_MANY_ERRORS = 10  # of one item; `isovist run` makes five attempts by default
_MOST_VERSIONS = 200
_MOST_CONCURRENCY = 1_000_000
_FIRST_YEAR = 2020
_SKEW = timedelta(hours=1)  # of clocks


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The content of `check.json`."""

    isovist: str
    parser: str
    items: int
    responses: str
    """A hash of the response texts: equal for a copy of a submission."""
    notes: tuple[str, ...] = ()
    """Signs that are no proof of tampering."""
    format: int = field(default=FORMAT)


@dataclass(frozen=True, slots=True)
class OrganiserData:
    """A verified dataset folder of a release."""

    folder: Path
    parts: tuple[DataPart, ...]
    release: str
    commitment: str
    date: str
    """The date of the release."""


def organiser_data(folder: Path, name: str, workers: int, progress: Callable[[int], object] = lambda n: None) -> OrganiserData:
    """The dataset folder of a release, verified: its design, the hashes of its files, and a sample of its items with their images.

    `name`: the release, or its TOML file; "" for the release that the folder states. Raises UserError for other data, and for a private
    seed without its secret; CheckFailed for altered data.
    """
    parts = Manifest.read(folder).parts
    stated, commitment = release_of(folder, parts)
    if not stated:
        raise UserError(f"Dataset folder is not that of a release: {folder}. Generate it with `isovist release generate`.")
    for part in parts:
        part.secret()  # names a missing or another secret
    definition = release(name or stated.rpartition("/")[0])
    require_release(folder, definition)
    differences: list[str] = []
    for count, differing in verify.verify(folder, parts, workers, verify.file_checks(parts, sample=SAMPLE)):
        progress(count)
        differences += [f"{each.file}: {each.id}: {each.description}" for each in differing]
    if differences:
        raise CheckFailed(f"The dataset folder has changed ({differences[0]}): {folder}. Generate it again.")
    return OrganiserData(folder, parts, stated, commitment, definition.date)


def check(file: Path, data: OrganiserData, out: Path) -> tuple[Path, CheckResult]:
    """Check a submission and write it as a run folder in `out`; returns the folder and the result.

    Raises UserError for an unreadable file, and CheckFailed with one line for each reason to refuse the submission. Then nothing is
    written. The same submission is written to the same folder.
    """
    with archive.opened(file) as opened:
        text = opened.submission()
        submission = _decoded(text)
        if faults := list(_faults(submission, data)):
            raise CheckFailed(*faults)
        items = _items(data)
        replies = RepliesCheck(items, data.release, submission.versions["parser"], submission.versions.get("isovist", "?"))
        texts: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as temporary:
            records = Path(temporary) / RECORDS
            with records.open("wb") as lines:
                for number, line in enumerate(opened.replies(), 1):
                    if record := replies.add(line, number):
                        lines.write(line_of(record))
                        if record.outcome != "request_error":
                            texts[record.item_id] = hashed(record.response.encode(errors="replace"))
                    elif replies.has_broken_line:
                        break
            if faults := list(_faults_of_replies(submission, replies, opened.digest)):
                raise CheckFailed(*faults)
            result = CheckResult(
                version("isovist"), parser(), len(items), responses_digest(texts), tuple(_notes(submission, replies, data.date))
            )
            return _write(out / _folder_name(submission), submission, text, records, data, result), result


def read_check(folder: Path) -> tuple[Submission, CheckResult]:
    """The submission and the check result in a folder that `check` wrote. Raises UserError for unreadable ones."""
    submission = document(Submission, folder / SUBMISSION, FORMAT, content="a submission", missing="no submission")
    return submission, document(CheckResult, folder / CHECK, FORMAT, content="a check result", missing=f"{CHECK} is missing")


def _decoded(text: bytes) -> Submission:
    try:
        head = json.loads(text).get("format")
    except (ValueError, RecursionError, AttributeError):
        head = FORMAT
    if head != FORMAT:
        raise CheckFailed(f"{SUBMISSION} has format {shown(repr(head))}; this version reads {FORMAT}.")
    try:
        return decode(Submission, text)
    except ValueError as error:
        raise CheckFailed(f"{SUBMISSION} cannot be read ({shown(str(error))}).") from None


def _faults(submission: Submission, data: OrganiserData) -> Iterator[str]:
    """What is wrong with the facts of a submission."""
    if submission.release != data.release:
        yield f"The submission is of {shown(submission.release)}, the data are of {data.release}."
    if submission.commitment != data.commitment:
        ours, theirs = (
            f"commitment {shown(each[:16])}" if each else "public development seed" for each in (data.commitment, submission.commitment)
        )
        yield f"The submission has another seed: {theirs} instead of {ours}."
    if submission.style != data.parts[0].style or submission.image_mode != "joint":
        yield f"Prompt style {shown(submission.style)}, image mode {shown(submission.image_mode)}: the release has {data.parts[0].style}, joint."
    for name, text in (("model", submission.model), *(("version", text) for pair in submission.versions.items() for text in pair)):
        if not text.strip() or len(text) > _MOST_TEXT or not text.isprintable():
            yield f"Invalid {name}: {shown(text)!r}."
    if "parser" not in submission.versions:
        yield "The versions lack that of the parser."
    if submission.options != without_servers(submission.options):
        yield "The options name a server; `isovist submit pack` removes it."
    if len(submission.versions) > _MOST_VERSIONS:
        yield f"More than {_MOST_VERSIONS} versions."
    if not 1 <= submission.options.concurrency <= _MOST_CONCURRENCY:
        yield f"Invalid concurrency: {shown(str(submission.options.concurrency))}."
    numbers = (submission.options.temperature or 0.0, submission.options.top_p or 0.0)
    if not all(isfinite(number) and number >= 0 for number in numbers):
        yield f"Invalid temperature or top_p: {numbers[0]}, {numbers[1]}."
    yield from _time_faults(submission)
    if submission.card and (fault := submission.card.fault()):
        yield f"Model card: {shown(fault)}."


def _time_faults(submission: Submission) -> Iterator[str]:
    try:
        started, finished = map(_moment, (submission.started, submission.finished))
    except (ValueError, OverflowError):
        yield f"Invalid time: started {shown(submission.started)!r}, finished {shown(submission.finished)!r}."
        return
    now = datetime.now(UTC)
    if started.year < _FIRST_YEAR:
        yield f"Invalid time: started {submission.started}."
        return
    if finished < started:
        yield f"The run finished ({submission.finished}) before it started ({submission.started})."
    if finished > now + _SKEW:
        yield f"The run finished in the future: {submission.finished}."
    if submission.card and not submission.card.fault():
        day = datetime.fromisoformat(submission.card.date).replace(tzinfo=UTC)
        if not started - timedelta(days=2) < day < now + timedelta(days=1):
            yield f"The date of the model card, {submission.card.date}, is before the run ({submission.started}) or in the future."


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _items(data: OrganiserData) -> dict[str, ExpectedItem]:
    return {
        row.id: ExpectedItem(row.task, row.key, hashed(row.prompt.encode()), tuple(map(hashed_image, row.images)))
        for row in load(data.folder, data.parts)
    }


def _faults_of_replies(submission: Submission, replies: RepliesCheck, digest: str) -> Iterator[str]:
    """What is wrong with the replies, and with the counts and the hash that the submission states of them."""
    yield from replies.faults()
    if replies.has_broken_line:
        return  # the rest was not read
    if digest != submission.replies_sha256:
        yield f"The SHA-256 hash of the replies is {digest[:16]}..., the submission states {shown(submission.replies_sha256[:16])}..."
    counted, stated = asdict(replies.counting.counts()), asdict(submission.counts)
    for name in counted:
        if counted[name] != stated[name]:
            yield f"The count of {name.replace('_', ' ')} is {counted[name]}, the submission states {shown(str(stated[name]))}."


def _notes(submission: Submission, replies: RepliesCheck, released: str) -> Iterator[str]:
    """Signs that are no proof of tampering."""
    n = replies.n_scored
    same = max(replies.texts.values(), default=0)
    if n >= _FEW and 2 * same > n:
        yield f"{same:,} of {n:,} responses have the same text."
    most, item = max(((count, item) for item, count in replies.n_errors.items()), default=(0, ""))
    if most > _MANY_ERRORS:
        yield f"{most:,} request errors of one item ({item}), {replies.n_errors.total():,} of all {len(replies.items):,} items."
    if not submission.model.startswith((SIMULATED, EMBEDDED)):
        started, finished = _moment(submission.started), _moment(submission.finished)
        wall = (finished - started).total_seconds()
        if started + timedelta(days=1) < _moment(released):  # the day of another time zone
            yield f"The run started ({submission.started}) before the date of the release ({released})."
        longest = max(replies.seconds, default=0.0)
        if wall < 1 or longest > wall + 2:  # times are whole seconds
            yield f"The run lasted {wall:,.0f} s, its longest request {longest:,.1f} s."
        if not any(replies.seconds):
            yield "No response has a latency."
        elif not submission.options.auto_concurrency and sum(replies.seconds) > 1.1 * (wall + 60) * submission.options.concurrency:
            yield (
                f"The requests lasted {sum(replies.seconds):,.0f} s, more than {submission.options.concurrency} concurrent ones can in the "
                f"{wall:,.0f} s of the run."
            )
        if not replies.counting.output_tokens:
            yield "No response has a count of tokens."
        effort = submission.options.reasoning_effort
        if (effort not in (None, "none") or submission.options.reasoning_tokens) and not replies.n_reasoning:
            yield f"The options request reasoning ({effort or submission.options.reasoning_tokens}), but no response has any."
    if not submission.card:
        yield "The submission has no model card."


def _folder_name(submission: Submission) -> str:
    """The name of its folder: the model, and the first digits of the hash of the replies."""
    return f"{folder_name(submission.model, 60)}-{submission.replies_sha256[:8]}"


def _write(folder: Path, submission: Submission, text: bytes, records: Path, data: OrganiserData, result: CheckResult) -> Path:
    """Write a run folder; `run.json` is last, so that an incomplete folder is not a run."""
    if (folder / SUBMISSION).exists() and (folder / SUBMISSION).read_bytes() != text:
        raise UserError(f"Another submission has these replies: {folder}. Delete the folder to replace it.")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / SUBMISSION, text)
    new = temporary_path(folder / RECORDS)
    try:
        shutil.copyfile(records, new)
        new.replace(folder / RECORDS)
    finally:
        new.unlink(missing_ok=True)
    write_atomically(folder / CHECK, json.dumps(asdict(result), indent=1, ensure_ascii=False) + "\n")
    info = RunMetadata(
        model=submission.model,
        style=submission.style,
        options=submission.options,
        data=stored(data.folder, folder),
        data_hash=data_hash(data.folder),
        parts=names(data.parts),
        started=submission.started,
        finished=submission.finished,
        usage=usage_summary(read(folder / RECORDS), (), {}, None),
        versions=submission.versions | {"parser": parser()},
        release=data.release,
        commitment=data.commitment,
    )
    RunFolder(folder).write(info)
    return folder
