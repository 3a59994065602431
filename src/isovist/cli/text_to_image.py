"""`isovist text-to-image`."""

from __future__ import annotations

from pathlib import Path

import click

from isovist.cli import SuggestingGroup, echo
from isovist.cli.options import Count, model_option, option, server_option
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.item_options import ItemOptions
from isovist.evaluation.run_spec import RequestOptions


@click.group(cls=SuggestingGroup)
def command() -> None:
    r"""Generate items from text-to-image models: a language model writes descriptions, a diffusion model generates images, annotators
    accept or reject them.

    Descriptions and images share one folder, and each step resumes. Annotators label the images between `generate` and `questions`:
    a digit accepts an image and gives the facing direction of its object, x rejects the image.

    \b
    Example: isovist text-to-image describe --model openai/gpt-4o --n 100 --out painted
             isovist text-to-image generate painted --painter flux
             isovist annotate painted
             isovist text-to-image questions painted --out data/generated
    """


@command.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to create or resume.")
@model_option("The model that writes: openai/gpt-4o, anthropic/...", required=True)
@server_option()
@option(ItemOptions, "n", help="Number of descriptions.", most=10_000, default=100)
@click.option("--examples", type=click.Path(path_type=Path), default=None, help="A JSON list: object, setting, facing, description.")
@click.option(
    "--objects", type=click.Path(path_type=Path), default=None, help="A text file with one object per line [default: the paper's]."
)
@click.option("--at-once", type=click.IntRange(1, 50), default=10, show_default=True, help="Descriptions per request.")
@option(RequestOptions, "max_connections", default=4, words=(), help="Concurrent requests.")
@option(RequestOptions, "temperature", default=0.7)
def describe(
    out: Path, model: str, base_url: str, n: int, examples: Path | None, objects: Path | None, at_once: int, max_connections: int,
    temperature: float | None,
) -> None:  # fmt: skip
    r"""Write descriptions of one object in one setting with a given facing direction, from few-shot examples.

    \b
    Example: isovist text-to-image describe --model openai/gpt-4o --n 100 --out painted
             isovist text-to-image describe --model m --base-url http://localhost:8000/v1 --objects things.txt --out painted
    """
    from isovist.evaluation.models import GenerationConfig
    from isovist.evaluation.models import model as model_of
    from isovist.people.text_to_image import description_writer, prompt

    few_shot = prompt.examples(examples) if examples else prompt.EXAMPLES
    wanted = prompt.objects(objects, few_shot) if objects else prompt.OBJECTS
    shared = {example.object.casefold() for example in few_shot} & {thing.casefold() for thing in wanted}
    if shared:
        raise UserError(f"Object in both --examples and --objects: {min(shared)}. Remove it from one of them.")
    writer = model_of(model, GenerationConfig(base_url, temperature, concurrency=max_connections))
    with Progress(unit="request") as bar:
        summary = description_writer.write(
            out, writer, n, examples=few_shot, objects=wanted, size=at_once, concurrency=max_connections, progress=bar.update
        )
    click.echo(f"{len(summary.descriptions)} descriptions in {out / description_writer.DESCRIPTIONS}")
    click.echo(f"Next: isovist text-to-image generate {out}")
    echo.warnings(
        (
            (summary.malformed, f"descriptions skipped. Reasons: {out / description_writer.SKIPPED}"),
            (summary.duplicates, "duplicate descriptions skipped."),
            (summary.failed, "requests without a response. Run the same command again to retry them."),
            (n - len(summary.descriptions), "descriptions missing: the model returned too few usable ones."),
        )
    )


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--painter", default="flux", show_default=True, metavar="NAME", help="flux (FLUX.1-dev), sd (SD 3.5 Large), or with --model any name."
)
@click.option("--model", "weights", default=None, help="Other weights: a folder, or a Hugging Face model id.")
@option(ItemOptions, "n", help="Only the first N descriptions.")
@click.option("--steps", type=click.IntRange(1, 1000), default=None, help="Diffusion steps [default: 50 for flux, else 28].")
@click.option("--guidance", type=click.FloatRange(0, 100), default=None, help="Guidance scale [default: 3.5].")
@click.option(
    "--image-size", "size", type=click.IntRange(16, 4096), default=None, metavar="PX", help="Width and height of an image [default: 1024]."
)
@click.option("--offload", is_flag=True, help="Move idle parts of the model to CPU memory: slower, with less GPU memory.")
def generate(
    folder: Path, painter: str, weights: str | None, n: int | None, steps: int | None, guidance: float | None, size: int | None, offload: bool
) -> None:  # fmt: skip
    r"""Generate an image for each description in FOLDER with a local diffusion model, and write the annotation job for these images.

    \b
    Example: isovist text-to-image generate painted --painter flux
             isovist text-to-image generate painted --painter sd --offload
             isovist text-to-image generate painted --painter mine --model weights/mine --image-size 512
    """
    from isovist.people.text_to_image import diffusion, image_generation, model_presets

    if painter not in model_presets.KNOWN and not weights:
        raise UserError(f"Unknown --painter: {painter}. Choose one of {', '.join(model_presets.KNOWN)}, or add --model.")
    preset = model_presets.settings(painter, model=weights, steps=steps, guidance=guidance, size=size)
    with Progress(unit="image") as bar:

        def load() -> model_presets.DiffusionModel:
            loaded = diffusion.load(preset, offload=offload)
            click.echo(f"Licence of {preset.model}: {preset.licence}. It determines the permitted use of the images.", err=True)
            return loaded

        outcome = image_generation.draw(folder, preset, load, n=n, progress=bar.update)
    click.echo(f"{outcome.drawn} images generated, {outcome.kept} already present, {outcome.cards} to annotate")
    click.echo(f"Next: isovist annotate {folder}")
    echo.warnings([(outcome.faulty, f"images of {painter} have a single colour and are not in the annotation job.")])


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Dataset folder to write; new or empty.")
@click.option(
    "--min-annotators", "annotators", type=Count(min=1), default=1, show_default=True, help="Required answers per image, all equal."
)
@click.option("--each", type=click.IntRange(1, 7), default=1, show_default=True, help="Questions of each task about an image.")
@option(ItemOptions, "n", help="Questions of each task [default: all].")
@option(ItemOptions, "seed", help="Random seed; another seed gives other rotations.")
def questions(folder: Path, out: Path, annotators: int, each: int, n: int | None, seed: int) -> None:
    r"""Write questions about the accepted images in FOLDER as a dataset: which way does the object face after a rotation?

    \b
    Example: isovist text-to-image questions painted --out data/generated
             isovist text-to-image questions painted --min-annotators 2 --n 80 --out data/generated
    """
    from isovist.people.text_to_image.questions import SKIPPED, collect

    outcome = collect(folder, out, people=annotators, each=each, n=n, seed=seed)
    echo.counts_by_name(outcome.items)
    total = outcome.accepted.total()
    click.echo(f"{outcome.items.total()} items about {total} images in {out}")
    for name, (accepted, annotated) in outcome.painters.items():
        click.echo(f"{name}: {accepted} of {annotated} annotated images accepted")
    click.echo(f"{outcome.as_asked} of {total} accepted images show the described facing direction")
    facing, count = outcome.accepted.most_common(1)[0]
    click.echo(f"Most frequent facing direction: {facing} ({count} of {total})")
    echo.agreements(outcome.agreement, "images")
    skipped = (
        (outcome.rejected, "rejected by an annotator"),
        (outcome.differ, "with different facing directions"),
        (outcome.waiting, f"with fewer than {annotators} answers"),
    )
    echo.warnings((count, f"images skipped: {reason}. Reasons: {out / SKIPPED}") for count, reason in skipped)
