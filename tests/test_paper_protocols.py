"""`--paper`: a run under the conditions of a paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import done, isovist, records, refused

from isovist.data.dataset.generation_request import requested
from isovist.evaluation.paper_protocols import PROTOCOLS
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run_spec import RunSpec
from isovist.suites import registry

# `RunSpec` as the command makes it: a model that needs no network
MODEL = "simulated/oracle"


@pytest.mark.parametrize("suite", PROTOCOLS)
def test_a_paper_sets_its_tasks_sizes_prompts_and_decoding(suite: str) -> None:
    spec = RunSpec(MODEL, paper=suite)
    parts, skipped = requested(spec.tasks, spec, default=1, style=spec.prompt_style or "")
    published = {task.id: task for task in registry.built_in_tasks().values() if task.suite == suite and "test" in task.paper.sizes}
    assert {part.task for part in parts} == published.keys() - {"cospace/planning"}  # its two questions are asked one at a time
    assert all(part.n == published[part.task].paper.sizes["test"].n and part.style == "published" for part in parts)
    assert all("test" not in registry.task(name).paper.sizes for name in skipped)
    for name, (value, reason) in PROTOCOLS[suite].options.items():
        assert getattr(spec, name) in (value, (value,))
        assert reason
    assert "paper" in spec.given


def test_an_option_overrides_a_condition_of_the_paper() -> None:
    spec = RunSpec(MODEL, "perceptv/change-colour", paper="perceptv", max_tokens=50, n=3)
    (part,), _ = requested([str(spec.tasks)] if isinstance(spec.tasks, str) else spec.tasks, spec, default=1, style=spec.prompt_style or "")
    assert (spec.max_tokens, part.n, part.style) == (50, 3, "published")


def test_only_the_conditions_that_hold_are_printed(tmp_path: Path) -> None:
    """A task option of another name replaces none of the paper's."""
    one = ("dori/directional-facing", "--paper", "dori", "--n", "2", "--model", "simulated/oracle", "--workers", "1")
    printed = done("run", *one, "--task-option", "size=192", "--out", tmp_path / "size").err
    assert "--task-option design=paper: " in printed
    assert all(":design=paper,size=192#" in record["item_id"] for record in records(tmp_path / "size"))
    printed = done("run", *one, "--task-option", "design=balanced", "--prompt-style", "direct", "--out", tmp_path / "own").err
    assert "design=paper" not in printed
    assert "--prompt-style" not in printed
    assert not any("design=paper" in record["item_id"] for record in records(tmp_path / "own"))
    assert RunSpec("simulated/random", paper="dori", task_options={"size": 192}).settings() == {"design": "paper", "size": "192"}


def test_planning_is_indoors_as_in_the_paper() -> None:
    spec = RunSpec(MODEL, paper="cospace")
    parts, _ = requested(spec.tasks, spec, default=1)
    assert all(part.settings["design"] == "paper" for part in parts)
    places = {part.task: part.settings.get("place") for part in parts}
    assert places["cospace/planning-question"] == places["cospace/planning-decision"] == "indoors"
    assert places["cospace/direction-recognition"] == "outdoors"


def test_dori_has_the_design_of_the_paper() -> None:
    parts, _ = requested((spec := RunSpec(MODEL, paper="dori")).tasks, spec, default=1)
    assert len(parts) == 7
    assert all(part.settings["design"] == "paper" for part in parts)


def test_a_run_prints_its_conditions_and_resumes(tmp_path: Path) -> None:
    command = ("run", "--paper", "cdr", "--model", MODEL, "--n", 1, "--workers", 1, "--out", tmp_path / "run")
    ended = done(*command)
    assert "--prompt-style published: " in ended.err
    assert "Not as in the paper: icons" in ended.err
    info = RunFolder(tmp_path / "run").info()
    assert (info.style, info.options.temperature, len(info.parts)) == ("published", 0.0, 11)
    assert 'paper = "cdr"' in (tmp_path / "run" / "config.toml").read_text(encoding="utf-8")
    assert "0 evaluated now" in done(*command).out
    assert "0 evaluated now" in done("run", tmp_path / "run" / "config.toml", "--out", tmp_path / "run").out


def test_tasks_of_another_suite_are_refused(tmp_path: Path) -> None:
    ended = isovist("run", "--paper", "cospace", "cdr/relative-compass-letter", "--model", MODEL, "--out", tmp_path / "run")
    refused(ended, "Not in the paper of cospace", "cdr/relative-compass-letter")
    assert not (tmp_path / "run").exists()


def test_tasks_without_other_image_orders_are_run_without_them(tmp_path: Path) -> None:
    done("run", "--paper", "cospace", "cospace/rotation-angle", "--model", MODEL, "--n", 1, "--workers", 1, "--out", tmp_path / "run")
    info = RunFolder(tmp_path / "run").info()
    assert info.variants.image_orders == ()


def test_the_conditions_are_listed_without_a_model() -> None:
    of_one = done("run", "--paper", "srbench", "--list").out
    assert "--temperature 0: section 4: greedy decoding" in of_one
    assert "dori:" not in of_one
    assert all(f"{suite}:" in done("run", "--list").out for suite in PROTOCOLS)


@pytest.mark.parametrize("option", [("--release", "isovist-2026.12"), ("--adaptive",), ("--data", "data")])
def test_a_paper_excludes_other_items(tmp_path: Path, option: tuple[str, ...]) -> None:
    refused(isovist("run", "--paper", "cdr", *option, "--model", MODEL, "--out", tmp_path / "run"), "--paper")
