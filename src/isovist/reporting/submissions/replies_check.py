"""The check of the replies of a submission against the items of the release: each one is scored again with the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from isovist.common.json_decoding import decode
from isovist.core.answers import Answer
from isovist.evaluation.run.records import AttemptRecord, hashed
from isovist.evaluation.run.rescore import again
from isovist.evaluation.run.run_folder import parser
from isovist.evaluation.run.variants import STANDARD
from isovist.reporting.submissions.submission import Counting, Reply

MOST_ATTEMPTS = 100
"""The most attempts at an item, on average."""

_OTHER_IMAGES = (
    "The images were altered, have another size, or are files of another version of Isovist or its packages: evaluate on the organiser's "
    "dataset folder."
)


@dataclass(frozen=True, slots=True)
class ExpectedItem:
    """What the organiser's data state about an item."""

    task: str
    key: Answer
    prompt_hash: str
    image_hashes: tuple[str, ...]


@dataclass(slots=True)
class _Fault:
    count: int
    first: str
    explanation: str


@dataclass(slots=True)
class RepliesCheck:
    """Checks replies one by one and collects what is wrong."""

    items: Mapping[str, ExpectedItem]
    release: str
    parser: str
    """The version of the parser that the submission states."""
    isovist: str
    counting: Counting = field(default_factory=Counting)
    texts: Counter[str] = field(default_factory=Counter[str])
    """Hashes of the texts of the scored responses that are not empty."""
    n_scored: int = 0
    seconds: list[float] = field(default_factory=list[float])
    """The latency of each attempt."""
    n_errors: Counter[str] = field(default_factory=Counter[str])
    """The number of request errors of each item."""
    n_reasoning: int = 0
    """Replies with a text of the reasoning or a count of its tokens."""
    has_broken_line: bool = False
    _attempts: dict[str, int] = field(default_factory=dict[str, int])
    """The number of the last attempt at each item."""
    _scored: set[str] = field(default_factory=set[str])
    _faults: dict[str, _Fault] = field(default_factory=dict[str, _Fault])
    _content: Counter[str] = field(default_factory=Counter[str])

    def add(self, line: bytes, number: int) -> AttemptRecord | None:
        """Check a line of the replies: the record with the new score, or None for one that cannot be a record of this release."""
        if number > MOST_ATTEMPTS * max(1, len(self.items)):
            self.has_broken_line = True
            self._note("More replies than the items can have", f"line {number:,}")
            return None
        try:
            reply = decode(Reply, line)
        except ValueError as error:
            self.has_broken_line = True
            self._note("Lines that are not replies", f"line {number:,}: {shown(str(error))}")
            return None
        item = self.items.get(reply.item_id)
        if item is None:
            self._note(f"Replies to items that are not of {self.release}", shown(reply.item_id))
            return None
        if reply.variant != STANDARD:
            self._note("Replies to a variant of an item, not to the standard condition", f"{reply.item_id}, {shown(reply.variant)}")
            return None
        if fault := reply.number_fault():
            self._note("Replies with an impossible number", f"{reply.item_id}: {fault}")
            return None
        self._check_attempt(reply)
        self._check_request(reply, item)
        self.counting.add(reply)
        self._count(reply)
        return self._scored_again(reply, item)

    def faults(self) -> Iterator[str]:
        """What is wrong with the replies so far, one sentence for each kind. Call it after the last reply."""
        for words, fault in self._faults.items():
            yield f"{words}: {fault.count:,} (first: {fault.first}).{fault.explanation}"
        if self.has_broken_line:
            return
        missing = [id for id in self.items if id not in self._scored]
        if missing:
            yield f"Items without a scored reply: {len(missing):,} of {len(self.items):,} (first: {missing[0]})."
        if len(self.counting.served_by) > 1:
            names = ", ".join(shown(name) for name in sorted(self.counting.served_by)[:5])
            yield f"Several models served the replies: {names}. A submission has one model."

    def _note(self, words: str, example: str, explanation: str = "") -> None:
        self._faults.setdefault(words, _Fault(0, example, explanation and f" {explanation}")).count += 1

    def _check_attempt(self, reply: Reply) -> None:
        last = self._attempts.get(reply.item_id, 0)
        if reply.item_id in self._scored:
            self._note("Replies after a scored reply to the same item, so that the best one could be chosen", reply.item_id)
        elif reply.attempt != last + 1:
            self._note("Attempts that are not numbered 1, 2, ...", f"{reply.item_id}: {last} is followed by {str(reply.attempt)[:20]}")
        self._attempts[reply.item_id] = reply.attempt
        if reply.outcome != "request_error":
            self._scored.add(reply.item_id)
            return
        self.n_errors[reply.item_id] += 1
        if (reply.response + reply.reasoning).strip():
            self._note("Request errors that carry a reply, so that the best one could be chosen", reply.item_id)

    def _check_request(self, reply: Reply, item: ExpectedItem) -> None:
        if reply.prompt_hash != item.prompt_hash:
            self._note("Prompt hashes that are not those of the items in the prompt style of the release", reply.item_id)
        if tuple(reply.image_hashes) != item.image_hashes:
            self._note("Image hashes that are not those of the items", reply.item_id, _OTHER_IMAGES)

    def _count(self, reply: Reply) -> None:
        self.seconds.append(reply.latency_s)
        if reply.outcome != "request_error":
            self.n_scored += 1
            if reply.response.strip():
                self.texts[hashed(reply.response.encode(errors="replace"))] += 1
            self.n_reasoning += bool(reply.reasoning) or any("reasoning" in name and count > 0 for name, count in reply.usage.items())

    def _scored_again(self, reply: Reply, item: ExpectedItem) -> AttemptRecord:
        new = again(reply.record(), {reply.item_id: (item.task, item.key)})
        if (new.outcome, new.credit, new.parsed_answer) != (reply.outcome, reply.credit, reply.parsed_answer):
            if self.parser == parser():
                why = "The submission states the same parser, so outcome, credit or parsed answer were altered."
            else:
                why = (
                    f"The submission states another parser ({shown(self.parser)} of isovist {shown(self.isovist)}, here {parser()}): "
                    "score the run with this version (`isovist rescore`) and pack it again."
                )
            stored = f"{reply.outcome} {reply.credit:g} {shown(reply.parsed_answer or '-')}"
            scored = f"{new.outcome} {new.credit:g} {shown(new.parsed_answer or '-')}"
            self._note("Stored scores that differ from the new ones", f"{reply.item_id}: {stored}, scored {scored}", why)
        return new


def responses_digest(texts: Mapping[str, str]) -> str:
    """A hash of the response text of each item, the same for a copy of a submission under another name."""
    return sha256("\n".join(f"{id} {text}" for id, text in sorted(texts.items())).encode()).hexdigest()


def shown(text: str) -> str:
    """An untrusted text for a message: short, and without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:80])
