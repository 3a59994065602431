"""`isovist street-views`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from isovist.cli import echo
from isovist.cli.options import option
from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.data.item_options import ItemOptions


@click.command()
@click.argument("source", metavar="baidu|habitat|ADDRESS")
@click.argument("places", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of views; existing views are not downloaded again.")
@click.option(
    "--views-per-place",
    "around",
    type=click.IntRange(2, 24),
    default=4,
    show_default=True,
    help="Views of each place, evenly spaced over 360°.",
)
@click.option("--fov", type=click.IntRange(10, 160), default=90, show_default=True, help="Horizontal field of view in degrees.")
@click.option(
    "--image-size", "size", type=click.IntRange(96, 4096), default=512, show_default=True, metavar="PX", help="Width and height of a view."
)
@click.option(
    "--request-delay", "pause", type=click.FloatRange(0, 60), default=0.2, show_default=True, help="Services: seconds between requests."
)
@click.option("--search", metavar="nominatim|baidu|ADDRESS", help="Services: find the places by the column query of PLACES.")
@click.option(
    "--places-per-query", "limit", type=click.IntRange(1, 20), default=1, show_default=True, help="--search: the most places of a query."
)
@option(ItemOptions, "n", help="habitat: places in a scene.", default=20)
@option(ItemOptions, "seed", help="habitat: random seed; another seed gives other places.")
def command(
    source: str, places: Path, out: Path, around: int, fov: int, size: int, pause: float, search: str | None, limit: int, n: int, seed: int
) -> None:
    r"""Download views in all directions around each place, from a street-view service or a Habitat-Sim scene.

    PLACES is a list with the columns lat and lng (CSV or JSON Lines), or for habitat a scene file. The key of a service is read from
    ISOVIST_VIEWS_KEY. ADDRESS contains {lat}, {lng}, {heading} and optionally {fov}, {pitch}, {width}, {height}, {key}.

    With --search, PLACES has the column query, and for baidu region. The key of the search is read from ISOVIST_SEARCH_KEY. Its ADDRESS
    contains {query} and optionally {region}, {limit}, {key}.

    \b
    Example: isovist street-views baidu places.csv --out views
             isovist street-views baidu queries.csv --search baidu --places-per-query 10 --out views
             isovist street-views habitat hm3d/00800-TEEsavR23oF/TEEsavR23oF.basis.glb --n 10 --out views
    """
    if search is None and limit != 1:
        raise UserError("Option without --search: --places-per-query. Add --search or remove it.")
    if source == "habitat":
        if search is not None:
            raise UserError("Option without effect on habitat: --search. Remove it.")
        from isovist.data.importers.street_views import habitat

        with Progress(unit="view") as bar:
            n_places = habitat.take(places, out, places=n, n=around, fov=fov, size=size, seed=seed, progress=bar.update)
        click.echo(f"{n_places} places, {n_places * around} views in {out}")
        echo.warnings([(n - n_places, f"places missing: the scene has too little free space for {n}.")])
        return
    from isovist.data.importers.street_views import place_search, services, view_folder

    service = services.service(source, size)
    key = _key(source, service.address, services.KEY)
    if search is None:
        locations = view_folder.spots(places)
    else:
        finder = place_search.place_search(search)
        search_key = _key(search, finder.address, place_search.KEY)
        queries = place_search.queries(places, finder, limit)
        with Progress(len(queries), "query") as bar:
            summary = place_search.find(finder, search_key, queries, out, limit=limit, pause=pause, progress=bar.update)
        locations = summary.places
        click.echo(f"{len(locations)} places found with {len(queries)} queries: {out / place_search.SEARCHES}")
        if finder.attribution:
            click.echo(f"Places: {finder.attribution}")
        echo.warnings([(len(summary.not_found), f"queries without a place. Reasons: {out / place_search.NOT_FOUND}")])
    with Progress(len(locations) * around, "view") as bar:
        outcome = services.fetch(service, key, locations, out, n=around, fov=fov, size=size, pause=pause, progress=bar.update)
    click.echo(f"{outcome.fetched} views downloaded, {outcome.there} already present, in {out}")
    echo.warnings([(len(outcome.rejected), f"places without views. Reasons: {out / services.SKIPPED}")])


def _key(service: str, address: str, variable: str) -> str:
    """The key in an environment variable. Raises UserError if the address needs one that is missing."""
    key = os.environ.get(variable, "")
    if "{key}" in address and not key:
        raise UserError(f"Missing key for {service}. Set the environment variable {variable}.")
    return key
