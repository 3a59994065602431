"""`isovist draft-questions`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import Count, model_option, option, server_option
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.evaluation.run_spec import RequestOptions

_KINDS = ("direction", "counting", "planning")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Annotation job to write; with --collect, the dataset folder to write."
)
@model_option("The model that drafts: openai/gpt-4o, anthropic/...")
@server_option()
@click.option("--kind", type=click.Choice(_KINDS), default=None, help="Kind of question.")
@click.option("--example", type=click.Path(path_type=Path), default=None, help='A JSON file: {"views": [four images], "draft": {...}}.')
@click.option("--max-per-place", "per_place", type=click.IntRange(1, 10), default=3, show_default=True, help="Questions about each place.")
@option(RequestOptions, "max_connections", default=4, words=(), help="Concurrent requests.")
@option(RequestOptions, "temperature", default=0.7)
@click.option("--collect", is_flag=True, help="FOLDER is an annotated job: write the questions on which the annotators agree.")
@click.option(
    "--min-annotators", "annotators", type=Count(min=2), default=2, show_default=True, help="With --collect: required answers per question."
)
@click.option(
    "--disagreements-out",
    "disagreements",
    type=click.Path(path_type=Path),
    default=None,
    help="With --collect: write the questions with different answers as a new job.",
)
def command(
    folder: Path, out: Path, model: str | None, base_url: str, kind: str | None, example: Path | None, per_place: int, max_connections: int,
    temperature: float | None, collect: bool, annotators: int, disagreements: Path | None,
) -> None:  # fmt: skip
    r"""Draft questions about views of real places with a model. Annotators answer them, and questions with agreed answers become a dataset.

    \b
    Example: isovist draft-questions views --kind direction --example example.json --model openai/gpt-4o --out job
             isovist draft-questions job --collect --disagreements-out job-2 --out data/written
    """
    if collect:
        if model or kind or example:
            raise UserError("Options for drafting with --collect: --model, --kind or --example. Remove them.")
        _collect(folder, out, annotators, disagreements)
        return
    if not model or not kind or not example or disagreements:
        raise UserError(
            "Missing options. Give --model, --kind and --example to draft, or --collect (and --disagreements-out) to collect answers."
        )
    from isovist.evaluation.models import GenerationConfig
    from isovist.evaluation.models import model as model_of
    from isovist.people.question_drafting import job, prompt

    worked_example = prompt.example(example)
    drafter = model_of(model, GenerationConfig(base_url, temperature, concurrency=max_connections))
    question_kind: prompt.Kind = next(known for known in prompt.KINDS if known == kind)
    with Progress(unit="place") as bar:
        outcome = job.write(
            folder, out, drafter, question_kind, worked_example, most=per_place, concurrency=max_connections, progress=bar.update
        )
    echo.counts_by_name(outcome.drafts)
    click.echo(f"{outcome.drafts.total()} questions about {outcome.places} places in {out}")
    click.echo(f"Next: isovist annotate {out}")
    echo.warnings(
        (
            (outcome.malformed, f"drafts skipped. Reasons: {out / job.MALFORMED}"),
            (outcome.failed, "places without a response. Run the same command again to retry them."),
            (len(outcome.passed_over), "places skipped: not four views 90° apart, or rejected by annotators."),
        )
    )


def _collect(folder: Path, out: Path, annotators: int, disagreements: Path | None) -> None:
    from isovist.people.question_drafting.consensus import collect_consensus

    outcome = collect_consensus(folder, out, people=annotators, back=disagreements)
    echo.counts_by_name(outcome.agreed)
    click.echo(f"{outcome.agreed.total()} items in {out}")
    echo.agreements(outcome.agreement, "questions")
    correct, total = outcome.model_right
    click.echo(f"Agreed answer equal to the model's answer: {correct} of {total} questions")
    echo.warnings(
        (
            (outcome.differ, f"questions with different answers{f', written to {disagreements}' if disagreements else ''}."),
            (outcome.not_good, "questions rejected by an annotator."),
            (outcome.alone, "questions whose pair about the same object has no agreed answer."),
            (outcome.waiting, f"questions with fewer than {annotators} answers."),
        )
    )
