"""Several endpoints behind one run: whatever one of them does, each item has one response, and the totals are those of one endpoint."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted import Asked, Book, Said, fault, serving
from workbench import Ended, done, edit, isovist, records, refused, stored, until, verdicts

from isovist import load_run
from isovist.evaluation.models.endpoint_pool import Endpoint

LETTERS = "cdr/relative-compass-letter"
PROGRAM = """
import time
from scripted import Said, serving
def answer(asked):
    time.sleep(0.05)
    return Said("Answer: A")
with serving(answer) as server:
    print(server.url, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses of hundredths instead of seconds, except in processes that are started."""
    monkeypatch.setattr("isovist.evaluation.models.endpoint_pool._FIRST_PAUSE", 0.05)
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


def ask(data: Path, urls: list[str], out: Path, *more: object) -> Ended:
    given = [part for url in urls for part in ("--base-url", url)]
    return isovist("run", LETTERS, "--data", data, "--model", "m", *given, "--out", out, *more)


def answered(book: Book) -> Callable[[Asked], Said]:
    return lambda asked: Said(f"Answer: {book.row(asked).answer}", wait_s=0.01)


@contextmanager
def process() -> Generator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, which can be killed."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent) as server:
        assert server.stdout
        try:
            yield server, server.stdout.readline().strip()
        finally:
            server.kill()


def test_a_server_that_is_killed_and_restarted_loses_nothing_and_gets_requests_again(tmp_path: Path) -> None:
    n = 400
    done("generate", LETTERS, "--n", n, "--workers", 1, "--image-size", 96, "--out", tmp_path / "data")
    path = tmp_path / "run" / "records.jsonl"

    def written() -> int:
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def answer(asked: Asked) -> Said:
        return Said("Answer: A", wait_s=0.05)

    def kill_and_restart() -> int:
        """How many records there were at the restart."""
        until(lambda: written() >= 60)
        server.send_signal(signal.SIGKILL)
        server.wait()
        at_death = written()
        until(lambda: written() >= at_death + 40)
        stack.enter_context(serving(answer, int(mortal.rpartition(":")[2].partition("/")[0])))
        return written()

    with ExitStack() as stack, ThreadPoolExecutor(1) as beside:
        server, mortal = stack.enter_context(process())
        one, three = (stack.enter_context(serving(answer)).url for _ in range(2))
        restarted = beside.submit(kill_and_restart)
        ended = ask(tmp_path / "data", [one, mortal, three], tmp_path / "run", "--max-connections", 12)
        assert ended.code == 0, ended
        at_return = restarted.result()
    made = records(tmp_path / "run")
    assert len(made) == len({record["item_id"] for record in made}) == n
    assert not [record for record in made if record["error"]]
    assert sum(record["endpoint"] == mortal for record in made[at_return:]) >= 20
    moved = [record for record in made if record.get("moved_from")]
    assert 1 <= len(moved) <= 40  # those under way at the kill, and one now and then that tried the dead server
    assert all(record["moved_from"][0] == mortal != record["endpoint"] for record in moved)
    usage = json.loads((tmp_path / "run" / "run.json").read_bytes())["usage"]
    assert set(usage["endpoints"]) == {one, mortal, three}
    assert sum(endpoint["attempts"] for endpoint in usage["endpoints"].values()) == n
    assert usage["endpoints"][mortal]["moved"] == len(moved)
    assert sum(endpoint["output_tokens"] for endpoint in usage["endpoints"].values()) == usage["output_tokens"] == 5 * n


BAD: dict[str, Said] = {
    "hangs": Said("Answer: A", wait_s=6.0),
    "an inner fault": fault(500, "the cooling failed"),
    "too many requests": fault(429, "slow down"),
    "too many requests, with a time": fault(429, "slow down", retry_after="1"),
    "a reply that is cut in the middle": Said("Answer: A", sent=0.5),
    "a connection that is reset": Said(sent=0),
    "a page": Said(raw="<html>Bad gateway</html>", kind="text/html"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_endpoint_that_fails_is_left_out_and_its_requests_move_at_once(data: Path, tmp_path: Path, name: str) -> None:
    book = Book(data)
    with serving(answered(book)) as one, serving(answered(book)) as bad, serving(answered(book)) as three:
        bad.script = lambda asked: BAD[name]
        ended = ask(data, [one.url, bad.url, three.url], tmp_path / "run", "--max-connections", 6, "--timeout", 4)
    assert ended.code == 0, ended
    made = records(tmp_path / "run")
    assert Counter(record["item_id"] for record in made) == dict.fromkeys((row.id for row in stored(data, LETTERS)), 1)
    assert {record["outcome"] for record in made} == {"correct"}
    assert {record["endpoint"] for record in made} <= {one.url, three.url}
    moved = sum(record.get("moved_from", []).count(bad.url) for record in made)
    assert moved == len(bad.asked) > 0
    (line,) = [line for line in ended.err.splitlines() if line.startswith("Endpoints: ")]
    assert f"{bad.url} {moved} requests, {moved} moved, " in line


def test_several_endpoints_come_to_the_results_of_one_and_share_the_requests(data: Path, tmp_path: Path) -> None:
    book = Book(data)
    with serving(answered(book)) as one, serving(answered(book)) as two:
        assert ask(data, [one.url], tmp_path / "one").code == 0
        one.asked.clear()
        assert ask(data, [one.url, two.url], tmp_path / "two", "--max-connections", 4).code == 0
        assert min(len(one.asked), len(two.asked)) >= len(stored(data, LETTERS)) // 4
    assert verdicts(tmp_path / "one") == verdicts(tmp_path / "two")
    single = records(tmp_path / "one")
    assert not {"endpoint", "moved_from"} & {key for record in single for key in record}  # the form of older runs
    infos = [json.loads((tmp_path / name / "run.json").read_bytes()) for name in ("one", "two")]
    totals = [{name: info["usage"][name] for name in ("trials", "attempts", "input_tokens", "output_tokens")} for info in infos]
    assert totals[0] == totals[1]
    assert (infos[0]["options"]["base_url"], infos[0]["usage"]["endpoints"]) == (one.url, {})
    assert infos[1]["options"]["base_url"] == [one.url, two.url]
    assert load_run(tmp_path / "two").summary() == load_run(tmp_path / "one").summary()


@pytest.mark.parametrize("status", [401, 404])
def test_a_permanent_error_is_not_moved(data: Path, tmp_path: Path, status: int) -> None:
    book = Book(data)
    with serving(lambda asked: fault(status, "not with this key")) as bad, serving(answered(book)) as good:
        ended = ask(data, [good.url, bad.url], tmp_path / "run", "--max-connections", 1)
        assert ended.code == 2
        assert all(word in ended.err.splitlines()[-1] for word in ("not with this key", bad.url))
    assert not [record for record in records(tmp_path / "run") if record.get("moved_from")]


def test_a_request_that_no_server_can_bear_does_not_go_round_for_ever(data: Path, tmp_path: Path) -> None:
    book = Book(data)

    def answer(asked: Asked) -> Said:
        return Said(sent=0) if book.row(asked).index == 3 else Said("Answer: A")

    with serving(answer) as one, serving(answer) as two:
        assert ask(data, [one.url, two.url], tmp_path / "run", "--max-connections", 4).code == 1
        assert sum(book.row(asked).index == 3 for asked in one.asked + two.asked) == 4
    (failed,) = [record for record in records(tmp_path / "run") if record["error"]]
    assert len(failed["moved_from"]) == 3


def test_requests_wait_while_all_endpoints_are_down(data: Path, tmp_path: Path) -> None:
    book = Book(data)
    back = time.monotonic() + 1.5

    def answer(asked: Asked) -> Said:
        return fault(503, "loading") if time.monotonic() < back else answered(book)(asked)

    with serving(answer) as one, serving(answer) as two:
        assert ask(data, [one.url, two.url], tmp_path / "run", "--max-connections", 4, "--timeout", 20).code == 0
        assert len(one.asked) + len(two.asked) <= len(stored(data, LETTERS)) + 24  # one request tries an endpoint, with doubling pauses


def test_a_resumed_run_may_change_its_endpoints(data: Path, tmp_path: Path) -> None:
    book, n = Book(data), len(stored(data, LETTERS))
    with serving(answered(book)) as one, serving(answered(book)) as two:
        assert ask(data, [one.url, two.url], tmp_path / "run", "--n", 4).code == 0
        edit(tmp_path / "run" / "run.json", lambda info: info.update(n=None))
        assert ask(data, [two.url], tmp_path / "run").code == 0
        assert json.loads((tmp_path / "run" / "run.json").read_bytes())["options"]["base_url"] == two.url
    assert len(verdicts(tmp_path / "run")) == len(records(tmp_path / "run")) == n
    assert isovist("report", tmp_path / "run", "--out", tmp_path / "report").code == 0


def models(*names: str, **more: Any) -> dict[str, Any]:
    return {"data": [{"id": name, "object": "model", **more} for name in names]}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (models("m", root="org/small"), models("m", root="org/large")),
        (models("m", max_model_len=4096), models("m", max_model_len=8192)),
        (models("m"), models("other")),
    ],
)
def test_endpoints_of_different_models_are_refused_and_nothing_is_written(
    data: Path, tmp_path: Path, first: object, second: object
) -> None:
    with serving(lambda asked: Said("Answer: A")) as one, serving(lambda asked: Said("Answer: A")) as two:
        one.models, two.models = first, second
        refused(ask(data, [one.url, two.url], tmp_path / "run"), "different models", one.url, two.url)
        assert not one.asked + two.asked
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "second", [models("m", root="/other/place/small/"), models("x", "m", root="/a/small"), None, "no JSON", {"data": "x"}]
)
def test_endpoints_of_one_model_or_without_a_list_are_accepted(data: Path, tmp_path: Path, second: object) -> None:
    with serving(lambda asked: Said("Answer: A")) as one, serving(lambda asked: Said("Answer: A")) as two:
        one.models, two.models = models("m", root="/data/small"), second
        assert ask(data, [one.url, two.url], tmp_path / "run").code == 0


def test_an_endpoint_that_is_down_at_the_start_is_left_out_unless_all_are(data: Path, tmp_path: Path) -> None:
    dead = "http://127.0.0.1:9/v1"
    with serving(lambda asked: Said("Answer: A")) as server:
        ended = ask(data, [dead, server.url], tmp_path / "run")
        assert ended.code == 0, ended
        assert len([line for line in ended.err.splitlines() if line.startswith("No server at --base-url") and dead in line]) == 1
    assert {record["endpoint"] for record in records(tmp_path / "run")} == {server.url}
    refused(ask(data, [dead, "http://127.0.0.1:10/v1"], tmp_path / "no"), "No server at --base-url", dead)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("{0}", "given twice"),
        ("{0}/", "given twice"),
        ("", "Invalid --base-url"),
        ("localhost:8000", "Invalid --base-url"),
        ("http://localhost:port/v1", "Invalid --base-url"),
        ("http://a b/v1", "Invalid --base-url"),
        ("http://me:secret99@localhost:1/v1", "User name or password"),
    ],
)
def test_invalid_addresses_are_one_line(data: Path, tmp_path: Path, second: str, words: str) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        line = refused(ask(data, [server.url, second.format(server.url)], tmp_path / "run"), words)
        assert "secret99" not in line
    assert not (tmp_path / "run").exists()


def test_endpoints_come_from_a_file_the_environment_and_python(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import isovist as package

    with serving(lambda asked: Said("Answer: A")) as one, serving(lambda asked: Said("Answer: A")) as two:
        assert ask(data, [one.url, two.url], tmp_path / "run").code == 0
        assert isovist("run", tmp_path / "run" / "config.toml", "--out", tmp_path / "again").code == 0
        (tmp_path / "one.toml").write_text(f'base_url = "{one.url}"\nmodel = "m"\ndata = "{data}"\nout = "from-file"\n')
        assert isovist("run", tmp_path / "one.toml").code == 0
        package.evaluate("m", LETTERS, data=data, base_url=[one.url, two.url], out=tmp_path / "python", progress=False)
        monkeypatch.setenv("ISOVIST_RUN_BASE_URL", f"{one.url} {two.url}")
        assert isovist("run", LETTERS, "--data", data, "--model", "m", "--out", tmp_path / "env").code == 0
        for name in ("run", "again", "python", "env"):
            assert json.loads((tmp_path / name / "run.json").read_bytes())["options"]["base_url"] == [one.url, two.url], name
        assert json.loads((tmp_path / "from-file" / "run.json").read_bytes())["options"]["base_url"] == one.url


def test_the_doctor_checks_each_endpoint(tmp_path: Path) -> None:
    with serving(lambda asked: Said("3086")) as one:
        ended = isovist("doctor", "--model", "m", "--base-url", one.url, "--base-url", "http://127.0.0.1:9/v1")
    assert ended.code == 1
    assert f"{one.url}, text: replied" in ended.out
    assert "http://127.0.0.1:9/v1: No server at --base-url" in ended.out


def test_all_that_was_under_way_at_a_failure_is_one_outage() -> None:
    endpoint = Endpoint("http://a/v1")
    starts = [endpoint.start() for _ in range(24)]
    for start in starts:
        endpoint.end(start, failed=True)
    assert (endpoint.outages, endpoint.under_way) == (1, 0)
    assert not endpoint.is_ready(time.monotonic())
    later = time.monotonic() + 60
    assert endpoint.is_ready(later)
    trial = endpoint.start()
    assert not endpoint.is_ready(later)  # one request tries it
    endpoint.end(trial, failed=False)
    assert endpoint.is_ready(time.monotonic())
