"""The commands of docs/worked-example.md, run one after another: what they print is what the page says they print.

python tests/worked_example.py      # runs them and writes their output into the page
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import isovist

PAGE = Path(__file__).parents[1] / "docs" / "worked-example.md"
BLOCK = re.compile(r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """The commands of each block and what they print; nothing where the page does not show it."""
    return [(match["commands"], match["output"] or "") for match in BLOCK.finditer(page)]


def printed(commands: str, folder: Path) -> str:
    """What commands print in a folder, progress apart. Raises CalledProcessError if one fails."""
    search = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    source = str(Path(isovist.__file__).parents[1])  # what is tested, whatever is installed
    environment = os.environ | {"PATH": search, "PYTHONPATH": source, "COLUMNS": "200"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines()).strip("\n") + "\n"


def run(page: str, folder: Path) -> list[tuple[str, str, str]]:
    """For each block whose output the page shows: the commands, what the page shows, and what they print."""
    examples = [(commands, shown, printed(commands, folder)) for commands, shown in blocks(page)]
    return [(commands, shown, now) for commands, shown, now in examples if shown]


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for commands, shown, now in run(page, Path(folder)):
            page = page.replace(f"```sh\n{commands}```\n\n```text\n{shown}```", f"```sh\n{commands}```\n\n```text\n{now}```", 1)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
