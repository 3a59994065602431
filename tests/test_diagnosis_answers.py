"""Letters as places and letters as answers: DORI's options stand in one order, which is another for coarse and granular questions."""

from __future__ import annotations

import pytest
from simulated import Pool, answered, rows

from isovist.core.answers import LETTERS, Answer, Choice
from isovist.core.rng import Rng
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.models.base import ModelResponse
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.findings import Finding, significant_findings
from isovist.reporting.analysis.response_bias import in_one_order
from isovist.reporting.analysis.rows import Rows

ORDERED = ("dori/view-parallelism", "dori/directional-facing", "dori/single-axis-rotation", "dori/viewer-scene-direction")
SHUFFLED = ("cdr/object-classification-letter", "cdr/relative-compass-letter", "srbench/paper-folding")


@pytest.fixture(scope="module")
def ordered() -> Pool:
    return rows(ORDERED, 40)


def _found(tasks: dict[str, Rows]) -> list[Finding]:
    return [
        finding for finding in significant_findings(tasks, DETECTORS) if finding.kind not in ("chance-performance", "shortcut-performance")
    ]


def _half(row: ItemRow, key: Answer, place: int) -> ModelResponse:
    """Right in half of the items; else the option at one place."""
    assert isinstance(key, Choice)
    letters = LETTERS[: len(key.options)]
    return ModelResponse(f"Answer: {letters[place] if Rng('half', row.id).uniform(0, 1) < 0.5 else key.canonical()}")


def test_options_in_one_order_are_known_from_the_items(ordered: Pool) -> None:
    for evidence in answered(ordered, lambda row, key: ModelResponse(f"Answer: {key.canonical()}")).values():
        assert in_one_order(evidence)
    for evidence in answered(rows(SHUFFLED, 40), lambda row, key: ModelResponse(f"Answer: {key.canonical()}")).values():
        assert not in_one_order(evidence)


@pytest.mark.parametrize("place", [0, -1])
def test_an_answer_that_is_preferred_is_no_place_that_is_preferred(ordered: Pool, place: int) -> None:
    """The last option is "It cannot be determined": who says so too often does not like the letter E."""
    findings = _found(answered(ordered, lambda row, key: _half(row, key, place)))
    assert "position-bias" not in {finding.kind for finding in findings}


def test_a_place_is_told_where_options_change_theirs() -> None:
    (finding,) = _found(answered(rows(SHUFFLED[1:2], 40), lambda row, key: _half(row, key, 0)))
    assert (finding.kind, finding.sentence[:24]) == ("position-bias", "Position bias: option A ")


def test_one_letter_whatever_is_asked_is_one_finding_and_no_error_of_direction(ordered: Pool) -> None:
    (finding,) = _found(answered(ordered, lambda row, key: ModelResponse("Answer: B")))
    assert (finding.kind, finding.tasks, finding.observed_rate) == ("constant-answer", ORDERED, 1)
    assert finding.sentence.startswith("Constant answer: option B in 160 of 160 responses")
