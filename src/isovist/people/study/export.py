"""Export of participants' answers as runs, for the same reports as runs of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.prompts import DEFAULT_STYLE
from isovist.evaluation.models.base import GenerationConfig, ModelResponse
from isovist.evaluation.run.records import AttemptRecord, hashed, hashed_image, line_of, outcome_of, score_as_published
from isovist.evaluation.run.run_folder import BY_STUDY, RUN, RunFolder, RunMetadata, now, stored, versions
from isovist.evaluation.run.study_facts import StudyFacts
from isovist.evaluation.run.usage_summary import usage_summary
from isovist.people.annotate.cards import Card
from isovist.people.study import attention_checks
from isovist.people.study.item_presentation import answer_of
from isovist.people.study.participants import Answer, ParticipantStore, Vision
from isovist.people.study.plan import STUDY, Study

MODEL = "human"


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """A run that was written."""

    folder: Path
    model: str
    answers: int
    items: int


def each(
    study: Study, people: ParticipantStore, out: Path, progress: Callable[[], object] = lambda: None, visions: Sequence[Vision] = ()
) -> list[ExportedRun]:
    """Write a run for each participant with answers into a subfolder of `out`.

    With `visions`, only participants with this self-reported colour vision are exported. Raises UserError if `out` has other content,
    before anything is written.
    """
    answers, facts = _answers(study, people, visions)
    by_person = {person.handle: [answer for answer in answers if answer.person == person.handle] for person in people.all()}
    given = {handle: person_answers for handle, person_answers in by_person.items() if person_answers}
    if not given:
        raise _no_answers(visions, facts)
    # the runs are not mixed with the files of another folder
    for mark, noun in ((MANIFEST, "dataset"), (RUN, "run"), (STUDY, "study")):
        if (out / mark).exists():
            raise UserError(f"Folder is a {noun}: {out}. Choose another --out folder.")
    _no_file(out)
    rules = " or ".join(["--colour-vision"] * bool(visions) + ["attention checks"] * bool(facts.excluded))
    if rules and (left := [folder.parent.name for folder in sorted(out.glob(f"*/{RUN}")) if folder.parent.name not in given]):
        raise UserError(f"Folder has runs of participants excluded by {rules} ({', '.join(left)}): {out}. Choose another --out folder.")
    for handle in given:
        _check(out / handle, f"{MODEL}/{handle}")
    return [
        _write(study, out / handle, f"{MODEL}/{handle}", person_answers, progress, 1, facts) for handle, person_answers in given.items()
    ]


def _answers(study: Study, people: ParticipantStore, visions: Sequence[Vision]) -> tuple[list[Answer], StudyFacts]:
    """The answers to test items of the participants who are not excluded, and the facts of the study."""
    answers, methods = people.answers(practice=True), study.plan.methods
    excluded = attention_checks.excluded(attention_checks.passed(study.checks, answers), methods.max_missed)
    wanted = {person.handle for person in people.all() if not visions or person.vision in visions} - excluded
    items = {item.card.id for item in study.items}
    counts = Counter(answer.person for answer in answers if answer.item in items)
    facts = StudyFacts(
        begun=len(counts),
        finished=list(counts.values()).count(len(items)),
        excluded=len(excluded & counts.keys()),
        attention_checks=methods.attention_checks,
        max_missed=methods.max_missed,
        statements=study.plan.statements,
    )
    return [answer for answer in answers if answer.item in items and answer.person in wanted], facts


def _no_answers(visions: Sequence[Vision], facts: StudyFacts) -> UserError:
    if facts.excluded and not visions:
        return UserError(f"No answers to export: all {facts.excluded} participants are excluded by attention checks.")
    if visions:
        return UserError(
            f"No answers from participants with --colour-vision {' or '.join(visions)}. Remove --colour-vision to export all participants."
        )
    return UserError("No answers to export. Run `isovist study serve` first.")


def together(
    study: Study, people: ParticipantStore, out: Path, progress: Callable[[], object] = lambda: None, visions: Sequence[Vision] = ()
) -> list[ExportedRun]:
    """Write one run for all participants: each item has the answer of one random participant, by the seed of the study.

    Its accuracy estimates the mean accuracy of the participants, and its errors are theirs. Raises UserError as `each` does.
    """
    by_item: dict[str, list[Answer]] = {}
    answers, facts = _answers(study, people, visions)
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    if not by_item:
        raise _no_answers(visions, facts)
    rng = Rng("study", study.plan.seed, "together")
    picked = [rng.at(item).pick(sorted(given, key=lambda answer: answer.person)) for item, given in by_item.items()]
    _check(out, MODEL)
    return [_write(study, out, MODEL, picked, progress, len({answer.person for answer in answers}), facts)]


def _no_file(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"Not a folder: {out}. Give a folder for --out.")


def _check(out: Path, model: str) -> None:
    """Raises UserError if the folder has any content except an earlier export of the same model."""
    folder = RunFolder(out)
    _no_file(out)
    if folder.exists():
        info = folder.info()
        if (info.source_tool, info.model) != (BY_STUDY, model):
            raise UserError(f"Run folder has a different model ({info.model}): {out}. Choose another --out folder.")
    elif out.exists() and any(out.iterdir()):
        raise UserError(f"Folder is not empty: {out}. Choose a new or empty --out folder.")


def _write(
    study: Study,
    out: Path,
    model: str,
    answers: Sequence[Answer],
    progress: Callable[[], object],
    participants: int,
    facts: StudyFacts,
) -> ExportedRun:
    given = {answer.item: answer for answer in answers}
    records: list[AttemptRecord] = []
    sizes: Counter[str] = Counter()
    for item in study.items:
        if (answer := given.get(item.card.id)) is not None:
            records.append(_record(item.card, answer))
            sizes.update(_size(path) for path in item.card.pictures)
            progress()
    times = sorted(answer.at[:19] + "+00:00" for answer in answers)
    plan = study.plan
    info = RunMetadata(
        model=model,
        source_tool=BY_STUDY,
        n_participants=participants,
        study=facts,
        style=DEFAULT_STYLE,
        options=GenerationConfig(),
        data=stored(plan.checked(), out),
        data_hash=plan.data_hash,
        parts=plan.parts,
        n=plan.per_task,
        started=times[0] if times else now(),
        finished=times[-1] if times else now(),
        usage=usage_summary(records, (), sizes, None),
        versions=versions(),
    )
    out.mkdir(parents=True, exist_ok=True)
    folder = RunFolder(out)
    with folder.locked():
        # records first: a folder becomes a run with `run.json`, and then all records exist
        written = folder.records.with_suffix(".jsonl.new")
        written.write_bytes(b"".join(map(line_of, records)))
        written.replace(folder.records)
        folder.write(info)
    return ExportedRun(out, model, len(records), len(study.items))


def _record(card: Card, answer: Answer) -> AttemptRecord:
    key = answer_of(card)
    reply = ModelResponse(answer.reply, latency_s=answer.seconds)
    outcome, value, parsed = outcome_of(reply, key)
    words = "\n".join(filter(None, (card.text, key.options_text() if card.options else "")))
    return AttemptRecord(
        item_id=card.id,
        prompt_hash=hashed(words.encode()),  # the text that the participant read
        image_hashes=[hashed_image(path.read_bytes()) for path in card.pictures],
        attempt=1,
        response=reply.text,
        reasoning="",
        outcome=outcome,
        credit=value,
        parsed_answer=parsed,
        latency_s=round(answer.seconds, 4),
        published_credit=score_as_published(card.part, reply, key),
    )


def _size(path: Path) -> str:
    with Image.open(path) as opened:
        return f"{opened.width}x{opened.height}"
