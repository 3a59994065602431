"""From annotated photographs to a data folder, in one go: all of it is there at the end, or nothing.

An annotation that no question asks about is put down with its place and its reason, one line each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import Path

from isovist import json_lines
from isovist.core.rng import Rng
from isovist.dataset.external_rows import SPLIT, VERSION
from isovist.dataset.manifest import DataPart
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable
from isovist.importers.importer import REJECTED, Rows, aside, check_new, finish
from isovist.importers.object_pose import framed_image, questions, visibility
from isovist.importers.object_pose.annotated_objects import AnnotatedObject, Photograph, Source
from isovist.importers.object_pose.questions import LEVELS, PAIR, PoseQuestion
from isovist.importers.object_pose.rows import SUITE, row
from isovist.scenes.scene_transforms import BLUE, RED

_BYTES = 64 << 20  # of pictures in memory at most, about
_MOST_PAIRS = 8
"""Pairs of objects of one photograph that are asked about, at most."""

Progress = Callable[[], object]


@dataclass(slots=True)
class ObjectPoseImportSummary:
    """What came of a data set."""

    photographs: int = 0
    annotations: int = 0
    used: int = 0
    """Annotations that a question asks about."""
    left: int = 0
    """Those that could be asked about, where fewer items were wanted."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Annotations that no question asks about, by the reason."""
    items: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """By task; how often each answer is right, by level and answer."""


@dataclass(frozen=True, slots=True)
class _Found:
    asked: PoseQuestion
    photograph: Photograph

    @property
    def order(self) -> tuple[str | int, ...]:
        return (self.photograph.file, str(self.photograph.picture), *(seen.number for seen in self.asked.about))


def import_object_pose(
    source: Source,
    path: Path,
    out: Path,
    *,
    labels: Path | None = None,
    tasks: Sequence[str] = (),
    n: int | None = None,
    seed: int = 0,
    progress: Progress = lambda: None,
) -> ObjectPoseImportSummary:
    """Writes the data folder `out` with questions about the photographs of a data set: all that the annotations allow, or of each task
    and level `n`, with every answer about equally often as far as there are such objects. `tasks` are names or globs; by default
    those that the paper asks about this set. Raises UserError; then nothing has been written.
    """
    chosen = _chosen(source, tasks)
    check_new(out)
    if not path.exists():
        raise UserError(f"{path}: no such file or folder.")
    if source.labels and labels is None:
        raise UserError(
            f"{source.name} does not tell which way anything faces; give your own --labels, a CSV with the columns annotation and facing."
        )
    outcome = ObjectPoseImportSummary()
    with aside(out) as folder:
        lines: list[dict[str, object]] = []
        usable = list(_usable(source, path, labels, chosen, outcome, lines, progress))
        if not usable:
            reasons = ", ".join(f"{count} {reason}" for reason, count in outcome.rejected.most_common(3)) or "there are none"
            raise UserError(f"{path}: not one question can be made of the annotations of {source.title} ({reasons}).")
        picked = _picked(usable, n, seed)
        asked = {_key(one.photograph, seen) for one in picked for seen in one.asked.about}
        outcome.used = len(asked)
        outcome.left = len({_key(one.photograph, seen) for one in usable for seen in one.asked.about}) - len(asked)
        names = _write(source, picked, folder, outcome)
        if lines:
            (folder / REJECTED).write_text(json_lines.lines(lines, escaped=True), encoding="utf-8")
        settings = {"source": f"{source.title}, {source.home}"}
        finish(folder, [DataPart(name, VERSION, SPLIT, count, seed=seed, settings={**settings}) for name, count in sorted(names.items())])
    return outcome


def _chosen(source: Source, tasks: Sequence[str]) -> list[str]:
    """The tasks that names or globs mean. Raises UserError for one that means none."""
    for glob in tasks:
        if not any(_means(glob, name) for name in questions.TASKS):
            raise UserError(f"--task {glob}: there are {', '.join(questions.TASKS)}.")
    return [name for name in questions.TASKS if (any(_means(glob, name) for glob in tasks) if tasks else name in source.tasks)]


def _means(glob: str, name: str) -> bool:
    return any(fnmatchcase(known, glob) for known in (name, f"dori/{name}", f"{SUITE}/{name}"))


def _key(photograph: Photograph, seen: AnnotatedObject) -> tuple[str, str, int]:
    return photograph.file, str(photograph.picture), seen.number


