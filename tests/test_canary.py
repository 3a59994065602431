"""The canary: in all that Isovist writes of test items, in nothing that it writes for training, and in no comparison."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from workbench import contents, done, parquet, records, spoil, stored

import isovist
from isovist.common import canary
from isovist.common.canary import GUID, NOTICE, marked, unmarked
from isovist.data.dataset.mixture import read_examples
from isovist.data.dataset.pictures import converted
from isovist.data.dataset.rows import ItemRow, item_to_row
from isovist.data.dataset.training_examples import of_item
from isovist.data.exporters.formats import FORMATS
from isovist.evaluation.predictions.item_matching import digest
from isovist.evaluation.run.records import hashed
from isovist.evaluation.run.worked_examples import WorkedExamples
from isovist.suites import registry
from isovist.training.contamination import ContaminationError, build_test_index, mark

TASK, OTHER = "cdr/relative-compass-letter", "perceptv/counting-circles"
N = 4
RECIPE = f"""
about = "a small one"
[[parts]]
tasks = ["{TASK}"]
n = 6
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both splits."""
    out = tmp_path_factory.mktemp("canary") / "data"
    for split in ("test", "train"):
        done("generate", TASK, OTHER, "--n", N, "--split", split, "--workers", 1, "--out", out)
    return out


def has_canary(data: bytes) -> bool:
    """Whether the string is in a file, as `grep` finds it."""
    return GUID.encode() in data


def images(folder: Path, split: str) -> list[bytes]:
    return [image for row in stored(folder) if row.split == split for image in row.images]


def without_canary(rows: list[dict[str, Any]]) -> None:
    """As data from before the canary."""
    for row in rows:
        for image in row["images"]:
            image["bytes"] = unmarked(image["bytes"])


# The chunk --------------------------------------------------------------------------------------------------------


def test_the_string_never_changes() -> None:
    assert GUID == "9706a23f-92d6-44d2-aa62-cea17a6f89b9"
    assert GUID in NOTICE


def test_an_image_has_the_chunk_and_the_same_pixels() -> None:
    item = isovist.generate(TASK, n=1)[0]
    (image,) = item_to_row(item).images
    with Image.open(io.BytesIO(image)) as opened:
        opened.verify()  # the checksums of the chunks
    with Image.open(io.BytesIO(image)) as opened:
        assert opened.text == {"Comment": NOTICE}  # type: ignore[attr-defined]
        assert np.array_equal(np.asarray(opened), item.pixels()[0])
    assert 0 < len(image) - len(unmarked(image)) < 100
    assert marked(unmarked(image)) == image
    assert unmarked(unmarked(image)) == unmarked(image)


@pytest.mark.parametrize("data", [b"", b"GUID", b"\xff\xd8\xff" + NOTICE.encode(), b"\x89PNG\r\n\x1a\n"])
def test_other_files_have_nothing_to_remove(data: bytes) -> None:
    assert unmarked(data) == data


@pytest.mark.parametrize("name", ["png", "webp", "jpeg"])
def test_an_image_is_converted_as_before(name: str) -> None:
    (image,) = item_to_row(isovist.generate(TASK, n=1)[0]).images
    a, b = (converted(each, name) for each in (image, unmarked(image)))
    assert unmarked(a) == unmarked(b)


# Where it is ------------------------------------------------------------------------------------------------------


def test_a_dataset_folder_has_it_in_test_data_alone(folder: Path) -> None:
    files = {path: has_canary(data) for path, data in contents(folder).items() if path.endswith((".parquet", ".md"))}
    assert {path for path, found in files.items() if found} == {path for path in files if "train" not in path}
    assert len(files) == 5
    assert all(map(has_canary, images(folder, "test")))
    assert not any(map(has_canary, images(folder, "train")))
    for split in ("test", "train"):
        metadata = pq.read_schema(parquet(folder, TASK, split)).metadata
        assert metadata.get(b"canary") == (NOTICE.encode() if split == "test" else None)
        assert b"huggingface" in metadata
    assert not any(GUID in row.prompt or GUID in row.metadata_json for row in stored(folder))


def test_other_tools_read_it(folder: Path, tmp_path: Path) -> None:
    loaded: Any = datasets.load_dataset(str(folder), TASK.replace("/", "-"), cache_dir=str(tmp_path))
    assert {name: len(split) for name, split in loaded.items()} == {"test": N, "train": N}
    assert loaded["test"][0]["images"][0].text == {"Comment": NOTICE}


def test_a_card_of_training_data_does_not_have_it(tmp_path: Path) -> None:
    done("generate", TASK, "--n", 2, "--split", "train", "--workers", 1, "--out", tmp_path / "data")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    done("mix", tmp_path / "recipe.toml", "--out", tmp_path / "mix", "--workers", 1)
    done("export", tmp_path / "data", "--format", "llava", "--out", tmp_path / "out")
    done("export", tmp_path / "mix", "--format", "trl-sft", "--out", tmp_path / "trl")
    assert not any(has_canary(data) for data in contents(tmp_path).values())
    assert not any(has_canary(image) for one in read_examples(tmp_path / "mix") for image in one.images)
    assert not has_canary(of_item(isovist.generate(TASK, n=1, split="train")[0]).images[0])


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_of_test_items_has_it(folder: Path, tmp_path: Path, name: str) -> None:
    done("export", folder, "--format", name, "--split", "test", "--out", tmp_path / "out")
    files = contents(tmp_path / "out")
    assert has_canary(files["README.md"])
    assert json.loads(files["isovist-export.json"])["canary"] == NOTICE
    if FORMATS[name].takes == "rows":
        data = {path: data for path, data in files.items() if path.endswith((".parquet", ".tsv", ".yaml")) and path != "isovist.yaml"}
        assert data
        assert all(map(has_canary, data.values()))
    for path, data in files.items():
        assert has_canary(data) or not path.endswith(".png")


def test_an_evaluation_export_of_train_items_does_not_have_it(folder: Path, tmp_path: Path) -> None:
    for name in ("vlmevalkit", "lmms-eval", "evalscope"):
        done("export", folder, "--format", name, "--split", "train", "--out", tmp_path / name)
    # the card is that of the whole folder
    assert not any(has_canary(data) for path, data in contents(tmp_path).items() if not path.endswith("DATA-CARD.md"))


def test_pages_with_keys_have_it(folder: Path, tmp_path: Path) -> None:
    done("gallery", TASK, "--samples", 1, "--out", tmp_path / "gallery")
    for split in ("test", "train"):
        done("run", "--data", folder, "--split", split, "--model", "simulated/random", "--out", tmp_path / split)
        done("report", tmp_path / split, "--out", tmp_path / f"{split}-report")
    meta = f'<meta name="canary" content="{NOTICE}">'
    for page in ("gallery/index.html", "test-report/index.html", "test-report/items.html"):
        assert (tmp_path / page).read_text().count(meta) == 1, page
    assert has_canary((tmp_path / "test-report" / "items" / "text-00000.js").read_bytes())
    assert not any(has_canary(data) for data in contents(tmp_path / "train-report").values())


# What must not see it ---------------------------------------------------------------------------------------------


def test_data_from_before_the_canary_verify(folder: Path, copied: Callable[[Path], Path]) -> None:
    old = copied(folder)
    spoil(parquet(old, TASK), without_canary)
    assert not any(has_canary(image) for row in stored(old, TASK) for image in row.images)
    assert "0 differ" in done("verify", old, TASK).out
    now, before = (
        [row.content for row in sorted(stored(each, TASK), key=lambda row: row.id) if row.split == "test"] for each in (folder, old)
    )
    assert now == before


def test_runs_on_data_from_before_the_canary_have_the_same_image_hashes(folder: Path, tmp_path: Path) -> None:
    done("run", TASK, "--n", N, "--model", "simulated/random", "--out", tmp_path / "run")
    rows = {row.id: row for row in stored(folder)}
    for record in records(tmp_path / "run"):
        assert record["image_hashes"] == [hashed(unmarked(image)) for image in rows[record["item_id"]].images]


def test_predictions_are_found_by_images_from_before_the_canary() -> None:
    (image,) = item_to_row(isovist.generate(TASK, n=1)[0]).images
    assert digest(image) == digest(unmarked(image))


def test_a_training_image_that_is_a_test_image_is_found(folder: Path, copied: Callable[[Path], Path]) -> None:
    """The test image has the chunk, the training image has not: a comparison of bytes would find nothing."""
    item = isovist.generate(TASK, n=1, split="train")[0]
    (image,) = of_item(item).images
    other = copied(folder)

    def same_image(rows: list[dict[str, Any]]) -> None:
        rows[0]["images"][0]["bytes"] = marked(image)
        metadata = json.loads(rows[0]["metadata"])
        metadata["scene"] = None
        rows[0]["metadata"] = json.dumps(metadata)

    spoil(parquet(other, TASK), same_image)
    index = build_test_index([other], [registry.task(TASK)], lambda n: None)
    with pytest.raises(ContaminationError, match="same image"):
        index.check(mark(item, [image], "key", against=True))
    assert index.shows(image)
    assert index.shows(converted(image, "webp"))
    assert build_test_index([folder], [registry.task(TASK)], lambda n: None).shows(image) is None


def test_a_worked_example_never_shows_the_image_of_the_question(folder: Path, copied: Callable[[Path], Path]) -> None:
    data = copied(folder)
    row = next(row for row in stored(data, TASK) if row.split == "test")

    def same_image(rows: list[dict[str, Any]]) -> None:
        for train in rows[: N - 1]:
            train["images"][0]["bytes"] = unmarked(row.images[0])

    def shown() -> list[ItemRow]:
        return WorkedExamples(data, data)(row, 1)

    spoil(parquet(data, TASK, "train"), same_image)
    (example,) = shown()
    assert unmarked(example.images[0]) != unmarked(row.images[0])


def test_a_page_of_base64_has_the_string_in_its_head(folder: Path, tmp_path: Path) -> None:
    """The chunk of an embedded image is not found by the string."""
    (image, *_) = images(folder, "test")
    assert GUID not in base64.b64encode(image).decode()
    done("run", "--data", folder, "--split", "test", "--model", "simulated/random", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert re.search(r"data:image/png;base64", page)
    assert page.index(canary.NAME) < page.index("</head>")
