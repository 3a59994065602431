"""Evaluation from Python: `isovist.evaluate` runs a model on items of tasks, as `isovist run` does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Literal, Unpack
from weakref import finalize

from isovist.common.errors import UserError
from isovist.data.notebook import table_html
from isovist.evaluation.models.base import GenerationArgs
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run.variants import VariantSettings

if TYPE_CHECKING:
    from isovist.core.task import Value
    from isovist.reporting.analysis.collect import RunResults
    from isovist.reporting.analysis.results import Results
    from isovist.reporting.reports.model_comparison import ModelComparison
    from isovist.reporting.reports.table import Table


class Run:
    """A run folder: the items, the responses and their scores."""

    def __init__(self, path: str | Path, *, is_temporary: bool = False) -> None:
        """`is_temporary`: delete the folder with this object."""
        self.path = Path(path)
        if is_temporary:
            finalize(self, rmtree, self.path, ignore_errors=True)
        self.metadata: RunMetadata = RunFolder(self.path).info(shard_allowed=True)

    def __fspath__(self) -> str:
        return str(self.path)

    def results(self) -> Results:
        """The results table, see `isovist.results`. Raises as it does."""
        from isovist.reporting.analysis.results import results

        return results(self.path)

    def summary(self) -> str:
        """The overall results as a Markdown table: accuracy and chance-corrected accuracy with 95% CIs. Raises CheckFailed as `results` does."""
        return self._overall.markdown()

    @property
    def _overall(self) -> Table:
        from isovist.reporting.reports.sections import headline, verdict

        return verdict.table(headline.ranked(self._by_task))

    @cached_property
    def _by_task(self) -> list[RunResults]:
        """Scored again once for the summary, the view in a notebook and the report."""
        from isovist.reporting.analysis.collect import load_results

        return load_results([self.path])

    def report(self, path: str | Path, *, item_browser: bool = True) -> Path:
        """Write the report of `isovist report` to a folder; returns the path of its page.

        Raises:
            UserError: The folder has files of others.
            CheckFailed: Stored scores or items differ from the new ones.
        """
        from isovist.reporting.reports.report import write_report
        from isovist.reporting.reports.report_folder import ReportFolder

        write_report(self._by_task, ReportFolder(Path(path)), has_item_browser=item_browser)
        return Path(path) / "index.html"

    def _repr_html_(self) -> str:
        """For notebooks: the overall results."""
        return table_html(self._overall.heads, self._overall.texts, str(self.path))

    def __repr__(self) -> str:
        return f"<Run of {self.metadata.model}: {self.path}>"


def load_run(path: str | Path) -> Run:
    """An existing run folder. Raises UserError if it is not a run."""
    return Run(path)


def compare(runs: Sequence[str | PathLike[str]], *, verify: bool = True) -> ModelComparison:
    """Compare models on the same items with paired significance tests, as `isovist compare` does.

    Args:
        runs: Two or more `Run` objects or run folders.
        verify: Score all responses again and check the items; else use the stored scores.

    Returns:
        The comparison. In a notebook it is shown as its tables.

    Raises:
        UserError: The runs have no scored item in common.
        CheckFailed: Stored scores or items differ from the new ones.
    """
    from isovist.evaluation.run.verification import Verifier
    from isovist.reporting.reports.compare import compare
    from isovist.reporting.reports.model_comparison import ModelComparison

    folders = [runs] if isinstance(runs, str) else runs
    return ModelComparison(compare(list(map(Path, folders)), Verifier(verify)))


def evaluate(
    model: object,
    tasks: str | Sequence[str] = (),
    *,
    out: str | Path | None = None,
    name: str = "",
    batch_size: int | None = None,
    release: str | Path = "",
    form: Literal["short", "full"] | None = None,
    secret: str | Path | None = None,
    data: str | Path | None = None,
    shard: str = "",
    n: int | None = None,
    seed: int = 0,
    split: Literal["test", "train"] | None = None,
    level: str | None = None,
    image_size: int | None = None,
    task_options: Mapping[str, Value] | None = None,
    preset: Literal["paper"] | None = None,
    prompt_style: str | None = None,
    prompt_template: str | Path | None = None,
    image_mode: Literal["joint", "caption-first"] = "joint",
    variants: VariantSettings | None = None,
    adaptive: bool = False,
    ci_half_width: float | None = None,
    max_items: int | None = None,
    max_attempts: int = 5,
    pricing: str | Path | None = None,
    max_cost: float | None = None,
    workers: int = 1,
    progress: bool = True,
    **generation: Unpack[GenerationArgs],
) -> Run:
    """Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    The arguments are the options of `isovist run` with underscores.

    Args:
        model: A name as in `isovist run --model`; a function `f(images, prompt)` that takes PIL images and a text and returns the
            response; with `batch_size`, a function `f(requests)`; or an object with a method `generate` of one of these forms. Functions
            may be coroutines. If a function raises an exception, the item has a request error with its text, and the run continues.
        tasks: Task ids, glob patterns, or Python files with a task.
        out: Run folder; the same call resumes the run. By default a temporary folder, deleted with the returned object.
        name: Name of a function in results and reports. A changed function needs another name or folder.
        batch_size: Call the function with a list of up to this many `Request` objects; it returns one response for each, in order. After
            an exception, the requests of the batch are repeated one by one, after a lack of memory in halves.
        release: Evaluate the items of a release, such as "isovist-2026.12", or of its TOML file.
        form: With `release`: "short", the default, or "full".
        secret: With `release`: the secret file of a private seed; by default the public development seed is used.
        data: Use the items of this dataset folder; `tasks` then selects among its tasks.
        shard: With `data`: "I/N" evaluates part I (from 0) of N, in a run folder of its own; `isovist merge` merges all N.
        n: Items of each task; 100 by default, and all of `data`.
        seed: Random seed of new items.
        split: "test", the default, or "train".
        level: Only this difficulty level; separate several with commas.
        image_size: Pixels of a drawing's unit, or of the shorter side of a 3-D scene.
        task_options: Settings of the tasks by name.
        preset: "paper": the sample size of the paper.
        prompt_style: As in `isovist run --prompt-style`.
        prompt_template: File with a Jinja template of the prompt, as in `isovist run --prompt-template`.
        image_mode: "caption-first": describe each image, then answer from the descriptions.
        variants: Variants of each item in addition to the standard condition.
        adaptive: Adaptive testing: choose each problem size from the responses so far.
        ci_half_width: Adaptive: target half-width of the 95% CI of the size threshold; 1 by default.
        max_items: Adaptive: item limit of each task; 80 by default, or 100 if chance is above 25%.
        max_attempts: Attempts at an item, over all calls.
        pricing: TOML table of prices, for the cost estimate and the usage summary.
        max_cost: Stop before the cost in US dollars, of a shard its own, exceeds this amount; needs `pricing`. The same call with a larger amount resumes.
        workers: Processes that generate items.
        progress: Show notices and progress on stderr: a bar on a terminal, in a log a line every 30 seconds.
        **generation: Request options, see `GenerationArgs`. A function accepts `max_connections` alone; with
            `batch_size`, none.

    Raises:
        UserError: Unknown model, task or setting; `out` has another run; no request succeeds.
        KeyboardInterrupt: After the open requests have been cancelled; the same call resumes.
    """
    from isovist.data.prompt_template import read as read_template
    from isovist.evaluation import session
    from isovist.evaluation.console import Console
    from isovist.evaluation.models.base import generation_config
    from isovist.evaluation.models.option_support import model_args
    from isovist.evaluation.models.python_function import function_model
    from isovist.evaluation.session import RunRequest

    options = generation_config(generation)
    texts = [f"{key}={json.dumps(value)}" for key, value in options.model_args.items()]
    options = replace(options, model_args=model_args(texts))
    if isinstance(model, str):
        if batch_size is not None:
            raise UserError("Argument without effect on a model by name: batch_size. Use max_connections.")
        evaluated_model = model
    else:
        effective = {"max_connections"} if batch_size is None else set[str]()
        if ineffective := sorted(key for key, value in generation.items() if value is not None and key not in effective):
            raise UserError(f"Argument without effect on a function: {ineffective[0]}. Remove it.")
        options = options if batch_size is None else replace(options, concurrency=batch_size)
        if options.concurrency < 1:
            raise UserError(
                f"Invalid {'max_connections' if batch_size is None else 'batch_size'}: {options.concurrency}. Give a number from 1."
            )
        evaluated_model = function_model(model, name, options.concurrency, is_batched=batch_size is not None)
    patterns = [tasks] if isinstance(tasks, str) else list(tasks)
    dataset, prices = (None if path is None else Path(path) for path in (data, pricing))
    template = read_template(Path(prompt_template)) if prompt_template else None
    folder = Path(mkdtemp(prefix="isovist-")) if out is None else Path(out)
    config = {
        "tasks": patterns, "model": model, "release": str(release), "form": form, "data": dataset, "shard": shard, "n": n, "seed": seed, "split": split, "level": level, "image_size": image_size,
        "task_option": [f"{key}={value}" for key, value in (task_options or {}).items()], "preset": preset, "image_mode": image_mode,
        "adaptive": adaptive, "ci_half_width": ci_half_width, "max_items": max_items, "max_attempts": max_attempts, "pricing": prices,
        "max_cost": max_cost, "workers": workers, **generation, "stop": list(options.stop_seqs), "model_args": None,
        "model_arg": texts,
    }  # fmt: skip
    request = RunRequest(
        model=evaluated_model, out=folder, tasks=patterns, release=str(release), form=form,
        secret=None if secret is None else Path(secret), data=dataset, shard=shard, n=n, seed=seed, split=split or "", level=level,
        image_size=image_size, task_options=task_options or {}, preset=preset, prompt_style=prompt_style or "",
        prompt_template=template, image_mode=image_mode,
        variants=variants or VariantSettings(), adaptive=adaptive, ci_half_width=ci_half_width, max_items=max_items, options=options,
        max_attempts=max_attempts, pricing=prices, max_cost=max_cost, workers=workers, config=config if isinstance(model, str) else None,
    )  # fmt: skip
    try:
        finished = session.evaluate(request, Console(progress))
    except BaseException as error:
        if out is None:
            rmtree(folder, ignore_errors=True)
        if isinstance(error, UserError):
            error.args = (_in_python(str(error)),)
        raise
    if finished and finished.summary.over_budget and progress:
        Console().say("Cost limit reached. Repeat the call with a larger max_cost to resume.")
    return Run(folder, is_temporary=out is None)


def _in_python(message: str) -> str:
    """A message with the names of arguments in place of options: `max_items` for --max-items. Commands in backticks are left as they are."""
    names = {"limit": "n", "task_option": "task_options", "model_arg": "model_args"}

    def argument(match: re.Match[str]) -> str:
        name = (match[1] or "").replace("-", "_")
        return f"`{names.get(name, name)}`" if name else match[0]

    return re.sub(r"`[^`]*`|--([a-z][a-z-]*)", argument, message)
