"""`isovist train`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli import SuggestingGroup
from isovist.cli.options import Count, verified, verify_option
from isovist.common.progress import Progress

if TYPE_CHECKING:
    from isovist.training.before_after import BeforeAfterComparison
    from isovist.training.settings import Objective


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Fine-tune a model and evaluate it before and after.

    \b
    Example: isovist train sft run.toml --out training/cot
             isovist train evaluate training/cot
    """


_toml = click.argument("toml", metavar="RUN.toml", type=click.Path(path_type=Path))
_out = click.option("--out", type=click.Path(path_type=Path), required=True, help="Training folder; the same command resumes the training.")


@command.command()
@_toml
@_out
def sft(toml: Path, out: Path) -> None:
    r"""Train on example responses (supervised fine-tuning). The loss covers the response tokens only.

    \b
    Example: isovist train sft run.toml --out training/cot
    """
    _train("sft", toml, out)


@command.command()
@_toml
@_out
def grpo(toml: Path, out: Path) -> None:
    r"""Train on rewards (GRPO). The reward of a response is its score in an evaluation.

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
            bar.note(", ".join(f"{name} {metrics[name]:.3g}" for name in ("loss", "eval_loss", "reward") if name in metrics))

        training = train(objective, settings, out, progress)
    outcome = training.outcome
    assert outcome is not None  # noqa: S101 - a finished training has an outcome
    share = f"{outcome.trained:,} of {outcome.parameters:,} parameters trained"
    click.echo(f"{training.model}: {outcome.steps} steps, {training.data.examples:,} examples, {share} on {outcome.device}")
    click.echo(f"Next: isovist train evaluate {out}")


@command.command()
@click.argument("runs", nargs=-1, required=True, metavar="BEFORE AFTER...")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Folder for the tables as Markdown and CSV.")
@verify_option
def table(runs: tuple[str, ...], out: Path | None, verify: bool) -> None:
    r"""Compare runs before and after training, paired by item, next to Table III of the CDR paper. A run is a folder or NAME=FOLDER.

    \b
    Example: isovist train table runs/base All=runs/all CoTAll=runs/cot --out tables
    """
    from isovist.common.errors import UserError
    from isovist.training.before_after import arm, compared

    if len(runs) < 2:
        raise UserError(f"Too few runs to compare: {len(runs)}. Give one run before training and at least one after.")
    arms = [arm(run) for run in runs]
    with verified([condition.folder for condition in arms], verify=verify, workers=1) as verifier:
        comparison = compared(arms, verifier)
    _tables(comparison, out)


@command.command()
@click.argument("folder", metavar="TRAINING", type=click.Path(path_type=Path))
@click.option("--toml", type=click.Path(path_type=Path), default=None, help="A file whose table [evaluate] replaces that of the training.")
@click.option("--workers", type=Count(min=1), default=1, show_default=True, help="Number of processes that generate items.")
@click.option("--device", default="auto", show_default=True, help="Device of the models: cpu, cuda, mps.")
def evaluate(folder: Path, toml: Path | None, workers: int, device: str) -> None:
    r"""Evaluate the model before and after training on the same new items and compare. Recorded responses are not requested again.

    The table [evaluate] of the training settings names the tasks. The runs and the tables are in TRAINING/evaluation.

    \b
    Example: isovist train evaluate training/cot
    """
    from isovist.common.errors import UserError
    from isovist.training.before_after import TrainingCondition, compared
    from isovist.training.settings import read
    from isovist.training.training_folder import TrainingFolder

    training = TrainingFolder(folder)
    settings = training.read().settings
    evaluation = read(toml).evaluate if toml else settings.evaluate
    if evaluation is None:
        raise UserError(f"Missing table [evaluate]: {toml or folder}. Name a file that has one with --toml.")
    if not training.model.is_dir():
        raise UserError(f"Training is incomplete: {folder}. Run `isovist train` again to resume.")
    results = folder / "evaluation"
    items = results / "items"
    style = ("--prompt-style", evaluation.style)
    _command("generate", *evaluation.tasks, "--n", evaluation.n, "--seed", evaluation.seed, *style, "--workers", workers, "--out", items)
    trained = replace(settings.model, path=str(training.model))
    names = {"before": settings.model.name(device), "after": trained.name(device)}
    for name, model in names.items():
        limits = ("--max-tokens", evaluation.max_tokens, "--max-connections", evaluation.batch)
        _command("run", "--data", items, "--model", model, *style, *limits, "--no-confirm", "--out", results / name)
    _tables(compared([TrainingCondition(name, results / name) for name in names]), results)


def _command(name: str, *arguments: object) -> None:
    """Run another command of the command line; its errors are raised here."""
    from isovist.cli import cli

    cli.main([name, *map(str, arguments)], prog_name="isovist", standalone_mode=False)


def _tables(comparison: BeforeAfterComparison, out: Path | None) -> None:
    from isovist.common.atomic_write import write_atomically
    from isovist.training.before_after import csv, markdown

    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "training.md", markdown(comparison))
        write_atomically(out / "training.csv", csv(comparison))
    click.echo(markdown(comparison))
