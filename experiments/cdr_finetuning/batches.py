"""Samples as tokens, and samples of one step as tensors. Only replies are learnt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from cdr_finetuning.model import Tiny
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.embedded.image_patches import PATCHES
from isovist.evaluation.models.embedded.tokenizer import END, PAD, Words


@dataclass(frozen=True, slots=True)
class Sample:
    """A conversation about a picture as it goes into a model: tokens, and for each whether it is to be learnt."""

    picture: NDArray[np.uint8]
    tokens: list[int]
    learnt: list[bool]


def sample(words: Words, picture: NDArray[np.uint8], turns: Sequence[tuple[str, str]]) -> Sample:
    """Questions and replies about a picture, which stands before the first question."""
    tokens: list[int] = []
    learnt: list[bool] = []
    for prompt, reply in turns:
        marked = prompt if tokens or prompt.startswith(IMAGE) else f"{IMAGE}\n{prompt}"
        asked, said = words.asked(marked, PATCHES), [*words.ids(reply), END]
        tokens += asked + said
        learnt += [False] * len(asked) + [True] * len(said)
    return Sample(picture, tokens, learnt)


@dataclass(frozen=True, slots=True)
class Batch:
    tokens: Tensor  # (n, length)
    learnt: Tensor  # (n, length), true where a token is to be learnt
    pictures: Tensor  # (n, 3, SIDE, SIDE), 8-bit

    @property
    def read(self) -> int:
        """Tokens without what fills the batch up."""
        return int((self.tokens != PAD).sum())


def batch(samples: Iterable[Sample], device: torch.device) -> Batch:
    """Samples side by side, the shorter ones filled up at their end."""
    listed = list(samples)
    length = max(len(one.tokens) for one in listed)
    tokens = torch.full((len(listed), length), PAD)
    learnt = torch.zeros((len(listed), length), dtype=torch.bool)
    for row, one in enumerate(listed):
        tokens[row, : len(one.tokens)] = torch.tensor(one.tokens)
        learnt[row, : len(one.tokens)] = torch.tensor(one.learnt)
    return Batch(tokens.to(device), learnt.to(device), pictures([one.picture for one in listed], device))


def pictures(shown: Sequence[NDArray[np.uint8]], device: torch.device) -> Tensor:
    return torch.from_numpy(np.stack(shown)).permute(0, 3, 1, 2).to(device)


def mixed(device: torch.device):  # noqa: ANN201
    """The precision in which a model computes here: bfloat16 for products, of which its weights are not made."""
    return torch.autocast(device.type, torch.bfloat16)


def loss(model: Tiny, given: Batch) -> Tensor:
    """The mean surprise at the learnt tokens."""
    behind = model(given.tokens, given.pictures)[:, :-1][given.learnt[:, 1:]]
    return F.cross_entropy(model.scores(behind).float(), given.tokens[:, 1:][given.learnt[:, 1:]])


@torch.no_grad()
def told(model: Tiny, given: Batch) -> Tensor:
    """Whether the likeliest tokens are the learnt ones for all of a sample, shape (n,).

    That is so exactly if a model that writes the likeliest token again and again says the same replies.
    """
    right = model.scores(model(given.tokens, given.pictures)[:, :-1]).argmax(-1) == given.tokens[:, 1:]
    return (right | ~given.learnt[:, 1:]).all(1)


@torch.no_grad()
def replies(model: Tiny, words: Words, asked: Sequence[tuple[str, NDArray[np.uint8]]], at_most: int, together: int = 256) -> list[str]:
    """What the model says to prompts with a picture each. Prompts of one length are asked together."""
    device = next(model.parameters()).device
    prompts = [words.asked(prompt, PATCHES) for prompt, _ in asked]
    said = [""] * len(asked)
    order = sorted(range(len(asked)), key=lambda place: len(prompts[place]))
    fitting = partial(_fitting, prompts, order, together)
    for places in fitting():
        tokens = torch.tensor([prompts[place] for place in places], device=device)
        found = model.replies(tokens, pictures([asked[place][1] for place in places], device), END, at_most)
        for place, ids in zip(places, found, strict=True):
            said[place] = words.text(ids)
    return said


def _fitting(prompts: Sequence[Sequence[int]], order: Sequence[int], together: int) -> Iterable[list[int]]:
    places: list[int] = []
    for place in order:
        if places and (len(places) == together or len(prompts[place]) != len(prompts[places[0]])):
            yield places
            places = []
        places.append(place)
    if places:
        yield places
