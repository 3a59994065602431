"""Lines that several commands print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from isovist.human.annotate.agreement import Agreement


json_option = click.option("--json", "as_json", is_flag=True, help="Print the results as JSON; other lines go to stderr.")


def as_json(results: object) -> None:
    click.echo(json.dumps(results, indent=1, ensure_ascii=False))


def counts_by_name(counts: Mapping[str, int]) -> None:
    """One line for each name, sorted, with its count first."""
    for name, count in sorted(counts.items()):
        click.echo(f"{count:>7}  {name}")


def warnings(sentences: Iterable[tuple[int, str]]) -> None:
    """On stderr, each count that is not 0 with its sentence."""
    for count, sentence in sentences:
        if count:
            click.echo(f"{count} {sentence}", err=True)


def agreements(agreed: Iterable[Agreement], noun: str) -> None:
    """Krippendorff's alpha of each part of an annotation job; `noun` is what was annotated."""
    for part in agreed:
        alpha = f"{part.alpha.estimate:.3f} [{part.alpha.low:.3f}, {part.alpha.high:.3f}]" if part.alpha else "not defined"
        click.echo(f"Krippendorff's alpha ({part.part or 'all'}): {alpha}, {part.cards} {noun} with two answers or more")
