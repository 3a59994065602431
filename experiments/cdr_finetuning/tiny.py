"""The small model that Isovist carries, `embedded/tiny`: the one of an arm, taught CDR's other questions about letters too.

python experiments/cdr_finetuning/tiny.py --out out/cdr_finetuning [--settings cpu|gpu] [--device cpu] [--threads 1]

It begins with the arm that reasons and mixes, is asked in every style in turn, and learns ever more slowly until it stands still. Writes
`tiny/weights.npz` and `tiny/known.csv`, the share right of each task and style on items of the split `train` that it did not learn from.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

import isovist
from cdr_finetuning import training
from cdr_finetuning.arms import ARMS, food
from cdr_finetuning.batches import Sample, batch, mixed, replies, sample
from cdr_finetuning.final import place
from cdr_finetuning.schooling import ground, tiny
from cdr_finetuning.settings import SETTINGS, TARGET, Settings
from isovist.data import prompts
from isovist.data.item import Item
from isovist.evaluation.models.embedded.image_patches import seen
from isovist.evaluation.models.embedded.tokenizer import Words

STYLES = ("final-line", "direct", "step-by-step")
"""The prompt styles that the model is taught; the published prompts are not among them."""
TASKS = (
    TARGET,
    "cdr/object-classification-letter",
    "cdr/relative-spatial-letter",
    "cdr/step-cell-letter",
)
"""What it is taught. The steps that name winds are left out: they have no chains of thought, bare answers to them were not learnt in 8,000
samples (11-14 %, guessing 12.5), and the chains of the target suffered where north was up.
"""
_LEARNT, _HELD_OUT = 3, 4
"""Seeds of the items, which are none of the experiment's."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the experiment's folder")
    parser.add_argument("--settings", choices=SETTINGS, default="cpu")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    settings, folder = SETTINGS[given.settings], given.out
    start = place(folder, ARMS[-1], settings.seeds[0]) / "checkpoint.pt"
    if not start.exists():
        print(f"{start}: there is no such arm yet; run_all.py --out {folder} makes it.", file=sys.stderr)
        return 2
    taught(settings, start, folder, torch.device(given.device))
    return 0


def taught(settings: Settings, start: Path, folder: Path, device: torch.device) -> None:
    """Teaches it, or goes on with that."""
    words = food(settings, ground(settings, folder / "shelves", 1), folder / "shelves", 1).words.more(_texts())
    model = tiny(settings, words, device)
    own = folder / "tiny"
    if not (own / "checkpoint.pt").exists():
        training.read(start, model)
    run = training.Run(model, settings.arm_rates, own, settings.save_s)
    steps = settings.samples // settings.arm_batch
    items = [isovist.generate(task, n=settings.samples, seed=_LEARNT, split="train") for task in TASKS]
    while run.counts.step < steps:
        at = run.counts.step * settings.arm_batch
        samples = [_sample(words, items[k % len(TASKS)][k], k // len(TASKS)) for k in range(at, at + settings.arm_batch)]
        run.step(batch(samples, device), 1 - run.counts.step / steps)
        run.save()
    run.save(at_once=True)
    training.write(own / "weights.npz", words, model)
    (own / "known.csv").unlink(missing_ok=True)
    for step, (task, style) in enumerate((task, style) for task in TASKS for style in STYLES):
        asked = isovist.generate(task, n=settings.tested, seed=_HELD_OUT, split="train")
        with mixed(device):
            said = replies(model, words, [(_prompt(item, style), seen(item.images[0])) for item in asked], settings.reply)
        right = sum(item.answer.score(reply).outcome == "correct" for item, reply in zip(asked, said, strict=True))
        row = {"step": step, "task": task, "style": style, "n": len(asked), "accuracy": round(right / len(asked), 4)}
        training.log(own / "known.csv", row)
        print(row, flush=True)


def _texts() -> list[str]:
    items = [item for task in TASKS for item in isovist.generate(task, n=300, seed=_LEARNT, split="train")]
    return [said for item in items for style in STYLES for said in (_prompt(item, style), _reply(item, style))]


def _sample(words: Words, item: Item, turn: int) -> Sample:
    style = STYLES[turn % len(STYLES)]
    return sample(words, seen(item.images[0]), [(_prompt(item, style), _reply(item, style))])


def _prompt(item: Item, style: str) -> str:
    return prompts.prompt(item.question.text, item.answer, len(item.pictures), style)


def _reply(item: Item, style: str) -> str:
    """The bare answer, or a chain of thought where the task has one, or the answer in a line of its own."""
    if style == "direct":
        return item.answer.canonical()
    return item.reasoning or f"Answer: {item.answer.canonical()}"


if __name__ == "__main__":
    raise SystemExit(main())
