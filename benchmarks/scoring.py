"""How fast replies are read on one core (its processor time), and how the readers of reasoning-gym and VLMEvalKit compare on the same replies.

python benchmarks/scoring.py
python benchmarks/scoring.py --reasoning-gym SITE/reasoning_gym/utils.py --vlmevalkit CHECKOUT/vlmeval/utils/matching_util.py

The first rows score items whose options this process has not seen, as a run does, so that nothing of their lists is kept.
The other readers are loaded from one file each, without their packages. reasoning-gym reads what stands in `<answer>` tags; VLMEvalKit
reads the label or text of an option.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from rates import ROUNDS, seconds

from isovist.core.answers import LETTERS, Choice, from_json
from isovist.data.item import Item
from isovist.data.items import generate

Reader = Callable[[str, Choice], str | None]
CORPORA = Path(__file__).parents[1] / "tests/corpus"
THOUGHT = "I look at the picture from the left to the right and compare what is near with what is far. "


FRESH = ("cdr/relative-compass-letter", "cdr/object-classification-letter", "perceptv/counting-circles")
_NAMING = "Step {}: the letter K is to the left of Q, and up is South-West, so perhaps option B or option C could fit here."
LONG_LENGTH = 30_000
LONG = (
    ("sentences that name options", _NAMING, "\nAnswer: C"),
    ("sentences that name none", "Step {}: the next row is compared with the row before it, which takes a while.", "\nAnswer: C"),
    ("sentences that name options, no answer", _NAMING, ""),
)


def _first_time(items: list[Item]) -> float:
    start = time.process_time()
    for item in items:
        item.answer.score(f"Answer: {item.answer.canonical()}")
    return (time.process_time() - start) / len(items)


def timed(name: str, work: Callable[[], object], replies: int) -> None:
    each = seconds(work, time.process_time) / replies
    print(f"{name:<72}{1e6 * each:>9.0f} us a reply{1 / each:>12.0f} replies/s")


def rows() -> list[dict[str, Any]]:
    lines = [line for path in sorted(CORPORA.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [json.loads(line) for line in lines]


def loaded(path: Path, name: str) -> ModuleType:
    """The module of one file. Of its package it needs at most a logger."""
    for package in ("vlmeval", "vlmeval.smp", "vlmeval.smp.log"):
        sys.modules.setdefault(package, ModuleType(package))
    vars(sys.modules["vlmeval.smp.log"])["get_logger"] = logging.getLogger
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def readers(reasoning_gym: Path | None, vlmevalkit: Path | None) -> dict[str, Reader]:
    """Each reader gives the label of an option, or None."""
    out: dict[str, Reader] = {"Isovist": lambda reply, answer: answer.score(reply).parsed_answer}
    if reasoning_gym:
        extract = loaded(reasoning_gym, "reasoning_gym_utils").extract_answer
        out["reasoning-gym"] = lambda reply, answer: _label(extract(reply) or "", answer)
    if vlmevalkit:
        infer = loaded(vlmevalkit, "matching_util").can_infer
        out["VLMEvalKit"] = lambda reply, answer: _label(infer(reply, dict(zip(LETTERS, answer.options, strict=False))) or "", answer)
    return out


def _label(text: str, answer: Choice) -> str | None:
    return text if text and text in LETTERS[: len(answer.options)] else None


def compare(named: dict[str, Reader]) -> None:
    """Errors on the labelled replies to choices, and the speed on short and long ones."""
    labelled = [(answer, row) for row in rows() if isinstance(answer := from_json(row["answer"]), Choice)]
    stated = [(answer, row) for answer, row in labelled if row["why"] == "read" and row["must"]]
    silent = [(answer, row) for answer, row in labelled if row["why"] != "read"]
    print(f"\n{len(stated)} labelled replies state an option, {len(silent)} state none")
    for name, read in named.items():
        given = [(read(row["reply"], answer), row["read"]) for answer, row in stated]
        missed, other = sum(value is None for value, _ in given), sum(value not in (None, label) for value, label in given)
        accepted = sum(read(row["reply"], answer) is not None for answer, row in silent)
        print(f"{name:<16}{missed:>5} not read{other:>5} read as another{accepted:>5} of those without an option read as one")
    items = list(generate("cdr/relative-compass-letter", n=50))
    keys = [item.answer for item in items if isinstance(item.answer, Choice)]
    for size in (0, 600, 30_000):
        lines = (size + len(THOUGHT) - 1) // len(THOUGHT)
        replies = ["\n".join([THOUGHT.strip()] * lines + [f"Answer: {key.canonical()}"]) for key in keys]
        tagged = [reply.replace("Answer: ", "<answer>") + "</answer>" for reply in replies]
        for name, read in named.items():
            texts = tagged if name == "reasoning-gym" else replies
            timed(f"{name}: {size:,} characters above the answer", partial(_read_all, read, texts, keys), len(keys))


def _read_all(read: Reader, replies: list[str], keys: list[Choice]) -> list[str | None]:
    return [read(reply, key) for reply, key in zip(replies, keys, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reasoning-gym", type=Path, help="its utils.py")
    parser.add_argument("--vlmevalkit", type=Path, help="its matching_util.py")
    arguments = parser.parse_args()
    corpus = [(from_json(row["answer"]), row["reply"]) for row in rows()]
    timed(f"the corpora ({len(corpus)} replies of all kinds)", lambda: [answer.score(reply) for answer, reply in corpus], len(corpus))
    for task in FRESH:
        fresh = [list(generate(task, n=600, seed=seed)) for seed in range(ROUNDS)]
        each = statistics.median(_first_time(items) for items in fresh)
        print(f"{f'`Answer: B` to {task}, options not seen before':<72}{1e6 * each:>9.1f} us a reply{1 / each:>12.0f} replies/s")
    items = list(generate("cdr/relative-compass-letter", n=200))
    timed(
        "'Answer: B' to items scored before",
        lambda: [item.answer.score(f"Answer: {item.answer.canonical()}") for item in items],
        len(items),
    )
    for name, sentence, last in LONG:
        texts = [sentence.format(n) for n in range(LONG_LENGTH // len(sentence) + 1)]
        for way, separator in (("one line", " "), ("a line for each sentence", "\n")):
            reply = separator.join(texts)[:LONG_LENGTH] + last
            timed(f"{LONG_LENGTH:,} characters, {name}, {way}", lambda reply=reply: [item.answer.score(reply) for item in items[:40]], 40)
    chains = [item.reasoning or "" for item in items]
    timed(
        "a chain of thought of about 600 characters",
        lambda: [item.answer.score(chain) for item, chain in zip(items, chains, strict=True)],
        len(items),
    )
    long = ["\n".join([chain] * 8) for chain in chains[:50]]
    timed(
        f"a reply of {len(long[0])} characters that says its answer eight times",
        lambda: [item.answer.score(reply) for item, reply in zip(items, long, strict=False)],
        len(long),
    )
    compare(readers(arguments.reasoning_gym, arguments.vlmevalkit))


if __name__ == "__main__":
    main()
