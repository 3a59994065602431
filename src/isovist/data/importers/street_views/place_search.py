"""Search of places by text: queries such as "school" in "Beijing" become coordinates, which `searches.jsonl` in the folder of views keeps."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.street_views import gcj02, service_requests
from isovist.data.importers.street_views.service_requests import Availability, Interpreter, Requests
from isovist.data.importers.street_views.view_folder import Spot, is_folder_name

KEY = "ISOVIST_SEARCH_KEY"
SEARCHES = "searches.jsonl"
NOT_FOUND = "not_found.jsonl"
MOST_PLACES = 20
"""The most places of a query: the largest page of Baidu's search."""
_PAUSE = 1.0  # seconds; Nominatim's usage policy allows one request a second
_NAMES = ("query", "region", "limit", "key")
_LONGEST_REPLY = 5_000_000  # bytes


@dataclass(frozen=True, slots=True)
class PlaceSearch:
    """A search service.

    `address`: URL with the placeholders query, region, limit, key. `verdict`: interprets a response without a list of places.
    `to_wgs84`: converts its latitude and longitude. `attribution`: the text that its licence requires.
    """

    name: str
    address: str
    verdict: Interpreter
    to_wgs84: Callable[[float, float], tuple[float, float]] = lambda lat, lng: (lat, lng)
    attribution: str = ""

    @property
    def needs_region(self) -> bool:
        return "{region}" in self.address


BAIDU = PlaceSearch(
    "baidu",
    "https://api.map.baidu.com/place/v2/search?ak={key}&query={query}&region={region}&city_limit=true&output=json&scope=1"
    "&page_size={limit}&page_num=0&ret_coordtype=gcj02ll",
    service_requests.baidu,
    gcj02.to_wgs84,
)
NOMINATIM = PlaceSearch(
    "nominatim",
    "https://nominatim.openstreetmap.org/search?q={query}&format=jsonv2&limit={limit}",
    service_requests.by_status,
    attribution="© OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright",
)


def place_search(name: str) -> PlaceSearch:
    """Return a search service by its name or its URL template. Raises UserError."""
    for search in (BAIDU, NOMINATIM):
        if name == search.name:
            return search
    service_requests.check_address(name, "nominatim, baidu", _NAMES, ("query",))
    return PlaceSearch(urlsplit(name).hostname or "address", name, service_requests.by_status)


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, in a region if the service needs one. `name`: folder of the first place found."""

    name: str
    text: str
    region: str = ""

    def folder(self, place: int) -> str:
        """The folder of a place found, counted from 0."""
        return f"{self.name}-{place + 1}" if place else self.name


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place found, in WGS 84 (degrees). `label`: what the service calls it."""

    lat: float
    lng: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Search:
    """A line of `searches.jsonl`: at most `limit` places for a query."""

    search: str
    query: str
    region: str
    limit: int
    places: list[FoundPlace]
    attribution: str = ""


@dataclass(slots=True)
class SearchSummary:
    places: list[Spot] = field(default_factory=list[Spot])
    not_found: list[str] = field(default_factory=list[str])
    """Queries without a place."""


def queries(path: Path, search: PlaceSearch, limit: int) -> list[Query]:
    """Read a list of queries, CSV with a header (query, optional name, and region if the service needs one) or JSON Lines.

    Raises UserError with the line number, and if two queries would have the same folder, with up to `limit` places each.
    """
    columns = ("query", "region") if search.needs_region else ("query",)
    asked: list[Query] = []
    for number, row in file_reader.label_rows(path, columns):
        texts = {column: json_lines.whole(str(row.get(column) or "")).strip() for column in ("query", "region", "name")}
        if missing := next((column for column in columns if not texts[column]), None):
            raise UserError(f"Line {number} has no {missing}: {path}. Add it.")
        if None in row:  # cells without a column
            raise UserError(f"Line {number} has more cells than columns: {path}. Put a text with a comma into double quotes.")
        region = texts["region"] if search.needs_region else ""
        words = "".join(c if c.isalnum() or c in "-_." else " " for c in f"{region} {texts['query']}").split()
        query = Query(texts["name"] or " ".join(words)[:70].strip(". "), texts["query"], region)
        if not all(is_folder_name(query.folder(i)) for i in (0, MOST_PLACES - 1)):
            raise UserError(f"The name of line {number} is not a valid folder name: {path}. Add or correct its name.")
        asked.append(query)
    if repeated := next((name for name, n in Counter(each.folder(i) for each in asked for i in range(limit)).items() if n > 1), None):
        raise UserError(f"Two queries have the same name ({repeated}): {path}. Rename one in the column name.")
    if not asked:
        raise UserError(f"No queries: {path}. Add lines with {' and '.join(columns)}.")
    return asked


