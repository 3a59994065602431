"""Items of a run with their results: the data of all analyses, without images and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS, Answer, Choice, Outcome
from isovist.core.option_angles import OptionAngles
from isovist.data.dataset.rows import ItemRow
from isovist.data.reference.shortcuts import Best, fitting
from isovist.evaluation.run.records import TrialResult
from isovist.evaluation.run.renderings import excluded
from isovist.evaluation.run.shared_values import SharedValues
from isovist.world.scenes import distractor_types

_NO_ANGLES: Mapping[str, OptionAngles] = {}


@dataclass(frozen=True, slots=True)
class PresentedItem:
    """One item. Runs on the same data share these objects."""

    id: str
    suite: str
    task: str
    split: str
    seed: int
    index: int
    """Its place in its task: items with the same place in related tasks are about the same scene."""
    level: str
    group: str
    """The cluster: items that share an image or a scene, so that their scores are correlated."""
    answer_type: str
    key: Answer
    chance: float
    skills: tuple[str, ...]
    attributes: Mapping[str, str]
    """Item attributes by name, besides the level."""
    distractor_types: tuple[str, ...]
    """For a choice, the distractor types of each option, empty for the key; from `Task.reported.distractor_types`, or from the angles or text of the
    options. Empty without.
    """
    option_angles: Mapping[str, OptionAngles]
    """For a choice, the angles of its options by quantity: those in its metadata, else those of options that are names of directions."""
    has_stored_angles: bool
    """Whether the angles are in its metadata."""
    image_orders: tuple[str, ...]
    """The names of its other image orders."""
    excluded_renderings: tuple[str, ...]
    """The renderings that it cannot have, although other items of its task can."""
    best_rules: Best | None
    """The measured accuracy of the best rules without the claimed skill; None if it was not measured on such items."""


def presented_item(row: ItemRow, shared: SharedValues | None = None) -> PresentedItem:
    """`shared` has values of other items, to save memory. Raises UserError if the angles do not fit the options."""
    shared = shared or SharedValues()
    key, metadata = row.key, row.metadata
    angles: Mapping[str, OptionAngles] = metadata.option_angles if isinstance(key, Choice) else {}
    if isinstance(key, Choice) and any(len(each.angles_deg) != len(key.options) for each in angles.values()):
        raise UserError(f"The angles do not fit the options: {row.id}. Generate the data again.")
    has_stored_angles = bool(angles)
    if isinstance(key, Choice) and not angles and (by_name := distractor_types.angles_by_option_text(key.options)):
        angles = {"direction": by_name}
    types = metadata.distractor_types
    if not types and isinstance(key, Choice):  # imported items
        by_text = distractor_types.types_by_option_text(key.options, key.truth)
        types = tuple(by_text or distractor_types.types_by_option_angles(angles, key.truth))
    return PresentedItem(
        id=row.id,
        suite=intern(row.suite),
        task=intern(row.task),
        split=intern(row.split),
        seed=row.seed,
        index=row.index,
        level=intern(row.level),
        group=row.id if row.group == row.id else shared.one(row.group),
        answer_type=intern(row.answer_type),
        key=shared.key(key),
        chance=shared.one(row.chance),
        skills=shared.texts(row.skills),
        attributes=shared.attributes(metadata.attributes),
        distractor_types=shared.texts(tuple(types)),
        option_angles=angles or _NO_ANGLES,
        has_stored_angles=has_stored_angles,
        image_orders=shared.texts(tuple(metadata.image_orders)),
        excluded_renderings=shared.texts(excluded(row)),
        best_rules=fitting(row.task, row.version, row.level, metadata.settings),
    )


@dataclass(frozen=True, slots=True)
class ItemTrials:
    """One item of a run with the result of each of its variants, None for a trial without a record."""

    item: PresentedItem
    variants: tuple[str, ...]
    """The standard condition first."""
    results: tuple[TrialResult | None, ...]

    def __post_init__(self) -> None:
        """Raises UserError for the label of an option that does not exist."""
        key = self.item.key
        for result in self.results if isinstance(key, Choice) else ():
            if result is not None and result.parsed_answer is not None and option_index(key, result.parsed_answer) is None:
                label = result.parsed_answer
                raise UserError(f"The record has the option label {label!r}, which does not exist: {self.item.id}. Rescore the run.")

    @property
    def standard(self) -> TrialResult | None:
        """The result in the standard condition."""
        return self.results[0]

    @property
    def scored(self) -> TrialResult | None:
        """The result in the standard condition; None for a request error as well."""
        result = self.results[0]
        return result if result is not None and result.is_scored else None


def option_index(key: Answer, label: str | None) -> int | None:
    """The place of the option with this label, from 0; None for another answer type, no label, and a label that does not exist."""
    if label is None or not isinstance(key, Choice):
        return None
    place = LETTERS.find(label)
    return place if 0 <= place < len(key.options) else None


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One item with a score; request errors have none. Its fields are explained in `PresentedItem` and `TrialResult`."""

    item: str
    """Its id."""
    task: str
    level: str
    index: int
    group: str
    key: Answer
    chance: float
    """A constant answer counts as chance level (see `analysis.constant_responses`)."""
    skills: tuple[str, ...]
    attributes: Mapping[str, str]
    distractor_types: tuple[str, ...]
    outcome: Outcome
    credit: float
    parsed_answer: str | None
    """For a choice its label; None for an unparsed response."""
    option_angles: Mapping[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    best_rules: Best | None = None
    chosen: int | None = field(init=False)
    """The place of the chosen option; None for an unparsed response or another answer type."""
    is_key_chosen: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "chosen", option_index(self.key, self.parsed_answer))
        object.__setattr__(self, "is_key_chosen", self.parsed_answer == self.key.canonical())

    @property
    def chosen_distractor_type(self) -> str | None:
        """The most specific type of the chosen distractor; None for the key, an unparsed response, or a task without distractor types."""
        chosen = self.chosen
        if chosen is None or self.is_key_chosen or chosen >= len(self.distractor_types):
            return None
        return distractor_types.most_specific_type(self.distractor_types[chosen])

    @property
    def offered_distractor_types(self) -> Iterator[str]:
        """The most specific type of each distractor."""
        key = self.key.canonical()
        return (distractor_types.most_specific_type(types) for place, types in enumerate(self.distractor_types) if LETTERS[place] != key)

    @property
    def distractors_by_type(self) -> dict[str, set[int]]:
        """The places of the distractors of each type; one distractor may have several."""
        places: dict[str, set[int]] = {}
        key = self.key.canonical()
        for place, types in enumerate(self.distractor_types):
            for name in distractor_types.split_types(types) if LETTERS[place] != key else ():
                places.setdefault(name, set()).add(place)
        return places


def scored_item(item: PresentedItem, result: TrialResult) -> ScoredItem:
    """An item with its score."""
    return ScoredItem(
        item=item.id,
        task=item.task,
        level=item.level,
        index=item.index,
        group=item.group,
        key=item.key,
        chance=item.chance,
        skills=item.skills,
        attributes=item.attributes,
        distractor_types=item.distractor_types,
        outcome=result.outcome,
        credit=result.credit,
        parsed_answer=result.parsed_answer,
        option_angles=item.option_angles,
        best_rules=item.best_rules,
    )
