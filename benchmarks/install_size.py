"""The size of an installation: `du -sm` of site-packages in fresh virtual environments, in which pip installs this checkout.

python benchmarks/install_size.py                     # no extra, run, run with scene, providers
python benchmarks/install_size.py scene,annotate all  # other sets of extras

pip itself and setuptools are included, about 28 MB. The largest packages follow each size.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETS = ("", "run", "run,scene", "providers")
SHOWN = 6


def megabytes(*paths: Path) -> list[tuple[int, str]]:
    lines = subprocess.run(["du", "-sm", *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(int(size), Path(path).name) for size, _, path in (line.partition("\t") for line in lines)]


def main() -> None:
    for extras in sys.argv[1:] or SETS:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            source = f"{ROOT}[{extras}]" if extras else str(ROOT)
            command = [Path(folder) / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", source]
            subprocess.run(command, check=True)
            (packages,) = Path(folder).glob("lib/python*/site-packages")
            ((size, _),) = megabytes(packages)
            largest = sorted(megabytes(*packages.iterdir()), reverse=True)[:SHOWN]
            print(f"{extras or 'no extra':<20}{size:>6} MB   {', '.join(f'{name} {each}' for each, name in largest)}", flush=True)


if __name__ == "__main__":
    main()
