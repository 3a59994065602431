"""Import annotated photographs as a dataset folder. Annotations without a question are skipped with a reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import Photo, open_photo, photo_size
from isovist.data.importers.object_pose import questions, visibility
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, Photograph, Source
from isovist.data.importers.object_pose.questions import LEVELS, PAIR, PoseQuestion
from isovist.data.importers.object_pose.rows import SUITE, framed, row
from isovist.data.importers.pipeline import NewDataFolder, Progress, chosen_tasks, new_data_folder
from isovist.world.scenes.scene_transforms import BLUE, RED

_MOST_PAIRS = 8
"""Maximum number of object pairs per photograph."""


@dataclass(slots=True)
class ObjectPoseImportSummary:
    """The result of an import."""

    rejected: Counter[str]
    """Annotations without a question, by reason."""
    photographs: int = 0
    annotations: int = 0
    used: int = 0
    """Annotations with a question."""
    left: int = 0
    """Annotations with a possible question that was not needed."""
    items: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """By task: the number of items by level and key."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A possible question about a photograph."""

    asked: PoseQuestion
    photograph: Photograph

    @property
    def order(self) -> tuple[str, ...]:
        return (self.photograph.file, str(self.photograph.picture), *(str(seen.number) for seen in self.asked.about))

    @property
    def annotations(self) -> list[tuple[str, str, int]]:
        return [(self.photograph.file, str(self.photograph.picture), seen.number) for seen in self.asked.about]


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
    """Write the dataset folder `out` with questions about the photographs of a dataset.

    Without `n`: all possible questions. Else `n` per task and level, with keys balanced as far as possible. `tasks` are names or
    globs; default: the tasks for which the paper uses this dataset. Raises UserError; then nothing is written.
    """
    chosen = chosen_tasks(tasks, {name: (f"dori/{name}", f"{SUITE}/{name}") for name in questions.TASKS}) if tasks else source.tasks
    with new_data_folder(out) as data:
        if not path.exists():
            raise UserError(f"File or folder does not exist: {path}. Correct the path.")
        if source.labels and labels is None:
            raise UserError(
                f"No facing directions in {source.name}: --labels is missing. Give a CSV file with the columns annotation and facing."
            )
        summary = ObjectPoseImportSummary(data.rejections.counts)
        candidates: list[_Candidate] = []
        for photograph in _photographs(source, path, labels):
            progress()
            summary.photographs += 1
            summary.annotations += len(photograph.lines)
            candidates += [_Candidate(asked, photograph) for asked in _questions(photograph, chosen, data)]
        if not candidates:
            reasons = data.rejections.most_common() or "there are none"
            raise UserError(f"No question is possible from the annotations of {source.title} ({reasons}): {path}. Check the path.")
        picked = _balanced_sample(candidates, n, seed)
        asked_about = {annotation for candidate in picked for annotation in candidate.annotations}
        summary.used = len(asked_about)
        summary.left = len({annotation for candidate in candidates for annotation in candidate.annotations}) - summary.used
        opened: dict[Path, Photo] = {}
        for candidate in picked:
            picture = candidate.photograph.picture
            if picture not in opened:
                opened = {picture: _opened(candidate.photograph)}
            task = f"{SUITE}/{candidate.asked.task}"
            data.add(_row(source, candidate, opened[picture], data.items[task]))
            summary.items[task][f"{candidate.asked.level}: {candidate.asked.truth}"] += 1
        data.finish({"source": f"{source.title}, {source.home}"}, seed)
    return summary


def _photographs(source: Source, path: Path, labels: Path | None) -> Iterator[Photograph]:
    """Yield the photographs of all annotation files. Raises UserError if there is no such file."""
    more = (source.labels(labels),) if source.labels and labels else ()
    files = 0
    for file in file_reader.listed(path, source.files):
        photographs = source.read(file, file_reader.name(file, path), *more)
        if photographs is not None:
            files += 1
            yield from photographs
    if not files:
        raise UserError(f"{path}: not {source.title}; looked for {source.wanted}.")


def _opened(photograph: Photograph) -> Photo:
    try:
        return open_photo(photograph.picture, upright=_is_upright(photograph))
    except Unusable as fault:
        raise UserError(f"Unusable image ({fault}): {photograph.picture}. Remove or repair it.") from None


def _is_upright(photograph: Photograph) -> bool:
    """Whether the annotations are in pixels of the image as its EXIF rotation shows it: they state its size. Raises Unusable."""
    return photograph.size not in (None, photo_size(photograph.picture))


