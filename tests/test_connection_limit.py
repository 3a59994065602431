"""`--max-connections auto`: the limit of concurrent requests on simulated servers, and in runs."""

from __future__ import annotations

import heapq
import json
import random
import signal
import threading
from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Asked, Book, Said, fault, serving
from workbench import Ended, isovist, records, refused, started, stored, until, verdicts

import isovist as package
from isovist.common.errors import UserError
from isovist.evaluation.models.connection_limit import MOST, ConnectionLimit
from isovist.evaluation.models.endpoint_pool import EndpointPool
from isovist.evaluation.models.request_errors import fault as told_by

LETTERS = "cdr/relative-compass-letter"
START = 8


def simulated(limit: ConnectionLimit, n: int, capacity: float = inf, most: float = inf, spread: float = 0.0, seed: int = 0) -> list[int]:
    """The limit after each of `n` responses of a server: a second each, longer above `capacity` at once, and refusals above `most`.

    A refused request is sent again after a second. `spread`: the part of its latency by which a response may take longer or shorter.
    """
    rng, now, under_way, waiting = random.Random(seed), 0.0, 0, 0
    events: list[tuple[float, int, float, bool]] = []
    sizes: list[int] = []
    while len(sizes) < n:
        while under_way + waiting < limit.size:
            if under_way >= most:
                limit.overloaded(now, now)
                waiting += 1
                heapq.heappush(events, (now + 1, len(sizes), now, False))
                continue
            under_way += 1
            latency = max(1.0, under_way / capacity) * rng.uniform(1 - spread, 1 + spread)
            heapq.heappush(events, (now + latency, len(sizes), now, True))
        now, _, at, is_response = heapq.heappop(events)
        if is_response:
            limit.succeeded(at, now, under_way)
            under_way -= 1
            sizes.append(limit.size)
        else:
            waiting -= 1
    return sizes


def mean(sizes: list[int]) -> float:
    return sum(sizes) / len(sizes)


@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("capacity", [4, 16, 50])
def test_latency_stops_the_growth_near_the_capacity(capacity: int, spread: float) -> None:
    sizes = simulated(ConnectionLimit(START), 6000, capacity=capacity, spread=spread)
    assert 0.7 * capacity < mean(sizes[2000:]) < 4 * capacity


@pytest.mark.parametrize("most", [1, 3, 8, 40])
def test_refusals_keep_the_limit_below_what_the_server_takes(most: int) -> None:
    limit = ConnectionLimit(START)
    sizes = simulated(limit, 4000, most=most, spread=0.3)
    assert 0.6 * most <= mean(sizes[500:]) <= most + 1
    assert limit.overloads > 0


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_a_server_without_a_limit_gets_the_most(spread: float) -> None:
    limit = ConnectionLimit(START)
    assert simulated(limit, 6000, spread=spread)[-1] >= 0.7 * MOST
    assert limit.overloads == 0


def test_refusals_of_one_overload_halve_once() -> None:
    limit = ConnectionLimit(64)
    for i in range(64):  # all were sent before the first refusal
        limit.overloaded(0.0, 1.0 + i / 100)
    assert (limit.size, limit.overloads) == (32, 1)
    limit.overloaded(1.5, 2.0)  # sent after the halving
    assert (limit.size, limit.overloads) == (16, 2)


def test_requests_within_the_delay_that_the_server_asks_for_are_the_same_overload() -> None:
    limit = ConnectionLimit(64)
    limit.overloaded(0.0, 1.0, wait_s=30.0)
    limit.overloaded(20.0, 21.0)
    assert (limit.size, limit.overloads) == (32, 1)
    limit.overloaded(32.0, 33.0)
    assert limit.size == 16


def test_after_refusals_for_a_minute_the_limit_returns_quickly() -> None:
    limit = ConnectionLimit(64)
    for second in range(60):
        limit.overloaded(second - 61.0, second - 60.5)
    assert limit.size == 1
    sizes = simulated(limit, 300)
    assert sizes[60] >= 16  # by doubling; by ones it would be 11 responses for each of the first steps
    assert max(sizes) >= 32


def test_a_limit_that_is_not_used_does_not_grow() -> None:
    limit = ConnectionLimit(64)
    for i in range(1000):
        limit.succeeded(float(i), i + 1.0, 5)
    assert limit.size == 64


