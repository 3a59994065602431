"""`isovist street-views`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from isovist.cli.item_options import limit_option, seed_option
from isovist.cli.progress import Progress
from isovist.errors import UserError


@click.command()
@click.argument("source", metavar="baidu|habitat|ADDRESS")
@click.argument("places", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder of views; what is there is not fetched again.")
@click.option(
    "--views-per-place", "around", type=click.IntRange(2, 24), default=4, show_default=True, help="Views of each place, all around."
)
@click.option("--fov", type=click.IntRange(10, 160), default=90, show_default=True, help="Degrees that a view is wide.")
@click.option(
    "--image-size", "size", type=click.IntRange(96, 4096), default=512, show_default=True, metavar="PX", help="Pixels of a view's side."
)
@click.option(
    "--request-delay", "pause", type=click.FloatRange(0, 60), default=0.2, show_default=True, help="Of a service: seconds between requests."
)
@limit_option("Of habitat: standpoints of a scene.", default=20)
@seed_option("Of habitat: another seed, other standpoints.")
def command(source: str, places: Path, out: Path, around: int, fov: int, size: int, pause: float, n: int, seed: int) -> None:
    r"""Download views of places, all around each spot, from a street-view service, or take them in scanned buildings.

    PLACES is a list with lat and lng (CSV or JSON Lines), for habitat a scene. A service's key is read from ISOVIST_VIEWS_KEY.
    ADDRESS has {lat}, {lng}, {heading} and perhaps {fov}, {pitch}, {width}, {height}, {key} in it.

    \b
    Example: isovist street-views baidu places.csv --out views
             isovist street-views habitat hm3d/00800-TEEsavR23oF/TEEsavR23oF.basis.glb --n 10 --out views
    """
    if source == "habitat":
        from isovist.importers.street_views import habitat

        with Progress(unit="view") as bar:
            standpoints = habitat.take(places, out, places=n, n=around, fov=fov, size=size, seed=seed, progress=bar.update)
        click.echo(f"{standpoints} standpoints, {standpoints * around} views in {out}")
        if standpoints < n:
            click.echo(f"the scene has room for no more of {n}", err=True)
        return
    from isovist.importers.street_views import services, view_folder

    chosen = services.service(source)
    key = os.environ.get(services.KEY, "")
    if "{key}" in chosen.address and not key:
        raise UserError(f"{source}: needs your key in the environment variable {services.KEY}.")
    listed = view_folder.spots(places)
    with Progress(len(listed) * around, "view") as bar:
        outcome = services.fetch(chosen, key, listed, out, n=around, fov=fov, size=size, pause=pause, progress=bar.update)
    click.echo(f"{outcome.fetched} views fetched, {outcome.there} were there, in {out}")
    if outcome.rejected:
        click.echo(f"{len(outcome.rejected)} places have no views, each told in {out / services.REJECTED}", err=True)
