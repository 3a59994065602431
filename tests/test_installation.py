"""The command that adds an extra fits the installation: from an index, a folder, a repository, a file, or a checkout with uv."""

from __future__ import annotations

import json
import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest

from isovist.common import installation
from isovist.common.errors import MissingDependencyError, require_extra
from isovist.common.installation import install_command


def installed(monkeypatch: pytest.MonkeyPatch, source: object, *, pip: bool = True, text: str | None = None) -> None:
    """Make Isovist look installed from this source, None for an index."""
    content = text if text is not None else json.dumps(source) if source else None

    class Distribution:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return content

    monkeypatch.setattr(installation, "distribution", lambda name: Distribution())
    monkeypatch.setattr(installation, "find_spec", lambda name: pip or None)


GIT = {"url": "https://example.org/isovist.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}
WHEEL = {"url": "file:///tmp/isovist-0.1.0-py3-none-any.whl", "archive_info": {}}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (None, "pip install 'isovist[run]'"),
        ({"url": "file:///no/such%20place", "dir_info": {}}, "pip install '/no/such place[run]'"),
        ({"url": "file:///no/such", "dir_info": {"editable": True}}, "pip install -e '/no/such[run]'"),
        (GIT, "pip install 'isovist[run] @ git+https://example.org/isovist.git'"),
        (
            GIT | {"vcs_info": {"vcs": "git", "requested_revision": "v1"}},
            "pip install 'isovist[run] @ git+https://example.org/isovist.git@v1'",
        ),
        (WHEEL, "pip install 'isovist[run] @ file:///tmp/isovist-0.1.0-py3-none-any.whl'"),
    ],
)
def test_the_command_names_the_source(monkeypatch: pytest.MonkeyPatch, source: object, expected: str) -> None:
    installed(monkeypatch, source)
    assert install_command("run") == expected
    assert install_command(package="pandas") == "pip install pandas"
    installed(monkeypatch, source, pip=False)  # an environment made by uv has no pip
    assert install_command("run") == expected.replace("pip install", f"uv pip install --python {shlex.quote(sys.executable)}")


@pytest.mark.parametrize("text", ["", "{", "\x00"])
def test_a_damaged_record_counts_as_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    installed(monkeypatch, None, text=text)
    assert install_command("run") == "pip install 'isovist[run]'"


def test_without_an_installation_the_index_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", absent)
    assert "'isovist[run]'" in install_command("run")


def test_the_environment_of_a_checkout_is_synchronized(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checkout = tmp_path / "my checkout"
    (checkout / "scripts").mkdir(parents=True)
    (checkout / "scripts" / "uv").touch()
    installed(monkeypatch, {"url": checkout.as_uri(), "dir_info": {"editable": True}}, pip=False)
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    monkeypatch.chdir(checkout)
    assert install_command("scene") == "./scripts/uv sync --no-dev --inexact --extra scene"
    assert install_command(package="pandas") == "./scripts/uv pip install pandas"
    monkeypatch.chdir(tmp_path)
    assert shlex.split(install_command("scene"))[0] == str(checkout / "scripts" / "uv")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "other"))  # another environment, with the checkout installed into it
    assert install_command("scene").endswith(f"-e '{checkout}[scene]'")


def test_an_extra_is_required_before_work() -> None:
    require_extra("run", "a model", "json", "csv")
    with pytest.raises(MissingDependencyError, match=r"^Missing extra 'run' for a model\. Run `.*run.*`"):
        require_extra("run", "a model", "json", "no_such_module")


def test_every_extra_that_a_message_names_exists() -> None:
    source = Path(installation.__file__).parents[1]
    named = {
        extra
        for path in source.rglob("*.py")
        for extra in re.findall(r'(?:MissingDependencyError\([^()]*, |require_extra\(|install_command\()"(\w+)"', path.read_text("utf-8"))
    }
    extras: dict[str, set[str]] = {}
    for line in requires("isovist") or ():
        if match := re.match(r"([\w-]+).*extra == ['\"]([\w-]+)['\"]", line):
            extras.setdefault(match[2], set()).add(match[1])
    assert {"run", "providers", "audit", "scene", "annotate"} <= named <= extras.keys()
    assert extras["run"] < extras["providers"], "one extra is enough for a provider"
    heavy = ("hf", "paint", "train", "ray", "wandb", "mlflow")
    assert extras["all"] == set().union(*(extras[name] for name in extras.keys() - {"all", *heavy}))
    assert "torch" not in extras["all"]
