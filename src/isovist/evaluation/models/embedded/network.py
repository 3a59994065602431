"""A small vision-language decoder in NumPy, with greedy decoding of one prompt at a time.

`experiments/cdr_finetuning/model.py` implements it in PyTorch and trains the weights; the array names are its parameter names.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.common.errors import UserError
from isovist.evaluation.models.embedded.image_patches import PATCH, PATCHES, SIDE
from isovist.evaluation.models.embedded.tokenizer import END, PICTURE, Words

FORMAT = 1
LONGEST = 640
"""Context length in tokens, larger than that of the training examples."""
Array = NDArray[np.float32]
Turn = tuple[Array, Array]
_ROW = SIDE // PATCH


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A response, whether it ended with the end token, and the numbers of input and output tokens."""

    text: str
    ended: bool
    read: int
    written: int


@dataclass(slots=True)
class _Past:
    """The cache of a block: its last inputs (k, width), keys and values (heads, length, channels)."""

    near: Array
    keys: list[Array] = field(default_factory=list[Array])
    values: list[Array] = field(default_factory=list[Array])


class Network:
    """A model and its vocabulary. Raises ValueError for inconsistent arrays."""

    def __init__(self, words: Words, heads: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._words, self._heads = words, heads
        self._weights: dict[str, Array] = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        try:
            tokens, self._width = self._weights["words.weight"].shape
            self._layers = len([name for name in arrays if name.startswith("blocks.") and name.endswith(".near")])
            if tokens != len(words) or self._width % (8 * heads) or not self._layers:
                raise ValueError("the arrays do not match the vocabulary or the heads")
            self._said([PICTURE] * PATCHES, np.zeros((1, SIDE, SIDE, 3), np.uint8), 1)  # a forward pass uses every array
        except KeyError as missing:
            raise ValueError(f"missing array {missing}") from None

    def reply(self, prompt: str, pictures: Sequence[NDArray[np.uint8]], at_most: int) -> GeneratedText:
        """The response to a prompt with images of shape (SIDE, SIDE, 3), 8-bit RGB, in the order of placeholders."""
        asked = self._words.asked(prompt, PATCHES)
        tokens = self._said(asked, np.array(pictures, np.uint8).reshape(-1, SIDE, SIDE, 3), min(at_most, LONGEST - len(asked)))
        ended = bool(tokens) and tokens[-1] == END
        return GeneratedText(self._words.text(tokens), ended, len(asked), len(tokens))

    def _said(self, asked: list[int], pictures: NDArray[np.uint8], at_most: int) -> list[int]:
        table = self._weights["words.weight"]
        x = table[asked]
        x[np.array(asked) == PICTURE] = np.concatenate([np.zeros((0, self._width), np.float32), *map(self._patches, pictures)])
        near = len(self._weights["blocks.0.near"]) - 1
        past = [_Past(np.zeros((near, self._width), np.float32)) for _ in range(self._layers)]
        tokens: list[int] = []
        for _ in range(at_most):
            behind = self._behind(x, past, len(asked) + len(tokens) - len(x))
            tokens.append(int(np.argmax(table @ behind)))
            if tokens[-1] == END:
                break
            x = table[tokens[-1:]]
        return tokens

    def _patches(self, picture: NDArray[np.uint8]) -> Array:
        ink: Array = np.float32(1) - picture.astype(np.float32) / np.float32(255)
        features = _gelu(self._patched(ink, "eye.strokes"))
        features = self._patched(_gelu(self._patched(features, "eye.parts")), "eye.whole")
        placed = features + self._weights["eye.row"][:, None] + self._weights["eye.column"][None]
        return placed.reshape(_ROW * _ROW, self._width)

    def _patched(self, x: Array, name: str) -> Array:
        """A convolution with stride equal to its size: each square of (rows, columns, channels) becomes one vector."""
        kernel = self._weights[f"{name}.weight"]
        side = kernel.shape[2]
        rows, columns, channels = x.shape
        squares = x.reshape(rows // side, side, columns // side, side, channels).transpose(0, 2, 4, 1, 3)
        return squares.reshape(rows // side, columns // side, -1) @ kernel.reshape(len(kernel), -1).T + self._weights[f"{name}.bias"]

    def _behind(self, x: Array, past: list[_Past], start: int) -> Array:
        """The output at the last of these positions, which follow the cached ones from position `start`."""
        pairs = self._width // self._heads // 8
        speeds = 1000.0 ** (-np.arange(pairs, dtype=np.float32) / pairs)
        turned = np.arange(start, start + len(x), dtype=np.float32)[:, None] * speeds
        turn = (np.cos(turned).astype(np.float32), np.sin(turned).astype(np.float32))
        for depth in range(self._layers):
            x = self._block(x, f"blocks.{depth}", turn, past[depth])
        return self._level(x[-1:], "last")[0]

    def _block(self, x: Array, name: str, turn: Turn, past: _Past) -> Array:
        h = self._level(x, f"{name}.before")
        longer = np.concatenate([past.near, h])
        past.near = longer[-len(past.near) :]
        for k, weight in enumerate(self._weights[f"{name}.near"]):
            h = h + weight * longer[k : k + len(h)]
        asked = (h @ self._weights[f"{name}.ask.weight"].T).reshape(len(h), 3, self._heads, -1).transpose(1, 2, 0, 3)
        past.keys.append(_turned(asked[1], *turn))
        past.values.append(asked[2])
        seen = _attended(_turned(asked[0], *turn), np.concatenate(past.keys, 1), np.concatenate(past.values, 1))
        attended: Array = seen.transpose(1, 0, 2).reshape(len(h), self._width) @ self._weights[f"{name}.told.weight"].T
        x = np.add(x, attended, dtype=np.float32)
        wide: Array = self._level(x, f"{name}.then") @ self._weights[f"{name}.wide.weight"].T + self._weights[f"{name}.wide.bias"]
        narrow: Array = _gelu(wide) @ self._weights[f"{name}.narrow.weight"].T + self._weights[f"{name}.narrow.bias"]
        return np.add(x, narrow, dtype=np.float32)

    def _level(self, x: Array, name: str) -> Array:
        apart = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((apart * apart).mean(-1, keepdims=True) + np.float32(1e-5)).astype(np.float32)
        return apart / spread * self._weights[f"{name}.weight"]


def _attended(q: Array, k: Array, v: Array) -> Array:
    """Causal attention, shape (heads, new, channels), for queries at the last positions.

    No position attends to itself, and each may attend to nothing (a logit of 0).
    """
    new, length = q.shape[1], k.shape[1]
    match = q @ k.transpose(0, 2, 1) * np.float32(q.shape[2] ** -0.5)
    match[:, np.triu(np.ones((new, length), bool), length - new)] = -np.inf
    best = np.maximum(match.max(-1, keepdims=True), 0)
    likely = np.exp(match - best)
    return np.divide(likely, likely.sum(-1, keepdims=True) + np.exp(-best), dtype=np.float32) @ v


def _turned(x: Array, cos: Array, sin: Array) -> Array:
    pairs = cos.shape[-1]
    a, b, rest = np.split(x, (pairs, 2 * pairs), -1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos, rest], -1, dtype=np.float32)


def _gelu(x: Array) -> Array:
    bent = np.tanh(np.float32((2 / np.pi) ** 0.5) * (x + np.float32(0.044715) * x * x * x))
    return np.multiply(x * np.float32(0.5), bent + np.float32(1), dtype=np.float32)


def write(path: Path, words: Words, heads: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a weights file, in 16-bit floats."""
    about = json.dumps({"format": FORMAT, "heads": heads, "tokens": words.tokens})
    halves = {name: np.asarray(array, np.float16) for name, array in arrays.items()}
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=np.frombuffer(about.encode(), np.uint8), **halves)


def read(path: Path) -> Network:
    """The network of a weights file. Raises UserError for an invalid file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:  # np.load does not close the path of an invalid file
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(arrays.pop("about").tobytes())
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']} instead of {FORMAT}")
        return Network(Words(about["tokens"]), int(about["heads"]), arrays)
    except FileNotFoundError:
        raise UserError(f"File does not exist: {path}. Name a .npz file with weights of the built-in model.") from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, IndexError, zipfile.BadZipFile) as fault:
        raise UserError(f"Invalid weights ({fault}): {path}. Export them with experiments/cdr_finetuning.") from None
