"""`embedded/PATH.npz`: its words, its eye, what it says, and files that are no weights."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from workbench import done, isovist, records, refused

import isovist as package
from isovist.common.errors import UserError
from isovist.evaluation.models import Embedded, GenerationConfig, ModelRequest, model
from isovist.evaluation.models.embedded import image_patches, network
from isovist.evaluation.models.embedded.tokenizer import END, PICTURE, REPLY, Words

TEXTS = ("<image>\nWhere is the letter K?\nA. upper left\nB. Northwest", "row 2, column 3", "Reply with 17 and nothing else.")
WORDS = Words.of(TEXTS, often=1)


def arrays(width: int = 16, layers: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "eye.strokes.weight": (32, 3, 4, 4),
        "eye.strokes.bias": (32,),
        "eye.parts.weight": (64, 32, 2, 2),
        "eye.parts.bias": (64,),
        "eye.whole.weight": (width, 64, 4, 4),
        "eye.whole.bias": (width,),
        "eye.row": (3, width),
        "eye.column": (3, width),
        "words.weight": (len(WORDS), width),
        "last.weight": (width,),
    }
    for depth in range(layers):
        shapes |= {
            f"blocks.{depth}.{name}": shape
            for name, shape in {
                "before.weight": (width,),
                "near": (4, width),
                "ask.weight": (3 * width, width),
                "told.weight": (width, width),
                "then.weight": (width,),
                "wide.weight": (4 * width, width),
                "wide.bias": (4 * width,),
                "narrow.weight": (width, 4 * width),
                "narrow.bias": (width,),
            }.items()
        }
    return {name: rng.normal(0, 0.3, shape) for name, shape in shapes.items()}


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "small.npz"
    network.write(path, WORDS, 2, arrays())
    return path


def picture(shade: int = 0, size: tuple[int, int] = (120, 90)) -> bytes:
    held = io.BytesIO()
    Image.new("RGB", size, (shade, 80, 200)).save(held, "PNG")
    return held.getvalue()


# Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*TEXTS[1:], "K", "North of Northeast", "It is 4 o'clock, Anna.", "upper\nright  "])
def test_text_comes_back_from_its_ids(text: str) -> None:
    assert WORDS.text(WORDS.ids(text)) == text


def test_directions_letters_and_digits_stand_alone() -> None:
    assert [WORDS.tokens[id] for id in WORDS.ids("A. upper left")] == ["A", ". ", "upper left"]
    assert len(WORDS.ids("Reply with 17 and nothing else.")) == 4


def test_a_picture_takes_as_many_places_as_it_has_patches() -> None:
    asked = WORDS.asked(TEXTS[0], 9)
    assert asked[:9] == [PICTURE] * 9
    assert asked.count(PICTURE) == 9
    assert asked[-1] == REPLY


def test_a_larger_vocabulary_keeps_the_ids_of_the_smaller() -> None:
    more = WORDS.more(["Take the letter K as the origin."], often=1)
    assert more.tokens[: len(WORDS)] == WORDS.tokens
    assert len(more.ids("Take the letter K as the origin.")) == 3
    assert all(more.ids(text) == WORDS.ids(text) for text in TEXTS)


def test_what_is_not_of_its_characters_is_one_unknown_each() -> None:
    assert WORDS.text(WORDS.ids("aé中b")) == "ab"


# The network ------------------------------------------------------------------------------------------------------


def test_a_reply_depends_on_the_picture_and_on_every_word_before_it() -> None:
    held = network.Network(WORDS, 2, arrays())
    dark, light = (np.full((image_patches.SIDE, image_patches.SIDE, 3), shade, np.uint8) for shade in (0, 255))
    replies = {held.reply(f"<image>\nWhere is the letter {letter}?", [seen], 12).text for seen in (dark, light) for letter in "KR"}
    assert len(replies) > 2


def test_words_one_by_one_are_the_words_at_once() -> None:
    """What is kept of the positions behind a word must stand for them: the next word is the same if all are read again."""
    held = network.Network(WORDS, 2, arrays())
    seen = np.zeros((1, image_patches.SIDE, image_patches.SIDE, 3), np.uint8)
    asked = WORDS.asked(TEXTS[0], 9)
    word_ids = held._said(asked, seen, 8)
    assert len(word_ids) > 1
    assert word_ids == [held._said([*asked, *word_ids[:k]], seen, 1)[0] for k in range(len(word_ids))]


def test_it_ends_where_the_end_is_likeliest_and_says_so() -> None:
    tensors = arrays()
    tensors["last.weight"] = np.zeros(16)  # all words are equally likely, so the first is said
    going = network.Network(WORDS, 2, tensors).reply("K", [], 5)
    assert (going.ended, going.written) == (False, 5)
    tensors = arrays()
    first = network.Network(WORDS, 2, tensors)._said(WORDS.asked("K", 9), np.zeros((0, 96, 96, 3), np.uint8), 1)[0]
    tensors["words.weight"][END] = 4 * tensors["words.weight"][first]  # said before what was likeliest
    ended = network.Network(WORDS, 2, tensors).reply("K", [], 5)
    assert (ended.ended, ended.written, ended.text) == (True, 1, "")


# The model --------------------------------------------------------------------------------------------------------


def test_it_answers_a_request_and_counts_its_tokens(weights: Path) -> None:
    asked = model(f"embedded/{weights}", GenerationConfig(max_tokens=6))
    assert isinstance(asked, Embedded)
    reply = asyncio.run(asked.reply(ModelRequest("x", TEXTS[0], (picture(),))))
    assert not reply.error
    assert reply.usage["output_tokens"] <= 6
    assert reply.finish_reason in {"stop", "max_tokens"}


def test_a_picture_that_is_none_is_an_error_and_not_a_reply(weights: Path) -> None:
    asked = model(f"embedded/{weights}", GenerationConfig(max_tokens=6))
    assert isinstance(asked, Embedded)
    assert asyncio.run(asked.reply(ModelRequest("x", TEXTS[0], (b"no picture",)))).error


def test_a_run_with_it_leaves_a_record_of_each_item(weights: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done("run", "cdr/relative-spatial-letter", "--model", f"embedded/{weights}", "--n", 3, "--max-tokens", 8, "--no-confirm", "--out", out)
    assert [record["error"] for record in records(out)] == ["", "", ""]


@pytest.mark.parametrize("held", [b"", b"no weights", b"PK\x03\x04 cut off"])
def test_files_that_are_no_weights_are_refused_in_one_line(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "small.npz"
    path.write_bytes(held)
    with pytest.raises(UserError, match=r"Invalid weights .*small\.npz"):
        network.read(path)


def test_weights_that_miss_an_array_or_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    lacking = arrays()
    del lacking["blocks.1.told.weight"]
    network.write(path, WORDS, 2, lacking)
    with pytest.raises(UserError, match=r"blocks\.1\.told\.weight"):
        network.read(path)
    network.write(path, WORDS, 3, arrays())
    with pytest.raises(UserError, match="the heads"):
        network.read(path)
    network.write(path, WORDS, 2, arrays() | {"eye.row": np.zeros((2, 16))})
    with pytest.raises(UserError, match="Invalid weights"):
        network.read(path)


def test_no_object_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    np.savez(path, about=np.array([{"format": 1}], object), allow_pickle=True)
    with pytest.raises(UserError, match="Invalid weights"):
        network.read(path)


def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    asked = isovist("run", "cdr/relative-spatial-letter", "--model", "embedded/nowhere.npz", "--n", 1, "--out", tmp_path / "run")
    refused(asked, "File does not exist")


def test_the_model_that_comes_along_knows_what_it_was_taught_and_says_so_in_words(tmp_path: Path) -> None:
    """With a chance of 1/8, 9 of 10 are no guesses: one in 15 million. It has all of 300 (docs/models.md)."""
    done("run", "cdr/relative-compass-letter", "--model", "embedded/tiny", "--n", 10, "--no-confirm", "--out", tmp_path)
    rows = records(tmp_path)
    assert [record["outcome"] for record in rows].count("correct") >= 9
    assert all(record["response"].count("\n") == 4 for record in rows)  # a chain of thought and its answer


def test_all_pictures_are_seen_at_one_size() -> None:
    item = package.generate("cdr/relative-spatial-letter", n=1)[0]
    small, large = (image_patches.seen(package.generate("cdr/relative-spatial-letter", n=1, size=size)[0].images[0]) for size in (96, 384))
    assert image_patches.seen(item.images[0]).shape == small.shape == large.shape
    assert np.abs(small.astype(int) - large).mean() < 6
