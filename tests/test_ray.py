"""Datasets made and verified on a Ray cluster are those of one machine, whatever happens to workers and nodes."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from workbench import Ended, contents, done, isovist, refused, spawned, started, until

from isovist.common.errors import UserError
from isovist.common.installation import install_command
from isovist.data.dataset import ray_executor
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.dataset.node_check import Requirements, Witness, check_node

TASKS = ("cdr/object-classification-letter", "cdr/relative-compass-letter")
N = 4500  # nine files of each task


# Without Ray ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)


def test_without_the_package_the_command_names_the_extra_and_writes_nothing(tmp_path: Path, without_ray: None, data: Path) -> None:
    generate = isovist("generate", TASKS[0], "--n", 3, "--executor", "ray", "--out", tmp_path / "data")
    refused(generate, "'ray'", install_command("ray"))
    assert not (tmp_path / "data").exists()
    refused(isovist("verify", data, "--executor", "ray"), install_command("ray"))


def test_without_the_package_the_dataset_names_the_extra(without_ray: None) -> None:
    import isovist.data.ray

    with pytest.raises(UserError, match=re.escape(install_command("ray"))):
        isovist.data.ray.dataset(TASKS[0])


def test_another_executor_is_refused(tmp_path: Path) -> None:
    refused(isovist("generate", TASKS[0], "--executor", "dask", "--out", tmp_path), "dask", "ray")


def test_an_address_where_nothing_listens_is_refused_at_once() -> None:
    for address in ("127.0.0.1:9", "ray://127.0.0.1:9"):
        with pytest.raises(UserError, match=f"No Ray cluster at RAY_ADDRESS={address}"):
            ray_executor._check_reachable(address)
    ray_executor._check_reachable("auto")  # Ray itself looks on this machine


def test_a_node_that_differs_is_refused_with_its_name_and_the_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "node7")
    (tmp_path / "token").write_text("a")
    witness = Witness.of(tmp_path, "token")
    needs = Requirements.of({TASKS[0]: 1}, witness)
    packages = dict(needs.packages)

    def why(**changed: Any) -> str:
        fields = {name: changed.get(name, getattr(needs, name)) for name in Requirements.__slots__}
        with pytest.raises(UserError, match=r"^Node node7 ") as raised:
            check_node(Requirements(**fields))
        return str(raised.value)

    for name in ("isovist", "numpy", "pillow", "aggdraw"):
        assert f"has {name} {packages[name]} instead of 0.0" in why(packages=tuple((packages | {name: "0.0"}).items()))
    assert "instead of version 99" in why(tasks=((TASKS[0], 99, ""),))
    assert "Install isovist-other 1.0" in why(tasks=(("other/task", 1, "isovist-other 1.0"),))
    assert f"does not see the task file {tmp_path}/mine.py" in why(task_files=(f"{tmp_path}/mine.py",))
    assert f"does not see {tmp_path}" in why(witness=Witness(str(tmp_path), "missing", witness.sha256))
    assert f"does not see {tmp_path}" in why(witness=Witness(str(tmp_path), "token", "0" * 64))


def test_a_job_returns_the_errors_that_a_user_can_fix() -> None:
    def job(work: Callable[..., object], *args: object) -> object:
        return ray_executor._run_job(Requirements.of({}), pickle.dumps((work, args)))

    assert job(len, "abc") == 3
    missing = job(os.stat, "/no/such/file")
    assert isinstance(missing, ray_executor._Failure)
    assert missing.message.startswith("No such file or directory on node ")
    assert missing.message.endswith(": /no/such/file.")
    with pytest.raises(TypeError):
        job(len, 3)


# On a cluster -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sockets() -> Generator[None]:
    """A short path for the sockets of Ray, which the temporary folder of pytest is too long for."""
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_TMPDIR", folder)
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patched.delenv("RAY_ADDRESS", raising=False)
        yield
    shutil.rmtree(folder, ignore_errors=True)


class Nodes:
    """A cluster of several simulated nodes on this machine. The first has no CPU, as the head node of a large cluster."""

    def __init__(self) -> None:
        Cluster = import_module("ray.cluster_utils").Cluster  # noqa: N806 - the name of the class

        memory = 80 * 2**20
        head = {"num_cpus": 0, "object_store_memory": memory, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, connect=False, head_node_args=head)
        self.address = str(self._cluster.address)
        self._nodes = [self._cluster.add_node(num_cpus=1, object_store_memory=memory) for _ in range(2)]

    def kill_node(self) -> None:
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)

    def workers(self) -> list[int]:
        """The processes at work on a job: they are named after it."""
        raylets = {info.process.pid for node in self._nodes for info in node.all_processes["raylet"]}
        return [pid for raylet in raylets for pid in children(raylet) if name(pid).startswith("ray::_run_job")]

    def stop(self) -> None:
        self._cluster.shutdown()


def name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def children(pid: int) -> list[int]:
    return [int(text) for task in Path(f"/proc/{pid}/task").glob("*/children") for text in task.read_text().split()]


@pytest.fixture(scope="module")
def nodes(sockets: None) -> Generator[Nodes]:
    cluster = Nodes()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset as one machine makes it."""
    folder = tmp_path_factory.mktemp("ray") / "alone"
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", folder)
    return folder


