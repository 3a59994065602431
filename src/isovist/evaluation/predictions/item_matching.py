"""Match responses to items by item id, or by the sent images and text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from isovist.common.canary import unmarked
from isovist.core.answers import Answer, Choice
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.prompts import IMAGE
from isovist.evaluation.predictions.prediction import Prediction


@dataclass(frozen=True, slots=True)
class Known:
    """The identifying data of an item, without images and scene."""

    id: str
    task: str
    split: str
    key: Answer
    image_hashes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """The parts of the question and the options that occur in the sent text."""


@dataclass(slots=True)
class Items:
    """An index of the items of a dataset folder."""

    by_id: dict[str, Known] = field(default_factory=dict[str, Known])
    by_pictures: dict[tuple[str, ...], list[str]] = field(default_factory=dict[tuple[str, ...], list[str]])

    @staticmethod
    def of(rows: Iterable[ItemRow]) -> Items:
        """Build the index from rows; images are indexed only if the rows have some."""
        items = Items()
        for row in rows:
            known = Known(row.id, row.task, row.split, row.key, tuple(map(digest, row.images)), tuple(_pieces(row)))
            items.by_id[row.id] = known
            if known.image_hashes:
                items.by_pictures.setdefault(known.image_hashes, []).append(row.id)
        return items

    def find(self, prediction: Prediction, used_ids: Collection[str]) -> Known:
        """Return the item of a prediction. Among duplicates, the first that is not in `used_ids`. Raises Unusable if there is none."""
        if prediction.id:
            if prediction.id not in self.by_id:
                raise Unusable("no item has this id")
            return self.by_id[prediction.id]
        if not prediction.pictures or "" in prediction.pictures:
            raise Unusable("no image, so the item cannot be found")
        shown = [self.by_id[id] for id in self.by_pictures.get(prediction.pictures, ())]
        if not shown:
            raise Unusable("no item has these images (they may have been scaled down)")
        asked = [known for known in shown if all(words in prediction.words for words in known.words)]
        if not asked:
            raise Unusable("the item with these images has another question")
        most = max(len("".join(known.words)) for known in asked)  # the text of one item may be contained in that of another
        fitting = [known for known in asked if len("".join(known.words)) == most]
        return next((known for known in fitting if known.id not in used_ids), fitting[0])


def _pieces(row: ItemRow) -> list[str]:
    question = [piece.strip() for piece in row.metadata.question.split(IMAGE)]
    options = row.choices if isinstance(row.key, Choice) and row.key.options_text() else ()
    return [piece for piece in (*question, *options) if piece]


def digest(image: bytes) -> str:
    """Return the hash of an image file without its canary, which older exports do not have."""
    return blake2b(unmarked(image), digest_size=12).hexdigest()
