"""Every export is loaded by its tool's own code, and evaluation tools are run from one end to the other; `just test-exports` installs them.

Each runs in a process of its own: the tools do not go well together, and none with a strict eye on warnings.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from exporting import LETTERS, N, generated, made, mixed
from workbench import done, records, stored, verdicts

HERE = Path(__file__).parent / "with_tools"


def needs(*modules: str) -> pytest.MarkDecorator:
    missing = [name for name in modules if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {' and '.join(missing)}: just test-exports")


def ran(*args: object, cwd: Path | None = None, home: Path) -> str:
    """What a process says, which has to end well. It looks at nothing outside, and leaves what it keeps in `home`."""
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home / "hf"), "OMP_NUM_THREADS": "1", "HOME": str(home)}
    env["PYTHONPATH"] = os.pathsep.join([str(HERE), str(HERE.parent), str(HERE.parent.parent / "src")])
    process = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, check=False, cwd=cwd or home, env=env)
    assert process.returncode == 0, process.stdout[-2000:] + process.stderr[-4000:]
    return process.stdout + process.stderr


@pytest.fixture(scope="module")
def mix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    return mixed(folder / "mix", generated(folder / "train", "train"))


@pytest.fixture(scope="module")
def test(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("tools") / "test", "test")


@pytest.mark.parametrize(
    ("to", "script", "count"),
    [
        pytest.param("trl-sft", "load_trl.py", 18, marks=needs("torch", "trl")),
        pytest.param("trl-grpo", "load_trl.py", 16, marks=needs("torch", "trl")),
        pytest.param("verl", "load_verl.py", 16, marks=needs("torch", "verl")),
        pytest.param("openrlhf", "load_openrlhf.py", 16, marks=needs("torch", "openrlhf")),
        pytest.param("llama-factory", "load_llama_factory.py", 18, marks=needs("torch", "llamafactory")),
        pytest.param("llava", "load_llava.py", 14, marks=needs("torch", "llava")),
    ],
)
def test_a_trainer_loads_its_export_with_its_own_code(mix: Path, tmp_path: Path, to: str, script: str, count: int) -> None:
    export = made(tmp_path / "export", mix, to)
    assert f"loaded {count}" in ran(HERE / script, export, mix, to, tmp_path, home=tmp_path)


@needs("torch", "verl")
def test_verl_loads_a_stream_with_its_own_loader_and_checkpoints(tmp_path: Path) -> None:
    assert "loaded 48" in ran(HERE / "load_verl_stream.py", tmp_path, home=tmp_path)


@needs("torch", "vlmeval")
def test_vlmevalkit_asks_and_scores_an_export_and_its_results_come_back(test: Path, tmp_path: Path) -> None:
    export = made(tmp_path / "export", test, "vlmevalkit")
    assert f"loaded {3 * N}" in ran(HERE / "run_vlmevalkit.py", export, tmp_path / "out", home=tmp_path)
    done("import", "predictions", tmp_path / "out" / "run", "--source-tool", "vlmevalkit", "--data", test, "--out", tmp_path / "run")
    same_as_ours(test, tmp_path / "run", "I take B.\nAnswer: B")


@needs("torch", "lmms_eval")
def test_lmms_eval_runs_an_export_and_its_samples_come_back(test: Path, tmp_path: Path) -> None:
    export = made(tmp_path / "export", test, "lmms-eval")
    more = ("--model", "dummy", "--model_args", "response=B", "--batch_size", 1, "--log_samples", "--output_path", tmp_path / "out")
    output = ran("-m", "lmms_eval", "--include_path", ".", "--tasks", "isovist", *more, cwd=export, home=tmp_path)
    done("import", "predictions", tmp_path / "out", "--source-tool", "lmms-eval", "--data", test, "--out", tmp_path / "run")
    same_as_ours(test, tmp_path / "run", "B")
    right = sum(value for _, value in verdicts(tmp_path / "run").values())
    assert f"|{right / (3 * N):.4f}|" in output.replace(" ", "")


@needs("torch", "evalscope")
def test_evalscope_asks_an_export_and_its_results_come_back(test: Path, tmp_path: Path) -> None:
    export = made(tmp_path / "export", test, "evalscope")
    ran(HERE / "run_evalscope.py", export, tmp_path / "out", home=tmp_path)
    done("import", "predictions", tmp_path / "out", "--source-tool", "evalscope", "--data", test, "--out", tmp_path / "run")
    same_as_ours(test, tmp_path / "run", "Default output from mockllm/model")


def same_as_ours(data: Path, run: Path, reply: str) -> None:
    """Every item came back, once, with the reply that was given and the verdict that it deserves."""
    assert len(records(run)) == 3 * N
    assert {one["response"] for one in records(run)} == {reply}
    assert {id: value for id, (_, value) in verdicts(run).items()} == {row.id: row.key.score(reply).credit for row in stored(data)}
    assert LETTERS in done("report", run, "--no-verify", "--out", run / "report").out or (run / "report" / "index.html").exists()
