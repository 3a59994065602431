"""The server of transformers with a tiny LLaVA behind it: a real server, found by its address. Needs torch: `just test-hf`."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_server import interleaved
from workbench import done, parquet, records, spoil

LETTERS = "cdr/relative-compass-letter"
MISSING = [name for name in ("torch", "transformers", "fastapi", "uvicorn") if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} is not installed; `just test-hf` runs this"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The server's address and its model's name."""
    from tiny_vlm import llava

    folder = llava(tmp_path_factory.mktemp("tiny") / "llava")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [Path(sys.executable).parent / "transformers", "serve", folder, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    log = folder.parent / "log"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    with log.open("w") as out, subprocess.Popen([*map(str, command)], stdout=out, stderr=out, env=offline) as process:
        try:
            end = time.monotonic() + 240
            while not answers(f"http://127.0.0.1:{port}/health"):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1", str(folder)
        finally:
            process.kill()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False


def asked(served: tuple[str, str], out: Path, *more: object) -> list[dict[str, Any]]:
    url, name = served
    done("run", LETTERS, "--model", name, "--base-url", url, "--max-tokens", 8, "--n", 3, "--max-connections", 2, "--out", out, *more)
    run_records = records(out)
    assert len(run_records) == 3
    for record in run_records:
        assert record["error"] == ""
        assert record["usage"]["input_tokens"] > 0
        assert record["finish_reason"] in ("stop", "max_tokens")
    return run_records


def test_it_is_asked_and_its_noise_is_judged(served: tuple[str, str], tmp_path: Path) -> None:
    run_records = asked(served, tmp_path / "a", "--workers", 1)
    assert {record["outcome"] for record in run_records} <= {"truncated", "unparsed", "incorrect", "correct", "empty"}
    again = asked(served, tmp_path / "b", "--workers", 1, "--max-connections", 1)
    assert {r["item_id"]: r["response"] for r in run_records} == {r["item_id"]: r["response"] for r in again}


def test_it_is_shown_every_picture_of_a_prompt(served: tuple[str, str], data: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    from tiny_vlm import IMAGE_TOKENS

    one = asked(served, tmp_path / "one", "--data", data)
    changed = copied(data)
    spoil(parquet(changed, LETTERS), lambda rows: [interleaved(row) for row in rows])
    three = asked(served, tmp_path / "three", "--data", changed)
    tokens = {record["item_id"]: record["usage"]["input_tokens"] for record in one}
    for record in three:
        more = record["usage"]["input_tokens"] - tokens[record["item_id"]]
        assert more >= 2 * IMAGE_TOKENS["llava"]
