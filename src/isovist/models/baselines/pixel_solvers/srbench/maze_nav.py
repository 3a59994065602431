"""Maze navigation: what each block of the picture is by the colour of its middle, then a search from S.

The way is found by a flood over the free blocks, marked or not, and its turns are counted while it is walked: the suite's own
reading fills in dead ends and counts afterwards.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Block = tuple[int, int]

_OPTION = re.compile(r"^([A-Z])\. (\d+)$", re.MULTILINE)
_ASKED = re.compile(r"is E (?:directly )?(.+?) S,")
_DARK = 80  # a wall has no channel as light as this


def blocks(picture: Picture) -> tuple[set[Block], Block, Block]:
    """The free blocks of a maze, rows and columns from 0 at the upper left, its start and its exit.

    The wall around the maze begins half a block from the edge of the picture, which tells how wide a block is.
    """
    dark = (picture < _DARK).all(axis=2)
    columns = np.flatnonzero(dark.any(axis=0))
    left, wide = int(columns[0]), int(columns[-1]) + 1 - int(columns[0])
    side = 2 * round(wide / max(1, picture.shape[1] - wide) / 2 - 0.5) + 1  # an odd number; the two margins are one block
    block = wide / side
    places = [round(left + (i + 0.5) * block) for i in range(side)]
    middles = picture[np.ix_(places, places)].astype(np.int16)
    free = {(int(r), int(c)) for r, c in np.argwhere((middles >= _DARK).any(axis=2))}
    red, green, blue = middles[..., 0], middles[..., 1], middles[..., 2]
    start = _most(green - np.maximum(red, blue))
    return free, start, _most(red - np.maximum(green, blue))


def _most(much: NDArray[np.int16]) -> Block:
    row, column = divmod(int(np.argmax(much)), much.shape[1])
    return row, column


def way(free: set[Block], start: Block, end: Block) -> list[Block]:
    """The way from start to end, by a flood from the end."""
    onward, front = {end: end}, [end]
    for row, column in front:  # it grows while it is gone through
        for near in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
            if near in free and near not in onward:
                onward[near] = (row, column)
                front.append(near)
    path = [start]
    while path[-1] != end:
        path.append(onward[path[-1]])
    return path


def _turns(path: list[Block]) -> tuple[int, int]:
    """Right turns and all turns: a walker turns the unit step by i to the left, by -i to the right."""
    rights = total = 0
    steps = [complex(b[1] - a[1], a[0] - b[0]) for a, b in pairwise(path)]
    for before, after in pairwise(steps):
        total += before != after
        rights += after == before * -1j
    return rights, total


def _count(images: list[Picture], prompt: str) -> str:
    rights, total = _turns(way(*blocks(images[0])))
    letters = {number: letter for letter, number in _OPTION.findall(prompt)}
    return letters.get(str(rights if "How many right turns" in prompt else total), "I cannot tell")


def _position(images: list[Picture], prompt: str) -> str:
    _, start, end = blocks(images[0])
    asked = _ASKED.search(prompt)
    down, right = end[0] - start[0], end[1] - start[1]
    sides = ("below" if down > 0 else "above" if down else "", "right" if right > 0 else "left" if right else "")
    directions = [word for word in ("above", "below", "left", "right") if asked and word in asked[1].split()]
    return "yes" if directions == [side for side in sides if side] else "no"


SOLVERS = {"turns do you make": _count, "is E ": _position}
