"""`isovist run FILE.toml`, the `config.toml` of a run folder, and the environment variables of the options."""

from __future__ import annotations

import tomllib
from inspect import signature
from pathlib import Path
from typing import Any

import click
import pytest
from workbench import done, isovist, records, refused

import isovist as api
from isovist.cli.config_file import _options
from isovist.cli.run import command

TASK = "cdr/object-classification-letter"
SIZES = "perceptv/counting-circles"
BASE = f'tasks = ["{TASK}"]\nmodel = "simulated/random"\nn = 4\nout = "run"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def scored(run: Path) -> list[tuple[Any, ...]]:
    return sorted((record["item_id"], record["variant"], record["response"], record["outcome"]) for record in records(run))


def test_a_file_is_the_command_with_paths_of_its_folder(tmp_path: Path) -> None:
    done("run", written(tmp_path, BASE + "no_image = true\nseed = 3\n"))
    done("run", TASK, "--model", "simulated/random", "--n", 4, "--no-image", "--seed", 3, "--out", tmp_path / "same")
    assert scored(tmp_path / "run") == scored(tmp_path / "same")
    assert len(scored(tmp_path / "run")) == 8
    assert (tmp_path / "run" / "config.toml").read_text() != BASE


def test_the_command_line_overrides_the_environment_and_it_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, BASE)
    monkeypatch.setenv("ISOVIST_RUN_N", "3")
    monkeypatch.setenv("ISOVIST_RUN_MODEL", "simulated/oracle")
    run = done("run", file, "--model", "simulated/constant:A", "--out", tmp_path / "other")
    assert "simulated/constant:A: 3 items" in run.out
    assert "simulated/oracle: 3 items" in done("run", file, SIZES, "--max-connections", 1).out
    assert {record["item_id"].partition("@")[0] for record in records(tmp_path / "run")} == {SIZES}