def find(
    search: PlaceSearch,
    key: str,
    asked: Sequence[Query],
    out: Path,
    *,
    limit: int = 1,
    pause: float = _PAUSE,
    progress: Callable[[], object] = lambda: None,
    sleep: Callable[[float], object] = time.sleep,
) -> SearchSummary:
    """Return up to `limit` places of each query. Queries with a reply in the folder `out` are not requested again.

    Sends one request at a time, at most one a second. Of places with the same coordinates, the first is returned. Raises UserError if the
    service rejects the key or does not respond; replies stay. Raises MissingDependencyError without the extra.
    """

    def verdict(status: int, body: dict[str, Any]) -> Availability:
        return "later" if status == 200 and not body else search.verdict(status, body)  # such as the page of a proxy

    known = _stored(out)
    outcome = SearchSummary()
    missing: list[dict[str, str]] = []
    taken: dict[tuple[float, float], str] = {}
    with service_requests.http_client("the search of places") as client:
        out.mkdir(parents=True, exist_ok=True)
        requests = Requests(client, search.name, key, verdict, sleep)
        for query in asked:
            progress()
            name = (search.name, query.text, query.region)
            if name not in known or known[name].limit < limit:
                values = {"query": query.text, "region": query.region, "limit": str(limit), "key": key}
                reply = requests.content(search.address.format(**{each: quote(text, safe="") for each, text in values.items()}), _entries)
                if not isinstance(reply, str):
                    before = known[name].places if name in known else []  # they keep their folders
                    places = [*before, *(place for entry in reply if (place := _place(entry, search)))]
                    known[name] = _Search(*name, limit, list(dict.fromkeys(places))[:limit], search.attribution)
                    write_atomically(out / SEARCHES, json_lines.lines(asdict(each) for each in known.values()))
                sleep(max(pause, _PAUSE))
                if isinstance(reply, str):
                    missing.append({"query": query.name, "reason": reply})
                    continue
            spots = [Spot(query.folder(i), place.lat, place.lng) for i, place in enumerate(known[name].places[:limit])]
            at = [(round(spot.lat, 5), round(spot.lng, 5)) for spot in spots]  # 1 m
            new = [spot for spot, where in zip(spots, at, strict=True) if taken.setdefault(where, spot.name) == spot.name]
            outcome.places += new
            if not new:
                missing.append({"query": query.name, "reason": f"same place as {taken[at[0]]}" if at else "no place with coordinates"})
    outcome.not_found = [each["query"] for each in missing]
    write_atomically(out / NOT_FOUND, json_lines.lines(missing))
    return outcome


def _stored(out: Path) -> dict[tuple[str, str, str], _Search]:
    """Return the searches of a folder by service, query and region. Raises UserError for a line that is not one."""
    path = out / SEARCHES
    stored: dict[tuple[str, str, str], _Search] = {}
    for number, line in enumerate(json_lines.rows(file_reader.text(path)) if path.exists() else (), 1):
        try:
            row = json.loads(line)
            places = [FoundPlace(float(place["lat"]), float(place["lng"]), str(place.get("label", ""))) for place in row["places"]]
            if not all(_is_on_earth(place.lat, place.lng) for place in places):
                raise ValueError
            name = (str(row["search"]), str(row["query"]), str(row["region"]))
            stored[name] = _Search(*name, int(row["limit"]), places, str(row.get("attribution", "")))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise UserError(f"Line {number} is not a search of places: {path}. Correct or remove it.") from None
    return stored


def _entries(reply: bytes) -> list[Mapping[str, Any]]:
    """Return the places of a reply in the form of Nominatim (a list), Baidu and Google (`results`) or GeoJSON (`features`).

    Raises Unusable for another reply, and for one with the status of an error.
    """
    try:
        body = json.loads(reply) if len(reply) <= _LONGEST_REPLY else None
    except (ValueError, RecursionError):
        raise Unusable("not JSON") from None
    named = file_reader.mapping(body)
    places = next((named[name] for name in ("results", "features") if name in named), body)
    if not isinstance(places, list) or named.get("status", 0) not in (0, "0", "OK", "ok", "ZERO_RESULTS"):
        raise Unusable("no list of places")
    return list(file_reader.entries(places))


def _place(entry: Mapping[str, Any], search: PlaceSearch) -> FoundPlace | None:
    """Return a place of a reply; None without coordinates on Earth."""
    geometry = file_reader.mapping(entry.get("geometry"))
    where = file_reader.mapping(entry.get("location")) or file_reader.mapping(geometry.get("location")) or entry
    lat, lng = where.get("lat"), where.get("lng", where.get("lon"))
    match geometry.get("coordinates"):
        case [east, north, *_]:  # GeoJSON: longitude first
            lat, lng = north, east
        case _:
            pass
    try:
        lat, lng = float(str(lat)), float(str(lng))
    except ValueError:
        return None
    if not _is_on_earth(lat, lng):
        return None
    names = (entry.get(name) for name in ("display_name", "name", "formatted_address"))
    label = next((name for name in names if isinstance(name, str)), "")
    north, east = search.to_wgs84(lat, lng)
    return FoundPlace(round(north, 7), round(east, 7), "".join(c if c.isprintable() else "?" for c in json_lines.whole(label))[:200])


def _is_on_earth(lat: float, lng: float) -> bool:
    return isfinite(lat) and isfinite(lng) and abs(lat) <= 90 and abs(lng) <= 180
