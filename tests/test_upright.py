"""Canonical orientation from a folder of upright pictures."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from workbench import done, isovist, refused, stored

from isovist.core.rng import Rng
from isovist.data.importers.upright_photos import LEAST_SIDE, MOST_ALIKE, alike, drawn
from isovist.suites.dori.picture_operations import STATES, restored

WORDS = "file\nscene00.png\nscene01.png\nscene02.png\nscene03.png\n"


def scene(seed: int, width: int = 300, height: int = 260) -> np.ndarray:
    """Like a photograph in what counts: light above and dark below, with things here and there."""
    rng = np.random.default_rng(seed)
    rows = np.linspace(230, 60, height)[:, None, None] * np.ones((1, width, 3))
    for _ in range(9):
        x, y = rng.integers(0, width - 60), rng.integers(0, height - 60)
        rows[y : y + rng.integers(20, 90), x : x + rng.integers(20, 90)] = rng.integers(0, 256, 3)
    return rows.astype(np.uint8)


def folder(path: Path, count: int = 6) -> Path:
    path.mkdir(parents=True)
    for i in range(count):
        Image.fromarray(scene(i)).save(path / f"scene{i:02}.png")
    return path


def shown(row: object) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(row.images[0])))  # type: ignore[attr-defined]


def undone(option: str, pixels: np.ndarray) -> np.ndarray:
    """What an option says, by hand."""
    for step in option.split(", then "):
        match step.lower():
            case "flip it left to right":
                pixels = pixels[:, ::-1]
            case "flip it top to bottom":
                pixels = pixels[::-1]
            case "rotate it 90 degrees clockwise":
                pixels = pixels[::-1].transpose(1, 0, 2)  # the lower left corner comes to the upper left
            case "rotate it 90 degrees counterclockwise":
                pixels = pixels[:, ::-1].transpose(1, 0, 2)
            case "rotate it 180 degrees":
                pixels = pixels[::-1, ::-1]
            case "leave it as it is":
                pass
            case _:
                raise AssertionError(step)
    return pixels


def test_the_key_makes_every_picture_upright_again_and_no_other_option_does(tmp_path: Path) -> None:
    photos = folder(tmp_path / "photos", 10)
    (tmp_path / "words.csv").write_text(WORDS)
    done("import", "upright", photos, "--out", tmp_path / "out", "--labels", tmp_path / "words.csv")
    rows = stored(tmp_path / "out")
    assert Counter(row.level for row in rows) == {"coarse": 10, "granular": 10}
    for row in rows:
        whole = np.asarray(Image.open(photos / row.metadata.scene["picture"]))
        upright = whole[:, 20:280]  # 300 x 260, cut to its middle square
        if row.level == "coarse":
            assert np.array_equal(shown(row), upright) == (row.answer == "A")
        else:
            fitting = [
                letter
                for letter, option in zip("ABCDE", row.choices[:5], strict=True)
                if np.array_equal(undone(option, shown(row)), upright)
            ]
            assert fitting == [row.answer]
        assert row.metadata.attributes["pictures"] == "natural"
    done("verify", tmp_path / "out")


def test_answers_are_balanced() -> None:
    counts = Counter(drawn(Rng("x"), "granular", nth, words=False)[0] for nth in range(400))
    assert (False, 0) in counts
    cells = Counter()
    for nth in range(400):
        state, named = drawn(Rng("x"), "granular", nth, words=False)
        cells[restored(state, *named).index((False, 0))] += 1
    assert set(cells.values()) == {80}
    assert Counter(drawn(Rng("x"), "coarse", nth, words=False)[0] == (False, 0) for nth in range(400)) == {True: 200, False: 200}


def test_without_words_only_one_option_puts_up_to_the_top() -> None:
    for nth in range(300):
        state, named = drawn(Rng("x"), "granular", nth, words=False)
        assert sum(angle == 0 for _, angle in restored(state, *named)) == 1
        assert drawn(Rng("x"), "coarse", nth, words=False)[0] != (True, 0)
    # with words a picture may be mirrored alone
    assert any(drawn(Rng("x"), "coarse", nth, words=True)[0] == (True, 0) for nth in range(300))


def test_pictures_that_look_the_same_after_an_operation_are_rejected(tmp_path: Path) -> None:
    photos = folder(tmp_path / "photos", 3)
    half = scene(9, 260, 130)
    Image.fromarray(np.concatenate((half, half[::-1]))).save(photos / "lake.png")  # its own reflection
    Image.fromarray(np.concatenate((half, half[::-1, ::-1]))).save(photos / "card.png")  # like a playing card
    Image.new("RGB", (300, 300), (90, 90, 90)).save(photos / "grey.png")
    Image.fromarray(scene(5, LEAST_SIDE - 1, 300)).save(photos / "small.png")
    Image.fromarray(scene(5, 900, 300)).save(photos / "wide.png")
    (photos / "text.jpg").write_text("no picture")
    ended = done("import", "upright", photos, "--out", tmp_path / "out")
    reasons = {one["file"]: one["reason"] for one in map(json.loads, (tmp_path / "out" / "skipped.jsonl").read_text().splitlines())}
    same = "it looks nearly the same after an operation"
    assert reasons == {
        "lake.png": same,
        "card.png": same,
        "grey.png": same,
        "small.png": "too small",
        "wide.png": "too long",
        "text.jpg": "the image cannot be decoded",
    }
    assert "6 items from 3 photographs" in ended.out


def test_mirrored_images_require_a_label_of_readable_text(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    half = scene(4, 130, 260)
    Image.fromarray(np.concatenate((half, half[:, ::-1]), axis=1)).save(photos / "facade.png")
    pixels = np.asarray(Image.open(photos / "facade.png"))
    assert alike(pixels, (True, 0)) > MOST_ALIKE > max(alike(pixels, state) for state in STATES if state[1])
    done("import", "upright", photos, "--out", tmp_path / "out")
    (tmp_path / "words.csv").write_text("file\nfacade.png\n")
    refused(isovist("import", "upright", photos, "--out", tmp_path / "no", "--labels", tmp_path / "words.csv"), "nearly the same")


def test_the_camera_s_note_is_followed(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    image = Image.fromarray(scene(1, 260, 260))
    exif = image.getexif()
    exif[0x0112] = 3  # to be turned by 180 degrees
    image.transpose(Image.Transpose.ROTATE_180).save(photos / "a.png", exif=exif)
    done("import", "upright", photos, "--out", tmp_path / "out")
    for row in stored(tmp_path / "out"):
        if row.level == "granular":
            letters = dict(zip("ABCDE", row.choices, strict=False))
            assert np.array_equal(undone(letters[row.answer], shown(row)), scene(1, 260, 260))


@pytest.mark.parametrize("labels", ["name\nx.png\n", "file\nnowhere.png\n"])
def test_labels_that_do_not_fit_are_refused(tmp_path: Path, labels: str) -> None:
    photos = folder(tmp_path / "photos", 2)
    (tmp_path / "words.csv").write_text(labels)
    refused(isovist("import", "upright", photos, "--out", tmp_path / "out", "--labels", tmp_path / "words.csv"), "words.csv")
    refused(isovist("import", "upright", tmp_path / "nowhere", "--out", tmp_path / "out"), "does not exist")
    assert not (tmp_path / "out").exists()


def test_a_number_and_a_seed_choose(tmp_path: Path) -> None:
    photos = folder(tmp_path / "photos", 6)
    for seed in (0, 0, 1):
        done("import", "upright", photos, "--out", tmp_path / f"out{len(list(tmp_path.iterdir()))}", "--n", 4, "--seed", seed)
    first, second, third = ([row.id for row in stored(path)] for path in sorted(tmp_path.glob("out*")))
    assert len(first) == 8
    assert first == second != third
