"""Items of stored rows, regenerated."""

from __future__ import annotations

from isovist import private_seeds, registry
from isovist.core.item_ids import stated_release
from isovist.dataset.rows import ItemRow
from isovist.items import Item, make_item
from isovist.items import item as regenerate
from isovist.private_seeds import Secret


def regenerated_item(row: ItemRow) -> Item:
    """The item at the address of a row; for a private seed, this process needs the secret.

    Its content may differ from that of the row. Raises ValueError if the installed packages cannot generate it, UserError without the secret.
    """
    if release := stated_release(row.id):
        return _private_item(row, private_seeds.required(release))
    return regenerate(row.id.partition("#")[0])


def _private_item(row: ItemRow, secret: Secret) -> Item:
    """The item with a private seed whose level, index and settings the row states. Raises ValueError for invalid ones."""
    task = registry.task(row.task)
    if row.version != task.version:
        raise ValueError(f"version {row.version} of {task.id}, but the installed version is {task.version}")
    address = task.address(row.split, row.level, secret.seed, row.index, row.metadata.settings)
    try:
        return make_item(task, address)
    except RuntimeError:  # its message states the address
        raise ValueError("no scene fits") from None
