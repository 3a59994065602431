"""Digests of each task's items, to compare Python versions, machines and releases.

    python tools/item_digests.py > digests.txt

Needs an installed Isovist with the extra `scene`, not a checkout. A line holds the id of a task, its version, a digest of
its items (ids, scenes, prompts, keys and images as data) and a digest of their pixels. The same version of Isovist gives the same
lines on every supported version of Python: `diff` two files to compare.
"""

from __future__ import annotations

import argparse
from hashlib import sha256

from isovist import generate
from isovist.core.canonical_json import canonical_json
from isovist.data.item import Item
from isovist.data.items import ItemSequence
from isovist.suites import registry


def content(item: Item) -> str:
    """Everything of an item but its pixels."""
    return "\n".join((item.id, item.scene_json, item.prompt, item.answer.canonical(), *map(canonical_json, item.pictures)))


def digests(items: ItemSequence, *, pixels: bool = True) -> tuple[str, str]:
    """The digest of the items and the digest of their pixels. Pixels are decoded, since PNG bytes depend on the compressor."""
    data, images = sha256(), sha256()
    for item in items:
        data.update(content(item).encode())
        for image in item.pixels() if pixels else ():
            images.update(str(image.shape).encode() + image.tobytes())
    return data.hexdigest()[:16], images.hexdigest()[:16] if pixels else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tasks", nargs="*", default=["*"], help="task ids or globs; all tasks by default")
    parser.add_argument("--n", type=int, default=20, help="items of each task (20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-pixels", action="store_true", help="do not draw the images")
    args = parser.parse_args()
    for task in registry.matching(args.tasks):
        items = generate(task.id, n=args.n, seed=args.seed)
        data, pixels = digests(items, pixels=not args.no_pixels)
        print(f"{task.id}@{task.version} items={data} pixels={pixels}", flush=True)


if __name__ == "__main__":
    main()
