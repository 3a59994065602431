"""Maze navigation: classifies each block of the image by the colour of its centre, then searches the path from S.

The path is found by breadth-first search over the free blocks, and its turns are counted. The re-derivation of the suite uses another
method: it fills dead ends and counts the turns of the remaining path.
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
_DARK = 80  # a wall pixel has all channels below this value


def blocks(picture: Picture) -> tuple[set[Block], Block, Block]:
    """The free blocks of a maze, its start and its exit, as rows and columns from 0 at the upper left.

    The outer wall starts half a block from the edge of the image, which determines the block size.
    """
    dark = (picture < _DARK).all(axis=2)
    columns = np.flatnonzero(dark.any(axis=0))
    left, wide = int(columns[0]), int(columns[-1]) + 1 - int(columns[0])
    side = 2 * round(wide / max(1, picture.shape[1] - wide) / 2 - 0.5) + 1  # blocks per side, an odd number; the margins sum to one block
    block = wide / side
    places = [round(left + (i + 0.5) * block) for i in range(side)]
    middles = picture[np.ix_(places, places)].astype(np.int16)
    free = {(int(r), int(c)) for r, c in np.argwhere((middles >= _DARK).any(axis=2))}
    red, green, blue = middles[..., 0], middles[..., 1], middles[..., 2]
    start = _argmax(green - np.maximum(red, blue))
    return free, start, _argmax(red - np.maximum(green, blue))


def _argmax(much: NDArray[np.int16]) -> Block:
    row, column = divmod(int(np.argmax(much)), much.shape[1])
    return row, column


def way(free: set[Block], start: Block, end: Block) -> list[Block]:
    """The path from start to end, by breadth-first search from the end."""
    next_block, front = {end: end}, [end]
    for row, column in front:  # `front` grows during the iteration
        for neighbour in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
            if neighbour in free and neighbour not in next_block:
                next_block[neighbour] = (row, column)
                front.append(neighbour)
    path = [start]
    while path[-1] != end:
        path.append(next_block[path[-1]])
    return path


def _turns(path: list[Block]) -> tuple[int, int]:
    """The numbers of right turns and of all turns. With steps as complex numbers, a right turn is a multiplication by -i."""
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
    relation = _ASKED.search(prompt)
    down, right = end[0] - start[0], end[1] - start[1]
    sides = ("below" if down > 0 else "above" if down else "", "right" if right > 0 else "left" if right else "")
    directions = [word for word in ("above", "below", "left", "right") if relation and word in relation[1].split()]
    return "yes" if directions == [side for side in sides if side] else "no"


SOLVERS = {"turns do you make": _count, "is E ": _position}
