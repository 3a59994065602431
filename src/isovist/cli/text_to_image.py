"""`isovist text-to-image`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.command_groups import SuggestingGroup
from isovist.cli.completion import models
from isovist.cli.item_options import Count, limit_option, seed_option
from isovist.cli.progress import Progress
from isovist.errors import UserError

if TYPE_CHECKING:
    from isovist.human.annotate.agreement import Agreement


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Generate questions about generated pictures: a model describes them, a diffusion model draws them, people sort them on the page.

    Descriptions and pictures are in one folder, and each step goes on where it stopped. People sort the pictures between drawing and
    questions: a digit accepts one and says which way the thing faces, x rejects it.

    \b
    Example: isovist text-to-image describe --model openai/gpt-4o --n 100 --out painted
             isovist text-to-image generate painted --painter flux
             isovist annotate painted
             isovist text-to-image questions painted --out data/generated
    """


@command.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to begin or to go on with.")
@click.option(
    "--model",
    "name",
    shell_complete=models,
    required=True,
    help="Who describes: openai/gpt-4o, anthropic/...; with --base-url the server's own name.",
)
@click.option("--base-url", default="", help="An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY).")
@limit_option("How many descriptions.", most=10_000, default=100)
@click.option("--examples", type=click.Path(path_type=Path), default=None, help="A JSON list: object, setting, facing, description.")
@click.option("--objects", type=click.Path(path_type=Path), default=None, help="A text file of things, one a line [default: the paper's].")
@click.option("--at-once", type=click.IntRange(1, 50), default=10, show_default=True, help="Descriptions that one request asks for.")
@click.option(
    "--max-connections", "concurrency", type=click.IntRange(1, 10_000), default=4, show_default=True, help="Requests under way at once."
)
def describe(
    out: Path, name: str, base_url: str, n: int, examples: Path | None, objects: Path | None, at_once: int, concurrency: int
) -> None:  # fmt: skip
    r"""Write descriptions of one object in one place, facing a given direction: by a model, after examples.

    \b
    Example: isovist text-to-image describe --model openai/gpt-4o --n 100 --out painted
             isovist text-to-image describe --model m --base-url http://localhost:8000/v1 --objects things.txt --out painted
    """
    from isovist.models import GenerationConfig, model
    from isovist.text_to_image import description_writer, prompt

    shown = prompt.examples(examples) if examples else prompt.EXAMPLES
    things = prompt.objects(objects, shown) if objects else prompt.OBJECTS
    clash = {one.object.casefold() for one in shown} & {thing.casefold() for thing in things}
    if clash:
        raise UserError(f"--examples: {min(clash)!r} is in the list of things; descriptions have to be of others than the examples.")
    asked = model(name, GenerationConfig(base_url=base_url, temperature=0.7, concurrency=concurrency))
    with Progress(unit="request") as bar:
        summary = description_writer.write(
            out, asked, n, examples=shown, objects=things, size=at_once, concurrency=concurrency, progress=bar.update
        )
    click.echo(
        f"{len(summary.descriptions)} descriptions in {out / description_writer.DESCRIPTIONS}; `isovist text-to-image generate {out}` draws them"
    )
    for count, words in (
        (summary.malformed, f"elements cannot be used, each told in {out / description_writer.LEFT_OUT}"),
        (summary.duplicates, "descriptions say what another one says"),
        (summary.failed, "requests got no reply; the same command asks again"),
        (n - len(summary.descriptions), "descriptions are missing: the model gave no more that can be used"),
    ):
        if count:
            click.echo(f"{count} {words}", err=True)


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--painter", default="flux", show_default=True, metavar="NAME", help="flux (FLUX.1-dev), sd (SD 3.5 Large), or with --model any name."
)
@click.option("--model", "weights", default=None, help="Other weights: a folder, or an id of the Hugging Face hub.")
@limit_option("Only the first so many descriptions.")
@click.option("--steps", type=click.IntRange(1, 1000), default=None, help="Steps of the diffusion [default: flux 50, else 28].")
@click.option("--guidance", type=click.FloatRange(0, 100), default=None, help="Guidance scale [default: 3.5].")
@click.option("--image-size", "size", type=click.IntRange(16, 4096), default=None, metavar="PX", help="Side of a picture [default: 1024].")
@click.option("--offload", is_flag=True, help="Keep on the accelerator only the part that works: slower, with less memory.")
def generate(
    folder: Path, painter: str, weights: str | None, n: int | None, steps: int | None, guidance: float | None, size: int | None, offload: bool
) -> None:  # fmt: skip
    r"""Draw the descriptions in FOLDER with a diffusion model in this process, and make the cards on which people sort the pictures.

    \b
    Example: isovist text-to-image generate painted --painter flux
             isovist text-to-image generate painted --painter sd --offload
             isovist text-to-image generate painted --painter mine --model weights/mine --image-size 512
    """
    from isovist.text_to_image import diffusion, image_generation, model_presets

    if painter not in model_presets.KNOWN and not weights:
        raise UserError(f"--painter {painter}: there are {', '.join(model_presets.KNOWN)}; for others give --model.")
    wanted = model_presets.settings(painter, model=weights, steps=steps, guidance=guidance, size=size)
    with Progress(unit="picture") as bar:

        def load() -> model_presets.DiffusionModel:
            loaded = diffusion.load(wanted, offload=offload)
            click.echo(f"licence of {wanted.model}: {wanted.licence}. It tells what the pictures may be used for.", err=True)
            return loaded

        outcome = image_generation.draw(folder, wanted, load, n=n, progress=bar.update)
    click.echo(f"{outcome.drawn} pictures drawn, {outcome.kept} there before; {outcome.cards} to sort with `isovist annotate {folder}`")
    if outcome.faulty:
        click.echo(f"{outcome.faulty} pictures of {painter} show one colour all over, and are on no card", err=True)


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The data folder to write; new or empty.")
@click.option("--people", type=Count(min=1), default=1, show_default=True, help="Answers that a picture needs, all alike.")
@click.option("--each", type=click.IntRange(1, 7), default=1, show_default=True, help="Questions of each task about a picture.")
@limit_option("Questions of each task at most [default: all].")
@seed_option("Another seed, other turns.")
def questions(folder: Path, out: Path, people: int, each: int, n: int | None, seed: int) -> None:
    r"""Write questions about the pictures in FOLDER that people accept, as a data folder: where would it face after a turn?

    \b
    Example: isovist text-to-image questions painted --out data/generated
             isovist text-to-image questions painted --people 2 --n 80 --out data/generated
    """
    from isovist.text_to_image.questions import LEFT_OUT, collect

    outcome = collect(folder, out, people=people, each=each, n=n, seed=seed)
    for task, count in sorted(outcome.items.items()):
        click.echo(f"{count:>7}  {task}")
    total = outcome.accepted.total()
    click.echo(f"{outcome.items.total()} items about {total} pictures in {out}")
    for name, (accepted, sorted_count) in outcome.painters.items():
        click.echo(f"{name}: {accepted} accepted of {sorted_count} sorted")
    click.echo(f"{outcome.as_asked} of {total} accepted pictures face as their description says")
    facing, most = outcome.accepted.most_common(1)[0]
    click.echo(f"the facing seen most often is {facing}: {most} of {total}")
    _tell_agreement(outcome.agreement)
    for count, words in (
        (outcome.rejected, "are rejected by somebody"),
        (outcome.differ, "are seen to face different ways"),
        (outcome.waiting, f"have fewer than {people} answers"),
    ):
        if count:
            click.echo(f"{count} pictures {words}, each told in {out / LEFT_OUT}", err=True)


def _tell_agreement(agreements: list[Agreement]) -> None:
    for agreement in agreements:
        alpha = (
            "not defined"
            if agreement.alpha is None
            else f"{agreement.alpha.estimate:.3f} (95 % {agreement.alpha.low:.3f} to {agreement.alpha.high:.3f})"
        )
        click.echo(
            f"agreement, {agreement.part or 'all'}: Krippendorff's alpha {alpha}, {agreement.cards} pictures with two answers or more"
        )
