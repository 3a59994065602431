"""A leaderboard as one HTML file that opens offline, with its figure, and as CSV."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from markupsafe import Markup

from isovist.analysis.unparsed_responses import MARK, MARK_WORDS, UNREAD_MANY
from isovist.reference import published, reference, suites
from isovist.reports.figures.svg import HUES, INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written
from isovist.reports.html import environment, resource
from isovist.reports.leaderboard import Column, Leaderboard, Score
from isovist.reports.tables import as_csv
from isovist.stats.pairwise_tests import ALPHA

_LEFT, _RIGHT, _TOP, _WIDTH, _LINE = 260, 150, 40, 900, 22

CAPTION = (
    "Above chance is how far the accuracy is on the way from guessing (0) to all right (100); below chance it is negative. Every item "
    "has the same weight. Intervals are 95 %, over groups of items that share a picture. The place is the range that models surely better "
    f"and surely worse leave: two models are told apart where a test on the same items has a p-value below {ALPHA:g} by Holm's method over "
    "all pairs of models, and all suites. Models that share a letter cannot be told apart in that column. "
    f"{MARK}: {UNREAD_MANY}, which count as wrong, so that how the model differs from others is not told there."
)
PUBLISHED_NOTE = (
    "Published rows are the papers' own figures, on their own items and prompts, without error bars: compare patterns, not points. "
    "They have no place."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a suite's table: a model, or a published row."""

    name: str
    published: bool
    shares: tuple[float | None, ...]
    """Accuracies by task, in [0, 1]."""
    hints: tuple[str, ...]

    @property
    def mean(self) -> float | None:
        """Over the tasks, each with the same weight; None if one is lacking."""
        known = [share for share in self.shares if share is not None]
        return sum(known) / len(known) if known and len(known) == len(self.shares) else None


@dataclass(frozen=True, slots=True)
class Suite:
    """The tasks of a suite: each model's accuracy, and the paper's figures."""

    name: str
    tasks: tuple[str, ...]
    chances: tuple[float, ...]
    rows: tuple[Row, ...]
    paper: str
    """Whose figures are beside; empty without one."""


def page(board: Leaderboard) -> str:
    script = resource("leaderboard.js")
    # the one script the page has, and no other, may run
    allowed = base64.b64encode(sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template("leaderboard.html.j2")
        .render(
            it=board,
            title=f"{board.who} in order",
            figure=Markup(figure(board)),
            columns=(board.whole, *(board.suites if len(board.suites) > 1 else ())),
            suites=by_suite(board),
            guessing=[
                name
                for name, score in zip(board.names[: board.ranked], board.whole.scores, strict=False)
                if score and not score.unreadable.many and score.above[1] <= 0 <= score.above[2]
            ],
            below=[
                name
                for name, score in zip(board.names[: board.ranked], board.whole.scores, strict=False)
                if score and not score.unreadable.many and score.above[2] < 0
            ],
            unread_mark=MARK,
            unread_words=MARK_WORDS,
            note=CAPTION,
            published_note=PUBLISHED_NOTE,
            script=Markup(script),
            allowed=allowed,
            above=_above,
            shade=_shade,
            own_style=Markup(resource("leaderboard.css")),
        )
    )


def _above(score: Score) -> str:
    return " to ".join(f"{100 * share:.1f}" for share in score.above[1:])


def _shade(share: float, chance: float) -> str:
    """The strength of a cell's colour, from chance to all right."""
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
            Suite(column.name, tasks, chances, tuple(row for row in rows if any(s is not None for s in row.shares)), source)
        )
    return suite_tables


def _row(board: Leaderboard, model: int, tasks: Sequence[str]) -> Row:
    scores = [board.tasks[task][model] for task in tasks]
    hints = tuple(
        f"{board.names[model]}, {task}: {100 * score.accuracy.low:.1f} to {100 * score.accuracy.high:.1f} %, n = {board.counts[task]}"
        + (f"; unread: {score.unreadable.short}" if score.unreadable.total else "")
        if score
        else f"{board.names[model]} was not asked {task} in full"
        for task, score in zip(tasks, scores, strict=True)
    )
    return Row(board.names[model], False, tuple(score.accuracy.estimate if score else None for score in scores), hints)


