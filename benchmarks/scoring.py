"""How fast replies are read: the hand-labelled corpora, short replies, and long chains of thought.

python benchmarks/scoring.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from rates import seconds

from isovist.core.answers import from_json
from isovist.items import generate


def timed(name: str, work: Callable[[], object], replies: int) -> None:
    each = seconds(work) / replies
    print(f"{name:<52}{1e6 * each:>9.0f} us a reply{1 / each:>12.0f} replies/s")


def main() -> None:
    folder = Path(__file__).parents[1] / "tests/corpus"
    rows = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").split("\n") if line]
    corpus = [(from_json(row["answer"]), row["reply"]) for row in rows]
    timed(f"the corpora ({len(corpus)} replies of all kinds)", lambda: [answer.score(reply) for answer, reply in corpus], len(corpus))
    items = list(generate("cdr/relative-compass-letter", n=200))
    timed("'Answer: B'", lambda: [item.answer.score(f"Answer: {item.answer.canonical()}") for item in items], len(items))
    timed("a chain of thought of about 600 characters", lambda: [item.answer.score(item.reasoning or "") for item in items], len(items))
    long = ["\n".join([item.reasoning or ""] * 8) for item in items[:50]]
    timed(
        f"a reply of {len(long[0])} characters that says its answer eight times",
        lambda: [item.answer.score(reply) for item, reply in zip(items, long, strict=False)],
        len(long),
    )


if __name__ == "__main__":
    main()
