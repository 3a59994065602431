"""`isovist mix`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Self

import click

from isovist.cli.completion import recipes
from isovist.cli.options import option
from isovist.common.errors import UserError
from isovist.common.progress import Progress, stage
from isovist.evaluation.run_spec import RunSpec
from isovist.reporting.analysis.text_format import pluralize


@click.command()
@click.argument("recipe", required=False, shell_complete=recipes)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the training mixture (new or empty).")
@click.option(
    "--external-data",
    "general",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="External data in LLaVA's JSON format, if the recipe requires some.",
)
@click.option(
    "--external-image-dir",
    "images",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of their images [default: that of FILE].",
)
@click.option(
    "--exclude-test-data",
    "against",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Dataset folder whose test items are excluded; repeatable.",
)
@option(RunSpec, "workers")
@click.option("--list-recipes", "listed", is_flag=True, help="List the included recipes and exit.")
@click.option("--print-recipe", is_flag=True, help="Print the recipe and exit.")
def command(
    recipe: str | None, out: Path | None, general: Path | None, images: Path | None, against: tuple[Path, ...], workers: int, listed: bool,
    print_recipe: bool,
) -> None:  # fmt: skip
    r"""Build a training mixture from a RECIPE: a TOML file, or a name from --list-recipes.

    A mixture has items with answers only, items with chains of thought, and conversations from external data, in shuffled order. It is the
    same for any number of workers. The same command resumes. Exit code 1 if an example is in a test set; then nothing is written.

    \b
    Example: isovist mix cdr-cot-all --out mixes/cot-all
             isovist mix cdr-all-40k --external-data llava_v1_5_mix665k.json --external-image-dir pictures --out mixes/all-40k
             isovist mix mine.toml --exclude-test-data data/cdr-published --out mixes/mine
             isovist mix cdr-all --print-recipe
    """
    from isovist.training.recipe import read, shipped

    if listed:
        _list()
        return
    if recipe is None:
        raise UserError("No recipe. Give a TOML file or a name from `isovist mix --list-recipes`.")
    given = read(recipe)
    if print_recipe:
        known = shipped()
        click.echo(known[recipe] if given.folder is None else Path(recipe).read_text(encoding="utf-8"), nl=False)
        return
    if out is None:
        raise UserError("No output folder. Use --out DIR.")

    from isovist.training.contamination import ContaminationError
    from isovist.training.mixture_builder import SKIPPED, mix, source
    from isovist.training.mixture_plan import shares

    plan = shares(given.recipe)
    try:
        with _Bars({"drawn": plan.general, "examples": len(plan)}) as bars:
            mixture, made = mix(given, out, general=source(given, general, images), tests=against, workers=workers, progress=bars.update)
    except ContaminationError as overlap:
        click.echo(f"{overlap}; nothing was written.")
        sys.exit(1)
    for name, count in mixture.counts.items():
        click.echo(f"{count:>7}  {name}")
    if made.replaced:
        click.echo(f"{made.replaced} items came out the same as others, and others stand in their place")
    compared = f", none of it in {made.tests} test items" if made.tests else ""
    click.echo(f"{len(mixture)} examples in {out}{compared} (load them with datasets.load_dataset({str(out)!r}))")
    if made.drawn is not None and made.drawn.rejected:
        click.echo(f"Skipped {pluralize(len(made.drawn.rejected), 'drawn record')}. Reasons: {out / SKIPPED}", err=True)
        for reason, count in made.drawn.reasons.most_common():
            click.echo(f"{count:>7}  {reason}", err=True)


def _list() -> None:
    from isovist.training.mixture_plan import shares
    from isovist.training.recipe import read, shipped

    names = list(shipped())
    for name in names:
        given = read(name)
        plan = shares(given.recipe)
        click.echo(f"{name:<{max(map(len, names))}} {len(plan):>8}  {given.recipe.about}")


class _Bars:
    """The progress of each kind of work, one after the other; how much there is of it, where that is known."""

    def __init__(self, totals: dict[str, int]) -> None:
        self._totals = totals
        self._what = ""
        self._bar: Progress | None = None

    def update(self, phase: str, count: int) -> None:
        if phase != self._what or self._bar is None:
            self.__exit__()
            self._what, self._bar = phase, Progress(self._totals.get(phase), "record", phase)
        self._bar.update(count)

    def __enter__(self) -> Self:
        self._bar = stage("mix")  # until the first of the work is done
        return self

    def __exit__(self, *exception_info: object) -> None:
        if self._bar is not None:
            self._bar.close()
