"""Evaluation settings of each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from isovist.evaluation.models.option_support import named_options
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.runs import RunPart
from isovist.reporting.analysis.variants import family_label
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import Column, Table

_IMAGE_MODES = {
    "joint": "joint: all images with the question",
    "caption-first": "caption-first: the question refers to descriptions of the images",
}
_ANY: tuple[tuple[str, Callable[[RunResults], object]], ...] = (
    ("Model", lambda run: run.info.model),
    ("Evaluated with", lambda run: run.info.source_tool or "Isovist"),
    ("Served as", lambda run: ", ".join(run.totals.served_by) or "-"),
    ("Items", lambda run: _design(run.info)),
    ("Image mode", lambda run: _IMAGE_MODES[run.info.image_mode]),
    (
        "Variants",
        lambda run: ", ".join(map(family_label, dict.fromkeys(name for task in run.tasks for name in task.variant_results))) or "none",
    ),
)
_OF_REQUESTS: tuple[tuple[str, Callable[[RunResults], object]], ...] = (
    ("Server", lambda run: ", ".join(run.info.options.base_urls) or "of the provider"),
    ("Prompt style", lambda run: run.info.style),
    ("Temperature", lambda run: run.info.options.shown_temperature),
    ("Maximum output tokens", lambda run: f"{run.info.options.max_tokens:,}"),
    ("Concurrent requests", lambda run: f"{run.info.options.concurrency}{' at the end (auto)' * run.info.options.auto_concurrency}"),
)
"""What is known of requests that Isovist sent."""
_OF_FOLDER: tuple[tuple[str, Callable[[RunResults], object]], ...] = (
    ("Started, finished", lambda run: _of_parts(run, lambda part: f"{part.info.started}, {part.info.finished or 'not finished'}")),
    ("Data", lambda run: _of_parts(run, lambda part: f"{part.info.data} ({part.info.data_hash})")),
    ("Verified", lambda run: _of_parts(run, lambda part: part.reading.words)),
    ("Software", lambda run: ", ".join(f"{name} {version}" for name, version in run.info.versions.items())),
)


_OF_RUN = ("Model", "Served as", "Started, finished", "Verified")
"""Settings that differ between runs without an effect on their results."""


def sections(runs: Sequence[RunResults]) -> list[Section]:
    rows = [(label, *(str(value(run)) for run in runs)) for label, value in _ANY]
    if any(run.run.shown_options for run in runs):
        rows.append(("Options", *(f"at most {k} of each question" if (k := run.run.shown_options) else "all" for run in runs)))
    if any(run.info.release for run in runs):
        rows.append(("Release", *(run.info.release_text or "none" for run in runs)))
    more = dict.fromkeys(name for run in runs for name in named_options(run.info.options))
    of_requests = [*_OF_REQUESTS, *((name.capitalize(), partial(_option, name)) for name in more)]
    rows += [(label, *("unknown" if run.info.source_tool else str(value(run)) for run in runs)) for label, value in of_requests]
    rows += [(label, *(str(value(run)) for run in runs)) for label, value in _OF_FOLDER]
    differing = [label for label, *values in rows if len(set(values)) > 1 and label not in _OF_RUN]
    takeaway = f"The runs differ in: {', '.join(differing).lower()}." if differing else "The runs have the same settings."
    table = Table([Column("", "Setting"), *(Column("", run.name) for run in runs)], rows)
    return [Section("Evaluation settings", table, takeaway=takeaway if len(runs) > 1 else "")]


def _option(name: str, run: RunResults) -> str:
    return named_options(run.info.options).get(name, "-")


def _of_parts(run: RunResults, text: Callable[[RunPart], str]) -> str:
    return "; ".join(dict.fromkeys(map(text, run.run.parts)))


def _design(info: RunMetadata) -> str:
    design = info.adaptive
    if design is None:
        return "fixed"
    limit = " or ".join(map(str, sorted({part.n for part in design.pool})))
    return (
        f"adaptive ({design.method}): target half-width {design.target_half_width:g} sizes, at most {limit} items per task, "
        f"batches of {design.batch_size}"
    )
