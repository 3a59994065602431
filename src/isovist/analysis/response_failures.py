"""Replies without an answer that can be read: failures of form, told apart from wrong answers.

The test is an exact binomial one against `TOLERATED`, a share of such replies that any model may have now and then.
"""

from __future__ import annotations

from collections.abc import Iterator

from isovist.analysis.exact_tests import poisson_binomial_upper_tail
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.text_format import in_tasks, percent
from isovist.core.answers import Outcome

TOLERATED = 0.01
_KINDS: tuple[tuple[str, tuple[Outcome, ...], str], ...] = (
    ("unreadable-replies", ("unparsed", "empty"), "It gives no readable answer in {share} of its replies"),
    ("refusals", ("refused", "filtered"), "It refuses to answer, or is kept from it, in {share} of its replies"),
    ("truncated-replies", ("truncated",), "It runs out of tokens before it answers in {share} of its replies"),
)
KINDS = frozenset(kind for kind, _, _ in _KINDS)


def detect_response_failures(tasks: Tasks) -> Iterator[Finding]:
    """One candidate a kind of failure, over all tasks together; the tasks where it is met are named."""
    items = [item for evidence in tasks.values() for item in evidence]
    if not items:
        return
    for kind, outcomes, words in _KINDS:
        by_task = {task: sum(item.outcome in outcomes for item in evidence) for task, evidence in tasks.items()}
        seen = sum(by_task.values())
        where = tuple(task for task, count in by_task.items() if count)
        sentence = f"{words.format(share=percent(seen / len(items)))} ({seen} of {len(items)}, {in_tasks(where)}): those count as wrong, but say nothing about what it sees."
        p = poisson_binomial_upper_tail(seen, [TOLERATED] * len(items))
        yield Finding(kind, where, sentence if where else "", len(items), seen / len(items), TOLERATED, p, float(seen))
