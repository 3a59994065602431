"""Street view services: images for coordinate, heading and field of view, with the API key of the user.

A service is a URL template and a function that interprets its error responses. The key is read from the environment. It is part of
the request only; no file and no message contains it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import checked
from isovist.data.importers.street_views.view_folder import Spot, View, append, headings
from isovist.world.render.image_encoding import media_type

if TYPE_CHECKING:
    import httpx

KEY = "ISOVIST_VIEWS_KEY"
SKIPPED = "skipped.jsonl"
_NAMES = ("lat", "lng", "heading", "pitch", "fov", "width", "height", "key")
_RETRIES = 4
_LONGEST_PAUSE = 60.0

Availability = Literal["nothing here", "later", "never"]


@dataclass(frozen=True, slots=True)
class Service:
    """A street view service.

    `address`: URL with the placeholders lat, lng, heading, pitch, fov, width, height, key. `most`: maximum width and height in pixels.
    `verdict`: interprets a response without an image from its HTTP status and its JSON.
    """

    name: str
    address: str
    most: tuple[int, int]
    verdict: Callable[[int, dict[str, Any]], Availability]


def _by_status(status: int, body: dict[str, Any]) -> Availability:
    del body
    if status in (401, 402, 403):
        return "never"
    return "later" if status in (408, 425, 429) or status >= 500 else "nothing here"


def _baidu(status: int, body: dict[str, Any]) -> Availability:
    """Interpret a response of Baidu: HTTP 200 with its own status; 1 and 4xx for load, 3 to 5 and 100 to 399 for key, permissions and
    quota.
    """
    code = body.get("status")
    if not isinstance(code, int) or isinstance(code, bool):
        return _by_status(status, body)
    if code == 1 or 400 <= code < 500:
        return "later"
    return "never" if code in (3, 4, 5) or 100 <= code < 400 else "nothing here"


BAIDU = Service(
    "baidu",
    "https://api.map.baidu.com/panorama/v2?ak={key}&width={width}&height={height}&location={lng},{lat}&coordtype=wgs84ll"
    "&heading={heading}&pitch={pitch}&fov={fov}",
    (1024, 512),
    _baidu,
)


def service(name: str) -> Service:
    """Return a service by its name or its URL template. Raises UserError."""
    if name == BAIDU.name:
        return BAIDU
    if not name.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise UserError(f"{name}: give baidu, habitat, or an https address with {', '.join(f'{{{field}}}' for field in _NAMES)}.")
    try:
        name.format(**dict.fromkeys(_NAMES, ""))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise UserError(f"{name}: the names in braces are {', '.join(_NAMES)}.") from None
    for needed in ("lat", "lng", "heading"):
        if f"{{{needed}}}" not in name:
            raise UserError(f"{name}: has no {{{needed}}}.")
    return Service("address", name, (4096, 4096), _by_status)


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
    try:
        import httpx
    except ImportError:
        raise MissingDependencyError("the views of a service", "views") from None
    if size > min(source.most):
        raise UserError(f"--image-size {size}: {source.name} gives at most {min(source.most)} pixels.")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log URLs with the key
    out.mkdir(parents=True, exist_ok=True)
    outcome = DownloadSummary()
    refused: list[dict[str, str]] = []
    with httpx.Client(timeout=30, follow_redirects=False, headers={"User-Agent": "isovist"}) as client:
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
                data = _picture(client, source, address, key, sleep)
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


def _picture(client: httpx.Client, source: Service, address: str, key: str, sleep: Callable[[float], object]) -> bytes | str:
    """Return the image, or why the place has none. Raises UserError if the error applies to every place."""
    import httpx

    why = ""
    for attempt in range(_RETRIES + 1):
        pause = 2.0**attempt
        try:
            reply = client.get(address)
        except httpx.HTTPError as error:
            why = type(error).__name__
        else:
            if reply.status_code == 200:
                try:
                    return checked(reply.content)
                except Unusable:
                    pass  # it may be the text of an error response
            body = _json_body(reply)
            why = _error_message(reply, body, key)
            verdict = source.verdict(reply.status_code, body)
            if verdict == "nothing here":
                return why
            if verdict == "never":
                raise UserError(
                    f"{source.name} rejected the key or request: {why}. Downloaded views are kept; run the same command again to resume."
                )
            asked = reply.headers.get("Retry-After", "")
            pause = max(pause, min(float(asked), _LONGEST_PAUSE)) if asked.isdigit() else pause
        if attempt < _RETRIES:
            sleep(pause)
    raise UserError(f"{source.name} is unavailable: {why}. Downloaded views are kept; run the same command again to resume.")


def _json_body(reply: httpx.Response) -> dict[str, Any]:
    try:
        body = json.loads(reply.content[:10_000])
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def _error_message(reply: httpx.Response, body: dict[str, Any], key: str) -> str:
    """Return the message of an error response in one line, without the key."""
    words = " ".join(str(body.get(name, "")) for name in ("status", "message", "error") if body.get(name))
    line = " ".join(f"HTTP {reply.status_code} {words}".split())[:160]
    for secret in (key, quote(key, safe="")):
        line = line.replace(secret, "***") if secret else line
    return "".join(c if c.isprintable() else "?" for c in line)