def _questions(photograph: Photograph, tasks: Sequence[str], data: NewDataFolder) -> list[PoseQuestion]:
    """Return all possible questions about a photograph; annotations without one are skipped."""
    faults: dict[int, Unusable] = {line.number: line.fault for line in photograph.lines if line.fault}
    questions_here: list[PoseQuestion] = []
    try:
        size = photo_size(photograph.picture, upright=_is_upright(photograph))
        if photograph.size not in (None, size):
            raise Unusable("the image has another size than its annotations state", f"{size[0]} x {size[1]} pixels")
    except Unusable as fault:
        faults = {line.number: line.fault or fault for line in photograph.lines}
    else:
        objects = [line.seen for line in photograph.lines if line.seen]
        for name in tasks:
            groups = _pairs(objects) if name == PAIR else [(annotated,) for annotated in objects]
            questions_here += _questions_of_task(name, groups, photograph, size, faults)
    used_numbers = {annotated.number for one in questions_here for annotated in one.about}
    for line in photograph.lines:
        if line.number not in used_numbers:
            fault = faults.get(line.number) or Unusable("the only object in its image, so there is no comparison")
            data.reject(fault, file=photograph.file, picture=photograph.picture.name, annotation=line.number)
    return questions_here


def _pairs(objects: Sequence[AnnotatedObject]) -> list[tuple[AnnotatedObject, AnnotatedObject]]:
    """Return ordered pairs of objects; the first has the red frame. A pair differs in direction or has one name."""
    pairs = permutations(objects, 2)
    return [
        (one, two) for one, two in pairs if one.rotational_symmetry == two.rotational_symmetry or (one.front is None or two.front is None)
    ]


def _questions_of_task(
    name: str, groups: Sequence[tuple[AnnotatedObject, ...]], photograph: Photograph, size: tuple[int, int], faults: dict[int, Unusable]
) -> Iterator[PoseQuestion]:
    pairs = 0
    for group in groups:
        fault: Unusable | None = None
        group_questions: list[PoseQuestion] = []
        try:
            least = visibility.LEAST_OF_TWO if name == PAIR else visibility.LEAST
            for annotated in group:
                visibility.check(annotated, photograph.lines, size, least)
            if len(group) == 2:
                visibility.check_pair(*group)
        except Unusable as error:
            fault = error
        else:
            for level in LEVELS:
                try:
                    group_questions.append(questions.ask(name, level, group))
                except Unusable as error:
                    fault = error
        pairs += len(group) == 2 and bool(group_questions)
        if pairs <= _MOST_PAIRS:
            yield from group_questions
        if not group_questions and fault:
            for annotated in group:
                faults.setdefault(annotated.number, fault)


def _balanced_sample(candidates: Sequence[_Candidate], n: int | None, seed: int) -> list[_Candidate]:
    """Return all candidates, or `n` per task and level with alternating keys; in the order of the photographs."""
    if n is None:
        return list(candidates)
    cells: dict[tuple[str, str], dict[str, list[_Candidate]]] = defaultdict(lambda: defaultdict(list))
    for candidate in candidates:
        cells[candidate.asked.task, candidate.asked.level][candidate.asked.truth].append(candidate)
    picked: list[_Candidate] = []
    for (task, level), answers in sorted(cells.items()):
        shuffled = {truth: Rng("photographs", task, level, truth, seed).shuffled(answers[truth]) for truth in sorted(answers)}
        missing = n
        while missing and any(shuffled.values()):
            for remaining in shuffled.values():
                if missing and remaining:
                    picked.append(remaining.pop())
                    missing -= 1
    return sorted(picked, key=lambda candidate: candidate.order)


def _row(source: Source, candidate: _Candidate, photo: Photo, number: int) -> ItemRow:
    question, first = candidate.asked, candidate.asked.about[0].kind
    image = framed(photo, tuple((seen.box, colour) for seen, colour in zip(question.about, (RED, BLUE), strict=False)))
    attributes = {
        "category": first.category,
        "broad class": first.broad,
        "setting": "photograph" if source.natural else "drawn scene",
        "pictures": "natural" if source.natural else "rendered",
        "source": source.name,
    }
    objects = [{"annotation": seen.number, "box": asdict(seen.box), "front": seen.front, "at": seen.at} for seen in question.about]
    scene = {"annotations": candidate.photograph.file, "picture": candidate.photograph.picture.name, "objects": objects}
    return row(question.task, question.level, number, question.question, image, photo.digest, attributes, scene)
