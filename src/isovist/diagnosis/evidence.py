"""What is known of one item after it was asked: all that a diagnosis rests on, without pictures and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isovist.core.answers import LETTERS, Answer, Choice, Outcome
from isovist.dataset.rows import Row
from isovist.run.records import Verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """One item that has a verdict; machine faults have none and are no evidence."""

    item: str
    """Its id."""
    task: str
    level: str
    index: int
    """Its place in its task: items of a family with one place are about the same thing."""
    group: str
    """Items of one group share a picture or a scene, and are right and wrong together."""
    key: Answer
    chance: float
    skills: tuple[str, ...]
    facets: Mapping[str, str]
    """By what the task lets its items be grouped, beside the level."""
    errors: tuple[str, ...]
    """For a choice, what each option stands for (`Task.errors`), the key's own place among them without a meaning; empty without."""
    outcome: Outcome
    value: float
    """The credit, in [0, 1]."""
    parsed: str | None
    """What was read of the reply in canonical form, for a choice its letter; None if nothing was."""

    @property
    def error(self) -> str | None:
        """What the wrong option that was chosen stands for; None if the reply is right or unread, or the task tells of no errors."""
        if self.parsed is None or self.parsed == self.key.canonical() or not isinstance(self.key, Choice):
            return None
        return dict(zip(LETTERS, self.errors, strict=False)).get(self.parsed)


def evidence(row: Row, verdict: Verdict) -> Evidence:
    """What an item with a verdict says."""
    told = row.told
    return Evidence(
        item=row.id,
        task=row.task,
        level=row.level,
        index=row.index,
        group=row.group,
        key=row.key,
        chance=row.chance,
        skills=row.skills,
        facets=told.get("facets", {}),
        errors=tuple(told.get("errors", ())),
        outcome=verdict.outcome,
        value=verdict.value,
        parsed=verdict.parsed,
    )
