"""Items once published stay as they are: fingerprints of a few items of each task, in `golden/items.json`.

`python tests/test_golden.py` writes the file anew, after the version of a changed task was raised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import certificates
import pytest

from isovist.core.task import SPLITS, Task, Value
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry

PATH = Path(__file__).parent / "golden" / "items.json"
SEED = 2412

Golden = dict[str, list[dict[str, str]]]


def samples(task: Task[Any]) -> Iterator[tuple[Items, int]]:
    """Two items of each level and split, and one for each setting that is not the default; of many levels three."""
    levels = task.levels if len(task.levels) <= 4 else (task.levels[0], task.levels[len(task.levels) // 2], task.levels[-1])
    for level in levels:
        for split in SPLITS:
            yield from ((Items(task, 2, SEED, split, level), k) for k in range(2))
    for name, setting in sorted(task.all_settings.items()):
        others: list[Value] = [choice for choice in setting.choices if choice != setting.default] or [int(setting.default) + 104]
        for value in others:
            yield Items(task, 12, SEED, settings=((name, value),)), 11


def fingerprint(item: Item) -> dict[str, str]:
    """What must never change while the version stays; pixels are decoded, since PNG bytes depend on the compressor."""
    pixels = sha256()
    for picture in item.pixels():
        pixels.update(str(picture.shape).encode())
        pixels.update(picture.tobytes())
    words = sha256(item.prompt.encode()).hexdigest()
    return {"id": item.id, "words": words[:16], "pixels": pixels.hexdigest()[:16], "key": item.answer.canonical()}


def fingerprints(task: Task[Any], every: int = 1) -> list[dict[str, str]]:
    return [fingerprint(items[k]) for items, k in islice(samples(task), 0, None, every)]


def golden() -> Golden:
    return json.loads(PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "task", [pytest.param(task, id=id, marks=pytest.mark.golden(task=id)) for id, task in registry.built_in_tasks().items()]
)
def test_published_items_stay_as_they_are(task: Task[Any]) -> None:
    """All of them; a third while nothing has changed that they are made from, which `certificates.py` tells."""
    every = 3 if certificates.standing(task.id) == certificates.VALID else 1
    then, now = golden().get(task.id, [])[::every], fingerprints(task, every)
    changed = sorted({name for a, b in zip(then, now, strict=False) for name in b if a.get(name) != b[name]})
    assert len(then) == len(now) and not changed, (  # noqa: PT018 - one message for both
        f"{task.id}: {', '.join(changed) or 'the number of samples'} of published items changed. A change of pixels, words or keys raises "
        f"the task's version (now {task.version}); then write the fingerprints anew: python tests/test_golden.py"
    )


def test_no_fingerprints_are_left_of_tasks_that_are_gone() -> None:
    assert set(golden()) == set(registry.built_in_tasks())


def test_every_kind_of_change_moves_a_fingerprint() -> None:
    """A change of one field of one item is seen, so none of the four is idle."""
    task = registry.task("cdr/relative-compass-letter")
    item_fingerprints = [fingerprint(item) for item in Items(task, 6, SEED)]
    for name in ("id", "words", "pixels", "key"):
        assert len({one[name] for one in item_fingerprints}) > 1, name
    small, large = (fingerprint(Items(task, 1, SEED, settings=(("size", size),))[0]) for size in (200, 201))
    assert small["words"] == large["words"]
    assert small["pixels"] != large["pixels"]


def write() -> None:
    task_fingerprints = {task.id: fingerprints(task) for task in registry.built_in_tasks().values()}
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(json.dumps(task_fingerprints, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
