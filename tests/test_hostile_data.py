"""Data folders that somebody else has written: one line names the file and the row, whatever stands in it, and nothing is sent."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from struct import pack
from typing import Any

import pytest
from PIL import Image
from workbench import done, isovist, parquet, refused, spoil, stored

LETTERS = "cdr/relative-compass-letter"
PLACE = 3
"""Of the row that is spoilt."""
Copy = Callable[[Path], Path]
Raw = dict[str, Any]


def png(width: int, height: int) -> bytes:
    """A small file of a white picture of any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))

    rows = zlib.compressobj()
    data = b"".join(rows.compress(b"\0" + b"\xff" * ((width + 7) // 8)) for _ in range(height)) + rows.flush()
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def picture(image: bytes | None) -> Callable[[Raw], None]:
    def change(row: Raw) -> None:
        row["images"] = [{"bytes": image, "path": "x.png"}]

    return change


def metadata(text: str) -> Callable[[Raw], None]:
    def change(row: Raw) -> None:
        row["metadata"] = text

    return change


def told(**more: Any) -> Callable[[Raw], None]:
    def change(row: Raw) -> None:
        row["metadata"] = json.dumps(json.loads(row["metadata"]) | more)

    return change


def jpeg_cut_short() -> bytes:
    file = io.BytesIO()
    Image.linear_gradient("L").resize((400, 400)).save(file, "JPEG")
    return file.getvalue()[:2000]


PICTURES: dict[str, tuple[Callable[[Raw], None], str]] = {
    "a picture above the limit": (picture(png(50_000, 1001)), "50000 x 1001 pixels, and 50,000,000 are allowed"),
    "a bomb": (picture(png(60_000, 6000)), "far more than 50,000,000 pixels"),
    "no picture at all": (picture(b"no picture"), "it is no PNG, JPEG"),
    "a program for another program": (picture(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"), "it is no PNG, JPEG"),
    "no bytes": (picture(b""), "it has no bytes"),
    "null": (picture(None), "it has no bytes"),
}
PIXELS: dict[str, tuple[Callable[[Raw], None], str]] = {"a picture that is cut short": (picture(jpeg_cut_short()), "it does not decode")}
WORDS: dict[str, tuple[Callable[[Raw], None], str]] = {
    "a nest of lists": (metadata('{"question": "?", "answer": ' + "[" * 100_000 + "]" * 100_000 + "}"), "recursion limit"),
    "a nest of objects": (metadata('{"a":' * 100_000 + "1" + "}" * 100_000), "recursion limit"),
    "a key in a nest": (
        metadata('{"question": "?", "answer": {"kind": "choice", "options": ' + "[" * 900 + "]" * 900 + "}}"),
        "cannot be presented",
    ),
    "no JSON": (metadata("{"), "Invalid JSON"),
    "a list": (metadata("[]"), "should be an object"),
    "no key": (metadata('{"question": "?"}'), "answer: Field required"),
    "a key that is none": (told(answer=7), "answer: "),
}
QUESTIONS: dict[str, tuple[Callable[[Raw], None], str]] = {
    "a question that is no text": (told(question=7), "cannot be presented"),
    "orders that are none": (told(image_orders=[1]), "cannot be presented"),
}


@pytest.fixture
def spoilt(data: Path, copied: Copy) -> Callable[[Callable[[Raw], None]], tuple[Path, Path]]:
    def made(change: Callable[[Raw], None]) -> tuple[Path, Path]:
        folder = copied(data)
        file = parquet(folder, LETTERS)
        spoil(file, lambda rows: change(rows[PLACE]))
        return folder, file

    return made


def name(data: Path) -> str:
    return stored(data, LETTERS)[PLACE].id


@pytest.mark.parametrize("case", PICTURES | PIXELS | WORDS | QUESTIONS)
def test_a_run_names_the_file_and_the_row_before_anything_is_sent(data: Path, tmp_path: Path, spoilt: Any, case: str) -> None:
    change, words = (PICTURES | PIXELS | WORDS | QUESTIONS)[case]
    folder, file = spoilt(change)
    line = refused(isovist("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run"), str(file), name(data), words)
    assert "BytesIO" not in line
    assert len(line) < 600 + len(str(file))
    assert not (tmp_path / "run" / "records.jsonl").exists()


@pytest.mark.parametrize("case", PICTURES | PIXELS | WORDS)
def test_showing_it_tells_the_same(data: Path, spoilt: Any, case: str) -> None:
    change, words = (PICTURES | PIXELS | WORDS)[case]
    folder, file = spoilt(change)
    for more in ((), ("--json",)):
        refused(isovist("show", LETTERS, "--index", PLACE, "--data", folder, *more), str(file), name(data), words)
    done("show", LETTERS, "--index", PLACE - 1, "--data", folder)  # its neighbour is whole


@pytest.mark.parametrize("case", PICTURES | PIXELS | WORDS)
def test_verifying_names_the_row_among_the_differences(data: Path, spoilt: Any, case: str) -> None:
    folder, _ = spoilt((PICTURES | PIXELS | WORDS)[case][0])
    ended = isovist("verify", folder, "--workers", 1)
    assert ended.code == 1, ended
    (line,) = [line for line in (ended.out + ended.err).splitlines() if name(data) in line]
    assert "BytesIO" not in line
    assert f"{LETTERS}/test-" in line


@pytest.mark.parametrize("case", PICTURES | WORDS)
def test_a_report_of_a_run_over_it_names_the_file_and_the_row(data: Path, tmp_path: Path, copied: Copy, case: str) -> None:
    change, words = (PICTURES | WORDS)[case]
    folder = copied(data)
    done("run", LETTERS, "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run")
    file = parquet(folder, LETTERS)
    spoil(file, lambda rows: change(rows[PLACE]))
    assert isovist("report", tmp_path / "run", "--out", tmp_path / "report").code == 1  # the data were changed
    ended = isovist("report", tmp_path / "run", "--no-verify", "--out", tmp_path / "report")
    assert ended.code == 2, ended
    (line,) = ended.err.splitlines()
    assert str(file) in line
    assert name(data) in line
    assert words in line


def test_fifty_megapixels_are_allowed(data: Path, tmp_path: Path, spoilt: Any) -> None:
    folder, _ = spoilt(picture(png(50_000, 1000)))
    done("run", LETTERS, "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run")
