"""`isovist models`, and requests to Claude and Gemini as their own clients send them, to a server on this machine."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from scripted import Asked, Said, serving
from workbench import isovist, refused, stored

from isovist.cli.models import ROUTES
from isovist.evaluation.models.baselines.simulated_models import names, simulated_model
from isovist.evaluation.models.plug_in_models import RESERVED

SECRET = "sk-ant-Zq8vN2mXw7Lr4Ty"
PAGE = Path(__file__).parents[1] / "docs" / "models.md"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in {key for route in ROUTES for key in route.keys}:
        monkeypatch.delenv(key, raising=False)


def listed(*args: object) -> dict[str, Any]:
    ended = isovist("models", "--json", *args)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_the_routes_are_listed_with_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", " ")  # counts as absent
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    routes = {row["form"]: row for row in listed()["routes"]}
    assert {route.form for route in ROUTES} <= routes.keys()
    assert {form: row["keys_set"] for form, row in routes.items() if row["keys_set"]} == {
        "anthropic/MODEL": ["ANTHROPIC_API_KEY"],
        "google/MODEL": ["GEMINI_API_KEY"],
    }
    assert routes["embedded/tiny"]["is_installed"]
    ended = isovist("models")
    assert ended.code == 0
    assert re.search(r"^anthropic/MODEL +extra providers.* +ANTHROPIC_API_KEY \(set\) +Claude", ended.out, re.MULTILINE)
    assert re.search(r"^openai/MODEL +extra providers.* +OPENAI_API_KEY +GPT", ended.out, re.MULTILINE)
    assert SECRET not in ended.out + json.dumps(routes)


def test_a_missing_extra_is_marked_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isovist.cli.models.find_spec", lambda name: None)
    assert [row["form"] for row in listed()["routes"] if row["is_installed"]] == ["embedded/tiny"]
    ended = isovist("models")
    assert "extra hf (missing)" in ended.out
    assert re.findall(r"^Missing extra '(\w+)': run `.*\1.*`\.$", ended.out, re.MULTILINE) == ["providers", "run", "hf"]


def test_every_simulated_model_is_listed_and_works() -> None:
    rows = listed()["simulated"]
    assert {row["name"]: row["summary"] for row in rows} == names()
    for row in rows:
        example = re.search(r"as in (\S+)", row["summary"]) if row["name"].endswith(":") else None
        assert simulated_model(f"simulated/{example[1]}" if example else row["name"]), row


def test_prefixes_are_those_of_the_library_and_the_page_explains_each() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for route in ROUTES:
        prefix, slash, _ = route.form.partition("/")
        assert not slash or prefix in RESERVED, route.form
        assert (f"`{prefix}/" if slash else "`--base-url") in page, route.form
        assert all(key in page for key in route.keys), route.form


def test_an_unknown_argument_is_refused() -> None:
    refused(isovist("models", "openai"), "openai")


# Requests -----------------------------------------------------------------------------------------------------------


def claude(asked: Asked) -> Said:
    """A streamed response of Anthropic's Messages API."""
    usage = {"input_tokens": 70, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message | {"model": asked.body["model"]}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Answer: A"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return Said(raw="".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events), kind="text/event-stream")


def gemini(asked: Asked) -> Said:
    """A response of Google's generateContent."""
    candidate = {"content": {"role": "model", "parts": [{"text": "Answer: A"}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 70, "candidatesTokenCount": 5, "totalTokenCount": 75}
    return Said(raw=json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}))


@pytest.mark.parametrize(
    ("model", "options", "field", "value"),
    [
        ("anthropic/claude-sonnet-4-5", ("--reasoning-tokens", 4000), "thinking.budget_tokens", 4000),
        ("anthropic/claude-opus-5", ("--reasoning-effort", "low"), "output_config.effort", "low"),
        ("anthropic/claude-opus-5", ("--reasoning-effort", "none"), "thinking.type", "disabled"),
        ("anthropic/claude-sonnet-4-5", ("--temperature", 0.5), "temperature", None),  # the API of Claude has no such field
        ("google/gemini-2.5-flash", ("--reasoning-tokens", 1000), "generationConfig.thinkingConfig.thinking_budget", 1000),
        ("google/gemini-3.5-flash", ("--reasoning-effort", "low"), "generationConfig.thinkingConfig.thinking_level", "LOW"),
        ("google/gemini-2.5-flash", ("--temperature", 0.5), "generationConfig.temperature", 0.5),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the clients
def test_claude_and_gemini_receive_images_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, options: tuple[object, ...], field: str, value: object
) -> None:
    provider = model.partition("/")[0]
    pytest.importorskip({"anthropic": "anthropic", "google": "google.genai"}[provider])
    with serving(claude if provider == "anthropic" else gemini) as server:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "k")
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", server.url.removesuffix("/v1"))
        ended = isovist("run", "cdr/relative-compass-letter", "--n", 1, "--model", model, *options, "--out", tmp_path / "run", "-y")
    assert ended.code == 0, ended
    assert "1 items (" in ended.out
    (asked,) = server.asked
    found: Any = asked.body
    for name in field.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    assert found == value
    (row,) = stored(tmp_path / "run" / "data")
    sent = asked.raw.decode().translate(str.maketrans("-_", "+/"))  # Google's client uses the alphabet of URLs
    assert all(base64.b64encode(image).decode() in sent for image in row.images)
