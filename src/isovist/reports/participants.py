"""Runs of people beside those of models: what they hold, in words for a reader who has not made the study."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.analysis import text_format
from isovist.run.run_folder import RunMetadata


def counted(infos: Iterable[RunMetadata]) -> str:
    """How many models, and whether there are people; one run of people may hold the answers of several."""
    asked = [info.is_human_run for info in infos]
    models = asked.count(False)
    if not models:
        return "people"
    phrase = text_format.pluralize(models, "model")
    return f"{phrase} and people" if any(asked) else phrase


def held(info: RunMetadata) -> str:
    """What a run of people holds."""
    if info.participants == 1:
        return "the answers of one person"
    many = f"{info.participants} people" if info.participants else "people"  # not told by exports of before it was written down
    return f"the answers of {many}, each item with that of one of them, picked at random, so that it stands for the mean person"


def facts(named: Iterable[tuple[str, RunMetadata]]) -> list[str]:
    """A sentence for each run of several people, and one for all those of one person."""
    people = [(name, info) for name, info in named if info.is_human_run]
    sentences = [f"{name} holds {held(info)}." for name, info in people if info.participants != 1]
    alone = [name for name, info in people if info.participants == 1]
    if alone:
        sentences.append(
            f"{text_format.join_names(alone)}: one person{'' if len(alone) == 1 else ' each'}, by the first four characters of a code."
        )
    return sentences