def command(out: Path) -> tuple[object, ...]:
    return ("generate", *TASKS, "--n", N, "--executor", "ray", "--out", out)


def finished(out: Path) -> list[str]:
    return [path.name for path in (out / PARTIAL).rglob("*.parquet")]


def ended(process: subprocess.Popen[str]) -> Ended:
    _, errors = process.communicate(timeout=300)
    return Ended(process.returncode, "", errors)


def python(code: str, *args: object, **env: str) -> Any:
    """What a Python program prints last, as JSON."""
    run = subprocess.run([sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, check=False, env=os.environ | env)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def marked(test: Any) -> Any:
    """A slow test that needs Ray; workers are found in /proc."""
    return pytest.mark.slow(
        pytest.mark.skipif(
            find_spec("ray") is None or not Path("/proc").exists(), reason="ray is not installed; `just test-ray` runs this"
        )(test)
    )


@marked
def test_a_killed_worker_costs_its_file_only(tmp_path: Path, nodes: Nodes, alone: Path) -> None:
    with started(*command(tmp_path / "data"), RAY_ADDRESS=nodes.address) as process:
        until(lambda: finished(tmp_path / "data") and nodes.workers())
        os.kill(nodes.workers()[0], signal.SIGKILL)
        assert (end := ended(process)).code == 0, end
    assert contents(tmp_path / "data") == contents(alone)
    verified = spawned("verify", tmp_path / "data", "--executor", "ray", RAY_ADDRESS=nodes.address)
    assert verified.out == f"{len(TASKS) * N} rows, 0 differ\n", verified


@marked
def test_control_c_ends_cleanly_and_the_same_command_resumes(tmp_path: Path, nodes: Nodes, alone: Path) -> None:
    out = tmp_path / "data"
    with started(*command(out), RAY_ADDRESS=nodes.address) as process:
        until(lambda: finished(out) and nodes.workers())
        os.killpg(process.pid, signal.SIGINT)
        end = ended(process)
    assert end.code == 130
    assert end.err.strip() == "isovist: interrupted. Run the same command again to resume."
    assert not (out / MANIFEST).exists()
    assert not [*(out / PARTIAL).glob("*.token")]
    until(lambda: not nodes.workers())
    before = {path: path.stat().st_mtime_ns for path in (out / PARTIAL).rglob("*.parquet")}
    assert before
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", out)  # Ray is not needed to resume
    after = {path: (out / path.relative_to(out / PARTIAL)).stat().st_mtime_ns for path in before}
    assert after == before
    assert contents(out) == contents(alone)


REFUSED = """
import sys
from isovist.data.dataset import node_check
from isovist.cli import main
if sys.argv[1] == "version":
    installed = node_check.installed
    node_check.installed = lambda: tuple((name, "0.0" if name == "aggdraw" else known) for name, known in installed())
elif sys.argv[1] == "package":  # another package of this name comes first on the nodes
    import ray
    ray.init(log_to_driver=False, logging_level="ERROR", runtime_env={"env_vars": {"PYTHONPATH": sys.argv[2]}})
else:  # the folder of this machine is not that of the nodes
    of = node_check.Witness.of
    node_check.Witness.of = staticmethod(lambda folder, file: node_check.Witness("/not/shared", file, of(folder, file).sha256))
sys.argv[:3] = ["isovist"]
main()
"""


@marked
@pytest.mark.parametrize(
    ("case", "words"),
    [("version", "instead of 0.0"), ("folder", "does not see /not/shared"), ("package", "cannot load Isovist (ModuleNotFoundError: ")],
)
def test_a_node_that_differs_or_does_not_see_the_folder_ends_in_one_line(case: str, words: str, tmp_path: Path, nodes: Nodes) -> None:
    (tmp_path / "other" / "isovist").mkdir(parents=True)
    (tmp_path / "other" / "isovist" / "__init__.py").touch()
    argv = [sys.executable, "-c", REFUSED, case, str(tmp_path / "other"), *map(str, command(tmp_path / "data"))]
    run = subprocess.run(argv, capture_output=True, text=True, check=False, env=os.environ | {"RAY_ADDRESS": nodes.address})
    refused(Ended(run.returncode, run.stdout, run.stderr), "ode ", words)
    assert not (tmp_path / "data" / MANIFEST).exists()


DATASET = """
import json, sys
import ray
import isovist, isovist.data.ray
ray.init(log_to_driver=False, logging_level="ERROR")
ray.data.DataContext.get_current().enable_progress_bars = False
arguments = dict(n=130, seed=3, split="train")
tasks = sys.argv[1:]
wanted = isovist.generate(tasks, **arguments)._table(pictures=True).to_pylist()
same = []
for blocks in (None, 1, 9):
    rows = isovist.data.ray.dataset(tasks, override_num_blocks=blocks, **arguments)
    same.append(rows.take_all() == wanted)
keeps_order = rows.context.execution_options.preserve_order
print(json.dumps({"rows": len(wanted), "same": same, "order": keeps_order}))
"""


@marked
def test_the_dataset_has_the_rows_of_one_machine_in_order_whatever_the_blocks(nodes: Nodes) -> None:
    assert python(DATASET, *TASKS, RAY_ADDRESS=nodes.address) == {"rows": 260, "same": [True] * 3, "order": True}


@marked
def test_a_lost_node_costs_its_files_only(tmp_path: Path, nodes: Nodes, alone: Path) -> None:
    """The last test on the cluster: it has one node less afterwards."""
    with started(*command(tmp_path / "data"), RAY_ADDRESS=nodes.address) as process:
        until(lambda: finished(tmp_path / "data") and len(nodes.workers()) == 2)
        nodes.kill_node()
        assert (end := ended(process)).code == 0, end
    assert contents(tmp_path / "data") == contents(alone)


@marked
def test_without_an_address_ray_is_started_and_stopped_here(tmp_path: Path, sockets: None) -> None:
    """With a task of a file, which the workers load too."""
    done("new-task", "mine/arrows", "--dir", tmp_path)
    file = tmp_path / "arrows.py"
    ray = spawned("generate", file, "--n", 20, "--workers", 2, "--executor", "ray", "--out", tmp_path / "ray")
    assert ray.code == 0, ray
    done("generate", file, "--n", 20, "--workers", 1, "--out", tmp_path / "local")
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
