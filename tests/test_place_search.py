"""Places found by text, against a local server that replies as Nominatim, Baidu, Google and GeoJSON services document it."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from workbench import contents, done, isovist, refused

from isovist.common.errors import UserError
from isovist.data.importers.street_views import place_search, services
from isovist.data.importers.street_views.gcj02 import to_wgs84
from isovist.data.importers.street_views.place_search import BAIDU, KEY, NOMINATIM, FoundPlace, PlaceSearch, Query, SearchSummary, find

SECRET = "a/secret+key"
GATE, PARK = {"lat": "52.5163", "lon": "13.3777", "display_name": "Gate, Berlin"}, {"lat": "52.51", "lon": "13.35", "name": "Park"}
QUERIES = [Query("gate", "Brandenburg Gate & more, Berlin"), Query("park", "Tiergarten")]


class Server:
    """A local search and view service. `reply`: the reply to a query of the address: a status with JSON or bytes, and headers."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.agents: set[str] = set()
        self.first: list[tuple[int, object, dict[str, str]]] = []
        """Replies before those of `reply`."""
        self.reply: Callable[[dict[str, str]], object] = lambda query: [GATE, PARK]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                outer.asked.append(query)
                outer.agents.add(self.headers["User-Agent"])
                status, body, headers = outer.first.pop(0) if outer.first else (200, outer.reply(query), {})
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def like(self, search: PlaceSearch) -> PlaceSearch:
        parts = urlsplit(search.address)
        return replace(search, address=search.address.replace(f"{parts.scheme}://{parts.netloc}", self.url))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Generator[Server]:
    made = Server()
    yield made
    made.close()


def found(server: Server, out: Path, search: PlaceSearch = NOMINATIM, **more: Any) -> tuple[SearchSummary, list[float]]:
    """The outcome, and the pauses that were made."""
    pauses: list[float] = []
    return find(server.like(search), SECRET, more.pop("asked", QUERIES), out, sleep=pauses.append, **more), pauses


def missing(out: Path) -> dict[str, str]:
    return {each["query"]: each["reason"] for each in map(json.loads, (out / "not_found.jsonl").read_text().splitlines())}


def test_nominatim_is_asked_once_a_second_with_a_user_agent(server: Server, tmp_path: Path) -> None:
    server.reply = lambda query: [GATE] if "Gate" in query["q"] else [PARK]
    outcome, pauses = found(server, tmp_path, pause=0.2)
    assert [(spot.name, spot.lat, spot.lng) for spot in outcome.places] == [("gate", 52.5163, 13.3777), ("park", 52.51, 13.35)]
    assert server.asked == [{"q": query.text, "format": "jsonv2", "limit": "1"} for query in QUERIES]
    assert all("isovist" in agent and "http" in agent for agent in server.agents)
    assert pauses == [1.0, 1.0]
    stored = [json.loads(line) for line in (tmp_path / "searches.jsonl").read_text(encoding="utf-8").splitlines()]
    assert stored[0]["places"] == [{"lat": 52.5163, "lng": 13.3777, "label": "Gate, Berlin"}]
    assert all("OpenStreetMap contributors" in each["attribution"] for each in stored)


def test_a_repetition_asks_nothing_and_more_places_keep_the_first(server: Server, tmp_path: Path) -> None:
    server.reply = lambda query: [] if "Gate" in query["q"] else [PARK]
    first, _ = found(server, tmp_path)
    server.asked.clear()
    again, pauses = found(server, tmp_path)
    assert (again, server.asked, pauses) == (first, [], [])
    assert missing(tmp_path) == {"gate": "no place with coordinates"}
    server.reply = lambda query: [GATE, PARK]
    more, _ = found(server, tmp_path, asked=QUERIES[1:], limit=3)
    assert [(spot.name, spot.lat) for spot in more.places] == [("park", 52.51), ("park-2", 52.5163)]
    assert server.asked[0]["limit"] == "3"


def test_places_of_baidu_are_converted_to_wgs_84(server: Server, tmp_path: Path) -> None:
    location = {"lat": 39.91334545536069, "lng": 116.38404722455657}
    server.reply = lambda query: {
        "status": 0,
        "message": "ok",
        "results": [{"name": "学校", "location": location}, {"name": "北京", "num": 9}],
    }
    outcome, _ = found(server, tmp_path, BAIDU, asked=[Query("school", "学校", "北京")], limit=10)
    (spot,) = outcome.places
    assert (spot.lat, spot.lng) == (pytest.approx(39.911954, abs=1e-6), pytest.approx(116.377817, abs=1e-6))
    (asked,) = server.asked
    assert (asked["query"], asked["region"], asked["ak"]) == ("学校", "北京", SECRET)
    assert (asked["page_size"], asked["ret_coordtype"], asked["output"]) == ("10", "gcj02ll", "json")
    assert not any(SECRET.encode() in data or b"a%2Fsecret" in data for data in contents(tmp_path).values())


