"""One scored item: the data of all analyses, without images and text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Answer, Choice, Outcome
from isovist.core.option_angles import OptionAngles
from isovist.dataset.rows import ItemRow
from isovist.run.records import TrialResult
from isovist.scenes import distractor_types


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One item with a score; request errors have none."""

    item: str
    """Its id."""
    task: str
    level: str
    index: int
    """Its place in its task: items with the same place in related tasks are about the same scene."""
    group: str
    """The cluster: items that share an image or a scene, so that their scores are correlated."""
    key: Answer
    chance: float
    skills: tuple[str, ...]
    attributes: Mapping[str, str]
    """Item attributes by name, besides the level."""
    distractor_types: tuple[str, ...]
    """For a choice, the distractor types of each option, empty for the key; from `Task.distractor_types`, or from the angles or text of the
    options. Empty without.
    """
    outcome: Outcome
    credit: float
    """The credit, in [0, 1]."""
    parsed_answer: str | None
    """The parsed answer in canonical form, for a choice its label; None for an unparsed response."""
    option_angles: Mapping[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    """For a choice, the angles of its options by quantity; empty without."""

    @property
    def chosen(self) -> int | None:
        """The place of the chosen option; None for an unparsed response or another answer type."""
        if not isinstance(self.key, Choice) or self.parsed_answer is None:
            return None
        place = LETTERS.find(self.parsed_answer)
        return place if 0 <= place < len(self.key.options) else None

    @property
    def is_key_chosen(self) -> bool:
        return self.parsed_answer == self.key.canonical()

    @property
    def chosen_distractor_type(self) -> str | None:
        """The most specific type of the chosen distractor; None for the key, an unparsed response, or a task without distractor types."""
        if self.chosen is None or self.is_key_chosen or self.chosen >= len(self.distractor_types):
            return None
        return distractor_types.most_specific_type(self.distractor_types[self.chosen])

    @property
    def distractors_by_type(self) -> dict[str, set[int]]:
        """The places of the distractors of each type; one distractor may have several."""
        places: dict[str, set[int]] = {}
        for place, types in enumerate(self.distractor_types):
            for name in distractor_types.split_types(types) if LETTERS[place] != self.key.canonical() else ():
                places.setdefault(name, set()).add(place)
        return places


def scored_item(row: ItemRow, result: TrialResult) -> ScoredItem:
    """The analysis record of an item with a score."""
    option_angles = option_angles_of(row)
    return ScoredItem(
        item=row.id,
        task=row.task,
        level=row.level,
        index=row.index,
        group=row.group,
        key=row.key,
        chance=row.chance,
        skills=row.skills,
        attributes=row.metadata.attributes,
        distractor_types=distractor_types_of(row, option_angles),
        outcome=result.outcome,
        credit=result.credit,
        parsed_answer=result.parsed_answer,
        option_angles=option_angles,
    )


def option_angles_of(row: ItemRow) -> Mapping[str, OptionAngles]:
    """The angles in the metadata; else those of options that are names of directions."""
    if not isinstance(row.key, Choice):
        return {}
    if row.metadata.option_angles:
        return row.metadata.option_angles
    by_name = distractor_types.angles_by_option_text(row.key.options)
    return {} if by_name is None else {"direction": by_name}


def distractor_types_of(row: ItemRow, option_angles: Mapping[str, OptionAngles]) -> tuple[str, ...]:
    """The types in the metadata; else those that follow from the text or the angles of the options, for imported items."""
    if row.metadata.distractor_types:
        return row.metadata.distractor_types
    if not isinstance(row.key, Choice):
        return ()
    return tuple(
        distractor_types.types_by_option_text(row.key.options, row.key.truth)
        or distractor_types.types_by_option_angles(option_angles, row.key.truth)
    )
