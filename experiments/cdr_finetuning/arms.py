"""The four arms: all begin with the model of the stages, and differ in what they are shown.

    answer            the target's questions with bare answers
    mixed             the same, and questions of other suites among them
    reasoning         the target's questions with chains of thought
    reasoning-mixed   both

An arm is asked as it was taught: for the bare answer, or to think step by step. It goes on until it has seen so many samples of the
target, and until it has used as much compute as the longest arm needs for them; its curve has both points. Nothing is seen twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch

import isovist
from cdr_finetuning import training
from cdr_finetuning.batches import Sample, batch, mixed, replies, sample
from cdr_finetuning.model import Tiny
from cdr_finetuning.schooling import Ground, tiny
from cdr_finetuning.settings import BESIDE, GENERAL, TARGET, Settings
from cdr_finetuning.shelf import Shelf, Wanted, shelf
from isovist.data import prompts
from isovist.data.dataset.training_examples import STYLE_OF
from isovist.evaluation.models.embedded.tokenizer import Words


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    reasons: bool
    mixes: bool

    @property
    def style(self) -> str:
        """The prompt style in which it is asked."""
        return "step-by-step" if self.reasons else "direct"


ARMS = (Arm("answer", False, False), Arm("mixed", False, True), Arm("reasoning", True, False), Arm("reasoning-mixed", True, True))


@dataclass(frozen=True)
class Food:
    """What the arms are shown."""

    target: Shelf
    general: Shelf
    words: Words

    def target_sample(self, place: int, arm: Arm) -> Sample:
        text = self.target.texts[place]
        turn = (text.prompt_reasoning, text.reasoning) if arm.reasons else (text.prompt, text.reply)
        return sample(self.words, self.target.pictures[place], [turn])

    def general_sample(self, place: int) -> Sample:
        text = self.general.texts[place]
        return sample(self.words, self.general.pictures[place], [(text.prompt, text.reply)])


def food(settings: Settings, given: Ground, folder: Path, workers: int) -> Food:
    """Makes what is not there yet."""
    target = shelf(folder / "target", Wanted((TARGET,), settings.items, "train", 0), workers)
    general = shelf(folder / "general", Wanted(GENERAL, settings.general, "train", 0), workers)
    path = folder / "words-arms.json"
    if not path.exists():
        path.write_text(json.dumps(_vocabulary(given.words, target, general).tokens, ensure_ascii=False))
    return Food(target, general, Words(json.loads(path.read_text())))


def _vocabulary(words: Words, target: Shelf, general: Shelf) -> Words:
    """The words of the stages, and behind them those of what the arms are shown and asked in the end."""
    texts = [said for text in target.texts[:2000] for said in (text.prompt, text.prompt_reasoning, text.reasoning)]
    texts += [said for text in general.texts[:2000] for said in (text.prompt, text.prompt_reasoning, text.reply)]
    for task in BESIDE:
        for item in isovist.generate(task, n=100, seed=1, split="train"):
            texts += [prompts.prompt(item.question.text, item.answer, len(item.pictures), style) for style in STYLE_OF.values()]
    return words.more(texts)


def budget(settings: Settings, given: Food) -> int:
    """Tokens that the longest arm reads for its samples of the target: what every arm gets at least."""
    arm = ARMS[-1]
    n = min(500, len(given.target), len(given.general))
    target = sum(len(given.target_sample(place, arm).tokens) for place in range(n)) / n
    general = sum(len(given.general_sample(place).tokens) for place in range(n)) / n
    return round(settings.samples * (target + settings.mixed * general))


def arm(settings: Settings, start: Path, given: Food, held_out: Shelf, which: Arm, seed: int, folder: Path, device: torch.device) -> None:
    """Trains one arm with one seed, or goes on with it. Writes `curve.csv`, and at the end `weights.npz`."""
    done = folder / "weights.npz"
    if done.exists():
        return
    model = tiny(settings, given.words, device)
    if not (folder / "checkpoint.pt").exists():
        training.read(start, model)
    run = training.Run(model, settings.arm_rates, folder, settings.save_s)
    most, every = budget(settings, given), settings.samples // settings.curve_points
    if not run.counts.step:
        run.counts.marks["target"] = 0
        _point(run, which, seed, settings, given, held_out, float("nan"))
    order = _Order(settings, given, which, seed)
    while run.counts.marks["target"] < settings.samples or run.counts.tokens < most:
        samples, target = order.step(run.counts.step)
        surprise = run.step(batch(samples, device))
        before = run.counts.marks["target"]
        run.counts.marks["target"] = before + target
        over = run.counts.marks["target"] >= settings.samples and run.counts.tokens >= most
        if over or before // every != run.counts.marks["target"] // every:
            _point(run, which, seed, settings, given, held_out, surprise)
        run.save()
    run.save(at_once=True)
    training.write(done, given.words, model)


class _Order:
    """Which samples stand in which step: items in an order of the seed's own, general ones evenly among them."""

    def __init__(self, settings: Settings, given: Food, which: Arm, seed: int) -> None:
        self._given, self._which, self._batch = given, which, settings.arm_batch
        self._share = settings.mixed / (1 + settings.mixed) if which.mixes else 0.0
        self._target = _shuffled(len(given.target), f"target:{seed}")
        self._general = _shuffled(len(given.general), f"general:{seed}")

    def step(self, step: int) -> tuple[list[Sample], int]:
        """The samples of a step, and how many of them are of the target."""
        found = list(self._samples(range(step * self._batch, (step + 1) * self._batch)))
        return [sample for sample, _ in found], sum(is_target for _, is_target in found)

    def _samples(self, places: range) -> Iterator[tuple[Sample, bool]]:
        for place in places:
            before, after = int(place * self._share), int((place + 1) * self._share)
            if after > before:  # a general one stands here, the `before`th
                yield self._given.general_sample(self._general[before]), False
            else:
                yield self._given.target_sample(self._target[place - before], self._which), True