@pytest.mark.parametrize(
    ("wgs84", "gcj02"),  # of other implementations of the formula
    [
        ((22.543847, 113.912316), (22.540796131694766, 113.9171764808363)),
        ((31.1774276, 121.5272106), (31.17530398364597, 121.531541859215)),
        ((51.5, -0.12), (51.5, -0.12)),  # outside China
    ],
)
def test_gcj02_is_converted_to_wgs_84(wgs84: tuple[float, float], gcj02: tuple[float, float]) -> None:
    assert to_wgs84(*gcj02) == pytest.approx(wgs84, abs=1e-7)


@pytest.mark.parametrize(
    "reply",
    [
        [GATE],
        {"results": [{"geometry": {"location": {"lat": 52.5163, "lng": 13.3777}}, "formatted_address": "Gate, Berlin"}], "status": "OK"},
        {"type": "FeatureCollection", "features": [{"geometry": {"type": "Point", "coordinates": [13.3777, 52.5163]}}]},
    ],
)
def test_an_address_replies_as_nominatim_google_or_geojson(server: Server, tmp_path: Path, reply: object) -> None:
    server.reply = lambda query: reply
    search = place_search.place_search("https://example.org/find?text={query}&n={limit}&key={key}")
    outcome, _ = found(server, tmp_path, search, asked=QUERIES[:1])
    assert [(spot.lat, spot.lng) for spot in outcome.places] == [(52.5163, 13.3777)]
    assert server.asked == [{"text": QUERIES[0].text, "n": "1", "key": SECRET}]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        5,
        {"lat": "x", "lon": "1"},
        {"lat": None, "lon": 1},
        {"lat": 91, "lon": 0},
        {"lat": 0, "lon": -180.1},
        {"lat": "nan", "lon": "inf"},
        {"lat": True, "lon": 0},
        {"lat": 10**400, "lon": 0},
        {"location": {"lat": 1}},
        {"geometry": {"coordinates": ["a", []]}},
        {"geometry": {"coordinates": [1]}},
    ],
)
def test_an_entry_without_coordinates_on_earth_is_no_place(server: Server, tmp_path: Path, entry: object) -> None:
    server.reply = lambda query: [entry, PARK]
    outcome, _ = found(server, tmp_path, asked=QUERIES[:1])
    assert [(spot.name, spot.lat) for spot in outcome.places] == [("gate", 52.51)]


def test_a_busy_service_is_asked_later(server: Server, tmp_path: Path) -> None:
    server.first = [(429, {}, {"Retry-After": "7"}), (500, b"oops", {}), (200, b"<html>sign in</html>", {})]
    outcome, pauses = found(server, tmp_path, asked=QUERIES[:1])
    assert len(outcome.places) == 1
    assert pauses == [7.0, 2.0, 4.0, 1.0]


@pytest.mark.parametrize("body", [b"<html>", b"", b"[" * 100_000, b'"text"', b"{}", b"\xff"])
def test_replies_without_json_end_in_one_line_and_keep_what_was_found(server: Server, tmp_path: Path, body: bytes) -> None:
    found(server, tmp_path, asked=QUERIES[:1])
    server.first = [(200, body, {})] * 5
    with pytest.raises(UserError, match="nominatim is unavailable: HTTP 200 without content") as error:
        found(server, tmp_path)
    assert "\n" not in str(error.value)
    assert len((tmp_path / "searches.jsonl").read_text().splitlines()) == 1


def test_an_error_of_one_query_is_listed_and_asked_again(server: Server, tmp_path: Path) -> None:
    server.first = [(400, {"error": {"message": "bad query\nof\x1b text"}}, {})]
    outcome, _ = found(server, tmp_path)
    assert [spot.name for spot in outcome.places] == ["park"]
    assert missing(tmp_path)["gate"].startswith("HTTP 400 {'message': 'bad query")
    server.asked.clear()
    assert len(found(server, tmp_path)[0].not_found) == 1  # the same place as the other query
    assert [asked["q"] for asked in server.asked] == [QUERIES[0].text]
    assert missing(tmp_path) == {"park": "same place as gate"}


@pytest.mark.parametrize(
    ("search", "reply"),
    [
        (BAIDU, (200, {"status": 200, "message": f"APP {SECRET} does not exist", "results": []}, {})),
        (BAIDU, (200, {"status": 302, "message": f"quota of {SECRET}"}, {})),
        (NOMINATIM, (403, {"message": SECRET}, {})),
    ],
)
def test_a_refused_key_ends_the_search_and_is_not_named(
    server: Server, tmp_path: Path, search: PlaceSearch, reply: tuple[int, object, dict[str, str]]
) -> None:
    server.first = [reply]
    with pytest.raises(UserError, match="rejected the key") as error:
        found(server, tmp_path, search)
    assert len(server.asked) == 1
    assert SECRET not in str(error.value)


