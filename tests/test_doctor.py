"""`isovist doctor`: what is installed, and a server that shows pictures, drops them, merges them, or answers nothing."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scripted import Asked, Said, fault, serving
from test_plug_ins import install
from workbench import Ended, isovist, refused, spawned

from isovist.common.installation import install_command
from isovist.evaluation.models.model_check import requests

NAMES = {(245, 217, 10): "yellow", (23, 72, 196): "blue", (192, 22, 34): "red", (26, 138, 58): "green"}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def seen(asked: Asked) -> list[str]:
    """What a good model sees in each picture of a request: a colour, or the number."""
    pictures = [Image.open(io.BytesIO(part)).convert("RGB") for part in asked.content if isinstance(part, bytes)]
    return [NAMES[picture.getpixel((5, 5))] if len(picture.getcolors(9999) or ()) == 1 else "7294" for picture in pictures]  # pyright: ignore[reportArgumentType]


def answer(asked: Asked, pictures: list[str], each: int = 150) -> Said:
    """The reply of a good model to these pictures of a request."""
    words = ", ".join(pictures) if pictures else re.findall(r"\d+", asked.words + " 0")[0]
    return Said(words, tokens=40 + each * len(pictures))


def doctor(script: Callable[[Asked], Said]) -> tuple[Ended, list[list[str]]]:
    """How the check of a server ends, and its lines as state, subject and the rest."""
    with serving(script) as server:
        ended = isovist("doctor", "--model", "some/model-1", "--base-url", server.url)
    return ended, [re.split(r"\s{2,}|: ", line, maxsplit=2) for line in ended.out.splitlines()]


def test_the_three_requests_hold_what_they_say() -> None:
    text, image, several = requests()
    assert [len(request.images) for request in (text, image, several)] == [0, 1, 4]
    assert [request.prompt.count("<image>") for request in (text, image, several)] == [0, 1, 4]
    assert abs(len(text.prompt) - len(image.prompt)) < 10
    with Image.open(io.BytesIO(image.images[0])) as number:
        rows, columns = np.nonzero(np.asarray(number.convert("L")) < 128)
    assert np.ptp(columns) > 200  # pixels: a number that no resizing loses
    assert np.ptp(rows) > 60


def test_a_good_server_passes() -> None:
    ended, lines = doctor(lambda asked: answer(asked, seen(asked)))
    assert ended.code == 0, ended
    assert [line[:2] for line in lines] == [["ok", "text"], ["ok", "image"], ["ok", "several images"]]
    assert "40 input tokens" in lines[0][2]
    assert "about 150 tokens for the image" in lines[1][2]
    assert "about 450 tokens for three more images" in lines[2][2]


def test_a_server_that_drops_pictures_fails() -> None:
    ended, lines = doctor(lambda asked: Said("I cannot see an image.", tokens=42))
    assert ended.code == 1
    assert [line[0] for line in lines] == ["ok", "failed", "failed"]
    assert "The server drops images." in lines[1][2]
    assert "--mmproj" in lines[1][2]
    assert 'replied "I cannot see an image." instead of 3086' in lines[0][2]


@pytest.mark.parametrize(
    ("kept", "each", "reason"),
    [
        (slice(-1, None), 150, "Only the last image reaches the model."),
        (slice(None, 1), 150, "Only the first image reaches the model."),
        (slice(None, None, -1), 150, "All images reach the model, in another order."),
        (slice(None, 3), 10, "The model does not keep the images apart."),
    ],
)
def test_a_server_that_merges_pictures_fails_the_third_request_alone(kept: slice, each: int, reason: str) -> None:
    ended, lines = doctor(lambda asked: answer(asked, seen(asked)[kept], each))
    assert ended.code == 1
    assert [line[0] for line in lines] == ["ok", "ok", "failed"]
    assert reason in lines[2][2]
    assert "yellow, blue, red, green" in lines[2][2]
    assert "--image-mode caption-first" in lines[2][2]


def test_merged_pictures_are_told_by_their_tokens() -> None:
    ended, lines = doctor(lambda asked: Said("a rainbow", tokens=240) if len(asked.content) > 2 else answer(asked, seen(asked)))
    assert ended.code == 1
    assert "about 50 tokens for three more images. The server merges or drops images." in lines[2][2]


def test_a_picture_that_arrives_and_is_not_read_is_no_dropped_one() -> None:
    ended, lines = doctor(lambda asked: Said("0", tokens=40 + 100 * len(seen(asked))))
    assert ended.code == 1
    assert "about 100 tokens for the image. The model receives an image and does not read it." in lines[1][2]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (fault(401, "no such key"), "request error ("),
        (Said("", finish="length"), "Increase --max-tokens."),
        (Said(""), "the response is empty"),
    ],
)
def test_no_answer_is_a_failure_with_its_remedy(said: Said, words: str) -> None:
    ended, lines = doctor(lambda asked: said)
    assert ended.code == 1
    assert lines[0][0] == "failed"
    assert words in ended.out
    assert len(lines) == (1 if "error" in words else 3)


def test_a_simulated_model_and_a_server_without_a_model_are_refused() -> None:
    refused(isovist("doctor", "--model", "simulated/random"), "Simulated model: simulated/random")
    refused(isovist("doctor", "--base-url", "http://localhost:1/v1"), "Add --model")


def test_the_installation_is_described(tmp_path: Path) -> None:
    ended = isovist("doctor")
    assert ended.code == 0, ended
    assert re.search(r"^ok +isovist: \S+, Python 3\.", ended.out, re.MULTILINE)
    assert re.search(r"^ok +2-D renderer: aggdraw", ended.out, re.MULTILINE)
    assert re.search(r"^ok +extra providers: .*inspect-ai [\d.]+, .*openai", ended.out, re.MULTILINE)
    assert re.search(r"^ok +extra run: aiohttp [\d.]+, certifi [\d.]+$", ended.out, re.MULTILINE)
    hint = re.escape(install_command("hf"))
    assert re.search(rf"^(ok +extra hf: accelerate \d|missing +extra hf: .*Run `{hint}`\.)", ended.out, re.MULTILINE)


def test_a_plug_in_that_cannot_be_used_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", "broken", {"isovist.models": {"mine": "broken:f"}}, "import not_installed_anywhere")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"), prepend=os.pathsep)
    ended = spawned("doctor")
    assert ended.code == 1
    assert "failed   plug-in broken 0.1.0: Plug-in cannot be used (ModuleNotFoundError" in ended.out


@pytest.mark.slow
def test_a_real_model_that_knows_nothing_fails_and_its_pictures_are_counted(real: str) -> None:
    ended = isovist("doctor", "--model", "tiny", "--base-url", real, "--max-tokens", 40)
    assert ended.code == 1
    assert [line.split()[0] for line in ended.out.splitlines()] == ["failed"] * 3, ended.out  # it writes empty lines only
    (one,) = re.findall(r"about (\d+) tokens for the image", ended.out)
    (more,) = re.findall(r"about (\d+) tokens for three more images", ended.out)
    assert int(one) >= 12 * 12  # 336 pixels, a token for 28 x 28 of them
    assert int(more) > 2.9 * int(one)