def _shuffled(n: int, key: str) -> list[int]:
    order = list(range(n))
    Random(key).shuffle(order)
    return order


def _point(run: training.Run, which: Arm, seed: int, settings: Settings, given: Food, held_out: Shelf, surprise: float) -> None:
    """Asks the held-out items and adds a point to the curve."""
    right, unread = asked(run.model, given.words, held_out, which, settings.reply)
    counts, target = run.counts, int(run.counts.marks["target"])
    told = {
        "step": counts.step,
        "arm": which.name,
        "seed": seed,
        "target": target,
        "general": counts.samples - target,
        "tokens": counts.tokens,
    }
    costs = {"flop": f"{training.flop(run.model, counts.tokens):.4g}", "seconds": round(counts.seconds), "loss": round(surprise, 4)}
    row = {**told, **costs, "n": len(held_out), "accuracy": round(right, 4), "unparsed": round(unread, 4)}
    training.log(run.folder / "curve.csv", row)
    print(json.dumps(row), flush=True)


def asked(model: Tiny, words: Words, items: Shelf, which: Arm, at_most: int) -> tuple[float, float]:
    """The share of items answered correctly, by the items' own scorer, and the share of replies that it cannot read."""
    scores = [text.score(reply) for text, reply in zip(items.texts, said(model, words, items, which, at_most), strict=True)]
    right = sum(score.outcome == "correct" for score in scores)
    return right / len(scores), sum(score.outcome in {"unparsed", "truncated"} for score in scores) / len(scores)


def said(model: Tiny, words: Words, items: Shelf, which: Arm, at_most: int) -> list[str]:
    """The replies to items, asked as the arm is taught."""
    prompts = [text.prompt_reasoning if which.reasons else text.prompt for text in items.texts]
    with mixed(next(model.parameters()).device):
        return replies(model, words, list(zip(prompts, items.pictures, strict=True)), at_most)
