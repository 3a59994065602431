"""What is known of one item after it was asked: all that a diagnosis rests on, without pictures and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Answer, Choice, Outcome
from isovist.core.option_angles import OptionAngles
from isovist.dataset.rows import ItemRow
from isovist.run.records import TrialResult
from isovist.scenes import distractor_types as errors


@dataclass(frozen=True, slots=True)
class ScoredItem:
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
    attributes: Mapping[str, str]
    """By what the task lets its items be grouped, beside the level."""
    distractor_types: tuple[str, ...]
    """For a choice, what each option stands for (`Task.errors`; where the task does not tell, by the options' angles or words), the
    key's own place among them without a meaning; empty without."""
    outcome: Outcome
    value: float
    """The credit, in [0, 1]."""
    parsed: str | None
    """What was read of the reply in canonical form, for a choice its letter; None if nothing was."""
    option_angles: Mapping[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    """For a choice, the angles that its options stand for, by what they are angles of; empty without."""

    @property
    def chosen_distractor_type(self) -> str | None:
        """What the wrong option that was chosen stands for, the most specific of its readings; None if the reply is right or unread, or
        the task tells of no errors.
        """
        if self.parsed is None or self.parsed == self.key.canonical() or not isinstance(self.key, Choice):
            return None
        distractor_type = dict(zip(LETTERS, self.distractor_types, strict=False)).get(self.parsed)
        return None if distractor_type is None else errors.first(distractor_type)

    @property
    def chosen(self) -> int | None:
        """The place of the option that was chosen; None if none was read, or it is no choice."""
        if not isinstance(self.key, Choice) or self.parsed is None:
            return None
        place = LETTERS.find(self.parsed)
        return place if 0 <= place < len(self.key.options) else None


def scored_item(row: ItemRow, verdict: TrialResult) -> ScoredItem:
    """What an item with a verdict says."""
    dials = _dials(row)
    return ScoredItem(
        item=row.id,
        task=row.task,
        level=row.level,
        index=row.index,
        group=row.group,
        key=row.key,
        chance=row.chance,
        skills=row.skills,
        attributes=row.metadata.facets,
        distractor_types=_errors(row, dials),
        outcome=verdict.outcome,
        value=verdict.value,
        parsed=verdict.parsed,
        option_angles=dials,
    )


def _dials(row: ItemRow) -> Mapping[str, OptionAngles]:
    """The angles that the row tells; else those of directions in plain words, which need nobody to tell them."""
    if not isinstance(row.key, Choice):
        return {}
    if row.metadata.angles:
        return row.metadata.angles
    word_dial = errors.dial_of_words(row.key.options)
    return {} if word_dial is None else {"direction": word_dial}


def _errors(row: ItemRow, dials: Mapping[str, OptionAngles]) -> tuple[str, ...]:
    """What the row tells; else what follows from words or angles, so that items made elsewhere are read as well."""
    if row.metadata.errors:
        return row.metadata.errors
    if not isinstance(row.key, Choice):
        return ()
    return tuple(errors.of_words(row.key.options, row.key.truth) or errors.of_dials(dials, row.key.truth))
