"""Questions about rotations from the images that annotators accepted, as a dataset folder, and the reasons for excluded images."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.core.option_angles import OptionAngles
from isovist.core.rng import Rng, balanced_stratum
from isovist.data.dataset import external_rows
from isovist.data.dataset.data_card import GENERATED
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.pipeline import check_new, new_data_folder
from isovist.people.annotate.agreement import Agreement, agreements, standing
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.annotate.cards import Job
from isovist.people.text_to_image import description_writer, image_generation, rotation_questions
from isovist.people.text_to_image.descriptions import Description
from isovist.people.text_to_image.facing_directions import NAMES, WORDS
from isovist.people.text_to_image.image_generation import REJECT, Picture
from isovist.people.text_to_image.model_presets import KNOWN, UNKNOWN
from isovist.people.text_to_image.rotation_questions import RotationQuestion

SUITE = "srbench-generated"
SKIPPED = "skipped.jsonl"

_POSITIVE = "clockwise, seen from above"


@dataclass(frozen=True, slots=True)
class Accepted:
    """An image with the facing direction that annotators stated."""

    picture: Picture
    of: Description
    facing: int


@dataclass(slots=True)
class QuestionSummary:
    items: Counter[str] = field(default_factory=Counter[str])
    """By task."""
    accepted: Counter[str] = field(default_factory=Counter[str])
    """Accepted images by facing direction."""
    painters: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """By preset: accepted and annotated images."""
    as_asked: int = 0
    """Accepted images with the facing direction of their description."""
    rejected: int = 0
    differ: int = 0
    """Images with different answers."""
    waiting: int = 0
    """Images with too few answers."""
    agreement: list[Agreement] = field(default_factory=list[Agreement])
    """Empty if no image has two answers."""


def collect(folder: Path, out: Path, *, people: int = 1, each: int = 1, n: int | None = None, seed: int = 0) -> QuestionSummary:
    """Write questions about the images with equal answers of at least `people` annotators to the dataset folder `out`.

    Each image has `each` questions per task; `n` is the maximum number of items per task. Raises UserError without an accepted image;
    then nothing is written.
    """
    check_new(out)
    by_id = {one.id: one for one in description_writer.read(folder)}
    pictures = [one for one in image_generation.read(folder) if one.description in by_id and not one.fault]
    if not pictures:
        raise UserError(f"No images yet: {folder}. Run `isovist text-to-image generate {folder}`.")
    outcome = QuestionSummary()
    kept, skipped = _sorted(folder, pictures, by_id, people, outcome)
    if not kept:
        summary = f"{outcome.rejected} rejected, {outcome.differ} with different answers, {outcome.waiting} with too few answers"
        raise UserError(f"No accepted image ({summary}): {folder}. Run `isovist annotate {folder}`.")
    for one in kept:
        outcome.accepted[NAMES[one.facing]] += 1
        outcome.as_asked += one.facing == one.of.facing
    with new_data_folder(out) as data:
        for task in rotation_questions.TASKS:
            name = f"{SUITE}/{task}"
            for one, made in _questions(kept, task, each, n, seed):
                data.add(_row(folder, one, made, name, data.items[name], seed))
        outcome.items = data.items
        if skipped:
            (data.folder / SKIPPED).write_text(json_lines.lines(skipped), encoding="utf-8")
        licences = {known.model: known.licence for known in KNOWN.values()}
        used = {(_model(one), licences.get(str(one.picture.settings.get("model")), UNKNOWN)) for one in kept}
        drawn_by = ", ".join(sorted(f"{model} (licence: {licence})" for model, licence in used))
        data.finish({"source": f"{len(kept)} images that annotators accepted, drawn by {drawn_by}", "pictures": GENERATED}, seed)
    return outcome


def _model(one: Accepted) -> str:
    return Path(str(one.picture.settings.get("model", one.picture.painter))).name  # without local folders


def _sorted(
    folder: Path, pictures: list[Picture], by_id: dict[str, Description], people: int, outcome: QuestionSummary
) -> tuple[list[Accepted], list[dict[str, object]]]:  # fmt: skip
    """The accepted images in the order of the descriptions, and the reasons for the excluded ones."""
    order = {id: place for place, id in enumerate(by_id)}
    pictures = sorted(pictures, key=lambda one: (order[one.description], one.painter))
    job = Job(folder.name, tuple(image_generation.card(folder, one, by_id[one.description]) for one in pictures))
    given = Store(folder / ANSWERS, create=False).given()
    by_card = standing(job, given)
    if any(len(answers) > 1 for answers in by_card.values()):
        outcome.agreement = agreements(job, given)
    kept: list[Accepted] = []
    skipped: list[dict[str, object]] = []
    tallies: dict[str, list[int]] = {one.painter: [0, 0] for one in pictures}
    for one in pictures:
        replies = {person: answer.value for person, answer in sorted(by_card[one.card].items())}
        values = set(replies.values())
        tallies[one.painter][1] += bool(values)
        if REJECT in values:
            outcome.rejected += 1
            reason = "rejected"
        elif len(values) > 1:
            outcome.differ += 1
            reason = "seen differently"
        elif len(replies) < people:
            outcome.waiting += 1
            reason = "too few answers"
        elif not image_generation.whole(folder, one):
            raise UserError(f"Image is missing or has changed since annotation: {folder / one.file}. Generate it again.")
        else:
            tallies[one.painter][0] += 1
            kept.append(Accepted(one, by_id[one.description], NAMES.index(values.pop())))
            continue
        skipped.append({"picture": one.id, "file": one.file, "reason": reason, "answers": sorted(replies.values())})
    outcome.painters = {name: (accepted, total) for name, (accepted, total) in sorted(tallies.items())}
    return kept, skipped


def _questions(kept: list[Accepted], task: str, each: int, n: int | None, seed: int) -> list[tuple[Accepted, RotationQuestion]]:
    """The questions of a task, in rounds over the images. The final direction is the possible one that was the key least often, so that
    the keys are as balanced as the images allow.
    """
    made: list[tuple[Accepted, RotationQuestion]] = []
    used: Counter[int] = Counter()
    for round_ in range(each):
        for one in Rng(SUITE, task, seed, round_).shuffled(kept):
            if n is not None and len(made) >= n:
                return made
            rng = Rng(SUITE, task, seed, round_, one.picture.id)
            before = {rotation.after for other, rotation in made if other is one}
            open_ = [after for after in range(8) if after != one.facing and after not in before]
            after = min(rng.at("after").shuffled(open_), key=used.__getitem__)
            used[after] += 1
            letter = balanced_stratum(Rng(SUITE, task, seed, "letter"), rotation_questions.OPTIONS, len(made))
            made.append((one, rotation_questions.question(rng, task, one.of.name, one.facing, after, letter)))
    return made


def _row(folder: Path, one: Accepted, made: RotationQuestion, task: str, index: int, seed: int) -> ItemRow:
    image = (folder / one.picture.file).read_bytes()
    attributes = {
        "pictures": GENERATED,
        "painter": one.picture.painter,
        "object": one.of.object,
        "facing": NAMES[one.facing],
        "reference frame": made.turns[0].frame,
        "final direction": NAMES[made.after],
    }
    if len(made.turns) == 1:
        attributes |= {"degrees": str(made.turns[0].degrees), "rotation direction": made.turns[0].direction}
    scene = {
        "name": one.of.name,
        "facing": NAMES[one.facing],
        "turns": [[turn.eighths, turn.frame] for turn in made.turns],
        "after": NAMES[made.after],
        "description": one.of.text,
        "painter": {"model": _model(one), "seed": one.picture.seed, "made with": one.picture.made_with},
    }
    details = {
        "attributes": attributes,
        "distractor_types": list(made.errors),
        "option_angles": {
            "final direction": asdict(OptionAngles(tuple(45.0 * WORDS.index(option) for option in made.answer.options), _POSITIVE))
        },
        "scene": scene,
    }
    group = f"{SUITE}:{one.of.id}"
    return external_rows.row(
        task, index, made.text, made.answer, (image,), details, shown=external_rows.digest(image), group=group, seed=seed
    )
