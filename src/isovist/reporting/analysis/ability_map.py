"""What each model is good at: chance-corrected accuracy by ability, on the tasks and items of `standings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from isovist.reporting.analysis.overall_performance import simultaneous
from isovist.reporting.analysis.run_names import short_names
from isovist.reporting.analysis.standings import Standings, Tasks, accuracy_difference
from isovist.reporting.analysis.text_format import join_names
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses
from isovist.stats.chance_correction import chance_corrected_score
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites.abilities import NAMES, ability_of

_MAX_NAMED = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """One model in one ability. Its tasks have equal weights."""

    tasks: tuple[str, ...]
    n: int
    """The number of scored items."""
    chance_corrected: ConfidenceInterval
    is_above_chance: bool
    """Whether it is significantly above chance, corrected for all abilities of the model."""
    is_reliable: bool
    """Whether few responses are unparsed."""


@dataclass(frozen=True)
class AbilityMap:
    """Models in order, and the abilities of their tasks with a cell for each model, None where it lacks a task or a score."""

    models: tuple[str, ...]
    short: tuple[str, ...]
    """Their names without what all have in common."""
    rows: Mapping[str, tuple[Cell | None, ...]]
    leading: Mapping[str, int]
    """By ability the model that is significantly more accurate than each other one (paired, simultaneous over abilities)."""

    def extremes(self, model: int) -> tuple[str, str] | None:
        """The abilities with the highest and with the lowest chance-corrected accuracy of a model; their number where more than two are equal.

        None with fewer than two, with equal ones, and if none is significantly above chance.
        """
        ends = self._ends(model)
        return (_some(ends[0]), _some(ends[1])) if ends else None

    def _ends(self, model: int) -> tuple[list[str], list[str]] | None:
        cells = {name: cell for name, of_models in self.rows.items() if (cell := of_models[model]) and cell.is_reliable}
        scores = {name: cell.chance_corrected.estimate for name, cell in cells.items()}
        if not any(cell.is_above_chance for cell in cells.values()) or len(set(scores.values())) < 2:
            return None
        high, low = max(scores.values()), min(scores.values())
        return [name for name in scores if scores[name] == high], [name for name in scores if scores[name] == low]

    @property
    def sentence(self) -> str:
        """What to take which model for; of one model, its highest and lowest ability. Empty where there is nothing to compare."""
        if len(self.models) == 1:
            return self._of_one()
        if len(self.rows) < 2 or not all(any(cells) for cells in zip(*self.rows.values(), strict=True)):
            return ""
        led = {model: [name for name in self.rows if self.leading.get(name) == model] for model in range(len(self.models))}
        parts = [f"{self.short[model]} in {join_names(names)}" for model, names in led.items() if names]
        n_open = len(self.rows) - len(self.leading)
        if not parts:
            return "No model is significantly more accurate than every other one in any ability."
        others = f" In the other {n_open} {'ability' if n_open == 1 else 'abilities'}, no model leads." if n_open else ""
        return f"Significantly more accurate than every other model: {'; '.join(parts)}.{others}"

    def _of_one(self) -> str:
        ends = self._ends(0)
        if not ends:
            return ""
        high, low = (f"{_some(names)} ({100 * cell.chance_corrected.estimate:.0f})" for names in ends if (cell := self.rows[names[0]][0]))
        at_chance = [name for name, (cell,) in self.rows.items() if cell and not cell.is_above_chance]
        sentence = f"Highest ability: {high}; lowest: {low}."
        if not at_chance:
            return sentence
        more = len(at_chance) - _MAX_NAMED
        named = join_names([*at_chance[:_MAX_NAMED], *([f"{more} more"] if more > 0 else [])])
        return f"{sentence} Not significantly above chance: {named}."


def _some(names: Sequence[str]) -> str:
    """One or two names, or their number."""
    return join_names(names) if len(names) <= 2 else f"{len(names)} abilities"


def ability_map(names: Sequence[str], standing: Standings) -> AbilityMap:
    """Of runs by their names, in the order of the standings. Tasks without an ability are left out."""
    by_ability: dict[str, list[str]] = {name: [] for name in NAMES}
    for task in standing.tasks or dict.fromkeys(chain.from_iterable(standing.runs)):
        if ability := ability_of(task):
            by_ability[ability].append(task)
    tested = {name: tasks for name, tasks in by_ability.items() if tasks}
    models = [standing.runs[place] for place in standing.order]
    rows = {name: tuple(_cell(tasks, model, len(tested)) for model in models) for name, tasks in tested.items()}
    ranked = range(len(standing.ranked)) if standing.tasks else range(0)
    leading = {
        name: best
        for name, tasks in tested.items()
        if len(ranked) > 1
        and (best := _leader([{task: models[k][task] for task in tasks} for k in ranked], rows[name], len(tested))) is not None
    }
    ordered = [names[place] for place in standing.order]
    return AbilityMap(tuple(ordered), tuple(short_names(ordered)), rows, leading)


def _cell(tasks: Sequence[str], model: Tasks, claims: int) -> Cell | None:
    """None where the model lacks a task or has no score in it, and where every chance level is 1."""
    if not all(task in model and model[task].n for task in tasks):
        return None
    scores = [scores for task in tasks if min((scores := model[task].scores).chances) < 1]
    if not scores:
        return None
    scored = [model[task].scored for task in tasks]
    is_reliable = not any(UnparsedResponses.of(rows.outcomes).many for rows in scored)
    above = chance_corrected_score(scores, simultaneous(claims)).low > 0
    return Cell(tuple(tasks), sum(rows.n for rows in scored), chance_corrected_score(scores), above, is_reliable)


def _leader(models: Sequence[Tasks], cells: Sequence[Cell | None], abilities: int) -> int | None:
    """The place of the model that is significantly more accurate than each other one, if there is one."""
    present = [(place, cell) for place, cell in enumerate(cells[: len(models)]) if cell]
    if len(present) < len(models) or not all(cell.is_reliable for _, cell in present):
        return None
    best, _ = max(present, key=lambda pair: pair[1].chance_corrected.estimate)
    claims = abilities * (len(models) - 1)
    lows = [accuracy_difference(models[best], other, claims).low for place, other in enumerate(models) if place != best]
    return best if min(lows) > 0 else None
