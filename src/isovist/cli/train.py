"""`isovist train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from isovist.training.settings import Way


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    r"""Fine-tune a model, and measure it before and after.

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


def _train(way: Way, toml: Path, out: Path) -> None:
    from tqdm import tqdm

    from isovist.training.run import train
    from isovist.training.settings import read

    settings = read(toml)
    with tqdm(unit="step", disable=None) as bar:

        def progress(step: int, steps: int, told: dict[str, float]) -> None:
            bar.total = steps
            bar.update(step - bar.n)
            if shown := {name.rpartition("/")[2]: f"{told[name]:.3g}" for name in ("loss", "eval_loss", "reward") if name in told}:
                bar.set_postfix(shown)

        done = train(way, settings, out, progress)
    came = done.came
    assert came is not None  # noqa: S101 - a run that returns has come to something
    share = f"{came.trained:,} of {came.parameters:,} parameters"
    click.echo(f"{done.model}: {came.steps} steps over {done.data.examples:,} examples on {came.device}, {share}")
    click.echo(f"ask it with: isovist run 'cdr/*' --model hf/{out / 'model'} --out runs/after; before and after: isovist train evaluate {out}")
