"""A search for texts and bytes in all that a command wrote, also inside Parquet, gzip, ZIP and deflated files, and in base64."""

from __future__ import annotations

import base64
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.parquet as pq

from isovist.common.private_seeds import Secret

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{40,}={0,2}")


def needles(secret: Secret) -> dict[str, bytes]:
    """What must not be found: seed and secret in every form, by name."""
    seed = secret.seed
    forms: dict[str, bytes] = {
        "seed in decimal": str(seed).encode(),
        "seed in hex": f"{seed:x}".encode(),
        "seed in upper-case hex": f"{seed:X}".encode(),
        "seed, big-endian": seed.to_bytes(8, "big"),
        "seed, little-endian": seed.to_bytes(8, "little"),
        "secret in hex": secret.key.hex().encode(),
        "secret in upper-case hex": secret.key.hex().upper().encode(),
        "secret": secret.key,
    }
    encoded: dict[str, bytes] = {}
    for name, form in forms.items():
        for shift in range(3):
            text = base64.b64encode(bytes(shift) + form)
            start, end = -(-shift * 8 // 6), (shift + len(form)) * 8 // 6
            encoded[f"{name}, in base64 ({shift})"] = text[start:end]
            encoded[f"{name}, in URL-safe base64 ({shift})"] = text[start:end].replace(b"+", b"-").replace(b"/", b"_")
    return {**forms, **encoded}


def leaks(contents: Mapping[str, bytes], secret: Secret, *more: bytes) -> list[str]:
    """Each needle that is found, with its place. `contents`: files or request bodies by name."""
    searched = {**needles(secret), **{str(text): text for text in more}}
    return [
        f"{name}: {what}"
        for name, content in contents.items()
        for layer in layers(content)
        for what, needle in searched.items()
        if needle in layer
    ]


def layers(content: bytes, depth: int = 3) -> Iterator[bytes]:
    """The content as it is, and all that it holds in compressed or encoded form."""
    yield content
    if depth == 0:
        return
    for inner in _inner(content):
        yield from layers(inner, depth - 1)


def _inner(content: bytes) -> Iterator[bytes]:
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)
    if content[:4] == b"PAR1":
        yield from _of_parquet(content)
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        return
    if len(content) < 5_000_000:
        for match in _BASE64.finditer(content):
            text = match[0].translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
            decoded = base64.b64decode(text[: len(text) // 4 * 4])
            yield decoded
            for window in (15, -15):
                try:
                    yield zlib.decompressobj(window).decompress(decoded)
                except zlib.error:
                    continue


def _of_parquet(content: bytes) -> Iterator[bytes]:
    table = pq.read_table(io.BytesIO(content))
    yield str(table.schema.metadata).encode()
    yield str(pq.ParquetFile(io.BytesIO(content)).metadata.to_dict()).encode()
    for row in table.to_pylist():
        yield from _values(row)


def _values(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _values(part)
    elif isinstance(value, list):
        for part in value:
            yield from _values(part)
    elif isinstance(value, bytes):
        yield value
    else:
        yield str(value).encode()
