"""Build a mixture: in parallel, file by file, resumable, with the same result for any number of workers.

As in `isovist.data.dataset.generate`, finished files are kept in a hidden folder and moved when all are complete; the manifest is written
last. Nothing is left of a mixture that cannot be built: too few external records, or contamination.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import count, islice
from pathlib import Path

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.json_decoding import decode, encode
from isovist.data.dataset.asset_attribution import Shown, credits_to
from isovist.data.dataset.data_card import render_card, size
from isovist.data.dataset.file_notes import file_hash
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.dataset.mixture import MIX, Mix
from isovist.data.dataset.parallel import prepare, run_parallel
from isovist.data.dataset.partial_output import begin_partial_output, check_output_folder, locked
from isovist.data.dataset.training_examples import TrainingExample
from isovist.training import external_data, shard_writer
from isovist.training.contamination import ContaminationError, TestSetIndex, build_test_index
from isovist.training.external_data import RecordStore, SampledRecords, Source
from isovist.training.mixture_plan import MixturePlan, shares
from isovist.training.recipe import RecipeSource
from isovist.training.shard_writer import Job
from isovist.world import render

SKIPPED = "skipped.jsonl"
"""The sampled external records that are unusable, one per line."""
_NO_LICENCE = "It is not stated here: read it where the data are published, before you pass anything on"
_REPLACEMENT_ATTEMPTS = 2000  # attempts to replace duplicate items

Progress = Callable[[str, int], object]
"""Called with a unit and a number: "records" read, "tests" read, "drawn" records, "examples" written."""


@dataclass(frozen=True, slots=True)
class MixtureStatistics:
    """Statistics of the build of a mixture."""

    drawn: SampledRecords | None = None
    replaced: int = 0
    """Duplicate items that were replaced."""
    tests: int = 0
    """Number of test items in the contamination check."""


def source(given: RecipeSource, path: Path | None, images: Path | None) -> Source | None:
    """Return the external data of a recipe, from the command line or the recipe itself. Raises UserError."""
    wanted = given.recipe.general
    if wanted is None:
        if path is not None or images is not None:
            raise UserError(
                f"Recipe without external data: {given.name}. Omit --external-data and --external-image-dir, or add a [general] table."
            )
        return None
    if path is None and wanted.path is not None:
        path = (given.folder or Path()) / wanted.path
        images = (given.folder or Path()) / wanted.images if images is None and wanted.images is not None else images
    if path is None:
        raise UserError(
            f"Recipe requires {wanted.n} external records: {given.name}. Give --external-data FILE.json --external-image-dir DIR."
        )
    source = Source(wanted.name, path, path.parent if images is None else images)
    source.check()
    return source


def mix(
    given: RecipeSource, out: Path, *, general: Source | None = None, tests: Sequence[Path] = (), workers: int = 1,
    progress: Progress = lambda stage, count: None,
) -> tuple[Mix, MixtureStatistics]:  # fmt: skip
    """Build the mixture folder `out` and return its statistics. An existing complete mixture is kept.

    Raises UserError, and ContaminationError if an example is in a test set; then nothing is left behind.
    """
    plan = shares(given.recipe)
    planned = Mix(given.values, {}, {}, _inputs(plan, general, tests))
    if (finished := _existing_mixture(out, planned)) is not None:
        return finished, MixtureStatistics()
    for share in plan.shares:
        if share.part.n:
            render.check(share.part.task, share.item(0).pictures, share.part.renderer)  # before anything is written
    with locked(out):
        if (finished := _existing_mixture(out, planned)) is not None:  # another command has finished it in the meantime
            return finished, MixtureStatistics()
        return _mixed(plan, planned, out, general, tests, workers, progress)


def _mixed(
    plan: MixturePlan, planned: Mix, out: Path, general: Source | None, tests: Sequence[Path], workers: int, progress: Progress
) -> tuple[Mix, MixtureStatistics]:
    partial = out / PARTIAL
    begin_partial_output(partial, asdict(planned), "mix")
    job = Job(plan, partial, bool(tests), general, rows=shard_writer.ROWS_PER_FILE)
    try:
        test_index = build_test_index(tests, [share.items.task for share in plan.shares], lambda rows: progress("tests", rows))
        drawn = None if general is None else _draw(job, general, test_index, workers, progress)
        job = replace(job, drawn=drawn.numbers if drawn else ())
        _write_files(job, test_index, workers, progress)
        replaced = _replace_duplicates(job, test_index)
    except (ContaminationError, UserError):
        shutil.rmtree(partial)
        raise
    statistics = MixtureStatistics(drawn, replaced, test_index.items)
    return _finish(job, out, planned, statistics), statistics


def _inputs(plan: MixturePlan, general: Source | None, tests: Sequence[Path]) -> dict[str, str]:
    inputs = {share.part.task: f"version {share.part.version}" for share in plan.shares}
    if general is not None:
        inputs[f"general {general.name}"] = f"{general.path.name}, sha256 {file_hash(general.path)}"
    for place, folder in enumerate(tests, 1):
        if not (folder / MANIFEST).is_file():
            raise UserError(f"{folder}: no data set ({MANIFEST} is missing); give a folder that `isovist generate` or `import` made.")
        inputs[f"against {place}"] = f"{folder.resolve().name}, sha256 {file_hash(folder / MANIFEST)}"
    return inputs


def _existing_mixture(out: Path, planned: Mix) -> Mix | None:
    """Return the mixture in the folder if it is complete and equal to the planned one. Raises UserError if the folder is unusable."""
    if (out / MIX).exists():
        mix = Mix.read(out)
        if replace(mix, counts={}, files={}) != planned:
            raise UserError(f"Folder has another mixture: {out}. Choose another --out folder.")
        return mix
    check_output_folder(out, "a mix")
    return None


# External data ----------------------------------------------------------------------------------------------------


def _draw(job: Job, source: Source, test_index: TestSetIndex, workers: int, progress: Progress) -> SampledRecords:
    """Sample the external records of the mixture, or reuse those of an interrupted build."""
    notes = job.folder / "drawn.json"
    if notes.exists():
        sample = decode(SampledRecords, notes.read_bytes())
        progress("drawn", len(sample.numbers))
        return sample
    if not job.records.exists():
        RecordStore.write(job.records, external_data.read(source.path, lambda records: progress("records", records)))
    with closing(RecordStore(job.records)) as records:
        sample = external_data.draw(
            records, source, job.shares.general, job.shares.seed, workers, test_index.shows, lambda count: progress("drawn", count)
        )
    write_atomically(notes, encode(sample))
    return sample


# Files ------------------------------------------------------------------------------------------------------------


def _write_files(job: Job, test_index: TestSetIndex, workers: int, progress: Progress) -> None:
    """Write the missing files and check each for contamination when it is complete."""
    todo = [file for file, name in enumerate(job.files) if not (job.folder / name).exists()]
    if todo:
        prepare(share.part for share in job.shares.shares)
    finished = [file for file in range(len(job.files)) if file not in set(todo)]
    for file in (*finished, *run_parallel(shard_writer.fill, [(job, file) for file in todo], workers)):
        for _, _, compared in job.notes(file).items:
            test_index.check(compared)
        progress("examples", len(job.places(file)))


# Duplicate items --------------------------------------------------------------------------------------------------


def _replace_duplicates(job: Job, test_index: TestSetIndex) -> int:
    """Replace every duplicate item by another item of its task; returns their number."""
    known: dict[str, int] = {}  # first number of each content hash
    for number, content in _contents(job):
        known[content] = min(number, known.get(content, number))
    twice = sorted(number for number, content in _contents(job) if known[content] != number)
    tried: dict[int, Iterator[int]] = {}
    instead: dict[int, TrainingExample] = {}
    for number in twice:
        which, at = job.shares.share(number)
        share = job.shares.shares[which]
        levels = len(share.items.levels)
        for turn in islice(tried.setdefault(which, count(-(-share.part.n // levels))), _REPLACEMENT_ATTEMPTS):
            example, compared = shard_writer.made(job, share.item(turn * levels + at % levels), which, at, set())
            if compared.content not in known:
                test_index.check(compared)
                known[compared.content] = number
                instead[number] = example
                break
        else:
            raise UserError(
                f"{share.part.task}: of {_REPLACEMENT_ATTEMPTS} further items of level {share.items.address(at).level} each is the same as one that is "
                f"in the mix; ask for fewer than {share.part.n} of this task."
            )
    for file in range(len(job.files)):
        replacements = {place: instead[number] for place, number, _ in job.notes(file).items if number in instead}
        if replacements:
            shard_writer.mend(job, file, replacements)
    return len(instead)


def _contents(job: Job) -> Iterator[tuple[int, str]]:
    """Yield number and content hash of each item."""
    for file in range(len(job.files)):
        yield from ((number, compared.content) for _, number, compared in job.notes(file).items)


# Completion -------------------------------------------------------------------------------------------------------


def _finish(job: Job, out: Path, planned: Mix, made: MixtureStatistics) -> Mix:
    """Move all files to the output folder, and write first the card and then the manifest."""
    counts: Counter[str] = Counter()
    shown: Shown = set()
    for file in range(len(job.files)):
        notes = job.notes(file)
        counts += notes.counts
        shown |= notes.shown
    files = {name: file_hash(job.folder / name) for name in job.files}
    for name in files:
        (job.folder / name).replace(out / name)
    after = replace(planned, counts=dict(sorted(counts.items())), files=files)
    if made.drawn is not None and made.drawn.rejected:
        lines = (json.dumps(asdict(one), ensure_ascii=True) + "\n" for one in made.drawn.rejected)
        write_atomically(out / SKIPPED, "".join(lines))
    write_atomically(out / "README.md", card(after, job.shares, made, shown))
    after.write(out)
    shutil.rmtree(job.folder)
    return after


def card(mix: Mix, plan: MixturePlan, made: MixtureStatistics, shown: Shown) -> str:
    """Return the card of a complete mixture; `shown`: the assets in its items that require attribution."""
    general: dict[str, str] = mix.recipe.get("general", {})
    return render_card(
        "isovist.training",
        "mixture_card.md.j2",
        mix=mix,
        plan=plan,
        made=made,
        size=size(len(mix)),
        rows=[(share.part, round(share.reasoning * share.part.n)) for share in plan.shares],
        name=general.get("name", "general"),
        licence=general.get("licence") or _NO_LICENCE,
        credits=credits_to(shown),
    )
