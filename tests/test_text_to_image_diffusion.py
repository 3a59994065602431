"""Generated pictures from end to end with `diffusers`: tiny pipelines of random weights, of the two kinds that SRBench used.

They need torch and diffusers and are skipped without them; `just test-paint` runs them all.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from generated_images import writes
from PIL import Image
from scripted import serving
from workbench import contents, done, isovist, refused, stored

from isovist.common.errors import UserError
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.text_to_image import description_writer, diffusion, image_generation, model_presets

KINDS = ("flux", "sd")
WORDS = re.findall(
    r"\w+",
    "A sharp photograph of a red car dog truck in front quiet street yard and its pointing to the left right camera away towards",
)
CAR, SEED = "A photograph of a red car in a quiet street, its front to the left.", 2**62 + 5
SMALL = ("--steps", 2, "--image-size", 32)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny pipeline, by its kind."""
    for library in ("torch", "diffusers", "transformers"):
        pytest.importorskip(library, reason=f"{library} is not installed; `just test-paint` runs this")
    import tiny_diffusion_model

    tiny_diffusion_model.torch.set_num_threads(1)
    base = tmp_path_factory.mktemp("painters")
    return lambda kind: base / kind if (base / kind).exists() else tiny_diffusion_model.BUILDERS[kind](base / kind, WORDS)


def painter(folder: Path, kind: str, *, steps: int = 2, guidance: float = 3.5, size: int = 32) -> diffusion.Diffusion:
    return diffusion.load(model_presets.settings(kind, model=str(folder), steps=steps, guidance=guidance, size=size))


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_depends_on_words_seed_and_settings_and_on_nothing_else(tiny: Callable[[str], Path], kind: str) -> None:
    folder = tiny(kind)
    one = painter(folder, kind)
    picture = one.draw(CAR, SEED)
    one.draw("A photograph of a dog in a yard that looks away.", 3)
    assert one.draw(CAR, SEED) == picture  # whatever was drawn before
    assert painter(folder, kind).draw(CAR, SEED) == picture
    assert re.match(r"diffusers [\d.]+, torch \S+, (cpu|cuda), \w+", one.made_with)

    assert one.draw(CAR.replace("left", "right"), SEED) != picture
    assert one.draw(CAR, SEED + 1) != picture
    for other in (painter(folder, kind, steps=3), painter(folder, kind, guidance=7.0)):
        assert other.draw(CAR, SEED) != picture


@pytest.mark.parametrize("kind", KINDS)
def test_from_a_writer_to_a_report(tiny: Callable[[str], Path], tmp_path: Path, kind: str) -> None:
    folder, data = tmp_path / "painted", tmp_path / "data"
    with serving(writes()) as server:
        done("text-to-image", "describe", "--model", "m", "--base-url", server.url, "--n", 6, "--out", folder)
    draw = ("text-to-image", "generate", folder, "--painter", kind, "--model", tiny(kind), *SMALL)
    done(*draw, "--n", 4)
    before = contents(folder / "pictures")
    assert len(before) == 4
    ended = done(*draw)
    assert "2 images generated, 4 already present" in ended.out
    assert "unknown, ask its maker" in ended.err  # these are not the weights that SRBench used
    assert before.items() <= contents(folder / "pictures").items()
    for one in image_generation.read(folder):
        with Image.open(folder / one.file) as image:
            pixels = np.asarray(image)
        assert pixels.shape == (32, 32, 3)
        assert pixels.std() > 1
        assert one.seed == next(description.seed for description in description_writer.read(folder) if description.id == one.description)
        assert one.settings["steps"] == 2
    store = Store(folder / ANSWERS)
    for card in annotation_jobs.job(folder, folder).cards:
        store.put("Ada", card.id, card.digest, "left")
    done("text-to-image", "questions", folder, "--out", data)
    rows = stored(data)
    assert len(rows) == 12
    assert {row.metadata.attributes["painter"] for row in rows} == {kind}
    assert "diffusers" in rows[0].metadata.scene["painter"]["made with"]
    assert str(tiny(kind).parent) not in rows[0].metadata_json  # no folder of this machine
    done("verify", data)
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")


def test_what_cannot_be_loaded_is_told_in_one_line(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "painted"
    with serving(writes()) as server:
        done("text-to-image", "describe", "--model", "m", "--base-url", server.url, "--n", 2, "--out", folder)
    before = contents(folder)
    draw = ("text-to-image", "generate", folder, "--painter", "mine", *SMALL, "--model")
    (tmp_path / "empty").mkdir()
    refused(isovist(*draw, tmp_path / "empty"), "cannot be loaded")
    pickled = Path(shutil.copytree(tiny("flux"), tmp_path / "pickled"))
    for path in pickled.rglob("*.safetensors"):
        path.rename(path.with_suffix(".bin"))
    refused(isovist(*draw, pickled), "cannot be loaded")
    foreign = Path(shutil.copytree(tiny("flux"), tmp_path / "foreign"))
    index = json.loads((foreign / "model_index.json").read_text())
    index["_class_name"] = "NoSuchPipeline"
    (foreign / "model_index.json").write_text(json.dumps(index))
    refused(isovist(*draw, foreign), "cannot be loaded")
    assert contents(folder) == before


def test_settings_that_a_pipeline_refuses_are_told_in_one_line(tiny: Callable[[str], Path]) -> None:
    one = painter(tiny("sd"), "sd")
    one.settings = replace(one.settings, tokens=100_000)
    with pytest.raises(UserError, match="cannot draw with these settings"):
        one.draw(CAR, SEED)


def test_without_memory_the_way_out_is_told() -> None:
    class Full:
        def __call__(self, prompt: str) -> object:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    pytest.importorskip("torch", reason="torch is not installed; `just test-paint` runs this")
    full = diffusion.Diffusion(model_presets.FLUX, Full(), "none")
    with pytest.raises(UserError, match="--offload"):
        full.draw(CAR, SEED)
