"""What each model is good at: the heat map of the first screen."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.ability_map import AbilityMap, Cell, ability_map
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.standings import standings
from isovist.reporting.analysis.unparsed_responses import MARK, MARK_NOTE
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, Column, N, Table, ci_text

TITLE = "Abilities"
NOTE = (
    "Chance-corrected accuracy (0 = chance, 100 = perfect) with its 95% CI: the mean over the tasks of an ability, each with the same weight. "
    "Grey: the interval, corrected for the number of abilities, reaches chance. Framed: significantly more accurate than every other model on "
    f"the same items (paired, corrected likewise). {MARK}: {MARK_NOTE}."
)


def map_of(runs: Sequence[RunResults]) -> AbilityMap:
    return ability_map([run.name for run in runs], standings([run.tasks for run in runs]))


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Empty without a task that has an ability."""
    abilities = map_of(runs)
    shown = Table(
        [Column("", "Ability"), Column("", "Tasks", "number"), *(Column("", name, "number") for name in abilities.short)],
        [
            (name, str(max(len(cell.tasks) for cell in cells if cell)), *(_text(cell) for cell in cells))
            for name, cells in abilities.rows.items()
            if any(cells)
        ],
    )
    columns = [RUN, Column("ability"), Column("tasks"), N, Column("chance_corrected", kind="points")]
    columns += [Column("significantly_above_chance"), Column("significantly_more_accurate_than_all_others")]
    rows = [
        (
            *(abilities.models[place], name, " ".join(cell.tasks), cell.n, cell.chance_corrected),
            *(cell.is_above_chance, abilities.leading.get(name) == place),
        )
        for name, cells in abilities.rows.items()
        for place, cell in enumerate(cells)
        if cell
    ]
    return [Section(TITLE, shown, NOTE, abilities.sentence, files={"abilities.csv": Table(columns, rows)})]


def _text(cell: Cell | None) -> str | None:
    """The score and its interval; in parentheses if it is not significantly above chance."""
    if cell is None:
        return None
    text = f"{ci_text(cell.chance_corrected, kind='points')}{'' if cell.is_reliable else f' {MARK}'}"
    return text if cell.is_above_chance else f"({text})"
