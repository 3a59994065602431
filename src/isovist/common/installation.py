"""How this installation of Isovist is extended: the command that adds an extra or a package to it."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install_command(extra: str = "", *, package: str = "") -> str:
    """The shell command that adds `extra`, or else `package`, to this installation.

    An installation from an index gives `pip install 'isovist[run]'`. One from a folder, a repository or a file names that source, as the
    file `direct_url.json` of the installation has it (PEP 610). The environment `.venv` of a checkout is synchronized with its lock file.
    """
    try:
        source: dict[str, Any] = json.loads(distribution("isovist").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        source = {}
    url = str(source.get("url", ""))
    folder = Path(url2pathname(urlsplit(url).path)) if "dir_info" in source else None
    uv = "uv"
    if folder and (folder / "scripts" / "uv").is_file():
        checkout_uv = "./scripts/uv" if Path.cwd() == folder else shlex.quote(str(folder / "scripts" / "uv"))
        if Path(sys.prefix) == folder / ".venv":
            # --inexact: a sync with one extra would remove the others
            return f"{checkout_uv} sync --no-dev --inexact --extra {extra}" if extra else f"{checkout_uv} pip install {package}"
        uv = uv if which(uv) else checkout_uv
    pip = "pip install" if find_spec("pip") else f"{uv} pip install --python {shlex.quote(sys.executable)}"
    if not extra:
        return f"{pip} {package}"
    if folder:
        editable = "-e " if source["dir_info"].get("editable") else ""
        return f"{pip} {editable}{shlex.quote(f'{folder}[{extra}]')}"
    if version_control := source.get("vcs_info"):
        revision = version_control.get("requested_revision")
        return f"{pip} 'isovist[{extra}] @ {version_control['vcs']}+{url}{f'@{revision}' if revision else ''}'"
    return f"{pip} 'isovist[{extra}]{f' @ {url}' if url else ''}'"
