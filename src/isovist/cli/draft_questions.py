"""`isovist draft-questions`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli.completion import models
from isovist.cli.item_options import Count
from isovist.cli.progress import Progress
from isovist.errors import UserError

_KINDS = ("direction", "counting", "planning")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The job of cards to write; with --collect, the data folder.")
@click.option(
    "--model",
    "name",
    shell_complete=models,
    default=None,
    help="Who drafts: openai/gpt-4o, anthropic/...; with --base-url the server's own name.",
)
@click.option("--base-url", default="", help="An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY).")
@click.option("--kind", type=click.Choice(_KINDS), default=None, help="What is asked about.")
@click.option("--example", type=click.Path(path_type=Path), default=None, help='A JSON file: {"views": [four pictures], "draft": {...}}.')
@click.option("--most", type=click.IntRange(1, 10), default=3, show_default=True, help="Questions for each place at most.")
@click.option(
    "--max-connections", "concurrency", type=click.IntRange(1, 10_000), default=4, show_default=True, help="Requests under way at once."
)
@click.option("--collect", "agreed", is_flag=True, help="FOLDER is a job that people have answered: write what they agree on.")
@click.option("--people", type=Count(min=2), default=2, show_default=True, help="With --collect: answers that a question needs.")
@click.option(
    "--disagreements-out",
    "back",
    type=click.Path(path_type=Path),
    default=None,
    help="With --collect: write what people differ on as a new job.",
)
def command(
    folder: Path, out: Path, name: str | None, base_url: str, kind: str | None, example: Path | None, most: int, concurrency: int, agreed: bool,
    people: int, back: Path | None,
) -> None:  # fmt: skip
    r"""Draft questions about views of real places: a model drafts them, people answer them on the page, and what they agree on is kept.

    \b
    Example: isovist draft-questions views --kind direction --example example.json --model openai/gpt-4o --out job
             isovist draft-questions job --collect --disagreements-out job-2 --out data/written
    """
    if agreed:
        if name or kind or example:
            raise UserError("--collect asks no model; leave --model, --kind and --example out.")
        _agreed(folder, out, people, back)
        return
    if not name or not kind or not example or back:
        raise UserError(
            "give --model, --kind and --example to draft questions, or --collect (with it --disagreements-out) to take in their answers."
        )
    from isovist.human.question_drafting import job, prompt
    from isovist.models import GenerationConfig, model

    given = prompt.example(example)
    asked = model(name, GenerationConfig(base_url=base_url, temperature=0.7, concurrency=concurrency))
    wanted: prompt.Kind = next(one for one in prompt.KINDS if one == kind)
    with Progress(unit="place") as bar:
        outcome = job.write(folder, out, asked, wanted, given, most=most, concurrency=concurrency, progress=bar.update)
    for part, count in sorted(outcome.drafts.items()):
        click.echo(f"{count:>7}  {part}")
    click.echo(f"{outcome.drafts.total()} questions about {outcome.places} places in {out}; answer them with `isovist annotate {out}`")
    for count, words in (
        (outcome.malformed, f"drafts cannot be used, each told in {out / job.MALFORMED}"),
        (outcome.failed, "places got no reply; the same command asks again"),
        (len(outcome.passed_over), "places were passed over: not four views a quarter turn apart, or not accepted by people"),
    ):
        if count:
            click.echo(f"{count} {words}", err=True)


def _agreed(folder: Path, out: Path, people: int, back: Path | None) -> None:
    from isovist.human.question_drafting.consensus import collect_consensus

    outcome = collect_consensus(folder, out, people=people, back=back)
    for task, count in sorted(outcome.agreed.items()):
        click.echo(f"{count:>7}  {task}")
    click.echo(f"{outcome.agreed.total()} items in {out}")
    for agreement in outcome.agreement:
        alpha = (
            "not defined"
            if agreement.alpha is None
            else f"{agreement.alpha.estimate:.3f} (95 % {agreement.alpha.low:.3f} to {agreement.alpha.high:.3f})"
        )
        click.echo(
            f"agreement, {agreement.part or 'all'}: Krippendorff's alpha {alpha}, {agreement.cards} questions with two answers or more"
        )
    right, total = outcome.model_right
    click.echo(f"the model's own answer is the agreed one {right} times of {total}")
    for count, words in (
        (outcome.differ, f"are answered differently{f', and are in {back} again' if back else ''}"),
        (outcome.not_good, "are called not good by somebody"),
        (outcome.alone, "are agreed on, but not the other one about the same object"),
        (outcome.waiting, f"have fewer than {people} answers"),
    ):
        if count:
            click.echo(f"{count} questions {words}", err=True)
