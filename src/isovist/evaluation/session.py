"""One session of a run, of the command and of Python, in five stages: plan, prepare, estimate, send, finish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from isovist.common.errors import UserError
from isovist.common.private_seeds import using
from isovist.data.dataset.manifest import MANIFEST
from isovist.evaluation.config import write_config
from isovist.evaluation.console import Console
from isovist.evaluation.models import Model
from isovist.evaluation.plan import RunPlan, plan
from isovist.evaluation.prepare import prepare
from isovist.evaluation.run.run_folder import DATA, RunMetadata
from isovist.evaluation.run.run_summary import RunSummary
from isovist.evaluation.run.usage_summary import finish
from isovist.evaluation.run_spec import RunSpec
from isovist.evaluation.send import send


@dataclass(frozen=True, slots=True)
class Finished:
    """The state of a run at the end of a session."""

    info: RunMetadata
    summary: RunSummary
    model: Model
    has_variants: bool


def evaluate(spec: RunSpec, console: Console) -> Finished | None:
    """Evaluate the items that have no score yet. None if the estimate is refused; then the items are kept, and no metadata are written.

    Raises UserError for invalid options, before anything is written, and where `send` does.
    """
    with _secret_of(spec):
        return _evaluate(plan(spec), console)


def evaluate_each(specs: Sequence[RunSpec], console: Console) -> Iterator[Finished | UserError | None]:
    """Evaluate models on the same items, one after the other; the error of a model does not end the others.

    The folders of further models get a copy of the items of the first one. Raises UserError for options that are invalid for one of the
    models before the first request, and with a single model as `evaluate`.
    """
    if len(specs) == 1:
        yield evaluate(specs[0], console)
        return
    planned: list[RunPlan] = []
    for spec in specs:
        with _secret_of(spec):
            planned.append(plan(spec))
    for number, spec in enumerate(specs):
        console.note(f"Model {number + 1} of {len(specs)}: {spec.model}")
        source, target = (each.folder.path / DATA for each in (planned[0], planned[number]))
        if (source / MANIFEST).exists() and not target.exists() and not spec.adaptive:
            copytree(source, copying := target.with_name(f".{DATA}"), dirs_exist_ok=True)
            copying.rename(target)  # an interrupted copy is never the data
        try:
            with _secret_of(spec):
                finished = _evaluate(planned[number], console)
            yield finished
        except UserError as error:
            yield error


def _secret_of(spec: RunSpec) -> AbstractContextManager[None]:
    return using(Path(spec.secret) if spec.secret else None)


def _evaluate(planned: RunPlan, console: Console) -> Finished | None:
    planned.folder.path.mkdir(parents=True, exist_ok=True)
    with planned.folder.locked():
        work = prepare(planned, console)
        with console.bar(desc="reading the items", leave=False) as bar:
            cost = work.trials.estimate(bar.update)
        options, limits = work.info.options, planned.limits
        line = cost.summary_line(limits.price, options.concurrency, options.max_tokens)
        if planned.is_free and limits.price:
            console.note(line)
        elif not planned.is_free and not console.agrees(line, is_asked=planned.may_cost and bool(cost.requests)):
            return None
        if work.info != planned.before:
            work.folder.write(work.info)
        if planned.config is not None:
            write_config(work.folder.path, planned.config, work.info)
        summary = send(work, planned.model, limits, cost, console)
        info = finish(work.folder, work.trials.stored(work.info, console), summary, limits.price)
    return Finished(info, summary, planned.model, has_variants=not set(cost.families) <= {""})