@given(
    st.integers(-5, 10**12),
    st.lists(st.tuples(st.booleans(), st.floats(0, 100), st.floats(0, 100), st.integers(0, 300), st.floats(0, 1e6)), max_size=300),
)
def test_the_limit_stays_in_its_bounds_whatever_happens(start: int, events: list[tuple[bool, float, float, int, float]]) -> None:
    limit, now = ConnectionLimit(start), 0.0
    for is_overload, since, later, under_way, wait_s in events:
        now += later
        before = limit.size
        if is_overload:
            limit.overloaded(now - since, now, wait_s)
            assert limit.size in (before, max(1, before // 2))
        else:
            limit.succeeded(now - since, now, under_way)
            assert limit.size <= max(2 * before, 2)
        assert 1 <= limit.size <= MOST


def test_endpoints_have_limits_of_their_own_and_get_requests_by_them() -> None:
    import asyncio

    pool = EndpointPool(["http://a", "http://b"], 80)
    one, two = pool.endpoints
    assert one.limit
    assert two.limit
    assert pool.limit == pool.limit_now == 80
    one.limit.overloaded(0.0, 1.0)
    one.limit.overloaded(2.0, 3.0)
    assert pool.limit == 50
    for _ in range(50):
        endpoint = asyncio.run(pool.choose(1.0))
        assert endpoint
        endpoint.start()
    assert (one.under_way, two.under_way) == (10, 40)
    two.leave_out()
    assert (pool.limit, pool.limit_now) == (50, 10)
    assert "10 connections, 2 overloads" in pool.summary()
    assert EndpointPool(["http://a", "http://b"]).limit_now == 0


@pytest.mark.parametrize(
    ("error", "is_overload"),
    [
        (TimeoutError(), True),
        (OSError(24, "Too many open files"), True),
        (ConnectionResetError(104, "reset"), False),
        (type("Refused", (Exception,), {"status_code": 503})("busy"), True),
        (type("Refused", (Exception,), {"status_code": 429})("slow down"), True),
        (type("Refused", (Exception,), {"status_code": 429})("insufficient_quota"), False),
        (type("Refused", (Exception,), {"status_code": 500})("broken"), False),
        (type("Refused", (Exception,), {"status_code": 400})("no"), False),
    ],
)
def test_rate_limits_timeouts_and_status_503_are_overloads_and_other_errors_are_not(error: Exception, is_overload: bool) -> None:
    assert told_by(error).is_overload == is_overload


# Runs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths instead of seconds, except in processes that are started."""
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


def ask(data: Path, url: str | list[str], out: Path, *more: object) -> Ended:
    given = [part for each in ([url] if isinstance(url, str) else url) for part in ("--base-url", each)]
    return isovist("run", LETTERS, "--data", data, "--model", "m", *given, "--out", out, *more)


def options(run: Path) -> dict[str, object]:
    return json.loads((run / "run.json").read_bytes())["options"]


def limited(data: Path, most: int) -> Callable[[Asked], Said]:
    """Right answers to at most so many requests at once; the others are refused."""
    book, lock, active = Book(data), threading.Lock(), 0

    def answer(asked: Asked) -> Said:
        nonlocal active
        with lock:
            if active >= most:
                return fault(429, "slow down")
            active += 1
        threading.Event().wait(0.03)
        with lock:
            active -= 1
        return Said(f"Answer: {book.row(asked).answer if book.row(asked).index % 4 else 'A'}")

    return answer


@pytest.fixture
def larger(tmp_path: Path) -> Path:
    """A dataset of 150 items."""
    assert isovist("generate", LETTERS, "--n", 150, "--workers", 1, "--image-size", 96, "--out", tmp_path / "larger").code == 0
    return tmp_path / "larger"


def test_a_run_grows_and_says_where_it_settled_and_its_results_do_not_depend_on_it(larger: Path, tmp_path: Path) -> None:
    with serving(limited(larger, 1000)) as server:
        ended = ask(larger, server.url, tmp_path / "auto", "--max-connections", "auto")
        assert ended.code == 0, ended
        assert ask(larger, server.url, tmp_path / "fixed").code == 0
    given = options(tmp_path / "auto")
    assert given["auto_concurrency"] is True
    assert int(str(given["concurrency"])) > START
    assert f"--max-connections auto settled at {given['concurrency']}, after 0 overloads." in ended.err.splitlines()
    assert (options(tmp_path / "fixed")["concurrency"], options(tmp_path / "fixed")["auto_concurrency"]) == (START, False)
    assert verdicts(tmp_path / "auto") == verdicts(tmp_path / "fixed")
    infos = [json.loads((tmp_path / name / "run.json").read_bytes()) for name in ("auto", "fixed")]
    assert infos[0]["usage"] == infos[1]["usage"]
    assert 'max_connections = "auto"' in (tmp_path / "auto" / "config.toml").read_text()


def test_a_server_with_a_rate_limit_loses_no_item_and_halves_the_connections(larger: Path, tmp_path: Path) -> None:
    with serving(limited(larger, 4)) as server:
        ended = ask(larger, server.url, tmp_path / "run", "--max-connections", "auto")
    assert ended.code == 0, ended
    assert len(records(tmp_path / "run")) == len(stored(larger, LETTERS)) == 150
    (line,) = [line for line in ended.err.splitlines() if line.startswith("--max-connections auto settled at ")]
    assert "after 0 overloads" not in line
    assert int(str(options(tmp_path / "run")["concurrency"])) < START


def test_several_endpoints_settle_each_for_itself(larger: Path, tmp_path: Path) -> None:
    with serving(limited(larger, 1000)) as one, serving(limited(larger, 1000)) as two:
        ended = ask(larger, [one.url, two.url], tmp_path / "run", "--max-connections", "auto")
    assert ended.code == 0, ended
    (line,) = [line for line in ended.err.splitlines() if line.startswith("Endpoints: ")]
    assert line.count(" connections") == 2
    assert len(verdicts(tmp_path / "run")) == 150


@pytest.mark.parametrize("bad", [fault(429, "slow down"), fault(503, "loading"), Said(sent=0)])
def test_an_endpoint_that_always_fails_does_not_hold_the_others_up(larger: Path, tmp_path: Path, bad: Said) -> None:
    with serving(limited(larger, 1000)) as one, serving(lambda asked: bad) as two:
        ended = ask(larger, [one.url, two.url], tmp_path / "run", "--max-connections", "auto", "--timeout", 30)
    assert ended.code == 0, ended
    made = records(tmp_path / "run")
    assert len(made) == len({record["item_id"] for record in made}) == 150
    assert {record["endpoint"] for record in made} == {one.url}


def test_a_killed_run_resumes_with_auto_and_with_a_number(larger: Path, tmp_path: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "run" / "records.jsonl"
    with serving(limited(larger, 1000)) as server:
        command = ("run", LETTERS, "--data", larger, "--model", "m", "--base-url", server.url, "--out", run, "--max-connections")
        with started(*command, "auto") as process:
            until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 30)
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert isovist(*command, "auto").code == 0
        settled = options(run)["concurrency"]
        assert isovist(*command, "auto").code == 0  # nothing is left: the number stays
        assert options(run)["concurrency"] == settled
        assert isovist(*command, 3).code == 0
    assert (options(run)["concurrency"], options(run)["auto_concurrency"]) == (3, False)
    made = records(run)
    assert len(made) == len({record["item_id"] for record in made}) == 150


def test_a_budget_ends_a_run_with_auto(data: Path, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text("[models.m]\ninput = 1000.0\noutput = 1000.0\n")
    with serving(lambda asked: Said("Answer: A")) as server:
        ended = ask(
            data, server.url, tmp_path / "run", "--max-connections", "auto", "--pricing", tmp_path / "prices.toml", "--max-cost", 0.4
        )
    assert ended.code == 1
    assert "Cost limit reached" in ended.err
    assert 1 <= len(records(tmp_path / "run")) < len(stored(data, LETTERS))


def test_an_invalid_key_ends_a_run_with_auto(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: fault(401, "not with this key")) as server:
        assert ask(data, server.url, tmp_path / "run", "--max-connections", "auto").code == 2
        assert len(server.asked) == 1


@pytest.mark.parametrize("value", ["0", "many", "-3", "8.5", "20000", "", "none"])
def test_an_invalid_number_of_connections_is_one_line(data: Path, tmp_path: Path, value: str) -> None:
    refused(ask(data, "http://127.0.0.1:9/v1", tmp_path / "run", "--max-connections", value), "--max-connections")
    assert not (tmp_path / "run").exists()


def test_models_without_connections_refuse_auto(data: Path, tmp_path: Path) -> None:
    command = ("run", LETTERS, "--data", data, "--out", tmp_path / "run", "--max-connections", "auto", "--model")
    refused(isovist(*command, "simulated/random"), "--max-connections auto", "simulated/random", "Give a number")
    with pytest.raises(UserError, match="`max_connections` auto"):
        package.evaluate(lambda images, prompt: "A", LETTERS, data=data, out=tmp_path / "run", max_connections="auto", progress=False)
    assert not (tmp_path / "run").exists()


def test_auto_comes_from_a_file_the_environment_and_python(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        (tmp_path / "one.toml").write_text(
            f'max_connections = "auto"\nbase_url = "{server.url}"\nmodel = "m"\ndata = "{data}"\nout = "file"\n'
        )
        assert isovist("run", tmp_path / "one.toml").code == 0
        (tmp_path / "one.toml").write_text('max_connections = "many"\nmodel = "m"\n')
        refused(isovist("run", tmp_path / "one.toml"), "max_connections", "'many'", "auto")
        package.evaluate("m", LETTERS, data=data, base_url=server.url, out=tmp_path / "python", max_connections="auto", progress=False)
        with pytest.raises(UserError, match="from 1 to 10000 or auto"):
            package.evaluate("m", LETTERS, data=data, base_url=server.url, max_connections=0)
        monkeypatch.setenv("ISOVIST_RUN_MAX_CONNECTIONS", "auto")
        assert ask(data, server.url, tmp_path / "env").code == 0
    for name in ("file", "python", "env"):
        assert options(tmp_path / name)["auto_concurrency"] is True, name
