"""Runs of participants beside those of models."""

from __future__ import annotations

from collections.abc import Iterable

from isovist.evaluation.run.run_folder import RunMetadata
from isovist.reporting.analysis.text_format import join_names, pluralize


def counted(infos: Iterable[RunMetadata]) -> str:
    """The number of models, and whether there are participants; a run of participants may hold the answers of several."""
    is_human = [info.is_human_run for info in infos]
    names = [pluralize(is_human.count(False), "model")] if False in is_human else []
    return " and ".join(names + (["participants"] if True in is_human else []))


def contents(info: RunMetadata) -> str:
    """What a run of participants contains."""
    if info.n_participants == 1:
        return "the answers of one participant"
    left = f" ({info.study.excluded} more are excluded by attention checks)" if info.study and info.study.excluded else ""
    return f"the answers of {info.n_participants} participants{left}; each item has the answer of one randomly chosen participant, so the run represents the mean participant"


def facts(named: Iterable[tuple[str, RunMetadata]]) -> list[str]:
    """A sentence for each run of several participants, and one for all runs of single participants."""
    human_runs = [(name, info) for name, info in named if info.is_human_run]
    sentences = [f"{name} contains {contents(info)}." for name, info in human_runs if info.n_participants != 1]
    single = [name for name, info in human_runs if info.n_participants == 1]
    if single:
        each = "" if len(single) == 1 else " each"
        sentences.append(f"{join_names(single)}: one participant{each}, named by the first four characters of the participant code.")
    return sentences
