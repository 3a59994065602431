"""Responses without an answer: unparsed responses, refusals and truncated responses.

The test is an exact binomial test against `TOLERATED`, a rate of such responses that any model may have.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from isovist.core.answers import Outcome
from isovist.reporting.analysis.exact_tests import poisson_binomial_upper_tail
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.text_format import in_tasks, percent

TOLERATED = 0.01
_FAILURES: tuple[tuple[str, str, tuple[Outcome, ...], str], ...] = (
    (
        "unparsed-responses",
        "Unparsed responses",
        ("unparsed", "empty"),
        "They have no parseable answer, are scored as incorrect and give no information about perception.",
    ),
    ("refusals", "Refusals", ("refused", "filtered"), "The model declined, or a content filter blocked the response."),
    ("truncated-responses", "Truncated responses", ("truncated",), "They reached the token limit before an answer; increase --max-tokens."),
)
KINDS = frozenset(kind for kind, *_ in _FAILURES)


def detect_response_failures(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each kind of failure over all tasks; the sentence names the tasks where it occurs."""
    n = sum(rows.n for rows in tasks.values())
    for kind, title, outcomes, explanation in _FAILURES if n else ():
        by_task = {task: failed for task, rows in tasks.items() if (failed := rows.having("outcome", *outcomes).texts("item_id"))}
        items, where = tuple(chain.from_iterable(by_task.values())), tuple(by_task)
        count = len(items)
        sentence = f"{title}: {count:,} of {n:,} ({percent(count / n)}), {in_tasks(where)}. {explanation}"
        p = poisson_binomial_upper_tail(count, [TOLERATED] * n)
        yield Finding(kind, where, sentence if where else "", n, count / n, TOLERATED, p, float(count), items)
