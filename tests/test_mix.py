"""A mix is what its recipe says, the same however it is made, and nothing of it is in a test or comes twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow.parquet as pq
import pytest
from external_data_files import BAD, bad, good, written
from workbench import contents, done, edit, isovist, refused, spawned, spoil, started, stored, until

import isovist as api
from isovist.core import task as core
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.data.dataset.mixture import MIX, Mix, read_examples
from isovist.suites import registry
from isovist.training import mixture_builder, shard_writer
from isovist.training.recipe import shipped

REASONED = "cdr/relative-compass-icon"
BARE = "cdr/object-classification-letter"
LAYERS = "perceptv/layered-colours"
RECIPE = f"""
about = "a small one"
seed = 4
[[parts]]
tasks = ["{REASONED}", "{BARE}"]
n = 24
settings = {{ size = 96 }}
reasoning = "0.5 where there is"
"""
GENERAL = '\n[general]\nn = 9\nname = "talk"\nlicence = "Ours."\n'


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_writer, "ROWS_PER_FILE", 20)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(RECIPE)
    return tmp_path / "mine.toml"


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[Any, ...]:
    """The command for a mix with general data, but for its folder."""
    (tmp_path / "both.toml").write_text(RECIPE + GENERAL)
    images = tmp_path / "images"
    records = good(images, 12)
    path = written(tmp_path / "talk.json", [*bad(images), *records])
    return ("mix", tmp_path / "both.toml", "--external-data", path, "--external-image-dir", images, "--out")


# What comes out ---------------------------------------------------------------------------------------------------


def test_a_mix_holds_what_its_recipe_says_in_shuffled_order(recipe: Path, tmp_path: Path) -> None:
    ended = done("mix", recipe, "--out", tmp_path / "mix", "--workers", 1)
    assert "48 examples" in ended.out
    assert sorted(contents(tmp_path / "mix")) == ["README.md", MIX, *(f"train-0000{k}-of-00003.parquet" for k in range(3))]
    mix = Mix.read(tmp_path / "mix")
    assert mix.counts == {f"{BARE}/answer": 24, f"{REASONED}/answer": 12, f"{REASONED}/reasoning": 12}
    assert (mix.recipe["seed"], mix.inputs) == (4, {name: f"version {registry.task(name).version}" for name in (REASONED, BARE)})
    examples = list(read_examples(tmp_path / "mix"))
    assert Counter(f"{one.source}/{one.kind}" for one in examples) == mix.counts
    items_by_id = {item.id: item for task in (REASONED, BARE) for item in api.generate(task, n=24, seed=4, split="train", size=96)}
    assert {one.id.rpartition("/")[0] for one in examples} == set(items_by_id)
    for one in examples:
        item = items_by_id[one.id.rpartition("/")[0]]
        assert one.answer == item.answer
        assert one.reply == (item.reasoning if one.kind == "reasoning" else item.answer.canonical())
    assert [one.source for one in examples] != sorted(one.source for one in examples)


def test_workers_files_and_interruptions_change_nothing(
    recipe: Path, mixed: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(*mixed, tmp_path / "one", "--workers", 1)
    done(*mixed, tmp_path / "two", "--workers", 2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    fill = shard_writer.fill

    def stop(job: shard_writer.Job, file: int) -> int:
        if file == 2:
            raise KeyboardInterrupt
        return fill(job, file)

    monkeypatch.setattr(shard_writer, "fill", stop)
    ended = isovist(*mixed, tmp_path / "three", "--workers", 1)
    assert (ended.code, ended.err) == (130, "isovist: interrupted. Run the same command again to resume.\n")
    assert [path.name for path in (tmp_path / "three").iterdir()] == [PARTIAL]
    refused(isovist("mix", recipe, "--out", tmp_path / "three"), "another request")
    monkeypatch.setattr(shard_writer, "fill", fill)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "three" / PARTIAL).glob("*.parquet")}
    assert len(before) == 2
    done(*mixed, tmp_path / "three", "--workers", 1)
    assert contents(tmp_path / "three") == contents(tmp_path / "one")
    assert {name: (tmp_path / "three" / name).stat().st_mtime_ns for name in before} == before  # what was finished is not made again


def test_external_data_are_mixed_with_the_items_and_unusable_records_are_reported(mixed: tuple[Any, ...], tmp_path: Path) -> None:
    ended = done(*mixed, tmp_path / "mix", "--workers", 1)
    examples = list(read_examples(tmp_path / "mix"))
    places = [place for place, one in enumerate(examples) if one.kind == "general"]
    assert len(places) == 9
    assert places != list(range(48, 57))
    rejected = [json.loads(line) for line in (tmp_path / "mix" / mixture_builder.SKIPPED).read_text().splitlines()]
    assert rejected
    for one in rejected:
        assert list(BAD)[one["number"]] == one["reason"]
        assert one["reason"] in ended.err
    assert f"Skipped {len(rejected)} drawn records" in ended.err


def test_the_card_says_what_went_in(mixed: tuple[Any, ...], data: Path, tmp_path: Path) -> None:
    done(*mixed, tmp_path / "mix", "--workers", 1, "--exclude-test-data", data)
    card = (tmp_path / "mix" / "README.md").read_text()
    assert f"| {REASONED} | 12 | 12 | - | {registry.task(REASONED).version} | train | 4 | all | size=96 |" in card
    assert f"| {BARE} | 24 | 0 | - | {registry.task(BARE).version} | train | 4 | all | size=96 |" in card
    assert "| talk | - | - | 9 |" in card
    assert "license: other" in card
    assert "The general data stay under the licences of their owners. Ours." in card
    assert "Compared with 48 test items" in card
    assert "9 of the 24 general records were drawn by seed 4" in card
    assert "Phosphor" in card
    assert "Inter" in card
    assert "a small one" in card
    mix = Mix.read(tmp_path / "mix")
    assert mix.inputs["general talk"].startswith("talk.json, sha256 ")
    assert mix.inputs["against 1"].startswith("data, sha256 ")


def test_a_mix_loads_with_datasets(mixed: tuple[Any, ...], tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    done(*mixed, tmp_path / "mix", "--workers", 1)
    loaded = datasets.load_dataset(str(tmp_path / "mix"), cache_dir=str(tmp_path / "cache"))["train"]
    examples = list(read_examples(tmp_path / "mix"))
    assert loaded["id"][:] == [one.id for one in examples]
    for row, one in zip(loaded, examples, strict=True):
        assert len(row["images"]) == len(one.images)
        assert [turn["content"] for turn in row["turns"]] == [turn.content for turn in one.turns]
        if one.kind != "general":
            assert row["images"][0].size == (96, 96)


def test_an_empty_recipe_is_an_empty_mix(tmp_path: Path) -> None:
    done("mix", "cdr-base", "--out", tmp_path / "mix")
    assert list(read_examples(tmp_path / "mix")) == []
    assert len(Mix.read(tmp_path / "mix")) == 0


def test_recipes_are_listed_and_shown() -> None:
    listed = done("mix", "--list-recipes").out.splitlines()
    assert [line.split()[0] for line in listed] == list(shipped())
    assert next(line for line in listed if line.startswith("cdr-cot-all-40k")).split()[1] == "111552"
    assert done("mix", "cdr-cot-all", "--print-recipe").out == shipped()["cdr-cot-all"]


# Twice ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, int], Path]:
    """A recipe of items of which those with the same answer count as the same."""
    exact = shard_writer.mark

    def mark(item: Any, images: Any, key: str, *, against: bool) -> Any:
        return replace(exact(item, images, key, against=against), content=f"{crc32(key.encode()):016x}")

    def recipe(level: str, n: int) -> Path:
        (tmp_path / "few.toml").write_text(f'[[parts]]\ntasks = ["{LAYERS}"]\nlevels = ["{level}"]\nn = {n}\nsettings = {{ size = 200 }}\n')
        return tmp_path / "few.toml"

    monkeypatch.setattr(shard_writer, "mark", mark)
    return recipe


def test_no_item_comes_twice_and_others_stand_in_their_places(coarse: Callable[[str, int], Path], tmp_path: Path) -> None:
    ended = done("mix", coarse("2", 30), "--out", tmp_path / "mix", "--workers", 1)
    asked = [item.answer.canonical() for item in api.generate(LAYERS, n=30, split="train", level="2", size=200)]
    twice = 30 - len(set(asked))
    assert twice > 0
    assert f"{twice} items came out the same as others" in ended.out
    examples = list(read_examples(tmp_path / "mix"))
    assert len({one.reply for one in examples}) == len(examples) == 30
    assert sum(reply in asked for reply in (one.reply for one in examples)) == 30 - twice
    assert {one.level for one in examples} == {"2"}
    assert f"({twice} came out the same as others" in (tmp_path / "mix" / "README.md").read_text()


def test_a_task_without_so_many_different_items_says_so(
    coarse: Callable[[str, int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixture_builder, "_REPLACEMENT_ATTEMPTS", 20)
    refused(isovist("mix", coarse("1", 60), "--out", tmp_path / "mix", "--workers", 1), "ask for fewer than 60")
    assert not (tmp_path / "mix").exists()


# Overlaps ---------------------------------------------------------------------------------------------------------


def test_an_item_of_the_other_split_fails_by_its_scene(recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isovist.training import contamination

    monkeypatch.setattr(
        contamination,
        "split_of_layout",
        lambda layout: "test" if core.split_of_layout([core.canonical_json(layout)]) == "test" else "train",
    )
    ended = isovist("mix", recipe, "--out", tmp_path / "mix", "--workers", 1)
    assert ended.code == 1
    assert "has a layout of the split test" in ended.out
    assert not (tmp_path / "mix").exists()


@pytest.mark.parametrize("what", ["scene", "image"])
def test_an_overlap_with_a_test_set_fails_and_is_named(recipe: Path, tmp_path: Path, what: str) -> None:
    done("generate", REASONED, "--n", 4, "--seed", 4, "--split", "train", "--image-size", 96, "--out", tmp_path / "data", "--workers", 1)
    path = tmp_path / "data" / REASONED / "train-00000-of-00001.parquet"
    path = path.rename(path.with_name("test-00000-of-00001.parquet"))
    edit(tmp_path / "data" / MANIFEST, lambda manifest: manifest["parts"][0].update(split="test"))

    def change(rows: list[dict[str, Any]]) -> None:
        other = api.generate(BARE, n=4, size=96)  # pictures of another task, or no scene
        for row, item in zip(rows, other, strict=True):
            if what == "scene":
                row["images"][0]["bytes"] = shard_writer.of_item(item).images[0]
            else:
                row["metadata"] = json.dumps({k: v for k, v in json.loads(row["metadata"]).items() if k != "scene"})

    spoil(path, change)
    ended = isovist("mix", recipe, "--out", tmp_path / "mix", "--workers", 1, "--exclude-test-data", tmp_path / "data")
    assert ended.code == 1
    assert f"has the same {what} as {REASONED}@{registry.task(REASONED).version}:train:standard:4:" in ended.out
    assert not (tmp_path / "mix").exists()


def test_a_general_picture_of_a_test_is_left_out(mixed: tuple[Any, ...], data: Path, tmp_path: Path) -> None:
    row = stored(data)[0]
    (tmp_path / "images" / "coco" / "test.png").write_bytes(row.images[0])
    talk_records = json.loads((tmp_path / "talk.json").read_text())
    kept = [one for one in talk_records if isinstance(one, dict) and "image" not in one and len(one.get("conversations", ())) == 4]
    seen = {"id": "seen", "image": "coco/test.png", "conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": "A"}]}
    (tmp_path / "both.toml").write_text(RECIPE + "\n[general]\nn = 4\n")
    written(tmp_path / "talk.json", [*kept, seen])
    assert len(kept) == 4
    done(*mixed, tmp_path / "with", "--workers", 1, "--exclude-test-data", data)
    assert "seen" not in {one.id for one in read_examples(tmp_path / "with")}
    (tmp_path / "both.toml").write_text(RECIPE + "\n[general]\nn = 5\n")
    refused(isovist(*mixed, tmp_path / "five", "--workers", 1, "--exclude-test-data", data), "an image of a test set")
    assert not (tmp_path / "five").exists()
    done(*mixed, tmp_path / "without", "--workers", 1)


def test_nothing_of_other_seeds_and_splits_is_an_overlap(recipe: Path, data: Path, tmp_path: Path) -> None:
    assert Manifest.read(data).parts[0].split == "test"
    assert "none of it in 48 test items" in done("mix", recipe, "--out", tmp_path / "mix", "--exclude-test-data", data, "--workers", 1).out


# What cannot be ---------------------------------------------------------------------------------------------------


def test_a_finished_mix_is_left_alone(recipe: Path, tmp_path: Path) -> None:
    done("mix", recipe, "--out", tmp_path / "mix", "--workers", 1)
    before = contents(tmp_path / "mix")
    assert "48 examples" in done("mix", recipe, "--out", tmp_path / "mix").out
    refused(isovist("mix", "cdr-base", "--out", tmp_path / "mix"), "has another mixture")
    assert contents(tmp_path / "mix") == before


def test_what_was_left_out_or_does_not_fit_is_one_line(recipe: Path, data: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    out = tmp_path / "mix"
    refused(isovist("mix"), "Give a TOML file")
    refused(isovist("mix", recipe), "--out DIR")
    refused(isovist("mix", "cdr-al", "--out", out), "there are all-suites")
    refused(isovist("mix", "cdr-all-20k", "--out", out), "requires 20000 external records", "--external-data")
    refused(isovist("mix", recipe, "--out", out, "--external-data", recipe), "Recipe without external data")
    refused(isovist("mix", recipe, "--out", data), "not empty and not a mix")
    refused(isovist("mix", recipe, "--out", recipe), "a file")
    refused(isovist("mix", recipe, "--out", out, "--exclude-test-data", tmp_path), "no data set")
    damaged = copied(data)
    next(damaged.rglob("*.parquet")).write_bytes(b"PAR1")
    refused(isovist("mix", recipe, "--out", out, "--exclude-test-data", damaged, "--workers", 1), "damaged")
    shutil.copytree(data, tmp_path / "train")
    edit(tmp_path / "train" / MANIFEST, lambda manifest: [part.update(split="train") for part in manifest["parts"]])
    refused(isovist("mix", recipe, "--out", out, "--exclude-test-data", tmp_path / "train", "--workers", 1), "No test items")
    assert not out.exists()
    assert pq.read_metadata(next(data.rglob("*.parquet"))).num_rows


@pytest.mark.slow
def test_control_c_ends_a_mix_of_two_workers_and_the_same_command_finishes_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(f'[[parts]]\ntasks = ["{BARE}"]\nn = 8100\nsettings = {{ size = 96 }}\n')
    command = ("mix", tmp_path / "mine.toml", "--workers", 2, "--out")
    with started(*command, tmp_path / "mix") as process:
        until(lambda: list((tmp_path / "mix" / PARTIAL).glob("*.parquet")))
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the whole group
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == "isovist: interrupted. Run the same command again to resume."
    assert not (tmp_path / "mix" / MIX).exists()
    assert spawned(*command, tmp_path / "mix").code == 0
    assert spawned(*command, tmp_path / "undisturbed").code == 0
    assert contents(tmp_path / "mix") == contents(tmp_path / "undisturbed")
