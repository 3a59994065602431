"""Fingerprints of items, to test that other processes and hash seeds generate the same items."""

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
from isovist.data.item import Item
from isovist.data.items import Items

_ITEMS_PER_TASK = 4  # items per task in the other process; half as many with 3-D scenes; at least one per level
_HASH_SEED = "2024"


def everywhere_the_same(tasks: Sequence[Task[Any]]) -> None:
    """Check that another process with another hash seed generates the same items and pixels. One check for many tasks, because it is slow."""
    with ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(_fingerprints_of_process, _HASH_SEED, [task.id for task in tasks])
        expected = "\n".join(_fingerprints(tasks))
    assert elsewhere.result() == expected, f"PYTHONHASHSEED={_HASH_SEED} makes other items"


def _fingerprints_of_process(seed: str, names: Sequence[str]) -> str:
    """Return the fingerprints of tasks from a separate process with this hash seed."""
    code = "from isovist.audit.fingerprints import print_fingerprints; print_fingerprints()"
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run([sys.executable, "-c", code, *names], env=env, capture_output=True, text=True, check=True).stdout.strip()


def print_fingerprints() -> None:
    """Print the fingerprints of the tasks named on the command line, for `everywhere_the_same`."""
    from isovist.suites import registry

    print("\n".join(_fingerprints([registry.task(name) for name in sys.argv[1:]])))


def _fingerprints(tasks: Sequence[Task[Any]]) -> Iterator[str]:
    for task in tasks:
        n = _ITEMS_PER_TASK // 2 if Items(task, 1)[0].scenes3d else _ITEMS_PER_TASK
        yield from map(fingerprint, Items(task, max(n, len(task.levels)), 3))


def fingerprint(item: Item) -> str:
    """Return the id of an item with hashes of its prompt and its decoded pixels. 3-D scenes are rendered at half size."""
    return f"{item.id} {sha256(item.prompt.encode()).hexdigest()[:16]} {digest(pictures_of(item))[:16]}"
