"""A small decoder that sees pictures, in PyTorch: patches through a few convolutions, then words and patches in one sequence.

Each block first mixes every position with the three before it (a causal convolution in each channel), so that "E. Northeast" is one
thing to attention, then attends with rotary positions, then thinks (a two-layer perceptron). `isovist.evaluation.models.embedded.network` says
the same in NumPy, and a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from isovist.evaluation.models.embedded.image_patches import PATCH, SIDE
from isovist.evaluation.models.embedded.tokenizer import PICTURE

REACH = 4
"""Positions that the convolution of a block sees, its own and those before."""
_ROW = SIDE // PATCH


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a model; `heads` divides `width`, and a head has an even number of channels."""

    tokens: int
    width: int = 160
    layers: int = 4
    heads: int = 5


class Eye(nn.Module):
    """Pictures (n, 3, SIDE, SIDE) in 0..1 as patches (n, PATCHES, width). No convolution reaches over the edge of a patch."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.strokes = nn.Conv2d(3, 32, 4, stride=4)
        self.parts = nn.Conv2d(32, 64, 2, stride=2)
        self.whole = nn.Conv2d(64, width, PATCH // 8, stride=PATCH // 8)
        self.row = nn.Parameter(torch.randn(_ROW, width) * 0.25)
        self.column = nn.Parameter(torch.randn(_ROW, width) * 0.25)

    def forward(self, pictures: Tensor) -> Tensor:
        found = F.gelu(self.strokes(1 - pictures), approximate="tanh")
        found = self.whole(F.gelu(self.parts(found), approximate="tanh"))
        placed = found + (self.row[:, None] + self.column[None]).permute(2, 0, 1)
        return placed.flatten(2).transpose(1, 2)


class Past:
    """What a block keeps of the positions behind it while a reply is written."""

    def __init__(self) -> None:
        self.near: Tensor | None = None
        self.keys: Tensor | None = None
        self.values: Tensor | None = None


class Block(nn.Module):
    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width, bias=False)
        self.near = nn.Parameter(torch.zeros(REACH, width))
        self.ask = nn.Linear(width, 3 * width, bias=False)
        self.told = nn.Linear(width, width, bias=False)
        self.then = nn.LayerNorm(width, bias=False)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        nn.init.normal_(self.narrow.weight, std=(4 * width * depth) ** -0.5)
        # At first a position looks for others like itself and takes over what is there and just before it: so what a question names
        # is soon found in the picture and in the options.
        nn.init.constant_(self.near[: REACH - 1], 0.25)
        nn.init.normal_(self.ask.weight, std=width**-0.5)
        with torch.no_grad():
            self.ask.weight[: 2 * width] = 1.3 * self.ask.weight[:width].repeat(2, 1)
            self.told.weight.copy_(0.5 * self.ask.weight[2 * width :].T)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], past: Past | None) -> Tensor:
        n, length, width = x.shape
        h = self.before(x)
        before = F.pad(h, (0, 0, REACH - 1, 0))[:, : REACH - 1] if past is None or past.near is None else past.near
        longer = torch.cat([before, h], 1)
        if past is not None:
            past.near = longer[:, -(REACH - 1) :]
        weights = self.near.to(h.dtype)
        h = h + sum(weights[k] * longer[:, k : k + length] for k in range(REACH))
        q, k, v = self.ask(h).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k = _turned(q, *turn), _turned(k, *turn)
        if past is not None:
            if past.keys is not None and past.values is not None:
                k, v = torch.cat([past.keys, k], 2), torch.cat([past.values, v], 2)
            past.keys, past.values = k, v
        seen = _attended(q, k, v)
        x = x + self.told(seen.transpose(1, 2).reshape(n, length, width))
        return x + self.narrow(F.gelu(self.wide(self.then(x)), approximate="tanh"))


def _attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention to what came before, the queries being the last of the positions. Written out: faster than the fused one for short
    texts on a CPU. No position attends to itself, where it would find its best match, and each may attend to nothing: a match of 0.
    """
    new, length = q.shape[2], k.shape[2]
    hidden = torch.ones(new, length, dtype=torch.bool, device=q.device).triu(length - new)
    match = (q @ k.transpose(2, 3)).float() * q.shape[3] ** -0.5
    match = F.pad(match.masked_fill(hidden, float("-inf")), (1, 0))
    return match.softmax(-1)[..., 1:].to(v.dtype) @ v


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions on the first quarter of a head's channels; the others compare what things are, wherever they are."""
    pairs = cos.shape[-1]
    a, b, rest = x.split([pairs, pairs, x.shape[-1] - 2 * pairs], -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos, rest], -1)


class Tiny(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.eye = Eye(shape.width)
        self.words = nn.Embedding(shape.tokens, shape.width)
        self.blocks = nn.ModuleList(Block(shape.width, shape.heads, 2 * shape.layers) for _ in range(shape.layers))
        self.last = nn.LayerNorm(shape.width, bias=False)
        nn.init.normal_(self.words.weight, std=0.5)

    def forward(self, tokens: Tensor, pictures: Tensor, past: list[Past] | None = None, start: int = 0) -> Tensor:
        """What stands behind each position, shape (n, length, width); `scores` turns it into scores of the next token.

        `tokens` (n, length) hold PICTURE at each patch; `pictures` (m, 3, SIDE, SIDE) 8-bit, in the order in which their patches
        stand in the batch. With `past`, the tokens follow those given before, from place `start`.
        """
        x = self.words(tokens)
        if len(pictures):
            patches = self.eye(pictures.float() / 255)
            x = x.masked_scatter((tokens == PICTURE)[..., None], patches.reshape(-1, self.shape.width).to(x.dtype))
        turn = angles(start, tokens.shape[1], self.shape.width // self.shape.heads // 8, x.device)
        turn = (turn[0].to(x.dtype), turn[1].to(x.dtype))
        for depth, block in enumerate(self.blocks):
            x = block(x, turn, past[depth] if past else None)
        return self.last(x)

    def scores(self, behind: Tensor) -> Tensor:
        return F.linear(behind, self.words.weight) * self.shape.width**-0.5

    @torch.no_grad()
    def replies(self, tokens: Tensor, pictures: Tensor, end: int, at_most: int) -> list[list[int]]:
        """The likeliest next token again and again, for prompts of one length, up to `end` or `at_most` tokens."""
        past = [Past() for _ in self.blocks]
        said = tokens.new_zeros((len(tokens), 0))
        behind, start = self(tokens, pictures, past), tokens.shape[1]
        done = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)
        for _ in range(at_most):
            chosen = self.scores(behind[:, -1]).argmax(-1)
            said = torch.cat([said, chosen[:, None]], 1)
            done |= chosen == end
            if done.all():
                break
            behind, start = self(chosen[:, None], pictures[:0], past, start), start + 1
        return [row[: row.index(end)] if end in row else row for row in said.tolist()]


def angles(start: int, length: int, pairs: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary positions, shape (length, pairs)."""
    places = torch.arange(start, start + length, device=device, dtype=torch.float32)
    speeds = 1000.0 ** (-torch.arange(pairs, device=device, dtype=torch.float32) / pairs)
    turned = places[:, None] * speeds
    return turned.cos(), turned.sin()


def parameters(model: nn.Module) -> int:
    return sum(weight.numel() for weight in model.parameters())
