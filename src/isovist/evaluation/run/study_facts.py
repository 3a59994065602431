"""What the run of a human study states about its participants and methods.

The statements follow what reporting guides of human baselines ask for (Wei et al. 2025, "Position: Human Baselines in Model Evaluations
Need Rigor and Transparency", ICML), in our own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

STATEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "population": "the people for whom the results hold: expertise, education, languages, ages, vision",
        "demographics": "who took part: ages, genders, countries, as far as they may be reported",
        "recruitment": "how participants were found, where and when; whether members of the team took part",
        "exclusion_criteria": "who could not take part, whose answers were left out, and how many each criterion concerned",
        "prior_exposure": "how people who knew the items or the benchmark were kept out",
        "compensation": "payment per hour, also for training; bonuses and their rule",
        "ethics_approval": "the board, the number of the approval or the reason for an exemption",
        "consent": "how participants consented",
        "preregistration": "the address and the date of the registered plan",
        "pilot": "what was tried before, with how many people, and what was changed",
        "sample_size": "why this number of participants and items; the smallest difference that can be detected",
        "instructions": "the instructions of participants, and how they differ from the prompt of the model",
        "training": "practice before the questions that count",
        "devices": "screens and input devices; how the interface differs from that of the model",
        "tools": "aids that were allowed or forbidden (rulers, search, AI), and how this was checked",
        "data_availability": "where answers, items and analysis code are published, or why not",
    }
)


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """The participants and methods of a study at the time of an export.

    `begun`: participants with an answer; `finished`: those of them who answered all test items; `excluded`: those who missed more than
    `max_missed` of their `attention_checks`, so that the run has none of their answers. `statements`: by names of `STATEMENTS`, without
    those that are missing.
    """

    begun: int
    finished: int
    excluded: int
    attention_checks: int
    max_missed: int
    statements: dict[str, str] = field(default_factory=dict[str, str])