def _usable(
    source: Source,
    path: Path,
    labels: Path | None,
    tasks: Sequence[str],
    outcome: ObjectPoseImportSummary,
    lines: list[dict[str, object]],
    progress: Progress,
) -> Iterator[_Found]:
    """All questions that can be asked, photograph by photograph; what cannot be asked about goes to `lines`."""
    for photograph in source.read(path, labels):
        progress()
        outcome.photographs += 1
        outcome.annotations += len(photograph.lines)
        faults: dict[int, Unusable] = {line.number: line.fault for line in photograph.lines if line.fault}
        asked: list[PoseQuestion] = []
        try:
            size = framed_image.size(photograph.picture)
        except Unusable as fault:
            faults = {line.number: line.fault or fault for line in photograph.lines}
        else:
            objects = [line.seen for line in photograph.lines if line.seen]
            for name in tasks:
                about = _pairs(objects) if name == PAIR else [(seen,) for seen in objects]
                asked += _asked(name, about, photograph, size, faults)
        for one in asked:
            yield _Found(one, photograph)
        known = {seen.number for one in asked for seen in one.about}
        for line in photograph.lines:
            if line.number not in known:
                why = faults.get(line.number) or Unusable("alone in its picture: there is nothing to compare it with")
                outcome.rejected[why.reason] += 1
                where: dict[str, object] = {"file": photograph.file, "picture": photograph.picture.name, "annotation": line.number}
                lines.append(where | {"reason": why.reason, "detail": why.detail})


def _pairs(objects: Sequence[AnnotatedObject]) -> list[tuple[AnnotatedObject, AnnotatedObject]]:
    """Two objects each, in both orders: the first is the one in the red frame. Both are told apart by their direction, or are of one name."""
    pairs = permutations(objects, 2)
    return [
        (one, two) for one, two in pairs if one.rotational_symmetry == two.rotational_symmetry or (one.front is None or two.front is None)
    ]


def _asked(
    name: str, groups: Sequence[tuple[AnnotatedObject, ...]], photograph: Photograph, size: tuple[int, int], faults: dict[int, Unusable]
) -> Iterator[PoseQuestion]:
    pairs = 0
    for about in groups:
        fault: Unusable | None = None
        asked_questions: list[PoseQuestion] = []
        try:
            least = visibility.LEAST_OF_TWO if name == PAIR else visibility.LEAST
            for seen in about:
                visibility.check(seen, photograph.lines, size, least)
            if len(about) == 2:
                visibility.check_pair(*about)
        except Unusable as error:
            fault = error
        else:
            for level in LEVELS:
                try:
                    asked_questions.append(questions.ask(name, level, about))
                except Unusable as error:
                    fault = error
        pairs += len(about) == 2 and bool(asked_questions)
        if pairs <= _MOST_PAIRS:
            yield from asked_questions
        if not asked_questions and fault:
            for seen in about:
                faults.setdefault(seen.number, fault)


def _picked(candidates: Sequence[_Found], n: int | None, seed: int) -> list[_Found]:
    """All, or of each task and level `n`, going round the answers; in the order of the photographs."""
    if n is None:
        return list(candidates)
    cells: dict[tuple[str, str], dict[str, list[_Found]]] = defaultdict(lambda: defaultdict(list))
    for one in candidates:
        cells[one.asked.task, one.asked.level][one.asked.truth].append(one)
    picked: list[_Found] = []
    for (task, level), answers in sorted(cells.items()):
        waiting = {truth: Rng("photographs", task, level, truth, seed).shuffled(answers[truth]) for truth in sorted(answers)}
        wanted = n
        while wanted and any(waiting.values()):
            for rest in waiting.values():
                if wanted and rest:
                    picked.append(rest.pop())
                    wanted -= 1
    return sorted(picked, key=lambda one: tuple(map(str, one.order)))


def _write(source: Source, picked: Sequence[_Found], folder: Path, outcome: ObjectPoseImportSummary) -> dict[str, int]:
    """The rows of all items, photograph by photograph; how many of each task."""
    tasks: dict[str, Rows] = {}
    opened: tuple[Path, framed_image.Opened] | None = None
    for one in picked:
        picture = one.photograph.picture
        if opened is None or opened[0] != picture:
            try:
                opened = picture, framed_image.opened(picture)
            except Unusable as fault:
                raise UserError(f"{picture}: {fault}; take it out, or repair it.") from None
        name = f"{SUITE}/{one.asked.task}"
        rows = tasks.setdefault(name, Rows(name, folder))
        rows.add(_row(source, one, opened[1], len(rows)))
        outcome.items[name][f"{one.asked.level}: {one.asked.truth}"] += 1
        if sum(other.bytes for other in tasks.values()) > _BYTES:
            for other in tasks.values():
                other.flush()
    for rows in tasks.values():
        rows.close()
    return {name: len(rows) for name, rows in tasks.items()}


def _row(source: Source, one: _Found, photo: framed_image.Opened, number: int) -> ItemRow:
    asked, first = one.asked, one.asked.about[0].kind
    image = framed_image.framed(photo, tuple((seen.box, colour) for seen, colour in zip(asked.about, (RED, BLUE), strict=False)))
    facets = {
        "category": first.category,
        "broad class": first.broad,
        "setting": "photograph" if source.natural else "drawn scene",
        "pictures": "natural" if source.natural else "rendered",
        "source": source.name,
    }
    objects = [{"annotation": seen.number, "box": asdict(seen.box), "front": seen.front, "at": seen.at} for seen in asked.about]
    scene = {"annotations": one.photograph.file, "picture": one.photograph.picture.name, "objects": objects}
    return row(asked.task, asked.level, number, asked.question, image, photo.digest, facets, scene)
