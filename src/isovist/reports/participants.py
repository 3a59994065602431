"""Runs of people beside those of models: what they hold, in words for a reader who has not made the study."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.analysis import text_format
from isovist.run.run_folder import RunInfo


def counted(infos: Iterable[RunInfo]) -> str:
    """How many models, and whether there are people; one run of people may hold the answers of several."""
    asked = [info.of_people for info in infos]
    models = asked.count(False)
    if not models:
        return "people"
    told = text_format.counted(models, "model")
    return f"{told} and people" if any(asked) else told


def held(info: RunInfo) -> str:
    """What a run of people holds."""
    if info.people == 1:
        return "the answers of one person"
    many = f"{info.people} people" if info.people else "people"  # not told by exports of before it was written down
    return f"the answers of {many}, each item with that of one of them, picked at random, so that it stands for the mean person"


def facts(named: Iterable[tuple[str, RunInfo]]) -> list[str]:
    """A sentence for each run of several people, and one for all those of one person."""
    people = [(name, info) for name, info in named if info.of_people]
    told = [f"{name} holds {held(info)}." for name, info in people if info.people != 1]
    alone = [name for name, info in people if info.people == 1]
    if alone:
        told.append(f"{text_format.listed(alone)}: one person{'' if len(alone) == 1 else ' each'}, by the first four characters of a code.")
    return told
