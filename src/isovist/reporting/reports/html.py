"""The report as one HTML file that opens without a network."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any
from xml.etree.ElementTree import Element, tostring

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape
from PIL import Image

from isovist.common import canary
from isovist.core.answers import LETTERS, OUTCOMES, Outcome
from isovist.data.dataset.pictures import as_shown, data_url, shown
from isovist.reporting.analysis.ability_map import AbilityMap
from isovist.reporting.analysis.collect import RunResults, every_task
from isovist.reporting.analysis.findings import Finding
from isovist.reporting.analysis.runs import caveats
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.unparsed_responses import MARK, MARK_NOTE
from isovist.reporting.reports import samples
from isovist.reporting.reports.figures import error_wheel, overview, threshold_plot
from isovist.reporting.reports.figures.figure import Figure, run_marks
from isovist.reporting.reports.figures.svg import RunMark, marker
from isovist.reporting.reports.section import FigureKey, Section
from isovist.reporting.reports.sections import abilities, angular_errors, position_bias, summary, unparsed_first
from isovist.reporting.reports.sections.accuracy import outcome_counts
from isovist.reporting.reports.sections.order import METHODS, OVERALL, PUBLISHED, TASKS
from isovist.reporting.reports.table import anchor, ci_text, percent
from isovist.world import attribution

_MANY_RUNS = 5
"""From so many runs, figures with a row for each are as tall as several screens, and closed on the page."""
_FEW_TASKS = 3
"""With more tasks, sections are closed on the page: their titles and takeaways are an overview."""
_MAX_TEXT = 1500  # characters of a response on the page
_MAX_BYTES, _MAX_SIDE = 100_000, 360  # larger images are scaled down to this longer side in pixels
_OUTCOME_HUES: dict[Outcome, str] = {
    "correct": "#009e73",
    "partial": "#56b4e9",
    "incorrect": "#d55e00",
    "unparsed": "#e69f00",
    "empty": "#f0e442",
    "refused": "#cc79a7",
    "filtered": "#8c6bb1",
    "truncated": "#999999",
    "request_error": "#000000",
}


@dataclass(frozen=True)
class ReportPage:
    """What the template of the page shows."""

    runs: Sequence[RunResults]
    all_sections: Sequence[Section]
    figures: Sequence[Figure]
    """Those that are files beside the page as well."""
    has_item_browser: bool = False

    @property
    def n_sampled_from(self) -> int:
        """The number of all items if the item browser has a sample of them, else 0."""
        n = samples.n_items(self.runs)
        return n if n > samples.MOST_BROWSED else 0

    @cached_property
    def title(self) -> str:
        return summary.title(self.runs)

    @property
    def release(self) -> str:
        """The release of the runs and the type of its seed; "" unless all runs have the same one."""
        texts = {run.info.release_text for run in self.runs}
        return texts.pop() if len(texts) == 1 else ""

    @cached_property
    def headlines(self) -> list[summary.RunHeadline]:
        return summary.build_rows(self.runs)

    @property
    def first_findings(self) -> list[tuple[str, Finding, int]]:
        """The findings of the first screen, for more runs than it has findings."""
        return summary.first_findings(self.headlines) if len(self.runs) > summary.MAX_FINDINGS else []

    @property
    def caveats(self) -> list[str]:
        return caveats([run.run for run in self.runs])

    @cached_property
    def tasks(self) -> list[tuple[str, list[TaskResult | None]]]:
        return list(every_task(self.runs))

    @cached_property
    def marks(self) -> dict[str, RunMark]:
        return run_marks(self.runs)

    @cached_property
    def has_test_items(self) -> bool:
        """Whether the page shows items of the test split, with their keys."""
        return any(canary.is_test(sample.row.split) for shown in self.samples.values() for sample in shown)

    @cached_property
    def samples(self) -> dict[tuple[str, str], list[samples.Sample]]:
        """By run and task."""
        return samples.samples(self.runs)

    @cached_property
    def has_published(self) -> bool:
        return any(result.published for run in self.runs for result in run.tasks)

    @cached_property
    def sections(self) -> list[Section]:
        return [section for section in self.all_sections if not section.is_empty]

    @cached_property
    def first_sections(self) -> list[Section]:
        """The sections of the first screen: the overall results, and those by ability."""
        return [section for section in self.sections if section.part == OVERALL]

    @property
    def verdict(self) -> Section | None:
        """The table of the first screen."""
        return next(iter(self.first_sections), None)

    @cached_property
    def abilities(self) -> AbilityMap:
        return abilities.map_of(self.runs)

    @cached_property
    def parts(self) -> dict[str, list[Section]]:
        """The sections after the first screen by part."""
        parts: dict[str, list[Section]] = {}
        for section in self.sections:
            if section.part != OVERALL:
                parts.setdefault(section.part, []).append(section)
        return parts

    @property
    def contents(self) -> list[tuple[str, str, list[Section]]]:
        """The anchor and title of each part, with its sections."""
        return [(anchor(part), part, sections) for part, sections in self.parts.items()]

    @cached_property
    def n_rows(self) -> int:
        """The number of tasks in the figure of all tasks."""
        return len(overview.build_rows(self.runs))

    @property
    def first_figures(self) -> list[tuple[str, Markup, str]]:
        """The figures of the first screen: key, narrow form for phones, caption."""
        captions = {"overview": summary.caption(self.runs), "thresholds": threshold_plot.caption(self.runs)}
        figures = {"overview": overview.figure, "thresholds": threshold_plot.figure}
        return [(key, Markup(figures[key](self.runs, narrow=True)), caption) for key, caption in captions.items() if caption]

    @cached_property
    def _svgs(self) -> dict[FigureKey, Markup]:
        return {figure.key: Markup(figure.svg) for figure in self.figures if figure.key}

    def svg(self, *key: str | int) -> Markup:
        return self._svgs.get(key, Markup())

    def unparsed_sentences(self, result: TaskResult) -> str:
        return unparsed_first.of_task(next(run for run in self.runs if run.name == result.run), result)

    def task_figures(self, result: TaskResult) -> Iterator[tuple[FigureKey, str]]:
        """The keys and captions of the figures of a task."""
        place = result.task, result.run
        if result.confusion:
            yield ("confusion", *place), "Rows: keys. Columns: answers. Framed: correct answers."
        if row := position_bias.single_row(result):
            yield ("position", *place), row.caption
        for nth, wheel in enumerate(wheel for wheel in error_wheel.wheels(result) if wheel.n_errors):
            yield ("wheel", *place, nth), wheel.caption
        for nth, signed in enumerate(angular_errors.shown(result)):
            caption = (
                f"Signed errors in degrees (bars; correct answers pale) and those expected by chance (dashed). Positive: {signed.positive}."
            )
            yield ("angles", *place, nth), caption


CANARY = Markup('<meta name="{}" content="{}">').format(canary.NAME, canary.NOTICE)
"""For the head of a page that shows test items with their keys."""


@cache
def environment() -> Environment:
    """The template environment, which escapes its values. One for all pages: it compiles each template once."""
    jinja = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, loader=FunctionLoader(resource))
    script = resource("tables.js")
    shared: dict[str, Any] = {
        "anchor": anchor,
        "canary": CANARY,
        "ci_text": ci_text,
        "credits": attribution.sentence(),
        "data_uri": data_uri,
        "highlighted": highlighted,
        "letters": LETTERS,
        "mark": MARK,
        "mark_note": MARK_NOTE,
        "outcome_counts": outcome_counts,
        "outcome_hues": _OUTCOME_HUES,
        "outcomes": OUTCOMES,
        "percent": percent,
        "shortened": _shortened,
        "significance": summary.significance,
        "swatch": _swatch,
        "style": Markup(resource("style.css")),
        "table_script": Markup(script),
        "table_script_hash": base64.b64encode(sha256(script.encode()).digest()).decode(),
        "version": version("isovist"),
    }
    jinja.globals |= shared
    return jinja


def resource(name: str) -> str:
    return files("isovist.reporting.reports").joinpath(name).read_text(encoding="utf-8")


def page(report: ReportPage) -> str:
    parts = {"published_part": PUBLISHED, "tasks_part": TASKS, "methods_part": METHODS}
    template = environment().get_template("page.html.j2")
    folds = {"folds_figures": len(report.runs) >= _MANY_RUNS, "folds_sections": len(report.tasks) > _FEW_TASKS}
    return template.render(report=report, legend=report.marks, **folds, **parts)


def highlighted(text: str) -> Markup:
    """A statement with its first number in bold, command-line options that do not wrap, and commands in backticks as code."""
    start = re.match(r"(.*?)(?= \(|\. |\.$|$)", text)
    head = start[0] if start else ""
    rest = re.sub(r"(?<=[ (])--[a-z-]+", r'<span class="option">\g<0></span>', str(escape(text[len(head) :])))
    rest = re.sub(r"`(.*?)`", r"<code>\1</code>", rest)
    return Markup("<b>{}</b>{}").format(head, Markup(rest))


def data_uri(image: bytes) -> Markup:
    """The image for embedding in a page, as a model sees it; a large one is scaled down and encoded as JPEG."""
    with suppress(ValueError):
        image = shown(image)
    if len(image) > _MAX_BYTES:
        with Image.open(io.BytesIO(image)) as opened:
            small = as_shown(opened)
        small.thumbnail((_MAX_SIDE, _MAX_SIDE))
        file = io.BytesIO()
        small.save(file, "JPEG", quality=88)
        image = file.getvalue()
    return Markup(data_url(image))


def _swatch(mark: RunMark) -> Markup:
    """The mark of a run in text."""
    svg = Element("svg", {"class": "mark", "viewBox": "-7 -7 14 14", "aria-hidden": "true"})
    marker(svg, mark, 0, 0, 5)
    return Markup(tostring(svg, encoding="unicode"))


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} [... {len(text) - _MAX_TEXT} more characters]"
