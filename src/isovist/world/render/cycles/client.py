"""Client of a Blender process: find, start, request renders."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.common.errors import UserError
from isovist.core.scene3d import Scene3D
from isovist.world.render.cycles import scene_files

PYTHON = "ISOVIST_BLENDER_PYTHON"
"""The environment variable with the path of a Python that can import `bpy`."""
SAMPLES = 8
"""Light paths per pixel; a denoiser removes the remaining noise."""
_HOW = (
    "pictures by Cycles need Blender in an environment of its own: `python3.11 -m venv blender && blender/bin/pip install "
    f"'bpy==4.5.*'`, then `export {PYTHON}=$PWD/blender/bin/python`"
)


def python() -> Path:
    """Return the Python that can import `bpy`. Raises UserError with instructions if none is set or it does not exist."""
    named = os.environ.get(PYTHON)
    if not named:
        raise UserError(f"{_HOW}.")
    path = Path(named).expanduser()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UserError(f"{PYTHON}={named}: no program; {_HOW}.")
    return path


class Blender:
    """A running worker. `version`: of Blender, such as "4.5.15"."""

    def __init__(self) -> None:
        """Start the worker. Raises UserError if it does not start."""
        self._folder = Path(tempfile.mkdtemp(prefix="isovist-cycles-"))
        (self._folder / "pictures").mkdir()
        (self._folder / "job").mkdir()
        atexit.register(self.close)
        self._log = (self._folder / "log").open("w+b")
        worker = Path(__file__).with_name("blender_worker.py")
        # isolated from the environment of Isovist, which has another version of NumPy
        self._process = subprocess.Popen(
            [python(), "-I", worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, encoding="utf-8"
        )
        self.version = str(self._answer().get("blender"))

    def light(self, stage: Scene3D, size: int | None) -> NDArray[np.float32]:
        """Return the linear light of each pixel, (height, width, 3), before markers, mirroring and rotation. Raises UserError."""
        return self._drawn(stage, size, solids=False)[0]

    def solids(self, stage: Scene3D, size: int | None) -> NDArray[np.int32]:
        """Return the index of the object at the centre of each pixel, (height, width); -1: sky, -2: ground."""
        places = self._drawn(stage, size, solids=True)[1]
        assert places is not None  # noqa: S101 - was requested
        return places

    def _drawn(self, stage: Scene3D, size: int | None, *, solids: bool) -> tuple[NDArray[np.float32], NDArray[np.int32] | None]:
        job = self._folder / "job"
        scene_files.write(stage, size, job, self._folder / "pictures")
        samples = 1 if solids else SAMPLES
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with contextlib.suppress(BrokenPipeError):  # the missing answer reports the error
            print(json.dumps({"folder": str(job), "samples": samples, "solids": solids}), file=self._process.stdin, flush=True)
        answer = self._answer()
        if "error" in answer:
            raise UserError(f"Cycles could not draw a scene ({answer['error']}).")
        light: NDArray[np.float32] = np.load(job / scene_files.LIGHT, allow_pickle=False)
        return light, np.load(job / scene_files.SOLIDS, allow_pickle=False) if solids else None

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        line = self._process.stdout.readline()
        if line.startswith("{"):
            return json.loads(line)
        self._process.kill()
        self._process.wait()
        self._log.seek(0)
        log_lines = self._log.read().decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise UserError(f"{PYTHON}={python()}: Blender ended ({log_lines[-1]}); {_HOW}.")

    def close(self) -> None:
        """Stop the worker and remove its files."""
        if hasattr(self, "_process"):
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
        if hasattr(self, "_log"):
            self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def blender() -> Blender:
    """Return the worker of this process, started on first use. Raises UserError."""
    return Blender()
