"""The static site of a folder of checked submissions: a page over all releases, a leaderboard of each, and a page of each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

from markupsafe import Markup

from isovist.evaluation.models.base import GenerationConfig
from isovist.reporting.analysis.unparsed_responses import NO_ORDER
from isovist.reporting.reports import leaderboard_page, table
from isovist.reporting.reports.html import environment, resource
from isovist.reporting.reports.leaderboard import Score
from isovist.reporting.reports.submissions import Board, Entry, ModelRow, model_rows, score_of
from isovist.reporting.reports.table import Table
from isovist.reporting.submissions.model_card import ModelCard

PROOF = (
    "Every reply of a submission was scored again with the organiser's keys, and belongs to an item, prompt and images of the release. "
    "A check of files cannot prove that the named model wrote the replies."
)
_CARD = tuple(field.name for field in fields(ModelCard))
_POINTS = table.Column("chance_corrected", "Chance-corrected accuracy", "points")


def site(boards: Sequence[Board]) -> tuple[dict[str, str], dict[str, Table]]:
    """The files of the site by their paths, and the tables of its report.json by name."""
    rows = model_rows(boards)
    models = models_table(boards, rows)
    files = {"index.html": _overview(boards, rows), "models.csv": models.csv()}
    for board in boards:
        ranking = board.leaderboard
        links = {name: f"../{entry.page}" for name, entry in zip(ranking.names, board.entries, strict=True)}
        pages, _ = leaderboard_page.files(ranking, links, "../index.html")
        files |= {f"{board.folder}/{name}": content for name, content in pages.items()}
        files |= {entry.page: _model_page(board, place, entry) for place, entry in enumerate(board.entries)}
    return files, {"models": models}


def models_table(boards: Sequence[Board], rows: Sequence[ModelRow]) -> Table:
    """A row for each model and release, with the fields of the model card."""
    columns = [*map(table.Column, ("model", "release", "rank")), _POINTS, *map(table.Column, ("accuracy", "chance", "n"))]
    columns += map(table.Column, _CARD)
    lines: list[list[object]] = []
    for row in rows:
        for board, place in zip(boards, row.places, strict=True):
            score = score_of(board, place)
            if place and score:
                entry, model = place
                card = [getattr(entry.card, name, None) for name in _CARD]
                rank = board.leaderboard.rank_text(model)
                lines.append(
                    [
                        row.model,
                        board.release,
                        rank,
                        score.chance_corrected,
                        score.accuracy.estimate,
                        score.chance,
                        board.leaderboard.whole.n,
                        *card,
                    ]
                )
    return Table(columns, lines)


def _overview(boards: Sequence[Board], rows: Sequence[ModelRow]) -> str:
    cells = [
        [(entry_place, score_of(board, entry_place), board) for board, entry_place in zip(boards, row.places, strict=True)] for row in rows
    ]
    entries = [next(place[0] for place in row.places if place) for row in rows]
    figures = [Markup(leaderboard_page.figure(board.leaderboard)) for board in boards]  # noqa: S704 - our own SVG
    return (
        environment()
        .get_template("submissions.html.j2")
        .render(
            boards=list(zip(boards, figures, strict=True)),
            rows=list(zip(rows, cells, entries, strict=True)),
            proof=PROOF,
            note=leaderboard_page.OVERVIEW_CAPTION,
            board_style=Markup(resource("leaderboard.css")),  # noqa: S704 - our own CSS
        )
    )


def _model_page(board: Board, place: int, entry: Entry) -> str:
    ranking = board.leaderboard
    columns = [
        table.Column("name", "Suite"),
        table.N,
        table.ACCURACY,
        table.CHANCE,
        table.Column("chance_corrected", "Chance-corrected", "points"),
    ]
    parts = (ranking.whole, *(ranking.suites if len(ranking.suites) > 1 else ()))
    suites = [_row("all tasks" if part is ranking.whole else part.name, part.n, part.scores[place]) for part in parts]
    tasks = [_row(task, ranking.counts[task], scores[place]) for task, scores in ranking.tasks.items()]
    outcomes = entry.submission.counts.outcomes if entry.submission else {}
    return (
        environment()
        .get_template("submission.html.j2")
        .render(
            entry=entry,
            board=board,
            rank=ranking.rank_text(place) if place < ranking.ranked else "-",
            score=ranking.whole.scores[place],
            suites=Table(columns, suites).html("suites"),
            tasks=Table([table.Column("name", "Task"), *columns[1:]], tasks).html("tasks"),
            outcomes=outcomes,
            options={} if entry.info.source_tool else _options(entry),
            proof=PROOF,
            no_order=NO_ORDER,
            board_style=Markup(resource("leaderboard.css")),  # noqa: S704 - our own CSS
        )
    )


def _row(name: str, n: int, score: Score | None) -> list[object]:
    if score is None:
        return [name, n, None, None, None]
    return [name, n, score.accuracy, score.chance, score.chance_corrected]


def _options(entry: Entry) -> dict[str, object]:
    """The options of the requests that are not the defaults, with the temperature and the limit of tokens."""
    defaults = asdict(GenerationConfig())
    options = asdict(entry.info.options)
    always = ("temperature", "max_tokens")
    return {name: value for name, value in options.items() if name in always or (value != defaults[name] and name != "base_url")}
