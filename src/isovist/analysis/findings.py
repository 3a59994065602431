"""Findings: what is wrong with how a model sees or answers, each with a test that had to pass beyond noise.

A finder looks at all tasks of one run for one kind of deficit and gives its candidates, each with the p-value of its own test.
`significant_findings` puts the candidates of all finders together, corrects their p-values for their number (Holm), and lets only those pass
that stay below `ALPHA`. A clean guesser, too, is then given a finding it does not deserve in at most 5 of 100 runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from isovist.analysis.scored_item import ScoredItem
from isovist.stats.multiple_comparisons import holm

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or one candidate for it."""

    kind: str
    """The deficit's name in kebab case, such as "left-right-flip"."""
    tasks: tuple[str, ...]
    """Where it shows, in the order of the tasks."""
    sentence: str
    """One sentence for the first screen of a report, with its numbers, without the model's name: "It ..."."""
    n: int
    """Items that the test rests on."""
    observed_rate: float
    """How often it was seen among them, in [0, 1]."""
    expected_rate: float
    """How often it would have been seen without the deficit, in [0, 1]."""
    p_adjusted: float
    """Of its test; after `significant_findings`, corrected for all tests that were made."""
    items_affected: float = 0.0
    """Items that were lost to it, about: findings are told in this order, the dearest first."""
    is_locational: bool = False
    """Whether it tells in which items errors come and not what goes wrong: often it follows of what does, and is told behind that."""


Tasks = Mapping[str, Sequence[ScoredItem]]
"""The evidence of one run by task, in the order of a report."""

Detector = Callable[[Tasks], Iterable[Finding]]


def significant_findings(tasks: Tasks, finders: Sequence[Detector], alpha: float = ALPHA) -> list[Finding]:
    """What passes among all that `finders` look for, the dearest first; what tells only where errors come, last."""
    candidates = [candidate for finder in finders for candidate in finder(tasks)]
    corrected = [
        replace(finding, p_adjusted=p) for finding, p in zip(candidates, holm([finding.p_adjusted for finding in candidates]), strict=True)
    ]
    return sorted(
        (finding for finding in corrected if finding.p_adjusted < alpha),
        key=lambda finding: (finding.is_locational, -finding.items_affected, finding.kind),
    )
