"""The leaderboard page: one HTML file that opens offline, with its figure and CSV tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from isovist.data.reference import published, reference, suites
from isovist.reporting.analysis.text_format import count_of
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED, MARK, MARK_NOTE
from isovist.reporting.reports import table
from isovist.reporting.reports.figures.svg import (
    HUES,
    INK,
    PAPER,
    RULE,
    SOFT,
    add,
    canvas,
    name_before,
    over_lines,
    shortened,
    text,
    tooltip,
    written,
)
from isovist.reporting.reports.figures.text_to_paths import convert_text_to_paths
from isovist.reporting.reports.html import environment, resource
from isovist.reporting.reports.leaderboard import Column, Leaderboard, Score
from isovist.reporting.reports.table import OpenInterval, Table, ci_text
from isovist.stats.pairwise_tests import ALPHA

_LEFT, _RIGHT, _TOP, _WIDTH, _LINE = 300, 150, 40, 940, 22

RANK_NOTE = (
    "Chance-corrected accuracy is (accuracy - chance) / (1 - chance): 0 = chance, 100 = perfect. Both are means over tasks, each task with the same "
    "weight, as in a report; refused, filtered and unparsed responses are incorrect. Intervals are 95% CIs; items that share an image are one cluster. The rank is a range: "
    "the best rank is one more than the number of significantly better models, the worst rank is the number of models that are not "
    f"significantly worse (paired test of the accuracy on the same items, p < {ALPHA:g}, Holm-adjusted over all pairs of models and all suites)."
)
_MARK_SENTENCE = (
    f"{MARK}: {MANY_UNPARSED}, which are scored as incorrect. No order is claimed between such a model and one whose interval it could reach "
    "if they were correct; without any order, the rank is inconclusive."
)
CAPTION = f"{RANK_NOTE} Models that share a letter do not differ significantly in that column. {_MARK_SENTENCE}"
OVERVIEW_CAPTION = f"{RANK_NOTE} {_MARK_SENTENCE}"
PUBLISHED_NOTE = "Published rows are the papers' own results, on their own items and prompts, without intervals and ranks: compare which tasks are hard, not the percentages."


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a suite's table: a model, or published results."""

    name: str
    is_published: bool
    accuracies: tuple[float | None, ...]
    """Accuracies by task, in [0, 1]."""
    hints: tuple[str, ...]

    @property
    def mean(self) -> float | None:
        """The mean over the tasks; None if one is missing."""
        reported = [accuracy for accuracy in self.accuracies if accuracy is not None]
        return sum(reported) / len(reported) if reported and len(reported) == len(self.accuracies) else None


@dataclass(frozen=True, slots=True)
class Suite:
    """The tasks of a suite with the accuracy of each model and the published results."""

    name: str
    tasks: tuple[str, ...]
    chances: tuple[float, ...]
    rows: tuple[Row, ...]
    paper: str
    """The source of the published results; empty without one."""


def files(board: Leaderboard, links: Mapping[str, str] | None = None, home: str = "") -> tuple[dict[str, str], dict[str, Table]]:
    """The files of the folder of a leaderboard by name, the page first, and the tables of its report.json by name; see `page`."""
    models, by_task = models_table(board), tasks_table(board)
    contents = {
        "index.html": page(board, links, home),
        "leaderboard.csv": models.csv(),
        "tasks.csv": by_task.csv(),
        "leaderboard.svg": convert_text_to_paths(figure(board)),
    }
    return contents, {"leaderboard": models, "tasks": by_task}


def page(board: Leaderboard, links: Mapping[str, str] | None = None, home: str = "") -> str:
    """The page. `links`: the addresses of pages of models, by the name of the model; `home`: that of a page above."""
    testable = [
        (name, score.chance_corrected)
        for name, score in zip(board.names[: board.ranked], board.whole.scores, strict=False)
        if score and score.is_testable
    ]
    return (
        environment()
        .get_template("leaderboard.html.j2")
        .render(
            board=board,
            links=links or {},
            home=home,
            figure=Markup(figure(board)),
            narrow=Markup(figure(board, narrow=True)),
            columns=(board.whole, *(board.suites if len(board.suites) > 1 else ())),
            suites=by_suite(board),
            at_chance=[name for name, interval in testable if interval.low <= 0 <= interval.high],
            below_chance=[name for name, interval in testable if interval.high < 0],
            mark=MARK,
            mark_note=MARK_NOTE,
            note=CAPTION,
            published_note=PUBLISHED_NOTE,
            shade=_shade,
            board_style=Markup(resource("leaderboard.css")),
        )
    )


def _shade(share: float, chance: float) -> str:
    """The strength of a cell's colour, from chance to perfect."""
    rest = 1 - chance
    return f"{0.62 * max(0.0, min(1.0, (share - chance) / rest if rest else 0.0)):.2f}"


def by_suite(board: Leaderboard) -> list[Suite]:
    """A table for each suite."""
    suite_tables: list[Suite] = []
    for column in board.suites:
        tasks = tuple(task for task in board.tasks if task.partition("/")[0] == column.name)
        chances = tuple(next((score.chance for score in board.tasks[task] if score), 0.0) for task in tasks)
        rows = [_row(board, model, tasks) for model in range(len(board.names))]
        figures = [published(task) for task in tasks]
        models = dict.fromkeys(model for by_model in figures for model in by_model)
        rows += [
            Row(
                model,
                True,
                tuple(by_model[model] / 100 if model in by_model else None for by_model in figures),
                tuple(f"{model}, {task}: published" for task in tasks),
            )
            for model in models
        ]
        paper = reference(column.name).paper if models and column.name in suites() else None
        source = f"{paper['title']}, arXiv {paper['arxiv']}" if paper else ""
        suite_tables.append(
            Suite(
                column.name, tasks, chances, tuple(row for row in rows if any(accuracy is not None for accuracy in row.accuracies)), source
            )
        )
    return suite_tables


