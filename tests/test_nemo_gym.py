"""The resource server of NeMo Gym, with its own classes and over HTTP; skipped where nemo_gym is not importable."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

APP = Path(__file__).parent.parent / "environments" / "nemo_gym" / "resources_servers" / "isovist" / "app.py"
if not APP.exists():
    pytest.skip("not in a checkout", allow_module_level=True)
server_utils: Any = pytest.importorskip("nemo_gym.server_utils", reason="nemo_gym, for Python 3.13.14 and later, is not installed")
testclient: Any = pytest.importorskip("fastapi.testclient")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client() -> Any:
    spec = importlib.util.spec_from_file_location("isovist_nemo_gym", APP)
    assert spec
    assert spec.loader
    app = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(app)
    config = app.IsovistConfig(host="127.0.0.1", port=8000, entrypoint="app.py", name="isovist")
    server = app.IsovistServer(config=config, server_client=MagicMock(spec=server_utils.ServerClient))
    return testclient.TestClient(server.setup_webserver(), raise_server_exceptions=False)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    from workbench import done

    folder = tmp_path_factory.mktemp("nemo")
    done("generate", "cdr/relative-compass-letter", "--n", 3, "--split", "train", "--workers", 1, "--out", folder / "data")
    done("export", folder / "data", "--format", "nemo-gym", "--prompt-style", "final-line", "--out", folder / "out")
    return [json.loads(line) for line in (folder / "out" / "nemo_gym.jsonl").read_text(encoding="utf-8").splitlines()]


def response(text: str, **fields: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
    common = {
        "id": "r",
        "created_at": 0.0,
        "model": "none",
        "object": "response",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    return {**common, "output": [message], **fields}


def test_a_line_of_the_export_is_verified(client: Any, lines: list[dict[str, Any]]) -> None:
    from isovist.core.answers import read_key

    for line in lines:
        key = read_key(line["ground_truth"])
        right, wrong = key.canonical(), key.wrong_answers()[0]
        for text, reward, formed in ((f"I look.\nAnswer: {right}", 1, 1), (right, 1, 0), (f"Answer: {wrong}", 0, 1), ("", 0, 0)):
            answer = client.post("/verify", json={**line, "response": response(text)})
            assert answer.status_code == 200, answer.text
            assert (answer.json()["reward"], answer.json()["format_reward"]) == (reward, formed)
        cut = response(f"Answer: {right}", status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        assert client.post("/verify", json={**line, "response": cut}).json()["reward"] == 0


def test_a_line_without_a_valid_key_is_refused(client: Any, lines: list[dict[str, Any]]) -> None:
    for key in ("", "B", None):
        assert client.post("/verify", json={**lines[0], "ground_truth": key, "response": response("Answer: A")}).status_code in (422, 500)
    assert client.get("/reverify_mode").json() == "stateless"
