"""Street view services: images for coordinate, heading and field of view.

A service is a URL template and a function that interprets its error responses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.importers.image_loader import checked
from isovist.data.importers.street_views import service_requests
from isovist.data.importers.street_views.service_requests import Interpreter, Requests
from isovist.data.importers.street_views.view_folder import Spot, View, append, headings
from isovist.world.render.image_encoding import media_type

KEY = "ISOVIST_VIEWS_KEY"
SKIPPED = "skipped.jsonl"
_NAMES = ("lat", "lng", "heading", "pitch", "fov", "width", "height", "key")


@dataclass(frozen=True, slots=True)
class Service:
    """A street view service.

    `address`: URL with the placeholders lat, lng, heading, pitch, fov, width, height, key. `most`: maximum width and height in pixels.
    `verdict`: interprets a response without an image.
    """

    name: str
    address: str
    most: tuple[int, int]
    verdict: Interpreter


BAIDU = Service(
    "baidu",
    "https://api.map.baidu.com/panorama/v2?ak={key}&width={width}&height={height}&location={lng},{lat}&coordtype=wgs84ll"
    "&heading={heading}&pitch={pitch}&fov={fov}",
    (1024, 512),
    service_requests.baidu,
)


def service(name: str, size: int) -> Service:
    """Return a service by its name or its URL template. Raises UserError, also if it has no views of `size` pixels."""
    if name == BAIDU.name:
        known = BAIDU
    else:
        service_requests.check_address(name, "baidu, habitat", _NAMES, ("lat", "lng", "heading"))
        known = Service("address", name, (4096, 4096), service_requests.by_status)
    if size > min(known.most):
        raise UserError(f"--image-size {size}: {known.name} gives at most {min(known.most)} pixels.")
    return known


@dataclass(slots=True)
class DownloadSummary:
    fetched: int = 0
    there: int = 0
    """Number of views that already existed."""
    rejected: list[str] = field(default_factory=list[str])
    """Places without views."""


def fetch(
    source: Service,
    key: str,
    places: Sequence[Spot],
    out: Path,
    *,
    n: int = 4,
    fov: float = 90,
    size: int = 512,
    pause: float = 0.2,
    progress: Callable[[], object] = lambda: None,
    sleep: Callable[[float], object] = time.sleep,
) -> DownloadSummary:
    """Download `n` square views around each place to the folder `out`. Existing views are not requested again.

    Sends one request at a time with `pause` seconds between them, more if the service requires it. Raises UserError if the service
    rejects the key or does not respond; downloaded views stay. Raises MissingDependencyError without the extra.
    """
    outcome = DownloadSummary()
    refused: list[dict[str, str]] = []
    with service_requests.http_client("the views of a service") as client:
        out.mkdir(parents=True, exist_ok=True)
        requests = Requests(client, source.name, key, source.verdict, sleep)
        for place in places:
            for i, heading in enumerate(headings(n)):
                progress()
                if any((out / place.name / f"{i}.{suffix}").exists() for suffix in ("jpg", "png")):
                    outcome.there += 1
                    continue
                values = {
                    "lat": place.lat,
                    "lng": place.lng,
                    "heading": f"{heading:g}",
                    "pitch": 0,
                    "fov": f"{fov:g}",
                    "width": size,
                    "height": size,
                }
                address = source.address.format(**values, key=quote(key, safe=""))
                data = requests.content(address, checked)
                if isinstance(data, str):
                    refused.append({"place": place.name, "reason": data})
                    outcome.rejected.append(place.name)
                    break
                (out / place.name).mkdir(exist_ok=True)
                file = f"{place.name}/{i}.{'jpg' if media_type(data) == 'image/jpeg' else 'png'}"
                # written first: an image always has its line, even after an interruption
                append(out, View(place.name, file, heading, fov, source.name))
                write_atomically(out / file, data)
                outcome.fetched += 1
                sleep(pause)
    write_atomically(out / SKIPPED, json_lines.lines(refused))
    return outcome