def _row(board: Leaderboard, model: int, tasks: Sequence[str]) -> Row:
    name, scores = board.names[model], [board.tasks[task][model] for task in tasks]
    hints = tuple(
        f"{name}, {task}: {ci_text(score.accuracy)} %, n = {count_of(score.n, board.counts[task])}{_unparsed_note(score)}"
        if score
        else f"{name}: {task} is missing"
        for task, score in zip(tasks, scores, strict=True)
    )
    return Row(name, False, tuple(score.accuracy.estimate if score else None for score in scores), hints)


def _unparsed_note(score: Score) -> str:
    return f"; unparsed: {score.unparsed.short}" if score.unparsed.total else ""


def figure(board: Leaderboard, *, narrow: bool = False) -> str:
    """The ranked models in order: chance-corrected accuracy over all items with its 95% CI, and the range of ranks.

    A dot is hollow if its interval includes 0, and grey for many unparsed responses. `narrow`: for phones, with names above the dots.
    """
    left, right, width, line = (24, 96, 380, 40) if narrow else (_LEFT, _RIGHT, _WIDTH, _LINE)
    height, span = _TOP + line * board.ranked + 14, width - left - right
    scores = [score for score in board.whole.scores[: board.ranked] if score]
    start = min(0.0, *(score.chance_corrected.low for score in scores)) if scores else 0.0
    start = -0.25 * -(start // 0.25)

    def x(share: float) -> float:
        return left + span * (share - start) / (1 - start)

    svg = canvas(width, height, "Chance-corrected accuracy of each model over all common items, with 95% CIs")
    for quarter in range(round(4 * start), 5):
        share = quarter / 4
        style = {"stroke_dasharray": "2 2", "stroke_width": 1.2} if share == 0 else {}
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 8, y2=height - 8, stroke=INK if share == 0 else RULE, **style)
        text(svg, x(share), _TOP - 14, "chance" if share == 0 else f"{100 * share:.0f}", 11, "middle", SOFT)
    text(svg, width - 54, _TOP - 14, "rank", 11, "end", SOFT)
    for model, score in enumerate(scores):
        y, name, has_many_unparsed = _TOP + line * (model + 1) - 12.0, board.names[model], score.unparsed.many
        hue, interval = SOFT if has_many_unparsed else HUES[0], score.chance_corrected
        shown = shortened(name, width - 40 if narrow else left - 34) + (f" {MARK}" if has_many_unparsed else "")
        if narrow:
            over_lines(svg, 4, y - 13, shown, 12.5)
        else:
            name_before(svg, left, y + 4, shown)
        dashes = {"stroke_dasharray": "4 3"} if has_many_unparsed else {}
        add(svg, "line", x1=x(interval.low), x2=x(interval.high), y1=y, y2=y, stroke=hue, stroke_width=2.2, **dashes)
        is_filled = interval.low > 0 and not has_many_unparsed
        style = {"fill": hue, "stroke": PAPER} if is_filled else {"fill": PAPER, "stroke": hue, "stroke_width": 1.8}
        dot = add(svg, "circle", cx=x(interval.estimate), cy=y, r=4.6, **style)
        tooltip(
            dot,
            f"{name}: chance-corrected accuracy {ci_text(interval, kind='points')}, n = {count_of(score.n, board.whole.n)}{_unparsed_note(score)}",
        )
        text(svg, width - 54, y + 4, board.rank_text(model), 12, "end")
        text(svg, width - 6, y + 4, f"{100 * interval.estimate:.1f}", 12, "end", hue, font_weight="600")
    return written(svg)


def models_table(board: Leaderboard) -> Table:
    """A row for each model in each suite and over all, shares of 1."""
    columns = [*map(table.Column, ("model", "suite", "ranked", "rank_best", "rank_worst", "n"))]
    columns += [
        table.Column("chance_corrected", kind="points"),
        *map(table.Column, ("accuracy", "chance", "unparsed", "significance_group")),
    ]
    return Table(columns, [row for column in (board.whole, *board.suites) for row in _column_rows(board, column)])


def _column_rows(board: Leaderboard, column: Column) -> Iterator[Sequence[object]]:
    for model, score in enumerate(column.scores):
        if score is not None:
            is_ranked = model < board.ranked
            best, worst = (column.n_better[model] + 1, board.ranked - column.n_worse[model]) if is_ranked else (None, None)
            letters = column.letters(model) if is_ranked else None
            start = (board.names[model], column.name, is_ranked, best, worst, score.n, score.chance_corrected)
            yield *start, score.accuracy.estimate, score.chance, score.unparsed.total, letters


def tasks_table(board: Leaderboard) -> Table:
    """A row for each model and task, with the published results, shares of 1."""
    rows: list[Sequence[object]] = []
    for suite in by_suite(board):
        for row in suite.rows:
            for task, chance, accuracy in zip(suite.tasks, suite.chances, row.accuracies, strict=True):
                if accuracy is None:
                    continue
                score = None if row.is_published else board.tasks[task][board.names.index(row.name)]
                interval = score.accuracy if score else OpenInterval(accuracy)
                source, n = ("published", None) if row.is_published else ("run", score.n if score else None)
                rows.append((row.name, source, task, n, interval, chance, score.unparsed.total if score else None))
    columns = [*map(table.Column, ("model", "source", "task", "n")), table.Column("accuracy", kind="interval")]
    return Table([*columns, *map(table.Column, ("chance", "unparsed"))], rows)
