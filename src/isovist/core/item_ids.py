"""What an item id states: the address of the item or, with a private seed, a release and a token in place of seed and index.

An ordinary id is ``task@version:split:level:seed:index[:settings]#digest``, a private one ``task@version:split:level:release:token``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from isovist.core.task import ItemAddress

RELEASE_NAME = r"[a-z][a-z0-9._-]*"
"""The pattern of the names of releases: no whole number, so that it is not a seed."""
_PRIVATE = re.compile(
    rf"(?P<task>[^@:#]+)@(?P<version>[0-9]+):(?P<split>test|train):(?P<level>[^:#]+):(?P<release>{RELEASE_NAME}):(?P<token>[0-9a-f]{{16}})"
)


@dataclass(frozen=True, slots=True)
class StatedDesign:
    """The part of an address that every item id states, also that of an item with a private seed."""

    task: str
    version: int
    split: str
    level: str


def stated_release(id: str) -> str:
    """The name of the release in the id of an item with a private seed; "" for any other id."""
    match = _PRIVATE.fullmatch(id)
    return match["release"] if match else ""


def stated_design(id: str) -> StatedDesign:
    """The task, version, split and level in an item id. Raises ValueError for any other text."""
    if match := _PRIVATE.fullmatch(id):
        return StatedDesign(match["task"], int(match["version"]), match["split"], match["level"])
    address = ItemAddress.parse(id)
    return StatedDesign(address.task, address.version, address.split, address.level)


def private_id(id: str, release: str, token: str) -> str:
    """The opaque form of an item id: seed, index, settings and digest are replaced by the name of a release and a token."""
    address = ItemAddress.parse(id)
    return f"{address.task}@{address.version}:{address.split}:{address.level}:{release}:{token}"


def private_group(group: str, release: str, token: str) -> str:
    """The opaque form of a group id: seed and number are replaced by the name of a release and a token."""
    family, split, level, _, _ = group.rsplit(":", 4)
    return f"{family}:{split}:{level}:{release}:{token}"


def unique_part(id: str) -> str:
    """The digest of an ordinary id, the token of a private one, and any other id as it is: a short name for files."""
    match = _PRIVATE.fullmatch(id)
    return match["token"] if match else id.rpartition("#")[2]


def keyed_order(id: str) -> tuple[str, str]:
    """A sort key for the order in which items with a private seed are sent: by their tokens, which are keyed hashes.

    The index of an item in its task may say something about its answer: blocks of items have each answer once.
    """
    return unique_part(id), id
