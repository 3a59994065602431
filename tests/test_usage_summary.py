"""What a run is going to cost, told before it starts; what it did cost, told after; and where it stops."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import tomllib
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import N
from scripted import Asked, Book, Said, fault, serving
from workbench import COMMAND, RUN, Ended, done, isovist, records, refused, stored

from isovist.evaluation.run import pricing

LETTERS = "cdr/relative-compass-letter"
PRICES = '[models."some/model-1"]\ninput = 1000.0\noutput = 2000.0\n'
EACH = (70 * 1000 + 5 * 2000) / 1e6  # US dollars: the tokens that the scripted server counts, at those prices


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES)
    return path


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", LETTERS, "--data", data, "--model", "some/model-1", "--base-url", url, "--out", out, *more)


def right(asked: Asked) -> Said:
    return Said("Answer: A")


def info(run: Path) -> dict[str, Any]:
    return json.loads((run / RUN).read_bytes())


# After ------------------------------------------------------------------------------------------------------------


def test_the_receipt_adds_up(data: Path, tmp_path: Path, prices: Path) -> None:
    with serving(right) as server:
        assert ask(data, server.url, tmp_path / "run", "--pricing", prices, "--no-image").code == 0
    usage, run_records = info(tmp_path / "run")["usage"], records(tmp_path / "run")
    assert len(run_records) == usage["trials"] == usage["attempts"] == 2 * N
    assert usage["input_tokens"] == sum(record["usage"]["input_tokens"] for record in run_records) == 2 * N * 70
    assert usage["output_tokens"] == 2 * N * 5
    assert usage["cost_usd"] == pytest.approx(2 * N * EACH)
    assert usage["served_by"] == ["some/model-1-as-served"]
    assert usage["image_sizes"] == {"200x200": N}  # without a picture none is sent


def test_the_hash_of_the_prompts_is_that_of_what_was_asked(data: Path, tmp_path: Path) -> None:
    def hashed(name: str, *more: object) -> str:
        with serving(right) as server:
            assert ask(data, server.url, tmp_path / name, *more).code == 0
        return info(tmp_path / name)["usage"]["prompt_hash"]

    assert hashed("a", "--max-connections", 1) == hashed("b", "--max-connections", 9)
    assert len({hashed("c", "--prompt-style", "direct"), hashed("d", "--n", 5), hashed("e")}) == 3


def test_faults_count_as_attempts_and_cost_nothing(data: Path, tmp_path: Path, prices: Path) -> None:
    book = Book(data)
    with serving(lambda asked: fault(400, "no") if book.row(asked).index == 3 else right(asked)) as server:
        assert ask(data, server.url, tmp_path / "run", "--pricing", prices).code == 1
        assert ask(data, server.url, tmp_path / "run", "--pricing", prices).code == 1
    usage = info(tmp_path / "run")["usage"]
    assert (usage["trials"], usage["attempts"]) == (N, N + 1)
    assert usage["cost_usd"] == pytest.approx((N - 1) * EACH)


# Before -----------------------------------------------------------------------------------------------------------


def test_the_estimate_tells_what_will_be_sent_and_what_it_may_cost(data: Path, tmp_path: Path, prices: Path) -> None:
    with serving(right) as server:
        ended = ask(data, server.url, tmp_path / "run", "--pricing", prices, "--max-tokens", 50, "--n", 10)
    rows = stored(data, LETTERS)[:10]
    text, pictures = sum(len(row.prompt) for row in rows) // 4, 10 * 200 * 200 // 750
    sent = (text + pictures) * 1000 / 1e6
    assert (
        f"10 requests, 10 images. Estimated input: {text:,} text + {pictures:,} image tokens. Estimated time: 6 s (5 s per response"
        in ended.err
    )
    assert f"Estimated cost: {sent:.2f} USD for the input, {sent + 10 * 50 * 2000 / 1e6:.2f} USD at most" in ended.err


def test_someone_at_a_terminal_is_asked_first(data: Path, tmp_path: Path) -> None:
    def at_terminal(url: str, says: bytes) -> str:
        ours, theirs = pty.openpty()
        os.write(ours, says)
        command = [*COMMAND, "run", LETTERS, "--data", data, "--model", "m", "--base-url", url, "--n", "2", "--out", tmp_path / "run"]
        ended = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=False, timeout=180)
        os.close(theirs)
        os.close(ours)
        assert ended.returncode == 0, ended
        return ended.stdout + ended.stderr

    with serving(right) as server:
        assert "No requests sent" in at_terminal(server.url, b"n\n")
        assert server.asked == []
        assert "Continue?" in at_terminal(server.url, b"y\n")
        assert len(server.asked) == 2


class Terminal(io.StringIO):
    """A terminal at which nobody says anything: a command that asks ends with an error."""

    def isatty(self) -> bool:
        return True


def test_nobody_at_a_terminal_is_asked_without_need(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(right) as server:
        monkeypatch.setattr(sys, "stdin", Terminal())
        ended = ask(data, server.url, tmp_path / "run", "--n", 2)
        assert ended.code != 0
        assert "Continue?" in ended.err
        assert server.asked == []
        for more in (("--no-confirm",), ()):  # then there is nothing left to ask
            ended = ask(data, server.url, tmp_path / "run", "--n", 2, *more)
            assert ended.code == 0, ended
            assert "Continue?" not in ended.out + ended.err
            assert len(server.asked) == 2


def test_a_free_model_starts_without_confirmation(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    for name in ("embedded/tiny", "mockllm/model"):  # the latter needs a network for its count of tokens
        ended = isovist("run", LETTERS, "--data", data, "--model", name, "--n", 1, "--out", tmp_path / name)
        assert "Continue?" not in ended.out + ended.err
        assert "Estimated time: 5 s" in ended.err
    (tmp_path / "free.toml").write_text('[models."*"]\ninput = 0\noutput = 0.0\n')
    with serving(right) as server:
        assert ask(data, server.url, tmp_path / "run", "--n", 2, "--pricing", tmp_path / "free.toml").code == 0


def test_a_fake_is_asked_without_a_word(data: Path, tmp_path: Path) -> None:
    assert done("run", LETTERS, "--data", data, "--model", "simulated/random", "--out", tmp_path / "run").err == ""


# The budget -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_run_stops_before_the_budget_is_overspent_and_goes_on_with_a_larger_one(
    data: Path, tmp_path: Path, prices: Path, concurrency: int
) -> None:
    def again(budget: float) -> Ended:
        return ask(data, server.url, tmp_path / "run", "--pricing", prices, "--max-cost", budget, "--max-connections", concurrency)

    with serving(right) as server:
        ended = again(7.5 * EACH)
        assert ended.code == 1
        assert "Cost limit reached. Run the same command with a larger --max-cost to resume." in ended.err
        assert len(server.asked) == len(records(tmp_path / "run")) == 7
        assert info(tmp_path / "run")["usage"]["cost_usd"] <= 7.5 * EACH
        assert again(7.5 * EACH).code == 1
        assert len(server.asked) == 7
        assert again(100 * EACH).code == 0
    assert Counter(record["item_id"] for record in records(tmp_path / "run")) == Counter(row.id for row in stored(data, LETTERS))


# Prices -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "File does not exist"),
        ("[models", "Invalid table of prices"),
        ("[models.x]\ninput = 1\noutput = 2\n", "No price of some/model-1"),
        (PRICES.replace("1000.0", '"dear"'), "Invalid table of prices"),
        (PRICES.replace("1000.0", "-1"), "from 0"),
        (PRICES.replace("1000.0", "nan"), "from 0"),
        (PRICES.replace("output", "outptu"), "Invalid table of prices"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line_before_anything_is_sent(
    data: Path, tmp_path: Path, prices: Path, text: str | None, words: str
) -> None:
    prices.unlink() if text is None else prices.write_text(text)
    with serving(right) as server:
        refused(ask(data, server.url, tmp_path / "run", "--pricing", prices), str(prices), words)
        assert server.asked == []
    assert not (tmp_path / "run").exists()


def test_every_built_in_price_is_positive_and_has_a_source() -> None:
    table = tomllib.loads(Path(pricing.__file__).with_name("prices.toml").read_text())
    assert date.fromisoformat(table["date"]) <= datetime.now(UTC).date()
    assert {name.partition("/")[0] for name in table["models"]} == table["sources"].keys()
    for name in table["models"]:
        known = pricing.built_in_price(name)
        assert known
        assert 0 < known.input < known.output < 1000, name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-4o-mini", (0.15, 0.6)),
        ("openai/gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("openai/gpt-4o-2024-05-13", (5, 15)),  # this version has a price of its own
        ("anthropic/claude-haiku-4-5-20251001", (1, 5)),
        ("google/gemini-2.5-flash", (0.3, 2.5)),
        ("google/gemini-2.5-flash-image", None),
        ("openai/gpt-4o-mini-audio", None),
        ("gpt-4o-mini", None),
        ("openai/azure/gpt-4o", None),
        ("openai/", None),
        ("", None),
        ("simulated/random", None),
    ],
)
def test_a_built_in_price_is_that_of_the_model_or_none(name: str, expected: tuple[float, float] | None) -> None:
    known = pricing.built_in_price(name)
    assert (known and (known.input, known.output)) == expected


def test_a_copy_of_the_built_in_table_is_a_table_of_the_user(tmp_path: Path) -> None:
    copy = tmp_path / "prices.toml"
    copy.write_text(
        Path(pricing.__file__).with_name("prices.toml").read_text().replace("input = 0.15, output = 0.6", "input = 7, output = 8")
    )
    assert pricing.price(copy, "openai/gpt-4o-mini") == pricing.Price(7, 8)


def test_the_estimate_uses_built_in_prices_at_the_provider_only(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No request leaves this machine: the address of the provider is that of the test server."""
    with serving(right) as server:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.setenv(name, server.url)
        command = ("run", "--data", data, "--model", "openai/gpt-4o-mini", "--n", 2)
        ended = isovist(*command, "--out", tmp_path / "provider", "--max-cost", 1)
        assert "with the longest responses (built-in prices of 20" in ended.err
        served = isovist(*command, "--base-url", server.url, "--out", tmp_path / "server")
        assert "USD" not in served.err
        (tmp_path / "own.toml").write_text('[models."openai/*"]\ninput = 1000\noutput = 1000\n')
        own = isovist(*command, "--pricing", tmp_path / "own.toml", "--out", tmp_path / "own")
        assert "with the longest responses.\n" in own.err


