"""`isovist train`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.command_groups import SuggestingGroup
from isovist.cli.item_options import Count
from isovist.cli.progress import Progress
from isovist.cli.run_verification import verified, verify_option

if TYPE_CHECKING:
    from isovist.training.before_after import BeforeAfterComparison
    from isovist.training.settings import Objective


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Fine-tune a model, and evaluate it before and after.

    \b
    Example: isovist train sft run.toml --out training/cot
             isovist train evaluate training/cot
    """


_toml = click.argument("toml", metavar="RUN.toml", type=click.Path(path_type=Path))
_out = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The run's folder; the same command goes on where it stopped."
)


@command.command()
@_toml
@_out
def sft(toml: Path, out: Path) -> None:
    r"""Train on replies: only what the model is to say is learnt.

    \b
    Example: isovist train sft run.toml --out training/cot
    """
    _train("sft", toml, out)


@command.command()
@_toml
@_out
def grpo(toml: Path, out: Path) -> None:
    r"""Train on rewards: the model's own replies are scored as in an evaluation, and compared with each other.

    \b
    Example: isovist train grpo run.toml --out training/grpo
    """
    _train("grpo", toml, out)


def _train(objective: Objective, toml: Path, out: Path) -> None:
    from isovist.training.runner import train
    from isovist.training.settings import read

    settings = read(toml)
    with Progress(unit="step") as bar:

        def progress(step: int, steps: int, metrics: dict[str, float]) -> None:
            bar.total = steps
            bar.update(step - bar.done)
            if shown := {name.rpartition("/")[2]: f"{metrics[name]:.3g}" for name in ("loss", "eval_loss", "reward") if name in metrics}:
                bar.note(", ".join(f"{name} {value}" for name, value in shown.items()))

        done = train(objective, settings, out, progress)
    outcome = done.outcome
    assert outcome is not None  # noqa: S101 - a run that returns has come to something
    share = f"{outcome.trained:,} of {outcome.parameters:,} parameters"
    click.echo(f"{done.model}: {outcome.steps} steps over {done.data.examples:,} examples on {outcome.device}, {share}")
    click.echo(
        f"ask it with: isovist run 'cdr/*' --model hf/{out / 'model'} --out runs/after; before and after: isovist train evaluate {out}"
    )


@command.command()
@click.argument("runs", nargs=-1, required=True, metavar="BEFORE AFTER...")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="A folder for the tables as Markdown and CSV.")
@verify_option
def table(runs: tuple[str, ...], out: Path | None, verify: bool) -> None:
    r"""Compare runs before and after training, item by item, beside the CDR paper's Table III. Each is a folder of `isovist run`, or NAME=FOLDER.

    \b
    Example: isovist train table runs/base All=runs/all CoTAll=runs/cot --out tables
    """
    from isovist.errors import UserError
    from isovist.training.before_after import arm, compared

    if len(runs) < 2:
        raise UserError("give two runs at least: the one before training, and one after.")
    arms = [arm(run) for run in runs]
    with verified([condition.folder for condition in arms], verify=verify, workers=1) as verifier:
        comparison = compared(arms, verifier)
    _tables(comparison, out)


@command.command()
@click.argument("folder", metavar="TRAINING", type=click.Path(path_type=Path))
@click.option(
    "--toml", type=click.Path(path_type=Path), default=None, help="Take the table [evaluate] of this file, not that of the training."
)
@click.option("--workers", type=Count(min=1), default=1, show_default=True, help="Processes that draw the items.")
@click.option("--device", default="auto", show_default=True, help="Where the models are asked: cpu, cuda, mps.")
def evaluate(folder: Path, toml: Path | None, workers: int, device: str) -> None:
    r"""Evaluate the model before and after training on the same fresh items, and compare. What is on record is not asked again.

    The training's table [evaluate] names the tasks. The runs, and the tables, stand in TRAINING/evaluation.

    \b
    Example: isovist train evaluate training/cot
    """
    from isovist.errors import UserError
    from isovist.training.before_after import TrainingCondition, compared
    from isovist.training.settings import read
    from isovist.training.training_folder import TrainingFolder

    training = TrainingFolder(folder)
    settings = training.read().settings
    evaluation = read(toml).evaluate if toml else settings.evaluate
    if evaluation is None:
        raise UserError(f"{toml or folder}: has no table [evaluate]; give one with the tasks to ask, with --toml.")
    if not training.model.is_dir():
        raise UserError(f"{folder}: its training has not ended; `isovist train` goes on with it.")
    place = folder / "evaluation"
    items = place / "items"
    _command(
        "generate",
        *evaluation.tasks,
        "--n",
        evaluation.n,
        "--seed",
        evaluation.seed,
        "--prompt-style",
        evaluation.style,
        "--workers",
        workers,
        "--out",
        items,
    )
    trained = replace(settings.model, path=str(training.model))
    names = {"before": settings.model.name(device), "after": trained.name(device)}
    for name, model in names.items():
        _command(
            "run", "--data", items, "--model", model, "--prompt-style", evaluation.style, "--max-tokens", evaluation.max_tokens, "--max-connections", evaluation.batch,
            "--yes", "--out", place / name,
        )  # fmt: skip
    _tables(compared([TrainingCondition(name, place / name) for name in names]), place)


def _command(name: str, *arguments: object) -> None:
    """Another command, as if it had been typed; what it finds wrong is told by it."""
    from isovist.cli import cli

    cli.main([name, *map(str, arguments)], prog_name="isovist", standalone_mode=False)


def _tables(comparison: BeforeAfterComparison, out: Path | None) -> None:
    from isovist.atomic_write import write_atomically
    from isovist.training.before_after import csv, markdown

    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "training.md", markdown(comparison))
        write_atomically(out / "training.csv", csv(comparison))
    click.echo(markdown(comparison))
