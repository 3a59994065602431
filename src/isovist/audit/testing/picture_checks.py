"""Conformance checks of layouts, splits and groups: which items show the same pictures; `conformance.CHECKS` has all checks."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

from isovist.audit.item_cache import SEED, shared
from isovist.audit.testing.sampled_items import is_staged, most, n_audited, n_in_all
from isovist.core.task import SamplingContext, Task, split_of_layout
from isovist.data.items import Items


def equal_pictures_have_one_layout(task: Task[Any]) -> None:
    """A layout says no more than the picture: it is the same for other questions about the same picture.

    The layout decides the split, so a layout with a part that the picture does not show, such as the wording, lets the same picture into
    both splits. Each picture is sampled a second time with other random streams of the question. Where the picture depends on the question,
    the fields of two scenes are exchanged, one by one, and those that change the picture are left out.
    """

    def again(context: SamplingContext) -> Any:
        design = context._item_design.at("again")  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - streams that tasks do not see
        return task.sample(replace(context, item_rng=context.item_rng.at("again"), _item_design=design))

    n = max(len(task.levels), most(task, 12 if is_staged(task) else 24))
    first = shared(task).around(n)
    pairs = [(made, other.scene) for made, other in zip(first, Items(replace(task, sample=again), n, SEED), strict=True) if made.pictures]
    pairs = [(made, scene) for made, scene in pairs if task.draw(scene) == made.pictures]
    for made, other in pairwise(first) if not pairs else ():
        scene: Any = made.scene
        for name in _names_of_fields(scene) if type(scene) is type(other.scene) else ():
            try:
                exchanged = replace(scene, **{name: getattr(other.scene, name)})
                is_equal = task.draw(exchanged) == made.pictures
            except Exception:  # noqa: BLE001, S112 - a scene whose fields do not belong together
                continue
            if is_equal and made.pictures:
                pairs.append((made, exchanged))
    for made, scene in pairs:
        assert task.sampling.layout(scene) == task.sampling.layout(made.scene), (
            f"{made.id}: the layout changes with what the picture does not show, so train and test can share pictures. Leave that out of "
            "`sampling.layout`"
        )


def _names_of_fields(scene: object) -> list[str]:
    return [field.name for field in fields(scene) if field.init] if is_dataclass(scene) else []


def train_and_test_share_no_picture(task: Task[Any]) -> None:
    """Every layout is in its split, and no picture or image is in both."""
    sets = (shared(task), shared(task, "train"))
    many = n_audited(task) if is_staged(task) else max(n_in_all(task, 24), n_audited(task))
    for cache in sets:
        in_split = all(split_of_layout(task.sampling.layout(made.scene)) == cache.split for made in cache.around(many))
        assert in_split, f"{task.id}: an item of the {cache.split} split has a layout of the other split"
    test, train = sets
    drawn: list[set[object]] = [{made.pictures for made in cache.around(many) if made.pictures} for cache in sets]
    # pictures that differ as data may look the same: drawings with few variants meet by chance, 3-D scenes never do
    few = 0 if is_staged(task) else n_in_all(task, 8)
    looks: list[set[object]] = [
        {test.look(made).digest for made in test.around(few) if made.pictures},  # cached for other checks
        {train.digest(made) for made in train.around(few) if made.pictures},
    ]
    for a, b in (drawn, looks):
        assert not a & b, f"{task.id}: train and test share {len(a & b)} pictures"


def a_group_shares_its_pictures(task: Task[Any]) -> None:
    """With the setting `pictures`, items of one group have the same pictures and different questions."""
    if "pictures" not in task.settings:
        return
    listed = list(Items(task, 24, 3, settings=(("pictures", 6),)))
    for a, b in zip(listed, listed[6:], strict=False):
        assert a.group == b.group and a.pictures == b.pictures, f"{a.id} and {b.id}: one group, but different pictures"
    asked = {(made.group, made.question.text, made.answer.balance_bin()) for made in listed}
    assert len(asked) == len(listed), f"{task.id}: {len(listed) - len(asked)} duplicate questions in a group"
