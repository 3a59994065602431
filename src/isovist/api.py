"""Evaluation from Python: `isovist.evaluate` runs a model on items of tasks, as `isovist run` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import Signature, cleandoc, signature
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, ParamSpec
from weakref import finalize

from isovist.common.errors import UserError
from isovist.common.options import arguments, declared, in_python
from isovist.data.notebook import table_html
from isovist.evaluation.run.records import read
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run_spec import RunSpec

if TYPE_CHECKING:
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

    def errors(self) -> dict[str, list[str]]:
        """The request errors of items without a score: the ids of the items by the text of the error, in the order of the records."""
        last: dict[tuple[str, str], str] = {}
        for record in read(RunFolder(self.path).records):
            trial = record.item_id, record.variant
            if last.get(trial) != "":  # an attempt without an error counts
                last[trial] = record.error
        by_error: dict[str, list[str]] = {}
        for (item, _), error in last.items():
            if error:
                by_error.setdefault(error, []).append(item)
        return by_error

    def summary(self) -> str:
        """The overall results as a Markdown table: accuracy and chance-corrected accuracy with 95% CIs. Raises CheckFailed as `results` does."""
        return self._overall.markdown()

    @property
    def _overall(self) -> Table:
        from isovist.reporting.reports.sections import verdict

        return verdict.table(self._by_task)

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


P = ParamSpec("P")


def _takes(spec: Callable[P, object]) -> Callable[[Callable[..., Run]], Callable[P, Run]]:
    """The function with the arguments of a dataclass of options, for type checkers and for help."""

    def typed(function: Callable[..., Run]) -> Callable[P, Run]:
        parameters = [each for each in signature(spec).parameters.values() if each.name in declared(RunSpec)]
        function.__signature__ = Signature(  # pyright: ignore[reportFunctionMemberAccess]
            [each.replace(annotation=each.annotation.__origin__) for each in parameters]
        )
        lines = "\n".join(f"    {name} ({kind}): {about}" for name, kind, about in arguments(RunSpec))
        function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\nArguments:\n{lines}"
        return function

    return typed


@_takes(RunSpec)
def evaluate(*args: Any, **options: Any) -> Run:
    """Evaluate a model on items of tasks. Every response is recorded at once; recorded responses are not requested again.

    The arguments are the options of `isovist run` with underscores; None is the default. In Python alone:

    - `model` may also be a function `f(images, prompt)` that takes PIL images and a text and returns the response; with `batch_size`, a
      function `f(requests)` that returns one response for each, in order; or an object with a method `generate` of one of these forms.
      Functions may be coroutines. If a function raises an exception, the item has a request error with its text, and the run continues; of
      a batch, the requests are repeated one by one, after a lack of memory in halves. Of the request options a function accepts
      `max_connections` alone, the number of calls at the same time, in as many threads: by default 1, and 8 for a coroutine. With
      `batch_size` it accepts none. A changed function needs another `name` or `out`.
    - Without `out`, the run has a temporary folder, which is deleted with the returned object.
    - Without `secret`, a release has its public development seed, also where the environment names a secret file.

    Raises:
        TypeError: An unknown argument, or no model.
        UserError: Unknown model, task or setting; `out` has another run; no request succeeds.
        KeyboardInterrupt: After responses that have arrived are recorded and the open requests cancelled; the same call resumes.
    """
    from isovist.evaluation import session
    from isovist.evaluation.console import Console
    from isovist.evaluation.run.run_summary import not_scored

    try:
        signature(evaluate).bind(*args, **options)
    except TypeError as error:
        raise TypeError(f"evaluate(): {error}") from None
    temporary: Path | None = None
    try:
        spec = RunSpec(*args, **options)
        if options.get("max_connections") is not None:  # also the default of models that are no functions
            spec = replace(spec, given=spec.given | {"max_connections"})
        if spec.out is None:
            temporary = Path(mkdtemp(prefix="isovist-"))
            spec = replace(spec, out=temporary)
        finished = session.evaluate(spec, Console(spec.progress))
    except BaseException as error:
        if temporary:
            rmtree(temporary, ignore_errors=True)
        if isinstance(error, UserError):
            error.args = (in_python(RunSpec, str(error)),)
        if isinstance(error, KeyboardInterrupt):  # without the frames of the event loop
            kept = "nothing is kept without out" if temporary else "the same call resumes"
            raise KeyboardInterrupt(f"evaluate() was interrupted; {kept}") from None
        raise
    if finished and (missing := not_scored(finished.summary, finished.info, finished.model)):
        Console().say(f"{in_python(RunSpec, missing).replace('command', 'call')} Run.errors() has all errors.")
    if finished and finished.summary.over_budget and spec.progress:
        Console().say("Cost limit reached. Repeat the call with a larger max_cost to resume.")
    return Run(spec.out or "", is_temporary=temporary is not None)
