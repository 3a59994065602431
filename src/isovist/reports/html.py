"""The report as one HTML file that opens without a network."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape
from PIL import Image

from isovist import attribution
from isovist.analysis.collect import RunResults, TaskResult, every_task
from isovist.analysis.unparsed_responses import MARK, MARK_WORDS
from isovist.analysis.variants import words
from isovist.core.answers import LETTERS, OUTCOMES, Outcome
from isovist.render.image_encoding import media_type
from isovist.reports.figures import error_wheel, overview, published_comparison, task_plots, threshold_plot
from isovist.reports.figures.figure import Figure
from isovist.reports.sections import (
    across_tasks,
    adaptive,
    angular_errors,
    attributes,
    by_level,
    conditional_accuracy,
    constant_baseline,
    error_types,
    failure_analysis,
    image_orders,
    paper_table,
    position_bias,
    published_results,
    response_times,
    seeds,
    size_thresholds,
    summary,
    unparsed_first,
)
from isovist.reports.table_of_contents import with_contents
from isovist.reports.tables import CAPTION, FEW_MARK, FEW_WORDS, VARIANTS_NOTE, readable_words
from isovist.run.run_folder import RunMetadata
from isovist.stats.paired_differences import Difference
from isovist.stats.proportions import ConfidenceInterval

_LONGEST = 1500  # characters of a reply that are shown
_HEAVY, _WIDE = 100_000, 360  # bytes of a picture that is shown smaller, and its longer side in pixels then

_PROTOCOLS = {"joint": "with the question", "caption-first": "described one at a time; the question asked of the descriptions"}

_OUTCOME_HUES: dict[Outcome, str] = {
    "correct": "#009e73",
    "partial": "#56b4e9",
    "wrong": "#d55e00",
    "unparsed": "#e69f00",
    "empty": "#f0e442",
    "refused": "#cc79a7",
    "filtered": "#8c6bb1",
    "truncated": "#999999",
    "error": "#000000",
}


@cache
def environment() -> Environment:
    """The template environment, which escapes whatever it is given. One for all pages: it compiles each template once."""
    made = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, loader=FunctionLoader(resource))
    shared: dict[str, Any] = {
        "data_uri": data_uri,
        "percent": percent,
        "span": span,
        "change": change,
        "stated": stated,
        "letters": LETTERS,
        "style": Markup(resource("style.css")),
    }
    made.globals |= shared
    return made


def resource(name: str) -> str:
    return files("isovist.reports").joinpath(name).read_text(encoding="utf-8")


def page(runs: Sequence[RunResults], files: Sequence[Figure], *, browser: bool = False) -> str:
    """The report on some runs. `files`: its figures, which stand beside it as files as well. `browser`: whether items.html does."""
    drawings = {figure.of: Markup(figure.svg) for figure in files if figure.of}
    tasks = list(every_task(runs))
    of_name = {run.name: run for run in runs}

    def unread_of(result: TaskResult) -> str:
        return unparsed_first.of_task(of_name[result.run], result)

    def drawn(*figure_key: str | int) -> Markup:
        return drawings.get(figure_key, Markup())

    return with_contents(
        environment()
        .get_template("page.html.j2")
        .render(
            title=summary.title(runs),
            first=summary.build_rows(runs),
            finding_words=summary.words,
            overview_caption=summary.caption(runs),
            overview_narrow=Markup(overview.figure(runs, narrow=True)),
            halfway_caption=threshold_plot.CAPTION if threshold_plot.ordered(runs) else "",
            halfway_narrow=Markup(threshold_plot.figure(runs, narrow=True)),
            any_accuracy=any(not task.is_adaptive for run in runs for task in run.tasks),
            files=files,
            browser=browser,
            runs=runs,
            names=[run.name for run in runs],
            tasks=tasks,
            hues=task_plots.HUES,
            outcomes=OUTCOMES,
            outcome_hues=_OUTCOME_HUES,
            drawn=drawn,
            published=any(result.published for run in runs for result in run.tasks),
            beside=published_results.tables(runs),
            whole=[(table, list(paper_table.rows(table))) for table in paper_table.tables(runs)],
            whole_note=paper_table.CAPTION,
            comparisons=published_comparison.drawn(runs),
            settings=settings(runs),
            note=CAPTION,
            facts=[fact for run in runs if (fact := run.reading.fact(run.name))],
            any_unread=any(result.unreadable.total for run in runs for result in run.tasks),
            unread_mark=MARK,
            unread_words=MARK_WORDS,
            unread_of=unread_of,
            readable_words=readable_words,
            by_paper=any(result.accuracy_as_published for run_ in runs for result in run_.tasks),
            floors=constant_baseline.build_rows(runs),
            floors_note=constant_baseline.CAPTION,
            orders=image_orders.build_rows(runs),
            orders_note=image_orders.CAPTION,
            parts=conditional_accuracy.build_rows(runs),
            varied=any(run_.variant_results for run in runs for run_ in run.tasks),
            variant_words=words,
            variants_note=VARIANTS_NOTE,
            by_level=by_level.build_rows(runs),
            across=across_tasks.build_rows(runs),
            across_note=across_tasks.ACROSS_NOTE,
            facets=attributes.build_rows(runs),
            seeds=seeds.build_rows(runs),
            times=response_times.of_tasks(runs),
            times_cells=response_times.format_cells,
            times_note=response_times.CAPTION,
            errors=error_types.build_rows(runs),
            errors_out=error_types.significant_error_types(runs),
            errors_note=error_types.GEOMETRY_NOTE,
            wheels_of=error_wheel.of,
            wheel_caption=error_wheel.caption,
            angles=angular_errors.build_rows(runs),
            angle_head=angular_errors.TABLE_HEAD,
            angles_note=angular_errors.ANGLES_NOTE,
            angles_of=angular_errors.of,
            adaptive=_adaptive(runs),
            sized=[sized for _, results in tasks for result in results if result and (sized := result.sizes)],
            letters_of=position_bias.drawn,
            letters_caption=position_bias.caption,
            levels_note=size_thresholds.LEVELS_NOTE,
            skills=size_thresholds.skills(runs),
            skills_note=size_thresholds.SKILLS_NOTE,
            **failure_analysis.context(runs),
            shortened=_shortened,
            anchor=anchor,
            version=version("isovist"),
            credits=attribution.sentence(),
        )
    )


def _adaptive(runs: Sequence[RunResults]) -> Markup:
    context = {
        "lines": adaptive.build_rows(runs),
        "cells": adaptive.format_cells,
        "note": adaptive.CAPTION,
        "several": len(runs) > 1,
        "anchor": anchor,
    }
    return Markup(environment().get_template("adaptive.html.j2").render(context))


def settings(runs: Sequence[RunResults]) -> list[tuple[str, list[str]]]:
    """How each run was asked, line by line."""

    def line(label: str, value_of: Callable[[RunResults], object]) -> tuple[str, list[str]]:
        return label, [str(value_of(run)) for run in runs]

    def asked(label: str, value_of: Callable[[RunResults], object]) -> tuple[str, list[str]]:
        """What is known of the requests that were sent here."""
        return line(label, lambda run: "not told" if run.info.source_tool else value_of(run))

    return [
        line("Model", lambda run: run.info.model),
        line("Asked by", lambda run: run.info.source_tool or "Isovist"),
        line("Served as", lambda run: ", ".join(run.served_by) or "-"),
        asked("Server", lambda run: run.info.options.base_url or "the provider's"),
        line("Items", lambda run: _items(run.info)),
        line("Pictures", lambda run: _PROTOCOLS[run.info.image_mode]),
        asked("Prompt style", lambda run: run.info.style),
        line("Asked in other ways", lambda run: ", ".join(words(name) for name in _families(run)) or "no"),
        asked("Temperature", lambda run: run.info.options.temperature),
        asked("Longest reply", lambda run: f"{run.info.options.max_tokens} tokens"),
        asked("Requests at once", lambda run: run.info.options.concurrency),
        asked("Tokens in, out", lambda run: f"{run.tokens[0]:,}, {run.tokens[1]:,}"),
        asked("Mean time of a request", lambda run: f"{run.seconds / max(1, run.requests):.2f} s"),
        line("Started, finished", lambda run: f"{run.info.started}, {run.info.finished or 'not yet'}"),
        line("Data", lambda run: f"{run.info.data} ({run.info.data_hash})"),
        line("Verified", lambda run: run.reading.words),
        line("Software", lambda run: ", ".join(f"{name} {number}" for name, number in run.info.versions.items())),
    ]


def _items(info: RunMetadata) -> str:
    design = info.adaptive
    if design is None:
        return "the same whatever is answered"
    most = " or ".join(map(str, sorted({part.n for part in design.pool})))
    return (
        f"sizes chosen by the answers ({design.method}): to a half-width of {design.target_half_width:g} sizes, at most {most} items a task, "
        f"{design.batch_size} chosen at a time"
    )


def _families(run: RunResults) -> list[str]:
    return list(dict.fromkeys(name for task in run.tasks for name in task.variant_results))


def anchor(task: str) -> str:
    return task.replace("/", "-")


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def span(interval: ConfidenceInterval | Difference) -> Markup:
    """The ends of an interval in per cent, marked where it rests on few groups."""
    return Markup("{} to {}{}").format(percent(interval.low), percent(interval.high), _mark(interval))


def change(difference: Difference) -> Markup:
    """The same with signs, for what may go up or down."""
    return Markup("{:+.1f} to {:+.1f}{}").format(100 * difference.low, 100 * difference.high, _mark(difference))


def stated(words: str) -> Markup:
    """A sentence with what it says before its colon in bold, and with options and per cent signs that no line breaks."""
    says, colon, more = (escape(part.replace(" %", "\u00a0%")) for part in words.partition(": "))
    option = Markup('<span class="option">{}</span>').format("--max-tokens")
    return Markup("<b>{}</b>{}{}").format(says, colon, Markup(option.join(more.split("--max-tokens"))))


def _mark(interval: ConfidenceInterval | Difference) -> Markup:
    return Markup('<abbr title="{}">{}</abbr>').format(FEW_WORDS, FEW_MARK) if interval.too_few_clusters else Markup()


def data_uri(image: bytes) -> Markup:
    """The picture as it can stand in a page; one of many bytes, as of a room, smaller and as JPEG, so that a page stays light."""
    if len(image) > _HEAVY:
        with Image.open(io.BytesIO(image)) as opened:
            shown = opened.convert("RGB")
        shown.thumbnail((_WIDE, _WIDE))
        file = io.BytesIO()
        shown.save(file, "JPEG", quality=88)
        image = file.getvalue()
    return Markup(f"data:{media_type(image) or 'image/png'};base64,{base64.b64encode(image).decode()}")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [... {len(text) - _LONGEST} more characters]"
