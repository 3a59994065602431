"""Fingerprints of items, and whether other processes with other hash seeds make the same ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

from isovist.audit.item_cache import digest, pictures_of
from isovist.core.task import Task
from isovist.items import Item, Items

_ELSEWHERE = 8  # items of each task are made in other processes, of scenes half as many, and at least one of each level


def everywhere_the_same(tasks: Sequence[Task[Any]]) -> None:
    """Other processes and other hash seeds make the same items, pixels included. One check for many tasks: it is slow."""
    seeds = ("1", "2024")
    with ThreadPoolExecutor(len(seeds)) as pool:
        elsewhere = [pool.submit(_elsewhere, seed, [task.id for task in tasks]) for seed in seeds]
        expected = "\n".join(_fingerprints(tasks))
    for seed, future in zip(seeds, elsewhere, strict=True):
        assert future.result() == expected, f"PYTHONHASHSEED={seed} makes other items"


def _elsewhere(seed: str, names: Sequence[str]) -> str:
    """The fingerprints of tasks as a process of its own with this hash seed makes them."""
    code = "from isovist.audit.fingerprints import print_fingerprints; print_fingerprints()"
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run([sys.executable, "-c", code, *names], env=env, capture_output=True, text=True, check=True).stdout.strip()


def print_fingerprints() -> None:
    """For `everywhere_the_same`: prints the fingerprints of the tasks named on the command line."""
    from isovist import registry

    print("\n".join(_fingerprints([registry.task(name) for name in sys.argv[1:]])))


def _fingerprints(tasks: Sequence[Task[Any]]) -> Iterator[str]:
    for task in tasks:
        n = _ELSEWHERE // 2 if Items(task, 1)[0].scenes3d else _ELSEWHERE
        yield from map(fingerprint, Items(task, max(n, len(task.levels)), 3))


def fingerprint(item: Item) -> str:
    """An item's id and hashes of its words and of its decoded pixels, scenes drawn at half their size: what differs does so there too."""
    return f"{item.id} {sha256(item.prompt.encode()).hexdigest()[:16]} {digest(pictures_of(item))[:16]}"