@pytest.mark.parametrize(
    "options",
    [
        (TASK, SIZES, "--n", 3, "--no-image", "--epochs", 2, "--compare-prompt-styles", "direct", "--max-tokens", 99),
        (SIZES, "--n", 3, "--task-option", "size=250", "--level", "2,3", "--split", "train"),
        (SIZES, "--adaptive", "--max-items", 10, "--max-connections", 2),
        ("--data", "data", "--n", 2),
        ("--data", "data", "--n", 2, "--prompt-template", "mine.jinja", "--structured", "--shots", 1),
    ],
    ids=["variants", "options", "adaptive", "data", "template"],
)
def test_the_config_of_a_run_repeats_and_resumes_it(tmp_path: Path, options: tuple[object, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.jinja").write_text("{{ question }}\n{{ options }}\n{{ instruction }}")
    if "--data" in options:
        done("generate", TASK, "--n", 3, "--out", "data")
    first = done("run", *options, "--model", "simulated/random", "--out", "first", "--workers", 1)
    (tmp_path / "first").rename(tmp_path / "moved")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    config = tmp_path / "moved" / "config.toml"
    again = done("run", config, "--out", "again")
    assert again.out.splitlines()[0] == first.out.splitlines()[0]
    assert scored(Path("again")) == scored(tmp_path / "moved")
    assert ", 0 evaluated now" in done("run", config).out
    assert tomllib.loads(config.read_text()) == tomllib.loads(Path("again/config.toml").read_text())


def test_variants_of_all_sessions_are_in_the_config(tmp_path: Path) -> None:
    run = ("run", TASK, "--n", 2, "--model", "simulated/random", "--out", tmp_path)
    done(*run, "--no-image")
    done(*run, "--blank-image")
    config = tomllib.loads((tmp_path / "config.toml").read_text())
    assert config["no_image"] is config["blank_image"] is True


def test_evaluate_stores_the_config_of_a_model_by_name(tmp_path: Path) -> None:
    api.evaluate("simulated/random", SIZES, n=3, task_options={"size": 250}, level="4", out=tmp_path / "run", progress=False, max_tokens=50)
    done("run", tmp_path / "run" / "config.toml", "--out", tmp_path / "again")
    assert scored(tmp_path / "again") == scored(tmp_path / "run")
    api.evaluate(lambda images, prompt: "Answer: A", SIZES, n=1, out=tmp_path / "function", progress=False)
    assert not (tmp_path / "function" / "config.toml").exists()


def test_the_arguments_of_evaluate_are_the_keys_of_a_file() -> None:
    keys = set(_options(command))
    parameters = set(signature(api.evaluate).parameters)
    of_python = {"tasks", "name", "batch_size", "task_options", "model_args", "progress"}
    assert parameters - of_python == keys - {"task_option", "model_arg", "no_confirm", "json", "quiet", "log_level", "list"}
    assert {option.envvar for option in command.params if isinstance(option, click.Option)} == {
        f"ISOVIST_RUN_{key.upper()}" for key in keys
    }


def test_keys_of_this_process_are_redacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOVIST_API_KEY", "constant:ABC")
    isovist("run", TASK, "--n", 1, "--model", "simulated/constant:ABC", "--out", tmp_path)
    text = (tmp_path / "config.toml").read_text()
    assert 'model = "simulated/[key]"' in text
    assert "constant" not in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("modle = 'x'", "Unknown key in {}: modle. Did you mean model?"),
        ("max-tokens = 3", "Unknown key in {}: max-tokens. Did you mean max_tokens?"),
        ("zzz = 3", "Unknown key in {}: zzz."),
        ("[run]\nn = 3", "Unknown key in {}: run."),
        ("limit = 4", "Duplicate option in {}: n and limit."),
        ("seed = '4'", "Invalid seed in {}: '4'. Give a whole number."),
        ("seed = true", "Invalid seed in {}: True. Give a whole number."),
        ("seed = 99999999999999999999", "Invalid seed in {}: 99999999999999999999 is too large."),
        ("temperature = nan", "Invalid temperature in {}: nan is not finite."),
        ("max_items = 3", "Invalid max_items in {}: 3 is not in the range"),
        ("no_image = 'yes'", "Invalid no_image in {}: 'yes'. Give true or false."),
        ("task_option = [3]", "Invalid task_option in {}: [3]. Give a list of texts."),
        ("level = 3", "Invalid level in {}: 3. Give a text."),
        ("image_mode = 'x'", "Invalid image_mode in {}: 'x' is not one of"),
        ("x =", "Invalid TOML"),
    ],
)
def test_an_invalid_file_is_one_line_and_nothing_is_written(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path, f"{BASE}{line}\n")
    assert message.format(path) in refused(isovist("run", path))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ISOVIST_RUN_MODLE", "x", "Unknown environment variable: ISOVIST_RUN_MODLE. Did you mean ISOVIST_RUN_MODEL?"),
        ("ISOVIST_RUN_N", "abc", "'abc' is not a valid integer range. The value is from the environment variable ISOVIST_RUN_N."),
        ("ISOVIST_RUN_NO_IMAGE", "maybe", ". The value is from the environment variable ISOVIST_RUN_NO_IMAGE."),
    ],
)
def test_an_invalid_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str) -> None:
    monkeypatch.setenv(name, value)
    assert message in refused(isovist("run", written(tmp_path, BASE)))
    assert not (tmp_path / "run").exists()


def test_files_that_are_missing_or_several_are_refused(tmp_path: Path) -> None:
    assert "File does not exist" in refused(isovist("run", tmp_path / "none.toml"))
    assert "Several files with options" in refused(isovist("run", "a.toml", "b.toml"))
    assert "Invalid tasks" in refused(isovist("run", written(tmp_path, "tasks = 3")))
    assert "--model" in refused(isovist("run", written(tmp_path, f'tasks = "{TASK}"')))
