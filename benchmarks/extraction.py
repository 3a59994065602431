"""How the parser agrees with labelled responses: stated answers that it rejects or misreads, and responses without an answer that it accepts.

python benchmarks/extraction.py                              # the corpus of this repository, tests/corpus
python benchmarks/extraction.py FILE [--show misread]        # labelled responses of any models; prints those with this verdict

FILE is JSONL. Each line is an object with

- `reply`: the response of the model;
- `answer_type`: choice, numbered (options that are chosen by number), integer, float, yesno, subset or sequence;
- `options`: the texts of the options, or the words of a subset or sequence; null for other types;
- `gold`: the answer that a careful reader takes from the response, in the parser's form (a letter of a choice, "yes", "3", words with
  commas); null if it commits to none;
- `key`: the correct answer, or null. It decides only whether an integer may be negative;
- `style`, `model`: optional names, for rows of the table;
- `weight`: optional, the number of responses that this one stands for. The last row of the table uses it.

Other members are ignored. Numbers agree if they are equal, subsets if they have the same words, other answers if the texts are equal.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Any, Literal

from isovist.core.answers import Answer, Choice, Count, Number, WordSequence, WordSubset, YesNo, from_json

CORPORA = Path(__file__).parents[1] / "tests/corpus"
GROUPS = ("style", "model", "answer_type")
VERDICTS = ("rejected", "misread", "accepted")

Verdict = Literal["right", "rejected", "misread", "accepted"]


@dataclass(frozen=True)
class Labelled:
    """A response with the answer that a reader takes from it."""

    answer: Answer
    reply: str
    gold: str | None
    names: dict[str, str]
    """The row of the table of each group."""
    weight: float = 1.0

    @cached_property
    def parsed(self) -> str | None:
        return self.answer.score(self.reply).parsed_answer

    @property
    def verdict(self) -> Verdict:
        if self.gold is None:
            return "right" if self.parsed is None else "accepted"
        if self.parsed is None:
            return "rejected"
        return "right" if self.agrees(self.parsed, self.gold) else "misread"

    def agrees(self, parsed: str, gold: str) -> bool:
        if isinstance(self.answer, WordSubset):
            return set(parsed.split(", ")) == set(gold.split(", "))
        if isinstance(self.answer, Count | Number):
            with suppress(ValueError):
                return isclose(float(parsed), float(gold.replace(",", "")), rel_tol=1e-6, abs_tol=1e-6)
        return parsed == gold


def lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip())


def own() -> Iterator[Labelled]:
    """The corpus of this repository. Its style is the file; responses that any strict parser may miss are apart."""
    for path in sorted(CORPORA.glob("*.jsonl")):
        for row in lines(path):
            style = path.stem if row["must"] else f"{path.stem}, may be missed"
            yield Labelled(from_json(row["answer"]), row["reply"], row["read"], {"style": style, "answer_type": row["answer"]["kind"]})


def of_file(path: Path) -> Iterator[Labelled]:
    for row in lines(path):
        names = {group: row[group] for group in GROUPS if row.get(group)}
        gold = None if row["gold"] is None else str(row["gold"])
        yield Labelled(asked(row), row["reply"], gold, names, row.get("weight") or 1.0)


def asked(row: dict[str, Any]) -> Answer:
    """The answer type of a row with any key, which the parser does not use."""
    options = [str(text).strip() or "option" for text in row.get("options") or ()]
    match row["answer_type"]:
        case "choice":
            try:
                return Choice(tuple(options), 0)
            except ValueError:  # texts that are equal to the parser
                return Choice(tuple(f"{text} [{place}]" for place, text in enumerate(options, 1)), 0)
        case "numbered":
            return Count(0, 0, max(1, len(options) - 1))
        case "integer" if not str(row.get("key") or "").strip().startswith("-"):
            return Count(0)
        case "integer" | "float":
            return Number(0.0, 0.0, -10.0, 10.0)
        case "yesno":
            return YesNo(truth=True)
        case "subset":
            return WordSubset((options[0],), tuple(options))
        case "sequence":
            return WordSequence((options[0],), tuple(options))
        case other:
            raise SystemExit(f"Unknown answer_type: {other}. See --help.")


def table(labelled: Sequence[Labelled]) -> Iterator[str]:
    yield f"{'':<44}{'stated':>8}{'rejected':>16}{'misread':>16}{'no answer':>12}{'accepted':>16}"
    yield line("all", labelled)
    for group in GROUPS:
        by_name: defaultdict[str, list[Labelled]] = defaultdict(list)
        for row in labelled:
            if group in row.names:
                by_name[row.names[group]].append(row)
        if by_name:
            yield f"by {group.replace('_', ' ')}"
        yield from (line(f"  {name}", by_name[name]) for name in sorted(by_name))
    if any(row.weight != 1.0 for row in labelled):
        yield line("all, weighted", labelled, is_weighted=True)


def line(name: str, rows: Sequence[Labelled], *, is_weighted: bool = False) -> str:
    """Counts, and their shares of the responses with or without a stated answer."""
    stated, silent = ([row for row in rows if (row.gold is None) is is_none] for is_none in (False, True))

    def total(of: Sequence[Labelled], verdict: Verdict | None = None) -> float:
        return sum(row.weight if is_weighted else 1.0 for row in of if verdict in (None, row.verdict))

    def cell(of: Sequence[Labelled], verdict: Verdict) -> str:
        return f"{total(of, verdict):.0f} ({total(of, verdict) / total(of):.1%})" if of else "-"

    counts = f"{total(stated):>8.0f}{cell(stated, 'rejected'):>16}{cell(stated, 'misread'):>16}"
    return f"{name:<44}{counts}{total(silent):>12.0f}{cell(silent, 'accepted'):>16}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="labelled responses; by default those of tests/corpus")
    parser.add_argument("--show", choices=VERDICTS, help="also print the responses with this verdict")
    arguments = parser.parse_args()
    labelled = list(of_file(arguments.file) if arguments.file else own())
    for row in labelled:
        if row.verdict == arguments.show:
            print(f"--- {', '.join(row.names.values())}: labelled {row.gold}, parsed {row.parsed}\n{row.reply}\n")
    print("\n".join(table(labelled)))


if __name__ == "__main__":
    main()
