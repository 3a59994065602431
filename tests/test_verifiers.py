"""The environment for verifiers, with verifiers itself; skipped where it is not installed."""

from __future__ import annotations

import asyncio
import base64
import importlib
import io
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import isovist
from isovist.core.answers import read_key
from isovist.data.item import item
from isovist.suites import registry

PACKAGE = Path(__file__).parent.parent / "environments" / "isovist_spatial"
if not PACKAGE.exists():
    pytest.skip("not in a checkout", allow_module_level=True)

vf: Any = pytest.importorskip("verifiers.v1")
sys.path.insert(0, str(PACKAGE))
spatial: Any = importlib.import_module("isovist_spatial")

LETTERS, ICONS = "cdr/relative-compass-letter", "cdr/relative-compass-icon"


def loaded(**settings: Any) -> list[Any]:
    return list(vf.load_taskset(spatial.load_environment(**settings).config.taskset))


def scored(task: Any, reply: str, **fields: Any) -> dict[str, float]:
    trace = vf.Trace(
        task=vf.TraceTask(type="IsovistTask", data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig()), root_reply=reply, **fields
    )
    asyncio.run(task.score(trace))
    return {name: reward.score for name, reward in trace.rewards.items()}


def test_tasks_of_several_kinds_come_in_turn_and_are_the_items() -> None:
    tasks = loaded(tasks=[LETTERS, ICONS], items=2, seed=5)
    assert [task.data.name for task in tasks] == [LETTERS, ICONS, LETTERS, ICONS]
    for task in tasks:
        made = item(task.key)
        assert ":train:" in task.key
        assert read_key(task.data.answer) == made.answer
        picture, words = task.data.prompt[0].content
        assert made.prompt == f"<image>\n{words.text}"
        png = base64.b64decode(picture.image_url.url.removeprefix("data:image/png;base64,"), validate=True)
        assert Image.open(io.BytesIO(png)).tobytes() == made.images[0].tobytes()


def test_the_endless_set_is_the_stream_and_a_view_bounds_it() -> None:
    config = {"taskset": {"id": "isovist-spatial-stream", "tasks": [LETTERS, ICONS], "seed": 3}}
    taskset = vf.load_taskset(vf.resolve_env_config(config).taskset)
    assert type(taskset).INFINITE
    tasks = list(taskset.take(6))
    stream = isovist.stream([LETTERS, ICONS], seed=3)
    assert [f"{task.key}/answer" for task in tasks] == [example.id for example in islice(stream, 6)]
    assert [task.data.idx for task in tasks] == list(range(6))
    assert scored(tasks[0], f"Answer: {read_key(tasks[0].data.answer).canonical()}") == {"correct": 1, "formed": 1}
    assert vf.resolve_env_config(config).agent_harnesses()["agent"].id == "isovist-spatial-stream"


def test_the_keys_of_the_finite_set_are_unique() -> None:
    keys = [task.key for task in loaded(tasks=["cdr/*"], items=3)]
    assert len(set(keys)) == len(keys) == 3 * len(registry.matching(["cdr/*"]))


def test_a_reply_is_rewarded_and_its_form_is_told_apart() -> None:
    (task,) = loaded(tasks=[LETTERS], items=1)
    key = read_key(task.data.answer)
    assert scored(task, f"I look.\nAnswer: {key.canonical()}") == {"correct": 1, "formed": 1}
    assert scored(task, key.canonical()) == {"correct": 1, "formed": 0}
    assert scored(task, f"Answer: {key.wrong_answers()[0]}") == {"correct": 0, "formed": 1}
    assert scored(task, f"Answer: {key.canonical()} or {key.wrong_answers()[0]}") == scored(task, "") == {"correct": 0, "formed": 0}
    assert scored(task, f"Answer: {key.canonical()}", stop_condition="max_output_tokens") == {"correct": 0, "formed": 0}


def test_the_keys_are_rewarded_themselves() -> None:
    assert all(asyncio.run(task.validate(None)) for task in loaded(tasks=["cdr/*", "perceptv/counting-*"], items=1))


def test_it_has_no_tools_and_its_settings_are_checked() -> None:
    harness = spatial.load_environment().config.agent_harnesses()["agent"]
    assert harness.id == "isovist-spatial"  # its own, which has no tools
    with pytest.raises(ValueError, match="style 'loud'"):
        loaded(style="loud")
    with pytest.raises(ValueError, match="Unknown task"):
        loaded(tasks=["cdr/none-such"])
    with pytest.raises(ValueError, match="extra"):
        loaded(colour="red")
