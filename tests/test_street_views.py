"""Views from a service, against a local server that answers as Baidu documents it, and from a stub of Habitat-Sim's interface."""

from __future__ import annotations

import io
import json
import sys
import threading
import types
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from workbench import contents, done, isovist, refused

from isovist.common.errors import UserError
from isovist.data.importers.street_views import services, view_folder
from isovist.data.importers.street_views.services import BAIDU, KEY, Service, fetch
from isovist.data.importers.street_views.view_folder import Spot

SECRET = "a/secret+key"


def jpeg(heading: int, width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (heading % 256, 90, 40)).save(out, "JPEG")
    return out.getvalue()


class Baidu:
    """A local service with Baidu's parameters: a picture, or 200 and JSON with a status of its own."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.answers: list[tuple[int, dict[str, object], dict[str, str]]] = []
        """What is answered before pictures are: HTTP status, JSON, headers."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                outer.asked.append(query)
                status, answer, headers = outer.answers.pop(0) if outer.answers else outer.answer(query)
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        port = self._server.server_port
        self.service = Service(
            "baidu", BAIDU.address.replace("https://api.map.baidu.com", f"http://127.0.0.1:{port}"), BAIDU.most, BAIDU.verdict
        )

    def answer(self, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        if query.get("ak") != SECRET:
            return 200, {"status": 200, "message": f"APP {query.get('ak')} does not exist"}, {}
        assert 10 <= int(query["width"]) <= 1024
        assert 10 <= int(query["height"]) <= 512
        assert query["coordtype"] == "wgs84ll"
        lng, lat = map(float, query["location"].split(","))
        if (lat, lng) == (0.0, 0.0):
            return 200, {"status": 2, "message": "no panorama here"}, {}
        return 200, jpeg(int(float(query["heading"])), int(query["width"]), int(query["height"])), {"Content-Type": "image/jpeg"}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def baidu() -> Generator[Baidu]:
    made = Baidu()
    yield made
    made.close()


SPOTS = [Spot("gate", 39.9, 116.4), Spot("sea", 0.0, 0.0), Spot("park", 31.2, 121.5)]


def got(baidu: Baidu, out: Path, key: str = SECRET, **more: Any) -> tuple[services.DownloadSummary, list[float]]:
    """The outcome, and the pauses that were made."""
    pauses: list[float] = []
    return fetch(baidu.service, key, SPOTS, out, size=64, sleep=pauses.append, **more), pauses


def test_views_surround_each_place_and_a_place_without_views_is_reported(baidu: Baidu, tmp_path: Path) -> None:
    outcome, pauses = got(baidu, tmp_path)
    assert (outcome.fetched, outcome.there, outcome.rejected) == (8, 0, ["sea"])
    assert pauses == [0.2] * 8
    views = view_folder.read(tmp_path)
    assert [(view.place, view.file, view.heading, view.fov) for view in views[:4]] == [
        ("gate", f"gate/{i}.jpg", 90.0 * i, 90) for i in range(4)
    ]  # fmt: skip
    for view in views:
        with Image.open(tmp_path / view.file) as opened:
            assert abs(opened.getpixel((5, 5))[0] - view.heading % 256) <= 3  # type: ignore[index]
    assert baidu.asked[1]["location"] == "116.4,39.9"
    assert json.loads((tmp_path / "skipped.jsonl").read_text()) == {"place": "sea", "reason": "HTTP 200 2 no panorama here"}


def test_what_is_there_is_not_asked_for_again(baidu: Baidu, tmp_path: Path) -> None:
    got(baidu, tmp_path)
    before = contents(tmp_path)
    (tmp_path / "park" / "2.jpg").unlink()
    baidu.asked.clear()
    outcome, _ = got(baidu, tmp_path)
    assert (outcome.fetched, outcome.there) == (1, 7)
    assert [(query["location"], query["heading"]) for query in baidu.asked] == [("0.0,0.0", "0"), ("121.5,31.2", "180")]
    assert len(view_folder.read(tmp_path)) == 8
    assert {name: data for name, data in contents(tmp_path).items() if name.endswith("jpg")} == {
        name: data for name, data in before.items() if name.endswith("jpg")
    }


def test_a_service_that_is_busy_is_asked_later(baidu: Baidu, tmp_path: Path) -> None:
    baidu.answers = [(503, {}, {}), (429, {}, {"Retry-After": "7"}), (200, {"status": 401, "message": "too many at once"}, {})]
    outcome, pauses = got(baidu, tmp_path)
    assert outcome.fetched == 8
    assert pauses[:3] == [1.0, 7.0, 4.0]


def test_a_key_that_is_refused_stops_at_once_and_is_named_nowhere(baidu: Baidu, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="rejected the key") as error:
        got(baidu, tmp_path, key="wrong&key")
    assert len(baidu.asked) == 1
    assert baidu.asked[0]["ak"] == "wrong&key"
    assert "wrong&key" not in str(error.value)
    assert "***" in str(error.value)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_a_service_that_never_answers_ends_in_one_line_and_keeps_what_came(baidu: Baidu, tmp_path: Path) -> None:
    fetch(baidu.service, SECRET, SPOTS[:1], tmp_path, size=64, sleep=lambda seconds: None)
    baidu.answers = [(500, {}, {})] * 5
    with pytest.raises(UserError, match="is unavailable"):
        got(baidu, tmp_path)
    assert len(view_folder.read(tmp_path)) == 4


def test_no_file_holds_the_key(baidu: Baidu, tmp_path: Path) -> None:
    got(baidu, tmp_path)
    assert not any(SECRET.encode() in data or b"a%2Fsecret" in data for data in contents(tmp_path).values())


def test_a_line_that_was_cut_short_is_passed_over(baidu: Baidu, tmp_path: Path) -> None:
    got(baidu, tmp_path)
    with (tmp_path / "views.jsonl").open("a") as file:
        file.write('{"place": "ga')
    assert len(view_folder.read(tmp_path)) == 8


def test_the_command_takes_an_address_and_a_list(baidu: Baidu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    (tmp_path / "places.csv").write_text("name,lat,lng\ngate,39.9,116.4\n")
    ended = done(
        "street-views",
        baidu.service.address,
        tmp_path / "places.csv",
        "--image-size",
        96,
        "--request-delay",
        0,
        "--views-per-place",
        3,
        "--out",
        tmp_path / "v",
    )
    assert "3 views downloaded, 0 already present" in ended.out
    assert [view.heading for view in view_folder.read(tmp_path / "v")] == [0, 120, 240]


def test_bad_input_gives_a_one_line_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    good, bad, twice, climbing = (tmp_path / f"{name}.csv" for name in ("good", "bad", "twice", "climbing"))
    good.write_text("lat,lng\n1,2\n")
    bad.write_text("lat,lng\n1,2\n100,2\n")
    twice.write_text("lat,lng\n1,2\n1,2\n")
    climbing.write_text("name,lat,lng\n../up,1,2\n")
    refused(isovist("street-views", "baidu", good, "--out", tmp_path / "v"), KEY)
    monkeypatch.setenv(KEY, "k")
    refused(isovist("street-views", "baidu", bad, "--out", tmp_path / "v"), "Line 3")
    refused(isovist("street-views", "baidu", twice, "--out", tmp_path / "v"), "same name")
    refused(isovist("street-views", "baidu", climbing, "--out", tmp_path / "v"), "Line 2")
    refused(isovist("street-views", "baidu", good, "--image-size", 1024, "--out", tmp_path / "v"), "512")
    refused(isovist("street-views", "ftp://x", good, "--out", tmp_path / "v"), "https")
    refused(isovist("street-views", "https://x/{lat}{lng}", good, "--out", tmp_path / "v"), "{heading}")
    refused(isovist("street-views", "https://x/{lat}{lng}{heading}{key.x}", good, "--out", tmp_path / "v"), "names in braces")
    refused(isovist("street-views", "habitat", tmp_path / "none.glb", "--out", tmp_path / "v"), "Habitat-Sim is not installed")
    assert not (tmp_path / "v").exists()


# Habitat-Sim ------------------------------------------------------------------------------------------------------


class Simulator:
    """A building whose colour tells where the agent stands and looks."""

    open = 0

    def __init__(self, configuration: Any) -> None:
        self.configuration = configuration
        self.pathfinder = self
        self._state: Any = None
        self._rng = np.random.default_rng(0)
        Simulator.open += 1

    def seed(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def get_random_navigable_point(self) -> Any:
        return np.array([self._rng.uniform(0, 6), 0.1, self._rng.uniform(0, 6)], np.float32)

    def get_agent(self, number: int) -> Any:
        assert number == 0
        return types.SimpleNamespace(set_state=lambda state: setattr(self, "_state", state))

    def get_sensor_observations(self) -> dict[str, Any]:
        (camera,) = self.configuration.agents[0].sensor_specifications
        height, width = camera.resolution
        turn = round(np.degrees(self._state.rotation)) % 360
        out = np.zeros((height, width, 4), np.uint8)
        out[...] = (turn // 2, round(self._state.position[0] * 40), round(self._state.position[2] * 40), 255)
        return {camera.uuid: out}

    def close(self) -> None:
        Simulator.open -= 1


@pytest.fixture
def habitat(monkeypatch: pytest.MonkeyPatch) -> None:
    def turn(angle: float, axis: Any) -> float:
        assert list(axis) == [0.0, 1.0, 0.0]
        return angle

    blank = types.SimpleNamespace
    stub = types.ModuleType("habitat_sim")
    stub.__dict__.update(
        Simulator=Simulator, SimulatorConfiguration=blank, CameraSensorSpec=blank, AgentState=blank,
        SensorType=blank(COLOR="color"), SensorSubType=blank(PINHOLE="pinhole"), agent=blank(AgentConfiguration=blank),
        Configuration=lambda simulator, agents: blank(simulator=simulator, agents=agents),
        utils=blank(common=blank(quat_from_angle_axis=turn)),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "habitat_sim", stub)


def test_views_of_a_scanned_building_turn_clockwise_at_spots_apart(habitat: None, tmp_path: Path) -> None:
    scene = tmp_path / "house.basis.glb"
    scene.touch()
    ended = done("street-views", "habitat", scene, "--n", 3, "--image-size", 96, "--out", tmp_path / "v")
    assert "3 places, 12 views" in ended.out
    views = view_folder.read(tmp_path / "v")
    assert [view.file for view in views[:5]] == [f"house-000/{i}.png" for i in range(4)] + ["house-001/0.png"]
    seen = [np.asarray(Image.open(tmp_path / "v" / view.file))[0, 0] for view in views]
    # a turn to the right is negative about +Y: 0, 270, 180, 90 degrees counterclockwise
    assert [int(colour[0]) * 2 for colour in seen[:4]] == [0, 270, 180, 90]
    spots = np.array([colour[1:3] for colour in seen[::4]]) / 40
    gaps = [np.linalg.norm(spots[i] - spots[j]) for i in range(3) for j in range(i)]
    assert min(gaps) >= 1.95
    assert Simulator.open == 0


def test_a_small_scene_gives_as_many_spots_as_it_has_room_for(habitat: None, tmp_path: Path) -> None:
    scene = tmp_path / "house.glb"
    scene.touch()
    ended = done("street-views", "habitat", scene, "--n", 40, "--image-size", 96, "--views-per-place", 2, "--out", tmp_path / "v")
    assert "too little free space" in ended.err
    assert 2 <= len({view.place for view in view_folder.read(tmp_path / "v")}) < 40
