"""Parsing and validation of image descriptions in a model's response, and detection of duplicates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from isovist.data.prompts import IMAGE
from isovist.evaluation.models.json_drafting import Malformed, elements
from isovist.people.text_to_image.facing_directions import NAMES
from isovist.people.text_to_image.prompt import DescriptionRequest, Example

_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,3}")
_LONGEST = 500  # characters of a description
_FEWEST, _MOST = 6, 70  # words of a description; the smallest text encoder reads 77 tokens
_SIDES = ("left", "right")
_ALIKE = 0.8
"""Jaccard similarity of the words from which two descriptions of one object are duplicates."""


@dataclass(frozen=True, slots=True)
class Description:
    """The description of an image.

    `object` is the word of the list, `name` that of the description, `facing` the requested direction; annotators state the actual one.
    """

    object: str
    name: str
    setting: str
    facing: int
    text: str

    @property
    def id(self) -> str:
        """A hash of the text."""
        return blake2b(self.text.encode(), digest_size=8).hexdigest()

    @property
    def seed(self) -> int:
        """The seed of the diffusion noise, 0 to 2**63 - 1, from the text alone."""
        return int.from_bytes(blake2b(b"seed\n" + self.text.encode(), digest_size=8).digest(), "big") >> 1


def descriptions(reply: str, wanted: Sequence[DescriptionRequest], examples: Sequence[Example]) -> tuple[list[Description], list[str]]:
    """The descriptions in a response, and the faults of the invalid ones."""
    described: set[int] = set()

    def read(row: Mapping[str, Any], place: int) -> Description:
        del place
        number, description = _element(row, wanted, examples)
        if number in described:
            raise Malformed(f"line {number} of the list is described twice")
        described.add(number)
        return description

    return elements(reply, read)


def _element(row: Mapping[str, Any], wanted: Sequence[DescriptionRequest], examples: Sequence[Example]) -> tuple[int, Description]:
    number = row.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(wanted):
        raise Malformed("the number is not in the list")
    asked = wanted[number - 1]
    name, setting, text = (_text(row, field) for field in ("name", "setting", "description"))
    if not _NAME.fullmatch(name) or len(name) > 40:
        raise Malformed("the name is not one to four words")
    if len(text) > _LONGEST or not _FEWEST <= len(_words(text)) <= _MOST:
        raise Malformed(f"the description does not have {_FEWEST} to {_MOST} words")
    if not re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
        raise Malformed("the description does not contain the name")
    shown = {one.object.casefold() for one in examples}
    if name.casefold() in shown:
        raise Malformed("the object is that of an example")
    if setting.casefold() in {one.setting.casefold() for one in examples}:
        raise Malformed("the setting is that of an example")
    sides = {side for side in _SIDES if re.search(rf"\b{side}\b", text, re.IGNORECASE)}
    other = {"left": "right", "right": "left"}
    for side in _SIDES:
        if side in NAMES[asked.facing] and sides == {other[side]}:
            raise Malformed("the description names the opposite side")
    return number, Description(asked.object, name, setting, asked.facing, text)


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not text or IMAGE in text or not text.isprintable():
        raise Malformed(f"no {field}")
    return text


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def same(one: Description, other: Description) -> bool:
    """Whether two descriptions are duplicates: same object, and same setting and facing, or nearly the same words."""
    if one.object != other.object:
        return one.text.casefold() == other.text.casefold()
    if (one.setting.casefold(), one.facing) == (other.setting.casefold(), other.facing):
        return True
    a, b = set(_words(one.text)), set(_words(other.text))
    return len(a & b) >= _ALIKE * len(a | b)