def test_a_budget_without_prices_is_refused(data: Path, tmp_path: Path) -> None:
    with serving(right) as server:
        refused(ask(data, server.url, tmp_path / "run", "--max-cost", 3), "--max-cost", "--pricing")
    assert not (tmp_path / "run").exists()


def test_a_price_may_be_that_of_many_models(data: Path, tmp_path: Path, prices: Path) -> None:
    prices.write_text('[models."some/*"]\ninput = 1\noutput = 2\n')
    with serving(right) as server:
        assert ask(data, server.url, tmp_path / "run", "--pricing", prices).code == 0
    assert info(tmp_path / "run")["usage"]["cost_usd"] == pytest.approx(N * EACH / 1000)


# Keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["sk-proj-Zq8vN2mXw7Lr4Ty", "Zq8vN2mXw7Lr4Ty"])
def test_a_key_stands_in_no_file_and_in_no_message(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Not even if the server repeats it in its faults."""
    monkeypatch.setenv("ISOVIST_API_KEY", key)
    book = Book(data)
    with serving(lambda asked: fault(400, f"bad key {key}") if book.row(asked).index == 3 else right(asked)) as server:
        ended = ask(data, server.url, tmp_path / "run")
        assert {asked.key for asked in server.asked} == {f"Bearer {key}"}
        server.script = lambda asked: fault(401, f"Incorrect API key provided: {key}.")
        stopped = ask(data, server.url, tmp_path / "other")
    assert stopped.code == 2
    output = ended.out + ended.err + stopped.out + stopped.err
    for path in [*(tmp_path / "run").rglob("*"), *(tmp_path / "other").rglob("*")]:
        output += path.read_text(errors="ignore") if path.is_file() else ""
    assert key not in output
    assert "[key]" in output
