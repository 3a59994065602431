"""The runs beside the figures of the suites' papers: by task, and by level where the paper tells levels apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from isovist import registry
from isovist.analysis.collect import RunResults, TaskResult, every_task
from isovist.core.canonical_json import PUBLISHED
from isovist.reference import published, reference, suites
from isovist.stats.proportions import ConfidenceInterval


@dataclass(frozen=True, slots=True)
class Row:
    """A task, or one of its levels: the accuracy of each run, None where there is none, and the paper's figures in per cent."""

    task: str
    level: str
    accuracies: tuple[ConfidenceInterval | None, ...]
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """The tasks of one paper."""

    title: str
    arxiv: str
    rows: tuple[Row, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """In the order of the paper's tables."""
        return tuple(dict.fromkeys(model for row in self.rows for model in row.figures))

    @property
    def places(self) -> int:
        """The decimal places of the paper's figures."""
        return max(len(f"{figure:g}".partition(".")[2]) for row in self.rows for figure in row.figures.values())

    @property
    def by_level(self) -> bool:
        return any(row.level for row in self.rows)


def tables(runs: Sequence[RunResults]) -> list[Table]:
    """One for each paper with figures of what was asked."""
    by_suite: dict[str, list[Row]] = {}
    for task, results in every_task(runs):
        by_suite.setdefault(task.partition("/")[0].removesuffix(PUBLISHED), []).extend(_rows(task, results))
    papers = {suite: reference(suite).paper for suite, rows in by_suite.items() if rows and suite in suites()}
    return [Table(str(paper["title"]), str(paper["arxiv"]), tuple(by_suite[suite])) for suite, paper in papers.items()]


def _rows(task: str, results: Sequence[TaskResult | None]) -> Iterator[Row]:
    if figures := published(task):
        yield Row(task, "", tuple(result.accuracy if result else None for result in results), figures)
    known = registry.tasks().get(task)
    asked = dict.fromkeys(level for result in results if result for level in result.named)
    for level in (level for level in (known.levels if known else asked) if level in asked):
        if figures := published(task, level):
            named = tuple(result.named.get(level) if result else None for result in results)
            yield Row(task, level, tuple(tally.accuracy if tally else None for tally in named), figures)
