"""Items with fewer options: the protocol of DORI's human evaluation (arXiv 2505.21649, "Human evaluation").

There people saw three options of each question: the key, "Cannot be determined" and an incorrect one. The items are a dataset folder of
their own, so results, exports, reports and runs of models on them have its keys and chance levels.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.answers import Choice, ImageOptionChoice
from isovist.core.rng import Rng
from isovist.data.dataset.external_rows import digest
from isovist.data.dataset.external_rows import row as external_row
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import SHOWN_OPTIONS, Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.pipeline import new_data_folder
from isovist.people.study.plan import StudyPlan, practice_rows, too_few_items

ITEMS = "items"
"""The dataset folder of these items in a study folder."""
_INDETERMINABLE = "cannot be determined"


@dataclass(frozen=True, slots=True)
class Reduction:
    """Items with fewer options, and the numbers of changed and unchanged items, practice included."""

    folder: Path
    reduced: int
    unchanged: int


def reduced_choice(key: Choice, k: int, rng: Rng) -> tuple[Choice, tuple[int, ...]]:
    """The key with `k` options in their order, and the index of each in `key`.

    The option that the answer cannot be determined is always among them, the other incorrect ones are random.
    """
    wrong = [i for i in range(len(key.options)) if i != key.truth]
    kept = [i for i in wrong if _INDETERMINABLE in key.options[i].casefold()][: k - 1]
    others = [i for i in wrong if i not in kept]
    places = tuple(sorted([key.truth, *kept, *rng.sample(others, k - 1 - len(kept))]))
    return Choice(tuple(key.options[i] for i in places), places.index(key.truth)), places


def reduced_row(row: ItemRow, index: int, k: int, seed: int) -> ItemRow:
    """An item with at most `k` options and another id. Options that are drawn in the image, and other answer types, stay."""
    key = row.key
    metadata = json.loads(row.metadata_json)
    if reduced := is_reducible(row, k):
        assert isinstance(key, Choice)  # noqa: S101 - by `is_reducible`
        key, places = reduced_choice(key, k, Rng("study", seed, "options", row.id))
        if types := metadata.get("distractor_types"):
            metadata["distractor_types"] = [types[i] for i in places]
        for angles in metadata.get("option_angles", {}).values():
            angles["angles_deg"] = [angles["angles_deg"][i] for i in places]
        if "options" in metadata.get("attributes", {}):
            metadata["attributes"]["options"] = str(k)
    extra = {name: value for name, value in metadata.items() if name not in ("question", "answer", "style", "reasoning")}
    return external_row(
        row.task,
        index,
        row.metadata.question,
        key,
        row.images,
        extra | {"scene": {"item": row.id, "reduced": reduced}},
        shown=[digest(image) for image in row.images],
        group=row.group,
        level=row.level,
        seed=row.seed,
        skills=row.skills,
    )


def is_reducible(row: ItemRow, k: int) -> bool:
    return isinstance(row.key, Choice) and not isinstance(row.key, ImageOptionChoice) and len(row.key.options) > k


def write(plan: StudyPlan, study: Path, k: int) -> Reduction:
    """The items of a study, practice included, with at most `k` options, in the study folder; existing ones are kept.

    Raises UserError if no item has more options, or if the folder has other items.
    """
    data, out = plan.checked(), study / ITEMS
    manifest = Manifest.read(data)
    parts = plan.parts_in(manifest)
    settings = {"source": f"isovist study serve --options {k}", SHOWN_OPTIONS: k, "data": plan.data_hash, "split": plan.parts[0][1]}
    if not out.exists():
        groups = {row.group for row in load(data, parts, plan.per_task, pictures=False)}
        with new_data_folder(out) as new:
            changed = False
            for part in parts:
                test_rows, practice = load(data, [part], plan.per_task, whole=True), practice_rows(data, manifest, part, plan, groups)
                for row in chain(test_rows, practice):
                    new.add(reduced_row(row, new.items[row.task], k, plan.seed))
                    changed |= is_reducible(row, k)
                if new.items[part.task] < plan.per_task + plan.beside:
                    raise too_few_items(part, plan, data)
            if not changed:
                raise UserError(f"No question has more than {k} options: {data}. Remove --options, or decrease it.")
            new.finish(settings, plan.seed)
    written = Manifest.read(out).parts
    if [(part.task, part.settings, part.seed) for part in written] != [(part.task, settings, plan.seed) for part in parts]:
        raise UserError(f"Study folder has items of other data, --tasks, --split, --options or --seed: {out}. Choose another --out folder.")
    reduced = [row.metadata.scene["reduced"] for row in load(out, written, pictures=False)]
    return Reduction(out, sum(reduced), len(reduced) - sum(reduced))
