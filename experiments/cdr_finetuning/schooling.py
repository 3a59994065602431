"""The stages before the arms, up to the gate: relation and look-up have to be known, or nothing else starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from torch import Tensor

from cdr_finetuning.batches import Batch, Sample, batch, mixed, pictures, sample, told
from cdr_finetuning.lessons import GATE, LESSONS, STAGES
from cdr_finetuning.model import Shape, Tiny
from cdr_finetuning.settings import TARGET, Settings
from cdr_finetuning.shelf import Shelf, Wanted, shelf
from cdr_finetuning.training import Run, log, write
from isovist.evaluation.models.embedded.tokenizer import Words

_COOL = 300
"""Steps at the end in which the learning rate falls."""
_NEW = 0.6
"""Share of the newest lessons in their stage."""
_SYMBOLS = ("empty", *"IJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True)
class Ground:
    """What the stages stand on: pictures to learn from and others, and the words of the lessons."""

    pictures: Shelf
    held_out: Shelf
    words: Words


def ground(settings: Settings, folder: Path, workers: int) -> Ground:
    """Makes what is not there yet."""
    held_out = shelf(folder / "held-out", Wanted((TARGET,), settings.held_out, "train", 1), workers)
    learnt = shelf(folder / "pictures", Wanted((TARGET,), settings.pictures, "train", 2), workers)
    path = folder / "words.json"
    if not path.exists():
        path.write_text(json.dumps(_vocabulary(held_out).tokens, ensure_ascii=False))
    return Ground(learnt, held_out, Words(json.loads(path.read_text())))


def _vocabulary(held_out: Shelf) -> Words:
    rng = Random("vocabulary")
    return Words.of(said for text in held_out.texts for lesson in LESSONS.values() for turn in lesson(text.cells, rng, 3) for said in turn)


def tiny(settings: Settings, words: Words, device: torch.device) -> Tiny:
    torch.manual_seed(0)
    return Tiny(Shape(len(words), settings.width, settings.layers, settings.heads)).to(device)


def stages(settings: Settings, given: Ground, folder: Path, device: torch.device) -> bool:
    """Goes through the stages, or on with them. Returns whether the gate is passed; then `start.npz` and the checkpoint are there."""
    model = tiny(settings, given.words, device)
    run = Run(model, (settings.rate, settings.rate_matrices), folder, settings.save_s)
    counts = run.counts
    while counts.step < settings.eye_steps:  # the eye alone: a patch is to look like the word for what it shows
        _look(run, given, settings, device)
    exam = Exam(given, settings.held_out, device)
    while "gate" not in counts.marks:
        stage = int(counts.marks.setdefault("stage", 0))
        at = counts.step - int(counts.marks.setdefault("begun", counts.step))
        cooling = stage == len(STAGES)
        lessons = [_lesson(stage, Random(f"stage:{counts.step}:{k}")) for k in range(settings.stage_batch)]
        samples = [_sample(given, settings, name, f"{counts.step}:{k}") for k, name in enumerate(lessons)]
        surprise = run.step(batch(samples, device), max(0.05, 1 - at / _COOL) if cooling else 1.0)
        if (at + 1) % settings.check_every == 0:
            known = exam.marks(model)
            log(folder / "stages.csv", {**_row(run, stage), "loss": round(surprise, 4), **known})
            print(json.dumps({**_row(run, stage), **known}), flush=True)
            if cooling and at + 1 >= min(_COOL, settings.stage_most):
                counts.marks["gate"] = min(known[name] for name in GATE)
            elif not cooling and _learnt(known, stage, settings):
                counts.marks |= {"stage": stage + 1, "begun": counts.step}
            elif at + 1 >= settings.stage_most:
                run.save(at_once=True)
                return False
        run.save()
    run.save(at_once=True)
    write(folder / "start.npz", given.words, model)
    return counts.marks["gate"] > settings.gate


def _learnt(known: Mapping[str, float], stage: int, settings: Settings) -> bool:
    """Whether the stage is over: what is new in it is known, and what came before is not forgotten."""
    return min(known[name] for name in STAGES[stage]) >= settings.known and all(known[name] >= settings.kept for name in _before(stage))


def _before(stage: int) -> list[str]:
    return [name for names in STAGES[:stage] for name in names]


def _row(run: Run, stage: int) -> dict[str, object]:
    counts = run.counts
    told = {"step": counts.step, "stage": " and ".join(STAGES[stage]) if stage < len(STAGES) else "cooling", "samples": counts.samples}
    return {**told, "tokens": counts.tokens, "seconds": round(counts.seconds)}


def _lesson(stage: int, rng: Random) -> str:
    if 0 < stage < len(STAGES) and rng.random() < _NEW:
        return rng.choice(STAGES[stage])
    return rng.choice(_before(max(stage, 1)))


def _sample(given: Ground, settings: Settings, lesson: str, key: str) -> Sample:
    rng = Random(f"sample:{key}")
    place = rng.randrange(len(given.pictures))
    turns = LESSONS[lesson](given.pictures.texts[place].cells, rng, settings.turns[lesson])
    return sample(given.words, given.pictures.pictures[place], turns)


def _look(run: Run, given: Ground, settings: Settings, device: torch.device) -> None:
    rng = Random(f"eye:{run.counts.step}")
    places = [rng.randrange(len(given.pictures)) for _ in range(2 * settings.stage_batch)]
    symbols = torch.tensor([given.words.ids(name)[0] for name in _SYMBOLS], device=device)
    shown = torch.tensor([[_SYMBOLS.index(cell or "empty") for cell in given.pictures.texts[p].cells] for p in places], device=device)
    run.look(pictures([given.pictures.pictures[place] for place in places], device), shown, symbols)
    run.save()


class Exam:
    """One question of each lesson about each of some pictures that are not learnt from."""

    def __init__(self, given: Ground, n: int, device: torch.device) -> None:
        self._device = device
        held, places = given.held_out, range(min(n, len(given.held_out)))
        self._asked: dict[str, list[Batch]] = {}
        for name, lesson in LESSONS.items():
            samples = [
                sample(given.words, held.pictures[place], lesson(held.texts[place].cells, Random(f"exam:{name}:{place}"), 1))
                for place in places
            ]
            self._asked[name] = [batch(samples[first : first + 250], device) for first in range(0, len(samples), 250)]

    def marks(self, model: Tiny) -> dict[str, float]:
        """The share of questions of each lesson that the model answers word for word."""
        with mixed(self._device):
            right: dict[str, Tensor] = {name: torch.cat([told(model, asked) for asked in batches]) for name, batches in self._asked.items()}
        return {name: round(known.float().mean().item(), 4) for name, known in right.items()}