def figure(board: Leaderboard) -> str:
    """The ranked models in order: how far above chance over all items, with the interval and the places that each may have.

    A dot whose interval reaches down to chance is hollow; one of a model of which many replies could not be read is grey.
    """
    height, span = _TOP + _LINE * board.ranked + 14, _WIDTH - _LEFT - _RIGHT
    shown = [score for score in board.whole.scores[: board.ranked] if score]
    start = min(0.0, *(score.above[1] for score in shown)) if shown else 0.0
    start = -0.25 * -(start // 0.25)

    def x(share: float) -> float:
        return _LEFT + span * (share - start) / (1 - start)

    svg = canvas(_WIDTH, height, "How far above chance each model is over all common items, with 95 % intervals")
    for quarter in range(round(4 * start), 5):
        share = quarter / 4
        more = {"stroke_dasharray": "2 2", "stroke_width": 1.2} if share == 0 else {}
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 8, y2=height - 8, stroke=INK if share == 0 else RULE, **more)
        text(svg, x(share), _TOP - 14, "chance" if share == 0 else f"{100 * share:.0f}", 11, "middle", SOFT)
    text(svg, _WIDTH - 74, _TOP - 14, "place", 11, "middle", SOFT)
    for model, score in enumerate(shown):
        y = _TOP + _LINE * model + 10.0
        name, many = board.names[model], score.unreadable.many
        hue = SOFT if many else HUES[0]
        estimate, low, high = score.above
        shown_name = (name if len(name) <= 33 else f"{name[:32]}…") + (f" {MARK}" if many else "")
        text(svg, _LEFT - 14, y + 4, shown_name, 12.5, "end")
        dashes = {"stroke_dasharray": "4 3"} if many else {}
        add(svg, "line", x1=x(low), x2=x(high), y1=y, y2=y, stroke=hue, stroke_width=2.2, **dashes)
        sure = {"fill": hue, "stroke": PAPER} if low > 0 and not many else {"fill": PAPER, "stroke": hue, "stroke_width": 1.8}
        dot = add(svg, "circle", cx=x(estimate), cy=y, r=4.6, **sure)
        unread = f"; unread: {score.unreadable.short}" if score.unreadable.total else ""
        tooltip(dot, f"{name}: {100 * estimate:.1f} above chance ({100 * low:.1f} to {100 * high:.1f}), n = {board.whole.n}{unread}")
        text(svg, _WIDTH - 74, y + 4, board.place(model), 12, "middle")
        text(svg, _WIDTH - 6, y + 4, f"{100 * estimate:.1f}", 12, "end", hue, font_weight="600")
    return written(svg)


def models_csv(board: Leaderboard) -> str:
    """Shares of 1, a row for each model in each suite and over all."""
    head = [
        "model",
        "suite",
        "ranked",
        "place_best",
        "place_worst",
        "n",
        "above_chance",
        "low",
        "high",
        "accuracy",
        "chance",
        "unread",
        "ties",
    ]
    return as_csv(head, [row for column in (board.whole, *board.suites) for row in _column_rows(board, column)])


def _column_rows(board: Leaderboard, column: Column) -> Iterator[Sequence[object]]:
    for model, score in enumerate(column.scores):
        if score is None:
            continue
        ranked = model < board.ranked
        places = (column.better[model] + 1, board.ranked - column.worse[model]) if ranked else ("", "")
        cells = [board.names[model], column.name, int(ranked), *places, column.n, *score.above]
        yield [*cells, score.accuracy.estimate, score.chance, score.unreadable.total, column.letters(model) if ranked else ""]


def tasks_csv(board: Leaderboard) -> str:
    """Shares of 1, a row for each model and task, the papers' rows among them."""
    rows: list[Sequence[object]] = []
    for suite in by_suite(board):
        for row in suite.rows:
            for task, chance, share in zip(suite.tasks, suite.chances, row.shares, strict=True):
                if share is not None:
                    model = None if row.published else board.names.index(row.name)
                    score = None if model is None else board.tasks[task][model]
                    ends = (score.accuracy.low, score.accuracy.high) if score else ("", "")
                    rows.append(
                        [
                            row.name,
                            "published" if row.published else "run",
                            task,
                            "" if row.published else board.counts[task],
                            share,
                            *ends,
                            chance,
                            score.unreadable.total if score else "",
                        ]
                    )
    return as_csv(["model", "source", "task", "n", "accuracy", "low", "high", "chance", "unread"], rows)
