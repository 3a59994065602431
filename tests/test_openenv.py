"""The environment of OpenEnv, served by its own server and asked through its own client; skipped where it is not installed."""

from __future__ import annotations

import base64
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import isovist

PACKAGE = Path(__file__).parent.parent / "environments" / "isovist_openenv"
if not PACKAGE.exists():
    pytest.skip("not in a checkout", allow_module_level=True)
core: Any = pytest.importorskip("openenv.core", reason="openenv-core is not installed; `just test-trainers` runs this")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries of the client


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "isovist_openenv:app", "--port", str(port), "--log-level", "error"]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PACKAGE)}) as server:
        for _ in range(600):
            with socket.socket() as asked:
                if server.poll() is not None or asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
        server.terminate()


@pytest.fixture
def env(url: str) -> Iterator[Any]:
    with core.GenericEnvClient(base_url=url).sync() as env:
        yield env


def test_an_episode_is_one_item_with_its_images_and_one_reward(env: Any) -> None:
    asked = env.reset(seed=7, tasks="cdr/relative-compass-letter")
    item = isovist.item(env.state()["item_id"])
    assert (asked.done, asked.reward) == (False, None)
    assert asked.observation["prompt"] == item.prompt
    png = [base64.b64decode(image.removeprefix("data:image/png;base64,"), validate=True) for image in asked.observation["images"]]
    assert [Image.open(io.BytesIO(one)).tobytes() for one in png] == [image.tobytes() for image in item.images]
    right, wrong = item.answer.canonical(), item.answer.wrong_answers()[0]
    for response, reward, formed in (
        (f"I look.\nAnswer: {right}", 1, 1),
        (right, 1, 0),
        (f"Answer: {wrong}", 0, 1),
        (f"{right} or {wrong}", 0, 0),
    ):
        again = env.reset(seed=7, tasks="cdr/relative-compass-letter")
        assert again.observation == asked.observation
        result = env.step({"response": response})
        assert (result.done, result.reward, result.observation["format_reward"]) == (True, reward, formed)
        assert env.state()["step_count"] == 1


def test_episodes_without_a_seed_have_new_items_in_all_sessions(url: str, env: Any) -> None:
    ids: list[str] = []
    with core.GenericEnvClient(base_url=url).sync() as other:
        for session in (env, other, env, other):
            session.reset(tasks=["cdr/*", "perceptv/counting-circles"])
            ids.append(session.state()["item_id"])
    assert len(set(ids)) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"tasks": "cdr/none"}, "cdr/none"), ({"level": "9"}, "no level '9'"), ({"split": "dev"}, "split 'dev'"), ({"style": "loud"}, "loud")],
)
def test_an_invalid_setting_is_an_error_of_the_episode_and_the_session_goes_on(env: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        env.reset(**{"tasks": "cdr/step-cell-letter", **arguments})
    with pytest.raises(RuntimeError, match="Call reset first"):
        env.step({"response": "Answer: A"})
    env.reset(tasks="cdr/step-cell-letter")
    with pytest.raises(RuntimeError, match="Invalid message"):
        env.step({"answer": "A"})
    assert env.step({"response": "Answer: A"}).done
