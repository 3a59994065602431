"""Evaluation from Python: `isovist.evaluate` runs a model on items of tasks, as `isovist run` does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Literal
from weakref import finalize

from markupsafe import escape

from isovist.errors import UserError
from isovist.progress import Progress
from isovist.prompts import DEFAULT_STYLE
from isovist.run import runner
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.runner import RunLimits
from isovist.run.variants import VariantSettings

if TYPE_CHECKING:
    from isovist.analysis.collect import RunResults
    from isovist.analysis.results import Results
    from isovist.core.answers import Outcome
    from isovist.core.task import Value
    from isovist.reports.table import Table


class Run:
    """A run folder: the items, the responses and their scores."""

    def __init__(self, path: str | Path, *, is_temporary: bool = False) -> None:
        """`is_temporary`: delete the folder with this object."""
        self.path = Path(path)
        if is_temporary:
            finalize(self, rmtree, self.path, ignore_errors=True)
        self.metadata: RunMetadata = RunFolder(self.path).info()

    def results(self) -> Results:
        """The results table, see `isovist.results`. Raises as it does."""
        from isovist.analysis.results import results

        return results(self.path)

    def summary(self) -> str:
        """The overall results as a Markdown table: accuracy and chance-corrected accuracy with 95% CIs. Raises CheckFailed as `results` does."""
        return self._overall.markdown()

    @property
    def _overall(self) -> Table:
        from isovist.reports.sections import headline, verdict

        return verdict.table(headline.ranked(self._by_task))

    @cached_property
    def _by_task(self) -> list[RunResults]:
        """Scored again once for the summary, the view in a notebook and the report."""
        from isovist.analysis.collect import load_results

        return load_results([self.path])

    def report(self, path: str | Path, *, item_browser: bool = True) -> Path:
        """Write the report of `isovist report` to a folder; returns the path of its page.

        Raises:
            UserError: The folder has files of others.
            CheckFailed: Stored scores or items differ from the new ones.
        """
        from isovist.reports.report import write_report
        from isovist.reports.report_folder import ReportFolder

        write_report(self._by_task, ReportFolder(Path(path)), has_item_browser=item_browser)
        return Path(path) / "index.html"

    def _repr_html_(self) -> str:
        """For notebooks: the overall results."""
        return f"{self._overall.html()}<small>{escape(str(self.path))}</small>"

    def __repr__(self) -> str:
        return f"<Run of {self.metadata.model}: {self.path}>"


def load_run(path: str | Path) -> Run:
    """An existing run folder. Raises UserError if it is not a run."""
    return Run(path)


def evaluate(
    model: object,
    tasks: str | Sequence[str] = (),
    *,
    n: int | None = None,
    data: str | Path | None = None,
    out: str | Path | None = None,
    name: str = "",
    seed: int = 0,
    split: str = "test",
    level: str | None = None,
    task_options: Mapping[str, Value] | None = None,
    prompt_style: str = "",
    image_mode: Literal["joint", "caption-first"] = "joint",
    variants: VariantSettings | None = None,
    base_url: str = "",
    temperature: float = 0.0,
    max_tokens: int | None = None,
    max_connections: int = 8,
    timeout_s: int = 600,
    max_attempts: int = 5,
    workers: int = 1,
    progress: bool = True,
) -> Run:
    """Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    Args:
        model: A name as in `isovist run --model`, a function `f(images, prompt)` that takes PIL images and a text and returns the response,
            or an object with `generate(images, prompt)`. Both may be coroutines. If a function raises an exception, the item has a request
            error with its text, and the run continues.
        tasks: Task ids or glob patterns.
        n: Items of each task; 100 by default, and all of `data`.
        data: Use the items of this dataset folder; `tasks` then selects among its tasks.
        out: Run folder; the same call resumes the run. By default a temporary folder, deleted with the returned object.
        name: Name of a function in results and reports.
        seed: Random seed of new items.
        split: "test" or "train".
        level: Only this difficulty level.
        task_options: Settings of the tasks by name.
        prompt_style: As in `isovist run --prompt-style`.
        image_mode: As in `isovist run --image-mode`.
        variants: Variants of each item in addition to the standard condition.
        base_url: An OpenAI-compatible server for a model by name.
        temperature: Of a model by name.
        max_tokens: Token limit of a response of a model by name.
        max_connections: Concurrent requests, or threads of a function.
        timeout_s: Seconds of one request with its retries, for a model by name.
        max_attempts: Attempts at an item, over all calls.
        workers: Processes that generate items.
        progress: Show the progress on stderr: a bar on a terminal, in a log a line every 30 seconds.

    Raises:
        UserError: Unknown model, task or setting; `out` has another run; no request succeeds.
    """
    from isovist.dataset.generate import generate
    from isovist.dataset.generation_request import requested
    from isovist.dataset.load import evaluated as evaluated_parts
    from isovist.models import GenerationConfig
    from isovist.models import model as model_by_name
    from isovist.models.base import AS_ALLOWED
    from isovist.models.python_function import function_model
    from isovist.run.cost_estimate import estimate_cost
    from isovist.run.records import latest_trial_results
    from isovist.run.run_folder import DATA, data_hash, names, now, resumed, stored, versions
    from isovist.run.usage_summary import finish

    patterns = [tasks] if isinstance(tasks, str) else list(tasks)
    if data is None and not patterns:
        raise UserError("Missing tasks. Name tasks such as 'cdr/*', or a dataset folder as `data`.")
    options = GenerationConfig(base_url, temperature, max_tokens or AS_ALLOWED, max_connections, timeout_s)
    evaluated = model_by_name(model, options) if isinstance(model, str) else function_model(model, name)
    options = replace(options, max_tokens=max_tokens or evaluated.longest)
    if data is None:
        parts, _ = requested(
            patterns, default=100, n=n, seed=seed, split=split, level=level, settings=task_options or {}, sizes=None, style=prompt_style or DEFAULT_STYLE
        )  # fmt: skip
    else:
        parts, _ = evaluated_parts(Path(data), patterns, None)
    path = Path(mkdtemp(prefix="isovist-")) if out is None else Path(out)
    folder = RunFolder(path)
    before = folder.info() if folder.exists() else None
    if data is None:
        if before and before.parts != names(parts):
            raise UserError(f"Run folder has other tasks or splits: {path}. Choose another folder.")
        generate(parts, path / DATA, workers)
    items = path / DATA if data is None else Path(data)
    info = RunMetadata(
        model=evaluated.name,
        style=prompt_style or parts[0].style,
        options=options,
        data=stored(items, path),
        data_hash=data_hash(items),
        parts=names(parts),
        n=None if data is None else n,
        variants=variants or VariantSettings(),
        started=now(),
        versions=versions(),
        image_mode=image_mode,
    )
    info = resumed(before, info, path) if before else info
    path.mkdir(parents=True, exist_ok=True)
    done = {trial for trial, result in latest_trial_results(folder.records).items() if result.is_scored}
    estimate = estimate_cost(folder.trials(info, whole=True), done, captions=image_mode == "caption-first")
    folder.write(info)
    with Progress(estimate.trials, desc="evaluate") if progress else nullcontext() as bar:

        def ended(outcome: Outcome) -> None:
            if bar:
                bar.update(failed=outcome == "request_error")

        _run(folder, info, evaluated, RunLimits(max_attempts), ended)
    finish(folder, info, estimate.sizes, None)
    return Run(path, is_temporary=out is None)


def _run(*arguments: Any) -> None:
    """`run.runner.run`; in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        runner.run(*arguments)
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(runner.run, *arguments).result()
