"""The canonical text of a value, and addresses that name an item."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isovist.core.canonical_json import canonical_json, plain
from isovist.core.task import SPLITS, ItemAddress, Setting
from isovist.data.item import item, make_item
from isovist.suites.registry import task


@dataclass(frozen=True)
class Inner:
    at: tuple[float, float]
    name: str = "x"


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    cells: tuple[int | None, ...] = ()
    told: dict[str, bool] = field(default_factory=dict[str, bool])


texts = st.text(st.characters(codec="utf-8"), max_size=6)
leaves = st.one_of(st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False), texts)
values = st.recursive(
    leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)), max_leaves=12
)


# ---- canonical JSON ------------------------------------------------------------------------------------------------


def test_keys_are_sorted_and_nothing_is_spaced() -> None:
    assert canonical_json({"b": 1, "a": [1, 2], "c": {"z": None, "y": True}}) == '{"a":[1,2],"b":1,"c":{"y":true,"z":null}}'


@given(st.dictionaries(texts, leaves, max_size=6), st.randoms())
def test_the_order_of_keys_does_not_matter(mapping: dict[str, Any], random: Any) -> None:
    pairs = list(mapping.items())
    random.shuffle(pairs)
    assert canonical_json(dict(pairs)) == canonical_json(mapping)


def test_tuples_and_lists_are_one() -> None:
    assert canonical_json((1, (2, "a"), [])) == canonical_json([1, [2, "a"], ()]) == '[1,[2,"a"],[]]'


def test_dataclasses_become_objects() -> None:
    scene = Outer(Inner((0.5, 1.0)), (1, None), {"b": True, "a": False})
    assert canonical_json(scene) == '{"cells":[1,null],"inner":{"at":[0.5,1.0],"name":"x"},"told":{"a":false,"b":true}}'


@dataclass
class Changing:
    n: int


def test_a_text_that_was_written_before_is_of_the_same_value() -> None:
    inner = Inner((0.5, 1.0))
    alone = canonical_json(inner)
    assert canonical_json(Outer(inner)) == f'{{"cells":[],"inner":{alone},"told":{{}}}}'
    assert canonical_json(Inner((0.5, 1.0), "y")) == '{"at":[0.5,1.0],"name":"y"}'
    changing = Changing(1)
    assert canonical_json(changing) == '{"n":1}'
    changing.n = 2
    assert canonical_json([changing]) == '[{"n":2}]'


def test_letters_stay_letters() -> None:
    assert canonical_json("Ä北\n") == '"Ä北\\n"'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333"),
        (123456789.4, "123456789.0"),
        (1234567891.0, "1234567890.0"),
        (2e-12 / 3, "6.66666667e-13"),
        (1.0, "1.0"),
        (1, "1"),
        (0.0, "0.0"),
        (-0.0, "0.0"),
        (-1e-320, "-1e-320"),
    ],
)
def test_floats_keep_nine_digits(value: float, expected: str) -> None:
    assert canonical_json(value) == expected


@given(st.floats(0.1, 1e6), st.integers(-3, 3))
def test_the_last_bits_of_a_float_do_not_matter(value: float, bits: int) -> None:
    kept = float(f"{value:.9g}")
    near = kept * (1 + bits * 2**-52)
    assert canonical_json(near) == canonical_json(kept)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [1.0, math.nan], {"a": math.inf}])
def test_what_is_no_number_raises(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), 1j, range(3), Inner, [{"a": {1}}], lambda: None])
def test_an_unknown_type_raises(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        canonical_json(value)


@given(values)
def test_the_text_is_json_and_stable(value: Any) -> None:
    text = canonical_json(value)
    assert json.loads(text) == plain(value)
    assert canonical_json(json.loads(text)) == text


# ---- addresses -----------------------------------------------------------------------------------------------------

kebab = st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
choices = st.from_regex(r"[A-Za-z][A-Za-z.-]{0,6}", fullmatch=True)
settings = st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.one_of(choices, st.integers(-1000, 10**6)), max_size=3)
addresses = st.builds(
    lambda suite, name, version, split, level, seed, index, options: ItemAddress(
        f"{suite}/{name}", version, split, level, seed, index, tuple(sorted(options.items()))
    ),
    kebab,
    kebab,
    st.integers(1, 99),
    st.sampled_from(SPLITS),
    kebab,
    st.integers(-(10**12), 10**12),
    st.integers(0, 10**9),
    settings,
)


@given(addresses)
def test_an_address_comes_back_from_its_text(address: ItemAddress) -> None:
    assert ItemAddress.parse(str(address)) == address
    assert ItemAddress.parse(f"{address}#0123456789abcdef") == address


@given(addresses)
def test_every_part_of_an_address_shows_in_its_text(address: ItemAddress) -> None:
    others = (
        replace(address, task=address.task + "x"),
        replace(address, version=address.version + 1),
        replace(address, split=SPLITS[1 - SPLITS.index(address.split)]),
        replace(address, level=address.level + "x"),
        replace(address, seed=address.seed + 1),
        replace(address, index=address.index + 1),
        replace(address, settings=(*address.settings, ("zzzzzzzzz", 1))),
    )
    assert len({str(address), *map(str, others)}) == 1 + len(others)


def test_only_told_settings_stand_in_an_address() -> None:
    tested = task("cdr/relative-compass-letter")
    plain_address = tested.address("test", "standard", 0, 17, {"order": "shuffled", "size": 200})
    assert str(plain_address) == "cdr/relative-compass-letter@2:test:standard:0:17"
    full_address = tested.address("test", "standard", 0, 17, {"size": "400", "order": "paper"})
    assert str(full_address) == "cdr/relative-compass-letter@2:test:standard:0:17:order=paper,size=400"


BAD = [
    "",
    "cdr/x",
    "cdr/x@",
    "cdr/x@1",
    "cdr/x@1:test:standard:0",
    "cdr/x@one:test:standard:0:1",
    "cdr/x@1:exam:standard:0:1",
    "cdr/x@1:test:standard:zero:1",
    "cdr/x@1:test:standard:0:1.5",
    "cdr/x@1:test:standard:0:1:a=1:b=2",
    "cdr/x@1:test:standard:0:",
    "@:::::",
    "\n\n",
    "9" * 5000,
    "cdr/x@1:test:standard:0:" + "9" * 5000,
    "cdr/x@1:test:standard:0:1:size=--5",
    "cdr/x@1:test:standard:0:1:size=²",
]


@pytest.mark.parametrize("text", BAD, ids=lambda text: repr(text[:40]))
def test_a_bad_address_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="is not an item id; one looks like suite/task@1:test:standard:0:17#0123456789abcdef") as raised:
        ItemAddress.parse(text)
    assert "\n" not in str(raised.value)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_value_error(text: str) -> None:
    message = ""
    try:
        assert ItemAddress.parse(text).split in SPLITS
    except ValueError as error:
        message = str(error)
    assert "\n" not in message


# ---- ids of items --------------------------------------------------------------------------------------------------


def test_an_id_is_its_address_and_a_digest() -> None:
    tested = task("cdr/relative-compass-letter")
    made = make_item(tested, tested.address("test", "standard", 0, 0, {}))
    assert re.fullmatch(r"cdr/relative-compass-letter@2:test:standard:0:0#[0-9a-f]{16}", made.id)


def test_a_setting_that_moves_the_pixels_alone_still_gives_another_id() -> None:
    tested = task("cdr/relative-compass-letter")
    small, large = (make_item(tested, tested.address("test", "standard", 0, 0, {"size": size})) for size in (200, 300))
    assert small.scene == large.scene
    assert small.id != large.id


@pytest.mark.parametrize("order", ["shuffled", "paper"])
def test_an_id_with_settings_gives_its_item_back(order: str) -> None:
    tested = task("cdr/relative-compass-letter")
    made = make_item(tested, tested.address("train", "standard", 5, 3, {"order": order, "pictures": 7, "size": 300}))
    assert item(made.id) == made


def test_a_choice_of_digits_comes_back_from_an_id() -> None:
    # a setting such as the side of a grid may well be one of "3", "4", "5"
    setting = Setting("3", "cells a side", choices=("3", "4", "5"))
    address = ItemAddress("suite/task", 1, "test", "standard", 0, 0, (("grid", setting.parse("grid", "4")),))
    (again,) = (value for _, value in ItemAddress.parse(str(address)).settings)
    assert setting.parse("grid", again) == "4"
