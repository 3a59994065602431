"""Scored items as objects: what the detectors of findings know of each item of a task and its response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Answer, Choice, Outcome
from isovist.core.option_angles import OptionAngles
from isovist.data.reference.shortcuts import Best, best
from isovist.reporting.analysis.item_table import option_angles
from isovist.reporting.analysis.rows import Rows
from isovist.world.scenes import distractor_types


def option_index(key: Answer, label: str | None) -> int | None:
    """The place of the option with this label, from 0; None for another answer type, no label, and a label that does not exist."""
    if label is None or not isinstance(key, Choice):
        return None
    place = LETTERS.find(label)
    return place if 0 <= place < len(key.options) else None


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One item with a score; request errors have none."""

    item: str
    """Its id."""
    task: str
    level: str
    index: int
    group: str
    """The cluster: items that share an image or a scene, so that their scores are correlated."""
    key: Answer
    chance: float
    """A constant answer counts as chance level (see `analysis.constant_responses`)."""
    skills: tuple[str, ...]
    attributes: Mapping[str, str]
    distractor_types: tuple[str, ...]
    """For a choice, the distractor types of each option, empty for the key. Empty without."""
    outcome: Outcome
    credit: float
    parsed_answer: str | None
    """For a choice its label; None for an unparsed response."""
    option_angles: Mapping[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    """For a choice, the angles of its options by quantity."""
    best_rules: Best | None = None
    """The measured accuracy of the best rules without the claimed skill; None if it was not measured on such items."""
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


def scored_items(rows: Rows) -> list[ScoredItem]:
    """The scored ones of some rows in the standard condition."""
    scored = rows.scored
    columns = (scored.texts(name) for name in ("item_id", "task", "level", "cluster", "outcome"))
    numbers = (scored.column(name).tolist() for name in ("index", "chance", "credit", "is_measured"))
    lists = (scored.values(name) for name in ("skills", "attributes", "distractor_types", "option_angles", "parsed_answer"))
    return [
        ScoredItem(
            item=item,
            task=task,
            level=level,
            index=index,
            group=group,
            key=key,
            chance=chance,
            skills=tuple(skills),
            attributes=dict(attributes),
            distractor_types=tuple(types or ()),
            outcome=outcome,
            credit=credit,
            parsed_answer=parsed_answer,
            option_angles=option_angles(angles),
            best_rules=best(task, level) if is_measured else None,
        )
        for key, item, task, level, group, outcome, index, chance, credit, is_measured, skills, attributes, types, angles, parsed_answer in zip(
            scored.keys, *columns, *numbers, *lists, strict=True
        )
    ]
