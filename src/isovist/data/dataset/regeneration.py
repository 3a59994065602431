"""Items of stored rows, regenerated."""

from __future__ import annotations

from isovist.common import private_seeds
from isovist.common.private_seeds import Secret
from isovist.core.item_ids import stated_release
from isovist.data.dataset.rows import ItemRow
from isovist.data.item import Item, make_item
from isovist.data.item import item as regenerate
from isovist.suites import registry


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
