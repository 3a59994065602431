"""A task whose pictures are stages goes the whole way: items, rows, data folder, gallery, conformance; and without the extra it
says what is missing.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from workbench import install, isovist, refused

from isovist.audit.testing import conformance
from isovist.common.errors import MissingDependencyError
from isovist.common.installation import install_command
from isovist.core.answers import Choice
from isovist.core.scene3d import Box, Camera, Cone, Group, Part, Pose, Scene3D, SceneObject, facing
from isovist.core.task import Answers, Checks, Exemption, Images, Question, SamplingContext, Task
from isovist.data.dataset.generate import generate
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.rows import item_to_row
from isovist.data.dataset.verify import verify
from isovist.data.items import Items
from isovist.reporting.reports.gallery import gallery
from isovist.suites import registry
from isovist.world.render import scene_image

SIDES = ("left", "right")
CAR = Group((Part(Box((0.5, 0.4, 1.0))), Part(Cone(0.2, 0.4), Pose((0.0, 0.2, 0.5), pitch=90.0), colour="#d01010")))


@dataclass(frozen=True)
class Scene:
    yaw: float
    place: float
    hue: int
    eye: float

    @property
    def side(self) -> int:
        return int(self.yaw > 0)


def sample(plan: SamplingContext) -> Scene:
    rng = plan.item_rng
    return Scene((1, -1)[plan.stratum == 0] * rng.uniform(40, 140), rng.uniform(-0.3, 0.3), rng.integer(90, 200), rng.uniform(0.8, 2))


def draw(scene: Scene) -> tuple[Scene3D, ...]:
    solid = SceneObject(CAR, Pose((scene.place, 0.0, 0.0), scene.yaw), colour=f"#{scene.hue:02x}{scene.hue:02x}80")
    return (Scene3D((solid,), Camera((scene.place, scene.eye, 5.0), (scene.place, 0.3, 0.0), fov=30.0, width=128, height=96)),)


def ask(scene: Scene) -> Question:
    return Question("To which side of the picture does the red nose point?", Choice(SIDES, scene.side))


def read(pictures: tuple[Scene3D, ...], words: str) -> str:
    (stage,) = pictures
    return SIDES[facing(stage.camera, stage.objects[0].pose) > 0]


TASK = Task(
    id="trial/nose-side",
    version=1,
    summary="To which side a block points.",
    sample=sample,
    draw=draw,
    ask=ask,
    rederive=read,
    answers=Answers(type="choice", strata=2),
    skills=("orientation",),
    images=Images(size_px=96),
    checks=Checks(exemptions={"pixels": Exemption("a trial of two sides", 1.0)}),
)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data folders name their tasks by id."""
    install(monkeypatch, TASK)


@pytest.mark.parametrize(
    "check", [check for check in conformance.CHECKS if check is not conformance.nothing_leaks], ids=lambda c: c.__name__
)
def test_conformance(check: Callable[[Task[Any]], None]) -> None:
    check(TASK)


def test_the_rows_of_its_items_hold_its_pixels() -> None:
    for item in Items(TASK, 3):
        (stage,) = item.pictures
        (pixels,) = item.pixels()
        assert pixels.shape == (96, 128, 3)
        assert isinstance(stage, Scene3D)
        assert (pixels == scene_image.pixels(stage, 96)).all()
        assert (np.asarray(item.images[0]) == pixels).all()
        with Image.open(io.BytesIO(item_to_row(item).images[0])) as image:
            assert (np.asarray(image) == pixels).all()
    assert Items(TASK, 1, settings=(("size", 192),))[0].pixels()[0].shape == (192, 256, 3)


def test_a_data_folder_of_it_verifies_and_a_gallery_shows_it(tmp_path: Path) -> None:
    part = DataPart(TASK.id, 1, "test", 4)
    generate([part], tmp_path / "data")
    assert list(verify(tmp_path / "data", [part])) == [(4, [])]
    assert TASK.id in (tmp_path / "data" / "README.md").read_text()
    page = gallery([TASK], tmp_path / "gallery", samples=2)
    assert len(list((tmp_path / "gallery" / "images").iterdir())) == 2
    assert "red nose" in page.read_text()


def test_it_is_compiled_before_the_workers_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing part is told here, in one line, and not by a worker that dies."""
    drawn: list[Scene3D] = []

    def fails(stage: Scene3D, size: int) -> None:
        drawn.append(stage)
        raise MissingDependencyError("a picture of a three-dimensional scene", "scene")

    monkeypatch.setattr(scene_image, "pixels", fails)
    with pytest.raises(MissingDependencyError, match=f"Missing extra 'scene'.*{re.escape(install_command('scene'))}"):
        generate([DataPart(TASK.id, 1, "test", 4), DataPart(TASK.id, 1, "train", 4)], tmp_path / "data", workers=2)
    assert len(drawn) == 1
    with pytest.raises(MissingDependencyError, match="Missing extra 'scene'"):
        list(verify(tmp_path / "data", [DataPart(TASK.id, 1, "test", 4)]))


def test_without_numba_everything_but_the_pixels_works() -> None:
    code = """if True:
    import sys
    sys.modules["numba"] = sys.modules["trimesh"] = None
    import isovist
    from isovist.core.drawing2d import Drawing
    from isovist.core.scene3d import Camera, Scene3D, project
    from isovist.world.render import pixels
    print(pixels(Drawing(()), 96).shape, project(Camera((0, 0, 4)), (0, 0, 0))[2])
    for _ in range(2):
        try:
            pixels(Scene3D((), Camera((0, 1, 4))), 96)
        except isovist.common.errors.MissingDependencyError as missing:
            print(missing)
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    line = f"Missing extra 'scene' for 3-D scenes. Run `{install_command('scene')}`."
    assert ran.stdout.splitlines() == ["(96, 96, 3) 4.0", line, line]


def test_without_the_extra_nothing_is_written_and_the_gallery_does_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("isovist.world.render.find_spec", lambda name: None)
    for command in ("generate", "gallery"):
        refused(isovist(command, "dori/view-parallelism", "--out", tmp_path / "out"), install_command("scene"))
    refused(isovist("run", "dori/view-parallelism", "--model", "simulated/random", "--out", tmp_path / "out"), install_command("scene"))
    assert not (tmp_path / "out").exists()
    ended = isovist("gallery", "--samples", 1, "--out", tmp_path / "out")
    assert ended.code == 0
    left_out = {line.split()[1].rstrip(".") for line in ended.err.splitlines() if line.startswith("Skipped ")}
    assert "dori/view-parallelism" in left_out
    assert left_out == {id for id, task in registry.tasks().items() if Items(task, 1)[0].scenes3d}