def test_the_status_of_an_error_is_not_an_empty_list(server: Server, tmp_path: Path) -> None:
    server.reply = lambda query: {"results": [], "status": "REQUEST_DENIED", "error_message": "no such key"}
    outcome, _ = found(server, tmp_path, asked=QUERIES[:1])
    assert (outcome.places, missing(tmp_path)) == ([], {"gate": "HTTP 200 REQUEST_DENIED no such key"})
    assert not (tmp_path / "searches.jsonl").exists()


@pytest.mark.parametrize("line", ["{", "5", '{"search": "nominatim"}', '{"search": "a", "query": "b", "region": "", "limit": "x", "places": []}', '{"search": "a", "query": "b", "region": "", "limit": 1, "places": [{"lat": 99, "lng": 0}]}'])  # fmt: skip
def test_a_broken_line_of_searches_is_named(server: Server, tmp_path: Path, line: str) -> None:
    (tmp_path / "searches.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=r"Line 1 is not a search of places: .*searches\.jsonl"):
        found(server, tmp_path)
    assert server.asked == []


def test_the_names_of_queries_are_folder_names(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    rows = [
        {"query": "Gate / \ud800 & Park, Berlin."},
        {"query": "../../up", "region": "x"},
        {"query": "a", "name": "my place"},
        {"query": 5},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = [query.name for query in place_search.queries(path, NOMINATIM, 1)]
    assert names == ["Gate Park Berlin", "up", "my place", "5"]
    assert place_search.queries(path, NOMINATIM, 1)[2].folder(1) == "my place-2"


def test_the_command_finds_places_then_downloads_their_views(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (96, 96), (9, 90, 40)).save(picture, "JPEG")
    server.reply = lambda query: picture.getvalue() if "at" in query else [GATE, PARK]
    monkeypatch.setenv(KEY, SECRET)
    (tmp_path / "queries.csv").write_text("query\nBrandenburg Gate\n")
    command = (
        *("street-views", server.url + "/?at={lat},{lng},{heading}", tmp_path / "queries.csv"),
        *("--search", server.url + "/?q={query}&key={key}", "--places-per-query", 2),
        *("--image-size", 96, "--request-delay", 0, "--views-per-place", 2, "--out", tmp_path / "v"),
    )
    assert "2 places found with 1 queries" in done(*command).out
    assert [asked.get("at") for asked in server.asked] == [
        None,
        *(f"{at},{heading}" for at in ("52.5163,13.3777", "52.51,13.35") for heading in (0, 180)),
    ]
    assert (tmp_path / "v" / "Brandenburg Gate-2" / "1.jpg").is_file()
    server.asked.clear()
    assert "0 views downloaded, 4 already present" in done(*command).out
    assert server.asked == []


def test_bad_input_gives_a_one_line_error_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setenv(services.KEY, "k")

    def error(text: str, search: str, *words: str, source: str = "baidu", more: tuple[object, ...] = ()) -> None:
        (tmp_path / "q.csv").write_text(text)
        refused(isovist("street-views", source, tmp_path / "q.csv", "--search", search, "--out", tmp_path / "v", *more), *words)

    error("query,region\na,b\n", "baidu", KEY)
    monkeypatch.setenv(KEY, "k")
    error("query\na\n", "baidu", "region")
    error("query,region\na,b\na,\n", "baidu", "Line 3", "region")
    error("lat,lng\n1,2\n", "nominatim", "query")
    error("query\nGate, Berlin\n", "nominatim", "Line 2", "double quotes")
    error("query\n \n", "nominatim", "Line 2", "query")
    error("query\n", "nominatim", "No queries")
    error("query\na b\na/b\n", "nominatim", "same name (a b)", "Rename")
    error("query,name\na,x\nb,x-2\n", "nominatim", "same name (x-2)", more=("--places-per-query", 2))
    error("query\n???\n", "nominatim", "line 2", "name")
    error("query,name\na,../up\n", "nominatim", "line 2", "name")
    error("query\na\n", "google", "nominatim, baidu", "https")
    error("query\na\n", "https://x/{limit}", "{query}")
    error("query\na\n", "https://x/{query}{lat}", "names in braces")
    error("query\na\n", "nominatim", "512", more=("--image-size", 1024))
    error("query\na\n", "nominatim", "--search", source="habitat")
    (tmp_path / "q.csv").write_text("lat,lng\n1,2\n")
    refused(isovist("street-views", "baidu", tmp_path / "q.csv", "--places-per-query", 2, "--out", tmp_path / "v"), "--search")
    assert not (tmp_path / "v").exists()


def test_a_label_is_one_short_line(server: Server, tmp_path: Path) -> None:
    server.reply = lambda query: [GATE | {"display_name": "a\nb\u2028c" + "x" * 500}]
    found(server, tmp_path, asked=QUERIES[:1])
    (stored,) = (tmp_path / "searches.jsonl").read_text(encoding="utf-8").splitlines()
    place = FoundPlace(**json.loads(stored)["places"][0])
    assert place.label == ("a?b?c" + "x" * 500)[:200]
