"""The check of a manifest, which may be from anybody: its names become paths, YAML and pages, its numbers memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast
from unicodedata import category

from isovist.core.item_ids import RELEASE_NAME
from isovist.core.task import SPLITS, ItemAddress, Value
from isovist.world.render import CYCLES, RASTER

if TYPE_CHECKING:
    from isovist.data.dataset.manifest import DataPart, Manifest

MOST_ROWS = 100_000_000
"""Maximum number of rows of a dataset folder; a run has an array of them."""
_TASK = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")
_RELEASE = re.compile(rf"(?:{RELEASE_NAME}/(?:short|full))?")
_RENDERER = re.compile(rf"{RASTER}|{CYCLES}(?:-[0-9.]{{1,20}})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 200
_LONGEST_TEXT = 10_000
_INT64 = range(-(2**63), 2**63)


def fault(manifest: Manifest) -> str:
    """The first field with an invalid value, and the valid ones; "" if there is none."""
    for number, part in enumerate(manifest.parts):
        if invalid := part_fault(part):
            return f"parts.{number}.{invalid}"
    names = {part.name: part for part in manifest.parts}
    if len(names) < len(manifest.parts):
        return "parts: give each task and split once"
    if (total := sum(part.n for part in manifest.parts)) > MOST_ROWS:
        return f"parts: {total:,} items; at most {MOST_ROWS:,} are allowed"
    if (n_files := sum(part.file_count for part in manifest.parts)) > len(manifest.hashes):
        return f"hashes: {len(manifest.hashes):,} files, and n and rows_per_file state {n_files:,}"
    if not all(is_line(name) and _SHA256.fullmatch(sha256) for name, sha256 in manifest.hashes.items()):
        return "hashes: give a SHA-256 hash by name"
    for name, content in manifest.contents.items():
        most = names[name].n if name in names else MOST_ROWS
        if (
            not is_line(name)
            or content.distinct not in range(most + 1)
            or not all(is_line(text) for pair in content.assets for text in pair)
        ):
            return f"contents.{_short(name)}: give the number of distinct items and the assets of a part"
    return "" if is_line(manifest.isovist) else "isovist: give a version"


def part_fault(part: DataPart) -> str:
    """As `fault`, for one part."""
    counts, line = part.counts, f"give at most {_LONGEST} characters on one line"
    checks = (
        ("task", is_line(part.task) and _TASK.fullmatch(part.task), "give SUITE/NAME with letters, digits, '.', '_' and '-'"),
        ("version", part.version in range(2**31), "give a number from 0"),
        ("split", part.split in SPLITS, f"choose one of {', '.join(SPLITS)}"),
        ("n", part.n in range(MOST_ROWS + 1), f"give a number from 0 to {MOST_ROWS:,}"),
        ("seed", part.seed in _INT64, "give a number of 64 bits"),
        ("level", part.level is None or is_line(part.level, _LONGEST_TEXT), line),
        ("settings", all(is_line(name) and _is_value(value) for name, value in part.settings.items()), "give names, and texts or numbers"),
        ("style", is_line(part.style), line),
        ("renderer", _RENDERER.fullmatch(part.renderer), f"give {RASTER}, or {CYCLES}-VERSION"),
        ("counts", not counts or (all(map(is_line, counts)) and min(counts.values()) >= 0 and sum(counts.values()) == part.n), "give n items by level"),
        ("ids", not part.ids or _are_ids_of(part), "give n different ids of items of the task and split"),
        ("package", is_line(part.package), line),
        ("rows_per_file", part.rows_per_file in range(1, 2**31), "give a number from 1"),
        ("release", _RELEASE.fullmatch(part.release) and is_line(part.release), "give RELEASE/short or RELEASE/full"),
        ("commitment", not part.commitment or (part.release and _SHA256.fullmatch(part.commitment)), "give a SHA-256 hash, with a release"),
    )  # fmt: skip
    return next((f"{name}: {_short(getattr(part, name))}: {remedy}" for name, valid, remedy in checks if not valid), "")


def _are_ids_of(part: DataPart) -> bool:
    try:
        addresses = {ItemAddress.parse(id) for id in part.ids if is_line(id)}
    except ValueError:
        return False
    return len(addresses) == len(part.ids) == part.n and {(address.task, address.split) for address in addresses} == {
        (part.task, part.split)
    }


def is_line(text: str, longest: int = _LONGEST) -> bool:
    """Whether a text is short and without control characters and line ends."""
    return len(text) <= longest and not any(category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in text)


def broken_texts(value: object, name: str = "") -> Iterator[str]:
    """The places of texts, inside mappings and lists, that are no short line without control characters."""
    if isinstance(value, str):
        yield from () if is_line(value, _LONGEST_TEXT) else (name,)
    elif isinstance(value, Mapping):
        for key, each in cast("Mapping[str, object]", value).items():
            yield from broken_texts(key, name)
            yield from broken_texts(each, f"{name}.{key}".removeprefix("."))
    elif isinstance(value, (list, tuple)):
        for each in cast("Sequence[object]", value):
            yield from broken_texts(each, name)


def _is_value(value: Value) -> bool:
    return is_line(value, _LONGEST_TEXT) if isinstance(value, str) else value in _INT64


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
