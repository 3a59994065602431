"""Digests of the items of a release: made when it is made, and compared when it is verified. Images are not rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.parallel import run_parallel
from isovist.data.releases.definition import DIGEST_DIGITS, FORMS, Form, Release, ReleaseFile

_ITEMS_OF_JOB = 25

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class DigestDifference:
    """An item whose digest is not that of the release."""

    id: str
    expected: str


def make(release: Release, workers: int = 1, progress: Progress = lambda n: None) -> dict[str, tuple[str, ...]]:
    """The digests of the items of both forms with the public seed, by task. `progress` is called with numbers of items."""
    parts = _all_parts(release)
    digests: dict[str, list[str]] = {part.task: [""] * part.n for part in parts}
    for task, start, made in _made(parts, workers, progress):
        digests[task][start : start + len(made)] = [id.rpartition("#")[2][:DIGEST_DIGITS] for id in made]
    return {task: tuple(values) for task, values in digests.items()}


def verify(file: ReleaseFile, form: Form | None, workers: int = 1, progress: Progress = lambda n: None) -> Iterator[DigestDifference]:
    """Make the items of a form, or of both, with the public seed again; the items whose digest differs, in any order."""
    for task, start, made in _made(parts(file.release, form), workers, progress):
        for id, expected in zip(made, file.digests[task][start : start + len(made)], strict=True):
            if not id.rpartition("#")[2].startswith(expected):
                yield DigestDifference(id, expected)


def parts(release: Release, form: Form | None) -> list[DataPart]:
    """The parts of a form with the public seed; of both forms without one: the items of a form are the first of those of the other."""
    return _all_parts(release) if form is None else release.parts(form, private=False)


def _all_parts(release: Release) -> list[DataPart]:
    both = {form: {part.task: part for part in release.parts(form, private=False)} for form in FORMS}
    return [
        max((forms[task] for forms in both.values() if task in forms), key=lambda part: part.n)
        for task in dict.fromkeys(task for forms in both.values() for task in forms)
    ]


def _made(parts: Sequence[DataPart], workers: int, progress: Progress) -> Iterator[tuple[str, int, list[str]]]:
    """The ids of the items of some parts, in pieces: task, place of the first item, and ids."""
    jobs = [(part, start, min(part.n, start + _ITEMS_OF_JOB)) for part in parts for start in range(0, part.n, _ITEMS_OF_JOB)]
    for task, start, ids in run_parallel(_ids, jobs, workers):
        progress(len(ids))
        yield task, start, ids


def _ids(part: DataPart, start: int, stop: int) -> tuple[str, int, list[str]]:
    items = part.items()
    return part.task, start, [items[place].id for place in range(start, stop)]
