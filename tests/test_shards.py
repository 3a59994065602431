"""Division of a command among shards: which text is a shard, and that the shards together have every unit once."""

from __future__ import annotations

import pytest
from workbench import done, isovist, refused

from isovist.common.errors import UserError
from isovist.common.shards import Shard


@pytest.mark.parametrize(
    "text", ["3/2", "2/2", "0/0", "a/b", "-1/4", "1", "", "/", "1/", "/4", "1/2/3", "1.0/4", "²/4", "1/1e3", "0/4 5", "9" * 30]
)
def test_a_text_that_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"^Invalid shard: .*Write I/N"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_the_shards_together_have_every_unit_once(count: int) -> None:
    units = list(range(17))
    shards = [Shard.parse(f"{index}/{count}") for index in range(count)]
    assert sorted(unit for shard in shards for unit in shard.of(units)) == units
    for shard in shards:
        assert list(shard.of(units)) == [unit for unit in units if shard.selects(unit)]


def test_the_keys_are_checked_in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    from isovist.audit import answer_key_check

    checked: list[str] = []
    monkeypatch.setattr(answer_key_check, "_fault", lambda task, item: checked.append(str(item.address)) or "")
    task = "cdr/step-cell-letter"
    outputs = [done("audit", task, "--check-keys", 8, "--shard", f"{index}/3").out for index in range(3)]
    assert outputs == [f"{task}: {n} keys checked, 0 incorrect\n" for n in (3, 3, 2)]
    in_shards = sorted(checked)
    checked.clear()
    done("audit", task, "--check-keys", 8)
    assert in_shards == sorted(checked)
    assert len(set(checked)) == 8


@pytest.mark.parametrize("more", [(), ("--shortcuts",), ("--attack",)])
def test_a_test_of_all_items_has_no_shards(more: tuple[str, ...]) -> None:
    refused(isovist("audit", "cdr/step-cell-letter", "--shard", "0/2", *more), "--shard", "--check-keys")
